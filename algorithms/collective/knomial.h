/* SPDX-License-Identifier: MIT */
/*
 * knomial.c: the k-nomial tree over virtual ranks 0 .. P-1, 0 being the root. The parent of v is v
 * with the lowest digit, in base k, that is not 0 cleared; so the nodes below v are the consecutive
 * ones from v on. k = 2: the binomial tree. 2 <= k <= P, or k = 2
 */
#ifndef LPI_KNOMIAL_H
#define LPI_KNOMIAL_H

#include "predict/predict.h"

#include <logp/algorithm.h>

/* The knob: the k that is asked for, of which more than P is as good as P; 0: it is free. */
int64_t lpi_knomial_k(int64_t P, const struct logp_invocation *c);
/* The same, which has been settled. */
int64_t lpi_knomial_radix(int64_t P, const struct logp_invocation *c);
const char *lpi_knomial_needs(int64_t P, const struct logp_invocation *c);

/* How many nodes there are from v on, in its part of the tree. */
int64_t lpi_knomial_size(int64_t P, int64_t v, int64_t k);
int64_t lpi_knomial_parent(int64_t P, int64_t v, int64_t k);
/* Child i = 0, 1, ..., the farthest parts first, of each the nearest. -1: there are no more */
int64_t lpi_knomial_child(int64_t P, int64_t v, int64_t k, int64_t i);
int64_t lpi_knomial_children(int64_t P, int64_t v, int64_t k);
/* The tree of the knob's k, the root's rank rotated: as those of trees.h. 0; -ENOMEM */
int lpi_plan_knomial(int P, int rank, struct logp_invocation *c);

/* When the last node has what comes down the tree, if a message for a part of `nodes` takes D, and
 * keeps its sender from the next for E. (Or the other way round, up the tree.) */
__int128 lpi_knomial_time(int64_t P, int64_t k, const struct logp_invocation *c,
                          struct lpi_times (*times)(const struct logp_invocation *c,
                                                    int64_t nodes));

#endif
