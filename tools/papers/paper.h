/* SPDX-License-Identifier: MIT */
/*
 * The figures and tables of a paper: its printed numbers, the values of its formula, and the
 * predictions and measurements of this library. A paper is data: figures, whose rows name the run,
 * the formula and the printed numbers, and claims, which are judged by the rows. read.c reads its
 * text and judges the claims, table.c makes the rows, formula.c has the values of formulas, case.c
 * runs a row; text.c, records.c, picture.c and drawing.c show them. Numbers are in the units of their table; NAN: no number.
 */
#ifndef LOGP_PAPER_TOOL_H
#define LOGP_PAPER_TOOL_H

#include <logp/paper.h>

#include "answer/runs.h"
#include "question/question.h"
#include "text/problem.h"

#include <math.h>

/* The numbers of a row, in the order in which they are shown. */
enum paper_value {
    PRINTED,   /* by the paper */
    FORMULA,   /* the paper's, evaluated as it is printed */
    DERIVED,   /* a formula that the paper does not print: derived here */
    PREDICTED, /* by the library */
    EMULATED,  /* on the virtual clock */
    MEASURED,  /* on the wall clock: the median */
    N_VALUES
};

/* Their keys in records. */
extern const char *const paper_keys[N_VALUES];

struct paper_row {
    char labels[96]; /* one for each column of the table: "100|10" */
    double value[N_VALUES];
    enum logp_certainty certainty; /* of the prediction */
    const char *verdict;           /* of a row of the list at the end; else NULL */
    char remark[400];
};

/* ---- a paper as data ---- */

struct paper;
struct paper_table;

/* A case of a figure: an algorithm, its parameters, and the words that its row is made of. */
struct paper_case {
    const char *collective;
    char algorithm[32];
    const struct logp_algorithm *own; /* its row, which may be the paper's own */
    int64_t P;
    char topology[24];        /* "": none */
    struct logp_invocation c; /* params included, in ns */
    int64_t unit_ns;          /* what the table's numbers count */
    const struct logp_preset *machine;
    char words[96]; /* "1024|dash" */
};

/*
 * Rows: one for each combination of the words in `each`, the last changing first. Alternatives have
 * semicolons between them, several words of one alternative bars: "dash|256;monsoon|144 x 1..4".
 * In labels and run, $1, $2, ... are these words.
 */
struct paper_rows {
    const char *each, *labels; /* labels "": as each */
    const char *run;           /* "transpose ring P=$1 rows=2*$1", see case.c; NULL: none */
    bool idle;                 /* the run is only what the formulas are about */
    const char *printed;       /* the numbers of all rows, with blanks between; -: none */
    const char *formula, *derived, *predicted; /* the last: without a run */
    const char *remark;
    const struct paper_function *adjust, *complete, *make;
};

/* A row of a table, the last until now, and its case. */
struct paper_at {
    struct paper *p;
    struct paper_table *t;
    struct paper_row *row;
    const struct paper_case *x;
};

/* A function that the text of a paper names. */
struct paper_function {
    const char *name;
    /* A part of a formula. */
    double (*number)(const struct paper_case *x);
    /* Change the case; @return false: it has no row. */
    bool (*adjust)(struct paper_case *x);
    /* Complete the last row of a table, after its run. */
    void (*complete)(const struct paper_at *at);
    /* Make all rows of the case. */
    void (*make)(struct paper *p, struct paper_table *t, const struct paper_case *x);
    /* Complete a table, after its rows. */
    void (*after)(struct paper *p, struct paper_table *t);
    /* Whether a claim below this table agrees; or judge it by paper_judge(). */
    bool (*agrees)(const struct paper *p, const struct paper_table *t);
    void (*judge)(struct paper *p, const struct paper_table *t, const char *what);
};

/* A paper: its text, in NAME.paper, and the functions that it names; the last has no name. */
struct paper_kind {
    const char *name, *title;
    const char *text;
    int64_t unit_ns; /* 0: that of --unit */
    const struct paper_function *functions;
};

/* Defined at the ends of their files. */
extern const struct paper_kind paper_shou_chen, paper_sun, paper_kurnosov, paper_grama, paper_liu;

/* How a table becomes curves: column x is the axis, and each label of column series a curve. */
struct paper_chart {
    const char *x_axis, *y_axis;
    int x, series;     /* columns; series: EACH_OTHER: all but x */
    bool log_x, log_y; /* whether the axis is logarithmic */
};

enum { EACH_OTHER = -1 };

/* How a table becomes a picture. */
enum paper_picture {
    PAPER_PLOT, /* curves, or rows of numbers */
    PAPER_TREE, /* the tree of its first run, as `logp tree` draws it */
    PAPER_TIME, /* its space-time diagram, as `logp trace` draws it */
};

enum { MOST_NOTES = 4, MOST_LETS = 16, MOST_CLAIMS = 32 };

/* A definition. */
struct paper_let {
    const char *name, *formula;
};

/* ---- the tables that are shown ---- */

struct paper_table {
    const char *figure; /* as the paper calls it: "Figure 4" */
    const char *title;
    const char *columns;      /* what the labels are: "P|k" */
    const char *unit;         /* of all numbers */
    const char *printed_unit; /* of those printed, where it differs; else NULL */
    char notes[MOST_NOTES][400];
    int n_notes;
    struct paper_row *rows;
    size_t n_rows;
    struct paper_chart axes;
    const struct paper_chart *chart; /* axes; NULL: it is drawn row by row */
    enum paper_picture picture;
    struct paper_case drawn; /* the run that a tree or a diagram shows */
};

/* A listing of the paper, run as it is printed. */
struct paper_listing {
    char name[240];
    char printed[240]; /* the text in question, as printed */
    char does[240];    /* its effect when it is run as printed */
    char here[240];    /* the code run here in its place, and the effect of that */
};

enum { MOST_TABLES = 24, MOST_LISTINGS = 8 };

struct paper {
    const char *name, *title;
    const struct question *q;
    const struct paper_kind *kind;
    struct paper_table tables[MOST_TABLES];
    int n_tables;
    struct paper_listing listings[MOST_LISTINGS];
    int n_listings;
    struct paper_table verdicts; /* whether each figure and each formula agrees */
    char *text;                  /* what the tables' words are part of */
    const char *model;           /* of runs from here on */
    struct paper_let lets[MOST_LETS];
    int n_lets;
    struct paper_row kept;   /* a run that rows of a table are compared with */
    int judged, late;        /* measured runs; those with which the host did not keep up */
    bool wrong;              /* a run failed, or a prediction does not hold */
    bool stopped;            /* a run failed or was interrupted: none follows */
    struct problem *problem; /* why; NULL: it is not known */
};

/* ---- read.c ---- */

/* Make the tables, listings and verdicts of a paper; p starts as zeros, with q. */
void paper_fill(struct paper *p, const struct paper_kind *kind);

/* ---- label.c ---- */

/* "formula", or a key. */
enum paper_value paper_value_named(const char *name);
/* Part number i of several. @return buf */
const char *paper_label(const char *labels, int i, char buf[64]);
/* The same as a number; NAN: it is none. */
double paper_number(const char *labels, int i);
int paper_columns(const struct paper_table *t);
/* Whole numbers can be shown as such. */
bool paper_is_whole(double x);
/* The text with the words in place of $1, $2, ... */
void paper_words(const char *text, const char *words, char *out, size_t size);

/* ---- formula.c ---- */

/* The value of a formula for a case. */
double paper_value_of(const struct paper *p, const struct paper_case *x, const char *formula);

/* ---- table.c ---- */

void paper_add_rows(struct paper *p, struct paper_table *t, const struct paper_rows *rows);
void paper_free(struct paper *p);

/* A new row without numbers, valid until the next; its labels as printf(). */
struct paper_row *paper_row(struct paper_table *t, const char *labels, ...)
    __attribute__((format(printf, 2, 3)));
void paper_remark(struct paper_row *row, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* A line below the table. */
void paper_note(struct paper_table *t, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* A line of the list at the end. */
void paper_judge(struct paper *p, const char *what, bool agrees, const char *why, ...)
    __attribute__((format(printf, 4, 5)));
/* The same for a figure without numbers or formula: "nothing printed". */
void paper_judge_none(struct paper *p, const char *what, const char *here, ...)
    __attribute__((format(printf, 3, 4)));
/* A listing, "name|printed|does|here|why": its texts, and why its claim agrees or differs; NULL: it
 * has none. */
void paper_listing(struct paper *p, const char *claim, bool agrees, const char *texts, ...)
    __attribute__((format(printf, 4, 5)));
/* In how many rows there are both numbers, and in how many of them a relation holds: a = b, up to
 * `within` (0: a millionth), a > b or a >= b. rows: a pattern of fnmatch() for their labels; b: also
 * a constant. */
struct paper_count {
    size_t rows, hold;
};
struct paper_count paper_compare_rows(const struct paper_table *t, const char *rows, const char *a,
                                      const char *relation, const char *b, double within);
/* The row of a figure with these labels; NULL: none. */
const struct paper_row *paper_row_of(const struct paper *p, const char *figure, const char *labels);
/* Whether a row of the table has this number. */
bool paper_has(const struct paper_table *t, enum paper_value v);
/* ---- case.c ---- */

/* The case of these words, $1, $2, ... in the text. */
struct paper_case paper_case(const struct paper *p, const char *run, const char *words);
/* Keep a problem, if there is one: no run follows. @return whether there is none */
bool paper_goes_on(struct paper *p, struct problem *problem);
/* A time in units. */
double paper_units(const struct paper_case *x, int64_t ns);
/* The value of a parameter of the case's algorithm. */
int64_t paper_knob(const struct paper_case *x, const char *name);
/* The options of a run: those of the command, with the paper's own defaults and this case's model.
 * The topology: free it with logp_topology_destroy(). */
struct question paper_options(const struct paper *p, const struct paper_case *x,
                              enum logp_clock clock);
static inline const struct logp_algorithm *paper_algorithm(const struct paper_case *x)
{
    return x->own;
}

/* Predict, run on the virtual clock and, with --clock wall, on the wall clock, and fill the row's
 * numbers; a run with which the host did not keep up gives no measurement. A failed run, or a
 * prediction that does not hold, makes the paper wrong.
 * @return the run on the virtual clock */
struct row paper_run(struct paper *p, const struct paper_case *x, struct paper_row *row);
/* Fill the row with two numbers that should be equal; if they differ, print both and mark the paper
 * wrong. */
void paper_compare(struct paper *p, const char *what, struct paper_row *row, double predicted,
                   double emulated);
/* One run on the virtual clock, in units; NAN: it failed. */
double paper_emulated(struct paper *p, const struct paper_case *x);

/* ---- nodes.c: processor by processor ---- */

enum { MOST_NODES = 128 };

/* The place of a processor in a tree. */
struct paper_place {
    int parent, n_children, children[MOST_NODES];
};

/* The places of all processors of an algorithm along a tree. */
void paper_places(const struct paper_case *x, struct paper_place *places);
/* "1 4 7": the children; "-": none. @return buf */
const char *paper_children(const struct paper_place *place, char buf[64]);

/* When each processor has the item, or the sum of all below it: in units, by rank, on the virtual
 * clock. Broadcast, reduction, summation. */
void paper_tour(struct paper *p, const struct paper_case *x, double *when);

enum paper_moment { PAPER_END, PAPER_FIRST_RECEIVE }; /* of the last event; the start of that one */

/* The time of a moment for each processor, in units, by rank: as its schedule predicts, and on the
 * virtual clock. */
void paper_moments(struct paper *p, const struct paper_case *x, enum paper_moment moment,
                   double *predicted, double *emulated);

/* ---- text.c, records.c, picture.c ---- */

void print_paper_text(FILE *f, const struct paper *p);
/* In a form of records; without one, as a picture. */
CHECKED struct problem *print_paper(FILE *f, enum record_form form, const struct paper *p);
/* All tables as one SVG. */
CHECKED struct problem *draw_paper(FILE *f, const struct paper *p);
/* Write each picture to this folder as PNG, SVG and PDF.
 * Errors are printed, and the other pictures are written. */
CHECKED struct problem *draw_figures(const struct paper *p, const char *folder);

/* ---- drawing.c: trees, space-time diagrams ---- */

/* The tree or diagram of a table. page: the width of the page that has it in one of two columns;
 * 0: there is no page. *svg: to be freed, also with a problem */
CHECKED struct problem *draw_run(const struct paper *p, const struct paper_table *t, double page,
                                 char **svg);
/* A picture that is part of another. */
struct picture {
    const char *caption; /* NULL: none; the picture is the first, and is copied unchanged */
    char *svg;
};
/* Draw pictures as one: the first, and the others, as images, below it. */
void draw_together(FILE *f, const struct picture *pictures, size_t n);

/* ---- the listings: functions of their papers ---- */

void grama_listings(struct paper *p, const struct paper_table *t, const char *what);
void sun_listings(struct paper *p, const struct paper_table *t, const char *what);
void shou_chen_listings(struct paper *p, const struct paper_table *t, const char *what);

#endif
