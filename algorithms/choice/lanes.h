/* SPDX-License-Identifier: MIT */
/* lanes_parts.c: the plan of a rank whose steps are those of several collectives, one after the other. */
#ifndef LPI_LANES_H
#define LPI_LANES_H

#include "collective/collective.h"

/*
 * A rank of a network of nodes, and its steps so far. Virtual ranks of a node begin with its first
 * rank or, on the root's node, with the root; virtual rank j < k is on lane j. A whole is count elements, or
 * n_bytes; each lane has a part of it.
 */
struct lpi_lanes {
    const struct logp_invocation *c;
    int64_t P, k;                  /* lanes */
    int64_t m, N;                  /* ranks of a node, but the last may have fewer; nodes */
    int64_t node, size, local;     /* of this rank: its node, and the place there */
    int64_t v;                     /* its virtual rank */
    int64_t root_node, root_local; /* -1, 0: no root */
    bool from_last;                /* virtual ranks begin with the last rank of a node */
    int64_t whole, share;          /* units of all; of this rank: 0 without a lane */
    size_t unit_bytes;
    struct logp_blocks blocks; /* of the next part */
    struct lpi_planned *list;
    size_t scratch_bytes;
    int rc; /* the first error: later calls do nothing */
};

/* Where a collective is run: in each node, or by each lane. */
enum lpi_lanes_group { LPI_INSIDE, LPI_LANE };

/* Fill c->plan with the steps that `make` adds. 0; -ENOMEM, -EINVAL */
int lpi_lanes_plan(int P, int rank, struct logp_invocation *c, void (*make)(struct lpi_lanes *l),
                   bool is_vector, bool is_rooted);
/* Virtual ranks begin with the last rank of each node from now on. */
void lpi_lanes_from_last(struct lpi_lanes *l);
/* Find space in scratch for `units` units; parts do not use it. */
struct logp_buffer_ref lpi_lanes_scratch(struct lpi_lanes *l, int64_t units);
void lpi_lanes_add(struct lpi_lanes *l, const struct logp_step *step);

/* Arguments of a part: a vector of `elements` elements; the bytes of `units` units; */
struct logp_args lpi_lanes_vector(const struct lpi_lanes *l, int64_t elements);
struct logp_args lpi_lanes_bytes(const struct lpi_lanes *l, int64_t units);
/* a block for each rank of a node, its share of the whole; */
struct logp_args lpi_lanes_shares(struct lpi_lanes *l, bool in_bytes);
/* a block for each node, with `units` units for each of its ranks. */
struct logp_args lpi_lanes_nodes(struct lpi_lanes *l, int64_t units, bool in_bytes);

/* Add the steps of a collective on this rank's node or lane, with these operands and result. */
void lpi_lanes_part(struct lpi_lanes *l, const struct logp_collective *what,
                    enum lpi_lanes_group group, struct logp_args args,
                    struct logp_buffer_ref operands, struct logp_buffer_ref result);

#endif
