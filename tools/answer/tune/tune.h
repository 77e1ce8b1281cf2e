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

/* The bytes of a step of a composed algorithm, for an item or a vector of the whole. */
enum tune_scale { TUNE_SAME, TUNE_OF_NODE /* the items of a node */, TUNE_OF_ALL };

/* A step of a composed algorithm: a collective of the library, inside each node or between one rank of
 * each node. */
struct tune_part {
    const char *ours; /* NULL: the last one */
    const struct tune_row *rows;
    bool between;
    enum tune_scale scale;
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
    int64_t below;      /* bytes from which on the library runs another one; 0: none */
    /* Composed, for nodes of equal size: its time is the sum of its steps, each by the best of its
     * rows. `ours` is then any algorithm of the collective. NULL: not composed. */
    const struct tune_part *parts;
};

/* One of the library's collectives. */
struct tune_collective {
    const char *ours, *theirs;
    int id;                      /* its number in the library */
    bool sums;                   /* sizes in the library are the bytes of all processors' items */
    const struct tune_row *rows; /* the last has no name; NULL: all algorithms of logp */
    bool composed;               /* left out where nothing is composed */
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

/* A level of the nodes, as a network of its own, with all of its numbers of processors. */
struct tune_level {
    struct question *q; /* NULL: there are no levels */
    struct tune_cells *of;
};

/* A collective, with cells for each P of the span, and for each level. */
struct tune_result {
    const struct tune_collective *collective;
    struct tune_cells *of;
    struct tune_level inside, between; /* of has cells if the collective has a composed row */
};

/* ---- choose.c ---- */

/* Fill cells[i] for q->span.P_list[i]. Levels without a question: nothing is composed. */
CHECKED struct problem *tune_choose(const struct question *q, const struct tune_collective *c,
                                    const struct tune_level *inside,
                                    const struct tune_level *between, struct tune_cells *cells);
/* Whether two lists of cells of one collective have the same first sizes and picks. */
bool tune_same(const struct tune_cells *a, const struct tune_cells *b);

/* ---- levels.c ---- */

/* Set the questions of the levels, if q has nodes of several processors and no --link. */
void tune_find_levels(const struct question *q, struct tune_level *inside,
                      struct tune_level *between);
/* Choose for each level, if the collective has a composed row. */
CHECKED struct problem *tune_choose_levels(struct tune_result *r);
void tune_drop_cells(struct tune_cells *cells, size_t n);

#endif
