/* SPDX-License-Identifier: MIT */
/*
 * Broadcast: the root's item reaches all processors. Every algorithm is a tree, given by parent and
 * children of a virtual rank (v = 0 is the root); what a processor does is the same for all of
 * them.
 *
 * A node that holds the item at time t sends to its k-th child at t + k E, which holds it at
 * t + D + k E (D, E: struct lpi_times). The predictions are the largest such time.
 */
#include "algorithms.h"

#include <logp/tree.h>
#include <logp/vp.h>

#include <stdint.h>
#include <string.h>

/* Receive from the parent, send to the children in their order. */
int lpi_broadcast_run(struct logp_vp *vp, const struct logp_coll *c)
{
    int rc = 0;

    if (c->plan.parent >= 0)
        rc = logp_recv(vp, c->plan.parent, c->tag, c->buf, c->n_bytes, NULL);
    for (int k = 0; rc == 0 && k < c->plan.n_children; k++)
        rc = logp_send(vp, c->plan.children[k], c->tag, c->buf, c->n_bytes);
    return rc;
}

void lpi_broadcast_sizes(int P, const struct logp_coll *c, size_t *buf, size_t *recv_buf)
{
    (void)P;
    *buf = c->n_bytes;
    *recv_buf = 0;
}

void lpi_broadcast_fill(int P, int rank, uint64_t seed, const struct logp_coll *c)
{
    (void)P;
    if (rank == c->root)
        lpi_pattern_fill(c->buf, c->n_bytes, seed);
    else
        memset(c->buf, 0xa5, c->n_bytes);
}

bool lpi_broadcast_check(int P, int rank, uint64_t seed, const struct logp_coll *c)
{
    (void)P, (void)rank;
    return lpi_pattern_check(c->buf, c->n_bytes, seed);
}

/* The end of the last receive, when the last node could go on at `last`. */
static struct logp_prediction ends_at(int64_t P, __int128 last, const struct lpi_times *t)
{
    return lpi_exact(P > 1 ? last - t->early : 0);
}

static int virtual_rank(int rank, int root, int P)
{
    return rank >= root ? rank - root : rank - root + P;
}

static int plan_rotated(int P, int rank, const struct lpi_tree_shape *shape, struct logp_coll *c)
{
    return lpi_plan_tree(P, virtual_rank(rank, c->root, P), shape, lpi_rotate, c);
}

/* ---- flat: the root sends to 1, 2, ..., P-1 ---- */

static int flat_parent(int P, int v, const void *shape)
{
    (void)P, (void)v, (void)shape;
    return 0;
}

static int flat_child(int P, int v, int k, const void *shape)
{
    (void)shape;
    return v == 0 && k < P - 1 ? k + 1 : -1;
}

int lpi_broadcast_flat_plan(int P, int rank, struct logp_coll *c)
{
    return plan_rotated(P, rank, &(struct lpi_tree_shape){flat_parent, flat_child, NULL}, c);
}

/* (P-2) E + D, all P >= 2 */
struct logp_prediction lpi_broadcast_flat_predict(int64_t P, const struct logp_coll *c)
{
    const struct lpi_times t = lpi_times(&c->params, c->n_bytes);

    return ends_at(P, (__int128)(P - 2) * t.E + t.D, &t);
}

/* ---- chain: v sends to v+1 ---- */

static int chain_parent(int P, int v, const void *shape)
{
    (void)P, (void)shape;
    return v - 1;
}

static int chain_child(int P, int v, int k, const void *shape)
{
    (void)shape;
    return k == 0 && v + 1 < P ? v + 1 : -1;
}

int lpi_broadcast_chain_plan(int P, int rank, struct logp_coll *c)
{
    return plan_rotated(P, rank, &(struct lpi_tree_shape){chain_parent, chain_child, NULL}, c);
}

/* (P-1) D */
struct logp_prediction lpi_broadcast_chain_predict(int64_t P, const struct logp_coll *c)
{
    const struct lpi_times t = lpi_times(&c->params, c->n_bytes);

    return ends_at(P, (__int128)(P - 1) * t.D, &t);
}

/* ---- binary: v sends to 2v+1, then to 2v+2 ---- */

static int binary_parent(int P, int v, const void *shape)
{
    (void)P, (void)shape;
    return (v - 1) / 2;
}

static int binary_child(int P, int v, int k, const void *shape)
{
    const int64_t child = 2 * (int64_t)v + 1 + k;

    (void)shape;
    return k < 2 && child < P ? (int)child : -1;
}

int lpi_broadcast_binary_plan(int P, int rank, struct logp_coll *c)
{
    return plan_rotated(P, rank, &(struct lpi_tree_shape){binary_parent, binary_child, NULL}, c);
}

/* The most ones among the numbers 2^top .. x, x >= 2^top: x, or x with a one cleared and all
 * below it set. */
static int most_ones(uint64_t x, int top)
{
    int most = __builtin_popcountll(x);

    for (int i = 0; i < top; i++)
        if ((x >> i) & 1) {
            const int ones = __builtin_popcountll(x >> (i + 1)) + i;

            most = ones > most ? ones : most;
        }
    return most;
}

/*
 * The largest depth x D + right turns x E. The path to v is the binary of v + 1 below its first
 * one, a right turn for each one; only the last level and the full one above can be the latest.
 */
struct logp_prediction lpi_broadcast_binary_predict(int64_t P, const struct logp_coll *c)
{
    const struct lpi_times t = lpi_times(&c->params, c->n_bytes);
    const int depth = 63 - __builtin_clzll((uint64_t)P);
    const int64_t last = depth * t.D + (most_ones((uint64_t)P, depth) - 1) * t.E;
    const int64_t above = depth > 0 ? (depth - 1) * (t.D + t.E) : 0;

    return ends_at(P, lpi_max(last, above), &t);
}

/* ---- binomial: recursive doubling, the farthest first ---- */

/* The largest power of two below n >= 2. */
static int64_t half(int64_t n)
{
    return INT64_C(1) << (63 - __builtin_clzll((uint64_t)(n - 1)));
}

/* v leads the group [v, v + size): halve from all of P until it does. */
static int group_size(int P, int v, int *parent)
{
    int low = 0, size = P;

    while (low != v) {
        const int h = (int)half(size);

        if (v >= low + h) {
            *parent = low;
            low += h;
            size -= h;
        } else {
            size = h;
        }
    }
    return size;
}

static int binomial_parent(int P, int v, const void *shape)
{
    int parent = 0;

    (void)shape;
    group_size(P, v, &parent);
    return parent;
}

static int binomial_child(int P, int v, int k, const void *shape)
{
    int parent, size = group_size(P, v, &parent);

    (void)shape;
    while (k-- > 0 && size > 1)
        size = (int)half(size);
    return size > 1 ? v + (int)half(size) : -1;
}

static int flip(int v, int root, int P)
{
    return (P & (P - 1)) == 0 ? v ^ root : lpi_rotate(v, root, P);
}

/* Relabelled by exclusive or where P is a power of two, by rotation otherwise. */
int lpi_broadcast_binomial_plan(int P, int rank, struct logp_coll *c)
{
    const int v = (P & (P - 1)) == 0 ? rank ^ c->root : virtual_rank(rank, c->root, P);

    return lpi_plan_tree(P, v, &(struct lpi_tree_shape){binomial_parent, binomial_child, NULL},
                         flip, c);
}

/* t(1) = 0, t(2) = D, t(P) = max(D + t(P-h), E + t(h)); P = 2^x: D + (x-1) max(D, E) */
static int64_t binomial_time(int64_t P, const struct lpi_times *t)
{
    const int x = P > 1 ? 63 - __builtin_clzll((uint64_t)P) : 0;
    int64_t h;

    if (P == 1)
        return 0;
    if ((P & (P - 1)) == 0)
        return t->D + (x - 1) * lpi_max(t->D, t->E);
    h = half(P);
    return lpi_max(t->D + binomial_time(P - h, t), t->E + binomial_time(h, t));
}

struct logp_prediction lpi_broadcast_binomial_predict(int64_t P, const struct logp_coll *c)
{
    const struct lpi_times t = lpi_times(&c->params, c->n_bytes);

    return ends_at(P, binomial_time(P, &t), &t);
}

/* ---- optimal: the tree of Shou & Chen, for these L, o, g ---- */

struct place {
    struct logp_tree tree;
    struct logp_tree_node node; /* the one that is planned for */
};

static int optimal_parent(int P, int v, const void *shape)
{
    const struct place *place = shape;

    (void)P, (void)v;
    return (int)place->node.parent;
}

static int optimal_child(int P, int v, int k, const void *shape)
{
    const struct place *place = shape;
    struct logp_tree_node child;

    (void)P, (void)v;
    return logp_tree_child(&place->tree, &place->node, k, &child) ? (int)child.id : -1;
}

int lpi_broadcast_optimal_plan(int P, int rank, struct logp_coll *c)
{
    struct place place;
    const int rc = logp_tree_broadcast(&place.tree, P, &c->params, c->n_bytes);

    if (rc != 0)
        return rc;
    place.node = logp_tree_find(&place.tree, virtual_rank(rank, c->root, P));
    return plan_rotated(P, rank, &(struct lpi_tree_shape){optimal_parent, optimal_child, &place},
                        c);
}

/* The least n with f(n) >= P. No broadcast is faster. */
struct logp_prediction lpi_broadcast_optimal_predict(int64_t P, const struct logp_coll *c)
{
    struct logp_tree tree;

    if (logp_tree_broadcast(&tree, P, &c->params, c->n_bytes) != 0)
        return lpi_no_prediction();
    return lpi_exact(logp_tree_time(&tree));
}
