/* SPDX-License-Identifier: MIT */
/*
 * The columns of `run` and `predict`: one table of them, from which come the keys of JSON, the
 * columns of CSV and those of the table. What a column says of a row is a cell.
 */
#ifndef LOGP_OUTPUT_H
#define LOGP_OUTPUT_H

#include "command.h"

/* All rows, and what was asked for. */
struct output {
    const struct options *o;
    const char *collective;
    const struct logp_coll *c;
    const struct row *rows;
    size_t n;
    int n_cores; /* 0: nothing was run */
};

enum cell_kind {
    CELL_NOTHING, /* null, an empty cell, a dash */
    CELL_WHOLE,
    CELL_NS,          /* a time; tables show microseconds */
    CELL_THOUSANDTHS, /* of a nanosecond */
    CELL_RATIO,
    CELL_TRUTH,
    CELL_TEXT,
};

struct cell {
    enum cell_kind kind;
    int64_t number;
    double ratio;
    const char *text; /* of a time: what stands before it in a table */
};

/* Tables that have a column, if any of their rows has something to say there. */
enum table_kind { TABLE_WALL = 1, TABLE_VIRTUAL = 2, TABLE_PREDICTED = 4, TABLE_ANY = 7 };

struct column {
    const char *key;  /* of JSON and CSV; NULL: tables alone */
    const char *part; /* the key is an object's, and this one of its numbers; NULL: it is not */
    struct cell (*value)(const struct output *out, const struct row *row, const struct column *col);
    size_t offset;       /* for value: of the number in its struct */
    bool measured;       /* not in the record of a prediction */
    const char *option;  /* it is for collectives to which this option means something; NULL: all */
    const char *heading; /* in tables; NULL: not there */
    int width;           /* at least; negative: to the left */
    unsigned tables;
};

/* output_columns.c: in the order of the record. */
const struct column *output_columns(size_t *n);
/* What this column says of this row. */
struct cell cell_of(const struct output *out, const struct row *row, const struct column *col);

/* output_json.c */
void print_json(const struct output *out);
void print_csv(const struct output *out);

#endif
