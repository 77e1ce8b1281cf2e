/* SPDX-License-Identifier: MIT */
/* Reductions: what their files share. */
#ifndef LPI_REDUCE_H
#define LPI_REDUCE_H

#include "collective/collective.h"

/* steps.c */
/* From a child's send until its vector is part of its parent's; the least time between two such. */
struct lpi_reduce_times {
    int64_t a, B;
};

struct lpi_reduce_times lpi_reduce_times(const struct logp_invocation *c);
/* Give the part of a tree what lpi_reduce_steps() works with; rc: of making the tree. 0; rc,
 * -EINVAL, -ENOMEM */
int lpi_reduce_finish_plan(int rc, int rank, struct logp_invocation *c);
/* The same for the plan of a broadcast, backwards. */
int lpi_reduce_backwards(int rc, int rank, struct logp_invocation *c);
/* T where P > 1 and there is a formula. */
struct logp_prediction lpi_reduce_ends_at(int64_t P, __int128 T, const struct logp_invocation *c);
bool lpi_reduce_steps(int64_t P, int64_t rank, const struct logp_invocation *c, int64_t i,
                      struct logp_step *out);
int lpi_reduce_run(struct logp_vp *vp, const struct logp_invocation *c, void *buf, void *recv_buf);
int64_t lpi_reduce_textbook(int64_t P, const struct logp_invocation *c);
const char *lpi_reduce_needs_order(int64_t P, const struct logp_invocation *c);

/* Of every row. */
#define LPI_REDUCE .steps = lpi_reduce_steps, .run = lpi_reduce_run, .along = LOGP_TO_ROOT

/* along_trees.c: the binary tree in heap order; how many nodes are left of the root, P >= 2; when the root
 * has all. */
int64_t lpi_reduce_binary_left(int64_t P);
__int128 lpi_reduce_binary_time(int64_t P, const struct lpi_reduce_times *t);

/* along_trees.c, kchain.c, pipelined.c, two_tree.c, rabenseifner.c, circulant_backwards.c, k_item_backwards.c,
 * ../matched.c: their rows */
extern const struct lpi_rows lpi_reduce_trees, lpi_reduce_chains, lpi_reduce_doublings,
    lpi_reduce_pipelined, lpi_reduce_two_tree, lpi_reduce_rabenseifner, lpi_reduce_circulant,
    lpi_reduce_knomial, lpi_reduce_matched, lpi_reduce_k_item;

#endif
