/* SPDX-License-Identifier: MIT */
/*
 * All-to-all along the dimensions of a mesh or torus, or of a square. In each dimension in turn, a
 * rank sends one message to each other rank of its line, with all items that go through that rank.
 * So an item is sent once for each dimension in which its source and its destination differ, and a
 * rank sends as many messages as its lines have other ranks.
 *
 * Items are in an array that has the grid's dimensions. At first an item is at the place of its
 * destination; after each dimension, that coordinate is the one of its source.
 */
#include "alltoall.h"
#include "collective/allgather/allgather.h"
#include "collective/collective.h"
#include "predict/predict.h"

#include <errno.h>
#include <stdlib.h>

/* A dimension. */
struct line {
    int64_t size, stride; /* number of ranks; distance from each to the next */
    int64_t at;           /* where this rank is */
    int64_t runs;         /* stretches of `stride` items with one coordinate there */
    bool first, last;     /* of all dimensions */
    bool odd;
    bool is_ring; /* its ends are linked */
};

/* Items that go there or come from there. */
static int64_t items_of(const struct line *l)
{
    return l->runs * l->stride;
}

/* Into the half of scratch that the items are not in. */
static struct logp_buffer_ref into(const struct logp_invocation *c, int64_t P, const struct line *l)
{
    return l->last ? (struct logp_buffer_ref){LOGP_RECV_BUF, 0}
                   : lpi_item(c, LOGP_SCRATCH, l->odd ? P : 0);
}

static struct logp_buffer_ref out_of(const struct logp_invocation *c, int64_t P,
                                     const struct line *l)
{
    return l->first ? (struct logp_buffer_ref){LOGP_BUF, 0}
                    : lpi_item(c, LOGP_SCRATCH, l->odd ? 0 : P);
}

/* Items with that coordinate: `apart` in the one array, and in the other, or side by side. */
static bool copy(const struct logp_invocation *c, const struct line *l, struct logp_buffer_ref to,
                 bool to_apart, struct logp_buffer_ref from, bool from_apart, int64_t coordinate,
                 struct logp_step *out)
{
    const size_t run = (size_t)l->stride * c->args.n_bytes, apart = (size_t)l->size * run;

    to.offset += to_apart ? (size_t)coordinate * run : 0;
    from.offset += from_apart ? (size_t)coordinate * run : 0;
    logp_step_copy(out, to, from, run);
    out->n = l->runs;
    out->at_stride = to_apart ? apart : run;
    out->right_stride = from_apart ? apart : run;
    return true;
}

/*
 * 1 + 4 (size - 1) steps: keep the own items; pack and send; receive and unpack. Where the ends of
 * lines are linked, messages of one distance share no link, so a rank receives the message of a
 * distance before it sends that of the next; elsewhere all are sent first.
 */
static bool line_step(int64_t P, int64_t rank, const struct line *l,
                      const struct logp_invocation *c, int64_t i, struct logp_step *out)
{
    const struct logp_buffer_ref message = lpi_item(c, LOGP_SCRATCH, 2 * P);
    const int64_t others = l->size - 1, pair = (i - 1) / 2;
    const bool sends = l->is_ring ? pair % 2 == 0 : pair < others,
               copies = i % 2 == (sends ? 1 : 0);
    const int64_t way = l->is_ring ? pair / 2 + 1 : pair - (sends ? 0 : others) + 1;
    const int64_t peer = lpi_mod(sends ? l->at + way : l->at - way, l->size);
    const int64_t other = rank + (peer - l->at) * l->stride;

    if (i == 0)
        return copy(c, l, into(c, P, l), true, out_of(c, P, l), true, l->at, out);
    if (copies)
        return sends ? copy(c, l, message, false, out_of(c, P, l), true, peer, out)
                     : copy(c, l, into(c, P, l), true, message, false, peer, out);
    return (sends ? lpi_send_items : lpi_receive_items)(out, c, other, message, items_of(l));
}

static bool steps(int64_t P, int64_t rank, const struct logp_invocation *c, int64_t i,
                  struct logp_step *out)
{
    const struct lpi_grid grid = lpi_grid_of(P, c);
    const bool *is_ring = c->plan.state;
    int64_t stride = P;

    for (int d = 0; d < grid.dimensions; d++) {
        const int64_t size = grid.size[d], n = 1 + 4 * (size - 1);

        stride /= size;
        if (i < n) {
            const struct line l = {.size = size,
                                   .stride = stride,
                                   .at = rank / stride % size,
                                   .runs = P / (size * stride),
                                   .first = d == 0,
                                   .last = d == grid.dimensions - 1,
                                   .odd = d % 2 == 1,
                                   .is_ring = is_ring[d]};

            return line_step(P, rank, &l, c, i, out);
        }
        i -= n;
    }
    return false;
}

static int plan(int P, int rank, struct logp_invocation *c)
{
    const struct lpi_grid grid = lpi_grid_of(P, c);
    bool *is_ring = calloc(LOGP_TOPOLOGY_SIZES, sizeof(*is_ring));
    int64_t stride = P;

    (void)rank;
    if (is_ring == NULL)
        return -ENOMEM;
    for (int d = 0; c->model.topology != NULL && d < grid.dimensions; d++) {
        stride /= grid.size[d];
        is_ring[d] =
            grid.size[d] > 2 &&
            logp_topology_hops(c->model.topology, 0, (int)((grid.size[d] - 1) * stride)) == 1;
    }
    c->plan.state = is_ring;
    c->plan.scratch_bytes = lpi_bytes(3 * (size_t)P, c->args.n_bytes);
    c->plan.early = true;
    return 0;
}

static const struct logp_algorithm algorithms[] = {
    {LOGP_ALGORITHM("alltoall", "dimensions", "along the lines of each dimension in turn",
                    "this library"),
     .needs = lpi_needs_grid, .plan = plan, .steps = steps},
};

const struct lpi_rows lpi_alltoall_dimensions = LPI_ROWS(algorithms);
