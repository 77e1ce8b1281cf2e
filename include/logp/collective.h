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
 *
 * In a summation the plan says how many operands a processor has, so that it plans first and then
 * provides them. params.gamma_ps is what an addition costs:
 *
 *     struct logp_coll c = {.count = N, .op = logp_op_find("sum", "double"), .params = params};
 *     const struct logp_algorithm *a = logp_algorithm_best("summation", P, &c);
 *     logp_coll_plan(a, P, rank, &c);
 *     c.buf = the processor's share, c.plan.own elements;
 *     c.recv_buf = &sum;  (on the root)
 *     logp_coll_run(vp, a, &c);  ...  logp_coll_unplan(&c);
 */
#ifndef LOGP_COLLECTIVE_H
#define LOGP_COLLECTIVE_H

#include <logp/defs.h>
#include <logp/delay.h>
#include <logp/op.h>

LOGP_BEGIN_DECLS

struct logp_step_list; /**< schedule.h */

/** What one processor does in a collective; made by logp_coll_plan(). */
struct logp_plan {
    int parent; /**< rank; -1: it is the root */
    int n_children;
    int *children;        /**< ranks, in the order of use; owned by the plan */
    int64_t own;          /**< summation: how many operands this processor has; 0: it takes no part;
                               reduce: how many children are to its left */
    int64_t block;        /**< torus-pipelined: bytes of a block, but the last */
    void *state;          /**< what else the algorithm has worked out; owned by the plan */
    void *scratch;        /**< memory of the algorithm's own, to run in; owned by the plan */
    size_t scratch_bytes; /**< of it: the algorithm says how much, logp_coll_plan() provides it */
};

/** transpose: what travels as one message. */
enum logp_packing {
    LOGP_PACKING_STRUCTURED, /**< all that goes to one destination */
    LOGP_PACKING_NONE,       /**< one column of it */
};

#define LOGP_K_SQRT (-1) /**< logp_coll.k of reductions by chains: ceil(sqrt(P - 1)) */

/**
 * The arguments of a collective, the same on all processors but for buf, recv_buf and plan. What a
 * collective has no use for stays 0.
 */
struct logp_coll {
    int root;       /**< rank */
    int tag;        /**< >= 0; its messages use it, in the context of the view they are run in */
    size_t n_bytes; /**< broadcast: size of the item; alltoall: for each destination;
                         transpose: size of an element */
    int64_t count;  /**< reduce: elements of a vector; summation: operands of all together;
                         matvec: rows and columns of each processor's block */
    const struct logp_op *op;  /**< reduce, summation: how they combine; not copied */
    int64_t rows, cols;        /**< transpose: the matrix */
    enum logp_packing packing; /**< transpose */
    int64_t pack_ns;           /**< transpose, structured: time to pack a column, >= 0 */
    int64_t window;            /**< ring-window: before receive r, r + window - 1 sends have been
                                    made; 0: the best */
    int64_t k;                 /**< chains, segments, radix: 0 its own choice */
    int64_t block_bytes;       /**< torus-pipelined: 0 as many blocks as predicted best */
    int64_t work_ns;           /**< broadcast: time that each processor takes to process the item */
    bool no_overlap;           /**< torus-pipelined: processing does not overlap with sending */
    void *buf;      /**< the processor's operands; broadcast: the item on the root, room for it
                         elsewhere; alltoall: P items, that for rank i at i n_bytes;
                         transpose: its columns of the matrix, one after another; matvec: the
                         block, row by row, and the piece of the vector (row 0) or room for it */
    void *recv_buf; /**< the result: alltoall: room for P items, by source; reduce: on the root;
                         transpose: its columns of the transposed matrix, which are rows; matvec:
                         a piece of it in column 0, elsewhere room for one */
    struct logp_params params;            /**< the model that the algorithm plans for */
    const struct logp_topology *topology; /**< the network that predictions are for, and a mesh's or
                                               torus's sizes those of the algorithms mesh and torus;
                                               NULL: none, any two processors are neighbours, and
                                               these are square */
    const struct logp_step_list *list;    /**< schedule: the steps of all ranks; not copied */
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

/** What a prediction is worked out from. */
enum logp_basis {
    LOGP_BY_EITHER,   /**< the formula; where that says nothing exact, the schedule */
    LOGP_BY_FORMULA,  /**< a closed form, or a recurrence */
    LOGP_BY_SCHEDULE, /**< the fold of its steps: schedule.h */
};

/** From the common start to the moment the last processor is done. */
struct logp_prediction {
    enum logp_certainty certainty;
    int64_t ns; /**< meaningless where certainty is LOGP_PREDICTION_NONE */
    enum logp_basis by;
};

struct logp_step;    /**< schedule.h */
struct logp_promise; /**< schedule.h */

/** A row of the table. */
struct logp_algorithm {
    const char *collective;
    const char *name;
    const char *summary; /**< one line */
    const char *source;  /**< the paper */
    /** NULL: it applies; else what it needs, in a few words ("a power of two of processors").
     *  The function itself is NULL where an algorithm always applies. */
    const char *(*needs)(int64_t P, const struct logp_coll *c);
    /** The k that it uses, given or chosen; NULL: it has none. */
    int64_t (*k)(int64_t P, const struct logp_coll *c);
    /** The window that it uses, given or chosen; NULL: it has none. */
    int64_t (*window)(int64_t P, const struct logp_coll *c);
    /** Bytes of the blocks that the item travels in, given or chosen; NULL: it travels whole. */
    int64_t (*block)(int64_t P, const struct logp_coll *c);
    /** Fill c->plan for this rank of P; it applies. As logp_coll_plan(). NULL: nothing to plan. */
    int (*plan)(int P, int rank, struct logp_coll *c);
    /** What this processor does, step by step: see schedule.h. NULL: it is no schedule. */
    bool (*steps)(int64_t P, int64_t rank, const struct logp_coll *c, int64_t i,
                  struct logp_step *out);
    /** What this processor does, as logp_send() and logp_recv(). NULL: its steps, and nothing else;
     *  of a row that has both, this is the reader with the steps inlined. */
    int (*run)(struct logp_vp *vp, const struct logp_coll *c);
    /** The formula for P processors under c->params; it applies, and there is neither capacity nor
     *  topology: see logp_predict(). NULL: there is none. */
    struct logp_prediction (*predict)(int64_t P, const struct logp_coll *c);
};

/** What says how large a collective is. */
enum logp_operands {
    LOGP_OPERANDS_NONE,   /**< nothing: it carries no data */
    LOGP_OPERANDS_BYTES,  /**< logp_coll.n_bytes */
    LOGP_OPERANDS_VECTOR, /**< count elements of op's type on each processor */
    LOGP_OPERANDS_TOTAL,  /**< count elements of op's type, all processors together */
    LOGP_OPERANDS_MATRIX, /**< rows x cols elements of n_bytes, columns over the processors */
};

/** A collective: how its operands are made and its result is checked. */
struct logp_collective {
    const char *name;
    const char *summary;
    bool rooted; /**< one rank is special: logp_coll.root */
    enum logp_operands operands;
    /** Bytes of buf and recv_buf of a rank. LOGP_OPERANDS_TOTAL: c is planned for it. */
    void (*sizes)(int P, int rank, const struct logp_coll *c, size_t *buf, size_t *recv_buf);
    /** Before a run: the operands of this rank, different for every seed; elsewhere garbage. */
    void (*fill)(int P, int rank, uint64_t seed, const struct logp_coll *c);
    /** After it: does this rank hold what it should? @return 1: yes; 0: no; -ENOMEM: who knows */
    int (*check)(int P, int rank, uint64_t seed, const struct logp_coll *c);
    /** Piece j = 0, 1, ... of what a rank must hold at the end: for logp_schedule_check(). *out is
     *  all 0 but for ranks, 1. @return false: there are no more. NULL: it must hold nothing */
    bool (*promise)(int64_t P, int64_t rank, const struct logp_coll *c, int64_t j,
                    struct logp_promise *out);
    /** How many bytes at the beginning of buf are its operands; c is planned. NULL: all. */
    size_t (*given)(int64_t P, int64_t rank, const struct logp_coll *c);
    /** Nobody may leave before all have come: an experiment looks whether that holds, up to 2^16
     *  processors (beyond, only that all come through). */
    bool holds_back;
};

/** The table. @param n out: its length. @return static storage. */
LOGP_API const struct logp_algorithm *logp_algorithms(size_t *n);

/** The collectives. @param n out: their number. @return static storage. */
LOGP_API const struct logp_collective *logp_collectives(size_t *n);

/** @return the row; NULL: none. Besides the table: "schedule" "listed", the steps of
 *  logp_coll.list. */
LOGP_API const struct logp_algorithm *logp_algorithm_find(const char *collective, const char *name);

/** @return the collective; NULL: none. Besides the table: "schedule". */
LOGP_API const struct logp_collective *logp_collective_find(const char *name);

/** @return NULL: the algorithm applies; else what it needs, in a few words; static storage. */
LOGP_API const char *logp_algorithm_needs(const struct logp_algorithm *algorithm, int64_t P,
                                          const struct logp_coll *c);

/**
 * The algorithm with the best prediction among those that apply; ties: the first of the table. A
 * capacity is left out of account, since no formula knows it. A lower bound counts only where there
 * is no other prediction. Where none that applies has a prediction, the first that applies.
 * @return NULL: no such collective, or none of its algorithms applies
 */
LOGP_API const struct logp_algorithm *logp_algorithm_best(const char *collective, int64_t P,
                                                          const struct logp_coll *c);

/**
 * Predict, by the formula where there is one, or where that is no more than a lower bound or does
 * not apply, by the schedule: so logp_predict_by() with LOGP_BY_EITHER.
 *
 * Formulas know neither capacity nor, but for broadcasts, the shared gap; of topologies, trees of
 * up to 2^16 processors, and torus and torus-pipelined where the topology is a torus of two
 * dimensions, exact where no message waits for a link, else a lower bound. Schedules are exact
 * under all of them, up to LOGP_FOLD_P processors and LOGP_FOLD_MESSAGES messages, on links fewer.
 * Where latencies vary up to L: an upper bound; with a capacity or on a topology
 * LOGP_PREDICTION_NONE.
 * @param P  >= 1, up to LOGP_TREE_MAX
 */
LOGP_API struct logp_prediction logp_predict(const struct logp_algorithm *algorithm, int64_t P,
                                             const struct logp_coll *c);

#define LOGP_FOLD_P (1 << 16) /**< logp_predict(): largest P that is folded */
#define LOGP_FOLD_MESSAGES                                                                         \
    (1 << 21) /**< and most messages; LOGP_BY_SCHEDULE has no such limits                          \
               */

/** The same, from what is asked for: LOGP_PREDICTION_NONE where it has no formula, or no steps. */
LOGP_API struct logp_prediction logp_predict_by(const struct logp_algorithm *algorithm, int64_t P,
                                                const struct logp_coll *c, enum logp_basis by);

/**
 * What the textbook says that a broadcast or reduction by recursive doubling costs:
 * (ts + m tw) lg P, with ts = o_send + L + o_recv - G and tw = G. The predictions of `binomial` and
 * `mesh` agree for P = 2^x where sends are at most o_send + L + o_recv and the streaming apart.
 * @return ns; -1: more than the clock counts
 * Source: Grama et al. 2003, ch. 4.1.
 */
LOGP_API int64_t logp_textbook_cost(int64_t P, const struct logp_params *params, size_t n_bytes);

/**
 * Work out what this rank does, into c->plan. To be undone with logp_coll_unplan(), also before it
 * is planned again; where it fails there is nothing to undo.
 * @return 0; -EINVAL (rank or root out of range; reduce, matvec: no op; reduce: a negative count),
 *         -ENOTSUP (logp_algorithm_needs()), -ENOMEM
 * Threads: any; c belongs to the caller.
 */
LOGP_API int logp_coll_plan(const struct logp_algorithm *algorithm, int P, int rank,
                            struct logp_coll *c);

/** Free the plan. What was never planned, all 0, may be unplanned, and more than once. */
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
 * @return as logp_send() and logp_recv(); -EINVAL (root, no buffer), -ENOMEM
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
 * @param send_buf  P items of n_bytes, that for rank i at i n_bytes; not modified
 * @param recv_buf  room for P items, by source; must not overlap send_buf
 * @return as logp_send() and logp_recv(); -EINVAL (a buffer is missing)
 * Source: Sun, Zhang & Song 2002 (ring, all sends first).
 */
LOGP_API int logp_alltoall(struct logp_vp *vp, void *send_buf, size_t n_bytes, void *recv_buf);

/**
 * Transpose a matrix of rows x cols elements whose columns are spread over the processors of the
 * view, in order and in blocks as even as can be: the first (cols mod P) have one column more. The
 * columns of the result, which are the rows of the matrix, are spread in the same way. The
 * algorithm is the one that is predicted to be the best under the delay model in force (ring where
 * the model has no parameters).
 * @param buf       this processor's columns of the matrix, one after another; if it has any
 * @param rows      >= 1, the same on all processors; so is cols
 * @param n_bytes   of an element
 * @param recv_buf  room for its columns of the result, if it has any; must not overlap buf
 * @return as logp_send() and logp_recv(); -EINVAL (rows, cols, a buffer is missing), -ENOMEM
 * Source: Sun, Zhang & Song 2002.
 */
LOGP_API int logp_transpose(struct logp_vp *vp, void *buf, int64_t rows, int64_t cols,
                            size_t n_bytes, void *recv_buf);

/**
 * Combine the vectors of all processors of the view element by element on root, with the algorithm
 * that is predicted to be the best under the delay model in force and its gamma (binomial, or where
 * that does not apply flat, if the model has no parameters).
 * @param send_buf  count elements; not modified
 * @param recv_buf  root: room for the result, must not overlap send_buf; elsewhere not used
 * @param count     elements of a vector, >= 0, the same on all processors
 * @param op        how they combine, the same on all; if it does not commute, in the order of ranks
 * Cost:   each combination of two vectors takes count gamma of the vp's clock.
 * @return as logp_send() and logp_recv(); -EINVAL (count, op, root, a buffer is missing), -ENOMEM
 * Source: Kurnosov 2016; Shou & Chen 1996.
 */
LOGP_API int logp_reduce(struct logp_vp *vp, const void *send_buf, void *recv_buf, int64_t count,
                         const struct logp_op *op, int root);

LOGP_END_DECLS

#endif
