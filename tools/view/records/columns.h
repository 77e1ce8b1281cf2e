/* SPDX-License-Identifier: MIT */
/*
 * The columns of `run` and `predict`: one table of them, from which come the keys of JSON, the
 * columns of CSV and those of the table. A cell is the value of a column for a row.
 */
#ifndef LOGP_COLUMNS_H
#define LOGP_COLUMNS_H

#include "view/records/records.h"

#include <stddef.h>

enum cell_kind {
    CELL_NOTHING, /* null, an empty cell; in tables a dash, or its text */
    CELL_WHOLE,
    CELL_NS,          /* a time; tables show microseconds */
    CELL_THOUSANDTHS, /* of a nanosecond */
    CELL_BYTE_TIME,   /* the same, of a byte; tables show nanoseconds */
    CELL_RATIO,
    CELL_TRUTH,
    CELL_TEXT,
    CELL_LIST, /* whole numbers; not in tables */
};

struct cell {
    enum cell_kind kind;
    int64_t number; /* of a list: how many */
    const int64_t *list;
    double ratio;
    const char *text; /* prefix of a time in a table; text of an empty cell */
};

/* Tables that have a column, provided that it has a value in one of their rows. */
enum table_kind {
    TABLE_WALL = 1,
    TABLE_VIRTUAL = 2,
    TABLE_PREDICTED = 4,
    TABLE_SWEPT = 8,     /* of a sweep, where its rows differ there */
    TABLE_COMPARED = 16, /* of a sweep that is compared with a saved run */
    TABLE_ANY = 23,
    TABLE_RANKS = 32, /* with --ranks */
};

struct column {
    const char *key;  /* of JSON and CSV; NULL: tables alone */
    const char *part; /* member of the object at the key; NULL: the value is not an object */
    struct cell (*value)(const struct output *out, const struct row *row, const struct column *col);
    size_t offset;       /* for value: of the number in its struct */
    bool measured;       /* not in the record of a prediction */
    bool swept;          /* only in that of a sweep */
    bool compared;       /* only where it is compared with a saved run */
    const char *option;  /* for collectives that use this option; NULL: for all */
    const char *heading; /* in tables; NULL: not there */
    int width;           /* at least; negative: to the left */
    unsigned tables;
    int spare; /* order in which a narrow terminal drops columns: the largest first; 0: never */
    const struct logp_knob *knob; /* for value: the parameter of this column */
};

/* option_columns.c, result.c, changes.c: the settings, the results, and their comparison with a
 * saved run. The last element of each array has no value. */
extern const struct column asked_columns[], run_columns[], result_columns[], sweep_columns[],
    fault_columns[], against_columns[], last_columns[], host_columns[], undisturbed_columns[],
    graph_columns[];
/* The column of parameter i of the algorithms. @return false: there are no more */
bool knob_column(size_t i, struct column *col);

/* ---- columns.c ---- */

/* Column number i, in the order of the record. @return false: there are no more */
bool output_column(size_t i, struct column *col);
/* Whether the record of this output has the column. */
bool has_key(const struct output *out, const struct column *col);
/* Return the value of a column for a row. */
struct cell cell_of(const struct output *out, const struct row *row, const struct column *col);

/* ---- cells.c ---- */

/* Bytes of the operands: the whole of a matrix, one processor's part of a vector; -1: there are
 * no operands, or blocks of different sizes. */
int64_t operand_bytes(const struct output *out);

/* Whether its runs completed, but their results could not be checked. The steps of a file have
 * no result, and with faults no rank stays out of a barrier to test whether it holds the others. */
bool is_unchecked(const struct output *out, const struct row *row);

extern const struct cell no_cell;
/* Return no_cell if it is not valid. */
struct cell number_cell(enum cell_kind kind, bool valid, int64_t n);
/* s: NULL for no_cell. */
struct cell text_cell(const char *s);
/* The number of a column whose numbers lie at its offset. */
int64_t at_offset(const void *where, const struct column *col);

/* ---- table.c, fit.c ---- */

enum { MOST_COLUMNS = 64, CELL_SIZE = 48 };

/* The columns that have a value in some row, as text. */
struct table {
    struct column column[MOST_COLUMNS];
    int width[MOST_COLUMNS];
    char (*cell[MOST_COLUMNS])[CELL_SIZE];
    int n;       /* columns */
    size_t rows; /* in all */
};

/* Fill it from all rows of this output and the next ones. */
void fill_table(struct table *t, const struct output *out);
void free_table(struct table *t);
/* The text of column i in a row; row < 0: its heading. */
static inline const char *table_text(const struct table *t, int i, int row)
{
    return row < 0 ? t->column[i].heading : t->cell[i][row];
}
/* Make the table as narrow as the terminal at f. gone: the headings of the columns that are
 * left out for it. @return the terminal's columns; 0: f is not a terminal */
int fit_table(FILE *f, struct table *t, struct names *gone);
/* Print the run or prediction that the table shows, in two lines. */
void print_table_heading(FILE *f, const struct output *out);

/* ---- json.c ---- */

/* The name of a column in CSV; a part is before the unit, if the key has one:
 * measured_min_ns. */
void csv_name(const struct column *col, char buf[CELL_SIZE]);

/* ---- how a table of columns is written ---- */

/* Define the function for a column's value; few of them use all parameters. */
#define VALUE(name)                                                                                \
    static struct cell name(__attribute__((unused)) const struct output *out,                      \
                            __attribute__((unused)) const struct row *row,                         \
                            __attribute__((unused)) const struct column *col)

#define KEY(key_, value_) .key = (key_), .value = (value_)
#define PART(key_, part_, value_) .key = (key_), .part = (part_), .value = (value_)
#define OPTION(field) .offset = offsetof(struct question, field)
#define ARG(field) .offset = offsetof(struct logp_args, field)
#define PARAM(field) .offset = offsetof(struct logp_params, field)
#define RANKS(field) .offset = offsetof(struct row, ranks.field), .measured = true
#define RECORD(field) .offset = offsetof(struct logp_record, field), .measured = true
#define TABLE(heading_, width_, tables_)                                                           \
    .heading = (heading_), .width = (width_), .tables = (tables_)
#define SWEPT(heading_, width_) TABLE(heading_, width_, TABLE_SWEPT)

#endif
