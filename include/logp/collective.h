/* SPDX-License-Identifier: MIT */
/**
 * @file collective.h
 * The collective algorithms, each with its prediction beside it.
 *
 * A program calls a collective with the best algorithm for the model in force, logp_broadcast() and
 * so on; or it takes an algorithm of its choice, plans once and runs often:
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
 * Both can be started instead of run, and go on while the program computes: collective.h. What the
 * parts of an algorithm are, and how to write one: algorithm.h.
 *
 * In a summation the algorithm says how many operands a processor has, so that one plans first and
 * then provides them: logp_plan_own(), or for any collective logp_plan_sizes(). The model's
 * gamma_ps is what an addition costs.
 */
#ifndef LOGP_COLLECTIVE_H
#define LOGP_COLLECTIVE_H

#include <logp/defs.h>
#include <logp/delay.h>

LOGP_BEGIN_DECLS

/** Largest P of predictions and of paper.h; the counts of an optimal tree saturate above it. */
#define LOGP_TREE_MAX (INT64_C(1) << 61)

struct logp_status;    /**< vp.h */
struct logp_step_list; /**< algorithm.h */

/** transpose: what travels as one message. */
enum logp_packing {
    LOGP_PACKING_STRUCTURED, /**< all that goes to one destination */
    LOGP_PACKING_NONE,       /**< one column of it */
};

#define LOGP_K_SQRT (-1) /**< logp_args.k of reductions by chains: ceil(sqrt(P - 1)) */

/**
 * How large each block is where they are not all alike: the items of scatter, gather and allgather,
 * one for each rank, in bytes; the blocks of reduce-scatter in elements. In an alltoall, in bytes:
 * block `from` P + `to` of blocks, and of recv_blocks block `to` P + `from`, each in the buffer of
 * the rank that comes first; a rank that does no more than run its own plan may have P of each,
 * what it sends and what it receives.
 */
struct logp_blocks {
    int64_t n;            /**< blocks: P, or for alltoall P x P */
    const size_t *before; /**< n + 1 sums: of blocks 0 .. i - 1, so that block i has
                               before[i + 1] - before[i] */
    const size_t *displs; /**< n places: where they are in the caller's buffer, in bytes, and do not
                               overlap; NULL: one after the other. Not for reduce-scatter */
};

/** What a collective is asked for: the same on all processors. What it has no use for stays 0. */
struct logp_args {
    int root;       /**< rank */
    int tag;        /**< >= 0; its messages use it, in the context of the group they are run in */
    size_t n_bytes; /**< broadcast: size of the item; alltoall: for each destination;
                         transpose: size of an element */
    int64_t count;  /**< reduce: elements of a vector; summation: operands of all together;
                         matvec: rows and columns of each processor's block */
    const struct logp_op *op;  /**< reduce, summation, matvec: how they combine; not copied */
    int64_t rows, cols;        /**< transpose: the matrix */
    enum logp_packing packing; /**< transpose */
    const struct logp_step_list *list;     /**< schedule: the steps of all ranks; not copied */
    const struct logp_blocks *blocks;      /**< not copied; NULL: all are n_bytes or count */
    const struct logp_blocks *recv_blocks; /**< alltoall, with blocks: as they are received */
    bool in_place;                         /**< see LOGP_IN_PLACE */
    /* knobs: algorithm.h */
    int64_t k;           /**< chains, segments, radix; 0: the predicted best */
    int64_t window;      /**< *-window: before receive r, r + window - 1 sends have been made; 0:
                              the best */
    int64_t block_bytes; /**< of what is pipelined: 0 as many blocks as predicted best */
    int64_t pack_ns;     /**< transpose, structured: time to pack a column, >= 0 */
    int64_t work_ns;     /**< broadcast: time that each processor takes to process the item */
    int64_t no_overlap;  /**< torus-pipelined: not 0: processing does not overlap with sending */
    int64_t reserved[6]; /**< 0; for later knobs, so that the size stays */
};

/**
 * Instead of a buffer: operands and result have one in common, which is the other.
 *
 *     allreduce, scan, exscan,         send_buf: the operands are in recv_buf, and are overwritten
 *       alltoall
 *     reduce-scatter                   the same: recv_buf has all P blocks, the result its first
 *     reduce, on the root              the same
 *     allgather; gather, on the root   send_buf: its own item is where it belongs in recv_buf
 *     scatter, on the root             recv_buf: its own item stays in send_buf
 *
 * A plan is made for it, with logp_args.in_place; then this pointer need not be passed on: of the
 * two buffers of logp_plan_run() that one is not looked at. On ranks with nothing to have in common
 * in_place means nothing. Where an algorithm needs two buffers all the same (logp_algorithm.
 * in_place), the plan has room for a copy of the operands, made at each run.
 */
#define LOGP_IN_PLACE ((void *)(intptr_t)-1)

/** A collective, and a row of its table: algorithm.h. */
struct logp_collective;
struct logp_algorithm;

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
    LOGP_BY_SCHEDULE, /**< the fold of its steps: algorithm.h */
};

/** logp_prediction.ns where there is no prediction because there was no memory to work it out. */
#define LOGP_PREDICTION_NO_MEMORY INT64_MIN

/** From the common start to the moment the last processor is done. */
struct logp_prediction {
    enum logp_certainty certainty;
    /** Where certainty is LOGP_PREDICTION_NONE: LOGP_PREDICTION_NO_MEMORY, so ask again when there
     * is some; else meaningless. */
    int64_t ns;
    enum logp_basis by;
};

/** @return collective i = 0, 1, ...; NULL: there are no more. Static storage. */
LOGP_API const struct logp_collective *logp_collective_at(size_t i);

/** @return algorithm i = 0, 1, ... of a collective, or with NULL of all; NULL: there are no more.
 *  Those that were added (logp_algorithm_add()) come last. */
LOGP_API const struct logp_algorithm *logp_algorithm_at(const char *collective, size_t i);

/** @return the row; NULL: none. Besides the table: "schedule" "listed", the steps of
 *  logp_args.list. */
LOGP_API const struct logp_algorithm *logp_algorithm_find(const char *collective, const char *name);

/** @return the collective; NULL: none. Besides the table: "schedule". */
LOGP_API const struct logp_collective *logp_collective_find(const char *name);

/** @return NULL: the algorithm applies; else what it needs, in a few words; static storage. */
LOGP_API const char *logp_algorithm_needs(const struct logp_algorithm *algorithm, int64_t P,
                                          const struct logp_args *args,
                                          const struct logp_network *network);

/**
 * The algorithm with the least logp_algorithm_predict() among those that apply, each with its best k; ties:
 * the first of the table. A lower bound counts only where there is no other prediction. Where
 * formulas decide it takes microseconds; what they leave open is folded, as far as it can still be
 * the best: LOGP_FOLD_MESSAGES messages of all algorithms together; beyond, those that are left are
 * not compared (logp_algorithm_choose()). Where none that applies has a prediction: the best
 * without links, rendezvous_from and capacity, else the first that applies. Answers are kept (some
 * thousands, for the whole process; not those with a topology, links, blocks or rendezvous_from):
 * asked again, it is a look-up without a lock. A name and a type of args->op are taken for what
 * they were. Threads: any.
 * @return NULL: no such collective, none of its algorithms applies, or no memory
 */
LOGP_API const struct logp_algorithm *logp_algorithm_best(const char *collective, int64_t P,
                                                          const struct logp_args *args,
                                                          const struct logp_network *network);

#define LOGP_MOST_LEFT 128 /**< algorithms that a choice can leave out */

/** A choice, and what it leaves out. */
struct logp_choice {
    const struct logp_algorithm *algorithm; /**< the best */
    size_t n_left;                          /**< algorithms that have not been compared, */
    const struct logp_algorithm *left[LOGP_MOST_LEFT]; /**< or not with each k */
};

/**
 * As logp_algorithm_best(), worked out anew. Threads: any.
 * @param out  out
 * @return 0; -ENOTSUP (no such collective, or none of its algorithms applies), -ENOMEM
 */
LOGP_API int logp_algorithm_choose(const char *collective, int64_t P, const struct logp_args *args,
                                   const struct logp_network *network, struct logp_choice *out);

/**
 * Predict, by the formula where there is one, or where that is no more than a lower bound, or a
 * rough one (algorithm.h), or does not apply, by the schedule: so logp_algorithm_predict_by() with
 * LOGP_BY_EITHER.
 *
 * Formulas know neither capacity nor, but for broadcasts and for rounds in which all do the same,
 * the shared gap; of topologies, trees of up to 2^16 processors, and torus and torus-pipelined
 * where the topology is a torus of two dimensions, exact where no message waits for a link, else a
 * lower bound. Schedules are exact under all of them, up to LOGP_FOLD_P processors and
 * LOGP_FOLD_MESSAGES messages, on links fewer. Where latencies vary up to L: an upper bound; with a
 * capacity or on a topology LOGP_PREDICTION_NONE.
 * @param P  >= 1, up to LOGP_TREE_MAX
 */
LOGP_API struct logp_prediction logp_algorithm_predict(const struct logp_algorithm *algorithm,
                                                       int64_t P, const struct logp_args *args,
                                                       const struct logp_network *network);

/** @{ */
/** logp_algorithm_predict(): largest P and most messages that are folded. LOGP_BY_SCHEDULE has no such limits. */
#define LOGP_FOLD_P (1 << 16)
#define LOGP_FOLD_MESSAGES (1 << 21)
/** @} */

/** The same, from what is asked for: LOGP_PREDICTION_NONE where it has no formula, or no steps. */
LOGP_API struct logp_prediction logp_algorithm_predict_by(const struct logp_algorithm *algorithm,
                                                          int64_t P, const struct logp_args *args,
                                                          const struct logp_network *network,
                                                          enum logp_basis by);

/**
 * What no algorithm of a collective can be faster than, whatever it sends to whom, in which order
 * and in pieces of which size; those that are still to be found, too: from the common start to the
 * moment the last processor is done. Over links that differ, and on a topology, it counts how far
 * the processors are apart that something is brought from and to, over any relays, and what crosses
 * from near to far ones, or a cut through the network. Where ranks have more than about 250
 * different links, the cheapest link counts for all; where there are too many pairs, some of them
 * count. Capacity and rendezvous_from are not looked at: they only make it longer. No bytes take no
 * time. At P = 64 it takes some 10 us for nodes, 1 ms where all links differ.
 * @param P  >= 1, up to LOGP_TREE_MAX
 * @return ns; -1: none is known (no such collective; blocks of different sizes; a negative count,
 * or size of a matrix; latencies that vary up to L; beyond 36 years) Threads: any. Source: Karp et
 * al., SPAA 1993; Shou & Chen 1996.
 */
LOGP_API int64_t logp_collective_lower_bound(const char *collective, int64_t P,
                                             const struct logp_args *args,
                                             const struct logp_network *network);

/**
 * What the textbook says that a broadcast or reduction by recursive doubling costs:
 * (ts + m tw) lg P, with ts = o_send + L + o_recv - G and tw = G. The predictions of `binomial` and
 * `mesh` agree for P = 2^x where sends are at most o_send + L + o_recv and the streaming apart.
 * @return ns; -1: more than the clock counts
 * Source: Grama et al. 2003, ch. 4.1.
 */
LOGP_API int64_t logp_textbook_cost(int64_t P, const struct logp_params *params, size_t n_bytes);

/** What the textbook says of this algorithm here: logp_textbook_cost(). -1: nothing. */
LOGP_API int64_t logp_algorithm_textbook(const struct logp_algorithm *algorithm, int64_t P,
                                         const struct logp_args *args,
                                         const struct logp_network *network);

/* ---- plan once, run often ---- */

/** What one processor does in a collective; it knows for which algorithm, P and rank. */
struct logp_plan;

/**
 * Work out what a rank does.
 * @param args   copied; what it points to is not
 * @param network  copied, as args; NULL: nothing costs anything, and there is no topology
 * @param plan   out: destroy it with logp_plan_destroy()
 * @return 0; -EINVAL (rank or root out of range; reduce, matvec: no op; reduce: a negative count; a
 *         buffer of more than PTRDIFF_MAX bytes on any rank; a row that is too small:
 *         logp_algorithm.size; in_place, where that is not possible),
 *         -ENOTSUP (logp_algorithm_needs()), -ENOMEM
 * Threads: any.
 */
LOGP_API int logp_plan_create(const struct logp_algorithm *algorithm, int P, int rank,
                              const struct logp_args *args, const struct logp_network *network,
                              struct logp_plan **plan);

/** Free a plan that does not run. NULL is allowed. */
LOGP_API void logp_plan_destroy(struct logp_plan *plan);

/**
 * Run a planned collective; all processors of the group call it with a plan of the same algorithm
 * and arguments. Its messages travel in the context of the collectives, apart from the program's
 * own. Items and blocks are as large as logp_args.blocks says, and where, if that is set.
 * @param buf       the processor's operands; broadcast: the item on the root, room for it
 * elsewhere; alltoall: P items, that for rank i at i n_bytes; transpose: its columns of the matrix,
 * one after another; matvec: the block, row by row, and the piece of the vector (row 0) or room for
 * it. Only broadcast and matvec write to it
 * @param recv_buf  the result: alltoall: room for P items, by source; reduce, summation: on the
 *                  root; transpose: its columns of the transposed matrix, which are rows; matvec: a
 *                  piece of it in column 0, elsewhere room for one
 * @return as logp_send() and logp_recv(); -EINVAL: the plan is of another rank or number of
 *         processors, or not in place; -EBUSY: it has been started (collective.h)
 * Threads: as logp_send(); a plan is run by one vp at a time.
 */
LOGP_API int logp_plan_run(struct logp_vp *vp, const struct logp_plan *plan, void *buf,
                           void *recv_buf);

/** How many bytes buf and recv_buf of logp_plan_run() have. */
LOGP_API void logp_plan_sizes(const struct logp_plan *plan, size_t *buf, size_t *recv_buf);

/** summation: @return how many operands this processor has; 0: it takes no part. */
LOGP_API int64_t logp_plan_own(const struct logp_plan *plan);

/**
 * Along a tree: whom it sends to or receives from.
 * @param parent  out: a rank; -1: it is the root, or there is no tree
 * @param n       out: number of children
 * @return the children's ranks in the order of use; they belong to the plan
 */
LOGP_API const int *logp_plan_tree(const struct logp_plan *plan, int *parent, int *n);

/* ---- collectives: buffers, how much, the operation, the root ----
 *
 * Each takes what logp_algorithm_best() returns for the parameters of the delay model in force.
 * The answer is kept and serves all processors. If the model has no parameters, or there is no
 * model, the algorithm takes few messages and few turns of a core, or for long messages few
 * copies. Two buffers do not overlap, except with LOGP_IN_PLACE. -EINVAL, on all ranks alike:
 * also if a buffer of any rank would have more than PTRDIFF_MAX bytes (n_bytes or a count,
 * times P). */

/**
 * Broadcast n_bytes from root to all processors of the group.
 * @param buf  the item on the root, room for it elsewhere
 * @return as logp_send() and logp_recv(); -EINVAL (root, no buffer), -ENOMEM
 * Source: Shou & Chen 1996.
 */
LOGP_API int logp_broadcast(struct logp_vp *vp, void *buf, size_t n_bytes, int root);

/**
 * No processor of the group returns before all have called.
 * @return as logp_send() and logp_recv(); -ENOMEM
 * Source: Hensgen, Finkel, Manber, IJPP 17(1), 1988.
 */
LOGP_API int logp_barrier(struct logp_vp *vp);

/**
 * Everyone sends a different item to everyone, itself included.
 * @param send_buf  P items of n_bytes, that for rank i at i n_bytes
 * @param recv_buf  room for P items, by source; must not overlap send_buf
 * @return as logp_send() and logp_recv(); -EINVAL (a buffer is missing), -ENOMEM
 * Source: Sun, Zhang & Song 2002 (ring, all sends first); Bruck et al., IEEE TPDS 8(11), 1997.
 */
LOGP_API int logp_alltoall(struct logp_vp *vp, const void *send_buf, void *recv_buf,
                           size_t n_bytes);

/**
 * Transpose a matrix of rows x cols elements whose columns are spread over the processors of the
 * group, in order and in blocks as even as can be: the first (cols mod P) have one column more. The
 * columns of the result, which are the rows of the matrix, are spread in the same way. The
 * algorithm is the one that is predicted to be the best under the delay model in force (ring where
 * the model has no parameters).
 * @param send_buf  this processor's columns of the matrix, one after another; if it has any
 * @param recv_buf  room for its columns of the result, if it has any; must not overlap send_buf
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
 * @param recv_buf  root: room for the result, must not overlap send_buf; elsewhere not used
 * @param count     elements of a vector, >= 0, the same on all processors
 * @param op        how they combine, the same on all; if it does not commute, in the order of ranks
 * Cost:   each combination of two vectors takes count gamma of the vp's clock.
 * @return as logp_send() and logp_recv(); -EINVAL (count, op, root, a buffer is missing), -ENOMEM
 * Source: Kurnosov 2016; Shou & Chen 1996.
 */
LOGP_API int logp_reduce(struct logp_vp *vp, const void *send_buf, void *recv_buf, int64_t count,
                         const struct logp_op *op, int root);

/**
 * The same on all processors.
 * @return as logp_reduce()
 * Source: Thakur, Rabenseifner, Gropp, IJHPCA 19(1), 2005.
 */
LOGP_API int logp_allreduce(struct logp_vp *vp, const void *send_buf, void *recv_buf, int64_t count,
                            const struct logp_op *op);

/**
 * Combine vectors of P blocks, and leave block i on rank i.
 * @param send_buf  P count elements
 * @param recv_buf  room for count elements; must not overlap send_buf
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

/** The same of the ranks below its own: on rank 0 nothing is written to recv_buf. */
LOGP_API int logp_exscan(struct logp_vp *vp, const void *send_buf, void *recv_buf, int64_t count,
                         const struct logp_op *op);

/**
 * An item from root to each processor, its own included.
 * @param send_buf  root: P items of n_bytes, by rank; elsewhere not used
 * @param recv_buf  room for an item; must not overlap send_buf
 * @return as logp_send() and logp_recv(); -EINVAL (root, a buffer is missing), -ENOMEM
 */
LOGP_API int logp_scatter(struct logp_vp *vp, const void *send_buf, void *recv_buf, size_t n_bytes,
                          int root);

/**
 * An item from each processor to root, its own included.
 * @param recv_buf  root: room for P items of n_bytes, by rank; elsewhere not used
 * @return as logp_scatter()
 */
LOGP_API int logp_gather(struct logp_vp *vp, const void *send_buf, void *recv_buf, size_t n_bytes,
                         int root);

/**
 * An item from each processor to all.
 * @param recv_buf  room for P items of n_bytes, by rank; must not overlap send_buf
 * @return as logp_send() and logp_recv(); -EINVAL (a buffer is missing), -ENOMEM
 * Source: Bruck et al., IEEE TPDS 8(11), 1997; Chen et al., IPDPS 2005.
 */
LOGP_API int logp_allgather(struct logp_vp *vp, const void *send_buf, void *recv_buf,
                            size_t n_bytes);

/* ---- the same with blocks of different sizes ----
 *
 * Arguments are in the order of MPI. Sizes and displacements are in bytes; a block may be of none.
 * displs: where block i is in the buffer that has all, no two overlapping; NULL: one after the
 * other. LOGP_IN_PLACE as above; n_bytes of that rank is not looked at. */

/**
 * An item from root to each processor, flat, since only the root need know how large all are. (Who
 * does know can plan another algorithm, with logp_args.blocks.)
 * @param send_buf  root: the items; elsewhere not used; nor are counts and displs
 * @param counts    of each rank's item
 * @param recv_buf  room for the own item, n_bytes
 * @param n_bytes   the own of the counts
 * @return as logp_scatter(); -EINVAL: also if the root's n_bytes is another than in counts
 */
LOGP_API int logp_scatterv(struct logp_vp *vp, const void *send_buf, const size_t *counts,
                           const size_t *displs, void *recv_buf, size_t n_bytes, int root);

/** An item from each processor to root, likewise. @return as logp_scatterv() */
LOGP_API int logp_gatherv(struct logp_vp *vp, const void *send_buf, size_t n_bytes, void *recv_buf,
                          const size_t *counts, const size_t *displs, int root);

/**
 * An item from each processor to all, with the algorithm that would be the best for items as large
 * as their mean.
 * @param n_bytes  of send_buf: the own of the counts
 * @param counts   of each rank's item, the same on all; displs may differ
 * @return as logp_allgather(); -EINVAL: also if n_bytes is another than in counts
 */
LOGP_API int logp_allgatherv(struct logp_vp *vp, const void *send_buf, size_t n_bytes,
                             void *recv_buf, const size_t *counts, const size_t *displs);

/**
 * Everyone sends a different item to everyone, itself included; linear, and nothing to who gets
 * none.
 * @param send_counts  of the items for each rank
 * @param recv_counts  of those from each rank, as it says. In place: those for each as well; what
 *                     is for a rank is where what comes from it will be
 * @return as logp_alltoall(); -EINVAL: also if the item for itself is not as large as that from
 */
LOGP_API int logp_alltoallv(struct logp_vp *vp, const void *send_buf, const size_t *send_counts,
                            const size_t *send_displs, void *recv_buf, const size_t *recv_counts,
                            const size_t *recv_displs);

/**
 * Combine vectors of P blocks, and leave block i on rank i; the algorithm as in logp_allgatherv()
 * (recursive halving, or linear where the operation does not commute).
 * @param counts  elements of each block, the same on all
 * @return as logp_reduce_scatter()
 */
LOGP_API int logp_reduce_scatterv(struct logp_vp *vp, const void *send_buf, void *recv_buf,
                                  const size_t *counts, const struct logp_op *op);

/* ---- op ---- */

/*
 * How elements combine: the operations of reductions.
 *
 * The built-in ones are sum, prod, min and max of int32, int64, float and double; sums and products
 * of integers wrap around. A program may pass an operation of its own, on elements of any size.
 */

/** An associative operation on elements. */
struct logp_op {
    const char *name;     /**< "sum" */
    const char *type;     /**< of its elements: "double" */
    size_t element_bytes; /**< of one element, > 0 */
    bool commutative;     /**< false: operands are combined in the order of their ranks */
    /** acc[i] = acc[i] op in[i] for n elements; the two do not overlap. */
    void (*combine)(void *acc, const void *in, size_t n, void *arg);
    /** n operands for an experiment, the same for the same seed, whose results do not depend on the
     *  order of combining; NULL: bytes at random. */
    void (*fill)(void *buf, size_t n, uint64_t seed, void *arg);
    void *arg; /**< passed to both */
};

/** @return built-in operation i = 0, 1, ...; static storage; NULL: there are no more. */
LOGP_API const struct logp_op *logp_op_at(size_t i);

/** @return the built-in operation with this name and type; NULL: none. */
LOGP_API const struct logp_op *logp_op_find(const char *name, const char *type);

/**
 * What one combination of two elements takes on this host: the median of several sweeps over two
 * vectors of n elements.
 * @param n  elements of a vector, >= 1
 * @return picoseconds per element, >= 1; -ENOMEM
 */
LOGP_API int64_t logp_op_measure(const struct logp_op *op, size_t n);

/* ---- nonblocking ---- */

/*
 * Collectives that are started, and go on while the program computes.
 *
 *     logp_iallreduce(vp, in, out, n, sum, &pending);
 *     while (more_to_compute && rc == 0) {
 *         compute_a_piece();
 *         rc = logp_pending_test(vp, pending, &done);     and so on, until done
 *     }
 *     rc = logp_pending_wait(vp, pending);                 if it is not
 *
 * A start makes the steps of this processor up to the first receive. A test makes those for which
 * there is mail, and a wait all others, of whatever else has been started, too, through any group:
 * so several may be under way, and be waited for in different orders on different processors. What
 * a step takes, an o or a combination, is charged in the call that makes it, and nothing happens
 * between these calls. The collectives that do not return before they are through
 * (logp_broadcast(), logp_plan_run()) carry on what has been started while they wait, if theirs is
 * an algorithm of steps; receives and waits of the program's own (logp_recv(), logp_sync()) do not:
 * what they wait for must not depend on a collective that this vp has started and not ended.
 *
 * All members of a group start their collectives in the same order: that is how they know which is
 * which. Those that are run are counted apart. (Where a report says who waits for whom, the tag of
 * the n-th is n LOGP_PENDING_TAGS, plus that of its message.)
 *
 * Buffers, and what is behind them (the operation, a plan), are as for the call that runs the same
 * collective. They belong to it until a test or a wait says that it is through: what it reads must
 * not be changed meanwhile, and what it writes not be looked at.
 *
 * Whether a collective comes to a good end or not, the test or wait that says so frees it. Those
 * that a program leaves behind are freed when it ends, and what others had sent for them is counted
 * among what was not received. There is no way to call one off: others rely on it.
 *
 * Threads: as in vp.h, each function only on the thread of its own vp, which may be given as itself
 * or as a member of any group.
 */

/** A collective that has been started. */
struct logp_pending;

/** So many collectives of a group may be pending at once, counted from the oldest that is. */
#define LOGP_MOST_PENDING (1 << 16)
/** Tags of a plan that is started, and of the steps of a list, are below it. */
#define LOGP_PENDING_TAGS (1 << 15)

/**
 * Start a planned collective: as logp_plan_run(), which does the same as start and wait, and takes
 * as long. A plan may be started again and again, but once at a time.
 * @param plan     stays as it is until the collective is through
 * @param pending  out: to be ended with a wait or a test
 * Cost:   that of the steps it makes: sends, and what comes before the first receive.
 * Blocks: as logp_send().
 * @return as logp_send(); -EINVAL (the plan is of another rank or number of processors; its tag),
 *         -ENOTSUP (its algorithm has no steps), -EBUSY (it was started, and nobody waited for it),
 *         -EAGAIN (LOGP_MOST_PENDING), -ENOMEM. After an error nothing is pending
 */
LOGP_API int logp_plan_start(struct logp_vp *vp, const struct logp_plan *plan, void *buf,
                             void *recv_buf, struct logp_pending **pending);

/**
 * Wait until a collective is through, and free it, whatever the result.
 * @param pending  NULL: it is through
 * Cost: that of the steps that are left, and of those of others for which there is mail meanwhile.
 * @return 0; -EINVAL: it is none of this vp's; or what went wrong with it: as logp_send() and
 *         logp_recv(), -EINVAL (a tag of a step)
 */
LOGP_API int logp_pending_wait(struct logp_vp *vp, struct logp_pending *pending);

/**
 * Is a collective through? If so it is freed. All that have been started go on as far as there is
 * mail, or until this one is through.
 * @param done  out
 * Cost: that of the steps that are made; poll_ns if it is not through.
 * @return as logp_pending_wait(), and after an error done
 */
LOGP_API int logp_pending_test(struct logp_vp *vp, struct logp_pending *pending, bool *done);

/**
 * Wait for n collectives; all of them are freed, and set to NULL.
 * @return the first error, in their order; 0; -EINVAL (n < 0)
 */
LOGP_API int logp_pending_waitall(struct logp_vp *vp, struct logp_pending **pendings, int n);

/**
 * Wait until one of n collectives is through, the first of those that are; it is freed, and set to
 * NULL. NULL is passed over.
 * @param index  out: which; -1: all are NULL, or -EINVAL
 * @return as logp_pending_wait(); -EINVAL (n < 0, one that is none of this vp's)
 */
LOGP_API int logp_pending_waitany(struct logp_vp *vp, struct logp_pending **pendings, int n,
                                  int *index);

/**
 * As logp_pending_waitany(), and for messages as well: wait until one of n collectives is through,
 * or one of n_requests requests of vp.h. Where both are, the collective is first.
 * @param index   out: which collective, or n + which request; that is freed, and set to NULL; -1:
 *                all are NULL, or an error that is none of theirs: all live on
 * @param status  of the request, or NULL
 * @return as logp_pending_wait() or logp_wait(); -EINVAL; -ENOMEM
 */
LOGP_API int logp_pending_waitany_or(struct logp_vp *vp, struct logp_pending **pendings, int n,
                                     struct logp_request **requests, int n_requests, int *index,
                                     struct logp_status *status);

/* ---- the collectives of collective.h, started ---- */

/** @{ */
/** The collective of collective.h, started: with the same algorithm (or, where that has no steps,
 * the best that has), the same arguments and the same errors, and those of logp_plan_start(). */
LOGP_API int logp_ibroadcast(struct logp_vp *vp, void *buf, size_t n_bytes, int root,
                             struct logp_pending **pending);

LOGP_API int logp_ibarrier(struct logp_vp *vp, struct logp_pending **pending);

LOGP_API int logp_ialltoall(struct logp_vp *vp, const void *send_buf, void *recv_buf,
                            size_t n_bytes, struct logp_pending **pending);

LOGP_API int logp_itranspose(struct logp_vp *vp, const void *send_buf, void *recv_buf, int64_t rows,
                             int64_t cols, size_t n_bytes, struct logp_pending **pending);

LOGP_API int logp_ireduce(struct logp_vp *vp, const void *send_buf, void *recv_buf, int64_t count,
                          const struct logp_op *op, int root, struct logp_pending **pending);

LOGP_API int logp_iallreduce(struct logp_vp *vp, const void *send_buf, void *recv_buf,
                             int64_t count, const struct logp_op *op,
                             struct logp_pending **pending);

LOGP_API int logp_ireduce_scatter(struct logp_vp *vp, const void *send_buf, void *recv_buf,
                                  int64_t count, const struct logp_op *op,
                                  struct logp_pending **pending);

LOGP_API int logp_iscan(struct logp_vp *vp, const void *send_buf, void *recv_buf, int64_t count,
                        const struct logp_op *op, struct logp_pending **pending);

LOGP_API int logp_iexscan(struct logp_vp *vp, const void *send_buf, void *recv_buf, int64_t count,
                          const struct logp_op *op, struct logp_pending **pending);

LOGP_API int logp_iscatter(struct logp_vp *vp, const void *send_buf, void *recv_buf, size_t n_bytes,
                           int root, struct logp_pending **pending);

LOGP_API int logp_igather(struct logp_vp *vp, const void *send_buf, void *recv_buf, size_t n_bytes,
                          int root, struct logp_pending **pending);

LOGP_API int logp_iallgather(struct logp_vp *vp, const void *send_buf, void *recv_buf,
                             size_t n_bytes, struct logp_pending **pending);

/** @} */

LOGP_END_DECLS

#endif
