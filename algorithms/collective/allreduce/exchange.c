/* SPDX-License-Identifier: MIT */
/* Allreduces in which a whole vector goes to several others at a time: to k - 1, or to all. */
#include "allreduce.h"
#include "collective/exchange.h"
#include "predict/predict.h"
#include "schedule/reader.h"

/* A vector in scratch. */
static struct logp_buffer_ref slot(const struct logp_invocation *c, int64_t which)
{
    return (struct logp_buffer_ref){LOGP_SCRATCH, lpi_bytes((size_t)which, lpi_vector_bytes(c))};
}

static const struct logp_buffer_ref own = {LOGP_BUF, 0}, result = {LOGP_RECV_BUF, 0};

/* ---- recursive-exchange: combine with k - 1 ranks a round, distance x k ---- */

/* The first of a group (exchange.h) takes in the vectors of the others, and hands them the result. */
static struct lpi_exchange groups_of(int64_t P, int64_t rank, const struct logp_invocation *c)
{
    return lpi_exchange_of(P, rank, lpi_knomial_radix(P, c));
}

/*
 * Combination m = 0, ..., k - 2 of a round: the received vector is combined with the result so far.
 * Where the order counts, all k vectors are combined in the order of their digits, so for digit > 0
 * those of the lower digits come first, and the result is in the first slot.
 */
static bool combine_next(const struct logp_invocation *c, int64_t digit, int64_t m,
                         struct logp_buffer_ref have, struct logp_step *out)
{
    if (!lpi_in_order(c) || digit == 0)
        return lpi_combine_at(out, c, result, m == 0 ? have : result,
                              slot(c, lpi_in_order(c) ? m : 0));
    return lpi_combine_at(out, c, slot(c, 0), slot(c, 0),
                          m + 1 == digit ? have : slot(c, m + (m + 1 < digit)));
}

/* A round at distance d: k - 1 sends, then as many receives, each followed by its combination; or,
 * where the order counts, all combinations in the end, and a copy. */
static bool round_steps(int64_t P, const struct lpi_exchange *g, const struct logp_invocation *c,
                        int64_t d, int64_t i, struct logp_step *out)
{
    const int64_t n = g->k - 1, digit = g->j / d % g->k;
    const bool in_order = lpi_in_order(c);
    const struct logp_buffer_ref have = d == 1 && g->others == 0 ? own : result;
    int64_t other;

    if (i < n) {
        other = lpi_exchange_peer(g, d, 1 + i);
        return lpi_send_vector(out, c, lpi_part_begin(P, g->X, other), have.buffer);
    }
    i -= n;
    if (i == 2 * n)
        return logp_step_copy(out, result, slot(c, 0), digit > 0 ? lpi_vector_bytes(c) : 0);
    if (in_order ? i >= n : i % 2 == 1)
        return combine_next(c, digit, in_order ? i - n : i / 2, have, out);
    other = lpi_mod(digit - 1 - (in_order ? i : i / 2), g->k);
    return logp_step_receive(out, lpi_part_begin(P, g->X, g->j + (other - digit) * d), c->args.tag,
                             LOGP_SCRATCH, slot(c, in_order ? other - (other > digit) : 0).offset,
                             lpi_vector_bytes(c));
}

static bool exchange_steps(int64_t P, int64_t rank, const struct logp_invocation *c, int64_t i,
                           struct logp_step *out)
{
    const struct lpi_exchange g = groups_of(P, rank, c);
    const int64_t a_round = 3 * (g.k - 1) + lpi_in_order(c);

    if (P == 1)
        return lpi_allreduce_alone(c, i, out);
    if (rank != g.first)
        return i == 0 ? lpi_send_vector(out, c, g.first, LOGP_BUF)
                      : i == 1 && lpi_receive_vector(out, c, g.first, LOGP_RECV_BUF);
    if (i < 2 * g.others)
        return i % 2 == 0 ? lpi_receive_vector(out, c, rank + 1 + i / 2, LOGP_SCRATCH)
                          : lpi_combine_at(out, c, result, i == 1 ? own : result, slot(c, 0));
    i -= 2 * g.others;
    for (int64_t d = 1; d < g.X; d *= g.k, i -= a_round)
        if (i < a_round)
            return round_steps(P, &g, c, d, i, out);
    return i < g.others && lpi_send_vector(out, c, rank + 1 + i, LOGP_RECV_BUF);
}

static int exchange_plan(int P, int rank, struct logp_invocation *c)
{
    const int64_t k = lpi_knomial_radix(P, c);

    (void)rank;
    c->plan.scratch_bytes = lpi_bytes(lpi_in_order(c) ? (size_t)k - 1 : 1, lpi_vector_bytes(c));
    return lpi_vector_valid(c);
}

/* P = k^x: all do the same. Else the rounds begin when the largest group is together, at the
 * latest: D + c, and B for each further one; and its last gets the result last. */
static struct logp_prediction exchange_predict(int64_t P, const struct logp_invocation *c)
{
    const struct logp_params *p = &c->model.params;
    const struct lpi_exchange g = groups_of(P, 0, c);
    const size_t bytes = lpi_vector_bytes(c);
    const struct lpi_times t = lpi_times(p, bytes);
    const int64_t combine = lpi_combine_ns(p, c->args.count);
    const int64_t B = lpi_max(p->o_recv_ns + combine, logp_params_gap_ns(p, bytes));
    struct lpi_rounds r = LPI_ROUNDS;

    if (P == 1)
        return lpi_exact(0);
    if (p->gap_shared)
        return lpi_no_prediction();
    if (g.others > 0)
        lpi_rounds_from(&r, p, t.D + combine + (g.others - 1) * (__int128)B);
    for (int64_t d = 1; d < g.X; d *= g.k) {
        lpi_combining_round(&r, p, g.k - 1, bytes, lpi_in_order(c) ? 0 : combine);
        r.free += lpi_in_order(c) ? (g.k - 1) * (__int128)combine : 0;
    }
    if (g.others == 0)
        return lpi_exact(r.free);
    return lpi_bound(lpi_later(r.free, r.send_next) + (g.others - 1) * (__int128)t.E + t.D);
}

/* ---- allgather-reduce: every rank sends its vector to all ranks ---- */

/* Where the vector of a rank is, where those of all ranks are kept. */
static struct logp_buffer_ref vector_of(const struct logp_invocation *c, int64_t of, int64_t rank)
{
    return of == rank ? own : slot(c, of - (of > rank));
}

/* They are received in the order in which they come. Each is combined at once; or, in the order of
 * ranks, all of them afterwards. */
static bool gather_steps(int64_t P, int64_t rank, const struct logp_invocation *c, int64_t i,
                         struct logp_step *out)
{
    const bool in_order = lpi_in_order(c);

    if (P == 1)
        return lpi_allreduce_alone(c, i, out);
    if (i < P - 1)
        return lpi_send_vector(out, c, lpi_mod(rank + 1 + i, P), LOGP_BUF);
    i -= P - 1;
    if (i >= 2 * (P - 1))
        return false;
    if (in_order ? i < P - 1 : i % 2 == 0) {
        const int64_t from = lpi_mod(rank - 1 - (in_order ? i : i / 2), P);

        return logp_step_receive(out, from, c->args.tag, LOGP_SCRATCH,
                                 in_order ? vector_of(c, from, rank).offset : 0,
                                 lpi_vector_bytes(c));
    }
    if (!in_order)
        return lpi_combine_at(out, c, result, i == 1 ? own : result, slot(c, 0));
    i -= P - 1;
    return lpi_combine_at(out, c, result, i == 0 ? vector_of(c, 0, rank) : result,
                          vector_of(c, i + 1, rank));
}

LPI_READER(gather_run, gather_steps)

static int gather_plan(int P, int rank, struct logp_invocation *c)
{
    (void)rank;
    c->plan.scratch_bytes =
        lpi_bytes(lpi_in_order(c) && P > 1 ? (size_t)P - 1 : 1, lpi_vector_bytes(c));
    return lpi_vector_valid(c);
}

/* One round, and in the order of ranks the combinations after it. */
static struct logp_prediction gather_predict(int64_t P, const struct logp_invocation *c)
{
    const struct logp_params *p = &c->model.params;
    const int64_t combine = lpi_combine_ns(p, c->args.count);
    struct lpi_rounds r = LPI_ROUNDS;

    if (P == 1)
        return lpi_exact(0);
    if (p->gap_shared)
        return lpi_no_prediction();
    lpi_combining_round(&r, p, P - 1, lpi_vector_bytes(c), lpi_in_order(c) ? 0 : combine);
    return lpi_exact(r.free + (lpi_in_order(c) ? (P - 1) * (__int128)combine : 0));
}

/* ---- the rows ---- */

static const struct logp_algorithm algorithms[] = {
    {LOGP_ALGORITHM("allreduce", "recursive-exchange",
                    "combine with k - 1 ranks a round, distance x k", "Ruefenacht et al. 2017"),
     .needs = lpi_knomial_needs, .plan = exchange_plan, .steps = exchange_steps,
     .predict = exchange_predict, .rough = true, .same_results = true,
     .knobs = {LOGP_KNOB(k, lpi_knomial_k)}},
    {LOGP_ALGORITHM("allreduce", "allgather-reduce", "every rank sends its vector to all ranks",
                    "Open MPI"),
     .plan = gather_plan, .steps = gather_steps, .run = gather_run, .predict = gather_predict,
     .rough = true, .same_results = true},
};

const struct lpi_rows lpi_allreduce_exchanges = LPI_ROWS(algorithms);
