/* SPDX-License-Identifier: MIT */
/*
 * Allreduce along two binary trees, one of the lower half of the ranks and one of the upper half.
 * The vector goes up each tree in segments; the two roots exchange their combined segments; and the
 * result goes down both trees while later segments go up.
 *
 * A tree has its ranks in postorder: a node is the last of its consecutive ranks, and those of its
 * left child come before those of its right child. So a node combines the left child's segment, the
 * right child's and its own in the order of the ranks, and the operation need not commute.
 *
 * In round j a node receives segment j of each child, and sends it up combined. Segments from above
 * are received some rounds later, so that a node does not wait for the latency of each round: see
 * rounds_of().
 * Source: Traeff, A doubly-pipelined, dual-root reduction-to-all algorithm, 2021, but for the
 * rounds in between.
 */
#include "allreduce.h"
#include "schedule/reader.h"

#include <errno.h>
#include <stdlib.h>

/* What the streams are. A root sends UP to the other root, and receives DOWN from it. */
enum kind { LEFT_UP, RIGHT_UP, UP, DOWN, BELOW };

/* plan.state */
struct dual {
    struct lpi_two_tree streams; /* first: halves.n counts the segments of the whole vector */
    bool left, right;            /* children that there are */
    bool root, lower;            /* lower: the tree of the first ranks */
    size_t slot_bytes;
};

/* ---- segments ---- */

struct choice {
    int64_t P;
    const struct logp_invocation *c;
};

/* An estimate: an inner node is busy for 3 hops with each segment, and the first segment is on
 * 2 height + 1 edges. */
static __int128 about(int64_t n, int64_t size, int64_t last, const void *arg)
{
    const struct choice *choice = arg;
    const struct lpi_hop hop = lpi_vector_hop(choice->c, size);
    const int edges = 2 * (63 - __builtin_clzll((uint64_t)choice->P)) - 1;

    (void)last;
    return (3 * (__int128)n + 2 * edges) * hop.step + edges * (__int128)hop.flight;
}

/* Elements of a segment. */
static int64_t elements(int64_t P, const struct logp_invocation *c)
{
    const int64_t count = lpi_max(c->args.count, 0), asked = lpi_elements_asked(c);

    if (asked > 0 || count == 0 || P == 1)
        return asked > 0 && asked < count ? asked : count;
    return lpi_best_part(count, about, &(struct choice){P, c});
}

static int64_t block(int64_t P, const struct logp_invocation *c)
{
    return lpi_elements_bytes(c, elements(P, c));
}

LPI_VECTOR_BLOCK(tried_block, block)

/* ---- plans ---- */

/* For how many rounds a node does something else while a message flies so often: after n rounds
 * there is nothing else. */
static int64_t rounds_of(const struct lpi_hop *hop, int64_t flights, int64_t n)
{
    const int64_t most = n < INT64_C(1) << 50 ? n : INT64_C(1) << 50;

    return hop->step > 0 && hop->flight / hop->step < most
               ? lpi_ceil_div(flights * hop->flight, 3 * hop->step)
               : most;
}

static void add(struct dual *d, enum kind kind, int64_t round, int peer)
{
    const bool late = kind == UP || kind == DOWN; /* in the second half of a round */
    const int into_root = d->lower ? 2 : 3;       /* steps */

    lpi_two_tree_add(&d->streams, (struct lpi_stream){.start = 2 * round + late,
                                                      .peer = peer,
                                                      .steps = kind < UP                 ? 2
                                                               : kind == DOWN && d->root ? into_root
                                                                                         : 1,
                                                      .sends = kind == UP || kind == BELOW,
                                                      .kind = kind});
}

/* Find the node in its tree, from the root down, then add its streams. */
static void make(struct dual *d, int P, int rank, const struct lpi_hop *hop)
{
    const int lower = P / 2;
    const int64_t n = d->streams.halves.n, ahead = rounds_of(hop, 2, n);
    int begin = rank < lower ? 0 : lower, end = rank < lower ? lower : P;
    int above = rank < lower ? P - 1 : lower - 1;
    int64_t down = rounds_of(hop, 1, n); /* the round in which the first segment comes down */

    d->lower = rank < lower;
    d->root = rank == end - 1;
    while (rank != end - 1) {
        const int middle = begin + (end - 1 - begin) / 2; /* the right child's ranks begin here */

        above = end - 1;
        if (rank < middle)
            end = middle;
        else {
            begin = middle;
            end--;
        }
        down += 1 + ahead;
    }
    d->right = end - begin > 1;
    d->left = end - begin > 2;
    if (d->right) {
        add(d, RIGHT_UP, 0, rank - 1);
        add(d, BELOW, down + 1, rank - 1);
    }
    if (d->left) {
        const int child = begin + (end - 1 - begin) / 2 - 1;

        add(d, LEFT_UP, 0, child);
        add(d, BELOW, down + 1, child);
    }
    add(d, UP, 0, above);
    add(d, DOWN, down, above);
    lpi_two_tree_end(&d->streams);
}

static int plan(int P, int rank, struct logp_invocation *c)
{
    const int rc = lpi_vector_valid(c);
    const int64_t size = elements(P, c), count = lpi_max(c->args.count, 0);
    const struct lpi_hop hop = lpi_vector_hop(c, size);
    struct dual *d;

    if (rc != 0)
        return rc;
    d = calloc(1, sizeof(*d));
    if (d == NULL)
        return -ENOMEM;
    d->streams.halves = (struct lpi_halves){count, size > 0 ? lpi_ceil_div(count, size) : 1};
    d->slot_bytes = lpi_slot_bytes((size_t)lpi_elements_bytes(c, size));
    c->plan.state = d;
    c->plan.early = true; /* two neighbours send to each other at the same time */
    c->plan.scratch_bytes = P > 1 ? lpi_bytes(4, d->slot_bytes) : 0;
    if (P > 1)
        make(d, P, rank, &hop);
    return 0;
}

/* ---- steps ---- */

/* `right` and `at` differ. */
static bool combine(const struct logp_invocation *c, struct lpi_range r, struct logp_buffer_ref at,
                    struct logp_buffer_ref left, struct logp_buffer_ref right,
                    struct logp_step *out)
{
    return logp_step_combine(out, at, left, right, r.n, lpi_combine_ns(&c->model.params, r.n));
}

static bool steps(int64_t P, int64_t rank, const struct logp_invocation *c, int64_t i,
                  struct logp_step *out)
{
    const struct dual *d = c->plan.state;
    int64_t segment, part;
    const struct lpi_stream *s = lpi_two_tree_at(&d->streams, i, &segment, &part);

    (void)rank;
    if (s == NULL)
        return P == 1 && lpi_allreduce_alone(c, i, out);

    const struct lpi_range r = lpi_range_of(c, d->streams.halves.n, segment, 1);
    const size_t bytes = lpi_vector_ref(c, LOGP_BUF, r.n).offset;
    const struct logp_buffer_ref own = lpi_vector_ref(c, LOGP_BUF, r.begin);
    const struct logp_buffer_ref result = lpi_vector_ref(c, LOGP_RECV_BUF, r.begin);
    const struct logp_buffer_ref have = d->right ? result : own; /* of the ranks up to this */
    const struct logp_buffer_ref comes = {
        LOGP_SCRATCH, (size_t)((s->kind == DOWN ? 2 : 0) + segment % 2) * d->slot_bytes};
    const bool scratch = s->kind == DOWN ? d->root : s->kind == RIGHT_UP && d->left;
    const struct logp_buffer_ref into = scratch ? comes : result;

    if (s->sends) {
        const struct logp_buffer_ref from = s->kind == UP ? have : result;

        return logp_step_send(out, s->peer, c->args.tag, from.buffer, from.offset, bytes);
    }
    if (part == 0)
        return logp_step_receive(out, s->peer, c->args.tag, into.buffer, into.offset, bytes);
    if (s->kind == RIGHT_UP)
        return combine(c, r, into, into, own, out);
    if (s->kind == LEFT_UP)
        return combine(c, r, result, result, comes, out);
    if (d->lower)
        return combine(c, r, result, have, comes, out);
    return part == 1 ? combine(c, r, comes, comes, have, out)
                     : logp_step_copy(out, result, comes, bytes);
}

LPI_READER(run, steps)

static const struct logp_algorithm algorithms[] = {
    {LOGP_ALGORITHM("allreduce", "dual-root",
                    "up and down two trees at once, in segments (--block)", "Traeff 2021"),
     .plan = plan, .steps = steps, .run = run, .same_results = true,
     .knobs = {LOGP_KNOB(block_bytes, tried_block)}},
};

const struct lpi_rows lpi_allreduce_dual_root = LPI_ROWS(algorithms);
