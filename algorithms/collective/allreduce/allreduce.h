/* SPDX-License-Identifier: MIT */
/* Allreduces: what their files share. */
#ifndef LPI_ALLREDUCE_H
#define LPI_ALLREDUCE_H

#include "collective/collective.h"

#include <logp/algorithm.h>

/* Elements [begin, begin + n) of a vector. */
struct lpi_range {
    int64_t begin, n;
};

static inline struct logp_buffer_ref lpi_vector_ref(const struct logp_invocation *c,
                                                    enum logp_buffer buffer, int64_t element)
{
    const size_t size = c->args.op != NULL ? c->args.op->element_bytes : 8;

    return (struct logp_buffer_ref){buffer, (size_t)element * size};
}

static inline bool lpi_send_range(struct logp_step *out, const struct logp_invocation *c,
                                  int64_t to, enum logp_buffer from, struct lpi_range r)
{
    return logp_step_send(out, to, c->args.tag, from, lpi_vector_ref(c, from, r.begin).offset,
                          lpi_vector_ref(c, from, r.n).offset);
}

static inline bool lpi_receive_range(struct logp_step *out, const struct logp_invocation *c,
                                     int64_t from, enum logp_buffer into, struct lpi_range r)
{
    return logp_step_receive(out, from, c->args.tag, into, lpi_vector_ref(c, into, r.begin).offset,
                             lpi_vector_ref(c, into, r.n).offset);
}

/* Into recv_buf, from there and another. */
static inline bool lpi_combine_range(struct logp_step *out, const struct logp_invocation *c,
                                     enum logp_buffer other, struct lpi_range r)
{
    const struct logp_buffer_ref at = lpi_vector_ref(c, LOGP_RECV_BUF, r.begin);

    return logp_step_combine(out, at, at, lpi_vector_ref(c, other, r.begin), r.n,
                             lpi_combine_ns(&c->model.params, r.n));
}

/* Of n parts those from i on, `parts` of them. */
static inline struct lpi_range lpi_range_of(const struct logp_invocation *c, int64_t n, int64_t i,
                                            int64_t parts)
{
    const int64_t begin = lpi_part_begin(c->args.count, n, i);

    return (struct lpi_range){begin, lpi_part_begin(c->args.count, n, i + parts) - begin};
}

/* One processor has nothing to combine. */
static inline bool lpi_allreduce_alone(const struct logp_invocation *c, int64_t i,
                                       struct logp_step *out)
{
    return i == 0 && logp_step_copy(out, (struct logp_buffer_ref){LOGP_RECV_BUF, 0},
                                    (struct logp_buffer_ref){LOGP_BUF, 0}, lpi_vector_bytes(c));
}

/* allreduce.c: of a pair (collective.h), the first hands over its vector and gets the result. */
bool lpi_first_of_pair(int64_t rank, const struct logp_invocation *c, int64_t i,
                       struct logp_step *out);
/* The second combines that vector with its own before the rounds, in two steps; the result is in
 * `into`. */
bool lpi_second_of_pair(int64_t rank, const struct logp_invocation *c, enum logp_buffer into,
                        int64_t i, struct logp_step *out);

/* halving.c, segmented.c, exchange.c, circulant_parts.c, grouped.c, dual_root.c, rings.c,
 * ../two_tree_scan.c: their rows */
extern const struct lpi_rows lpi_allreduce_windows, lpi_allreduce_halvings, lpi_allreduce_segmented,
    lpi_allreduce_exchanges, lpi_allreduce_circulant, lpi_allreduce_grouped, lpi_allreduce_two_tree,
    lpi_allreduce_dual_root, lpi_allreduce_rings;

#endif
