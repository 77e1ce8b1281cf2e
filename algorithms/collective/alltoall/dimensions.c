/* SPDX-License-Identifier: MIT */
/*
 * All-to-all along the dimensions of a mesh or torus, or of a square. In each dimension in turn, all
 * items come to the rank of the line through which they go. A rank sends as many messages as its
 * lines have other ranks.
 *
 * Along a line, and around a ring of three, a message goes straight to each other rank. In longer
 * rings such messages would wait for each other on links, so they go from neighbour to neighbour:
 * all items on their way up travel together, those on their way down likewise, and each rank takes
 * out its own.
 *
 * Source of rings: Thakur, Choudhary, All-to-all communication on meshes with wormhole routing, IPPS
 * 1994.
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

/* Whether ranks of the line are further apart than neighbours, and there are two ways between them. */
static bool goes_around(const struct line *l)
{
    return l->is_ring && l->size > 3;
}

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

/* ---- around a ring ---- */

enum way { UP, DOWN };

/* How many ranks a message comes to. */
static int64_t hops(const struct line *l, enum way way)
{
    return way == UP ? l->size / 2 : (l->size - 1) / 2;
}

/* The place so far on. */
static int64_t place_at(const struct line *l, enum way way, int64_t far)
{
    return lpi_mod(l->at + (way == UP ? far : -far), l->size);
}

/* A message that began `far` ranks back. Those of one way alternate between two places in scratch. */
static struct logp_buffer_ref message_at(int64_t P, const struct logp_invocation *c, enum way way,
                                         int64_t far)
{
    return lpi_item(c, LOGP_SCRATCH, (2 + 2 * (way == DOWN) + far % 2) * P);
}

/* The own message: the items for each rank that it comes to, then the send. */
static bool begin_message(int64_t P, int64_t rank, const struct line *l, enum way way,
                          const struct logp_invocation *c, int64_t i, struct logp_step *out)
{
    struct logp_buffer_ref to = message_at(P, c, way, 0);
    const int64_t n = hops(l, way);

    if (i == n)
        return lpi_send_items(out, c, rank + (place_at(l, way, 1) - l->at) * l->stride, to,
                              n * items_of(l));
    to.offset += lpi_bytes((size_t)(i * items_of(l)), c->args.n_bytes);
    return copy(c, l, to, false, out_of(c, P, l), true, place_at(l, way, i + 1), out);
}

/* Of the message from `far` ranks back: 0: receive; 1: take out the items for this rank; 2: send on. */
static bool pass_message(int64_t P, int64_t rank, const struct line *l, enum way way, int64_t far,
                         const struct logp_invocation *c, int64_t i, struct logp_step *out)
{
    struct logp_buffer_ref message = message_at(P, c, way, far);
    const int64_t left = hops(l, way) - far;

    if (i == 0)
        return lpi_receive_items(out, c, rank + (place_at(l, way, -1) - l->at) * l->stride, message,
                                 (left + 1) * items_of(l));
    if (i == 1)
        return copy(c, l, into(c, P, l), true, message, false, place_at(l, way, -far), out);
    message.offset += lpi_bytes((size_t)items_of(l), c->args.n_bytes);
    return lpi_send_items(out, c, rank + (place_at(l, way, 1) - l->at) * l->stride, message,
                          left * items_of(l));
}

/* Both begin; then, alternately, the next that comes from below and the next from above, up to the last of
 * each way, which ends here. */
static bool ring_step(int64_t P, int64_t rank, const struct line *l,
                      const struct logp_invocation *c, int64_t i, struct logp_step *out)
{
    const int64_t up = hops(l, UP), down = hops(l, DOWN);
    int64_t far, rest;

    if (i <= up)
        return begin_message(P, rank, l, UP, c, i, out);
    i -= up + 1;
    if (i <= down)
        return begin_message(P, rank, l, DOWN, c, i, out);
    i -= down + 1;
    far = i / 6 < down - 1 ? i / 6 + 1 : down;
    rest = i - 6 * (far - 1);
    if (rest < (far < up ? 3 : 2))
        return pass_message(P, rank, l, UP, far, c, rest, out);
    rest -= far < up ? 3 : 2;
    if (rest < (far < down ? 3 : 2))
        return pass_message(P, rank, l, DOWN, far, c, rest, out);
    return pass_message(P, rank, l, UP, up, c, rest - 2, out);
}

/* ---- straight to each other rank ---- */

/*
 * 1 + 4 (size - 1) steps: keep the own items; pack and send; receive and unpack. In a ring of three a
 * rank receives one message before it sends the other; elsewhere all are sent first.
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
    if (goes_around(l))
        return ring_step(P, rank, l, c, i - 1, out);
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
    bool has_ring = false;

    (void)rank;
    if (is_ring == NULL)
        return -ENOMEM;
    for (int d = 0; c->model.topology != NULL && d < grid.dimensions; d++) {
        stride /= grid.size[d];
        is_ring[d] =
            grid.size[d] > 2 &&
            logp_topology_hops(c->model.topology, 0, (int)((grid.size[d] - 1) * stride)) == 1;
        has_ring |= is_ring[d];
    }
    c->plan.state = is_ring;
    c->plan.scratch_bytes = lpi_bytes((has_ring ? 6 : 3) * (size_t)P, c->args.n_bytes);
    c->plan.early = true;
    return 0;
}

static const struct logp_algorithm algorithms[] = {
    {LOGP_ALGORITHM("alltoall", "dimensions", "along the lines of each dimension in turn",
                    "Thakur & Choudhary 1994"),
     .needs = lpi_needs_grid, .plan = plan, .steps = steps},
};

const struct lpi_rows lpi_alltoall_dimensions = LPI_ROWS(algorithms);
