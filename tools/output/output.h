/* SPDX-License-Identifier: MIT */
/* What `run` and `predict` answer, as a table, JSON and CSV, and what is said beside it. */
#ifndef LOGP_OUTPUT_H
#define LOGP_OUTPUT_H

#include "file/file.h"
#include "options/options.h"
#include "run/run.h"
#include "text/text.h"

/* All rows, and what was asked for. */
struct output {
    const struct options *o;
    const char *collective;
    const struct logp_invocation *c;
    const struct row *rows;
    size_t n;
    int n_cores;                 /* 0: nothing was run */
    const char *sweep;           /* which sweep these rows are of; NULL: of none */
    const struct output *next;   /* other rows of it; NULL: there are no more */
    const struct saved *against; /* what the rows are compared with; NULL: nothing */
};

/* As tables show times. */
static inline double us(int64_t ns)
{
    return (double)ns / 1000;
}

/* ---- table.c, markup.c, json.c ---- */

void print_table(const struct output *out);
/* The same table in the syntax of a document; what was asked for stands above it. */
void print_markdown(const struct output *out);
void print_latex(const struct output *out);
/* What is not alike for all messages: nodes, links, rendezvous, faults, noise; of each that there
 * is a piece with a semicolon behind it. */
void print_conditions(const struct options *o);
/* "wall clock, fiber executor on 2 cores", and of how many processes, where there are any. */
void print_carriers(const struct options *o, int n_cores, int n_processes);
void print_json(const struct output *out);
void print_csv(const struct output *out);
/* A record; its beginning, where there is a key that it stands before. */
json_t *record_json(const struct output *out, const struct row *row, const char *before);
/* The same as text, without the end of its line. */
void write_json_record(FILE *f, const struct output *out, const struct row *row,
                       const char *before);
void write_csv_record(FILE *f, const struct output *out, const struct row *row, const char *before);
/* The names of the columns. */
void write_csv_names(FILE *f, const struct output *out);

/* ---- cells.c ---- */

/* That the sizes of these rows change nothing, and what to type; NULL: they do. @return buf */
const char *free_bytes_in(const struct output *out, char buf[MAX_LIST]);
/* Say that, if it is so, in one line on stderr: for what is no table. */
void say_free_bytes_in(const struct output *out);

/* ---- record_file.c: records that outlive the process ---- */

/* JSON or CSV, as the name ends. It is whole whenever nobody writes to it. */
struct record_file {
    const char *path;
    FILE *f;
    FILE *before;          /* the file that a restart is about to replace; NULL: none */
    struct new_file fresh; /* what replaces it when the first point is there */
    bool json;
    bool wrong;      /* a record says that something is */
    long end;        /* behind the last record */
    char *text;      /* what it held */
    size_t n;        /* records that it held */
    size_t *records; /* where in text they begin */
};

/* Open the file, and read the records of out->sweep. Ends the process where that cannot be, or they
 * are of another sweep. */
void open_records(struct record_file *file, const char *path, bool anew, const struct output *out);
/* End the process where record i of the file is not about this row. */
void expect_record(struct record_file *file, size_t i, const struct output *out,
                   const struct row *row);
/* @return an exit code; what is wrong is said */
int append_record(struct record_file *file, const struct output *out, const struct row *row);
/* All of them, those that were there first, on stdout. */
void print_records(const struct record_file *file);
void close_records(struct record_file *file);

/* ---- saved.c: runs of bench that are kept by a name ---- */

struct saved;

enum { HOST_SIZE = 256 };

/* The name of this host's processor, or of its architecture; in buf. */
const char *host_processor(char buf[HOST_SIZE]);
/* End the process where a run cannot be saved by this name; its folder is made. */
void check_saved(const char *name);
/* Keep all rows. @return an exit code; what is wrong is said */
int save_run(const struct output *out, const char *name);
/* The run of --against; ends the process where there is none, or it is of another host. */
struct saved *open_saved(const struct options *o);
/* NULL is allowed. */
void close_saved(struct saved *s);
/* "before (saved 2026-11-23 08:50 UTC by logp 0.2.0)" @return buf */
const char *saved_words(const struct saved *s, char buf[MAX_LIST]);
size_t saved_points(const struct saved *s);
/* Its record of the point of this row, which need not have been run; NULL: it has none. */
const json_t *saved_record(const struct saved *s, const struct output *out, const struct row *row);
/* What differs from the nearest point that it has: "L_ns was 60000, and is now 50000"; to be freed */
char *differences(const struct saved *s, const struct output *out, const struct row *row);

/* ---- changes.c ---- */

/* How a row that was run compares with that point of out->against. */
struct change compare_saved(const struct output *out, const struct row *row);
/* What has changed, in a line for people. @return an exit code: what --fail-on asks for */
int sum_up_changes(const struct options *o, const struct saved *s, const struct output *out);

/* ---- links.c ---- */

/* On a topology: what each algorithm did to its links; for people only. */
void print_links(const struct output *out);

/* ---- explain.c ---- */

/* With --explain: what the times are made of, for people; of one algorithm, all that there is to
 * say. JSON has it in its records. */
void print_explanations(const struct output *out);

/* "T = 2L + 4o + 1g" */
void write_terms(FILE *f, const struct logp_explanation *e);
/* A line: from, to, the processor, and what it does. */
void print_segment(const struct logp_explanation *e, const struct logp_path_segment *s);

/* ---- advice.c ---- */

/* What a run on the wall clock was like. */
struct advice {
    int n_cores;
    int late, judged, restarts; /* rows beyond what is bearable, of how many; runs repeated */
    const struct row *worst;    /* the latest of them; NULL: the host kept up */
    const struct row *early;    /* the first that took less than it can, of the model's rules */
    int64_t clock_error_ns;     /* between processes, the greatest; -1: all are in one */
    bool clock_is_off;          /* by more than is bearable of a unit or of a prediction */
    double fiber_ratio;         /* of the worst with fibers, as tried; 0: not tried */
    double copied_bytes;        /* in one run of the worst; 0: not known */
    double copy_ps_per_byte;    /* of this host; 0: not known */
    int64_t G_ps;               /* that would charge for it, */
    double G_ratio;             /* and the worst with it, as tried; 0: not tried */
    int64_t program_ns;         /* of a program, which has no rows: its emulated time, */
    double program_over;        /* and how late it ended, as a fraction of that */
};

struct advice judge_rows(const struct output *out);
/* Is copying most of what the worst takes beyond its prediction, or enough to be 10 % late? After
 * judge_copies(). */
bool is_copying(const struct options *o, const struct advice *a);
/* A G that covers what copying costs this host. */
int64_t copying_G_ps(const struct options *o, const struct advice *a);
/* In words: what the host could not keep up with, why, and what helps; for people only. */
void print_advice(const struct options *o, const struct advice *a);

/* The same of a program that ended so late, to be freed; NULL: nothing is to be said. */
char *advice_on_program(const struct options *o, int n_cores, int64_t emulated_ns, int64_t late_ns);

/* Set what a run of the worst row copies, and what that costs here; for people only. */
void judge_copies(const struct output *out, struct advice *a);

/* ---- explain_json.c: what explanations are written with ---- */

/* An object; of NULL, null. */
json_t *explanation_json(const struct logp_explanation *e);

/* The curve of a parameter; false: there is none. Ends the process without memory. */
bool curve_of(const struct logp_explanation *e, enum logp_parameter parameter,
              struct logp_curve *curve);

/* ---- crossover.c: where the best algorithm changes, over P and sizes ---- */

/* One of the two that were run. */
struct candidate {
    const struct logp_algorithm *algorithm;
    int64_t predicted_ns;
    bool measured;
    int64_t median_ns;
    struct logp_interval interval; /* of the median; where it is not known: the median */
};

/* Two algorithms at one size. */
struct comparison {
    int64_t size;
    struct candidate best, other; /* as predicted */
};

/* Sizes, all that are next to each other, with one best algorithm. */
struct range {
    int64_t P, from, to;
    int64_t settled;                     /* from `from` to below it both are the best in turns */
    const struct logp_algorithm *best;   /* NULL: there is no prediction */
    int64_t predicted_ns;                /* at `from` */
    const struct logp_algorithm *before; /* best below `from`; NULL: nothing was looked at */
    int64_t before_ns;                   /* at `from`; -1: it does not apply there */
    struct comparison below, above;      /* where they were run; else size -1 */
};

struct crossover {
    const char *collective, *text; /* what was asked for */
    const char *unit;              /* of sizes: "bytes"; NULL: there are none */
    const int64_t *sizes;          /* of the grid, ascending */
    int n_sizes;
    const struct range *ranges; /* by P and size */
    size_t n;
    bool may_differ; /* --same-results no */
};

/* "1056 .. 1084": from which size on one is the best in turns with the one before, and alone;
 * "1056": alone from the first on. @return text */
enum { MAX_TURNS = 48 };
const char *show_turns(int64_t from, int64_t settled, char text[MAX_TURNS]);

/* The field same_results of a record: null, unless all ranks combine the same elements. */
json_t *same_results_json(const char *collective, bool may_differ);

void print_crossover(enum record_form form, const struct crossover *x);

/* ---- curves.c: records of a sweep as curves; predicted as lines, measured as points with their
 * intervals ---- */

/* In all of them, to: a file whose name ends in .svg, .png or .pdf; or svg, png or pdf, on stdout.
 * check_picture() ends the process where there can be none. option: what asks for it */
void check_picture(const char *option, const char *to);
/* Draw the records of a sweep there, as the options of pictures say. @return an exit code; what is
 * wrong is said */
int draw_records(const struct options *o, const struct output *out, const char *to);
/* The same of those in a file, CSV or JSON; ends the process where it holds none. */
int draw_record_file(const struct options *o, const char *file, const char *to);

/* ---- live_table.c: --watch, a live table of what runs ---- */

/* So many more points of this algorithm are to be run, and take about so long; fewer, where that is
 * negative. */
void live_table_expect(const struct logp_algorithm *algorithm, int points, double ns);
/* From now on, what runs is shown, if that is asked for. */
void live_table_begin(const struct options *o);
/* No more: the terminal is as it was before. */
void live_table_end(void);

#endif
