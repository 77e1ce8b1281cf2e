/* SPDX-License-Identifier: MIT */
/* What the two files on Shou & Chen share: the trees by the paper's own counting function. */
#ifndef LOGP_SHOU_CHEN_H
#define LOGP_SHOU_CHEN_H

#include "paper.h"

enum { LATEST = 64 };

/* With g where e = max(g, o) belongs; times in units. */
struct own_tree {
    int P, d, g, T;
    int f[LATEST + 1];    /* how many processors can hold the item at this time */
    int time[MOST_NODES]; /* effective times, by id */
    int children[MOST_NODES];
};

/* P <= MOST_NODES processors, d > 0; T <= LATEST. */
struct own_tree shou_chen_tree(int P, int d, int g);

struct shou_chen_model {
    const char *label;
    int L, o, g;
};

/* In units; a summation has P operands, and an addition takes a unit. */
struct paper_case shou_chen_case(const struct paper *p, const char *collective,
                                 const char *algorithm, int P, const struct shou_chen_model *model);

/* The summation of figure 2. */
extern const struct shou_chen_model shou_chen_summed;

/* Theorems 2, 5 and 6, and lemma 1. */
void shou_chen_theorems(struct paper *p);
/* What its listing does as it is printed. */
void shou_chen_listings(struct paper *p);

#endif
