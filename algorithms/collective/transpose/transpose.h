/* SPDX-License-Identifier: MIT */
/* Transposes: what their files share. */
#ifndef LPI_TRANSPOSE_H
#define LPI_TRANSPOSE_H

#include "collective/collective.h"

/*
 * transpose.c: the part of the matrix that each rank has, and the messages.
 *
 * A block is what a processor sends to another at a time: columns of blocks, in at most two groups
 * of messages of one size each. Its bytes lie one after another in memory.
 */
struct lpi_messages {
    int64_t n; /* messages, >= 1 */
    size_t n_bytes;
};

struct lpi_block {
    int64_t pack_ns;
    int n_groups; /* 0: nothing to send */
    struct lpi_messages groups[2];
};

/* The size of block i of n >= 1 of `total` columns or rows, balanced. */
int64_t lpi_transpose_size(int64_t total, int64_t n, int64_t i);
/* `columns` columns for each of n destinations from rank `first`. */
struct lpi_block lpi_transpose_block(int64_t P, const struct logp_invocation *c, int64_t first,
                                     int64_t n, int64_t columns);
const char *lpi_transpose_needs(int64_t P, const struct logp_invocation *c);

/* Parameters of all rows, and those of one row. */
#define LPI_TRANSPOSE_KNOBS(...) .knobs = {LOGP_KNOB(pack_ns, NULL), __VA_ARGS__}

/* The times of blocks, for predictions. */
struct lpi_messages_time {
    int64_t n, send_gap, recv_gap; /* from the start of one message to that of the next */
    int64_t wire;                  /* from the end of a send to the arrival */
};

struct lpi_block_time {
    int64_t pack_ns;
    int n_groups;
    struct lpi_messages_time groups[2];
};

/* When a processor is free, its gap after a send is over, and its last receive started. */
struct lpi_moment {
    __int128 free, send_next, recv_start;
};

extern const struct lpi_moment lpi_transpose_start;
struct lpi_block_time lpi_transpose_time(const struct logp_params *p,
                                         const struct lpi_block *block);
/* @return the start of the first message */
__int128 lpi_transpose_sent(const struct logp_params *p, struct lpi_moment *m,
                            const struct lpi_block_time *t);
/* start: of the first message, at its sender. */
void lpi_transpose_received(const struct logp_params *p, struct lpi_moment *m,
                            const struct lpi_block_time *t, __int128 start);
/* Whether all blocks take as long as the largest one. */
bool lpi_transpose_alike(int64_t P, const struct logp_invocation *c);
/* Beyond this many processors unequal blocks have only a bound. */
enum { LPI_TRANSPOSE_EXACT = 256 };

/* ring.c: all blocks alike, each sent once and the sends W - 1 ahead of the receives; P >= 2. */
__int128 lpi_window_time(int64_t P, const struct logp_params *p, const struct lpi_block_time *t,
                         int64_t W);
/* Return the window: as requested, or the best. */
int64_t lpi_window(int64_t P, const struct logp_invocation *c, const struct lpi_block_time *t);

/* ring.c, butterfly.c, census.c: their rows */
extern const struct lpi_rows lpi_transpose_rings, lpi_transpose_butterflies, lpi_transpose_census,
    lpi_transpose_overlap;

#endif
