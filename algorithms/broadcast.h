/* SPDX-License-Identifier: MIT */
/* Broadcasts: what broadcast.c and the torus files share, and the functions of their rows. */
#ifndef LPI_BROADCAST_H
#define LPI_BROADCAST_H

#include "algorithms.h"

/* broadcast.c: what a processor does along a tree. plan.children are in the order of sending. */
bool lpi_broadcast_steps(int64_t P, int64_t rank, const struct logp_coll *c, int64_t i,
                         struct logp_step *out);
int lpi_broadcast_run(struct logp_vp *vp, const struct logp_coll *c);
void lpi_broadcast_sizes(int P, int rank, const struct logp_coll *c, size_t *buf, size_t *recv_buf);
void lpi_broadcast_fill(int P, int rank, uint64_t seed, const struct logp_coll *c);
int lpi_broadcast_check(int P, int rank, uint64_t seed, const struct logp_coll *c);
size_t lpi_broadcast_given(int64_t P, int64_t rank, const struct logp_coll *c);
bool lpi_broadcast_promise(int64_t P, int64_t rank, const struct logp_coll *c, int64_t j,
                           struct logp_promise *out);

struct logp_prediction lpi_broadcast_flat_predict(int64_t P, const struct logp_coll *c);
struct logp_prediction lpi_broadcast_chain_predict(int64_t P, const struct logp_coll *c);
struct logp_prediction lpi_broadcast_binary_predict(int64_t P, const struct logp_coll *c);
struct logp_prediction lpi_broadcast_binomial_predict(int64_t P, const struct logp_coll *c);
struct logp_prediction lpi_broadcast_nearest_predict(int64_t P, const struct logp_coll *c);
struct logp_prediction lpi_broadcast_mesh_predict(int64_t P, const struct logp_coll *c);
int lpi_broadcast_optimal_plan(int P, int rank, struct logp_coll *c);
struct logp_prediction lpi_broadcast_optimal_predict(int64_t P, const struct logp_coll *c);

/* torus.c, torus_pipelined.c: broadcast on a torus */
/* How far it goes in a row or column of n: one way (0: right, down) or the other. */
int64_t lpi_torus_steps(int64_t n, int way);
const char *lpi_torus_needs(int64_t P, const struct logp_coll *c);
int lpi_plan_torus(int P, int rank, struct logp_coll *c);
struct logp_prediction lpi_broadcast_torus_predict(int64_t P, const struct logp_coll *c);
/* Is this a torus algorithm, and c->topology, which has P processors, its torus? Then *p is its
 * prediction there. */
bool lpi_torus_on_links(const struct logp_algorithm *algorithm, int64_t P,
                        const struct logp_coll *c, struct logp_prediction *p);
int64_t lpi_broadcast_torus_pipelined_block(int64_t P, const struct logp_coll *c);
int lpi_broadcast_torus_pipelined_plan(int P, int rank, struct logp_coll *c);
bool lpi_broadcast_torus_pipelined_steps(int64_t P, int64_t rank, const struct logp_coll *c,
                                         int64_t i, struct logp_step *out);
int lpi_broadcast_torus_pipelined_run(struct logp_vp *vp, const struct logp_coll *c);
struct logp_prediction lpi_broadcast_torus_pipelined_predict(int64_t P, const struct logp_coll *c);
struct logp_prediction lpi_broadcast_torus_pipelined_on_links(int64_t P, const struct logp_coll *c);

#endif
