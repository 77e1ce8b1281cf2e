/* SPDX-License-Identifier: MIT */
/* Allgathers: what their files share. */
#ifndef LPI_ALLGATHER_H
#define LPI_ALLGATHER_H

#include "collective/collective.h"

#include <logp/algorithm.h>

/* Item `at` of a buffer. */
static inline struct logp_buffer_ref lpi_item(const struct logp_invocation *c,
                                              enum logp_buffer buffer, int64_t at)
{
    return (struct logp_buffer_ref){buffer, (size_t)at * c->args.n_bytes};
}

static inline bool lpi_copy_items(struct logp_step *out, const struct logp_invocation *c,
                                  struct logp_buffer_ref at, struct logp_buffer_ref from, int64_t n)
{
    return logp_step_copy(out, at, from, (size_t)n * c->args.n_bytes);
}

static inline bool lpi_send_items(struct logp_step *out, const struct logp_invocation *c,
                                  int64_t to, struct logp_buffer_ref at, int64_t n)
{
    return logp_step_send(out, to, c->args.tag, at.buffer, at.offset, (size_t)n * c->args.n_bytes);
}

static inline bool lpi_receive_items(struct logp_step *out, const struct logp_invocation *c,
                                     int64_t from, struct logp_buffer_ref at, int64_t n)
{
    return logp_step_receive(out, from, c->args.tag, at.buffer, at.offset,
                             (size_t)n * c->args.n_bytes);
}

/* send_to_all.c, circulant.c: their rows */
extern const struct lpi_rows lpi_allgather_trees, lpi_allgather_circulant;

#endif
