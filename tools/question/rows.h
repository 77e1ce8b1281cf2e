/* SPDX-License-Identifier: MIT */
/*
 * The options are rows of a table, in a few lists. Each list is at the end of the file that parses
 * the options' texts into fields of struct question; a text that is not allowed is a problem.
 */
#ifndef LOGP_OPTION_ROWS_H
#define LOGP_OPTION_ROWS_H

#include "question/question.h"

#include <stddef.h>

/* ---- own.c, source.c ---- */

/* What a file of these folders keeps for a question. */
enum question_part {
    PART_SOURCES,
    PART_ROWS,
    PART_SETTINGS,
    PART_SWEEP,
    PART_TOPOLOGIES,
    PART_LINKS,
    PART_PLUGIN,
    PART_SCHEDULE,
    PART_EVALUATION,
    PART_ARRIVALS,
    PART_BLOCKS,
    PART_CHOICE,
    PART_LISTED,
    PART_FOUND,
    N_PARTS,
};

struct question_own *own_memory(void);
/* The part, of so many bytes: 0 at first. */
void *part_of(const struct question *q, enum question_part part, size_t size);

/* Keep the value of an option and its source; the texts must stay. */
void note_option(const struct question *q, const char *name, enum source source, const char *text);
/* Keep its place in the config file, to name it in errors: "FILE:3: P ="; the text must stay. */
void note_place(const struct question *q, const char *name, const char *place);

/* ---- the rows ---- */

/* Kind of the field for an option's text. */
enum option_field {
    FIELD_APPLIED, /* set by the row's function */
    FIELD_SWITCH,  /* a bool */
    FIELD_TEXT,    /* the text, or NULL where it is empty */
    FIELD_TIME,    /* ns; an empty text leaves it as it is */
    FIELD_NUMBER,  /* likewise */
};

struct option_row {
    const char *name;   /* without dashes */
    const char *value;  /* NULL: a flag */
    const char *help;   /* one line; %s: replaced by the choices */
    const char *preset; /* its default; empty: computed where it is used */
    const char *other;  /* with a preset: the default under the virtual clock, where that
                           differs; without: in words, how it is computed */
    uint64_t set;
    bool of_machine; /* a preset of the model sets it */
    /* option: with its dashes, wherever the text comes from */
    struct problem *(*apply)(struct question *q, const char *option, const char *text);
    enum option_field field; /* without apply: of struct question, at its offset */
    size_t offset, size;     /* size: of a number */
    bool bytes;              /* a number may have a suffix of bytes */
    int64_t least, most;     /* of a number */
    const char *allowed;     /* allowed range, in words, for the error message */
    /* The existing names, as the help lists them; NULL: they are in the help. @return buf */
    const char *(*choices)(const struct question *q, char buf[MAX_LIST]);
    const struct logp_knob *knob; /* the parameter of this row, which has no apply; NULL: none */
    enum series_kind series;      /* type of the values in a sweep; none: one value only */
    const char *words;            /* allowed words, where there are no choices; or NULL */
    bool several;                 /* may be given several times; the texts are joined with ';' */
};

#define FIELD(kind, name) .field = (kind), .offset = offsetof(struct question, name)
#define SWITCH(name) FIELD(FIELD_SWITCH, name)
#define TEXT(name) FIELD(FIELD_TEXT, name)
#define TIME(name) FIELD(FIELD_TIME, name)
#define NUMBER(name, bytes_, least_, most_, allowed_)                                              \
    FIELD(FIELD_NUMBER, name), .size = sizeof(((struct question *)NULL)->name), .bytes = (bytes_), \
                               .least = (least_), .most = (most_), .allowed = (allowed_)

/* In the order in which they are applied; the last has no name. */
extern const struct option_row model_options[];   /* model.c: what a prediction depends on */
extern const struct option_row operand_options[]; /* operands.c: the algorithm and its arguments */
extern const struct option_row run_options[];     /* execution.c */
extern const struct option_row explore_options[]; /* exploration.c */
/* The same for the parameters of algorithms, and the function that applies one */
const struct option_row *knob_options(void);
CHECKED struct problem *apply_knob(struct question *q, const struct logp_knob *knob,
                                   const char *option, const char *text);
extern const struct option_row fault_options[];   /* fault.c */
extern const struct option_row sweep_options[];   /* sweep.c */
extern const struct option_row format_options[];  /* format.c */
extern const struct option_row picture_options[]; /* picture.c */
extern const struct option_row tune_options[];    /* spans.c */
extern const struct option_row measure_options[]; /* spans.c */
extern const struct option_row talk_options[];    /* format.c: for all commands */

/* ---- rows.c ---- */

enum { MOST_ROWS = 124 };

extern const struct option_row *option_rows[MOST_ROWS];
extern int n_option_rows;

/* What a question was made of. */
struct texts {
    const char *given[MOST_ROWS];  /* by row: from the command line; NULL: not given */
    const char *added[MOST_ROWS];  /* by give_option(), which counts more */
    const json_t *presets;         /* in place of environment and config file; NULL: these */
    const char *words[MOST_WORDS]; /* as they were, */
    int n_words;
    struct question unsettled; /* and the question before its options were settled */
};

struct texts *texts_of(const struct question *q);
/* Put the table together: once, because it is the same for all questions. */
void make_rows(void);
/* The row of a name without dashes; -1: there is none. */
int find_row(const char *name);
/* The text of an option and its source. Environment and config file count only for options that
 * the command uses. */
enum source find_text(int i, const struct question *q, const char **text);
/* Refuse options that are not of the command. */
CHECKED struct problem *refuse_others(const struct question *q, const char *command);
/* Apply all rows. A machine sets L, o, g, G, delay and unit, unless they come from the same
 * source as it or from a stronger one. */
CHECKED struct problem *resolve_rows(struct question *q);
/* --verbose: the options that are set, and where each is set. */
void say_sources(const struct question *q);

/* ---- used.c ---- */

/* Restricted options, with the commands and collectives that use them. Other options, apart from
 * parameters, are used by all commands that take them. */
struct limit {
    const char *options[13];                         /* up to NULL */
    bool (*used_by)(const struct logp_collective *); /* NULL: all */
    unsigned except;                                 /* not by these commands */
    bool (*idle)(const struct question *q);          /* NULL: never idle */
    const char *beside;                              /* idle if this option is set, */
    const char *without;                             /* or without these options */
};

extern const struct limit limits[]; /* the last has no option */

/* Whether the command and any of the named collectives use its options. */
bool is_usable(const struct limit *limit, const struct question *q);
/* Collective i = 0, 1, ... of those that the words name. NULL: there are no more; or, for i = 0,
 * any collective may be meant. An exported table holds all of them, whatever the words name. */
const struct logp_collective *named_at(const struct question *q, int i);
/* Whether any algorithm of the collective has this parameter. */
bool any_has_knob(const struct logp_collective *c, const struct logp_knob *knob);
/* Whether any algorithm that may be chosen has this parameter. The default for a tree is the
 * optimal algorithm. */
bool has_knob(const struct question *q, const struct logp_collective *c,
              const struct logp_knob *knob);

/* ---- machine.c ---- */

/* The machine of a name, or in a file, which the question keeps. */
CHECKED struct problem *find_machine(const struct question *q, const char *option, const char *word,
                                     const struct logp_machine_file **machine);
const char *all_machines(const struct question *q, char buf[MAX_LIST]);
/* A problem of the value of a key in a machine's file, with its place: "--machine FILE:3: ...". Takes p; NULL: there is none */
CHECKED struct problem *problem_of_machine(const struct question *q, const char *option,
                                           const char *file, const char *key, struct problem *p);

/* ---- spans.c: -P and --bytes of a command of OPTIONS_SPANS ---- */

CHECKED struct problem *apply_P_list(struct question *q, const char *option, const char *text);
CHECKED struct problem *apply_bytes_range(struct question *q, const char *option, const char *text);

/* ---- links.c: differences between pairs of processors, after all options that set P ---- */

CHECKED struct problem *check_ports(const struct question *q);
CHECKED struct problem *apply_nodes(struct question *q, const char *option, const char *text);
CHECKED struct problem *apply_inter(struct question *q, const char *option, const char *text);
CHECKED struct problem *apply_link(struct question *q, const char *option, const char *text);

/* ---- sweep.c ---- */

/* Select the value at the current point where the text of an option is a series. Only in a sweep.
 * place: index of the row among all rows */
CHECKED struct problem *value_at_point(const struct question *q, const struct option_row *row,
                                       int place, const char *option, const char **text);
/* Go to a point of the sweep, from 0. */
void select_point(const struct question *q, int64_t i);

/* ---- plugin.c: load it; after all options check what its model is ---- */

CHECKED struct problem *apply_plugin(struct question *q, const char *option, const char *text);
CHECKED struct problem *check_plugin(const struct question *q);

/* ---- size.c ---- */

/* After all options: the --bytes of a vector, which must be a whole number of elements, without
 * --count. */
CHECKED struct problem *resolve_size(struct question *q);

/* ---- settings.c ---- */

/* Read the config file (LOGP_CONFIG, else in XDG_CONFIG_HOME or ~/.config) for a command. options:
 * their names without dashes, which must stay */
CHECKED struct problem *read_settings(const struct question *q, const char *command,
                                      const struct names *options);
/* The text in the config file of an option, named without dashes; NULL: none */
const char *setting_of(const struct question *q, const char *name);
/* Warn of variables LOGP_* whose names are close to those of options, but not equal. */
void warn_of_variables(const struct names *options);

/* ---- values.c ---- */

/* Set the field of a row, or call its function. */
CHECKED struct problem *apply_row(struct question *q, const struct option_row *row,
                                  const char *option, const char *text);
/* Whether the text is the second of two words. It must be one of them. */
CHECKED struct problem *either(const char *option, const char *text, const char *first,
                               const char *second, bool *is_second);
/* Whether a flag is on. The text must be on or 1, off or 0. */
CHECKED struct problem *switched(const char *option, const char *text, bool *on);
/* A time in units, or with a suffix, up to most_ps. */
CHECKED struct problem *to_ps(const struct question *q, const char *option, const char *text,
                              int64_t most_ps, int64_t *ps);

/* The time of a byte in picoseconds: a time, or a rate as 10GB/s. */
CHECKED struct problem *refuse_time(const char *option, const char *text, const char *most,
                                    const char * or);
CHECKED struct problem *to_byte_ps(const struct question *q, const char *option, const char *text,
                                   int64_t *ps);
/* storage.c */
CHECKED struct problem *apply_storage(struct question *q, const char *option, const char *text);
CHECKED struct problem *to_ns(const struct question *q, const char *option, const char *text,
                              int64_t *ns);

/* Check that --transport can be combined with the other options. */
CHECKED struct problem *check_transport(const struct question *q);

/* ---- arrival.c ---- */

CHECKED struct problem *apply_arrival(struct question *q, const char *option, const char *text);
/* The times of --arrival that are drawn with the seed, for P ranks; NULL: none are. */
const int64_t *drawn_arrivals(const struct question *q);

#endif
