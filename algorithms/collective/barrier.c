/* SPDX-License-Identifier: MIT */
/* Barrier: no processor leaves before all have come. */
#include "collective/collective.h"
#include "predict/predict.h"
#include "schedule/reader.h"

static void sizes(int P, int rank, const struct logp_invocation *c, size_t *buf, size_t *recv_buf)
{
    (void)P, (void)rank, (void)c;
    *buf = *recv_buf = 0;
}

/* Each rank depends on all others; a message of no bytes takes as long as one of one byte. */
static int64_t bound(int64_t P, const struct logp_invocation *c)
{
    const struct lpi_need need = {.from = lpi_ranks_all(P), .to = lpi_ranks_all(P), .bytes = 1};

    return lpi_max(lpi_bound_ways(P, c, &need),
                   lpi_max(lpi_bound_out(&c->model.params, P), lpi_bound_in(&c->model.params, P)));
}

/* ---- dissemination: each round multiplies the number of known arrivals by k ---- */

/* In the round of distance d send to i + d, i + 2 d, ... i + (k-1) d and receive from i - d, ...
 * Any P >= 1.
 * Source: Hensgen, Finkel, Manber, IJPP 17(1), 1988; k = 2. */
static bool spread_steps(int64_t P, int64_t rank, const struct logp_invocation *c, int64_t k,
                         int64_t i, struct logp_step *out)
{
    for (int64_t d = 1; d<P; d = d> P / k ? P : d * k) {
        const int64_t there = (P - 1) / d, n = there < k - 1 ? there : k - 1;

        if (i < n)
            return logp_step_send(out, lpi_mod(rank + (i + 1) * d, P), c->args.tag, LOGP_BUF, 0, 0);
        i -= n;
        if (i < n)
            return logp_step_receive(out, lpi_mod(rank - (i + 1) * d, P), c->args.tag, LOGP_BUF, 0,
                                     0);
        i -= n;
    }
    return false;
}

/* k = 2, which needs no loop: it is what logp_barrier() does. */
static bool steps(int64_t P, int64_t rank, const struct logp_invocation *c, int64_t i,
                  struct logp_step *out)
{
    const int64_t d = INT64_C(1) << (i / 2);

    if (d >= P)
        return false;
    if (i % 2 == 0)
        return logp_step_send(out, lpi_mod(rank + d, P), c->args.tag, LOGP_BUF, 0, 0);
    return logp_step_receive(out, lpi_mod(rank - d, P), c->args.tag, LOGP_BUF, 0, 0);
}

LPI_READER(run, steps)

LPI_STEPS_WITH(k_steps, spread_steps, lpi_knomial_radix(P, c))

/* All do the same at the same time. */
static struct logp_prediction spread_predict(int64_t P, int64_t k, const struct logp_invocation *c)
{
    struct lpi_rounds r = LPI_ROUNDS;

    for (int64_t d = 1; d<P; d = d> P / k ? P : d * k) {
        const int64_t there = (P - 1) / d;

        lpi_round(&r, &c->model.params, there < k - 1 ? there : k - 1, 0);
    }
    return lpi_exact(r.free);
}

/* Gaps separate: (lg P - 1) max(d, e) + d, e = max(g, o_send, o_recv). */
static struct logp_prediction predict(int64_t P, const struct logp_invocation *c)
{
    return spread_predict(P, 2, c);
}

static struct logp_prediction k_predict(int64_t P, const struct logp_invocation *c)
{
    return spread_predict(P, lpi_knomial_radix(P, c), c);
}

/* ---- central: all send to rank 0, which sends to all ---- */

static bool central_steps(int64_t P, int64_t rank, const struct logp_invocation *c, int64_t i,
                          struct logp_step *out)
{
    if (rank > 0 && i == 0)
        return logp_step_send(out, 0, c->args.tag, LOGP_BUF, 0, 0);
    if (rank > 0)
        return i == 1 && logp_step_receive(out, 0, c->args.tag, LOGP_BUF, 0, 0);
    if (i < P - 1)
        return logp_step_receive(out, i + 1, c->args.tag, LOGP_BUF, 0, 0);
    return i < 2 * (P - 1) && logp_step_send(out, i - (P - 1) + 1, c->args.tag, LOGP_BUF, 0, 0);
}

LPI_READER(central_run, central_steps)

/* 2 D + (P-2) (max(o_recv, g) + E) */
static struct logp_prediction central_predict(int64_t P, const struct logp_invocation *c)
{
    const struct lpi_times t = lpi_times(&c->model.params, 0);
    const int64_t e = lpi_max(c->model.params.o_recv_ns, c->model.params.g_ns);

    return lpi_exact(P > 1 ? 2 * (__int128)t.D - t.early + (__int128)(P - 2) * (e + t.E) : 0);
}

/* ---- tree: up the k-nomial tree of rank 0 and down again ---- */

static bool tree_steps(int64_t P, int64_t rank, const struct logp_invocation *c, int64_t i,
                       struct logp_step *out)
{
    const int64_t k = lpi_knomial_radix(P, c), n = lpi_knomial_children(P, rank, k);
    const int64_t parent = lpi_knomial_parent(P, rank, k);

    if (i < n)
        return logp_step_receive(out, lpi_knomial_child(P, rank, k, n - 1 - i), c->args.tag,
                                 LOGP_BUF, 0, 0);
    i -= n;
    if (rank > 0 && i-- == 0)
        return logp_step_send(out, parent, c->args.tag, LOGP_BUF, 0, 0);
    if (rank > 0 && i-- == 0)
        return logp_step_receive(out, parent, c->args.tag, LOGP_BUF, 0, 0);
    return i < n &&
           logp_step_send(out, lpi_knomial_child(P, rank, k, i), c->args.tag, LOGP_BUF, 0, 0);
}

static struct lpi_times up_times(const struct logp_invocation *c, int64_t nodes)
{
    struct lpi_times t = lpi_times(&c->model.params, 0);

    (void)nodes;
    t.E = lpi_max(c->model.params.o_recv_ns, c->model.params.g_ns);
    return t;
}

static struct lpi_times down_times(const struct logp_invocation *c, int64_t nodes)
{
    (void)nodes;
    return lpi_times(&c->model.params, 0);
}

/* Return the sum of the times up and down. No gap of the way up is left over, because at least two
 * messages are in between. */
static struct logp_prediction tree_predict(int64_t P, const struct logp_invocation *c)
{
    const struct lpi_times t = lpi_times(&c->model.params, 0);
    const int64_t k = lpi_knomial_radix(P, c);

    if (P > 1 && (c->model.params.gap_shared || c->model.params.g_ns > 2 * t.D))
        return lpi_no_prediction();
    return lpi_exact(lpi_knomial_time(P, k, c, up_times) + lpi_knomial_time(P, k, c, down_times));
}

/* ---- tournament: up the binomial tree; the champion sends to all ---- */

/* In round r the loser, rank + 2^r, sends to the winner, rank, and is out. The flag that the
 * champion sets is a message to each rank. */
static bool tournament_steps(int64_t P, int64_t rank, const struct logp_invocation *c, int64_t i,
                             struct logp_step *out)
{
    const int64_t n = lpi_knomial_children(P, rank, 2);

    if (i < n)
        return logp_step_receive(out, lpi_knomial_child(P, rank, 2, n - 1 - i), c->args.tag,
                                 LOGP_BUF, 0, 0);
    i -= n;
    if (rank == 0)
        return i < P - 1 && logp_step_send(out, i + 1, c->args.tag, LOGP_BUF, 0, 0);
    if (i == 0)
        return logp_step_send(out, lpi_knomial_parent(P, rank, 2), c->args.tag, LOGP_BUF, 0, 0);
    return i == 1 && logp_step_receive(out, 0, c->args.tag, LOGP_BUF, 0, 0);
}

/* As tree; (P-2) E + D on the way back. */
static struct logp_prediction tournament_predict(int64_t P, const struct logp_invocation *c)
{
    const struct lpi_times t = lpi_times(&c->model.params, 0);

    if (P == 1)
        return lpi_exact(0);
    if (c->model.params.gap_shared || c->model.params.g_ns > 2 * t.D)
        return lpi_no_prediction();
    return lpi_exact(lpi_knomial_time(P, 2, c, up_times) + (__int128)(P - 2) * t.E + t.D);
}

/* ---- ring: a message goes round the ring twice ---- */

static bool ring_steps(int64_t P, int64_t rank, const struct logp_invocation *c, int64_t i,
                       struct logp_step *out)
{
    const int64_t steps_of_rank = rank == 0 || rank == P - 1 ? 3 : 4;

    if (P == 1 || i >= steps_of_rank)
        return false;
    if (i % 2 == (rank == 0))
        return logp_step_receive(out, lpi_mod(rank - 1, P), c->args.tag, LOGP_BUF, 0, 0);
    return logp_step_send(out, lpi_mod(rank + 1, P), c->args.tag, LOGP_BUF, 0, 0);
}

LPI_READER(ring_run, ring_steps)

/* The first time round, P D, or the gap after the first send or receive; then (P-1) D. */
static struct logp_prediction ring_predict(int64_t P, const struct logp_invocation *c)
{
    const struct lpi_times t = lpi_times(&c->model.params, 0);

    if (P == 1)
        return lpi_exact(0);
    if (c->model.params.gap_shared)
        return lpi_no_prediction();
    return lpi_exact(lpi_later(P * (__int128)t.D, t.E) + (P - 1) * (__int128)t.D);
}

/* ---- recursive-doubling: with rank xor 1, 2, 4, ... ---- */

static bool doubling_steps(int64_t P, int64_t rank, const struct logp_invocation *c, int64_t i,
                           struct logp_step *out)
{
    const struct lpi_fold f = lpi_fold_of(P, rank);
    const bool paired = f.j >= 0 && rank < 2 * f.pairs;
    int64_t other = f.j < 0 ? rank + 1 : rank - 1;
    bool sends = i % 2 == 0;

    if (paired && i-- == 0) {
        sends = false;
    } else if (f.j >= 0) {
        const int64_t d = INT64_C(1) << (i / 2);

        if (d > f.X || (d == f.X && (!paired || i % 2 == 1)))
            return false;
        sends = i % 2 == 0;
        other = d == f.X ? other : lpi_unfold(&f, f.j ^ d);
    } else if (i > 1) {
        return false;
    }
    return sends ? logp_step_send(out, other, c->args.tag, LOGP_BUF, 0, 0)
                 : logp_step_receive(out, other, c->args.tag, LOGP_BUF, 0, 0);
}

LPI_READER(doubling_run, doubling_steps)

/* P = 2^x: as dissemination. Else the pairs begin D later, and end D later. */
static struct logp_prediction doubling_predict(int64_t P, const struct logp_invocation *c)
{
    const struct logp_params *p = &c->model.params;
    const struct lpi_fold f = lpi_fold_of(P, P - 1);
    const int64_t D = lpi_times(p, 0).D;
    struct lpi_rounds r = LPI_ROUNDS;

    if (f.pairs > 0 && p->gap_shared)
        return lpi_no_prediction();
    if (f.pairs > 0)
        lpi_rounds_from(&r, p, D);
    for (int64_t d = 1; d < f.X; d *= 2)
        lpi_round(&r, p, 1, 0);
    return f.pairs > 0 ? lpi_bound(lpi_later(r.free, r.send_next) + D) : lpi_exact(r.free);
}

/* ---- census: the word of sends and receives that is soonest done ---- */

static int census_plan(int P, int rank, struct logp_invocation *c)
{
    (void)rank;
    return lpi_census_plan(P, c, &(struct lpi_census_cost){0});
}

static bool census_steps(int64_t P, int64_t rank, const struct logp_invocation *c, int64_t i,
                         struct logp_step *out)
{
    const struct lpi_census *word = c->plan.state;
    const struct lpi_census_op *op = &word->ops[i < word->n ? i : 0];

    if (i >= word->n)
        return false;
    return op->sends
               ? logp_step_send(out, lpi_mod(rank + op->reach, P), c->args.tag, LOGP_BUF, 0, 0)
               : logp_step_receive(out, lpi_mod(rank - op->reach, P), c->args.tag, LOGP_BUF, 0, 0);
}

static struct logp_prediction census_predict(int64_t P, const struct logp_invocation *c)
{
    struct lpi_census word;

    if (lpi_census_find(&word, P, &c->model.params, &(struct lpi_census_cost){0}) != 0)
        return lpi_no_memory();
    return lpi_exact(word.time);
}

/* ---- the rows ---- */

static const char hensgen[] = "Hensgen et al. 1988", mellor[] = "Mellor-Crummey & Scott 1991";

static const struct logp_algorithm algorithms[] = {
    {LOGP_ALGORITHM("barrier", "dissemination", "in round d send to i + d, receive from i - d",
                    hensgen),
     .steps = steps, .run = run, .predict = predict},
    {LOGP_ALGORITHM("barrier", "dissemination-k", "send to k - 1 ranks a round, distance x k",
                    hensgen),
     .needs = lpi_knomial_needs, .steps = k_steps, .predict = k_predict,
     .knobs = {LOGP_KNOB(k, lpi_knomial_k)}},
    {LOGP_ALGORITHM("barrier", "central", "all send to rank 0, which sends to all", mellor),
     .steps = central_steps, .run = central_run, .predict = central_predict},
    {LOGP_ALGORITHM("barrier", "tree", "gather up a k-nomial tree, release down", mellor),
     .needs = lpi_knomial_needs, .steps = tree_steps, .predict = tree_predict,
     .knobs = {LOGP_KNOB(k, lpi_knomial_k)}},
    {LOGP_ALGORITHM("barrier", "tournament", "losers send to winners, the champion to all",
                    hensgen),
     .steps = tournament_steps, .predict = tournament_predict},
    {LOGP_ALGORITHM("barrier", "recursive-doubling", "exchange with rank xor 1, 2, 4, ...",
                    "Open MPI"),
     .steps = doubling_steps, .run = doubling_run, .predict = doubling_predict, .rough = true},
    {LOGP_ALGORITHM("barrier", "ring", "a message goes round the ring twice",
                    "Open MPI (double ring)"),
     .steps = ring_steps, .run = ring_run, .predict = ring_predict},
    {LOGP_ALGORITHM("barrier", "census", "the best word of sends and receives, the same on all",
                    "Karp et al. 1993"),
     .plan = census_plan, .steps = census_steps, .predict = census_predict},
};

const struct logp_collective lpi_barrier = {
    .name = "barrier",
    .summary = "no rank leaves before all have entered",
    .operands = LOGP_OPERANDS_NONE,
    .sizes = sizes,
    .holds_back = true,
    .bound = bound,
    .rows = (const struct lpi_rows *const[]){&(const struct lpi_rows)LPI_ROWS(algorithms),
                                             &lpi_two_level_barrier, &lpi_shared_barrier,
                                             &lpi_neighbours_barrier, &lpi_lanes_barrier,
                                             &lpi_contained_barrier, NULL},
};
