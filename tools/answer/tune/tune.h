/* SPDX-License-Identifier: MIT */
/*
 * The best predicted algorithm of each collective over processors and sizes, among all algorithms
 * of logp or among those that an MPI library has, in the requested form.
 *
 * Each library has a file with a row for each of its algorithms: the algorithm of logp that equals
 * it, its number or name in the library, and the conditions under which the library really runs it
 * (elsewhere the library silently runs another).
 */
#ifndef LOGP_TUNE_H
#define LOGP_TUNE_H

#include "question/question.h"

/* Conditions under which the library runs the row's algorithm; otherwise it runs another one. */
enum tune_needs {
    TUNE_POWER = 1,    /* P is a power of two */
    TUNE_EACH = 2,     /* at least P elements */
    TUNE_MOST = 4,     /* at least as many elements as the largest power of two <= P */
    TUNE_COMMUTES = 8, /* the operation is commutative */
    TUNE_BUILT_IN = 16 /* the operation is predefined by MPI */
};

/* One of the library's algorithms. */
struct tune_row {
    const char *ours;   /* its name in logp; if logp has none of this name, the row is left out */
    const char *theirs; /* its name in the library */
    int id;             /* its number in the library */
    int64_t k;          /* the parameter k, if the library fixes it; 0: not fixed */
    bool fanout;        /* the library accepts the number of chains, k in logp */
    bool segments;      /* the library accepts the segment size, block in logp; 0: one segment */
    unsigned needs;     /* enum tune_needs */
    int64_t up_to;      /* largest number of processors; 0: any number */
};

/* One of the library's collectives. */
struct tune_collective {
    const char *ours, *theirs;
    int id;                      /* its number in the library */
    bool sums;                   /* sizes in the library are the bytes of all processors' items */
    const struct tune_row *rows; /* the last has no name; NULL: all algorithms of logp */
};

/* An algorithm with its parameters. */
struct tune_pick {
    const struct logp_algorithm *algorithm; /* NULL: none */
    const struct tune_row *row;             /* NULL: no library */
    int64_t block, fanout;                  /* parameters for the library; 0: not given */
    int64_t k;                              /* without a library: its parameter k; 0: it has none */
    int64_t ns;                             /* predicted */
};

/* The sizes `from` to `to`, in bytes, with the best pick there and the best one of all other
 * algorithms, both predicted for `from`. Below `settled`, the best pick and that of the cell before
 * are the best alternately. */
struct tune_cell {
    int64_t from, settled, to;
    struct tune_pick best, next;
};

/* The cells of one P of the span, by size; none if no algorithm applies and has a prediction. */
struct tune_cells {
    int64_t P;
    struct tune_cell *cells;
    size_t n;
};

/* A collective, with cells for each P of the span. */
struct tune_result {
    const struct tune_collective *collective;
    struct tune_cells *of;
};

/* ---- choose.c ---- */

/* Fill cells[i] for q->span.P_list[i]. */
CHECKED struct problem *tune_choose(const struct question *q, const struct tune_collective *c,
                                    struct tune_cells *cells);
/* Whether two lists of cells of one collective have the same first sizes and picks. */
bool tune_same(const struct tune_cells *a, const struct tune_cells *b);

#endif
