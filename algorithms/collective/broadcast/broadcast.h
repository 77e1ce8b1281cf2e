/* SPDX-License-Identifier: MIT */
/* Broadcasts: what their files share. */
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
/* Whether the topology is this torus (or has sides of two), so that all messages go to a neighbour;
 * then a link passes those of one processor to one other. */
bool lpi_torus_on_own_links(int64_t P, const struct logp_invocation *c);

/* torus.c, torus_pipelined.c, scatter_allgather.c, pipelined.c, two_tree.c,
 * split_binary.c, circulant.c, k_item.c, corrected.c, ../matched.c: their rows */
extern const struct lpi_rows lpi_torus, lpi_torus_pipelined, lpi_broadcast_parts,
    lpi_broadcast_pipelined, lpi_broadcast_two_tree, lpi_broadcast_split, lpi_broadcast_circulant,
    lpi_broadcast_k_item, lpi_broadcast_corrected, lpi_broadcast_matched;

/*
 * ---- pipeline.c ----
 * An item that goes down a tree in blocks, each sent on while the next is on its way; and how long
 * that takes.
 */

/* Steps of a processor: plan.parent and children are the tree, plan.block is bytes of a block. */
bool lpi_pipeline_steps(int64_t P, int64_t rank, const struct logp_invocation *c, int64_t i,
                        struct logp_step *out);
int lpi_pipeline_run(struct logp_vp *vp, const struct logp_invocation *c, void *buf,
                     void *recv_buf);

/* What a block of one size takes. */
struct lpi_pipeline_block {
    struct lpi_times t;
    int64_t gap, work;
};

/* All blocks but the last are of one size. */
struct lpi_pipeline {
    const struct logp_invocation *c;
    int64_t P, blocks;
    struct lpi_pipeline_block one, end; /* a whole block; the last, which is not larger */
    bool even;                          /* they are of one size */
};

/* Where the blocks are on a path: when its last processor so far can send them on. */
struct lpi_path {
    __int128 latency; /* the first block */
    __int128 steady;  /* of the processors so far, the longest for all blocks but two */
    __int128 end;     /* the last block */
};

/* The least time between the starts of two blocks at a processor other than the root, the second
 * having this gap; at the root. */
__int128 lpi_pipeline_period(const struct lpi_pipeline *p, int children, int64_t gap);
__int128 lpi_pipeline_root_period(const struct lpi_pipeline *p, int children);
/* The path that begins at the root; and the continuation of f along `count` processors with
 * `children` children each: the first is child `index` of the one before, each other one the first
 * child. */
struct lpi_path lpi_pipeline_root(const struct lpi_pipeline *p, int children);
struct lpi_path lpi_pipeline_pass(const struct lpi_pipeline *p, struct lpi_path f, int index,
                                  int64_t count, int children);

/* Return when the last processor has received the last block and could send it on; P >= 2. */
typedef __int128 lpi_pipeline_end(const struct lpi_pipeline *p);

/* A pipeline with blocks of that many bytes. */
struct lpi_pipeline lpi_pipeline_of(int64_t P, const struct logp_invocation *c, int64_t block);
/* Return when the last processor has processed the last block. */
__int128 lpi_pipeline_time(const struct lpi_pipeline *p, lpi_pipeline_end *end);
/* Return the block size in bytes: as requested, but at most the item; by default the one with the
 * least time. */
int64_t lpi_pipeline_block(int64_t P, const struct logp_invocation *c, lpi_pipeline_end *end);

/* Fields of every row; block: the function that returns the block size. */
#define LPI_PIPELINED(block)                                                                       \
    .steps = lpi_pipeline_steps, .run = lpi_pipeline_run,                                          \
    .knobs = {LOGP_KNOB(block_bytes, block), LOGP_KNOB(work_ns, NULL),                             \
              LOGP_KNOB(no_overlap, NULL)}

#endif
