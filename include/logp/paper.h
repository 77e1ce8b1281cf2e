/* SPDX-License-Identifier: MIT */
/**
 * @file paper.h
 * The formulas of the papers, in their own units: optimal trees and summation, the pipelined torus
 * broadcast, machines in cycles. Unstable: this header may change in any version, and logp.h does
 * not include it.
 */
#ifndef LOGP_PAPER_H
#define LOGP_PAPER_H

#include <logp/collective.h>
#include <logp/defs.h>
#include <logp/delay.h>

LOGP_BEGIN_DECLS

/* ---- tree ---- */

/*
 * The optimal broadcast tree of Shou & Chen, from one counting function and without building it.
 *
 * f(n) is the largest number of processors that can hold an item within time n, when a message
 * takes d from the start of its sending to the end of its receipt and a processor starts sends
 * e apart: f(n) = 1 for n < d, and f(n-e) + f(n-d) beyond (with the cases of d <= n < e). The
 * least T with f(T) >= P is the time of the best broadcast. The root has id 0 and effective time
 * T; child k = 0, 1, ... of a node (id, t) has id + 1 + f(t) - f(t - k e) and t - d - k e, as long
 * as that time is >= 0 and the id < P. Times are in any unit that d and e share.
 *
 * Where f(T) > P, the nodes left out are the last by id. logp_tree_init_earliest() instead leaves
 * out nodes of the largest label T, so that its labels are the P earliest there are: a summation
 * has the more time for it.
 *
 * Degenerate: d = 0 is a chain in the order of ids, all at time 0; e = 0 < d is flat.
 * All functions are pure and may be called from any thread.
 * Source: Shou & Chen, optimal broadcast and summation in the LogP model, 1996, which assumes
 * g >= o; here e = max(g, o) takes the place of its g.
 */

/** The tree of P processors. Fields are read only; made by logp_tree_init(). */
struct logp_tree {
    int64_t P;
    int64_t d, e;  /**< divided by their greatest common divisor */
    int64_t scale; /**< that divisor */
    int64_t T;     /**< effective time of the root, in the caller's unit */
    int64_t early; /**< shared gap: time between holding the item and the first possible send */
    int64_t ends;  /**< number of nodes of effective time 0; 0: all with an id below P */
};

/** A node. Ids are relative to the root, in depth-first order. */
struct logp_tree_node {
    int64_t id;
    int64_t time;   /**< effective time: the time left when it holds the item */
    int64_t parent; /**< id; -1: the root */
    int64_t ends;   /**< nodes of effective time 0 before it; only where the tree's ends > 0 */
};

/**
 * @param P  1 .. LOGP_TREE_MAX
 * @param d  0 .. LOGP_PARAM_MAX_NS * 3
 * @param e  the same
 * @return 0; -EINVAL
 */
LOGP_API int logp_tree_init(struct logp_tree *tree, int64_t P, int64_t d, int64_t e);

/** The same for the P earliest labels: of the nodes with the largest one, the first by id. */
LOGP_API int logp_tree_init_earliest(struct logp_tree *tree, int64_t P, int64_t d, int64_t e);

/**
 * The tree of the `optimal` broadcast of n_bytes under these parameters: d = o_send + L + o_recv
 * and the streaming, e = max(o_send, g and the streaming); with the shared gap d grows to o_send +
 * L + max(o_recv, g). Times are in ns.
 * @return as logp_tree_init()
 */
LOGP_API int logp_tree_broadcast(struct logp_tree *tree, int64_t P,
                                 const struct logp_params *params, size_t n_bytes);

/** @return when the last node holds the item. */
LOGP_API int64_t logp_tree_time(const struct logp_tree *tree);

/** @return when this node holds the item; the root: 0. */
LOGP_API int64_t logp_tree_label(const struct logp_tree *tree, const struct logp_tree_node *node);

/** f(n), at most LOGP_TREE_MAX; n, d, e in one unit, d + e > 0; n < 0: 0. */
LOGP_API int64_t logp_tree_count(int64_t n, int64_t d, int64_t e);

/** @return the root of the tree. */
LOGP_API struct logp_tree_node logp_tree_root(const struct logp_tree *tree);

/**
 * Child k of a node, in the order of sending.
 * @return true; false: the node has at most k children
 */
LOGP_API bool logp_tree_child(const struct logp_tree *tree, const struct logp_tree_node *node,
                              int64_t k, struct logp_tree_node *child);

/** @return how many children a node has. */
LOGP_API int64_t logp_tree_children(const struct logp_tree *tree,
                                    const struct logp_tree_node *node);

/** The node with this id, 0 <= id < P, found from the root: O(depth log children) counts; or from
 * the node before it, if the thread has found that one last: O(1) counts, amortised. */
LOGP_API struct logp_tree_node logp_tree_find(const struct logp_tree *tree, int64_t id);

/* ---- summation ---- */

/*
 * The summation of Shou & Chen: N operands in all on P processors, the result on the root, when an
 * addition costs gamma. It determines how many operands each processor should have, and to which
 * processor it sends its sum.
 *
 * It is a broadcast tree with time reversed: a message and the addition of its operand take
 * d = o_send + L + o_recv + gamma, and a processor ends such additions e = max(g, o_recv + gamma)
 * apart. A node of effective time t with K children has t - K (o_recv + gamma) left for operands of
 * its own, so it sums A = t/gamma - K (o_recv/gamma + 1) + 1 of them until it must send. The
 * children are received in the order K-1 .. 0. Local additions fill the time between, so no
 * processor waits. Operands beyond the sum of all A are shared out
 * evenly, and each processor adds its own first.
 *
 * Times are in units of gamma, everything else is rounded up to them. gamma = 0 is the limit of a
 * small one: the root alone sums all in no time.
 *
 * All functions are pure and may be called from any thread.
 * Source: Shou & Chen, optimal broadcast and summation in the LogP model, 1996, corrected: L + 1
 * and max(g, o + 1) as the tree's parameters, the true number of children, no operand dropped.
 */

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

/** The work of a processor: `first` local additions, then for each child from the last one to the
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

/* ---- torus ---- */

/*
 * The pipelined broadcast on a torus in its paper's own units, bits and cycles: the formulas that
 * it prints, its advice on the size of a block, and the best size. The algorithms `torus` and
 * `torus-pipelined` have predictions of their own, in bytes and nanoseconds, which are exact.
 *
 * All functions are pure. n and M are 1 .. 2^40, C is 0 .. 2^40, and the values of the machine are
 * at most 2^20. Times are rounded up to whole cycles: the time of the bits of a whole way across
 * the torus once, and the processing of a block once. Results stop at INT64_MAX.
 *
 * Source: Liu, Li & Cui 1996, corrected.
 */

/** A broadcast. */
struct logp_torus {
    const struct logp_preset *machine;
    int64_t n; /**< n x n processors */
    int64_t M; /**< bits of the message */
    int64_t C; /**< cycles to process the message */
};

/** The message in one piece: n (Tsnd + M/w + r + Trcv) + C cycles. */
LOGP_API int64_t logp_torus_plain(const struct logp_torus *t);

/**
 * Equation (6): in blocks of m bits,
 * n (Tsnd + m/w + r + Trcv) + (ceil(M/m) - 1) max(4g, Trcv + 3 Tsnd + C m/M) + C m/M cycles. An
 * upper bound where n is even, Tsnd = Trcv and a hop takes at least g.
 * @param m  1 .. M
 */
LOGP_API int64_t logp_torus_pipelined(const struct logp_torus *t, int64_t m);

/** @return the size of a block, in bits, that makes equation (6) least. */
LOGP_API int64_t logp_torus_best_block(const struct logp_torus *t);

/** The advice where the gap decides: sqrt(4gM / (n/w + C/M)) bits, rounded up. Equation (9), case
 *  1, lacks this M; case 2, the next, has it. */
LOGP_API int64_t logp_torus_block_by_gap(const struct logp_torus *t);

/** The advice where overhead and processing decide: sqrt((Trcv + 3 Tsnd) w M / n), rounded up. */
LOGP_API int64_t logp_torus_block_by_work(const struct logp_torus *t);

/** @return whether pipelining helps: nM/w + C >= max(8g, 2 (Trcv + 3 Tsnd) + C). */
LOGP_API bool logp_torus_pipelining_helps(const struct logp_torus *t);

/* ---- preset ---- */

/*
 * Real machines as presets: measurements of their builders and users, in cycles, and the parameters
 * that follow from them. Messages are stored and forwarded: each hop is a software send.
 * All functions are pure and may be called from any thread.
 * Source: Liu, Li & Cui 1996, table 1.
 */

/** A machine; times in cycles. */
struct logp_preset {
    const char *name;  /**< "dash" */
    const char *title; /**< "Stanford DASH" */
    int64_t cycle_ns;
    int64_t width;    /**< bits that a link moves in a cycle */
    int64_t overhead; /**< of a send and a receive together, half each */
    int64_t gap;      /**< between two sends of a processor */
    int64_t delay;    /**< of a router: a message's time to the next processor, without its bits */
};

/** @return preset i = 0, 1, ...; static storage; NULL: there are no more. */
LOGP_API const struct logp_preset *logp_preset_at(size_t i);

/** @return the preset; NULL: none. */
LOGP_API const struct logp_preset *logp_preset_find(const char *name);

/**
 * The parameters, for the delay model `store-forward`: L is the router's delay, G a byte's time on
 * the link (the built-in presets are whole picoseconds; others are rounded up), and an odd overhead
 * costs the receiver the cycle more.
 */
LOGP_API struct logp_params logp_preset_params(const struct logp_preset *preset);

LOGP_END_DECLS

#endif
