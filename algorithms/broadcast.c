/* SPDX-License-Identifier: MIT */
/*
 * Broadcast: the root's item reaches all processors. Every algorithm is a tree (shapes.c); what a
 * processor does is the same for all of them.
 *
 * A node that holds the item at time t sends to its k-th child at t + k E, which holds it at
 * t + D + k E (D, E: struct lpi_times). The predictions are the largest such time, and the time to
 * process the item: who holds it last has nobody to send it to.
 */
#include "broadcast.h"
#include "doubling.h"
#include "schedule/reader.h"

#include <logp/tree.h>

#include <stdint.h>
#include <string.h>

/* Receive from the parent, send to the children in their order, process the item. */
bool lpi_broadcast_steps(int64_t P, int64_t rank, const struct logp_coll *c, int64_t i,
                         struct logp_step *out)
{
    const struct logp_plan *plan = &c->plan;

    (void)P, (void)rank;
    if (plan->parent >= 0 && i-- == 0)
        return logp_step_receive(out, plan->parent, c->tag, LOGP_BUF, 0, c->n_bytes);
    if (i < plan->n_children)
        return logp_step_send(out, plan->children[i], c->tag, LOGP_BUF, 0, c->n_bytes);
    return i == plan->n_children && c->work_ns > 0 && logp_step_compute(out, c->work_ns, 0);
}

int lpi_broadcast_run(struct logp_vp *vp, const struct logp_coll *c)
{
    return lpi_read(vp, lpi_broadcast_steps, c);
}

void lpi_broadcast_sizes(int P, int rank, const struct logp_coll *c, size_t *buf, size_t *recv_buf)
{
    (void)P, (void)rank;
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

int lpi_broadcast_check(int P, int rank, uint64_t seed, const struct logp_coll *c)
{
    (void)P, (void)rank;
    return lpi_pattern_check(c->buf, c->n_bytes, seed);
}

size_t lpi_broadcast_given(int64_t P, int64_t rank, const struct logp_coll *c)
{
    (void)P;
    return rank == c->root ? c->n_bytes : 0;
}

bool lpi_broadcast_promise(int64_t P, int64_t rank, const struct logp_coll *c, int64_t j,
                           struct logp_promise *out)
{
    (void)P, (void)rank;
    out->n_bytes = c->n_bytes;
    out->from = c->root;
    return j == 0;
}

/* The end of the last receive, when the last node could go on at `last`, and then the work. */
static struct logp_prediction ends_at(int64_t P, __int128 last, const struct lpi_times *t,
                                      const struct logp_coll *c)
{
    return lpi_exact((P > 1 ? last - t->early : 0) + c->work_ns);
}

/* (P-2) E + D, all P >= 2 */
struct logp_prediction lpi_broadcast_flat_predict(int64_t P, const struct logp_coll *c)
{
    const struct lpi_times t = lpi_times(&c->params, c->n_bytes);

    return ends_at(P, (__int128)(P - 2) * t.E + t.D, &t, c);
}

/* (P-1) D */
struct logp_prediction lpi_broadcast_chain_predict(int64_t P, const struct logp_coll *c)
{
    const struct lpi_times t = lpi_times(&c->params, c->n_bytes);

    return ends_at(P, (__int128)(P - 1) * t.D, &t, c);
}

/*
 * The largest depth x D + right turns x E. The path to v is the binary of v + 1 below its first
 * one, a right turn for each one; only the last level and the full one above can be the latest.
 */
struct logp_prediction lpi_broadcast_binary_predict(int64_t P, const struct logp_coll *c)
{
    const struct lpi_times t = lpi_times(&c->params, c->n_bytes);
    const int depth = 63 - __builtin_clzll((uint64_t)P);
    const __int128 last =
        (__int128)depth * t.D + (__int128)(lpi_most_ones((uint64_t)P, depth) - 1) * t.E;
    const __int128 above = depth > 0 ? (__int128)(depth - 1) * (t.D + t.E) : 0;

    return ends_at(P, lpi_later(last, above), &t, c);
}

/* t(1) = 0, t(2) = D, t(P) = max(D + t(P-h), E + t(h)); P = 2^x: D + (x-1) max(D, E) */
struct logp_prediction lpi_broadcast_binomial_predict(int64_t P, const struct logp_coll *c)
{
    const struct lpi_times t = lpi_times(&c->params, c->n_bytes);

    return ends_at(P, lpi_doubling_time(P, t.D, t.E), &t, c);
}

/* Over all v < P with m ones and top bit t, the largest m D + (t + 1 - m) E. */
struct logp_prediction lpi_broadcast_nearest_predict(int64_t P, const struct logp_coll *c)
{
    const struct lpi_times t = lpi_times(&c->params, c->n_bytes);

    return ends_at(P, lpi_nearest_time(P, t.D, t.E), &t, c);
}

/* P = 4^x: the formula of `binomial`; other squares q^2, where E <= D: 2 t(q) of `binomial`; else
 * the recurrence in doubling.c. */
struct logp_prediction lpi_broadcast_mesh_predict(int64_t P, const struct logp_coll *c)
{
    const struct lpi_times t = lpi_times(&c->params, c->n_bytes);

    return ends_at(P, lpi_mesh_time(P, t.D, t.E), &t, c);
}

/* The tree for these L, o, g. */
int lpi_broadcast_optimal_plan(int P, int rank, struct logp_coll *c)
{
    struct logp_tree tree;
    const int rc = logp_tree_broadcast(&tree, P, &c->params, c->n_bytes);

    return rc != 0 ? rc : lpi_plan_optimal(&tree, rank, c);
}

/* The least n with f(n) >= P. No broadcast is faster. */
struct logp_prediction lpi_broadcast_optimal_predict(int64_t P, const struct logp_coll *c)
{
    struct logp_tree tree;

    if (logp_tree_broadcast(&tree, P, &c->params, c->n_bytes) != 0)
        return lpi_no_prediction();
    return lpi_exact((__int128)logp_tree_time(&tree) + c->work_ns);
}
