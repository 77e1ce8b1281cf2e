/* SPDX-License-Identifier: MIT */
/* The options of the command line and of the environment, with their values. */
#ifndef LOGP_QUESTION_H
#define LOGP_QUESTION_H

#include "text/problem.h"

#include <logp/logp.h>

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* ---- output formats: which of the command's answers each can show, and how ---- */

struct output;      /* answer/answer.h */
struct step_form;   /* view/schedule/forms.h */
struct trace_form;  /* view/trace/trace.h */
struct tree_form;   /* view/views.h */
struct versus_form; /* view/views.h */
struct work;        /* answer/runs.h */

/* An answer whose member is NULL cannot be shown. The options use only the names, the suffixes and
 * which answers there are. */
struct output_format {
    const char *name;
    const char *suffix; /* of a file in it, without the point */
    bool for_people;    /* allows text next to the answer, and several tables in it */
    bool draws;         /* it shows only what there is a picture of */
    bool curves;        /* it can show records as curves */
    bool machine;       /* it is a file for --machine */
    bool page;          /* it is the page of logp report */
    bool is_binary;     /* not for a terminal */
    void (*records)(FILE *f, const struct output *out); /* run, predict, bench */
    enum record_form form;         /* bench crossover, list, paper, measure, validate */
    const struct step_form *steps; /* schedule */
    const struct tree_form *tree;
    const struct trace_form *trace;
    const struct versus_form *versus; /* explain */
};

/* Whether it is made of an SVG: PNG, PDF */
static inline bool is_converted_picture(const struct output_format *f)
{
    return f->draws && f->is_binary;
}

/* All there are, in formats.c; the last has no name. */
extern const struct output_format output_formats[];

/* The kind of answer of a command. */
enum answer {
    ANSWER_ANY, /* whatever the format */
    ANSWER_WORDS,
    ANSWER_RECORDS,
    ANSWER_CURVES,
    ANSWER_SWEEP, /* records or curves */
    ANSWER_FORM,  /* whatever has a form of records */
    ANSWER_STEPS,
    ANSWER_TREE,
    ANSWER_TRACE,
    ANSWER_VERSUS,
    ANSWER_PAPER,
    ANSWER_MEASURED,
    ANSWER_PAGE,
    ANSWER_TUNE,
};

/* ---- the options ---- */

/* The scale of an axis. */
enum plot_scale {
    SCALE_AUTO, /* of x: as its values step; of y: logarithmic where x is and the values span much */
    SCALE_LINEAR,
    SCALE_LOG, /* linear where a value of x is 0 or less */
};

enum {
    MOST_WORDS = 8,
    MAX_CORES = 1024,
    MAX_COUNTS = 256,
    MAX_P_LIST = 1024,
    MAX_TITLE = 200,
    MOST_RANGES = 64
};

/* The choice of algorithms. */
enum algorithm_choice {
    ALGORITHMS_NAMED, /* those of the list */
    ALGORITHMS_AUTO,  /* the best predicted */
    ALGORITHMS_ALL,
};

/* The processors and the network between them. */
struct model_question {
    int64_t P;
    /* As written; network_of() has the part that the delay model uses. Its links contain all of
     * --nodes, --inter and --link, for P processors. */
    struct logp_network network;
    const struct logp_network *planned; /* what algorithms are planned for; NULL: network_of() */
    int64_t unit_ns;
    bool unit_auto;                          /* --unit auto: answer/unit.c finds the unit */
    const struct logp_machine_file *machine; /* NULL: none */
    const struct logp_delay_model *delay;
    const char *plugin;           /* whose model it is, as it was written; NULL: of the table */
    char nodes[32];               /* of --nodes: "4x8", "*x8", "4x2x4" */
    int64_t node_size;            /* processors of a node; 0: there are none */
    int64_t socket_size;          /* of a socket; 0: there are none */
    struct logp_link_costs inter; /* between nodes */
    struct logp_link_costs inter_sockets;
    const struct link_rules *rules; /* of --link; NULL: none */
    bool emulated;                  /* the delay model has parameters: it is not none */
    bool ignores_G;                 /* for it every message counts as one */
    const char *arrival_text;       /* of --arrival; NULL: all arrive at 0 */
    bool has_patterns;              /* that is a list: arrivals_of() */
    bool gamma_given, gamma_host;   /* --gamma host: measured */
};

/* In place of P and n_bytes, for a command of OPTIONS_SPANS; of OPTIONS_MEASURE, of n_bytes. */
struct span_question {
    size_t n_P;
    int64_t P_list[MAX_P_LIST]; /* ascending */
    int64_t bytes_low, bytes_high;
};

/* The algorithms and their arguments. */
struct what_question {
    enum algorithm_choice algorithms;
    const char *algorithm_list;        /* as it was written */
    const struct logp_step_list *list; /* of --schedule; NULL: a collective is named */
    const struct logp_collective *as;  /* of --as: what its steps must compute; NULL: anything */
    /* Called while the graph of --schedule is evaluated; NULL: not wanted. */
    void (*graph_progress)(void *arg, int64_t done, int64_t all);
    void (*read_progress)(void *arg, double part); /* of a file of --schedule */
    void *graph_progress_arg;                      /* of both */
    const char *schedules;                         /* a folder of found schedules; NULL: none */
    size_t n_bytes;
    int64_t root;
    int64_t count; /* 0: the collective's own */
    int n_counts;  /* of --counts; 0: blocks are all alike */
    int64_t counts[MAX_COUNTS];
    const struct logp_op *op;
    const char *type;       /* of the operands */
    size_t element_bytes;   /* of the type */
    int64_t rows, cols;     /* 0: P */
    struct logp_args knobs; /* parameters of the algorithm; no other member is set */
    bool may_differ;        /* --same-results no */
    enum logp_packing packing;
    enum logp_basis by;
};

/* How they are run. */
struct run_question {
    const char *executor;
    const char *transport; /* as it was written */
    enum logp_clock clock;
    bool fibers;   /* that is what the executor has */
    bool one_core; /* under the virtual clock, whatever P is */
    int reps, warmup;
    int64_t timeout_ns;
    size_t queue_limit; /* 0: the machine's own */
    size_t stack_bytes; /* of a processor; 0: the machine's own */
    uint64_t seed;
    int n_cores; /* 0: all allowed */
    int cores[MAX_CORES];
    enum { PLACE_BLOCK, PLACE_ROUND_ROBIN, PLACE_PARTNERS } place;
    const char *place_text;   /* of --place, as it was written */
    bool shares_hosts;        /* --place shared */
    const char *traffic_file; /* PLACE_PARTNERS: the report with the messages; NULL: schedules */
    const int *core_of;       /* of PLACE_PARTNERS: place_partners(); NULL: not known yet */
    int64_t precision_ppm, limit_ns;  /* 0: all runs */
    int64_t choice_limit_ns;          /* 0: none */
    struct followed_choice *choosing; /* NULL: no choice of an algorithm is followed */
    int64_t disturbed_by_ns;          /* an absence of a core; 0: by the prediction */
    bool only_predicted;              /* nothing is run */
    bool measure;                     /* bench crossover: the points are run */
    const char *replay;               /* a file; NULL: none */
    bool diff;                        /* next to the nearest run that passes */
};

/* The form of the answer. */
struct form_question {
    const struct output_format *format;
    const char *output; /* a file; NULL: stdout */
    bool keeps_records; /* a file of a sweep's points, to resume it */
    bool restart;
    const char *export; /* as it was written; "": none */
    const char *plot;   /* where pictures go; NULL: nowhere */
    bool only_plot;     /* and nothing else, on stdout */
    bool progress, watch;
    bool quiet, verbose;
    enum { COLOR_AUTO, COLOR_ALWAYS, COLOR_NEVER } color;
    bool explain;
    const char *save, *against; /* names of saved runs; NULL: none */
    const char *raw;            /* a file for each measured time; NULL: none */
    bool fails_on_slower, fails_on_change;
    int width, height;         /* of a picture, in pixels; 0: its own */
    const char *title;         /* of it; NULL: its own */
    enum plot_scale scales[2]; /* of x and y */
    int64_t from_ns, to_ns;    /* of a diagram; to_ns 0: to its end */
    int n_only;                /* 0: all ranks */
    struct {
        int64_t first, last;
    } only[MOST_RANGES]; /* the ranks of a diagram */
    bool ranks;          /* tables show times over the ranks */
    bool skips_ranks;    /* these are not shown, so they are not measured */
};

/* The command line. */
struct line_question {
    uint64_t sets; /* of the command: enum option_set */
    const struct vocabulary *vocabulary;
    const struct output_format *formats; /* all there are; the last has no name */
    enum answer answer;                  /* of the command */
    /* words that are not options, the command first */
    const char *words[MOST_WORDS];
    int n_words;
    const char *command; /* its name, which may have two words */
    char **rest;      /* the words after --, or a program of mpirun; NULL at its end; NULL: none */
    char **argv;      /* all of the command line; NULL: the question is of JSON */
    const char *page; /* logp report: its file, named before the collective; or NULL */
    bool help, version;
};

/* What operations on files take. */
struct storage_question {
    const char *text; /* as it was written; NULL: nothing is emulated */
    int64_t latency_ns;
    int64_t bandwidth; /* of a server, in bytes per second; 0: unlimited */
    int64_t servers;
};

/* A program of logp mpirun. */
struct mpi_question {
    const char *traced;              /* a file for the diagram; NULL: none */
    const char *report;              /* a file for what its calls took; NULL: none */
    bool unchecked;                  /* --check off */
    bool checks_fail;                /* --check fail */
    bool checksums;                  /* sums of the buffers of sends */
    bool compare_calls, trust_calls; /* of struct logp_config */
    bool tags_output;                /* each line of a program with its rank */
    double compute;  /* computing time on the virtual clock, in multiples of the time here */
    bool only_lists; /* --dry-run */
    bool gdb;        /* in this debugger */
    const char *shared,
        *own;            /* --share, --private: names of libraries, with ';' between; NULL: none */
    int64_t first_ranks; /* of the first of several programs; 0: there is one */
    struct storage_question storage; /* --storage */
    bool real_clocks;                /* the system's clocks do not follow the virtual one */
    int64_t epoch_ns;           /* the time of day at the start of the virtual clock, since 1970 */
    const char *openmp;         /* the OpenMP library that a program needs; NULL: none */
    const char *openmp_program; /* which */
    bool chosen_executor;       /* by the command for it */
};

/* Runs that the test kit makes: logp explore, and --explore of logp mpirun. */
struct explore_question {
    int64_t runs; /* 0: mpirun: the program runs once; explore: the kit's own number */
    enum logp_strategy strategy;
    int64_t depth, misses, most_steps; /* of struct logp_check */
    bool must_end, leaves_messages, leaves_requests, as_found;
    enum logp_sends sends;
    struct logp_fault_limits most_faults;
    int most_overtaken;
    struct logp_fault_places places;
};

/* The network of a machine that is measured, or whose parameters are checked. */
struct network_question {
    bool all_pairs, fit;
    const char *on; /* host, a named machine or a file */
};

struct question_own; /* own.c */

/* How a choice of an algorithm (--algo auto) is followed, and ended. */
struct followed_choice {
    logp_choice_watch *watch;
    void *arg;
    bool is_over; /* out: it was ended early */
};

struct question {
    struct question_own *own; /* its memory, which its copies share */
    struct model_question model;
    struct span_question span;
    struct what_question what;
    struct run_question how;
    struct form_question form;
    struct line_question line;
    struct mpi_question mpi;
    struct explore_question explore;
    struct network_question network;
    struct work *work; /* the watcher of the runs, and the state of all runs: answer/runs.h */
};

/* Groups of options that a command takes. */
enum option_set {
    OPTIONS_MODEL = 1, /* P, L, o, g, ... : what a prediction needs */
    OPTIONS_RUN = 2,   /* clock, reps, ... : what a run needs */
    OPTIONS_FORMAT = 4,
    OPTIONS_UNIT = 8,       /* --unit, also without a model */
    OPTIONS_FORGIVING = 16, /* it answers whatever the value of LOGP_FORMAT */
    OPTIONS_TREE = 32,      /* of a collective it shows only its tree */
    OPTIONS_PAPER = 64,   /* it has models of its own; of an option: a paper has its own default */
    OPTIONS_BASIS = 128,  /* --by, --schedule: the source of predictions, an additional run */
    OPTIONS_PLUGIN = 256, /* --plugin, also without a model, but not from the environment */
    OPTIONS_SWEEP = 512,  /* several values of an option; of an option: as OPTIONS_PAPER */
    OPTIONS_FILE = 1024,  /* --output: finished points are kept in a .csv or .json */
    OPTIONS_CROSSOVER = 2048,   /* several values only of P and sizes */
    OPTIONS_TUNE = 4096,        /* what the table of an MPI library depends on, and --export */
    OPTIONS_SPANS = 8192,       /* -P and --bytes: a list and a range, with other defaults */
    OPTIONS_TRACE = 16384,      /* --predicted */
    OPTIONS_EXPLAIN = 32768,    /* --explain */
    OPTIONS_WATCH = 65536,      /* --watch */
    OPTIONS_PLOT = 131072,      /* --plot */
    OPTIONS_FAULT = 262144,     /* --fault, --noise */
    OPTIONS_PROCESSES = 524288, /* --transport */
    OPTIONS_MEASURE = 1 << 20,  /* what messages take, and --bytes: a range */
    OPTIONS_VALIDATE = 1 << 21, /* --fit, --on */
    OPTIONS_PICTURE = 1 << 22,  /* --size, --title */
    OPTIONS_CURVES = 1 << 23,   /* --scale */
    OPTIONS_TALK = 1 << 24,     /* --quiet, --verbose, --color; not from the environment */
    OPTIONS_SAVE = 1 << 30,     /* --save, --against, but not from the environment */
    OPTIONS_RANKS = 1 << 29,    /* --ranks, --raw */
    OPTIONS_OUTPUT = 1 << 25,   /* --output, but not from the environment */
    OPTIONS_NETWORK = OPTIONS_MEASURE | OPTIONS_VALIDATE,
    OPTIONS_AGAIN = 1 << 26,  /* --executor, which a test otherwise sets */
    OPTIONS_REPLAY = 1 << 27, /* --replay, but not from the environment */
    OPTIONS_MPIRUN = 1 << 28, /* --check, --tag-output, --compute, --stack, --gdb */
};
/* No int, as the others are, has these bits. */
#define OPTIONS_SEARCH (UINT64_C(1) << 31)  /* --limit, --seed */
#define OPTIONS_EXPLORE (UINT64_C(1) << 32) /* --runs, --strategy, --faults, ... */
#define OPTIONS_PATTERNS                                                                           \
    (UINT64_C(1) << 33) /* several patterns of --arrival, which count together */

/* ---- own.c: memory ---- */

/* Free what the question and its copies point to. */
void end_question(struct question *q);
/* Free memory by drop() when the question ends. NULL: there is no memory. @return memory */
void *kept_by(const struct question *q, void *memory, void (*drop)(void *memory));

/* ---- source.c: value and source of an option, named with or without its dashes ---- */

/* Where a value comes from, the weakest first. */
enum source { FROM_DEFAULT, FROM_FILE, FROM_ENVIRONMENT, FROM_COMMAND_LINE };

/* The value in the command line, the environment or the config file, or the default; NULL: not yet
 * known. */
const char *option_text(const struct question *q, const char *name);
/* Whether one of these three sets it. */
bool option_given(const struct question *q, const char *name);
/* Whether the command line sets it. */
bool option_on_command_line(const struct question *q, const char *name);
/* Whether the environment or the config file sets it. */
bool option_is_preset(const struct question *q, const char *name);
/* As its user has set it: "--root" or "LOGP_ROOT", in buf, or its place in the config file. */
const char *option_shown(const struct question *q, const char *name, char buf[32]);
/* The line of a problem of this question, its option as option_shown(). To be freed */
char *problem_line(const struct question *q, const struct problem *p);
/* Print it now, and free it. @return its exit code; NULL: EXIT_OK */
int tell_problem(const struct question *q, struct problem *p);

/* ---- question.c ---- */

/* A command, as far as its options depend on it. */
struct command_facts {
    const char *name;
    uint64_t options; /* enum option_set */
    enum answer answer;
    bool starts; /* the command line of a program follows -- */
    /* Take the words that are its own, before its options are looked at; NULL: there are none. */
    struct problem *(*take)(struct question *q);
};

/* What a question can be about. */
struct vocabulary {
    const struct output_format *formats; /* the last has no name */
    struct names commands;               /* the sections of the config file */
    /* Find the command that the words begin with; of a name of two words the first is dropped. */
    struct problem *(*find)(struct question *q, struct command_facts *out);
};

/* An empty question, with no option set; to be ended by end_question(), like all others. */
void begin_question(struct question *q, const struct vocabulary *v);
/* Make it the question of a command line: its options come from the config file, then from the environment
 * (LOGP_P, LOGP_UNIT, ...; an empty variable is ignored), then from the words, which must stay. Where
 * these ask for help or the version, or are none, no option is settled. */
CHECKED struct problem *question_of_words(struct question *q, int argc, char **argv);
/* Make it the question of an object of JSON: {"command": "run", "words": ["broadcast"], "options": {"P":
 * "8", "algo": "all"}}, with texts as in a command line. "presets": options in place of the config
 * file and the environment, which are not looked at; "rest": the words after --. */
CHECKED struct problem *question_of_json(struct question *q, const json_t *json);
/* The same object, of a question whose options are settled. To be freed */
json_t *question_json(const struct question *q);
/* Treat the words after -- as words of the command, too. */
CHECKED struct problem *add_rest(struct question *q);
/* Drop the first word. */
void drop_word(struct question *q);
/* Whether the run extends over the processes of a launcher (--transport). */
bool over_processes(const struct question *q);

/* ---- rows.c ---- */

/* The description of an option for the commands of some option sets. */
struct option_facts {
    char option[32];           /* with its dashes */
    const char *value;         /* its value, in a word; NULL: a flag */
    char help[MAX_LIST + 128]; /* one line */
    char preset[64];           /* its default, in brackets after a blank; or nothing */
    char words[MAX_LIST];      /* words among its allowed values; or nothing */
    uint64_t sets;             /* option sets that contain it: enum option_set */
};

/* Option i = 0, 1, ... of all there are. o->formats and o->answer are set
 * (the latter: NULL: for all commands). @return false: there are
 * no more */
bool option_facts(const struct question *q, int i, uint64_t sets, struct option_facts *out);
/* One line for each option of the sets. */
void print_options(FILE *f, const struct question *q, uint64_t sets);

/* Settle q anew for point i of its sweep. */
CHECKED struct problem *resolve_point(struct question *q, int64_t i);
/* Set this option from now on as the command line would, for resolve_point(). */
void give_option(const struct question *q, const char *name, const char *text);
/* Whether it is on the command line. May be called before resolve_options(). */
bool option_is_given(const struct question *q, const char *name);
/* Note an option of these sets that is after the program, so that the program gets it. A seed is not noted: many
 * programs have one. */
void say_options_behind(const struct question *q, uint64_t sets);
/* Its text there; NULL: it is not. */
const char *given_text(const struct question *q, const char *name);
/* All options given, except for these, in the order of the help: " -P 2,4 --clock virtual". To
 * be freed; NULL: no memory */
char *options_given(const struct question *q, const struct names *but);

/* ---- sweep.c: all combinations of the options that have several values, in the order of the help,
 * the last changing first ---- */

/* Number of points, for the options that were settled last. */
int64_t sweep_points(const struct question *q);
/* Number of values that an option has in the sweep. */
int64_t sweep_values(const struct question *q, const char *name);
/* The point that was settled last: "-P 4 --bytes 1024". @return buf */
const char *show_point(const struct question *q, char *buf, size_t size);

/* ---- model.c, operands.c, execution.c: the values of options ---- */

/* L, o, g, G, delay and unit of a machine: a named one, or of a file. */
CHECKED struct problem *set_machine(struct question *q, const char *option, const char *text);
/* The delay model of this name, which there is. */
void use_delay(struct question *q, const char *name);
/* The executor of this name. @return false: there is none */
bool use_executor(struct question *q, const char *name);
/* Return the choice that a word such as "all" means in place of names. */
enum algorithm_choice algorithm_word(const char *word);

/* ---- links.c ---- */

/* The links of P processors as the options define them; a problem where these are for another
 * number. *out NULL: all links are alike */
CHECKED struct problem *links_of(const struct question *q, int64_t P,
                                 const struct logp_links **out);
/* The option that made o->network.links, as its user knows it. */
const char *links_option(const struct question *q);
/* The rules of --link, each time with its unit; NULL: there are none. */
const char *rules_shown(const struct question *q);
/* "nodes 4x8, between them L=90us, links 0-1:g=2us": what there is of it. */
void show_links(FILE *f, const struct question *q);
/* The largest G of a link; 0: none has one. */
int64_t links_own_G(const struct question *q);

/* ---- arrival.c ---- */

enum { MOST_ARRIVALS = 64 };

/* Patterns of arrivals: the times of each, by rank; NULL: all arrive at 0. */
struct arrivals {
    size_t n;
    const int64_t *ns[MOST_ARRIVALS];
};

/* The patterns of --arrival for P processors, which the question keeps; none without it. */
CHECKED struct problem *arrivals_of(const struct question *q, int64_t P, struct arrivals *out);

/* ---- plugin.c ---- */

/* The parameters as the delay model takes them: to plan and predict with. */
struct logp_params model_params(const struct question *q);
/* The network as the delay model takes it: to emulate, to plan and to predict with. */
struct logp_network network_of(const struct question *q);
/* Whether the plug-in has added this algorithm. */
bool is_of_plugin(const struct question *q, const struct logp_algorithm *a);
/* The delay model of the plug-in, which is set; a problem where it refuses to make one. */
CHECKED struct problem *make_plugin_delay(const struct question *q, struct logp_delay *delay);

/* ---- fault.c ---- */

/* Whether there are faults or noise. */
bool is_faulty(const struct question *q);

/* ---- format.c ---- */

/* Of a file's name, without the point; NULL: it has none. */
const char *suffix_of(const char *path);
/* Check that the suffix of --output is not that of another format than this one, which has been
 * asked for: "--format json". */
CHECKED struct problem *check_suffix(const struct question *q, const char *asked,
                                     const char *suffix);

/* ---- parameters of algorithms ---- */

/* Parse the value of a parameter that is not a time. @return false: the text is not allowed */
bool parse_knob(const struct logp_knob *knob, const char *text, int64_t *value);

/* ---- size.c ---- */

/* The unit of this collective's sizes in bytes: an element of a vector, or a byte. */
int64_t size_unit(const struct question *q, const struct logp_collective *collective);
/* The option that gives its size: "bytes" or "count"; NULL: its size is not given by a single
 * number. */
const char *size_option(const struct question *q, const struct logp_collective *collective);
/* Whether the model charges for bytes, on all links or some. Otherwise all sizes cost the same. */
bool bytes_cost(const struct question *q);
/* A note that messages of this size cost as much as small ones, and which option to type; NULL: no
 * note is due. @return buf */
const char *free_bytes(const struct question *q, int64_t n_bytes, char buf[MAX_LIST]);

/* ---- used.c, unused.c ---- */

/* Whether the command, or an item named by its words, uses this option, named without dashes. */
bool option_matters(const char *name, const struct question *q);
/* Whether it has an algorithm that takes blocks of different sizes. */
bool takes_blocks(const struct logp_collective *collective);
/* The collective that the words, or --schedule, name; NULL: none, or several may be named. */
const struct logp_collective *named_by_words(const struct question *q);
/* Check that all options of the command line are used. */
CHECKED struct problem *refuse_unused_options(const struct question *q);
/* The same for all options but these, which have their dashes. why: "--replay" */
CHECKED struct problem *refuse_others_than(const struct question *q, const struct names *used,
                                           const char *why);

#endif
