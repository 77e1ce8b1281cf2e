/* SPDX-License-Identifier: MIT */
/* Where the best algorithm changes, over P and sizes: what `bench crossover` answers. */
#ifndef LOGP_CROSSOVER_H
#define LOGP_CROSSOVER_H

#include "options/options.h"

#include <stddef.h>

/* One of the two that were run. */
struct candidate {
    const struct logp_algorithm *algorithm;
    int64_t predicted_ns;
    bool measured;
    int64_t median_ns;
    struct logp_interval interval; /* of the median; where it is not known: the median */
};

/* Two algorithms at one size. */
struct comparison {
    int64_t size;
    struct candidate best, other; /* as predicted */
};

/* Sizes, all that are next to each other, with one best algorithm. */
struct range {
    int64_t P, from, to;
    const struct logp_algorithm *best;   /* NULL: there is no prediction */
    int64_t predicted_ns;                /* at `from` */
    const struct logp_algorithm *before; /* best below `from`; NULL: nothing was looked at */
    int64_t before_ns;                   /* at `from`; -1: it does not apply there */
    struct comparison below, above;      /* where they were run; else size -1 */
};

struct crossover {
    const char *collective, *text; /* what was asked for */
    const char *unit;              /* of sizes: "bytes"; NULL: there are none */
    const int64_t *sizes;          /* of the grid, ascending */
    int n_sizes;
    const struct range *ranges; /* by P and size */
    size_t n;
};

/* Who is faster, by their intervals? 1: the best; 0: the other; -1: nobody can tell */
int comparison_won(const struct comparison *d);

void print_crossover_table(const struct crossover *x);
void print_crossover_json(const struct crossover *x);
void print_crossover_csv(const struct crossover *x);

#endif
