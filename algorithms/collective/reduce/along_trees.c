/* SPDX-License-Identifier: MIT */
/*
 * Reductions along the trees of shapes.c, each with its prediction: the fold of steps.c, in which
 * a and B are explained, over that tree.
 */
#include "predict/predict.h"
#include "reduce.h"

#include <logp/paper.h>

/* ---- flat: every rank sends to the root ---- */

/* It receives from root-1, ..., 0, then from root+1, ..., P-1: so each vector that comes is next to
 * those that are there, and the order of ranks is kept for any root. */
static int plan_flat(int P, int rank, struct logp_invocation *c)
{
    const int rc = lpi_plan_flat(P, rank, c);

    for (int i = 0; rc == 0 && i < c->plan.n_children; i++)
        c->plan.children[i] = i < c->args.root ? c->args.root - 1 - i : i + 1;
    return lpi_reduce_finish_plan(rc, rank, c);
}

/* a + (P-2) B, P >= 2 */
static struct logp_prediction predict_flat(int64_t P, const struct logp_invocation *c)
{
    const struct lpi_reduce_times t = lpi_reduce_times(c);

    return lpi_reduce_ends_at(P, t.a + (__int128)(P - 2) * t.B, c);
}

/* ---- chain: v receives from v+1 and sends to v-1 ---- */

static int plan_chain(int P, int rank, struct logp_invocation *c)
{
    return lpi_reduce_finish_plan(lpi_plan_chain(P, rank, c), rank, c);
}

/* (P-1) a */
static struct logp_prediction predict_chain(int64_t P, const struct logp_invocation *c)
{
    return lpi_reduce_ends_at(P, (__int128)(P - 1) * lpi_reduce_times(c).a, c);
}

/* ---- binary: v receives from 2v+1, then from 2v+2 ---- */

static int plan_binary(int P, int rank, struct logp_invocation *c)
{
    return lpi_reduce_finish_plan(lpi_plan_binary(P, rank, c), rank, c);
}

/* Nodes of the left subtree of P >= 2. */
int64_t lpi_reduce_binary_left(int64_t P)
{
    const int height = 63 - __builtin_clzll((uint64_t)P);
    const int64_t full = INT64_C(1) << height >> 1; /* the lowest level of the left subtree */
    const int64_t lowest = P + 1 - (INT64_C(1) << height);

    return full - 1 + (lowest < full ? lowest : full);
}

/*
 * A perfect tree of height h: h (a + B). Otherwise t(P) = max(t(left) + a + B, t(right) + a),
 * without the right subtree t(left) + a. One of the two is perfect, so that there is one call of
 * each depth.
 */
__int128 lpi_reduce_binary_time(int64_t P, const struct lpi_reduce_times *t)
{
    const int height = 63 - __builtin_clzll((uint64_t)P);
    int64_t left;
    __int128 first, second;

    if ((P & (P + 1)) == 0)
        return (__int128)height * (t->a + t->B);
    left = lpi_reduce_binary_left(P);
    first = lpi_reduce_binary_time(left, t) + t->a;
    if (P == 2)
        return first;
    second = lpi_reduce_binary_time(P - 1 - left, t) + t->a;
    return lpi_later(first + t->B, second);
}

/* Any P: the recurrence above. */
static struct logp_prediction predict_binary(int64_t P, const struct logp_invocation *c)
{
    const struct lpi_reduce_times t = lpi_reduce_times(c);

    return lpi_reduce_ends_at(P, lpi_reduce_binary_time(P, &t), c);
}

/* ---- binomial: recursive doubling backwards, the nearest first ---- */

static int plan_binomial(int P, int rank, struct logp_invocation *c)
{
    return lpi_reduce_backwards(lpi_plan_binomial(P, rank, c), rank, c);
}

/* t(1) = 0, t(2) = a, t(P) = max(t(h) + B, t(P-h) + a), h = 2^(lg P - 1);
 * P = 2^x: a + (x-1) max(a, B) */
static struct logp_prediction predict_binomial(int64_t P, const struct logp_invocation *c)
{
    const struct lpi_reduce_times t = lpi_reduce_times(c);

    return lpi_reduce_ends_at(P, lpi_doubling_time(P, t.a, t.B), c);
}

/* ---- optimal: the best broadcast tree backwards, a for d and B for e ---- */

static const char *needs_optimal(int64_t P, const struct logp_invocation *c)
{
    const struct lpi_reduce_times t = lpi_reduce_times(c);

    if (lpi_max(t.a, t.B) > 3 * LOGP_PARAM_MAX_NS)
        return "messages that take less than 34 days";
    return lpi_needs_commutative(P, c);
}

static int plan_optimal(int P, int rank, struct logp_invocation *c)
{
    const struct lpi_reduce_times t = lpi_reduce_times(c);
    struct logp_tree tree;
    int rc = logp_tree_init(&tree, P, t.a, t.B);

    if (rc == 0)
        rc = lpi_plan_optimal(&tree, rank, c);
    return lpi_reduce_backwards(rc, rank, c);
}

/* The least n with f(n) >= P. No tree is faster: those that are ready within n receive from nodes
 * that are within n - a, n - a - B, ..., which is how f counts. */
static struct logp_prediction predict_optimal(int64_t P, const struct logp_invocation *c)
{
    const struct lpi_reduce_times t = lpi_reduce_times(c);
    struct logp_tree tree;

    if (logp_tree_init(&tree, P, t.a, t.B) != 0)
        return lpi_no_prediction();
    return lpi_reduce_ends_at(P, logp_tree_time(&tree), c);
}

static const char kurnosov[] = "Kurnosov 2016";

static const struct logp_algorithm algorithms[] = {
    {LOGP_ALGORITHM("reduce", "flat", "every rank sends to the root", kurnosov), .plan = plan_flat,
     .predict = predict_flat, LPI_REDUCE},
    {LOGP_ALGORITHM("reduce", "chain", "every rank passes its result to the next", kurnosov),
     .needs = lpi_reduce_needs_order, .plan = plan_chain, .predict = predict_chain, LPI_REDUCE},
    {LOGP_ALGORITHM("reduce", "binary", "a binary tree in heap order", kurnosov),
     .needs = lpi_needs_commutative, .plan = plan_binary, .predict = predict_binary, LPI_REDUCE},
    {LOGP_ALGORITHM("reduce", "binomial", "recursive doubling backwards, the nearest first",
                    kurnosov),
     .needs = lpi_reduce_needs_order, .plan = plan_binomial, .predict = predict_binomial,
     .textbook = lpi_reduce_textbook, LPI_REDUCE},
    {LOGP_ALGORITHM("reduce", "optimal", "the best tree for these L, o, g and gamma",
                    "Shou & Chen 1996"),
     .needs = needs_optimal, .plan = plan_optimal, .predict = predict_optimal, LPI_REDUCE},
};

const struct lpi_rows lpi_reduce_trees = LPI_ROWS(algorithms);

/* ---- binomial-nearest: recursive doubling backwards, the farthest first ---- */

/* v receives from v + 2^j for all 2^j > v, the farthest first. */
static int plan_nearest(int P, int rank, struct logp_invocation *c)
{
    return lpi_reduce_backwards(lpi_plan_nearest(P, rank, c), rank, c);
}

/* The broadcast's time with a for D, B for E. */
static struct logp_prediction predict_nearest(int64_t P, const struct logp_invocation *c)
{
    const struct lpi_reduce_times t = lpi_reduce_times(c);

    return lpi_reduce_ends_at(P, lpi_nearest_time(P, t.a, t.B), c);
}

/* ---- mesh: all columns, then the root's row ---- */

LPI_NEEDS_BOTH(needs_mesh, lpi_needs_grid, lpi_needs_commutative)

static int plan_mesh(int P, int rank, struct logp_invocation *c)
{
    return lpi_reduce_backwards(lpi_plan_mesh(P, rank, c), rank, c);
}

/* The broadcast's time with a for D, B for E. */
static struct logp_prediction predict_mesh(int64_t P, const struct logp_invocation *c)
{
    const struct lpi_reduce_times t = lpi_reduce_times(c);

    return lpi_reduce_ends_at(P, lpi_mesh_time(P, t.a, t.B), c);
}

/* ---- earliest: a tree for links that differ, or for several ports; elsewhere that of `optimal` ---- */

LPI_NEEDS_BOTH(needs_trees, lpi_earliest_needs, lpi_ports_needs)
LPI_NEEDS_BOTH(needs_earliest, needs_trees, needs_optimal)

static struct lpi_times link_times(const struct logp_invocation *c)
{
    const struct lpi_reduce_times t = lpi_reduce_times(c);

    return (struct lpi_times){.D = t.a, .E = t.B};
}

static int plan_earliest(int P, int rank, struct logp_invocation *c)
{
    const struct logp_params *p = &c->model.params;
    const struct lpi_ports_tree tree = {
        .d = link_times(c).D,
        .busy = p->o_recv_ns + lpi_combine_ns(p, c->args.count),
        .e = lpi_max(p->o_recv_ns, logp_params_gap_ns(p, lpi_vector_bytes(c))),
        .ports = c->model.ports};

    if (c->model.links == NULL && lpi_has_ports(&c->model))
        return lpi_reduce_backwards(lpi_plan_ports(P, rank, c, &tree), rank, c);
    if (c->model.links == NULL)
        return plan_optimal(P, rank, c);
    return lpi_reduce_backwards(lpi_plan_earliest(P, rank, c, link_times, true), rank, c);
}

/* ---- bine: `binomial` between other ranks ---- */

LPI_NEEDS_BOTH(needs_bine, lpi_needs_commutative, lpi_needs_power)

static int plan_bine(int P, int rank, struct logp_invocation *c)
{
    return lpi_reduce_backwards(lpi_plan_bine(P, rank, c), rank, c);
}

static const char grama[] = "Grama et al., ch. 4.1";

static const struct logp_algorithm doublings[] = {
    {LOGP_ALGORITHM("reduce", "binomial-nearest",
                    "recursive doubling backwards, the farthest first", grama),
     .needs = lpi_needs_commutative, .plan = plan_nearest, .predict = predict_nearest, LPI_REDUCE},
    {LOGP_ALGORITHM("reduce", "mesh", "binomial along all columns, then the root's row", grama),
     .needs = needs_mesh, .plan = plan_mesh, .predict = predict_mesh,
     .textbook = lpi_reduce_textbook, LPI_REDUCE},
    {LOGP_ALGORITHM("reduce", "bine", "binomial, from ranks 1, 3, 5, 11, 21, ... away",
                    "De Sensi et al. 2025"),
     .needs = needs_bine, .plan = plan_bine, .predict = predict_binomial, LPI_REDUCE},
    {LOGP_ALGORITHM("reduce", "earliest", "the earliest end over links that differ",
                    "Bhat, Raghavendra & Prasanna 1999"),
     .needs = needs_earliest, .plan = plan_earliest, .predict = predict_optimal, LPI_REDUCE},
};

const struct lpi_rows lpi_reduce_doublings = LPI_ROWS(doublings);

/* ---- knomial: each receives from the roots of its parts, the smallest first ---- */

/* Of parts of one size the farthest comes first, which is out of order. */
LPI_NEEDS_BOTH(needs_knomial, lpi_needs_commutative, lpi_knomial_needs)

static int plan_knomial(int P, int rank, struct logp_invocation *c)
{
    return lpi_reduce_backwards(lpi_plan_knomial(P, rank, c), rank, c);
}

static struct lpi_times knomial_times(const struct logp_invocation *c, int64_t nodes)
{
    const struct lpi_reduce_times t = lpi_reduce_times(c);

    (void)nodes;
    return (struct lpi_times){.D = t.a, .E = t.B};
}

/* The broadcast's time with a for D, B for E. */
static struct logp_prediction predict_knomial(int64_t P, const struct logp_invocation *c)
{
    return lpi_reduce_ends_at(P, lpi_knomial_time(P, lpi_knomial_radix(P, c), c, knomial_times), c);
}

static const struct logp_algorithm knomials[] = {
    {LOGP_ALGORITHM("reduce", "knomial", "a k-nomial tree, the nearest first", "Open MPI, UCC"),
     .needs = needs_knomial, .plan = plan_knomial, .predict = predict_knomial, LPI_REDUCE,
     .knobs = {LOGP_KNOB(k, lpi_knomial_k)}},
};

const struct lpi_rows lpi_reduce_knomial = LPI_ROWS(knomials);
