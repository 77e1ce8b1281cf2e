/* SPDX-License-Identifier: MIT */
/* Shou & Chen: the trees by the paper's counting function. */
#ifndef LOGP_PAPER_SHOU_CHEN_H
#define LOGP_PAPER_SHOU_CHEN_H

#include "papers/paper.h"

/* The summation of figure 2. */
#define SHOU_CHEN_SUM "summation optimal-paper L=5 o=2 g=4 gamma=1 "

/* A case's parameters in units; d = L + 2o and g of its tree: a summation's has L + 1 and
 * max(g, o + 1); e = max(g, o). */
struct shou_chen_units {
    int o, d, g, e;
};

struct shou_chen_units shou_chen_units(const struct paper_case *x);

enum { LATEST = 64 };

/* The tree by the paper's recurrence with g, which assumes g >= o; times in units. */
struct own_tree {
    int P, d, g, T;
    int f[LATEST + 1];    /* how many processors can hold the item at this time */
    int time[MOST_NODES]; /* effective times, by id */
    int children[MOST_NODES], parent[MOST_NODES]; /* the root's: -1 */
};

/* The tree of a case of P <= MOST_NODES processors, d > 0; T <= LATEST. To be freed */
struct own_tree *shou_chen_tree(const struct paper_case *x);

#endif
