/* SPDX-License-Identifier: MIT */
/*
 * Steps of a processor in a reduction. Every algorithm is a tree (along_trees.c, kchain.c), and the
 * steps are the same for all of them: a processor receives its children's vectors one after the
 * other, combines each with its own, and sends the result up.
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
#include "schedule/reader.h"
#include "schedule/schedule.h"

#include <errno.h>

struct lpi_reduce_times lpi_reduce_times(const struct logp_invocation *c)
{
    const struct logp_params *p = &c->model.params;
    const int64_t stream = logp_params_stream_ns(p, lpi_vector_bytes(c));
    const int64_t combine = lpi_combine_ns(p, c->args.count);

    return (struct lpi_reduce_times){
        .a = p->o_send_ns + stream + p->L_ns + p->o_recv_ns + combine,
        .B = lpi_max(p->o_recv_ns + combine, logp_params_gap_ns(p, lpi_vector_bytes(c))),
    };
}

/* ---- what a processor does ---- */

size_t lpi_slot_bytes(size_t n_bytes)
{
    return (n_bytes + 63) / 64 * 64;
}

/* Of the vectors that a processor with children works with, or of segments of them. */
static size_t segment_bytes(const struct logp_invocation *c)
{
    return c->plan.block > 0 ? lpi_bytes((size_t)c->plan.block, lpi_element_bytes(c))
                             : lpi_vector_bytes(c);
}

/*
 * Of the two vectors that a processor with children works with, the root has one: recv_buf. The
 * plan's `own` is how many children are to the left, being of lower ranks where that matters; they
 * come first (flat), or there are none.
 */
int lpi_reduce_finish_plan(int rc, int rank, struct logp_invocation *c)
{
    struct logp_rank_plan *plan = &c->plan;
    const size_t bytes = segment_bytes(c);
    const bool commutes = c->args.op == NULL || c->args.op->commutative;
    const size_t n = (plan->n_children == 1 && commutes ? 1 : 2) - (size_t)(plan->parent < 0);

    if (rc == 0)
        rc = lpi_vector_valid(c);
    if (rc == 0 && lpi_vector_bytes(c) > SIZE_MAX / 4)
        rc = -ENOMEM;
    if (rc != 0) {
        lpi_free_plan(&c->plan);
        return rc;
    }
    plan->scratch_bytes = plan->n_children > 0 ? n * lpi_slot_bytes(bytes) : 0;
    while (!commutes && plan->own < plan->n_children && plan->children[plan->own] < rank)
        plan->own++;
    return 0;
}

int lpi_reduce_backwards(int rc, int rank, struct logp_invocation *c)
{
    if (rc == 0)
        lpi_reverse_children(&c->plan);
    return lpi_reduce_finish_plan(rc, rank, c);
}

/* Of the two vectors, 0 and 1: where they are; recv_buf from `begin` on. */
static struct logp_buffer_ref vector(const struct logp_invocation *c, int64_t which, size_t begin)
{
    const bool root = c->plan.parent < 0;

    if (root && which == 0)
        return (struct logp_buffer_ref){LOGP_RECV_BUF, begin};
    return (struct logp_buffer_ref){LOGP_SCRATCH,
                                    root || which == 0 ? 0 : lpi_slot_bytes(segment_bytes(c))};
}

/* In which of them the result is that k >= 1 children are part of. Operations that commute take
 * the first vector that comes as the left one, which saves a copy. */
static int64_t result_in(const struct logp_invocation *c, int64_t k)
{
    const int64_t left = k < c->plan.own ? k : c->plan.own;

    return c->args.op->commutative ? 0 : left % 2;
}

/* Whether a step follows the last child: the result goes up, or is not yet in its place. */
static bool moves_on(const struct logp_invocation *c)
{
    return c->plan.parent >= 0 || c->plan.n_children == 0 || result_in(c, c->plan.n_children) != 0;
}

/*
 * For each child a receive into the vector that does not hold the result, and a combination; then
 * the result goes up. A vector from the left is combined in place. In segments of plan.block
 * elements, if it is not 0, one after the other.
 */
bool lpi_reduce_steps(int64_t P, int64_t rank, const struct logp_invocation *c, int64_t i,
                      struct logp_step *out)
{
    const struct logp_rank_plan *plan = &c->plan;
    size_t begin = 0, bytes = lpi_vector_bytes(c);
    int64_t n = c->args.count, k;
    struct logp_buffer_ref acc, in;

    (void)P, (void)rank;
    if (plan->block > 0) {
        const int64_t a_segment = 2 * plan->n_children + moves_on(c);
        const int64_t segment = i < a_segment ? 0 : i / a_segment;

        i -= segment * a_segment;
        if (segment * plan->block >= n)
            return false;
        n -= segment * plan->block;
        n = n < plan->block ? n : plan->block;
        begin = (size_t)(segment * plan->block) * lpi_element_bytes(c);
        bytes = (size_t)n * lpi_element_bytes(c);
    }
    k = i / 2;
    if (k < plan->n_children) {
        const bool left = c->args.op->commutative ? k == 0 : k < plan->own;

        in = vector(c, k > 0 ? !result_in(c, k) : !c->args.op->commutative, begin);
        if (i % 2 == 0)
            return logp_step_receive(out, plan->children[k], c->args.tag, in.buffer, in.offset,
                                     bytes);
        acc = k > 0 ? vector(c, result_in(c, k), begin) : (struct logp_buffer_ref){LOGP_BUF, begin};
        return logp_step_combine(out, vector(c, result_in(c, k + 1), begin), left ? in : acc,
                                 left ? acc : in, n, lpi_combine_ns(&c->model.params, n));
    }
    if (i > 2 * plan->n_children)
        return false;
    acc = k > 0 ? vector(c, result_in(c, k), begin) : (struct logp_buffer_ref){LOGP_BUF, begin};
    if (plan->parent >= 0)
        return logp_step_send(out, plan->parent, c->args.tag, acc.buffer, acc.offset, bytes);
    return acc.buffer != LOGP_RECV_BUF &&
           logp_step_copy(out, (struct logp_buffer_ref){LOGP_RECV_BUF, begin}, acc, bytes);
}

int lpi_reduce_run(struct logp_vp *vp, const struct logp_invocation *c, void *buf, void *recv_buf)
{
    return lpi_read(vp, lpi_reduce_steps, c, buf, recv_buf);
}

/* ---- what the algorithms need ---- */

const char *lpi_reduce_needs_order(int64_t P, const struct logp_invocation *c)
{
    (void)P;
    return c->args.op == NULL || c->args.op->commutative || c->args.root == 0
               ? NULL
               : "a commutative operation, or root 0";
}

struct logp_prediction lpi_reduce_ends_at(int64_t P, __int128 T, const struct logp_invocation *c)
{
    if (P == 1)
        return lpi_exact(0);
    return c->model.params.gap_shared ? lpi_no_prediction() : lpi_exact(T);
}

int64_t lpi_reduce_textbook(int64_t P, const struct logp_invocation *c)
{
    return logp_textbook_cost(P, &c->model.params, lpi_vector_bytes(c));
}
