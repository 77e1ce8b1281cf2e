/* SPDX-License-Identifier: MIT */
/**
 * @file summation.h
 * The summation of Shou & Chen: N operands in all on P processors, the result on the root, when an
 * addition costs gamma. It says how many operands each processor should have and who sends its sum
 * to whom.
 *
 * It is a broadcast tree with time reversed: a message and the addition of what it brings take
 * d = o_send + L + o_recv + gamma, and a processor ends such additions e = max(g, o_recv + gamma)
 * apart. A node of effective time t with K children has t - K (o_recv + gamma) left for operands of
 * its own, so it sums A = t/gamma - K (o_recv/gamma + 1) + 1 of them until it must send. The
 * children are received in the order K-1 .. 0, local additions fill the time between, and nobody
 * ever waits. Operands beyond the sum of all A are shared out evenly, everyone's additions first.
 *
 * Times are in units of gamma, everything else is rounded up to them. gamma = 0 is the limit of a
 * small one: the root alone sums all in no time.
 *
 * All functions are pure and may be called from any thread.
 * Source: Shou & Chen, optimal broadcast and summation in the LogP model, 1996, corrected: L + 1
 * and max(g, o + 1) as the tree's parameters, the true number of children, no operand dropped.
 */
#ifndef LOGP_SUMMATION_H
#define LOGP_SUMMATION_H

#include <logp/defs.h>
#include <logp/delay.h>
#include <logp/tree.h>

LOGP_BEGIN_DECLS

/** Largest number of operands. */
#define LOGP_SUMMATION_MAX (INT64_C(1) << 50)

/** The plan of a summation. Fields are read only; made by logp_summation_optimal() or _paper(). */
struct logp_summation {
    struct logp_tree tree; /**< of the processors that take part; times in units of gamma */
    int64_t o_recv;        /**< in units */
    int64_t each, more; /**< operands shared out: each to all, and one more to ids below `more` */
    int64_t time;       /**< in units: the root has the result */
    int64_t unit_ps;    /**< gamma */
    bool exact;         /**< the time is that of the virtual clock; else an upper bound */
};

/** What a processor does: `first` local additions, then for each child from the last one to the
 *  first a receive and its addition, with `between` local additions between; then it sends. */
struct logp_summation_node {
    struct logp_tree_node place; /**< id, effective time and parent in the tree */
    int64_t children;
    int64_t own;            /**< operands that its place in the tree has time for: A */
    int64_t shared;         /**< operands beyond them; it has own + shared in all */
    int64_t first, between; /**< local additions */
    int64_t ready;          /**< in units: it starts to send its sum; the root: the end */
};

/**
 * The least time in which a tree can sum N operands: on the tree of the earliest labels, with as
 * many processors as can contribute.
 * @param P        processors, 1 .. LOGP_TREE_MAX
 * @param N        operands, 1 .. LOGP_SUMMATION_MAX
 * @param n_bytes  size of an operand
 * @return 0; -EINVAL
 */
LOGP_API int logp_summation_optimal(struct logp_summation *s, int64_t P, int64_t N,
                                    const struct logp_params *params, size_t n_bytes);

/**
 * The paper's plan: all P processors on the tree of the optimal broadcast. Where N is too small to
 * fill it, as logp_summation_optimal().
 */
LOGP_API int logp_summation_paper(struct logp_summation *s, int64_t P, int64_t N,
                                  const struct logp_params *params, size_t n_bytes);

/** The processor with this id, 0 <= id < s->tree.P, relative to the root. */
LOGP_API struct logp_summation_node logp_summation_node(const struct logp_summation *s, int64_t id);

LOGP_END_DECLS

#endif
