/* SPDX-License-Identifier: MIT */
/*
 * pipeline.c: an item that goes down a tree in blocks, each sent on while the next is on its way;
 * and how long that takes.
 */
#ifndef LPI_BROADCAST_PIPELINE_H
#define LPI_BROADCAST_PIPELINE_H

#include "broadcast.h"

/* What a processor does: part.parent and children are the tree, part.block is bytes of a block. */
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
/* The path that begins at the root; and goes on along `count` processors of as many children: the
 * first is child `index` of the one before, each other one the first child. */
struct lpi_path lpi_pipeline_root(const struct lpi_pipeline *p, int children);
struct lpi_path lpi_pipeline_pass(const struct lpi_pipeline *p, struct lpi_path f, int index,
                                  int64_t count, int children);

/* When the last processor has received the last block, as if it went on from there; P >= 2. */
typedef __int128 lpi_pipeline_end(const struct lpi_pipeline *p);

/* In blocks of that many bytes. */
struct lpi_pipeline lpi_pipeline_of(int64_t P, const struct logp_invocation *c, int64_t block);
/* When that has processed it. */
__int128 lpi_pipeline_time(const struct lpi_pipeline *p, lpi_pipeline_end *end);
/* The knob: what is asked for, but not more than the item; else as many blocks as the time is least
 * for. */
int64_t lpi_pipeline_block(int64_t P, const struct logp_invocation *c, lpi_pipeline_end *end);

/* Of every row; block: its knob. */
#define LPI_PIPELINED(block)                                                                       \
    .steps = lpi_pipeline_steps, .run = lpi_pipeline_run,                                          \
    .knobs = {LOGP_KNOB(block_bytes, block), LOGP_KNOB(work_ns, NULL),                             \
              LOGP_KNOB(no_overlap, NULL)}

#endif
