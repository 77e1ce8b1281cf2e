/* SPDX-License-Identifier: MIT */
/* All-to-alls: what their files share. */
#ifndef LPI_ALLTOALL_H
#define LPI_ALLTOALL_H

#include "collective/collective.h"

/* alltoall.c: what goes from or to a rank: where it is in its buffer, and how large it is. */
struct lpi_alltoall_item {
    size_t at, n_bytes;
};

struct lpi_alltoall_item lpi_alltoall_item_for(int64_t P, int64_t rank, int64_t to,
                                               const struct logp_invocation *c);
struct lpi_alltoall_item lpi_alltoall_item_from(int64_t P, int64_t rank, int64_t from,
                                                const struct logp_invocation *c);

/* alltoall.c: all sends in turn, then all receives */
struct logp_prediction lpi_alltoall_linear(int64_t P, const struct logp_invocation *c);

/* windowed.c, dimensions.c, tuna.c: their rows */
extern const struct lpi_rows lpi_alltoall_windows, lpi_alltoall_dimensions, lpi_alltoall_tuna;

#endif
