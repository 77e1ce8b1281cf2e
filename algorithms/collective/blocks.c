/* SPDX-License-Identifier: MIT */
/* How far blocks reach: see blocks.h. */
#include "collective/collective.h"

size_t lpi_blocks_extent(const struct logp_blocks *b, int64_t first, int64_t n)
{
    size_t extent = 0;

    if (b->displs == NULL)
        return lpi_blocks_size(b, first, n);
    for (int64_t i = first; i < first + n; i++) {
        const size_t end = b->displs[i % b->n] + lpi_blocks_size(b, i, 1);

        extent = end > extent ? end : extent;
    }
    return extent;
}

size_t lpi_items_extent(int64_t P, const struct logp_invocation *c)
{
    return lpi_items_apart(c) ? lpi_blocks_extent(c->args.blocks, 0, P) : lpi_items(c, 0, P);
}
