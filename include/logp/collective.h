/* SPDX-License-Identifier: MIT */
/**
 * @file collective.h
 * Collectives, their algorithms and predictions.
 *
 * logp_broadcast() and the other calls use the best algorithm for the network. A program can also
 * choose an algorithm, plan it once and run it often:
 *
 *     const struct logp_args args = {.root = 0, .n_bytes = 8};
 *     const struct logp_algorithm *a = logp_algorithm_find("broadcast", "binomial");
 *     struct logp_plan *plan;
 *     int rc = logp_plan_create(a, P, rank, &args, &network, &plan);
 *     ...
 *     rc = logp_plan_run(vp, plan, buf, NULL);
 *     ...
 *     logp_plan_destroy(plan);
 *
 * Both can also be started, to proceed while the program computes: see `nonblocking` below. The
 * parts of an algorithm are in algorithm.h.
 *
 * The algorithm of a summation determines how many operands a processor has. So plan first, ask
 * logp_plan_own(), or for any collective logp_plan_sizes(), and then provide the operands. An
 * addition takes the network's gamma_ps.
 */
#ifndef LOGP_COLLECTIVE_H
#define LOGP_COLLECTIVE_H

#include <logp/defs.h>
#include <logp/delay.h>

LOGP_BEGIN_DECLS

/** Largest P of predictions and of paper.h; the counts of an optimal tree saturate above it. */
#define LOGP_TREE_MAX (INT64_C(1) << 61)

struct logp_status;     /**< vp.h */
struct logp_step_list;  /**< algorithm.h */
struct logp_invocation; /**< algorithm.h */

/** transpose: the content of one message. */
enum logp_packing {
    LOGP_PACKING_STRUCTURED, /**< all that goes to one destination */
    LOGP_PACKING_NONE,       /**< one column of it */
};

#define LOGP_K_SQRT (-1) /**< logp_args.k of reductions by chains: ceil(sqrt(P - 1)) */

/**
 * The sizes of blocks that differ: the items of scatter, gather and allgather, one for each
 * rank, in bytes; the blocks of reduce-scatter in elements; the items of alltoall in bytes. For
 * alltoall, block `from` P + `to` of `blocks` and block `to` P + `from` of `recv_blocks` are in
 * the buffer of the first of the two ranks. A rank that only runs its own plan may have P of
 * each: the blocks that it sends and the blocks that it receives.
 */
struct logp_blocks {
    int64_t n;            /**< blocks: P, or for alltoall P x P */
    const size_t *before; /**< n + 1 sums of sizes: before[i] of blocks 0 .. i - 1, so block i has
                               before[i + 1] - before[i] */
    const size_t *displs; /**< n offsets of the blocks in the caller's buffer, in bytes, without
                               overlap; NULL: one after the other. Not for reduce-scatter */
};

/** The arguments of a collective, the same on all processors. Unused ones are 0. */
struct logp_args {
    int root;       /**< rank */
    int tag;        /**< >= 0: the tag of its messages, in the context of the group */
    size_t n_bytes; /**< broadcast: size of the item; alltoall: of an item for one rank;
                         transpose: of an element */
    int64_t count;  /**< reduce: elements of a vector; summation: operands of all ranks together;
                         matvec: rows and columns of a processor's block */
    const struct logp_op *op;          /**< reduce, summation, matvec: the operation; not copied */
    int64_t rows, cols;                /**< transpose: the matrix */
    enum logp_packing packing;         /**< transpose */
    const struct logp_step_list *list; /**< schedule: the steps of all ranks; not copied */
    const struct logp_blocks *blocks;  /**< not copied; NULL: all blocks have n_bytes or count
                                                */
    const struct logp_blocks *recv_blocks; /**< alltoall with blocks: the received ones */
    bool in_place;                         /**< see LOGP_IN_PLACE */
    /* parameters of algorithms: algorithm.h */
    int64_t k;           /**< chains, segments, radix; 0: the predicted best */
    int64_t window;      /**< *-window: receive r follows r + window - 1 sends; 0: the best */
    int64_t block_bytes; /**< pipelined: size of a block; 0: the predicted best */
    int64_t pack_ns;     /**< transpose, structured: time to pack a column, >= 0 */
    int64_t work_ns;     /**< broadcast: time of each processor to process the item */
    int64_t no_overlap;  /**< torus-pipelined: not 0: processing does not overlap with sending */
    int64_t may_differ;  /**< not 0: an allreduce may leave ranks results that differ in rounding;
                              0: see logp_algorithm.same_results */
    const struct logp_algorithm *within; /**< rows by-*: the row of the containing collective that
                                              they use; NULL: the predicted best */
    const struct logp_algorithm *first;  /**< allgather, by-broadcast: the row of gather that comes
                                              before it; NULL: the predicted best */
    int64_t first_k;                     /**< k of that row; 0 if it has none */
    int64_t reserved[2];                 /**< 0; space for later parameters */
};

/**
 * In place of a buffer: operands and result share the other buffer.
 *
 *     allreduce, scan, exscan,         send_buf: the operands are in recv_buf and are overwritten
 *       alltoall
 *     reduce-scatter                   the same: recv_buf has all P blocks; the result is the first
 *     reduce, on the root              the same
 *     allgather; gather, on the root   send_buf: the own item is at its place in recv_buf
 *     scatter, on the root             recv_buf: the own item stays in send_buf
 *
 * A plan needs logp_args.in_place; logp_plan_run() then ignores this one of its two buffers. Ranks
 * with nothing to share ignore in_place. If an algorithm needs two buffers
 * (logp_algorithm.in_place), each run copies the operands to memory of the plan.
 */
#define LOGP_IN_PLACE ((void *)(intptr_t)-1)

/** See algorithm.h. */
struct logp_collective;
struct logp_algorithm;

/** The certainty of a prediction. */
enum logp_certainty {
    LOGP_PREDICTION_NONE,  /**< there is no prediction for this case */
    LOGP_PREDICTION_EXACT, /**< equals the virtual clock to the nanosecond */
    LOGP_PREDICTION_BOUND, /**< an upper bound */
    LOGP_PREDICTION_LOWER_BOUND,
};

/** @return "none", "exact", "bound" or "lower-bound". */
LOGP_API const char *logp_certainty_name(enum logp_certainty certainty);

/** The basis of a prediction. */
enum logp_basis {
    LOGP_BY_EITHER,   /**< the formula; if it is not exact, the schedule */
    LOGP_BY_FORMULA,  /**< a closed form, or a recurrence */
    LOGP_BY_SCHEDULE, /**< the fold of the steps: algorithm.h */
};

/** logp_prediction.ns if there was no memory for the prediction. */
#define LOGP_PREDICTION_NO_MEMORY INT64_MIN

/** The time from the common start to the end of the last processor. */
struct logp_prediction {
    enum logp_certainty certainty;
    /** With LOGP_PREDICTION_NONE: LOGP_PREDICTION_NO_MEMORY; -EDEADLK, -EMSGSIZE, -EINVAL (the fold
     *  of the steps fails with it: algorithm.h), -EPROTO (they send messages that they never
     *  receive); or meaningless. */
    int64_t ns;
    enum logp_basis by;
};

/** @return collective i = 0, 1, ...; NULL: there are no more. Static storage. */
LOGP_API const struct logp_collective *logp_collective_at(size_t i);

/** @return algorithm i = 0, 1, ... of a collective, or with NULL of all; NULL: there are no more.
 *  Added algorithms (logp_algorithm_add()) come last. */
LOGP_API const struct logp_algorithm *logp_algorithm_at(const char *collective, size_t i);

/** @return the row; NULL: none. Besides the table: "schedule" "listed", the steps of
 *  logp_args.list. */
LOGP_API const struct logp_algorithm *logp_algorithm_find(const char *collective, const char *name);

/** @return the collective; NULL: none. Besides the table: "schedule". */
LOGP_API const struct logp_collective *logp_collective_find(const char *name);

/** @return NULL: the algorithm applies; otherwise its requirement, in a few words; static
 *          storage. */
LOGP_API const char *logp_algorithm_needs(const struct logp_algorithm *algorithm, int64_t P,
                                          const struct logp_args *args,
                                          const struct logp_network *network);

/**
 * Find the algorithm with the least logp_algorithm_predict() among those that apply, each with its
 * best k. The first of the table wins a tie. A lower bound counts only if there is no other
 * prediction. If no algorithm that applies has a prediction, the best without links,
 * rendezvous_from and capacity is taken, or else the first that applies.
 *
 * Formulas take microseconds. Candidates without a formula are folded, with LOGP_FOLD_MESSAGES
 * messages in total, and as many for each row that uses another collective; the others are then not
 * compared (logp_algorithm_choose()). The process caches
 * some thousand choices, but not those with a topology, links, ports, blocks or rendezvous_from;
 * reading the cache takes no lock. args->op is identified by its name and type.
 * Threads: any.
 * @return NULL: no such collective, no algorithm applies, or no memory
 */
LOGP_API const struct logp_algorithm *logp_algorithm_best(const char *collective, int64_t P,
                                                          const struct logp_args *args,
                                                          const struct logp_network *network);

#define LOGP_MOST_LEFT 128 /**< largest number of algorithms that a choice can leave out */

/** A choice, and the algorithms that it leaves out. */
struct logp_choice {
    const struct logp_algorithm *algorithm; /**< the best */
    size_t n_left;                          /**< algorithms that were not compared, or not with each
                                                 k */
    const struct logp_algorithm *left[LOGP_MOST_LEFT];
};

/**
 * As logp_algorithm_best(), without the cache.
 * Threads: any.
 * @param out  out
 * @return 0; -ENOTSUP (no such collective, or no algorithm applies), -ENOMEM
 */
LOGP_API int logp_algorithm_choose(const char *collective, int64_t P, const struct logp_args *args,
                                   const struct logp_network *network, struct logp_choice *out);

/** Asked before each schedule that a choice folds. done: of n candidates that no formula decides.
 *  @return false: choose among those compared so far */
typedef bool logp_choice_watch(void *arg, size_t done, size_t n);

/**
 * As logp_algorithm_choose(), but it can be followed, and ended early: algorithms that are not
 * compared then are among out->left. The first schedule is folded in any case if no formula has
 * decided for an algorithm.
 * Threads: any.
 * @param watch  NULL: it ends when all are compared
 * @return as logp_algorithm_choose()
 */
LOGP_API int logp_algorithm_choose_watched(const char *collective, int64_t P,
                                           const struct logp_args *args,
                                           const struct logp_network *network,
                                           logp_choice_watch *watch, void *arg,
                                           struct logp_choice *out);

/**
 * Predict the time of an algorithm: logp_algorithm_predict_by() with LOGP_BY_EITHER. The formula is
 * used, or the schedule if there is no formula, or it does not apply, or it is only a lower
 * bound or a rough one (algorithm.h).
 *
 * Formulas do not cover a capacity. They cover the shared gap only for broadcasts and for rounds in
 * which all processors do the same. Of topologies they cover trees of up to 2^16 processors, and
 * torus and torus-pipelined on a torus of two dimensions (exact if no message waits for a link,
 * otherwise a lower bound). Schedules are exact in all these cases, up to LOGP_FOLD_P processors
 * and LOGP_FOLD_MESSAGES messages, fewer on links. If latencies vary up to L, the prediction is an
 * upper bound. There is no prediction if latencies vary with a capacity, several ports or a topology, and none
 * with several ports, a capacity and links that differ.
 * @param P  1 .. LOGP_TREE_MAX
 */
LOGP_API struct logp_prediction logp_algorithm_predict(const struct logp_algorithm *algorithm,
                                                       int64_t P, const struct logp_args *args,
                                                       const struct logp_network *network);

/** @{ */
/** Limits of P and of messages for folds of logp_algorithm_predict(). LOGP_BY_SCHEDULE has none. */
#define LOGP_FOLD_P (1 << 16)
#define LOGP_FOLD_MESSAGES (1 << 21)
/** @} */

/** Predict from one basis. LOGP_PREDICTION_NONE: the algorithm has no formula, or no steps. */
LOGP_API struct logp_prediction logp_algorithm_predict_by(const struct logp_algorithm *algorithm,
                                                          int64_t P, const struct logp_args *args,
                                                          const struct logp_network *network,
                                                          enum logp_basis by);

/**
 * As logp_algorithm_predict(), but only times up to until_ns are wanted: a later one is not computed to its end, which
 * takes less time, and the prediction is then a lower bound of until_ns + 1.
 * @param args      in: the parameters that are set; out: all parameters that the prediction is for. With a
 *                  lower bound they do not change
 * @param until_ns  >= 0; INT64_MAX: any time is wanted
 */
LOGP_API struct logp_prediction logp_algorithm_predict_until(const struct logp_algorithm *algorithm,
                                                             int64_t P, struct logp_args *args,
                                                             const struct logp_network *network,
                                                             int64_t until_ns);

/**
 * A lower bound on the time of any algorithm of a collective, known or not, from the common
 * start to the end of the last processor. Over links that differ and on a topology it counts the
 * distances of processors that must exchange data, over any relays, and the data that must cross
 * from near to far processors or a cut through the network. If ranks have more than about 250
 * different links, the cheapest link counts for all; if there are too many pairs, some of them
 * count. Capacity and rendezvous_from are ignored, since they only lengthen the time. A
 * collective of no bytes takes no time.
 * Cost: at P = 64 about 10 us for nodes, 1 ms if all links differ.
 * Threads: any.
 * @param P  1 .. LOGP_TREE_MAX
 * @return ns; -1: none is known (no such collective; blocks of different sizes; a negative count or
 *         matrix size; latencies that vary up to L; more than 36 years)
 * Source: Karp et al., SPAA 1993; Shou & Chen 1996.
 */
LOGP_API int64_t logp_collective_lower_bound(const char *collective, int64_t P,
                                             const struct logp_args *args,
                                             const struct logp_network *network);

/**
 * The textbook's time of a broadcast or reduction by recursive doubling: (ts + m tw) lg P, with
 * ts = o_send + L + o_recv - G and tw = G. The predictions of `binomial` and `mesh` equal it for
 * P = 2^x if sends are at most o_send + L + o_recv and the streaming apart.
 * @return ns; -1: more than the clock counts
 * Source: Grama et al. 2003, ch. 4.1.
 */
LOGP_API int64_t logp_textbook_cost(int64_t P, const struct logp_params *params, size_t n_bytes);

/** The textbook's time of this algorithm: logp_textbook_cost(). -1: there is none. */
LOGP_API int64_t logp_algorithm_textbook(const struct logp_algorithm *algorithm, int64_t P,
                                         const struct logp_args *args,
                                         const struct logp_network *network);

/* ---- plan once, run often ---- */

/** The plan of one processor for a collective, with its algorithm, P and rank. */
struct logp_plan;

/**
 * Make the plan of a rank.
 * Threads: any.
 * @param args     copied, except for the data that it points to
 * @param network  copied, as args; NULL: all parameters are 0, without a topology
 * @param plan     out: destroy it with logp_plan_destroy()
 * @return 0; -EINVAL (rank or root out of range; reduce, matvec: no op; reduce: a negative count; a
 *         buffer of more than PTRDIFF_MAX bytes on any rank; a row that is too small:
 *         logp_algorithm.size; in_place, if that is not possible), -ENOTSUP
 *         (logp_algorithm_needs()), -ENOMEM
 */
LOGP_API int logp_plan_create(const struct logp_algorithm *algorithm, int P, int rank,
                              const struct logp_args *args, const struct logp_network *network,
                              struct logp_plan **plan);

/** Free a plan that is not running. NULL is allowed. */
LOGP_API void logp_plan_destroy(struct logp_plan *plan);

/**
 * Run a planned collective. All processors of the group call it with a plan of the same
 * algorithm and arguments. Its messages travel in the context of collectives, apart from other
 * messages of the program. logp_args.blocks, if set, gives the sizes and places of items and
 * blocks.
 * @param buf       the operands. broadcast: the item on the root, space for it elsewhere;
 *                  alltoall: P items, the one for rank i at i n_bytes; transpose: the rank's
 *                  columns of the matrix, one after another; matvec: the block, row by row, and the
 *                  piece of the vector (row 0) or space for it. Only broadcast and matvec write it
 * @param recv_buf  the result. alltoall: space for P items, by source; reduce, summation: on the
 *                  root; transpose: the rank's columns of the transposed matrix; matvec: a piece of
 *                  the result in column 0, space for one elsewhere
 * @return as logp_send() and logp_recv(); -EINVAL: the plan is of another rank or number of
 *         processors, or not in place; -EBUSY: it has been started
 * Threads: as logp_send(); a plan is run by one vp at a time.
 */
LOGP_API int logp_plan_run(struct logp_vp *vp, const struct logp_plan *plan, void *buf,
                           void *recv_buf);

/** The bytes of buf and recv_buf of logp_plan_run(). */
LOGP_API void logp_plan_sizes(const struct logp_plan *plan, size_t *buf, size_t *recv_buf);

/** summation: @return the number of operands of this processor; 0: it takes no part. */
LOGP_API int64_t logp_plan_own(const struct logp_plan *plan);

/**
 * The neighbours of a rank in a tree algorithm.
 * @param parent  out: a rank; -1: it is the root, or there is no tree
 * @param n       out: number of children
 * @return the children's ranks in the order of use; they belong to the plan
 */
LOGP_API const int *logp_plan_tree(const struct logp_plan *plan, int *parent, int *n);

/* ---- collectives: buffers, size, operation, root ----
 *
 * Each call uses logp_algorithm_best() with the parameters of the delay model in force. If there is
 * no model, or it has no parameters, the algorithm has few messages and few hand-overs of a core,
 * or for long messages few copies. Two buffers must not overlap, except with LOGP_IN_PLACE. If a
 * buffer of any rank would have more than PTRDIFF_MAX bytes (n_bytes or a count, times P), all
 * ranks get -EINVAL. */

/**
 * Decide the algorithm of a call below.
 * @param vp       the processor that calls
 * @param best     the default
 * @param c        the arguments, and the network by which `best` was chosen; k is that of `best`.
 *                 The function may set the parameters of the algorithm in c->args, and nothing
 *                 else: for another row than `best` it sets k, to 0 if the row is to choose
 * @param started  the call is nonblocking: an algorithm without steps is then replaced
 * @param arg      of logp_decide_calls()
 * @return the row to take: of the collective of `best`, and it applies: logp_algorithm_needs(). All
 *         processors of the group must return the same, with the same parameters
 */
typedef const struct logp_algorithm *logp_decide_call(struct logp_vp *vp,
                                                      const struct logp_algorithm *best,
                                                      struct logp_invocation *c, bool started,
                                                      void *arg);

/**
 * Let a function see the calls below in this process, and decide their algorithms. It is not called
 * if the algorithm is fixed: logp_scatterv(), logp_gatherv(), logp_alltoallv().
 * Threads: only while no machine of the process runs.
 * @param decide  called on the vp's own thread; NULL: remove the function
 */
LOGP_API void logp_decide_calls(logp_decide_call *decide, void *arg);

/**
 * Broadcast n_bytes from root to all processors of the group.
 * @param buf  the item on the root, space for it elsewhere
 * @return as logp_send() and logp_recv(); -EINVAL (root, no buffer), -ENOMEM
 * Source: Shou & Chen 1996.
 */
LOGP_API int logp_broadcast(struct logp_vp *vp, void *buf, size_t n_bytes, int root);

/**
 * Wait until all processors of the group have called it.
 * @return as logp_send() and logp_recv(); -ENOMEM
 * Source: Hensgen, Finkel, Manber, IJPP 17(1), 1988.
 */
LOGP_API int logp_barrier(struct logp_vp *vp);

/**
 * Send a different item from each processor to each processor, itself included.
 * @param send_buf  P items of n_bytes, the one for rank i at i n_bytes
 * @param recv_buf  space for P items, by source; must not overlap send_buf
 * @return as logp_send() and logp_recv(); -EINVAL (a buffer is missing), -ENOMEM
 * Source: Sun, Zhang & Song 2002 (ring, all sends first); Bruck et al., IEEE TPDS 8(11), 1997.
 */
LOGP_API int logp_alltoall(struct logp_vp *vp, const void *send_buf, void *recv_buf,
                           size_t n_bytes);

/**
 * Transpose a matrix of rows x cols elements whose columns are spread over the processors of the
 * group, in order and as evenly as possible: the first (cols mod P) have one column more. The
 * columns of the result, which are the rows of the matrix, are spread in the same way. If the
 * model has no parameters, the algorithm is ring.
 * @param send_buf  this processor's columns of the matrix, one after another; if it has any
 * @param recv_buf  space for its columns of the result, if it has any; must not overlap send_buf
 * @param rows      >= 1, the same on all processors; so is cols
 * @param n_bytes   of an element
 * @return as logp_send() and logp_recv(); -EINVAL (rows, cols, a buffer is missing), -ENOMEM
 * Source: Sun, Zhang & Song 2002.
 */
LOGP_API int logp_transpose(struct logp_vp *vp, const void *send_buf, void *recv_buf, int64_t rows,
                            int64_t cols, size_t n_bytes);

/**
 * Combine the vectors of all processors of the group element by element on root.
 * @param send_buf  count elements
 * @param recv_buf  root: space for the result, must not overlap send_buf; elsewhere not used
 * @param count     elements of a vector, >= 0, the same on all processors
 * @param op        the same on all; if it does not commute, the order of ranks counts
 * Cost: each combination of two vectors takes count gamma of the vp's clock.
 * @return as logp_send() and logp_recv(); -EINVAL (count, op, root, a buffer is missing), -ENOMEM
 * Source: Kurnosov 2016; Shou & Chen 1996.
 */
LOGP_API int logp_reduce(struct logp_vp *vp, const void *send_buf, void *recv_buf, int64_t count,
                         const struct logp_op *op, int root);

/**
 * As logp_reduce(), with the result on all processors.
 * @return as logp_reduce()
 * Source: Thakur, Rabenseifner, Gropp, IJHPCA 19(1), 2005.
 */
LOGP_API int logp_allreduce(struct logp_vp *vp, const void *send_buf, void *recv_buf, int64_t count,
                            const struct logp_op *op);

/**
 * Combine vectors of P blocks, and leave block i on rank i.
 * @param send_buf  P count elements
 * @param recv_buf  space for count elements; must not overlap send_buf
 * @param count     elements of a block, >= 0, the same on all processors
 * @return as logp_reduce()
 * Source: as logp_allreduce().
 */
LOGP_API int logp_reduce_scatter(struct logp_vp *vp, const void *send_buf, void *recv_buf,
                                 int64_t count, const struct logp_op *op);

/**
 * Combine on each processor the vectors of all ranks up to its own, in the order of ranks.
 * @return as logp_reduce()
 * Source: Hillis & Steele, CACM 29(12), 1986.
 */
LOGP_API int logp_scan(struct logp_vp *vp, const void *send_buf, void *recv_buf, int64_t count,
                       const struct logp_op *op);

/** As logp_scan(), without the own vector: on rank 0 nothing is written to recv_buf. */
LOGP_API int logp_exscan(struct logp_vp *vp, const void *send_buf, void *recv_buf, int64_t count,
                         const struct logp_op *op);

/**
 * Send an item from root to each processor, itself included.
 * @param send_buf  root: P items of n_bytes, by rank; elsewhere not used
 * @param recv_buf  space for an item; must not overlap send_buf
 * @return as logp_send() and logp_recv(); -EINVAL (root, a buffer is missing), -ENOMEM
 */
LOGP_API int logp_scatter(struct logp_vp *vp, const void *send_buf, void *recv_buf, size_t n_bytes,
                          int root);

/**
 * Send an item from each processor to root, itself included.
 * @param recv_buf  root: space for P items of n_bytes, by rank; elsewhere not used
 * @return as logp_scatter()
 */
LOGP_API int logp_gather(struct logp_vp *vp, const void *send_buf, void *recv_buf, size_t n_bytes,
                         int root);

/**
 * Send an item from each processor to all.
 * @param recv_buf  space for P items of n_bytes, by rank; must not overlap send_buf
 * @return as logp_send() and logp_recv(); -EINVAL (a buffer is missing), -ENOMEM
 * Source: Bruck et al., IEEE TPDS 8(11), 1997; Chen et al., IPDPS 2005.
 */
LOGP_API int logp_allgather(struct logp_vp *vp, const void *send_buf, void *recv_buf,
                            size_t n_bytes);

/* ---- the same with blocks of different sizes ----
 *
 * Arguments are in the order of MPI. Sizes and displacements are in bytes; a block may be empty.
 * displs: the offsets of the blocks in the buffer that has all of them, without overlap; NULL: one
 * after the other. LOGP_IN_PLACE as above; n_bytes of that rank is ignored. */

/**
 * Send an item from root to each processor, directly, since only the root knows all sizes. (If all
 * ranks know them, another algorithm can be planned with logp_args.blocks.)
 * @param send_buf  root: the items; elsewhere not used, as counts and displs
 * @param counts    sizes of all items
 * @param recv_buf  space for the own item, n_bytes
 * @param n_bytes   size of the own item
 * @return as logp_scatter(); -EINVAL: also on the root without counts, or if its n_bytes differs
 *         from them
 */
LOGP_API int logp_scatterv(struct logp_vp *vp, const void *send_buf, const size_t *counts,
                           const size_t *displs, void *recv_buf, size_t n_bytes, int root);

/** Send an item from each processor to root, likewise. @return as logp_scatterv() */
LOGP_API int logp_gatherv(struct logp_vp *vp, const void *send_buf, size_t n_bytes, void *recv_buf,
                          const size_t *counts, const size_t *displs, int root);

/**
 * Send an item from each processor to all, with the best algorithm for items of the mean size.
 * @param n_bytes  size of the own item
 * @param counts   sizes of all items, the same on all ranks; displs may differ
 * @return as logp_allgather(); -EINVAL: also without counts, or if n_bytes differs from them
 */
LOGP_API int logp_allgatherv(struct logp_vp *vp, const void *send_buf, size_t n_bytes,
                             void *recv_buf, const size_t *counts, const size_t *displs);

/**
 * Send a different item from each processor to each processor, itself included, by the linear
 * algorithm. Empty items are not sent.
 * @param send_counts  sizes of the items for each rank
 * @param recv_counts  sizes of the items from each rank, equal to its send_counts. In place: also
 *                     of the items for each rank; the item for a rank is at the place of the item
 *                     from it
 * @return as logp_alltoall(); -EINVAL: also without counts, or if the own item's two sizes differ
 */
LOGP_API int logp_alltoallv(struct logp_vp *vp, const void *send_buf, const size_t *send_counts,
                            const size_t *send_displs, void *recv_buf, const size_t *recv_counts,
                            const size_t *recv_displs);

/**
 * Combine vectors of P blocks, and leave block i on rank i. The algorithm is chosen as for
 * logp_allgatherv() (recursive halving, or linear if the operation does not commute).
 * @param counts  elements of each block, the same on all ranks
 * @return as logp_reduce_scatter(); -EINVAL: also without counts
 */
LOGP_API int logp_reduce_scatterv(struct logp_vp *vp, const void *send_buf, void *recv_buf,
                                  const size_t *counts, const struct logp_op *op);

/* ---- op ---- */

/*
 * Operations of reductions. sum, prod, min and max of int32, int64, float and double are built in;
 * sums and products of integers wrap around. A program may pass its own operation, on elements of
 * any size.
 */

/** An associative operation on elements. */
struct logp_op {
    const char *name;     /**< "sum" */
    const char *type;     /**< of its elements: "double" */
    size_t element_bytes; /**< of one element, > 0 */
    bool commutative;     /**< false: operands are combined in the order of their ranks */
    /** acc[i] = acc[i] op in[i] for n elements; the two do not overlap. */
    void (*combine)(void *acc, const void *in, size_t n, void *arg);
    /** Make n operands for an experiment from a seed. The result must not depend on the order of
     *  combining; NULL: random bytes. */
    void (*fill)(void *buf, size_t n, uint64_t seed, void *arg);
    void *arg; /**< passed to both functions */
};

/**
 * Test whether every order of combining gives the same bits. This holds for the built-in operations
 * on integers. It does not for sums and products of floating-point numbers, nor for their min and
 * max, because of -0 and NaN.
 * @return of an operation that is not built in: false, unless the function of logp_decide_exact()
 *         returns true
 */
LOGP_API bool logp_op_is_exact(const struct logp_op *op);

/** @return whether every order of combining gives the same bits. op: not built in; arg: of
 *          logp_decide_exact(). */
typedef bool logp_exact_op(const struct logp_op *op, void *arg);

/**
 * Let a function decide which operations of the program are exact, so that every algorithm may be
 * chosen for them: logp_algorithm.same_results.
 * Threads: only while no machine of the process runs, and no plan exists.
 * @param is_exact  called on any thread; it always gives the same answer for an operation. NULL: no
 *                  operation is exact
 */
LOGP_API void logp_decide_exact(logp_exact_op *is_exact, void *arg);

/** @return built-in operation i = 0, 1, ...; static storage; NULL: there are no more. */
LOGP_API const struct logp_op *logp_op_at(size_t i);

/** @return the built-in operation with this name and type; NULL: none. */
LOGP_API const struct logp_op *logp_op_find(const char *name, const char *type);

/**
 * Measure the time to combine two elements on this host: the median of several sweeps over two
 * vectors of n elements.
 * @param n  elements of a vector, >= 1
 * @return picoseconds per element, >= 1; -ENOMEM
 */
LOGP_API int64_t logp_op_measure(const struct logp_op *op, size_t n);

/* ---- nonblocking ---- */

/*
 * Nonblocking collectives proceed while the program computes. A start returns a request, as
 * logp_irecv() does: logp_wait(), logp_test(), logp_waitall() and logp_waitany() take requests of
 * collectives and of messages together.
 *
 *     logp_iallreduce(vp, in, out, n, sum, &request);
 *     while (more_to_compute && !done && rc == 0) {
 *         compute_a_piece();
 *         rc = logp_test(vp, request, &done, NULL);
 *     }
 *     if (!done)
 *         rc = logp_wait(vp, request, NULL);
 *
 * A start does the steps of this processor up to the first receive. Every call that waits, tests or
 * probes, logp_sync() and collectives included, does the steps whose messages have arrived, of all
 * started collectives of any group. So several collectives may be under way, and processors may
 * wait for them in different orders. The time of a step (an o, a combination) is charged in the
 * call that does it; nothing happens between calls.
 *
 * All members of a group start its collectives in the same order, which identifies them. Blocking
 * collectives are counted apart. (In deadlock reports the n-th has the tag n LOGP_PENDING_TAGS plus
 * the tag of its message.)
 *
 * Buffers, operations and plans are as for the blocking call. They must stay until a test or a wait
 * completes the collective: until then, the program must not change data that the collective reads,
 * nor read data that it writes.
 *
 * The test or wait that completes a collective frees its request, after an error too, which it
 * returns: as logp_send() and logp_recv(), or -EINVAL (a tag of a step). The status is not set.
 * Collectives that a program does not complete are freed when it ends, and messages for them count
 * as unreceived. A collective cannot be cancelled: other processors rely on it.
 *
 * Threads: as in vp.h, each function on the thread of its vp only. The vp may be given as itself or
 * as a member of any group.
 */

/** The largest number of pending collectives of a group, counted from the oldest pending one. */
#define LOGP_MOST_PENDING (1 << 16)
/** Tags of a started plan and of the steps of a list are below it. */
#define LOGP_PENDING_TAGS (1 << 15)

/**
 * Start a planned collective. A start and a wait take as long as logp_plan_run(). A plan may be
 * started repeatedly, but only once at a time.
 * Cost: the steps before the first receive.
 * Blocks: as logp_send().
 * @param plan     must stay unchanged until the collective is complete
 * @param request  out: complete it with a wait or a test
 * @return as logp_send(); -EINVAL (the plan is of another rank or number of processors, or not in
 *         place; its tag; no request), -ENOTSUP (its algorithm has no steps, or is a list that
 *         chooses their order), -EBUSY (it is started already), -EAGAIN (LOGP_MOST_PENDING),
 *         -ENOMEM. After an error nothing is started
 */
LOGP_API int logp_plan_start(struct logp_vp *vp, const struct logp_plan *plan, void *buf,
                             void *recv_buf, struct logp_request **request);

/* ---- the collectives, nonblocking ---- */

/** @{ */
/** Start a collective with the same algorithm, or the best with steps if that has none, and with
 *  the same arguments. @return the same errors, and those of logp_plan_start() */
LOGP_API int logp_ibroadcast(struct logp_vp *vp, void *buf, size_t n_bytes, int root,
                             struct logp_request **request);

LOGP_API int logp_ibarrier(struct logp_vp *vp, struct logp_request **request);

LOGP_API int logp_ialltoall(struct logp_vp *vp, const void *send_buf, void *recv_buf,
                            size_t n_bytes, struct logp_request **request);

LOGP_API int logp_itranspose(struct logp_vp *vp, const void *send_buf, void *recv_buf, int64_t rows,
                             int64_t cols, size_t n_bytes, struct logp_request **request);

LOGP_API int logp_ireduce(struct logp_vp *vp, const void *send_buf, void *recv_buf, int64_t count,
                          const struct logp_op *op, int root, struct logp_request **request);

LOGP_API int logp_iallreduce(struct logp_vp *vp, const void *send_buf, void *recv_buf,
                             int64_t count, const struct logp_op *op,
                             struct logp_request **request);

LOGP_API int logp_ireduce_scatter(struct logp_vp *vp, const void *send_buf, void *recv_buf,
                                  int64_t count, const struct logp_op *op,
                                  struct logp_request **request);

LOGP_API int logp_iscan(struct logp_vp *vp, const void *send_buf, void *recv_buf, int64_t count,
                        const struct logp_op *op, struct logp_request **request);

LOGP_API int logp_iexscan(struct logp_vp *vp, const void *send_buf, void *recv_buf, int64_t count,
                          const struct logp_op *op, struct logp_request **request);

LOGP_API int logp_iscatter(struct logp_vp *vp, const void *send_buf, void *recv_buf, size_t n_bytes,
                           int root, struct logp_request **request);

LOGP_API int logp_igather(struct logp_vp *vp, const void *send_buf, void *recv_buf, size_t n_bytes,
                          int root, struct logp_request **request);

LOGP_API int logp_iallgather(struct logp_vp *vp, const void *send_buf, void *recv_buf,
                             size_t n_bytes, struct logp_request **request);

/** @} */

LOGP_END_DECLS

#endif
