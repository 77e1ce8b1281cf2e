/* SPDX-License-Identifier: MIT */
/* The answers of `run` and `predict` as a table, JSON and CSV, and the notes on them. */
#ifndef LOGP_OUTPUT_H
#define LOGP_OUTPUT_H

#include "file/file.h"
#include "answer/answer.h"
#include "text/problem.h"
#include "text/text.h"

#include <jansson.h>

/* A time in microseconds, the unit of tables. */
static inline double us(int64_t ns)
{
    return (double)ns / 1000;
}

/* ---- table.c, markup.c, json.c ---- */

void print_table(FILE *f, const struct output *out);
/* The same table in the syntax of a document, with the settings above it. */
void print_markdown(FILE *f, const struct output *out);
void print_latex(FILE *f, const struct output *out);
/* "MACHINE; delay logp; ": the machine, if it has a name, and the delay model with its topology. */
void print_model(FILE *f, const struct question *q);
/* Print the differences between messages: nodes, links, rendezvous, faults, noise; each that
 * applies, with a semicolon after it. */
void print_conditions(FILE *f, const struct question *q);
/* "wall clock, fiber executor on 2 cores", with their peculiarities, and the number of
 * processes, if there are several. */
void print_carriers(FILE *f, const struct question *q, const struct logp_core_use *cores,
                    int n_processes);
void print_json(FILE *f, const struct output *out);
void print_csv(FILE *f, const struct output *out);
/* A record; or only its members before the key `before`, if that is not NULL. */
json_t *record_json(const struct output *out, const struct row *row, const char *before);
/* The same as text, without the end of its line. */
void write_json_record(FILE *f, const struct output *out, const struct row *row,
                       const char *before);
void write_csv_record(FILE *f, const struct output *out, const struct row *row, const char *before);
/* The names of the columns; or only of those before `before`, if that is not NULL. */
void write_csv_names(FILE *f, const struct output *out, const char *before);

/* ---- cells.c ---- */

/* A note that the sizes of these rows do not change any time, and which option to type;
 * NULL: they do. @return buf */
const char *free_bytes_in(const struct output *out, char buf[MAX_LIST]);
/* Print that note, if there is one, as one line on stderr. For answers that are not tables. */
void say_free_bytes_in(const struct output *out);

/* ---- record_file.c: records that outlive the process ---- */

/* JSON or CSV, by the suffix of the name. The file is complete between any two writes. */
struct record_file {
    const char *path;
    FILE *f;
    FILE *before;          /* the file that a restart is about to replace; NULL: none */
    struct new_file fresh; /* replaces it when the first point is complete */
    bool json;
    bool wrong;      /* a record reports an error */
    long end;        /* offset after the last record */
    char *text;      /* its text before */
    size_t n;        /* number of records in text */
    size_t *records; /* offsets of the records in text */
};

/* Open the file, and read the records of out->sweep: a problem, after which the file is closed,
 * where that is not possible, or they are of another sweep. */
CHECKED struct problem *open_records(struct record_file *file, const char *path, bool anew,
                                     const struct output *out);
/* A problem where record i of the file is not about this row. */
CHECKED struct problem *expect_record(struct record_file *file, size_t i, const struct output *out,
                                      const struct row *row);
CHECKED struct problem *append_record(struct record_file *file, const struct output *out,
                                      const struct row *row);
/* Copy all records to f, beginning with those that the file had before. */
void print_records(FILE *f, const struct record_file *file);
void close_records(struct record_file *file);

/* ---- raw.c: each measured time with its state ---- */

/* Starts as {0}. */
struct raw_file {
    const char *path; /* NULL: none is wanted */
    struct new_file file;
    bool json;
    size_t n; /* rows in it */
};

/* Begin the file of --raw, if there is one. The old file stays until close_raw(). */
CHECKED struct problem *open_raw(struct raw_file *raw, const struct question *q);
/* Add the runs of a row, and forget them. */
void add_raw(struct raw_file *raw, const struct output *out, struct row *row);
/* End it: replace the old file, unless no row has come. */
CHECKED struct problem *close_raw(struct raw_file *raw);

/* ---- saved.c: runs of bench that are kept by a name ---- */

struct saved;

enum { HOST_SIZE = 256 };

/* The name of this host's processor, or of its architecture; in buf. */
const char *host_processor(char buf[HOST_SIZE]);
/* A problem where a run cannot be saved by this name; its folder is made. */
CHECKED struct problem *check_saved(const char *name);
/* Keep all rows. */
CHECKED struct problem *save_run(const struct output *out, const char *name);
/* The run of --against; a problem where there is none, or it is of another host. */
CHECKED struct problem *open_saved(const struct question *q, struct saved **out);
/* NULL is allowed. */
void close_saved(struct saved *s);
/* "before (saved 2026-11-23 08:50 UTC by logp 0.2.0)" @return buf */
const char *saved_words(const struct saved *s, char buf[MAX_LIST]);
size_t saved_points(const struct saved *s);
/* Its record of the point of this row, which need not have been run; NULL: it has none. */
const json_t *saved_record(const struct saved *s, const struct output *out, const struct row *row);
/* The differences from the nearest point in it: "L_ns was 60000, and is now 50000"; to be freed */
char *differences(const struct saved *s, const struct output *out, const struct row *row);

/* The settings of a record: its columns before `reps`, `fault` and `noise`. To be freed */
json_t *settings_of(const json_t *record);

/* ---- changes.c ---- */

/* Compare a row that was run with that point of out->against. */
struct change compare_saved(const struct output *out, const struct row *row);
/* Print the number of changes in a line for people. A problem, as --fail-on defines it */
CHECKED struct problem *sum_up_changes(FILE *f, const struct question *q, const struct saved *s,
                                       const struct output *out);

/* ---- links.c ---- */

/* Print, on a topology, the load of its links by each algorithm; for people only. */
void print_links(FILE *f, const struct output *out);

/* ---- explain.c ---- */

/* Print, with --explain, the components of the times, for people; the whole explanation if there
 * is one algorithm only. JSON has it in its records. */
void print_explanations(FILE *f, const struct output *out);

/* "T = 2L + 4o + 1g" */
void write_terms(FILE *f, const struct logp_explanation *e);
/* Print a line: from, to, the processor, and its action. */
void print_segment(FILE *f, const struct logp_explanation *e, const struct logp_path_segment *s);

/* ---- advice.c ---- */

struct advice;

/* Print in words why the host could not keep up, and what helps; for people only. */
void print_advice(FILE *f, const struct question *q, const struct advice *a);

/* The same for a program that ended late_ns late, to be freed; NULL: there is no advice. */
char *advice_on_program(const struct question *q, int n_cores, int64_t emulated_ns,
                        int64_t late_ns);

/* ---- explain_json.c: parts of written explanations ---- */

/* An object; of NULL, null. */
json_t *explanation_json(const struct logp_explanation *e);

/* The latency tolerance, also of o, g, G and gamma: by how many ps the parameter may grow from its
 * value until the time is `percent` longer; -1: by any number. */
int64_t tolerance_ps(const struct logp_curve *curve, int percent);
/* The percentages that are shown; the last is 0. */
extern const int tolerated_percents[];
/* Of each of them, with null for -1. */
json_t *tolerance_json(const struct logp_curve *c);
/* The curve of a parameter; false: there is none. */
bool curve_of(const struct logp_explanation *e, enum logp_parameter parameter,
              struct logp_curve *curve);
/* Whether explanations show it: o as a whole, or its two parts if they differ; G and gamma, if they are not 0. */
bool is_shown(const struct logp_params *params, enum logp_parameter parameter);

/* ---- tolerance.c ---- */

/* Draw the tolerances of the explained rows, each of its own; a problem: none has a parameter above 0. */
struct problem *draw_tolerances(FILE *f, const struct question *q, const struct output *out);

/* ---- crossover.c: where the best algorithm changes, over P and sizes ---- */

/* One of the two algorithms of a comparison. */
struct candidate {
    const struct logp_algorithm *algorithm;
    int64_t predicted_ns;
    bool measured;
    int64_t median_ns;
    struct logp_interval interval; /* of the median; if unknown, the median alone */
};

/* Two algorithms, run at one size. */
struct comparison {
    int64_t size;
    struct candidate best, other; /* as predicted */
};

/* A range of consecutive sizes with one best algorithm. */
struct range {
    int64_t P, from, to;
    int64_t settled;                     /* from `from` to below it, best and before alternate */
    const struct logp_algorithm *best;   /* NULL: there is no prediction */
    int64_t predicted_ns;                /* at `from` */
    const struct logp_algorithm *before; /* best below `from`; NULL: no size below was examined */
    int64_t before_ns;                   /* at `from`; -1: it does not apply there */
    struct comparison below, above;      /* size -1: not run */
};

struct crossover {
    const char *collective, *text; /* text: the collective with all options given */
    const char *unit;              /* of sizes: "bytes"; NULL: there are none */
    const int64_t *sizes;          /* of the grid, ascending */
    int n_sizes;
    const struct range *ranges; /* by P and size */
    size_t n;
    bool may_differ; /* --same-results no */
};

/* "1056 .. 1084": from 1056 on, the best algorithm alternates with the one before, and from 1084 on
 * it is the best alone; "1056": it is the best alone from 1056 on. @return text */
enum { MAX_TURNS = 48 };
const char *show_turns(int64_t from, int64_t settled, char text[MAX_TURNS]);

/* The field same_results of a record: null, unless all ranks combine the same elements. */
json_t *same_results_json(const char *collective, bool may_differ);

void print_crossover(FILE *f, enum record_form form, const struct crossover *x);

/* ---- stored.c: records that a file keeps ---- */

/* Whether a word of the command line names a file of records: FILE.csv or FILE.json. */
bool is_record_file(const char *word);
/* Read the file of logp run, predict or bench, also of bench --save: *stored is
 * {"records": [...]}, with "logp", "saved" and "host" of a saved run. It is to be freed, also with
 * a problem, which begins with the name of the command. */
CHECKED struct problem *read_records(const char *command, const char *path, json_t **stored);

/* ---- curves.c: records of a sweep as curves; predicted as lines, measured as points with their
 * intervals ---- */

/* Draw the records of a sweep to `to`, as in put_picture(), with the options of pictures. */
CHECKED struct problem *draw_records(FILE *f, const struct question *q, const struct output *out,
                                     const char *to);
/* Draw the records of a file, CSV or JSON, in the same way. */
CHECKED struct problem *draw_record_file(FILE *f, const struct question *q, const char *file,
                                         const char *to);

#endif
