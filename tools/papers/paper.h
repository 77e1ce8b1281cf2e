/* SPDX-License-Identifier: MIT */
/*
 * The figures and tables of a paper: its printed numbers, the values of its formula, and the
 * predictions and measurements of this library. Each paper fills tables and listings and ends with
 * a list of its claims and whether they agree. paper.c runs the rows; text.c, records.c, picture.c
 * and drawing.c show them. Numbers are in the units of their table; NAN: no number.
 */
#ifndef LOGP_PAPER_TOOL_H
#define LOGP_PAPER_TOOL_H

#include <logp/paper.h>

#include "question/question.h"
#include "answer/runs.h"
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

struct paper_row {
    char labels[96]; /* one for each column of the table: "100|10" */
    double value[N_VALUES];
    enum logp_certainty certainty; /* of the prediction */
    const char *verdict;           /* of a row of the list at the end; else NULL */
    char remark[400];
};

/* How a table becomes curves: column x is the axis, and each label of column series a curve. */
struct paper_chart {
    const char *x_axis, *y_axis;
    int x, series;     /* columns; series: EACH_OTHER: all but x */
    bool log_x, log_y; /* whether the axis is logarithmic */
};

enum { EACH_OTHER = -1 };

/* A run: an algorithm and its parameters. */
struct paper_case {
    const char *collective, *algorithm;
    const struct logp_algorithm *own; /* a row of the paper's own; NULL: the one of this name */
    int64_t P;
    const char *topology;     /* NULL: none */
    struct logp_invocation c; /* params included, in ns */
    int64_t unit_ns;          /* what the table's numbers count */
};

/* How a table becomes a picture. */
enum paper_picture {
    PAPER_PLOT, /* curves, or rows of numbers */
    PAPER_TREE, /* the tree of a run, as `logp tree` draws it */
    PAPER_TIME, /* its space-time diagram, as `logp trace` draws it */
};

struct paper_table {
    const char *figure; /* as the paper calls it: "Figure 4" */
    char title[120];
    const char *columns;      /* what the labels are: "P|k" */
    const char *unit;         /* of all numbers */
    const char *printed_unit; /* of those printed, where it differs; else NULL */
    char notes[4][400];
    int n_notes;
    struct paper_row *rows;
    size_t n_rows;
    const struct paper_chart *chart; /* PAPER_PLOT; NULL: it is drawn row by row */
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
    struct paper_table tables[MOST_TABLES];
    int n_tables;
    struct paper_listing listings[MOST_LISTINGS];
    int n_listings;
    struct paper_table verdicts; /* whether each figure and each formula agrees */
    int judged, late;            /* measured runs; those with which the host did not keep up */
    bool wrong;                  /* a run failed, or a prediction does not hold */
    bool stopped;                /* a run failed or was interrupted: none follows */
};

/* ---- paper.c ---- */

/* A new table, title as printf(). */
struct paper_table *paper_table(struct paper *p, const char *figure, const char *columns,
                                const char *unit, const char *title, ...)
    __attribute__((format(printf, 5, 6)));
/* A new row without numbers, valid until the next; its labels as printf(). */
struct paper_row *paper_row(struct paper_table *t, const char *labels, ...)
    __attribute__((format(printf, 2, 3)));
void paper_remark(struct paper_row *row, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* A line below the table. */
void paper_note(struct paper_table *t, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* A listing, "name|printed|does|here|why": its texts, and why its claim agrees or differs; NULL: it
 * has none. */
void paper_listing(struct paper *p, const char *claim, bool agrees, const char *texts, ...)
    __attribute__((format(printf, 4, 5)));
/* Draw this run in place of the table's numbers. */
void paper_draw(struct paper_table *t, enum paper_picture picture, const struct paper_case *x);
/* One line of the list at the end. Printed numbers, or a formula, against ours: "agrees" or
 * "differs", and why. Nothing once a run has failed. */
void paper_judge(struct paper *p, const char *what, bool agrees, const char *why, ...)
    __attribute__((format(printf, 4, 5)));
/* The same for a figure without numbers or formula: "nothing printed", and the text of `here`. */
void paper_judge_none(struct paper *p, const char *what, const char *here, ...)
    __attribute__((format(printf, 3, 4)));
/* Whether some row has both numbers, and they are equal in all such rows. */
bool paper_same(const struct paper_table *t, enum paper_value a, enum paper_value b);
/* Whether a row of the table has this number. */
bool paper_has(const struct paper_table *t, enum paper_value v);
/* The same of the rows with this label in a column. */
bool paper_same_of(const struct paper_table *t, int column, const char *label, enum paper_value a,
                   enum paper_value b);
/* Label number i of several. @return buf */
const char *paper_label(const char *labels, int i, char buf[64]);
int paper_columns(const struct paper_table *t);
/* Whole numbers can be shown as such. */
bool paper_is_whole(double x);
void paper_free(struct paper *p);

const struct logp_algorithm *paper_algorithm(const struct paper_case *x);
/* The value of a parameter of the case's algorithm. */
int64_t paper_knob(const struct paper_case *x, const char *name);
/* The value of --unit [otherwise_ns, the paper's unit]. */
int64_t paper_unit(const struct paper *p, int64_t otherwise_ns);
/* L, o and g in units. */
struct logp_params paper_params(int64_t unit_ns, int L, int o, int g);
/* The options of a run: those of the command, with the paper's own defaults and this case's model.
 * The topology: free it with logp_topology_destroy(). */
struct question paper_options(const struct paper *p, const struct paper_case *x,
                              enum logp_clock clock);
/* Predict, run on the virtual clock and, with --clock wall, on the wall clock, and fill the row's
 * numbers; a run with which the host did not keep up gives no measurement. A failed run, or a
 * prediction that does not hold, makes the paper wrong.
 * @return the run on the virtual clock */
struct row paper_run(struct paper *p, const struct paper_case *x, struct paper_row *row);

/* Compare two numbers that should be equal; if they differ, print both and mark the paper wrong. */
void paper_compare(struct paper *p, const char *what, double predicted, double emulated);
/* One run on the virtual clock, in units; NAN: it failed. */
double paper_emulated(struct paper *p, const struct paper_case *x);

/* ---- nodes.c: processor by processor ---- */

enum { MOST_NODES = 128 };

/* The place of a processor in a tree. */
struct paper_place {
    int parent, n_children, children[MOST_NODES];
};

/* The places of all processors of an algorithm along a tree; ends the process without memory. */
void paper_places(const struct paper_case *x, struct paper_place *places);

/* When each processor has the item, or the sum of all below it: in units, by rank, on the virtual
 * clock. Broadcast, reduction, summation. */
void paper_tour(struct paper *p, const struct paper_case *x, double *when);

enum paper_moment { PAPER_END, PAPER_FIRST_RECEIVE }; /* of the last event; the start of that one */

/* The time of a moment for each processor, in units, by rank: as its schedule predicts, and on the
 * virtual clock. */
void paper_moments(struct paper *p, const struct paper_case *x, enum paper_moment moment,
                   double *predicted, double *emulated);

/* ---- text.c, records.c, picture.c ---- */

void print_paper_text(const struct paper *p);
/* In a form of records; without one, as a picture. */
void print_paper(enum record_form form, const struct paper *p);
/* All tables as one SVG. */
struct problem *draw_paper(FILE *f, const struct paper *p);
/* Write each picture to this folder: curves as PNG, SVG and PDF, trees and diagrams as SVG.
 * Errors are printed, and the other pictures are written. */
struct problem *draw_figures(const struct paper *p, const char *folder);

/* ---- drawing.c: trees, space-time diagrams, and files of text ---- */

/* The tree or diagram of a table. *svg: to be freed, also with a problem */
struct problem *draw_run(const struct paper *p, const struct paper_table *t, char **svg);
/* A picture that is part of another. */
struct picture {
    const char *caption; /* NULL: none; the picture is the first, and is copied unchanged */
    char *svg;
};
/* Draw pictures as one: the first, and the others, as images, below it. */
void draw_together(FILE *f, const struct picture *pictures, size_t n);
/* Write the whole file, or none. */
struct problem *write_picture(const char *path, const char *svg);

/* ---- the papers ---- */

struct paper_kind {
    const char *name, *title;
    void (*fill)(struct paper *p);
};

/* Defined at the ends of their files. */
extern const struct paper_kind paper_shou_chen, paper_sun, paper_kurnosov, paper_grama, paper_liu;

/* ---- Grama et al. ---- */

/* Run the listings of recursive doubling as they are printed. */
void grama_listings(struct paper *p);

/* ---- Kurnosov: the models and the formulas ---- */

/* The paper's a, b and c, with L and g of a message that streams; in units. */
struct kurnosov_costs {
    double a, b, c, o, L, g;
};

/* L, o, g; a byte streams, an element is combined: in units, or thousandths of them. */
struct kurnosov_model {
    int L, o, g, byte, element;
};

/* a = 2o + L + c = 3 and b = o + c = 2 leave o + L = 1; c = 1; and one whose vectors stream. */
extern const struct kurnosov_model kurnosov_small, kurnosov_plain, kurnosov_cluster;

struct paper_case kurnosov_case(const struct paper *p, const char *algorithm, int P, int k,
                                int64_t count, const struct kurnosov_model *model);
struct kurnosov_costs kurnosov_costs(const struct paper_case *x);

enum { KURNOSOV_P = 11, KURNOSOV_K = 4 }; /* processors and chains of its figures */

/* Its formulas, as they are printed: long chains first; short ones first (section 6); t(k); at the
 * best k, which is the next; chains of 1, 2, ... processors; the binomial tree. */
double kurnosov_long_first(const struct kurnosov_costs *t, int P, int k);
double kurnosov_short_first(const struct kurnosov_costs *t, int P, int k);
double kurnosov_t(const struct kurnosov_costs *t, int P, int k);
double kurnosov_best(const struct kurnosov_costs *t, int P);
double kurnosov_best_k(const struct kurnosov_costs *t, int P);
double kurnosov_adaptive(const struct kurnosov_costs *t, int P);
double kurnosov_binomial(const struct kurnosov_costs *t, int P);

/* The time of figure 8, four chains of 1, 2, 3, 4. */
double kurnosov_figure_8(const struct kurnosov_costs *t);

/* Figures 1, 2, 3, 6 and 8, section 6 and the listing. */
void kurnosov_chains(struct paper *p);
/* Figure 1. */
void kurnosov_messages(struct paper *p);
void kurnosov_section_6(struct paper *p);
/* Inequalities (2) and (3). */
void kurnosov_inequalities(struct paper *p);

/* ---- Liu, Li & Cui: broadcasts on a 16 x 16 torus ---- */

enum { LIU_SIDE = 16 };

/* ---- liu_formulas.c ---- */

struct logp_torus liu_torus(const char *machine, int64_t bits, int64_t work);
/* A broadcast in blocks of block_bytes; 0: in one piece. */
struct paper_case liu_case(const struct paper *p, const struct logp_torus *t, const char *algorithm,
                           int64_t block_bytes);
/* The gain in percent; liu_gain(): for each number that both rows have. */
double liu_percent(double plain, double pipelined);
void liu_gain(struct paper_row *row, const struct paper_row *plain,
              const struct paper_row *pipelined);
/* In one piece: the paper's formula, and a run. */
void liu_plain(struct paper *p, const struct logp_torus *t, struct paper_row *row);
/* In blocks of m bits by the formula, and of `bytes` bytes in the run. */
void liu_pipelined(struct paper *p, const struct logp_torus *t, int64_t m, int64_t bytes,
                   struct paper_row *row);
extern const struct paper_row liu_no_row;

/* ---- liu_examples.c ---- */

/* When blocks are worth while, their size, and the paper's examples. */
void liu_examples(struct paper *p);

/* Formulas (2), (3) and (5). */
void liu_formulas(struct paper *p);

/*
 * ---- shou_chen.c ----
 * What the two files on Shou & Chen share: the trees by the paper's counting function.
 */

enum { LATEST = 64 };

/* The tree by the paper's recurrence with g, which assumes g >= o; times in units. */
struct own_tree {
    int P, d, g, T;
    int f[LATEST + 1];    /* how many processors can hold the item at this time */
    int time[MOST_NODES]; /* effective times, by id */
    int children[MOST_NODES], parent[MOST_NODES]; /* the root's: -1 */
};

/* P <= MOST_NODES processors, d > 0; T <= LATEST. */
struct own_tree shou_chen_tree(int P, int d, int g);

struct shou_chen_model {
    const char *label;
    int L, o, g;
};

/* In units; a summation has P operands, and an addition takes a unit. */
struct paper_case shou_chen_case(const struct paper *p, const char *collective,
                                 const char *algorithm, int P, const struct shou_chen_model *model);

/* The summation of figure 2. */
extern const struct shou_chen_model shou_chen_summed;

/* Theorems 2, 5 and 6, and lemma 1. */
void shou_chen_theorems(struct paper *p);
/* Run the listing as it is printed. */
void shou_chen_listings(struct paper *p);

/* ---- sun.c: what the files on Sun, Zhang & Song share ---- */

/* A transpose of size x size elements, by default in units of 5 us, with L, o, g = 6, 2, 4;
 * streams: a byte takes 0.01. */
struct paper_case sun_case(const struct paper *p, const char *algorithm, int P, int64_t size,
                           size_t element_bytes, bool streams);

/* Section 3. */
void sun_packing(struct paper *p);
/* Run the listings as they are printed. */
void sun_listings(struct paper *p);

#endif
