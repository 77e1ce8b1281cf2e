/* SPDX-License-Identifier: MIT */
/**
 * @file tree.h
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
 * Source: Shou & Chen, optimal broadcast and summation in the LogP model, 1996, corrected for
 * g < o (e = max(g, o) in place of g).
 */
#ifndef LOGP_TREE_H
#define LOGP_TREE_H

#include <logp/defs.h>
#include <logp/delay.h>

LOGP_BEGIN_DECLS

/** Largest P that the functions take; f saturates above it. */
#define LOGP_TREE_MAX (INT64_C(1) << 61)

/** The tree of P processors. Fields are read only; made by logp_tree_init(). */
struct logp_tree {
    int64_t P;
    int64_t d, e;  /**< divided by their greatest common divisor */
    int64_t scale; /**< that divisor */
    int64_t T;     /**< effective time of the root, in the caller's unit */
    int64_t early; /**< shared gap: a node holds the item so long before it could send it on */
    int64_t ends;  /**< how many nodes of effective time 0 there are; 0: all with an id below P */
};

/** A node. Ids are relative to the root, in depth-first order. */
struct logp_tree_node {
    int64_t id;
    int64_t time;   /**< effective time: what is left when it holds the item */
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
 * the one before it, if that is what the thread asked for last: O(1) counts, amortised. */
LOGP_API struct logp_tree_node logp_tree_find(const struct logp_tree *tree, int64_t id);

LOGP_END_DECLS

#endif
