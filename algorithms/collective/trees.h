/* SPDX-License-Identifier: MIT */
/* The trees and grids that collectives go along, as what one rank does: its part. */
#ifndef LPI_TREES_H
#define LPI_TREES_H

#include "predict/predict.h"

#include <logp/algorithm.h>
#include <logp/delay.h>
#include <logp/paper.h>

static inline const char *lpi_needs_square(int64_t P, const struct logp_invocation *c)
{
    (void)c;
    return lpi_side(P) * lpi_side(P) == P ? NULL : "a square number of processors";
}

/* Processors as a grid, ranks along the last dimension first. */
struct lpi_grid {
    int dimensions; /* 0: P is no such number */
    int64_t size[LOGP_TOPOLOGY_SIZES];
};

/* grid.c */
/* The sizes of the topology where that is a mesh or torus; else a square. */
struct lpi_grid lpi_grid_of(int64_t P, const struct logp_invocation *c);
const char *lpi_needs_grid(int64_t P, const struct logp_invocation *c);

/* shapes.c: collectives along trees. */
struct lpi_tree_shape {
    /* Parent of virtual rank v > 0, and its k-th child in the order of sending, -1: no more. */
    int (*parent)(int P, int v, const void *shape);
    int (*child)(int P, int v, int k, const void *shape);
    const void *shape;
};

/* Fill c->plan from a shape in virtual ranks; to_rank relabels them, NULL: lpi_rotate(). 0;
 * -ENOMEM */
int lpi_plan_tree(int P, int v, const struct lpi_tree_shape *shape,
                  int (*to_rank)(int v, int root, int P, const void *shape),
                  struct logp_invocation *c);
/* The usual relabelling, v = (rank - root) mod P, and its inverse. */
int lpi_rotate(int v, int root, int P);
int lpi_virtual_rank(int rank, int root, int P);
/* A reduction receives from its children in the order opposite to the broadcast's. */
void lpi_reverse_children(struct logp_rank_plan *plan);
/* Children are in the order in which a broadcast sends to them. 0; -ENOMEM */
int lpi_plan_flat(int P, int rank, struct logp_invocation *c);
int lpi_plan_chain(int P, int rank, struct logp_invocation *c);
int lpi_plan_binary(int P, int rank, struct logp_invocation *c);
int lpi_plan_binomial(int P, int rank, struct logp_invocation *c);
int lpi_plan_nearest(int P, int rank, struct logp_invocation *c); /* binomial, the nearest first */
int lpi_plan_mesh(int P, int rank, struct logp_invocation *c);
int lpi_plan_optimal(const struct logp_tree *tree, int rank, struct logp_invocation *c);

#endif
