/* SPDX-License-Identifier: MIT */
/*
 * The best predicted algorithm of each collective over processors and sizes, among all of ours or
 * among those that an MPI library has, in the form in which it is wanted.
 *
 * What a library calls its algorithms is in its file, as rows: which of ours it is, the library's
 * number or name, and when the library really does that (elsewhere it silently takes another).
 */
#ifndef LOGP_TUNE_H
#define LOGP_TUNE_H

#include "options/options.h"

#include <stdio.h>

/* When the library does what the row says: else it takes another of its algorithms. */
enum tune_needs {
    TUNE_POWER = 1,    /* a power of two of processors */
    TUNE_EACH = 2,     /* an element for each processor */
    TUNE_MOST = 4,     /* one for each of the largest power of two of them */
    TUNE_COMMUTES = 8, /* an operation that commutes */
    TUNE_BUILT_IN = 16 /* one of MPI's own */
};

/* One of the library's algorithms. */
struct tune_row {
    const char *ours;   /* where we have none of this name, the row is left out */
    const char *theirs; /* its name there */
    int id;             /* its number there */
    int64_t k;          /* the knob, where it is fixed there; 0: not */
    bool fanout;        /* its number of chains, our knob k, is told to it */
    bool segments;      /* the size of a segment, our knob block, is told to it; 0: all in one */
    unsigned needs;     /* enum tune_needs */
    int64_t up_to;      /* processors; 0: any number */
};

/* One of its collectives. */
struct tune_collective {
    const char *ours, *theirs;
    int id;                      /* its number there */
    bool sums;                   /* it compares the bytes of all processors' items together */
    const struct tune_row *rows; /* the last has no name; NULL: all of our algorithms */
};

/* What is taken somewhere. */
struct tune_pick {
    const struct logp_algorithm *algorithm; /* NULL: none */
    const struct tune_row *row;             /* NULL: no library */
    int64_t block, fanout;                  /* what is told to it; 0: nothing */
    int64_t k;                              /* of ours: that it works with; 0: it has none */
    int64_t ns;
};

/* Between two sizes, in bytes, what is best, predicted for the smaller, and the best of all other
 * algorithms there. Up to `settled` it is the best in turns with that of the cell before. */
struct tune_cell {
    int64_t from, settled, to;
    struct tune_pick best, next;
};

/* One of o->P_list: its cells by size; none where no algorithm applies, or none is predicted. */
struct tune_cells {
    int64_t P;
    struct tune_cell *cells;
    size_t n;
};

/* A collective, with cells for each of o->P_list. */
struct tune_result {
    const struct tune_collective *collective;
    struct tune_cells *of;
};

/* What it is written for. */
struct tune_form {
    const char *name;                          /* of --export; "": for people */
    const char *suffix;                        /* of a file of it */
    const struct tune_collective *collectives; /* the last has no name; NULL: all of ours */
    bool whole; /* it replaces all choices of the library, so all collectives must be in it */
    void (*print)(const struct options *o, const struct tune_result *results, size_t n);
};

/* ---- choose.c ---- */

/* Fill cells[i] for o->P_list[i]. */
void tune_choose(const struct options *o, const struct tune_collective *c,
                 struct tune_cells *cells);
/* Are they, all rows of one, the same choices? */
bool tune_same(const struct tune_cells *a, const struct tune_cells *b);

/* ---- openmpi.c, mpich.c, table.c ---- */

extern const struct tune_form tune_openmpi, tune_mpich, tune_csv, tune_table;

#endif
