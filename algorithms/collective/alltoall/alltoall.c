/* SPDX-License-Identifier: MIT */
/* All-to-all: a different item from each processor to each. */
#include "alltoall.h"
#include "collective/collective.h"
#include "predict/predict.h"
#include "schedule/reader.h"

#include <errno.h>
#include <stdlib.h>

static struct lpi_alltoall_item item_of(int64_t P, int64_t rank, int64_t other,
                                        const struct logp_invocation *c,
                                        const struct logp_blocks *b)
{
    const int64_t i = rank * P + other;

    if (b == NULL)
        return (struct lpi_alltoall_item){(size_t)other * c->args.n_bytes, c->args.n_bytes};
    return (struct lpi_alltoall_item){b->displs != NULL ? b->displs[i % b->n]
                                                        : lpi_blocks_size(b, rank * P, other),
                                      lpi_blocks_size(b, i, 1)};
}

struct lpi_alltoall_item lpi_alltoall_item_for(int64_t P, int64_t rank, int64_t to,
                                               const struct logp_invocation *c)
{
    return item_of(P, rank, to, c, c->args.blocks);
}

struct lpi_alltoall_item lpi_alltoall_item_from(int64_t P, int64_t rank, int64_t from,
                                                const struct logp_invocation *c)
{
    return item_of(P, rank, from, c, c->args.recv_blocks);
}

static void sizes(int P, int rank, const struct logp_invocation *c, size_t *buf, size_t *recv_buf)
{
    *buf = *recv_buf = lpi_bytes((size_t)P, c->args.n_bytes);
    if (c->args.blocks == NULL)
        return;
    *buf = lpi_blocks_extent(c->args.blocks, (int64_t)rank * P, P);
    *recv_buf = lpi_blocks_extent(c->args.recv_blocks, (int64_t)rank * P, P);
}

/* Item j is that of rank j for this one. */
static bool postcondition(int64_t P, int64_t rank, const struct logp_invocation *c, int64_t j,
                          struct logp_postcondition *out)
{
    struct lpi_alltoall_item x;

    if (j >= P)
        return false;
    x = lpi_alltoall_item_from(P, rank, j, c);
    out->at = (struct logp_buffer_ref){LOGP_RECV_BUF, x.at};
    out->n_bytes = x.n_bytes;
    out->from = j;
    out->offset = lpi_alltoall_item_for(P, j, rank, c).at;
    return true;
}

static bool in_place(int64_t P, int64_t rank, const struct logp_invocation *c,
                     struct logp_buffer_ref *at)
{
    (void)P, (void)rank, (void)c, (void)at;
    return true;
}

/* The steps of a rank with one other. Where blocks differ, one of no bytes is not sent. */

static bool nothing(const struct logp_invocation *c, struct lpi_alltoall_item x,
                    struct logp_step *out)
{
    return c->args.blocks != NULL && x.n_bytes == 0 &&
           logp_step_copy(out, (struct logp_buffer_ref){LOGP_RECV_BUF, 0},
                          (struct logp_buffer_ref){LOGP_RECV_BUF, 0}, 0);
}

static bool copy_own(int64_t P, int64_t rank, const struct logp_invocation *c,
                     struct logp_step *out)
{
    const struct lpi_alltoall_item x = lpi_alltoall_item_for(P, rank, rank, c);

    return logp_step_copy(
        out, (struct logp_buffer_ref){LOGP_RECV_BUF, lpi_alltoall_item_from(P, rank, rank, c).at},
        (struct logp_buffer_ref){LOGP_BUF, x.at}, x.n_bytes);
}

static bool send_item(int64_t P, int64_t rank, int64_t to, const struct logp_invocation *c,
                      struct logp_step *out)
{
    const struct lpi_alltoall_item x = lpi_alltoall_item_for(P, rank, to, c);

    return nothing(c, x, out) || logp_step_send(out, to, c->args.tag, LOGP_BUF, x.at, x.n_bytes);
}

static bool receive_item(int64_t P, int64_t rank, int64_t from, const struct logp_invocation *c,
                         struct logp_step *out)
{
    const struct lpi_alltoall_item x = lpi_alltoall_item_from(P, rank, from, c);

    return nothing(c, x, out) ||
           logp_step_receive(out, from, c->args.tag, LOGP_RECV_BUF, x.at, x.n_bytes);
}

static int64_t bound(int64_t P, const struct logp_invocation *c)
{
    const int64_t bytes = lpi_bound_bytes(c->args.n_bytes);
    const struct lpi_need need = {.from = lpi_ranks_all(P),
                                  .to = lpi_ranks_all(P),
                                  .bytes = bytes,
                                  .each_from = true,
                                  .each_to = true};

    return lpi_max(lpi_bound_exchange(&c->model.params, P, bytes), lpi_bound_ways(P, c, &need));
}

/* Send to i+1, i+2, ..., then receive from i-1, i-2, ...: in the order of arrival.
 * Source: Sun, Zhang & Song 2002, ring, all sends first. */
static bool steps(int64_t P, int64_t rank, const struct logp_invocation *c, int64_t i,
                  struct logp_step *out)
{
    const int64_t d = i < P ? i : i - P + 1;
    const int64_t to = rank + d < P ? rank + d : rank + d - P;
    const int64_t from = rank >= d ? rank - d : rank - d + P;

    if (i == 0)
        return copy_own(P, rank, c, out);
    if (i < P)
        return send_item(P, rank, to, c, out);
    return d < P && receive_item(P, rank, from, c, out);
}

LPI_READER(run, steps)

/* Where blocks are empty, sends are not next to each other: all receives are posted before them all
 * the same. */
static int linear_plan(int P, int rank, struct logp_invocation *c)
{
    (void)P, (void)rank;
    c->plan.early = true;
    return 0;
}

/*
 * The sends start E_s apart, the receives E_r, and message k = 0, 1, ... arrives at
 * k E_s + o_send + st + L: o_send + o_recv + max((P-2)(E_s + E_r), L + st + (P-2) max(E_s, E_r)).
 */
struct logp_prediction lpi_alltoall_linear(int64_t P, const struct logp_invocation *c)
{
    const struct logp_params *p = &c->model.params;
    const int64_t stream = logp_params_stream_ns(p, c->args.n_bytes);
    const int64_t send = lpi_max(p->o_send_ns, logp_params_gap_ns(p, c->args.n_bytes));
    const int64_t recv = lpi_max(p->o_recv_ns, logp_params_gap_ns(p, c->args.n_bytes));
    const __int128 both = (__int128)(P - 2) * (send + recv);
    const __int128 last = (__int128)(P - 2) * lpi_max(send, recv) + p->L_ns + stream;

    if (P == 1)
        return lpi_exact(0);
    if (p->gap_shared)
        return lpi_no_prediction();
    return lpi_exact(p->o_send_ns + p->o_recv_ns + lpi_later(both, last));
}

/* ---- pairwise: in phase r swap with rank xor r, or send to i + r and receive from i - r ---- */

static bool pairwise_steps(int64_t P, int64_t rank, const struct logp_invocation *c, int64_t i,
                           struct logp_step *out)
{
    const int64_t r = (i + 1) / 2;
    const bool swaps = (P & (P - 1)) == 0;
    const int64_t to = swaps ? rank ^ r : lpi_mod(rank + r, P);
    const int64_t from = swaps ? to : lpi_mod(rank - r, P);

    if (i == 0)
        return copy_own(P, rank, c, out);
    if (r >= P)
        return false;
    return i % 2 == 1 ? send_item(P, rank, to, c, out) : receive_item(P, rank, from, c, out);
}

LPI_READER(pairwise_run, pairwise_steps)

/* (P-2) max(D, E, E_r) + D */
static struct logp_prediction pairwise_predict(int64_t P, const struct logp_invocation *c)
{
    const struct lpi_times t = lpi_times(&c->model.params, c->args.n_bytes);
    const int64_t most = lpi_max(lpi_max(t.D, t.E), c->model.params.o_recv_ns);

    if (P == 1)
        return lpi_exact(0);
    return c->model.params.gap_shared ? lpi_no_prediction()
                                      : lpi_exact((__int128)(P - 2) * most + t.D);
}

/* ---- bruck: items go to where they must by the digits, in base k, of how far that is ---- */

/* Message m = 0, 1, ...: items whose digit of `unit` = 1, k, k^2, ... is `digit`. @return -1; else
 * there are only so many */
static int64_t bruck_message(int64_t P, int64_t k, int64_t m, int64_t *unit, int64_t *digit)
{
    const int64_t most = P / k;
    int64_t before = 0;

    *digit = 1;
    if (k == 2) { /* every step asks */
        *unit = INT64_C(1) << (m < 62 ? m : 62);
        return *unit < P ? -1 : lpi_ceil_log2(P);
    }
    for (*unit = 1; *unit<P; *unit = *unit> most ? P : *unit * k) {
        const int64_t digits = *unit <= most ? k - 1 : (P - 1) / *unit;

        *digit = m - before + 1;
        if (*digit <= digits)
            return -1;
        before += digits;
    }
    return before;
}

/* Items j < P with that digit: they come in pieces of `unit`, k unit apart, of which the last may
 * be shorter. */
struct pieces {
    int64_t whole, rest; /* pieces, items of the last */
};

static struct pieces pieces_of(int64_t P, int64_t k, int64_t unit, int64_t digit)
{
    const int64_t apart = unit > P / k ? P : unit * k, beyond = P - digit * unit;
    struct pieces p = {beyond / apart, beyond % apart};

    if (p.rest >= unit) {
        p.whole++;
        p.rest = 0;
    }
    return p;
}

static int64_t items_of(int64_t P, int64_t k, int64_t unit, int64_t digit)
{
    const struct pieces p = pieces_of(P, k, unit, digit);

    return p.whole * unit + p.rest;
}

/* The whole pieces, or the last, from where they lie in scratch to one after the other from item
 * `place` on; or back. */
static bool pack(int64_t P, int64_t k, int64_t unit, int64_t digit, const struct logp_invocation *c,
                 int64_t place, bool last, bool back, struct logp_step *out)
{
    const struct pieces p = pieces_of(P, k, unit, digit);
    const size_t n = c->args.n_bytes, piece = (size_t)unit * n;
    const size_t apart = (size_t)(unit > P / k ? P : unit * k) * n;
    const size_t skipped = last ? (size_t)p.whole : 0;
    const struct logp_buffer_ref in = {LOGP_SCRATCH, (size_t)digit * piece + skipped * apart};
    const struct logp_buffer_ref packed = {LOGP_SCRATCH, (size_t)place * n + skipped * piece};

    logp_step_copy(out, back ? in : packed, back ? packed : in, last ? (size_t)p.rest * n : piece);
    out->n = last ? 1 : p.whole;
    out->at_stride = back ? apart : piece;
    out->right_stride = back ? piece : apart;
    return true;
}

static bool send_packed(int64_t P, int64_t rank, int64_t k, int64_t unit, int64_t digit,
                        const struct logp_invocation *c, int64_t place, struct logp_step *out)
{
    const size_t n = c->args.n_bytes;

    return logp_step_send(out, lpi_mod(rank + digit * unit, P), c->args.tag, LOGP_SCRATCH,
                          (size_t)place * n, (size_t)items_of(P, k, unit, digit) * n);
}

static bool receive_packed(int64_t P, int64_t rank, int64_t k, int64_t unit, int64_t digit,
                           const struct logp_invocation *c, int64_t place, struct logp_step *out)
{
    const size_t n = c->args.n_bytes;

    return logp_step_receive(out, lpi_mod(rank - digit * unit, P), c->args.tag, LOGP_SCRATCH,
                             (size_t)place * n, (size_t)items_of(P, k, unit, digit) * n);
}

/* The items for rank, rank + 1, ... to scratch, in two copies. */
static bool turn(int64_t P, int64_t rank, const struct logp_invocation *c, bool second,
                 struct logp_step *out)
{
    const size_t n = c->args.n_bytes, own = (size_t)rank * n;
    const struct logp_buffer_ref at = {LOGP_SCRATCH, second ? (size_t)(P - rank) * n : 0};
    const struct logp_buffer_ref from = {LOGP_BUF, second ? 0 : own};

    return logp_step_copy(out, at, from, second ? own : (size_t)(P - rank) * n);
}

/* Item i of scratch to where it belongs. */
static bool turn_back(int64_t P, int64_t rank, const struct logp_invocation *c, int64_t i,
                      struct logp_step *out)
{
    const size_t n = c->args.n_bytes;
    const int64_t from = rank - i;
    const struct logp_buffer_ref at = {LOGP_RECV_BUF, (size_t)(from < 0 ? from + P : from) * n};

    return i < P &&
           logp_step_copy(out, at, (struct logp_buffer_ref){LOGP_SCRATCH, (size_t)i * n}, n);
}

/*
 * In scratch item j is first what this rank has for rank + j, and at the end what rank - j had for
 * this one: each message takes those with its digit on by digit x unit ranks. So two copies, for
 * each message two to pack, a send, a receive and two to unpack, and P copies at the end.
 */
static bool bruck_steps(int64_t P, int64_t rank, const struct logp_invocation *c, int64_t k,
                        int64_t i, struct logp_step *out)
{
    int64_t unit, digit, messages;

    if (i < 2)
        return turn(P, rank, c, i == 1, out);
    i -= 2;
    messages = bruck_message(P, k, i / 6, &unit, &digit);
    if (messages >= 0)
        return turn_back(P, rank, c, i - 6 * messages, out);
    switch (i % 6) {
    case 2:
        return send_packed(P, rank, k, unit, digit, c, P, out);
    case 3:
        return receive_packed(P, rank, k, unit, digit, c, P, out);
    default:
        return pack(P, k, unit, digit, c, P, i % 2 == 1, i % 6 > 3, out);
    }
}

/* ---- bruck-overlap: more messages of a digit are sent before the first is received ---- */

enum { MOST_K = 64 }; /* of a closed form */

static int64_t next_unit(int64_t P, int64_t k, int64_t unit)
{
    return unit > P / k ? P : unit * k;
}

/* Messages of a digit of `unit`. */
static int64_t n_digits(int64_t P, int64_t k, int64_t unit)
{
    return unit <= P / k ? k - 1 : (P - 1) / unit;
}

/* Where the message of that digit is packed: behind all items and the messages of lower digits. */
static int64_t place_of(int64_t P, int64_t k, int64_t unit, int64_t digit)
{
    const int64_t apart = next_unit(P, k, unit), lower = (digit - 1) * unit;
    const int64_t beyond = lpi_max(P % apart - unit, 0);

    return P + P / apart * lower + (beyond < lower ? beyond : lower);
}

/*
 * Add the messages of a unit to r: each is sent as soon as the port allows, and received once it
 * has arrived and the gap of its size is over. With `early`, a receive that can start before the
 * next send goes first. order: NULL, or 2 n entries: the digit of each send, and of each receive,
 * negative.
 */
static void overlap_round(struct lpi_rounds *r, int64_t P, int64_t k, int64_t unit,
                          const struct logp_invocation *c, bool early, signed char *order)
{
    const struct logp_params *p = &c->model.params;
    const int64_t n = n_digits(P, k, unit);
    __int128 arrival[MOST_K];
    int64_t sent = 0, received = 0;

    while (received < n) {
        const bool pending = received < sent;
        const int64_t digit = sent < n ? sent + 1 : n;
        const size_t in = lpi_bytes((size_t)items_of(P, k, unit, received + 1), c->args.n_bytes);
        const size_t out = lpi_bytes((size_t)items_of(P, k, unit, digit), c->args.n_bytes);
        const __int128 send = lpi_later(r->free, r->send_next);
        const __int128 gap_over = r->recv_start + lpi_max(p->o_recv_ns, logp_params_gap_ns(p, in));
        const __int128 receive =
            pending ? lpi_later(lpi_later(r->free, gap_over), arrival[received]) : 0;
        const bool receives = pending && (sent == n || (early && receive < send));

        if (order != NULL)
            *order++ = (signed char)(receives ? -received - 1 : digit);
        if (receives) {
            r->recv_start = receive;
            r->free = receive + p->o_recv_ns;
            received++;
        } else {
            r->free = send + p->o_send_ns;
            r->send_next = send + lpi_max(p->o_send_ns, logp_params_gap_ns(p, out));
            arrival[sent++] = r->free + logp_params_stream_ns(p, out) + p->L_ns;
        }
    }
}

static __int128 overlap_time(int64_t P, int64_t k, const struct logp_invocation *c, bool early)
{
    struct lpi_rounds r = LPI_ROUNDS;

    for (int64_t unit = 1; unit < P; unit = next_unit(P, k, unit))
        overlap_round(&r, P, k, unit, c, early, NULL);
    return r.free;
}

/* Whether receives that can start before the next send go first. Else all sends do. */
static bool overlap_early(int64_t P, int64_t k, const struct logp_invocation *c)
{
    return k <= MOST_K && !c->model.params.gap_shared &&
           overlap_time(P, k, c, true) < overlap_time(P, k, c, false);
}

static struct logp_prediction overlap_predict(int64_t P, const struct logp_invocation *c)
{
    const int64_t k = lpi_knomial_radix(P, c);

    if (P > 1 && (k > MOST_K || c->model.params.gap_shared))
        return lpi_no_prediction();
    return lpi_exact(overlap_time(P, k, c, overlap_early(P, k, c)));
}

/* plan.state: the orders of all units, one after the other; NULL: all sends first */
static int overlap_plan(int P, int rank, struct logp_invocation *c)
{
    const int64_t k = lpi_knomial_radix(P, c);
    struct lpi_rounds r = LPI_ROUNDS;
    signed char *order;
    int64_t n = 0;

    (void)rank;
    c->plan.scratch_bytes = lpi_bytes(2 * (size_t)P, c->args.n_bytes);
    c->plan.early = true;
    if (!overlap_early(P, k, c))
        return 0;
    for (int64_t unit = 1; unit < P; unit = next_unit(P, k, unit))
        n += 2 * n_digits(P, k, unit);
    order = malloc((size_t)n);
    if (order == NULL)
        return -ENOMEM;
    c->plan.state = order;
    for (int64_t unit = 1; unit < P; unit = next_unit(P, k, unit)) {
        overlap_round(&r, P, k, unit, c, true, order);
        order += 2 * n_digits(P, k, unit);
    }
    return 0;
}

/* Two copies and a send of the message of a digit; or, of -digit, a receive and two copies. */
static bool overlap_message(int64_t P, int64_t rank, int64_t k, int64_t unit, int64_t message,
                            const struct logp_invocation *c, int64_t part, struct logp_step *out)
{
    const bool sends = message > 0;
    const int64_t digit = sends ? message : -message, place = place_of(P, k, unit, digit);

    if (sends && part == 2)
        return send_packed(P, rank, k, unit, digit, c, place, out);
    if (!sends && part == 0)
        return receive_packed(P, rank, k, unit, digit, c, place, out);
    return pack(P, k, unit, digit, c, place, part == (sends ? 1 : 2), !sends, out);
}

/* As bruck_steps(), but in that order. */
static bool overlap_steps(int64_t P, int64_t rank, const struct logp_invocation *c, int64_t i,
                          struct logp_step *out)
{
    const int64_t k = lpi_knomial_radix(P, c);
    const signed char *order = c->plan.state;

    if (i < 2)
        return turn(P, rank, c, i == 1, out);
    i -= 2;
    for (int64_t unit = 1; unit < P; unit = next_unit(P, k, unit)) {
        const int64_t n = n_digits(P, k, unit), at = i / 3;

        if (at < 2 * n) {
            const int64_t message = order != NULL ? order[at] : at < n ? at + 1 : n - at - 1;

            return overlap_message(P, rank, k, unit, message, c, i % 3, out);
        }
        i -= 6 * n;
        order = order != NULL ? order + 2 * n : NULL;
    }
    return turn_back(P, rank, c, i, out);
}

static int bruck_plan(int P, int rank, struct logp_invocation *c)
{
    (void)rank;
    c->plan.scratch_bytes = lpi_bytes(2 * (size_t)P, c->args.n_bytes);
    return 0;
}

LPI_STEPS_WITH(bruck_2_steps, bruck_steps, 2)
LPI_STEPS_WITH(bruck_k_steps, bruck_steps, lpi_knomial_radix(P, c))
LPI_READER(bruck_2_run, bruck_2_steps)

/* A round for each message. */
static struct logp_prediction bruck_time(int64_t P, int64_t k, const struct logp_invocation *c)
{
    struct lpi_rounds r = LPI_ROUNDS;
    int64_t unit, digit;

    if (k > MOST_K)
        return lpi_no_prediction();
    for (int64_t m = 0; bruck_message(P, k, m, &unit, &digit) < 0; m++)
        lpi_round(&r, &c->model.params, 1,
                  lpi_bytes((size_t)items_of(P, k, unit, digit), c->args.n_bytes));
    return lpi_exact(r.free);
}

static struct logp_prediction bruck_2_predict(int64_t P, const struct logp_invocation *c)
{
    return bruck_time(P, 2, c);
}

static struct logp_prediction bruck_k_predict(int64_t P, const struct logp_invocation *c)
{
    return bruck_time(P, lpi_knomial_radix(P, c), c);
}

/* ---- census: items are passed on along the best word ---- */

static int census_plan(int P, int rank, struct logp_invocation *c)
{
    (void)rank;
    return lpi_relay_plan(P, c->args.n_bytes, 0, c);
}

static bool census_steps(int64_t P, int64_t rank, const struct logp_invocation *c, int64_t i,
                         struct logp_step *out)
{
    if (i < 2)
        return turn(P, rank, c, i == 1, out);
    i = lpi_relay_step(P, rank, c, i - 2, out);
    return i < 0 || turn_back(P, rank, c, i, out);
}

LPI_READER(census_run, census_steps)

static struct logp_prediction census_predict(int64_t P, const struct logp_invocation *c)
{
    return lpi_relay_predict(P, &c->model.params, c->args.n_bytes, 0);
}

/* ---- the rows ---- */

static const char bruck[] = "Bruck et al. 1997";

static const struct logp_algorithm algorithms[] = {
    {LOGP_ALGORITHM("alltoall", "linear", "send to i + 1, i + 2, ..., then receive",
                    "Sun et al. 2002 (ring, eager)"),
     .plan = linear_plan, .steps = steps, .run = run, .predict = lpi_alltoall_linear,
     .in_place = true, .any_blocks = true},
    {LOGP_ALGORITHM("alltoall", "pairwise", "exchange with one rank at a time",
                    "Thakur et al. 2005"),
     .steps = pairwise_steps, .run = pairwise_run, .predict = pairwise_predict, .any_blocks = true},
    {LOGP_ALGORITHM("alltoall", "bruck", "pass half of the items on to rank + 1, 2, 4, ...", bruck),
     .plan = bruck_plan, .steps = bruck_2_steps, .run = bruck_2_run, .predict = bruck_2_predict,
     .in_place = true},
    {LOGP_ALGORITHM("alltoall", "bruck-k", "pass 1/k on to rank + 1, ..., k - 1, k, 2 k, ...",
                    bruck),
     .needs = lpi_knomial_needs, .plan = bruck_plan, .steps = bruck_k_steps,
     .predict = bruck_k_predict, .in_place = true, .knobs = {LOGP_KNOB(k, lpi_knomial_k)}},
    {LOGP_ALGORITHM("alltoall", "bruck-overlap",
                    "bruck-k, sending ahead of the receives of a round", "this library"),
     .needs = lpi_knomial_needs, .plan = overlap_plan, .steps = overlap_steps,
     .predict = overlap_predict, .in_place = true, .knobs = {LOGP_KNOB(k, lpi_knomial_k)}},
    {LOGP_ALGORITHM("alltoall", "census",
                    "pass items on along the best word of sends and receives, the same on all",
                    "this library"),
     .plan = census_plan, .steps = census_steps, .run = census_run, .predict = census_predict,
     .in_place = true},
};

static const struct lpi_rows rows = LPI_ROWS(algorithms);

const struct logp_collective lpi_alltoall = {
    .name = "alltoall",
    .summary = "each rank sends a different item to each rank",
    .operands = LOGP_OPERANDS_BYTES,
    .sizes = sizes,
    .postcondition = postcondition,
    .in_place = in_place,
    .bound = bound,
    .rows = (const struct lpi_rows *const[]){&rows, &lpi_alltoall_windows, &lpi_two_level_alltoall,
                                             &lpi_alltoall_dimensions, &lpi_neighbours_alltoall,
                                             &lpi_alltoall_tuna, &lpi_shared_alltoall, NULL},
};
