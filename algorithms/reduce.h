/* SPDX-License-Identifier: MIT */
/* Reductions: what their files share, and the functions of their rows. */
#ifndef LPI_REDUCE_H
#define LPI_REDUCE_H

#include "algorithms.h"

/* reduce.c */
/* From a child's send until its vector is part of its parent's; the least time between two such. */
struct lpi_reduce_times {
    int64_t a, B;
};

struct lpi_reduce_times lpi_reduce_times(const struct logp_coll *c);
/* Of the vector of each processor. */
size_t lpi_vector_bytes(const struct logp_coll *c);
/* Give a tree's plan what lpi_reduce_steps() works with; rc: of making the tree. 0; rc, -EINVAL,
 * -ENOMEM */
int lpi_reduce_finish_plan(int rc, int rank, struct logp_coll *c);
/* T where P > 1 and there is a formula. */
struct logp_prediction lpi_reduce_ends_at(int64_t P, __int128 T, const struct logp_coll *c);
bool lpi_reduce_steps(int64_t P, int64_t rank, const struct logp_coll *c, int64_t i,
                      struct logp_step *out);
int lpi_reduce_run(struct logp_vp *vp, const struct logp_coll *c);
void lpi_reduce_sizes(int P, int rank, const struct logp_coll *c, size_t *buf, size_t *recv_buf);
void lpi_reduce_fill(int P, int rank, uint64_t seed, const struct logp_coll *c);
int lpi_reduce_check(int P, int rank, uint64_t seed, const struct logp_coll *c);
bool lpi_reduce_promise(int64_t P, int64_t rank, const struct logp_coll *c, int64_t j,
                        struct logp_promise *out);
const char *lpi_reduce_needs_commutative(int64_t P, const struct logp_coll *c);
const char *lpi_reduce_needs_order(int64_t P, const struct logp_coll *c);

/* reduce_tree.c: reductions along trees. */
const char *lpi_reduce_optimal_needs(int64_t P, const struct logp_coll *c);
int lpi_reduce_flat_plan(int P, int rank, struct logp_coll *c);
struct logp_prediction lpi_reduce_flat_predict(int64_t P, const struct logp_coll *c);
int lpi_reduce_chain_plan(int P, int rank, struct logp_coll *c);
struct logp_prediction lpi_reduce_chain_predict(int64_t P, const struct logp_coll *c);
int lpi_reduce_binary_plan(int P, int rank, struct logp_coll *c);
struct logp_prediction lpi_reduce_binary_predict(int64_t P, const struct logp_coll *c);
int lpi_reduce_binomial_plan(int P, int rank, struct logp_coll *c);
struct logp_prediction lpi_reduce_binomial_predict(int64_t P, const struct logp_coll *c);
int lpi_reduce_optimal_plan(int P, int rank, struct logp_coll *c);
struct logp_prediction lpi_reduce_optimal_predict(int64_t P, const struct logp_coll *c);
int lpi_reduce_nearest_plan(int P, int rank, struct logp_coll *c);
struct logp_prediction lpi_reduce_nearest_predict(int64_t P, const struct logp_coll *c);
const char *lpi_reduce_mesh_needs(int64_t P, const struct logp_coll *c);
int lpi_reduce_mesh_plan(int P, int rank, struct logp_coll *c);
struct logp_prediction lpi_reduce_mesh_predict(int64_t P, const struct logp_coll *c);

/* kchain.c: reductions along k chains. */
const char *lpi_reduce_kchain_needs(int64_t P, const struct logp_coll *c);
int64_t lpi_reduce_kchain_k(int64_t P, const struct logp_coll *c);
int64_t lpi_reduce_kchain_opt_k(int64_t P, const struct logp_coll *c);
int64_t lpi_reduce_kchain_adaptive_k(int64_t P, const struct logp_coll *c);
int lpi_reduce_kchain_plan(int P, int rank, struct logp_coll *c);
struct logp_prediction lpi_reduce_kchain_predict(int64_t P, const struct logp_coll *c);
int lpi_reduce_kchain_opt_plan(int P, int rank, struct logp_coll *c);
struct logp_prediction lpi_reduce_kchain_opt_predict(int64_t P, const struct logp_coll *c);
int lpi_reduce_kchain_short_first_plan(int P, int rank, struct logp_coll *c);
struct logp_prediction lpi_reduce_kchain_short_first_predict(int64_t P, const struct logp_coll *c);
int lpi_reduce_kchain_adaptive_plan(int P, int rank, struct logp_coll *c);
struct logp_prediction lpi_reduce_kchain_adaptive_predict(int64_t P, const struct logp_coll *c);
int lpi_reduce_kchain_adaptive_sorted_plan(int P, int rank, struct logp_coll *c);
struct logp_prediction lpi_reduce_kchain_adaptive_sorted_predict(int64_t P,
                                                                 const struct logp_coll *c);

#endif
