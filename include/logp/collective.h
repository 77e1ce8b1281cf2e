/* SPDX-License-Identifier: MIT */
/**
 * @file collective.h
 * The collective algorithms, each with its prediction beside it, in one table.
 *
 * An algorithm is a row of logp_algorithms(): what one processor does (run), what it works out
 * beforehand (plan), and how long the whole takes under LogP (predict). A program plans once and
 * runs often:
 *
 *     struct logp_coll c = {.root = 0, .buf = data, .n_bytes = 8};
 *     const struct logp_algorithm *a = logp_algorithm_find("broadcast", "binomial");
 *     logp_coll_plan(a, P, rank, &c);  ...  logp_coll_run(vp, a, &c);  ...  logp_coll_unplan(&c);
 *
 * or calls logp_broadcast(), which does all three with the best algorithm for the model in force.
 */
#ifndef LOGP_COLLECTIVE_H
#define LOGP_COLLECTIVE_H

#include <logp/defs.h>
#include <logp/delay.h>

LOGP_BEGIN_DECLS

/** What one processor does in a collective along a tree; made by logp_coll_plan(). */
struct logp_plan {
    int parent; /**< rank; -1: it is the root */
    int n_children;
    int *children; /**< ranks, in the order of sending; owned by the plan */
};

/** The arguments of a collective, the same on all processors but for buf and plan. */
struct logp_coll {
    int root;       /**< rank */
    int tag;        /**< >= 0; its messages use it, in the context of the view they are run in */
    size_t n_bytes; /**< size of the item; alltoall: for each destination */
    void *buf;      /**< broadcast: the item on the root, room for it elsewhere;
                         alltoall: P items, that for rank i at i n_bytes; barrier: NULL */
    void *recv_buf; /**< alltoall: room for P items, by source; else NULL */
    struct logp_params params; /**< the model that the algorithm plans for */
    struct logp_plan plan;
};

/** How sure a prediction is. */
enum logp_certainty {
    LOGP_PREDICTION_NONE,  /**< there is no formula for this case */
    LOGP_PREDICTION_EXACT, /**< equals the virtual clock to the nanosecond */
    LOGP_PREDICTION_BOUND, /**< an upper bound */
    LOGP_PREDICTION_LOWER_BOUND,
};

/** @return "none", "exact", "bound" or "lower-bound". */
LOGP_API const char *logp_certainty_name(enum logp_certainty certainty);

/** From the common start to the moment the last processor is done. */
struct logp_prediction {
    enum logp_certainty certainty;
    int64_t ns; /**< meaningless where certainty is LOGP_PREDICTION_NONE */
};

/** A row of the table. */
struct logp_algorithm {
    const char *collective;
    const char *name;
    const char *summary; /**< one line */
    const char *source;  /**< the paper */
    /** Fill c->plan for this rank of P. 0; -ENOMEM. NULL: nothing to plan. */
    int (*plan)(int P, int rank, struct logp_coll *c);
    /** What this processor does. As logp_send() and logp_recv(). */
    int (*run)(struct logp_vp *vp, const struct logp_coll *c);
    /** The prediction for P processors under c->params. */
    struct logp_prediction (*predict)(int64_t P, const struct logp_coll *c);
};

/** A collective: how its operands are made and its result is checked. */
struct logp_collective {
    const char *name;
    const char *summary;
    bool rooted; /**< one rank is special: logp_coll.root */
    /** Bytes of buf and recv_buf on each of P processors. */
    void (*sizes)(int P, const struct logp_coll *c, size_t *buf, size_t *recv_buf);
    /** Before a run: the operands of this rank, different for every seed; elsewhere garbage. */
    void (*fill)(int P, int rank, uint64_t seed, const struct logp_coll *c);
    /** After it: does this rank hold what it should? */
    bool (*check)(int P, int rank, uint64_t seed, const struct logp_coll *c);
};

/** The table. @param n out: its length. @return static storage. */
LOGP_API const struct logp_algorithm *logp_algorithms(size_t *n);

/** The collectives. @param n out: their number. @return static storage. */
LOGP_API const struct logp_collective *logp_collectives(size_t *n);

/** @return the row; NULL: none. */
LOGP_API const struct logp_algorithm *logp_algorithm_find(const char *collective, const char *name);

/** @return the collective; NULL: none. */
LOGP_API const struct logp_collective *logp_collective_find(const char *name);

/**
 * The algorithm with the best prediction; ties: the first of the table. A capacity is left out of
 * account, since no formula knows it. Where no algorithm has a prediction, the first of the table.
 * @return NULL: no such collective
 */
LOGP_API const struct logp_algorithm *logp_algorithm_best(const char *collective, int64_t P,
                                                          const struct logp_coll *c);

/**
 * Predict. Under a capacity limit there is no formula: LOGP_PREDICTION_NONE.
 * @param P  >= 1, up to LOGP_TREE_MAX
 */
LOGP_API struct logp_prediction logp_predict(const struct logp_algorithm *algorithm, int64_t P,
                                             const struct logp_coll *c);

/**
 * Work out what this rank does. To be undone with logp_coll_unplan().
 * @return 0; -EINVAL (rank or root out of range), -ENOMEM
 */
LOGP_API int logp_coll_plan(const struct logp_algorithm *algorithm, int P, int rank,
                            struct logp_coll *c);

/** Free the plan. */
LOGP_API void logp_coll_unplan(struct logp_coll *c);

/**
 * Run a planned collective; all processors of the view call it. Its messages travel in the context
 * of the collectives, apart from the program's own.
 * Threads: as logp_send().
 * @return as logp_send() and logp_recv()
 */
LOGP_API int logp_coll_run(struct logp_vp *vp, const struct logp_algorithm *algorithm,
                           const struct logp_coll *c);

/**
 * Broadcast n_bytes from root to all processors of the view, with the algorithm that is predicted
 * to be the best under the delay model in force (binomial where the model has no parameters).
 * @param buf  the item on the root, room for it elsewhere
 * @return as logp_send() and logp_recv(); -EINVAL (root), -ENOMEM
 * Source: Shou & Chen 1996.
 */
LOGP_API int logp_broadcast(struct logp_vp *vp, void *buf, size_t n_bytes, int root);

/**
 * No processor of the view returns before all have called. Dissemination.
 * @return as logp_send() and logp_recv()
 * Source: Hensgen, Finkel, Manber, IJPP 17(1), 1988.
 */
LOGP_API int logp_barrier(struct logp_vp *vp);

/**
 * Everyone sends a different item to everyone, itself included.
 * @param send_buf  P items of n_bytes, that for rank i at i n_bytes
 * @param recv_buf  room for P items, by source; must not overlap send_buf
 * @return as logp_send() and logp_recv()
 */
LOGP_API int logp_alltoall(struct logp_vp *vp, void *send_buf, size_t n_bytes, void *recv_buf);

LOGP_END_DECLS

#endif
