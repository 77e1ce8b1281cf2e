/* SPDX-License-Identifier: MIT */
/*
 * Reduce: a vector from each processor, combined element by element, on the root. Every algorithm
 * is a tree (reduce_tree.c, kchain.c); what a processor does is the same for all of them: it
 * receives its children's vectors one after the other, combines each with what it has, and sends
 * the result up.
 *
 * With D and st of a whole vector and c the time to combine one with another, a = D + c is the time
 * from a child's send until its vector is part of its parent's, and B = max(o_recv + c, g + st) the
 * least time between two of them. So a node is ready at a time that folds over its children in the
 * order of receipt: T = max(T + B, t(child) + a), for the first one t(child) + a; a leaf is ready
 * at 0. With the gap shared by sends and receives there is no formula.
 *
 * An operation that does not commute needs the operands in the order of ranks. A tree keeps it, for
 * root 0, if each subtree holds consecutive ranks, its root the first of them, and is received in
 * their order.
 * Source: Kurnosov 2016, corrected.
 */
#include "reduce.h"

#include <logp/vp.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

size_t lpi_vector_bytes(const struct logp_coll *c)
{
    const size_t element = c->op != NULL ? c->op->element_bytes : 8;

    return c->count > 0 ? lpi_bytes((size_t)c->count, element) : 0;
}

struct lpi_reduce_times lpi_reduce_times(const struct logp_coll *c)
{
    const struct logp_params *p = &c->params;
    const int64_t stream = logp_stream_ns(p, lpi_vector_bytes(c));
    const int64_t combine = lpi_combine_ns(p, c->count);

    return (struct lpi_reduce_times){
        .a = p->o_send_ns + stream + p->L_ns + p->o_recv_ns + combine,
        .B = lpi_max(p->o_recv_ns + combine, logp_gap_ns(p, lpi_vector_bytes(c))),
    };
}

/* ---- what a processor does ---- */

/* A vector starts on a cache line of its own. */
static size_t slot_bytes(size_t n_bytes)
{
    return (n_bytes + 63) / 64 * 64;
}

/* Of the two vectors that a processor with children works with, the root has one: recv_buf. */
int lpi_reduce_finish_plan(int rc, struct logp_coll *c)
{
    const size_t bytes = lpi_vector_bytes(c);
    const bool one_will_do = c->plan.n_children == 1 && (c->op == NULL || c->op->commutative);
    const size_t n = (one_will_do ? 1 : 2) - (size_t)(c->plan.parent < 0);

    if (rc == 0 && (c->op == NULL || c->count < 0))
        rc = -EINVAL;
    if (rc == 0 && bytes > SIZE_MAX / 4)
        rc = -ENOMEM;
    if (rc == 0 && bytes > 0 && n > 0 && c->plan.n_children > 0) {
        c->plan.scratch = aligned_alloc(64, n * slot_bytes(bytes));
        if (c->plan.scratch == NULL)
            rc = -ENOMEM;
    }
    if (rc != 0)
        logp_coll_unplan(c);
    return rc;
}

/* One combination: left = left op right. */
struct join {
    const struct logp_op *op;
    size_t count;
    void *left;
    const void *right;
    const void *left_from; /* not NULL: left is a copy of it */
};

static void join(void *arg)
{
    const struct join *j = arg;

    if (j->count == 0)
        return;
    if (j->left_from != NULL)
        memcpy(j->left, j->left_from, j->count * j->op->element_bytes);
    j->op->combine(j->left, j->right, j->count, j->op->arg);
}

/* What a processor works with: its result so far, and room for the next vector. */
struct work {
    char *acc, *in;
    size_t n_bytes;
    int64_t combine_ns;
};

/*
 * Receive the vector of child i and combine it. It goes to the left of what is there where it must,
 * being of lower ranks, and where that saves a copy: the first one of an operation that commutes.
 */
static int take_child(struct logp_vp *vp, const struct logp_coll *c, int i, struct work *w)
{
    const int child = c->plan.children[i];
    const bool first = i == 0;
    const bool left = c->op->commutative ? first : child < logp_vp_rank(vp);
    struct join j = {.op = c->op, .count = (size_t)c->count, .left = w->acc, .right = w->in};
    int rc = logp_recv(vp, child, c->tag, w->in, w->n_bytes, NULL);

    if (rc != 0)
        return rc;
    if (left) {
        j.left = w->in;
        j.right = first ? c->buf : w->acc;
        w->in = w->acc;
        w->acc = j.left;
    } else if (first) {
        j.left_from = c->buf;
    }
    return logp_compute(vp, w->combine_ns, join, &j);
}

int lpi_reduce_run(struct logp_vp *vp, const struct logp_coll *c)
{
    const bool root = c->plan.parent < 0;
    struct work w = {.n_bytes = lpi_vector_bytes(c),
                     .combine_ns = lpi_combine_ns(&c->params, c->count)};
    char *one = root ? c->recv_buf : c->plan.scratch, *two = c->plan.scratch, *result = c->buf;
    int rc = 0;

    if (!root && two != NULL)
        two += slot_bytes(w.n_bytes);
    w.in = c->op->commutative ? one : two; /* so that the result is in the first of them */
    w.acc = c->op->commutative ? two : one;
    for (int i = 0; rc == 0 && i < c->plan.n_children; i++)
        rc = take_child(vp, c, i, &w);
    if (c->plan.n_children > 0)
        result = w.acc;
    if (rc == 0 && !root)
        rc = logp_send(vp, c->plan.parent, c->tag, result, w.n_bytes);
    else if (rc == 0 && result != c->recv_buf && w.n_bytes > 0)
        memcpy(c->recv_buf, result, w.n_bytes);
    return rc;
}

/* ---- operands and results ---- */

void lpi_reduce_sizes(int P, int rank, const struct logp_coll *c, size_t *buf, size_t *recv_buf)
{
    (void)P;
    *buf = lpi_vector_bytes(c);
    *recv_buf = rank == c->root ? *buf : 0;
}

static uint64_t operand_seed(int P, int rank, uint64_t seed)
{
    return seed * (uint64_t)P + (uint64_t)rank;
}

void lpi_reduce_fill(int P, int rank, uint64_t seed, const struct logp_coll *c)
{
    lpi_op_fill(c->op, c->buf, (size_t)c->count, operand_seed(P, rank, seed));
    if (rank == c->root && c->count > 0)
        memset(c->recv_buf, 0xa5, lpi_vector_bytes(c));
}

/* All operands again, combined in the order of ranks. */
int lpi_reduce_check(int P, int rank, uint64_t seed, const struct logp_coll *c)
{
    const size_t bytes = lpi_vector_bytes(c), n = (size_t)c->count;
    char *expected, *operand;
    int right = -ENOMEM;

    if (rank != c->root || bytes == 0)
        return true;
    expected = malloc(bytes);
    operand = malloc(bytes);
    if (expected != NULL && operand != NULL) {
        lpi_op_fill(c->op, expected, n, operand_seed(P, 0, seed));
        for (int i = 1; i < P; i++) {
            lpi_op_fill(c->op, operand, n, operand_seed(P, i, seed));
            c->op->combine(expected, operand, n, c->op->arg);
        }
        right = memcmp(c->recv_buf, expected, bytes) == 0;
    }
    free(expected);
    free(operand);
    return right;
}

/* ---- what the algorithms need ---- */

const char *lpi_reduce_needs_commutative(int64_t P, const struct logp_coll *c)
{
    (void)P;
    return c->op == NULL || c->op->commutative ? NULL : "a commutative operation";
}

const char *lpi_reduce_needs_order(int64_t P, const struct logp_coll *c)
{
    (void)P;
    return c->op == NULL || c->op->commutative || c->root == 0
               ? NULL
               : "a commutative operation, or root 0";
}

struct logp_prediction lpi_reduce_ends_at(int64_t P, __int128 T, const struct logp_coll *c)
{
    if (P == 1)
        return lpi_exact(0);
    return c->params.gap_shared ? lpi_no_prediction() : lpi_exact(T);
}
