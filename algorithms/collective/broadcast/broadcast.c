/* SPDX-License-Identifier: MIT */
/*
 * Broadcast: the root's item reaches all processors. Every algorithm is a tree (shapes.c); what a
 * processor does is the same for all of them.
 *
 * A node that holds the item at time t sends to its k-th child at t + k E, which holds it at
 * t + D + k E (D, E: struct lpi_times). The predictions are the largest such time, and the time to
 * process the item: the last to hold it sends it to no one.
 */
#include "broadcast.h"
#include "predict/predict.h"
#include "schedule/reader.h"

#include <logp/algorithm.h>
#include <logp/paper.h>

static void sizes(int P, int rank, const struct logp_invocation *c, size_t *buf, size_t *recv_buf)
{
    (void)P, (void)rank;
    *buf = c->args.n_bytes;
    *recv_buf = 0;
}

static size_t given(int64_t P, int64_t rank, const struct logp_invocation *c)
{
    (void)P;
    return rank == c->args.root ? c->args.n_bytes : 0;
}

static bool postcondition(int64_t P, int64_t rank, const struct logp_invocation *c, int64_t j,
                          struct logp_postcondition *out)
{
    (void)P, (void)rank;
    out->n_bytes = c->args.n_bytes;
    out->from = c->args.root;
    return j == 0;
}

/* The last processor that gets the item still has all of it to process. */
static int64_t bound(int64_t P, const struct logp_invocation *c)
{
    const struct logp_params *p = &c->model.params;
    const int64_t bytes = lpi_bound_bytes(c->args.n_bytes);
    const struct lpi_need need = {.from = lpi_ranks_one(c->args.root),
                                  .to = lpi_ranks_all(P),
                                  .bytes = bytes,
                                  .work_ns = c->args.work_ns};

    return lpi_max(lpi_max(lpi_bound_broadcast(p, P, bytes), lpi_bound_ways(P, c, &need)),
                   (bytes > 0 ? lpi_bound_out(p, P) : 0) + c->args.work_ns);
}

/* Receive from the parent, send to the children in their order, process the item. */
bool lpi_broadcast_steps(int64_t P, int64_t rank, const struct logp_invocation *c, int64_t i,
                         struct logp_step *out)
{
    const struct logp_rank_plan *plan = &c->plan;

    (void)P, (void)rank;
    if (plan->parent >= 0 && i-- == 0)
        return logp_step_receive(out, plan->parent, c->args.tag, LOGP_BUF, 0, c->args.n_bytes);
    if (i < plan->n_children)
        return logp_step_send(out, plan->children[i], c->args.tag, LOGP_BUF, 0, c->args.n_bytes);
    return i == plan->n_children && c->args.work_ns > 0 &&
           logp_step_compute(out, c->args.work_ns, 0);
}

int lpi_broadcast_run(struct logp_vp *vp, const struct logp_invocation *c, void *buf,
                      void *recv_buf)
{
    return lpi_read(vp, lpi_broadcast_steps, c, buf, recv_buf);
}

/* Return the end of the last receive and the work after it. last: when the last node could send the
 * item on. */
static struct logp_prediction ends_at(int64_t P, __int128 last, const struct lpi_times *t,
                                      const struct logp_invocation *c)
{
    return lpi_exact((P > 1 ? last - t->early : 0) + c->args.work_ns);
}

/* (P-2) E + D, all P >= 2 */
static struct logp_prediction predict_flat(int64_t P, const struct logp_invocation *c)
{
    const struct lpi_times t = lpi_times(&c->model.params, c->args.n_bytes);

    return ends_at(P, (__int128)(P - 2) * t.E + t.D, &t, c);
}

/* (P-1) D */
static struct logp_prediction predict_chain(int64_t P, const struct logp_invocation *c)
{
    const struct lpi_times t = lpi_times(&c->model.params, c->args.n_bytes);

    return ends_at(P, (__int128)(P - 1) * t.D, &t, c);
}

/*
 * The largest depth x D + right turns x E. The path to v is the binary of v + 1 below its first
 * one, a right turn for each one; only the last level and the full one above can be the latest.
 */
static struct logp_prediction predict_binary(int64_t P, const struct logp_invocation *c)
{
    const struct lpi_times t = lpi_times(&c->model.params, c->args.n_bytes);
    const int depth = 63 - __builtin_clzll((uint64_t)P);
    const __int128 last =
        (__int128)depth * t.D + (__int128)(lpi_most_ones((uint64_t)P, depth) - 1) * t.E;
    const __int128 above = depth > 0 ? (__int128)(depth - 1) * (t.D + t.E) : 0;

    return ends_at(P, lpi_later(last, above), &t, c);
}

/* t(1) = 0, t(2) = D, t(P) = max(D + t(P-h), E + t(h)); P = 2^x: D + (x-1) max(D, E) */
static struct logp_prediction predict_binomial(int64_t P, const struct logp_invocation *c)
{
    const struct lpi_times t = lpi_times(&c->model.params, c->args.n_bytes);

    return ends_at(P, lpi_doubling_time(P, t.D, t.E), &t, c);
}

/* Over all v < P with m ones and top bit t, the largest m D + (t + 1 - m) E. */
static struct logp_prediction predict_nearest(int64_t P, const struct logp_invocation *c)
{
    const struct lpi_times t = lpi_times(&c->model.params, c->args.n_bytes);

    return ends_at(P, lpi_nearest_time(P, t.D, t.E), &t, c);
}

/* P = 4^x: the formula of `binomial`; other squares q^2, where E <= D: 2 t(q) of `binomial`; else
 * the recurrence in doubling.c. */
static struct logp_prediction predict_mesh(int64_t P, const struct logp_invocation *c)
{
    const struct lpi_times t = lpi_times(&c->model.params, c->args.n_bytes);

    return ends_at(P, lpi_mesh_time(P, t.D, t.E), &t, c);
}

/* The tree for these L, o, g. */
static int plan_optimal(int P, int rank, struct logp_invocation *c)
{
    struct logp_tree tree;
    const int rc = logp_tree_broadcast(&tree, P, &c->model.params, c->args.n_bytes);

    return rc != 0 ? rc : lpi_plan_optimal(&tree, rank, c);
}

/* The least n with f(n) >= P. No broadcast is faster. */
static struct logp_prediction predict_optimal(int64_t P, const struct logp_invocation *c)
{
    struct logp_tree tree;

    if (logp_tree_broadcast(&tree, P, &c->model.params, c->args.n_bytes) != 0)
        return lpi_no_prediction();
    return lpi_exact((__int128)logp_tree_time(&tree) + c->args.work_ns);
}

static int64_t textbook(int64_t P, const struct logp_invocation *c)
{
    return logp_textbook_cost(P, &c->model.params, c->args.n_bytes);
}

static const char grama[] = "Grama et al., ch. 4.1";
static const char shou_chen[] = "Shou & Chen 1996";

static const struct logp_algorithm algorithms[] = {
    {LOGP_ALGORITHM("broadcast", "flat", "the root sends to every rank", shou_chen),
     .plan = lpi_plan_flat, .predict = predict_flat, LPI_BROADCAST},
    {LOGP_ALGORITHM("broadcast", "chain", "every rank passes the item to the next", shou_chen),
     .plan = lpi_plan_chain, .predict = predict_chain, LPI_BROADCAST},
    {LOGP_ALGORITHM("broadcast", "binary", "a binary tree in heap order", shou_chen),
     .plan = lpi_plan_binary, .predict = predict_binary, LPI_BROADCAST},
    {LOGP_ALGORITHM("broadcast", "binomial", "recursive doubling, the farthest first", grama),
     .plan = lpi_plan_binomial, .predict = predict_binomial, .textbook = textbook, LPI_BROADCAST},
    {LOGP_ALGORITHM("broadcast", "optimal", "the best tree for these L, o, g", shou_chen),
     .plan = plan_optimal, .predict = predict_optimal, LPI_BROADCAST},
    {LOGP_ALGORITHM("broadcast", "binomial-nearest", "recursive doubling, the nearest first",
                    grama),
     .plan = lpi_plan_nearest, .predict = predict_nearest, LPI_BROADCAST},
    {LOGP_ALGORITHM("broadcast", "mesh", "binomial along the root's row, then columns, ...", grama),
     .needs = lpi_needs_grid, .plan = lpi_plan_mesh, .predict = predict_mesh, .textbook = textbook,
     LPI_BROADCAST},
    {LOGP_ALGORITHM("broadcast", "bine", "binomial, to ranks 1, 3, 5, 11, 21, ... away",
                    "De Sensi et al. 2025"),
     .needs = lpi_needs_power, .plan = lpi_plan_bine, .predict = predict_binomial, LPI_BROADCAST},
};

/* ---- the k-nomial tree, of which `binomial` is that with k = 2 ---- */

static struct lpi_times knomial_times(const struct logp_invocation *c, int64_t nodes)
{
    (void)nodes;
    return lpi_times(&c->model.params, c->args.n_bytes);
}

static struct logp_prediction predict_knomial(int64_t P, const struct logp_invocation *c)
{
    const struct lpi_times t = knomial_times(c, 1);

    return ends_at(P, lpi_knomial_time(P, lpi_knomial_radix(P, c), c, knomial_times), &t, c);
}

static const struct logp_algorithm knomials[] = {
    {LOGP_ALGORITHM("broadcast", "knomial", "a k-nomial tree, the farthest first", "Open MPI, UCC"),
     .needs = lpi_knomial_needs, .plan = lpi_plan_knomial, .predict = predict_knomial,
     .steps = lpi_broadcast_steps, .run = lpi_broadcast_run, .along = LOGP_FROM_ROOT,
     .knobs = {LOGP_KNOB(k, lpi_knomial_k), LOGP_KNOB(work_ns, NULL)}},
};

/* ---- earliest: a tree for links that differ, or for several ports; elsewhere that of `optimal` ---- */

LPI_NEEDS_BOTH(needs_earliest, lpi_earliest_needs, lpi_ports_needs)

static struct lpi_times link_times(const struct logp_invocation *c)
{
    return lpi_times(&c->model.params, c->args.n_bytes);
}

static int plan_earliest(int P, int rank, struct logp_invocation *c)
{
    const struct lpi_times t = link_times(c);
    const struct lpi_ports_tree tree = {t.D, c->model.params.o_send_ns, t.E, c->model.ports};

    if (c->model.links != NULL)
        return lpi_plan_earliest(P, rank, c, link_times, false);
    return lpi_has_ports(&c->model) ? lpi_plan_ports(P, rank, c, &tree) : plan_optimal(P, rank, c);
}

static const struct logp_algorithm on_links[] = {
    {LOGP_ALGORITHM("broadcast", "earliest", "the earliest end over links that differ",
                    "Bhat, Raghavendra & Prasanna 1999"),
     .needs = needs_earliest, .plan = plan_earliest, .predict = predict_optimal, LPI_BROADCAST},
};

static const struct lpi_rows knomial = LPI_ROWS(knomials), trees = LPI_ROWS(algorithms),
                             earliest = LPI_ROWS(on_links);

const struct logp_collective lpi_broadcast = {
    .name = "broadcast",
    .summary = "the root sends an item to all ranks",
    .rooted = true,
    .operands = LOGP_OPERANDS_BYTES,
    .sizes = sizes,
    .postcondition = postcondition,
    .given = given,
    .bound = bound,
    .rows = (const struct lpi_rows *const[]){&trees, &lpi_torus, &lpi_torus_pipelined, &knomial,
                                             &lpi_broadcast_parts, &lpi_broadcast_pipelined,
                                             &lpi_broadcast_two_tree, &lpi_broadcast_split,
                                             &lpi_broadcast_circulant, &lpi_broadcast_k_item,
                                             &lpi_broadcast_corrected, &lpi_broadcast_matched,
                                             &earliest, &lpi_shared_broadcast, &lpi_lanes_broadcast,
                                             &lpi_contained_broadcast, NULL},
};
