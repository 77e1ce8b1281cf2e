/* SPDX-License-Identifier: MIT */
/* All-to-alls that keep back: with so many messages under way, or with none but a neighbour's. */
#include "alltoall.h"
#include "collective/transpose/transpose.h"
#include "predict/predict.h"
#include "schedule/reader.h"

static struct logp_buffer_ref item(const struct logp_invocation *c, enum logp_buffer buffer,
                                   int64_t at)
{
    return (struct logp_buffer_ref){buffer, lpi_bytes((size_t)at, c->args.n_bytes)};
}

/* ---- linear-window: the sends to i + 1, i + 2, ... a window ahead of the receives ---- */

/* Sends 1 .. r + W - 1 precede receive r: W = 1 is pairwise, W = P - 1 is linear. */
static bool window_steps(int64_t P, int64_t rank, const struct logp_invocation *c, int64_t i,
                         struct logp_step *out)
{
    const int64_t ahead = c->plan.own - 1, pairs = 2 * (P - 1 - ahead);
    const size_t n = c->args.n_bytes;
    int64_t sends, receives; /* which one is next; 0: none */

    if (i == 0)
        return logp_step_copy(out, item(c, LOGP_RECV_BUF, rank), item(c, LOGP_BUF, rank), n);
    i -= 1 + ahead;
    sends = i < 0 ? i + ahead + 1 : i < pairs && i % 2 == 0 ? ahead + i / 2 + 1 : 0;
    receives = i < pairs ? i / 2 + 1 : i - pairs / 2 + 1;
    if (sends > 0)
        return logp_step_send(out, lpi_mod(rank + sends, P), c->args.tag, LOGP_BUF,
                              item(c, LOGP_BUF, lpi_mod(rank + sends, P)).offset, n);
    return receives < P &&
           logp_step_receive(out, lpi_mod(rank - receives, P), c->args.tag, LOGP_RECV_BUF,
                             item(c, LOGP_RECV_BUF, lpi_mod(rank - receives, P)).offset, n);
}

LPI_READER(window_run, window_steps)

/* As that of a transpose with blocks of an item. */
static struct lpi_block_time block_time(const struct logp_invocation *c)
{
    const struct lpi_block one = {.n_groups = 1, .groups = {{1, c->args.n_bytes}}};

    return lpi_transpose_time(&c->model.params, &one);
}

static int64_t window_of(int64_t P, const struct logp_invocation *c)
{
    const struct lpi_block_time t = block_time(c);

    return lpi_window(P, c, &t);
}

/* The estimate is of links that are alike and of one port: elsewhere each window is tried. */
static int64_t tried_window(int64_t P, const struct logp_invocation *c)
{
    enum { MOST_RANKS = 65 };

    return c->args.window == 0 && (c->model.links != NULL || lpi_has_ports(&c->model)) &&
                   P <= MOST_RANKS && P > 1 && !c->model.undelayed
               ? 0
               : window_of(P, c);
}

/* plan.own: the window */
static int window_plan(int P, int rank, struct logp_invocation *c)
{
    (void)rank;
    c->plan.own = window_of(P, c);
    c->plan.early = c->plan.own > 1;
    return 0;
}

static struct logp_prediction window_predict(int64_t P, const struct logp_invocation *c)
{
    const struct lpi_block_time t = block_time(c);

    if (P == 1)
        return lpi_exact(0);
    if (c->model.params.gap_shared)
        return lpi_no_prediction();
    return lpi_exact(lpi_window_time(P, &c->model.params, &t, window_of(P, c)));
}

/* ---- ring: all that is for those further to the right goes to the next on the right ---- */

/* Scratch has the items for rank + 1, rank + 2, ...; in phase r they are replaced by those that
 * rank - r had for this rank, rank + 1, ...: the first is kept, the others are passed on. */
static bool ring_steps(int64_t P, int64_t rank, const struct logp_invocation *c, int64_t i,
                       struct logp_step *out)
{
    const size_t n = c->args.n_bytes;
    const int64_t r = i / 3, behind = P - 1 - rank;
    const size_t bytes = lpi_bytes((size_t)(P - r), n);

    if (i == 0)
        return logp_step_copy(out, item(c, LOGP_RECV_BUF, rank), item(c, LOGP_BUF, rank), n);
    if (i == 1)
        return logp_step_copy(out, item(c, LOGP_SCRATCH, 0), item(c, LOGP_BUF, rank + 1),
                              lpi_bytes((size_t)behind, n));
    if (i == 2)
        return logp_step_copy(out, item(c, LOGP_SCRATCH, behind), item(c, LOGP_BUF, 0),
                              lpi_bytes((size_t)rank, n));
    if (r >= P)
        return false;
    if (i % 3 == 0)
        return logp_step_send(out, lpi_mod(rank + 1, P), c->args.tag, LOGP_SCRATCH, r > 1 ? n : 0,
                              bytes);
    if (i % 3 == 1)
        return logp_step_receive(out, lpi_mod(rank - 1, P), c->args.tag, LOGP_SCRATCH, 0, bytes);
    return logp_step_copy(out, item(c, LOGP_RECV_BUF, lpi_mod(rank - r, P)),
                          item(c, LOGP_SCRATCH, 0), n);
}

LPI_READER(ring_run, ring_steps)

static int ring_plan(int P, int rank, struct logp_invocation *c)
{
    (void)rank;
    c->plan.scratch_bytes = lpi_bytes((size_t)P - 1, c->args.n_bytes);
    return 0;
}

/* A round for each phase; of more than 2^16, at most as if all were as long as the first. */
static struct logp_prediction ring_predict(int64_t P, const struct logp_invocation *c)
{
    const struct logp_params *p = &c->model.params;
    struct lpi_rounds r = LPI_ROUNDS;

    if (P > 1 << 16 && p->gap_shared)
        return lpi_no_prediction();
    if (P > 1 << 16)
        return lpi_bound((P - 1) *
                         (__int128)lpi_round_at_most(p, lpi_bytes((size_t)P - 1, c->args.n_bytes)));
    for (int64_t n = P - 1; n > 0; n--)
        lpi_round(&r, p, 1, lpi_bytes((size_t)n, c->args.n_bytes));
    return lpi_exact(r.free);
}

/* ---- the rows ---- */

static const struct logp_algorithm algorithms[] = {
    {LOGP_ALGORITHM("alltoall", "linear-window", "linear, with a window of sends in flight",
                    "MPICH (scattered)"),
     .plan = window_plan, .steps = window_steps, .run = window_run, .predict = window_predict,
     .knobs = {LOGP_KNOB(window, tried_window)}},
    {LOGP_ALGORITHM("alltoall", "ring", "pass all items of other ranks to the right",
                    "Grama et al., ch. 4.5"),
     .plan = ring_plan, .steps = ring_steps, .run = ring_run, .predict = ring_predict},
};

const struct lpi_rows lpi_alltoall_windows = LPI_ROWS(algorithms);
