/* SPDX-License-Identifier: MIT */
/* What the two files on Kurnosov share: the models, and the paper's formulas. */
#ifndef LOGP_KURNOSOV_H
#define LOGP_KURNOSOV_H

#include "paper.h"

/* What the paper calls a, b, c, with L and g of a message that streams; in units. */
struct kurnosov_costs {
    double a, b, c, o, L, g;
};

typedef struct logp_params (*kurnosov_model)(int64_t unit);

/* a = 2o + L + c = 3 and b = o + c = 2 leave o + L = 1. */
struct logp_params kurnosov_small(int64_t unit);
/* L, o, g = 6, 2, 4, and c = 1. */
struct logp_params kurnosov_plain(int64_t unit);
/* L, o, g = 6, 2, 4; a byte streams in 0.01, an element is combined in 0.05. */
struct logp_params kurnosov_cluster(int64_t unit);

struct paper_case kurnosov_case(const struct paper *p, const char *algorithm, int P, int k,
                                int64_t count, kurnosov_model model);
struct kurnosov_costs kurnosov_costs(const struct paper_case *x);

enum { KURNOSOV_P = 11, KURNOSOV_K = 4 }; /* processors and chains of its figures */

/* Its formulas: long chains first; short ones first, NAN where all are of one length; t(k) as
 * printed; the same over a k that is not whole; at the best k, which is the next; chains of 1, 2,
 * ... processors; the binomial tree. */
double kurnosov_long_first(const struct kurnosov_costs *t, int P, int k);
double kurnosov_short_first(const struct kurnosov_costs *t, int P, int k);
double kurnosov_t(const struct kurnosov_costs *t, int P, int k);
double kurnosov_smooth(const struct kurnosov_costs *t, int P, double k);
double kurnosov_best(const struct kurnosov_costs *t, int P);
double kurnosov_best_k(const struct kurnosov_costs *t, int P);
double kurnosov_adaptive(const struct kurnosov_costs *t, int P);
double kurnosov_binomial(const struct kurnosov_costs *t, int P);

/* Of figure 8, four chains of 1, 2, 3, 4. */
double kurnosov_figure_8(const struct kurnosov_costs *t);

/* Figures 1, 2, 3, 6 and 8, section 6 and the listing. */
void kurnosov_chains(struct paper *p);
/* Figure 1. */
void kurnosov_messages(struct paper *p);
void kurnosov_section_6(struct paper *p);
/* Inequalities (2) and (3) for these P and their printed k*. */
void kurnosov_inequalities(struct paper *p, const int (*printed)[2], int n);

#endif
