/* SPDX-License-Identifier: MIT */
/* Summations: what their files share, and the functions of their rows; see <logp/summation.h>. */
#ifndef LPI_SUMMATION_INTERNAL_H
#define LPI_SUMMATION_INTERNAL_H

#include "algorithms.h"

#include <logp/summation.h>

/* summation.c */
const char *lpi_summation_needs(int64_t P, const struct logp_coll *c);
int lpi_summation_flat_plan(int P, int rank, struct logp_coll *c);
int lpi_summation_binomial_plan(int P, int rank, struct logp_coll *c);
int lpi_summation_optimal_paper_plan(int P, int rank, struct logp_coll *c);
int lpi_summation_optimal_plan(int P, int rank, struct logp_coll *c);
struct logp_prediction lpi_summation_flat_predict(int64_t P, const struct logp_coll *c);
struct logp_prediction lpi_summation_binomial_predict(int64_t P, const struct logp_coll *c);
struct logp_prediction lpi_summation_optimal_paper_predict(int64_t P, const struct logp_coll *c);
struct logp_prediction lpi_summation_optimal_predict(int64_t P, const struct logp_coll *c);
bool lpi_summation_steps(int64_t P, int64_t rank, const struct logp_coll *c, int64_t i,
                         struct logp_step *out);
int lpi_summation_run(struct logp_vp *vp, const struct logp_coll *c);

/* summation_operands.c: how they are spread over ids, which are relative to the root. */
struct lpi_spread {
    int64_t processors;         /* ids below take part */
    int64_t N;                  /* evenly, the first ones with one more; */
    bool along_tree;            /* or */
    struct logp_summation tree; /* as it says */
};

/* How many this one has. */
int64_t lpi_operands_of(const struct lpi_spread *spread, int64_t id);
/* These take a planned c, whose plan.state begins with the spread. */
void lpi_summation_sizes(int P, int rank, const struct logp_coll *c, size_t *buf, size_t *recv_buf);
void lpi_summation_fill(int P, int rank, uint64_t seed, const struct logp_coll *c);
int lpi_summation_check(int P, int rank, uint64_t seed, const struct logp_coll *c);
bool lpi_summation_promise(int64_t P, int64_t rank, const struct logp_coll *c, int64_t j,
                           struct logp_promise *out);

#endif
