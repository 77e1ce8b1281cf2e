/* SPDX-License-Identifier: MIT */
/* What the files of the `logp` command share. */
#ifndef LOGP_COMMAND_H
#define LOGP_COMMAND_H

#include <logp/logp.h>

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum { EXIT_OK = 0, EXIT_WRONG = 1, EXIT_USAGE = 2 };

/* One line on stderr, "logp: ...", and exit code 2. */
_Noreturn void bad_usage(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* The same for one option, named with its dashes: "logp: --root 9: a rank, 0 .. 7"; where its value
 * comes from the environment: "logp: LOGP_ROOT '9': ...". */
_Noreturn void bad_option(const char *option, const char *value, const char *allowed_format, ...)
    __attribute__((format(printf, 3, 4)));

/* ---- quantity.c: numbers with units ---- */

/* "1.5", "250ns", "10us", "2ms", "1s" in picoseconds; a plain number counts unit_ps. Exact.
 * false: not a quantity, negative, not whole picoseconds or too large. */
bool parse_time_ps(const char *text, int64_t unit_ps, int64_t *out);
/* A whole number in [low, high]: digits alone. */
bool parse_whole(const char *text, int64_t low, int64_t high, int64_t *out);
/* The same, also written 2^20, 1e6, 1.5k, 64Ki; of bytes 4KiB (4096) and 4kB (4000) too. */
bool parse_number(const char *text, bool bytes, int64_t low, int64_t high, int64_t *out);
/* "240 us", "1.234 ms": three significant decimals at most; into buf, which is returned. */
const char *show_ns(int64_t ns, char *buf, size_t size);

/* ---- names.c: words that must be one of several names ---- */

enum { MAX_NAMES = 128, MAX_HINT = 64, MAX_LIST = 1024 };

/* Starts as {0}. */
struct names {
    const char *name[MAX_NAMES];
    int n;
};

/* Add a name, which must stay; each once. */
void add_name(struct names *names, const char *name);
/* The name that the word is nearest to; NULL: none is near. */
const char *nearest_name(const struct names *names, const char *word);
/* "did you mean broadcast? ", or nothing, where no name is near. @return buf */
const char *did_you_mean(const struct names *names, const char *word, char buf[MAX_HINT]);
/* That, and "one of: a, b, c". word: NULL if there is none. @return buf */
const char *one_of(const struct names *names, const char *word, char buf[MAX_LIST]);
/* As bad_option(), for a value that is none of these. */
_Noreturn void refuse_name(const char *option, const char *text, const struct names *names);

/* ---- csv.c ---- */

/* A cell: in quotes, where it holds what separates cells; a quote in it is written twice. */
void print_csv_text(const char *text);

/* ---- options.c ---- */

enum output_format { FORMAT_TABLE, FORMAT_JSON, FORMAT_CSV, FORMAT_SVG, FORMAT_TEXT, FORMAT_GOAL };

enum { MAX_ALGORITHMS = 64, MAX_CORES = 1024 };

struct options {
    int64_t P;
    struct logp_params params;
    int64_t unit_ns;
    const char *algorithm_list;
    size_t n_bytes;
    int64_t root;
    bool gamma_given, gamma_host; /* --gamma host: measured */
    int64_t count;                /* 0: the collective's own */
    const struct logp_op *op;
    size_t element_bytes; /* of --type */
    int64_t rows, cols;   /* 0: P */
    enum logp_packing packing;
    int64_t pack_ns;
    int64_t window; /* 0: the best */
    int64_t k;
    int64_t block_bytes, work_ns;
    bool no_overlap;
    enum logp_clock clock;
    const char *executor;
    const char *delay;
    const struct logp_topology *topology; /* NULL: none */
    const struct logp_preset *machine;    /* NULL: none */
    const char *plugin;
    enum logp_basis by;
    const struct logp_step_list *list; /* of --schedule; NULL: a collective is named */
    int reps, warmup;
    int cores[MAX_CORES];
    int n_cores;   /* 0: all allowed */
    bool one_core; /* under the virtual clock, whatever P is */
    int64_t timeout_ns;
    size_t queue_limit; /* 0: the machine's own */
    uint64_t seed;
    enum output_format format;
    bool progress;
    bool help, version;
    unsigned sets; /* of the command: enum option_set */
    /* words that are not options, the command first */
    const char *words[8];
    int n_words;
};

/* What a command takes beside its words. */
enum option_set {
    OPTIONS_MODEL = 1, /* P, L, o, g, ... : what a prediction needs */
    OPTIONS_RUN = 2,   /* clock, reps, ... : what a run needs */
    OPTIONS_FORMAT = 4,
    OPTIONS_UNIT = 8,       /* --unit, also without a model */
    OPTIONS_SVG = 16,       /* no options, but what the command is: it draws, too */
    OPTIONS_FORGIVING = 32, /* it answers whatever LOGP_FORMAT says */
    OPTIONS_TREE = 64,      /* of a collective it shows only who sends to whom */
    OPTIONS_PAPER = 128, /* it has models of its own; of an option: a paper has its own default */
    OPTIONS_BASIS = 256, /* --by, --schedule: where predictions come from, and what else to run */
    OPTIONS_STEPS = 512, /* no options: it shows steps, as text, JSON or GOAL */
};

/* Split the command line into words and options, whose values settle_options() looks at; ends the
 * process on bad usage. */
void parse_options(int argc, char **argv, struct options *o);
/* Fill o with what a command of these sets can use: from the environment (LOGP_P, LOGP_UNIT, ...;
 * an empty variable is as good as none), then from the command line. Ends the process where one of
 * them is wrong, or not an option of the command. */
void settle_options(struct options *o, const char *command, unsigned sets);
/* What the command line or the environment says of this option, or its default. */
const char *option_text(const char *name);
/* Does this option, without its dashes, stand on the command line? */
bool option_on_command_line(const char *name);
/* Has the environment said what it is? */
bool option_in_environment(const char *name);
/* The option as whoever set it knows it: "--root", or "LOGP_ROOT". @return buf */
const char *option_shown(const char *name, char buf[32]);
/* Does the command line or the environment say what this option, named without dashes, is? */
bool option_given(const char *name);
/* One line for each option of the sets. */
void print_options(FILE *out, unsigned sets);

/* ---- the commands: exit code ---- */

int command_run(struct options *o);
int command_predict(struct options *o);
int command_list(struct options *o);
int command_tree(struct options *o);
int command_paper(struct options *o);
int command_schedule(struct options *o);

/* ---- arguments.c ---- */

/* The arguments of a collective as the options say; sets o's defaults that depend on it. */
struct logp_coll make_coll(struct options *o, const char *collective);

/* ---- unused.c ---- */

/* Say which options on the command line mean nothing to what the words name. */
void warn_of_unused(const struct options *o);

/* ---- output.c: records ---- */

/* One row of the result. */
struct row {
    const struct logp_algorithm *algorithm;
    struct logp_record record;
    bool ran; /* run, not predict */
    bool has_links;
    struct logp_link_use links, busiest; /* on a topology: messages and waiting of one run */
};

/* n_cores: on which they ran; 0: predicted only. */
void print_rows(const struct options *o, const char *collective, const struct logp_coll *c,
                const struct row *rows, size_t n, int n_cores);

/* ---- advice.c ---- */

/* What a run on the wall clock was like. */
struct advice {
    int n_cores;
    int late, judged, restarts; /* rows beyond what is bearable, of how many; runs repeated */
    const struct row *worst;    /* the latest of them; NULL: the host kept up */
    double fiber_ratio;         /* of the worst with fibers, as tried; 0: not tried */
};

struct advice judge_rows(const struct row *rows, size_t n, int n_cores);
/* In words: who could not keep up, and what to change. Table format only. */
void print_advice(const struct options *o, const struct advice *a);

/* ---- command_run.c ---- */

/* Run row->algorithm on a machine of its own and fill the row; Ctrl-C ends it, and all later ones.
 * What goes wrong is said on stderr. @return an exit code */
int run_alone(const struct options *o, const struct logp_coll *c, struct row *row);

/* ---- schedule_file.c, schedule_goal.c, schedule_json.c: --schedule ---- */

/* The steps of all ranks in a file, kept until the process ends; ends it where the file is not what
 * it should be. */
const struct logp_step_list *read_schedule(const char *option, const char *file);
/* The algorithm that does them, if they fit together. */
const struct logp_algorithm *listed_algorithm(const struct options *o, const struct logp_coll *c);

/* ---- links.c ---- */

/* What the last run did to the links of its delay model, if that has any. */
void read_links(const struct logp_delay *delay, struct row *row);
/* Table format, on a topology: a line for each algorithm. */
void print_links(const struct options *o, const struct logp_coll *c, const struct row *rows,
                 size_t n);

/* ---- choice.c: what the words and --algo name; they end the process where that is nothing ---- */

const char *named_collective(const struct options *o);
/* Fill the algorithms of at most MAX_ALGORITHMS rows. @return how many, >= 1 */
size_t choose_algorithms(const struct options *o, const char *collective, const struct logp_coll *c,
                         struct row *rows);

/* ---- logp tree: a tree as it is shown ---- */

/* Nodes are in depth-first order, the root first, and then those that take no part; times are in
 * units, -1 standing for none. The message is the one between a node and its parent. */
struct tree_node {
    int64_t rank;
    int64_t parent, first_child, next_sibling; /* indices; -1: none */
    double time, label;
    double sent, received; /* starts of the message's overheads */
    int64_t own, shared;   /* summation: operands */
};

struct tree {
    const char *name, *algorithm;
    bool sums;     /* summation: messages go up, and processors add all the time until they send */
    bool exact;    /* time is not only a bound */
    int64_t count; /* summation: operands in all */
    int64_t n, used; /* nodes; those that take part */
    struct tree_node *nodes;
    double time, o_send, o_recv, gamma;
};

/* tree_nodes.c: end the process on bad usage, or without memory. Free with free_tree(). */
struct tree make_broadcast_tree(struct options *o);
struct tree make_summation_tree(struct options *o);
void free_tree(struct tree *tree);

/* tree_text.c */
void print_tree_json(const struct options *o, const struct tree *tree);
void print_tree_csv(const struct tree *tree);
void print_tree_text(const struct tree *tree);

/* tree_picture.c: a space-time diagram. */
void draw_tree_svg(FILE *out, const struct options *o, const struct tree *tree);

#endif
