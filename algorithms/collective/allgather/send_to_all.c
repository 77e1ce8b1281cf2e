/* SPDX-License-Identifier: MIT */
/* Allgathers in which rank 0, or each rank, sends to all. */
#include "allgather.h"
#include "collective/collective.h"
#include "predict/predict.h"
#include "schedule/reader.h"

/* ---- flat: to all others, one after the other ---- */

static bool flat_steps(int64_t P, int64_t rank, const struct logp_invocation *c, int64_t i,
                       struct logp_step *out)
{
    if (i-- == 0)
        return lpi_copy_items(out, c, lpi_item(c, LOGP_RECV_BUF, rank), lpi_item(c, LOGP_BUF, 0),
                              1);
    if (i < P - 1)
        return lpi_send_items(out, c, lpi_mod(rank + 1 + i, P), lpi_item(c, LOGP_BUF, 0), 1);
    i -= P - 1;
    return i < P - 1 && lpi_receive_items(out, c, lpi_mod(rank - 1 - i, P),
                                          lpi_item(c, LOGP_RECV_BUF, lpi_mod(rank - 1 - i, P)), 1);
}

LPI_READER(flat_run, flat_steps)

/* A round of P - 1 messages. */
static struct logp_prediction flat_predict(int64_t P, const struct logp_invocation *c)
{
    struct lpi_rounds r = LPI_ROUNDS;

    if (P == 1)
        return lpi_exact(0);
    if (c->model.params.gap_shared)
        return lpi_no_prediction();
    lpi_round(&r, &c->model.params, P - 1, c->args.n_bytes);
    return lpi_exact(r.free);
}

/* ---- gather-broadcast: up the binomial tree of rank 0, and all down again ---- */

static bool up_down_steps(int64_t P, int64_t rank, const struct logp_invocation *c, int64_t i,
                          struct logp_step *out)
{
    const int64_t n = lpi_knomial_children(P, rank, 2), parent = lpi_knomial_parent(P, rank, 2);
    const struct logp_buffer_ref own = lpi_item(c, LOGP_RECV_BUF, rank);
    const struct logp_buffer_ref all = lpi_item(c, LOGP_RECV_BUF, 0);

    if (i-- == 0)
        return lpi_copy_items(out, c, own, lpi_item(c, LOGP_BUF, 0), 1);
    if (i < n) {
        const int64_t child = lpi_knomial_child(P, rank, 2, n - 1 - i);

        return lpi_receive_items(out, c, child, lpi_item(c, LOGP_RECV_BUF, child),
                                 lpi_knomial_size(P, child, 2));
    }
    i -= n;
    if (rank > 0 && i-- == 0)
        return lpi_send_items(out, c, parent, own, lpi_knomial_size(P, rank, 2));
    if (rank > 0 && i-- == 0)
        return lpi_receive_items(out, c, parent, all, P);
    return i < n && lpi_send_items(out, c, lpi_knomial_child(P, rank, 2, i), all, P);
}

LPI_READER(up_down_run, up_down_steps)

/* For the items of `nodes` nodes; what keeps a sender from the next message keeps a receiver. */
static struct lpi_times up_times(const struct logp_invocation *c, int64_t nodes)
{
    const size_t bytes = lpi_bytes((size_t)nodes, c->args.n_bytes);
    struct lpi_times t = lpi_times(&c->model.params, bytes);

    t.E = lpi_max(c->model.params.o_recv_ns, logp_params_gap_ns(&c->model.params, bytes));
    return t;
}

/* Return the sum of the times up and down. No gap of the way up is left over, because at least two
 * messages are in between. */
static struct logp_prediction up_down_predict(int64_t P, const struct logp_invocation *c)
{
    const struct logp_params *p = &c->model.params;
    const struct lpi_times all = lpi_times(p, lpi_bytes((size_t)P, c->args.n_bytes));

    if (P > 1 && (p->gap_shared || p->g_ns > 2 * lpi_times(p, 1).D))
        return lpi_no_prediction();
    return lpi_exact(lpi_knomial_time(P, 2, c, up_times) + lpi_doubling_time(P, all.D, all.E));
}

static const struct logp_algorithm algorithms[] = {
    {LOGP_ALGORITHM("allgather", "flat", "each rank sends to all ranks, one by one", "Open MPI"),
     .steps = flat_steps, .run = flat_run, .predict = flat_predict},
    {LOGP_ALGORITHM("allgather", "gather-broadcast", "gather up a binomial tree, broadcast down",
                    "Grama et al., ch. 4.2"),
     .steps = up_down_steps, .run = up_down_run, .predict = up_down_predict},
};

const struct lpi_rows lpi_allgather_trees = LPI_ROWS(algorithms);
