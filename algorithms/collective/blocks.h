/* SPDX-License-Identifier: MIT */
/*
 * Blocks that are all alike, n_bytes, or as logp_args.blocks says; of P of them block P + i is
 * block i again, so a range may go round.
 */
#ifndef LPI_BLOCKS_H
#define LPI_BLOCKS_H

#include "collective.h"

/* All blocks below i. */
static inline size_t lpi_before(const struct logp_blocks *b, int64_t i)
{
    return i <= b->n ? b->before[i] : (size_t)(i / b->n) * b->before[b->n] + b->before[i % b->n];
}

/* n blocks from `first` on. */
static inline size_t lpi_blocks_size(const struct logp_blocks *b, int64_t first, int64_t n)
{
    return lpi_before(b, first + n) - lpi_before(b, first);
}

/* Items for or from n ranks, from `first` on, in bytes. */
static inline size_t lpi_items(const struct logp_invocation *c, int64_t first, int64_t n)
{
    return c->args.blocks != NULL ? lpi_blocks_size(c->args.blocks, first, n)
                                  : lpi_bytes((size_t)n, c->args.n_bytes);
}

/* Are they not one after the other in the buffer of who has all? */
static inline bool lpi_items_apart(const struct logp_invocation *c)
{
    return c->args.blocks != NULL && c->args.blocks->displs != NULL;
}

/* Where item i, 0 .. P-1, is there. */
static inline size_t lpi_item_at(const struct logp_invocation *c, int64_t i)
{
    return lpi_items_apart(c) ? c->args.blocks->displs[i] : lpi_items(c, 0, i);
}

/* blocks.c */
/* Bytes of the buffer that has all P items; saturating. */
size_t lpi_items_extent(int64_t P, const struct logp_invocation *c);
/* Bytes up to the end of the last of n blocks from `first` on. */
size_t lpi_blocks_extent(const struct logp_blocks *b, int64_t first, int64_t n);

#endif
