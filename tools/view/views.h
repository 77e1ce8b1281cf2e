/* SPDX-License-Identifier: MIT */
/* The views of trees, comparisons, tables of algorithms, and parameters that were measured or validated. */
#ifndef LOGP_VIEWS_H
#define LOGP_VIEWS_H

#include "text/problem.h"

#include <stdio.h>

struct question;
struct measured;        /* answer/measure/measure.h */
struct tree;            /* answer/tree/tree.h */
struct tune_collective; /* answer/tune/tune.h */
struct tune_result;     /* the same */
struct validated;       /* answer/validate/validate.h */
struct versus;          /* answer/versus/versus.h */

/* ---- tree/ ---- */

/* How a format shows a tree. */
struct tree_form {
    struct problem *(*show)(FILE *f, const struct question *q, const struct tree *tree);
    int64_t most;                  /* nodes that take part; 0: any number */
    const char *limit, *otherwise; /* the error beyond it: first words, last words */
};

extern const struct tree_form tree_as_text, tree_as_json, tree_as_csv;
extern const struct tree_form tree_as_dot;
extern const struct tree_form tree_as_svg; /* an optimal tree also in time */

/* ---- versus/ ---- */

/* How a format shows a comparison. */
struct versus_form {
    void (*show)(FILE *f, const struct versus *v);
    bool draws;
};

extern const struct versus_form versus_as_text, versus_as_json, versus_as_svg, versus_as_html;

/* ---- tune/ ---- */

/* The levels of nodes in a form: the ranks of a node, and one rank of each. */
enum tune_levels {
    TUNE_NO_LEVELS,
    TUNE_LEVEL_TABLES, /* their tables */
    TUNE_COMPOSED,     /* and algorithms that are composed of them */
    TUNE_LEVELS_NEEDED /* nothing else */
};

/* A form of the output. */
struct tune_form {
    const char *name;                          /* value of --export; "": a table for people */
    const char *suffix;                        /* of a file in this form */
    const struct tune_collective *collectives; /* the last has no name; NULL: all of logp */
    bool whole; /* it replaces all choices of the library, so all collectives must be in it */
    enum tune_levels levels;
    void (*print)(FILE *f, const struct question *q, const struct tune_result *results, size_t n);
};

extern const struct tune_form tune_openmpi, tune_han, tune_mpich, tune_csv, tune_table;

/* ---- measure/, validate/ ---- */

/* Print the results in a form of records; without one, as a file for --machine. */
void print_measured(FILE *f, enum record_form form, const struct measured *m);
/* Print them as a file of a machine (logp/machine.h). */
void print_measured_machine(FILE *f, const struct measured *m);

void print_validated(FILE *f, enum record_form form, const struct validated *v);

#endif
