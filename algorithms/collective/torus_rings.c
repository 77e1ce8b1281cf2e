/* SPDX-License-Identifier: MIT */
/*
 * Rings through all ranks of a ring, torus or hypercube, from neighbour to neighbour: no two of them
 * share a link in a direction. Each has a part of the data, up or down, at the same time. They
 * are for long vectors and several ports: with a port for each ring all links are in use at once.
 *
 * A ring of n ranks has two: up and down. Two rings of m and n ranks, n divides m and m / n and n - 1
 * have no common divisor, make two rings of m n: the first goes n - 1 steps along a row and then to the
 * row after it, the second takes the other links. More dimensions are halved, and the rings of the halves
 * are paired, so 1 dimension has 2 rings, 2 or 3 have 4, and 4 to 7 have 8. Two dimensions of two
 * ranks are a ring of four.
 * Source: Bae & Bose, Edge Disjoint Hamiltonian Cycles in k-Ary n-Cubes and Hypercubes, IEEE Trans.
 * Computers 52(10), 2003.
 */
#include "allgather/allgather.h"
#include "allreduce/allreduce.h"
#include "collective/collective.h"
#include "predict/predict.h"

#include <errno.h>
#include <stdlib.h>

static const char source[] = "Bae & Bose 2003";

/* ---- rings without common links ---- */

/* A ring of n ranks along one dimension, or along two of two ranks each. */
struct factor {
    int64_t n, stride, second; /* second = 0: one dimension */
};

struct torus {
    int n; /* 0: it has no such rings */
    struct factor factor[LOGP_TOPOLOGY_SIZES];
};

static struct torus torus_of(int64_t P, const struct logp_invocation *c)
{
    const struct lpi_grid grid = lpi_linked_grid(P, c);
    int64_t stride = P, half = 0; /* half: the stride of a dimension of two without a partner */
    struct torus t = {0};

    for (int d = 0; d < grid.dimensions; d++) {
        const int64_t size = grid.size[d];

        stride /= size;
        if (size == 1)
            continue;
        if (size > 2 && logp_topology_hops(c->model.topology, 0, (int)((size - 1) * stride)) != 1)
            return (struct torus){0}; /* a line */
        if (size == 2 && half == 0) {
            half = stride;
            continue;
        }
        t.factor[t.n++] = (struct factor){size == 2 ? 4 : size, size == 2 ? half : stride,
                                          size == 2 ? stride : 0};
        half = size == 2 ? 0 : half;
    }
    return half == 0 ? t : (struct torus){0};
}

static int64_t coordinate_of(const struct factor *f, int64_t rank)
{
    const int64_t a = rank / f->stride % 2, b = f->second > 0 ? rank / f->second % 2 : 0;

    return f->second > 0 ? 2 * a + (a ^ b) : rank / f->stride % f->n;
}

/* The part of a rank that the coordinate is. */
static int64_t part_of_rank(const struct factor *f, int64_t coordinate)
{
    const int64_t a = coordinate / 2;

    return f->second > 0 ? a * f->stride + (a ^ coordinate % 2) * f->second
                         : coordinate * f->stride;
}

static int64_t modulo(int64_t a, int64_t n)
{
    return (a % n + n) % n;
}

/* Factors low .. high - 1: m and n are the ranks of their first half, and of the others. */
struct halves {
    int middle;
    int64_t m, n;
};

static struct halves halves_of(const struct torus *t, int low, int high)
{
    struct halves h = {low + (high - low + 1) / 2, 1, 1};

    for (int i = low; i < high; i++)
        *(i < h.middle ? &h.m : &h.n) *= t->factor[i].n;
    return h;
}

/* How many rings they have, each of which can be gone up and down. */
static int cycles_of(const struct torus *t, int low, int high)
{
    const struct halves h = halves_of(t, low, high);
    const int64_t large = lpi_max(h.m, h.n), small = h.m + h.n - large;
    int a, b;

    if (high - low <= 1)
        return high - low;
    a = cycles_of(t, low, h.middle);
    b = cycles_of(t, h.middle, high);
    return large % small == 0 && lpi_gcd(large / small, small - 1) == 1 ? 2 * (a < b ? a : b) : 0;
}

/* The place of a rank in a ring of the factors. */
static int64_t place_in(const struct torus *t, int low, int high, int cycle, int64_t rank)
{
    struct halves h = halves_of(t, low, high);
    int64_t row, column, d, turn;

    if (high - low == 1)
        return coordinate_of(&t->factor[low], rank);
    row = place_in(t, low, h.middle, cycle / 2, rank);
    column = place_in(t, h.middle, high, cycle / 2, rank);
    if (h.m < h.n) {
        const struct halves swapped = {h.middle, h.n, h.m};
        const int64_t other = row;

        h = swapped;
        row = column;
        column = other;
    }
    if (cycle % 2 == 0)
        return row * h.n + (row + column) % h.n;
    d = modulo(row - h.n - column * (h.n - 1), h.m);
    turn = d / h.n * lpi_inverse(h.n - 1, h.m / h.n) % (h.m / h.n);
    return (column + turn * h.n) * h.n + d % h.n;
}

/* The rank at a place of a ring of the factors, whose other coordinates are 0. */
static int64_t rank_in(const struct torus *t, int low, int high, int cycle, int64_t place)
{
    const struct halves h = halves_of(t, low, high);
    const int64_t large = lpi_max(h.m, h.n), small = h.m + h.n - large;
    const int64_t run = place / small, at = place % small;
    int64_t row = run, column = modulo(at - run, small);

    if (high - low == 1)
        return part_of_rank(&t->factor[low], place);
    if (cycle % 2 == 1) {
        row = (small + run * (small - 1) + at) % large;
        column = run % small;
    }
    return rank_in(t, low, h.middle, cycle / 2, h.m < h.n ? column : row) +
           rank_in(t, h.middle, high, cycle / 2, h.m < h.n ? row : column);
}

/* ---- all of them ---- */

/* Rings 2j and 2j + 1 are ring j up and down; --k may leave out the last. */
static int64_t most_rings(int64_t P, const struct logp_invocation *c)
{
    const struct torus t = torus_of(P, c);

    return 2 * cycles_of(&t, 0, t.n);
}

static int64_t rings_of(int64_t P, const struct logp_invocation *c)
{
    return c->args.k > 0 ? c->args.k : lpi_max(most_rings(P, c), 1);
}

/* Of few ranks each number is tried (0). */
static int64_t tried_rings(int64_t P, const struct logp_invocation *c)
{
    enum { FEW = 64 };

    return c->args.k == 0 && P <= FEW && !c->model.undelayed && most_rings(P, c) > 0
               ? 0
               : rings_of(P, c);
}

static const char *needs_rings(int64_t P, const struct logp_invocation *c)
{
    const int64_t most = most_rings(P, c);

    if (most == 0)
        return "a ring, torus or hypercube with rings that share no link (--topology)";
    return c->args.k >= 0 && c->args.k <= most
               ? NULL
               : "at most 2 rings (--k) of 1 dimension, 4 of 2 or 3, 8 of 4 to 7";
}

LPI_NEEDS_BOTH(needs_combining, lpi_needs_commutative, needs_rings)

/* plan.state: the rings as a rank sees them. */
struct ring {
    int64_t place, next, previous; /* place: of this rank, in the direction of the ring */
};

struct rings {
    struct torus torus;
    int64_t n;
    struct ring ring[];
};

static int64_t rank_at(int64_t P, const struct rings *r, int64_t q, int64_t place)
{
    place = lpi_mod(place, P);
    return rank_in(&r->torus, 0, r->torus.n, (int)q / 2, q % 2 == 0 ? place : P - 1 - place);
}

/* 0; -ENOMEM */
static int plan_rings(int64_t P, int rank, struct logp_invocation *c)
{
    const int64_t n = rings_of(P, c);
    struct rings *r = malloc(sizeof(*r) + (size_t)n * sizeof(r->ring[0]));

    if (r == NULL)
        return -ENOMEM;
    r->torus = torus_of(P, c);
    r->n = n;
    for (int64_t q = 0; q < n; q++) {
        const int64_t up = place_in(&r->torus, 0, r->torus.n, (int)q / 2, rank);
        const int64_t place = q % 2 == 0 ? up : P - 1 - up;

        r->ring[q] = (struct ring){place, rank_at(P, r, q, place + 1), rank_at(P, r, q, place - 1)};
    }
    c->plan.state = r;
    return 0;
}

/* What a step of a ring does: in each of P - 1 phases the sends of all rings come first. */
struct turn {
    int64_t q, phase;
    enum { SEND, RECEIVE, COMBINE } what;
};

/* @return false: there is no such step */
static bool turn_of(int64_t P, int64_t n, bool combines, int64_t i, struct turn *t)
{
    const int64_t each = (combines ? 3 : 2) * n;

    t->phase = i / each;
    i %= each;
    t->q = i < n ? i : combines ? (i - n) / 2 : i - n;
    t->what = i < n ? SEND : combines && (i - n) % 2 == 1 ? COMBINE : RECEIVE;
    return t->phase < P - 1;
}

/* ---- allgather ---- */

static int allgather_plan(int P, int rank, struct logp_invocation *c)
{
    return plan_rings(P, rank, c);
}

static bool allgather_steps(int64_t P, int64_t rank, const struct logp_invocation *c, int64_t i,
                            struct logp_step *out)
{
    const struct rings *r = c->plan.state;
    const int64_t n = r->n, bytes = (int64_t)c->args.n_bytes;
    struct logp_buffer_ref at;
    struct turn t;

    if (i == 0)
        return lpi_copy_items(out, c, lpi_item(c, LOGP_RECV_BUF, rank), lpi_item(c, LOGP_BUF, 0),
                              1);
    if (!turn_of(P, n, false, i - 1, &t))
        return false;

    const struct ring *ring = &r->ring[t.q];
    const int64_t begin = lpi_part_begin(bytes, n, t.q);
    const size_t part = (size_t)(lpi_part_begin(bytes, n, t.q + 1) - begin);

    at =
        lpi_item(c, LOGP_RECV_BUF, rank_at(P, r, t.q, ring->place - t.phase - (t.what == RECEIVE)));
    at.offset += (size_t)begin;
    return t.what == SEND
               ? logp_step_send(out, ring->next, c->args.tag, at.buffer, at.offset, part)
               : logp_step_receive(out, ring->previous, c->args.tag, at.buffer, at.offset, part);
}

/* ---- reduce-scatter ---- */

/* A message of a ring: of one phase, as that of the next may come before it is sent on. */
static struct logp_buffer_ref message_at(const struct logp_invocation *c, int64_t begin,
                                         int64_t phase)
{
    struct logp_buffer_ref at = lpi_vector_ref(c, LOGP_SCRATCH, begin);

    at.offset += phase % 2 == 1 ? lpi_slot_bytes(lpi_vector_bytes(c)) : 0;
    return at;
}

static int reduce_scatter_plan(int P, int rank, struct logp_invocation *c)
{
    const int rc = lpi_vector_valid(c);

    c->plan.scratch_bytes = lpi_bytes(2, lpi_slot_bytes(lpi_vector_bytes(c)));
    return rc != 0 ? rc : plan_rings(P, rank, c);
}

static bool reduce_scatter_steps(int64_t P, int64_t rank, const struct logp_invocation *c,
                                 int64_t i, struct logp_step *out)
{
    const struct rings *r = c->plan.state;
    const int64_t n = r->n;
    struct turn t;

    (void)rank;
    if (!turn_of(P, n, true, i, &t))
        return false;

    const struct ring *ring = &r->ring[t.q];
    const struct lpi_range part = lpi_range_of(c, n, t.q, 1);
    const int64_t block = rank_at(P, r, t.q, ring->place - 1 - t.phase - (t.what != SEND));
    const struct logp_buffer_ref own =
        lpi_vector_ref(c, LOGP_BUF, lpi_bound_times(block, c->args.count) + part.begin);
    const struct logp_buffer_ref before = message_at(c, part.begin, t.phase - 1),
                                 in = message_at(c, part.begin, t.phase),
                                 sent = t.phase == 0 ? own : before;
    const size_t bytes = lpi_vector_ref(c, LOGP_BUF, part.n).offset;

    if (t.what == SEND)
        return logp_step_send(out, ring->next, c->args.tag, sent.buffer, sent.offset, bytes);
    if (t.what == RECEIVE)
        return logp_step_receive(out, ring->previous, c->args.tag, in.buffer, in.offset, bytes);
    return logp_step_combine(out,
                             t.phase < P - 2 ? in : lpi_vector_ref(c, LOGP_RECV_BUF, part.begin),
                             in, own, part.n, lpi_combine_ns(&c->model.params, part.n));
}

/* ---- allreduce: parts go round once and are combined, and then once more ---- */

static bool allreduce_steps(int64_t P, int64_t rank, const struct logp_invocation *c, int64_t i,
                            struct logp_step *out)
{
    const struct rings *r = c->plan.state;
    const int64_t n = r->n, combining = 3 * n * (P - 1);
    const bool gathers = i >= combining;
    struct turn t;

    (void)rank;
    if (!turn_of(P, n, !gathers, gathers ? i - combining : i, &t))
        return false;

    const struct ring *ring = &r->ring[t.q];
    const int64_t place = ring->place - t.phase + gathers - (t.what != SEND);
    const struct lpi_range part = lpi_range_of(c, P * n, t.q * P + lpi_mod(place, P), 1);

    if (t.what == SEND)
        return lpi_send_range(out, c, ring->next,
                              t.phase == 0 && !gathers ? LOGP_BUF : LOGP_RECV_BUF, part);
    return t.what == RECEIVE ? lpi_receive_range(out, c, ring->previous, LOGP_RECV_BUF, part)
                             : lpi_combine_range(out, c, LOGP_BUF, part);
}

static int allreduce_plan(int P, int rank, struct logp_invocation *c)
{
    const int rc = lpi_vector_valid(c);

    return rc != 0 ? rc : plan_rings(P, rank, c);
}

/* ---- the rows ---- */

static const char summary[] = "rings that share no link, each with a part (--k)";

static const struct logp_algorithm allreduces[] = {
    {LOGP_ALGORITHM("allreduce", "torus-rings", summary, source), .needs = needs_combining,
     .plan = allreduce_plan, .steps = allreduce_steps, .same_results = true,
     .knobs = {LOGP_KNOB(k, tried_rings)}},
};

static const struct logp_algorithm reduce_scatters[] = {
    {LOGP_ALGORITHM("reduce-scatter", "torus-rings", summary, source), .needs = needs_combining,
     .plan = reduce_scatter_plan, .steps = reduce_scatter_steps,
     .knobs = {LOGP_KNOB(k, tried_rings)}},
};

static const struct logp_algorithm allgathers[] = {
    {LOGP_ALGORITHM("allgather", "torus-rings", summary, source), .needs = needs_rings,
     .plan = allgather_plan, .steps = allgather_steps, .knobs = {LOGP_KNOB(k, tried_rings)}},
};

const struct lpi_rows lpi_torus_rings_allreduce = LPI_ROWS(allreduces),
                      lpi_torus_rings_reduce_scatter = LPI_ROWS(reduce_scatters),
                      lpi_torus_rings_allgather = LPI_ROWS(allgathers);
