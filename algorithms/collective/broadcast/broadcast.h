/* SPDX-License-Identifier: MIT */
/* Broadcasts: what broadcast.c and the torus files share. */
#ifndef LPI_BROADCAST_H
#define LPI_BROADCAST_H

#include "collective/collective.h"

/* Of the item, as far as they can be counted. */
static inline int64_t lpi_item_bytes(const struct logp_invocation *c)
{
    return c->args.n_bytes < INT64_MAX ? (int64_t)c->args.n_bytes : INT64_MAX;
}

/* broadcast.c: what a processor does along a tree. part.children are in the order of sending. */
bool lpi_broadcast_steps(int64_t P, int64_t rank, const struct logp_invocation *c, int64_t i,
                         struct logp_step *out);
int lpi_broadcast_run(struct logp_vp *vp, const struct logp_invocation *c, void *buf,
                      void *recv_buf);

/* Of every row of a tree in which the item travels whole. */
#define LPI_BROADCAST                                                                              \
    .steps = lpi_broadcast_steps, .run = lpi_broadcast_run, .along = LOGP_FROM_ROOT,               \
    .knobs = {LOGP_KNOB(work_ns, NULL)}

/* torus.c: the routing */
/* How far it goes in a row or column of n: one way (0: right, down) or the other. */
int64_t lpi_torus_steps(int64_t n, int way);
const char *lpi_torus_needs(int64_t P, const struct logp_invocation *c);
int lpi_plan_torus(int P, int rank, struct logp_invocation *c);
/* Is the topology this torus (or has sides of two), so that all messages go to a neighbour? Then a
 * link passes those of one processor to one other. */
bool lpi_torus_on_own_links(int64_t P, const struct logp_invocation *c);

/* torus.c, torus_pipelined.c, scatter_allgather.c, pipelined.c, two_tree.c,
 * split_binary.c, circulant.c, k_item.c: their rows */
extern const struct lpi_rows lpi_torus, lpi_torus_pipelined, lpi_broadcast_parts,
    lpi_broadcast_pipelined, lpi_broadcast_two_tree, lpi_broadcast_split, lpi_broadcast_circulant,
    lpi_broadcast_k_item;

#endif
