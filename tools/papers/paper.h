/* SPDX-License-Identifier: MIT */
/*
 * A paper's figures and tables: what it prints, what its own formula gives, and what comes out
 * here. Each paper fills tables (in a file or two of this folder), paper.c runs their rows, output.c
 * and picture.c show them. Numbers are in the units of their table; NAN stands for none.
 */
#ifndef LOGP_PAPER_H
#define LOGP_PAPER_H

#include "../command.h"

#include <math.h>

/* The numbers of a row, in the order in which they are shown. */
enum paper_value {
    PRINTED,   /* by the paper */
    FORMULA,   /* the paper's own, evaluated */
    PREDICTED, /* by the library */
    EMULATED,  /* on the virtual clock */
    MEASURED,  /* on the wall clock: the median */
    N_VALUES
};

struct paper_row {
    char labels[96]; /* one for each column of the table: "100|10" */
    double value[N_VALUES];
    enum logp_certainty certainty; /* of what is predicted */
    char remark[120];
};

/* How a table becomes a picture: a curve for each label of one column over those of another. */
struct paper_chart {
    const char *x_axis, *y_axis;
    int x, series;   /* columns */
    bool log_y;      /* y is logarithmic */
    double y_lowest; /* of what is shown; NAN: all */
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
    const struct paper_chart *chart; /* NULL: it is not drawn */
};

enum { MOST_TABLES = 16 };

struct paper {
    const char *name, *title;
    const struct options *o;
    struct paper_table tables[MOST_TABLES];
    int n_tables;
    int judged, late; /* measured runs with an exact prediction; those that took longer */
    bool wrong;       /* a run failed, or a prediction does not hold */
    bool stopped;     /* a run failed or was interrupted: none follows */
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
/* Label number i of several. @return buf */
const char *paper_label(const char *labels, int i, char buf[64]);
int paper_columns(const struct paper_table *t);
void paper_free(struct paper *p);

/* A run: which algorithm, with what. */
struct paper_case {
    const char *collective, *algorithm;
    int64_t P;
    const char *topology; /* NULL: none */
    struct logp_coll c;   /* params included, in ns */
    int64_t unit_ns;      /* what the table's numbers count */
};

const struct logp_algorithm *paper_algorithm(const struct paper_case *x);
/* What --unit says; not given: a unit of the paper's own. */
int64_t paper_unit(const struct paper *p, int64_t otherwise_ns);
/* The options of a run: those of the command, with the paper's own defaults and this case's model.
 * The topology: free it with logp_topology_destroy(). */
struct options paper_options(const struct paper *p, const struct paper_case *x,
                             enum logp_clock clock);
/* Predict, run on the virtual clock and, unless told not to, on the wall clock, and fill the row's
 * numbers. A failed run, or a prediction that does not hold, makes the paper wrong.
 * @return the run on the virtual clock */
struct row paper_run(struct paper *p, const struct paper_case *x, struct paper_row *row);

/* ---- output.c, picture.c ---- */

void print_paper(const struct paper *p);
/* All tables that have a chart. */
void draw_paper_svg(FILE *out, const struct paper *p);

/* ---- the papers ---- */

void paper_shou_chen(struct paper *p);
void paper_sun(struct paper *p);
void paper_kurnosov(struct paper *p);
void paper_grama(struct paper *p);
void paper_liu(struct paper *p);

#endif
