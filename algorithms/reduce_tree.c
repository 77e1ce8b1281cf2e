/* SPDX-License-Identifier: MIT */
/*
 * Reductions along the trees of shapes.c, each with its prediction: the fold of reduce.c, in which
 * a and B are explained, over that tree.
 */
#include "doubling.h"
#include "reduce.h"

#include <logp/tree.h>

/* The plan of a broadcast backwards; rc: of making it. */
static int backwards(int rc, int rank, struct logp_coll *c)
{
    if (rc == 0)
        lpi_reverse_children(&c->plan);
    return lpi_reduce_finish_plan(rc, rank, c);
}

/* ---- flat: everyone sends to the root ---- */

/* It receives from root-1, ..., 0, then from root+1, ..., P-1: so each vector that comes is next to
 * those that are there, and the order of ranks is kept for any root. */
int lpi_reduce_flat_plan(int P, int rank, struct logp_coll *c)
{
    const int rc = lpi_plan_flat(P, rank, c);

    for (int i = 0; rc == 0 && i < c->plan.n_children; i++)
        c->plan.children[i] = i < c->root ? c->root - 1 - i : i + 1;
    return lpi_reduce_finish_plan(rc, rank, c);
}

/* a + (P-2) B, P >= 2 */
struct logp_prediction lpi_reduce_flat_predict(int64_t P, const struct logp_coll *c)
{
    const struct lpi_reduce_times t = lpi_reduce_times(c);

    return lpi_reduce_ends_at(P, t.a + (__int128)(P - 2) * t.B, c);
}

/* ---- chain: v receives from v+1 and sends to v-1 ---- */

int lpi_reduce_chain_plan(int P, int rank, struct logp_coll *c)
{
    return lpi_reduce_finish_plan(lpi_plan_chain(P, rank, c), rank, c);
}

/* (P-1) a */
struct logp_prediction lpi_reduce_chain_predict(int64_t P, const struct logp_coll *c)
{
    return lpi_reduce_ends_at(P, (__int128)(P - 1) * lpi_reduce_times(c).a, c);
}

/* ---- binary: v receives from 2v+1, then from 2v+2 ---- */

int lpi_reduce_binary_plan(int P, int rank, struct logp_coll *c)
{
    return lpi_reduce_finish_plan(lpi_plan_binary(P, rank, c), rank, c);
}

/*
 * A perfect tree of height h: h (a + B). Otherwise t(P) = max(t(left) + a + B, t(right) + a),
 * without the right subtree t(left) + a. One of the two is perfect, so that there is one call of
 * each depth.
 */
static __int128 binary_time(int64_t P, const struct lpi_reduce_times *t)
{
    const int height = 63 - __builtin_clzll((uint64_t)P);
    const int64_t full = INT64_C(1) << height >> 1; /* the lowest level of the left subtree */
    const int64_t lowest = P + 1 - (INT64_C(1) << height);
    const int64_t left = full - 1 + (lowest < full ? lowest : full);
    __int128 first, second;

    if ((P & (P + 1)) == 0)
        return (__int128)height * (t->a + t->B);
    first = binary_time(left, t) + t->a;
    if (P == 2)
        return first;
    second = binary_time(P - 1 - left, t) + t->a;
    return lpi_later(first + t->B, second);
}

/* Any P: the recurrence above. */
struct logp_prediction lpi_reduce_binary_predict(int64_t P, const struct logp_coll *c)
{
    const struct lpi_reduce_times t = lpi_reduce_times(c);

    return lpi_reduce_ends_at(P, binary_time(P, &t), c);
}

/* ---- binomial: recursive doubling backwards, the nearest first ---- */

int lpi_reduce_binomial_plan(int P, int rank, struct logp_coll *c)
{
    return backwards(lpi_plan_binomial(P, rank, c), rank, c);
}

/* t(1) = 0, t(2) = a, t(P) = max(t(h) + B, t(P-h) + a), h = 2^(lg P - 1);
 * P = 2^x: a + (x-1) max(a, B) */
struct logp_prediction lpi_reduce_binomial_predict(int64_t P, const struct logp_coll *c)
{
    const struct lpi_reduce_times t = lpi_reduce_times(c);

    return lpi_reduce_ends_at(P, lpi_doubling_time(P, t.a, t.B), c);
}

/* ---- binomial-nearest: recursive doubling backwards, the farthest first ---- */

/* v receives from v + 2^j for all 2^j > v, the farthest first. */
int lpi_reduce_nearest_plan(int P, int rank, struct logp_coll *c)
{
    return backwards(lpi_plan_nearest(P, rank, c), rank, c);
}

/* The broadcast's time with a for D, B for E. */
struct logp_prediction lpi_reduce_nearest_predict(int64_t P, const struct logp_coll *c)
{
    const struct lpi_reduce_times t = lpi_reduce_times(c);

    return lpi_reduce_ends_at(P, lpi_nearest_time(P, t.a, t.B), c);
}

/* ---- mesh: all columns, then the root's row ---- */

const char *lpi_reduce_mesh_needs(int64_t P, const struct logp_coll *c)
{
    const char *needs = lpi_needs_grid(P, c);

    return needs != NULL ? needs : lpi_reduce_needs_commutative(P, c);
}

int lpi_reduce_mesh_plan(int P, int rank, struct logp_coll *c)
{
    return backwards(lpi_plan_mesh(P, rank, c), rank, c);
}

/* The broadcast's time with a for D, B for E. */
struct logp_prediction lpi_reduce_mesh_predict(int64_t P, const struct logp_coll *c)
{
    const struct lpi_reduce_times t = lpi_reduce_times(c);

    return lpi_reduce_ends_at(P, lpi_mesh_time(P, t.a, t.B), c);
}

/* ---- optimal: the best broadcast tree backwards, a for d and B for e ---- */

const char *lpi_reduce_optimal_needs(int64_t P, const struct logp_coll *c)
{
    const struct lpi_reduce_times t = lpi_reduce_times(c);

    if (lpi_max(t.a, t.B) > 3 * LOGP_PARAM_MAX_NS)
        return "messages that take less than 34 days";
    return lpi_reduce_needs_commutative(P, c);
}

int lpi_reduce_optimal_plan(int P, int rank, struct logp_coll *c)
{
    const struct lpi_reduce_times t = lpi_reduce_times(c);
    struct logp_tree tree;
    int rc = logp_tree_init(&tree, P, t.a, t.B);

    if (rc == 0)
        rc = lpi_plan_optimal(&tree, rank, c);
    return backwards(rc, rank, c);
}

/* The least n with f(n) >= P. No tree is faster: those that are ready within n receive from nodes
 * that are within n - a, n - a - B, ..., which is how f counts. */
struct logp_prediction lpi_reduce_optimal_predict(int64_t P, const struct logp_coll *c)
{
    const struct lpi_reduce_times t = lpi_reduce_times(c);
    struct logp_tree tree;

    if (logp_tree_init(&tree, P, t.a, t.B) != 0)
        return lpi_no_prediction();
    return lpi_reduce_ends_at(P, logp_tree_time(&tree), c);
}
