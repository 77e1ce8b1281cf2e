/* SPDX-License-Identifier: MIT */
/**
 * @file graph.h
 * Graphs of operations: sends, receives and computations of P ranks, as programs for LogGOPSim
 * (GOAL) have them, and their times by LogGOPSim's rules. A rank may have several processors and
 * network interfaces. Operations that no edge orders are concurrent. Unstable.
 *
 * The rules, for a message of k bytes (0 counts as 1), with o and O the overheads per message and
 * per byte:
 *
 *     computation at t  its processor is busy for [t, t + ns]
 *     send at t         its processor is busy for [t, t + o + (k-1)O], its interface until
 *                       t + g + (k-1)G; the message arrives at t + o + L
 *     message at t      not before its arrival: the processor and the interface that have the
 *                       numbers of the sender's are busy at the receiver, the processor until
 *                       t + o + (k-1)max(O, G), the interface for messages until t + g + (k-1)G
 *     receive           takes no time of its own: it ends when its message is in
 *
 * An operation is free to go when those that it requires are done. A computation, and a send that
 * does not wait for its receiver, free the operations after them when they start; these then wait
 * for their own processor. An operation on another processor therefore does not wait for the end
 * of a computation; if that processor is idle it begins when it became idle, which may be before
 * the time at which the operation became free. A message of more than S bytes frees what requires its send when a receive has
 * taken it; the processor and the interface of the sender are then busy at least until that time.
 *
 * Of several events at one time, the one goes first that was made first: an operation is made when
 * it becomes free, a message when it is sent. Of operations of a rank that become free together
 * sends come first, then receives, then computations, and those of a kind in the order in which
 * they became free. A message takes the first posted receive that fits, a receive the first
 * message, whatever the sizes.
 *
 * Source: Hoefler, Schneider, Lumsdaine, LogGOPSim, HPDC 2010, and its public source text.
 */
#ifndef LOGP_GRAPH_H
#define LOGP_GRAPH_H

#include <logp/algorithm.h>
#include <logp/defs.h>
#include <logp/delay.h>

LOGP_BEGIN_DECLS

/** Operations of P ranks; it is not changed by the functions that read it. */
struct logp_graph;

/** The largest number of operations of a graph. */
#define LOGP_GRAPH_MAX (INT64_C(1) << 30)
/** Processors, and network interfaces, of a rank. */
#define LOGP_GRAPH_MOST_PLACES 256
/** The largest amount of an operation: bytes, or nanoseconds. */
#define LOGP_GRAPH_MOST_AMOUNT (INT64_MAX / 8)
/** A receive with this tag takes a message with any tag, and a message with it fits any receive. */
#define LOGP_GRAPH_ANY_TAG UINT64_MAX

/** An operation. */
struct logp_graph_op {
    enum logp_step_kind kind; /**< send, receive or compute */
    int64_t peer;             /**< send, receive: rank; a receive may have LOGP_ANY_SOURCE */
    int64_t amount;           /**< bytes, or nanoseconds: 0 .. LOGP_GRAPH_MOST_AMOUNT */
    uint64_t tag;             /**< send, receive */
    int processor, interface; /**< of its rank: 0 .. LOGP_GRAPH_MOST_PLACES - 1 */
};

/* ---- make ---- */

/**
 * Begin a graph without operations. A thread fills it, and ends it with logp_graph_end(); then any
 * threads may read it.
 * @param P    1 .. LOGP_MAX_PROCESSORS
 * @param out  out: to be freed with logp_graph_destroy()
 * @return 0; -EINVAL (P), -ENOMEM
 */
LOGP_API int logp_graph_create(int64_t P, struct logp_graph **out);

/** @param graph  NULL is allowed */
LOGP_API void logp_graph_destroy(struct logp_graph *graph);

/** Begin a rank, which must have had no operations. The next calls concern it.
 *  @return 0; -EINVAL (rank, or it has been begun), -ENOMEM; as logp_graph_end_rank() for the one
 *          before it */
LOGP_API int logp_graph_begin_rank(struct logp_graph *graph, int64_t rank);

/** Add an operation to the rank. Its number there is the number of those before it.
 *  @return 0; -EINVAL (kind, peer, amount, processor, interface; no rank has been begun), -E2BIG
 *          (LOGP_GRAPH_MAX), -ENOMEM */
LOGP_API int logp_graph_add(struct logp_graph *graph, const struct logp_graph_op *operation);

/** An operation of the rank waits for the end of another, or for its start: edge->started. Both may
 *  be added later.
 *  @return 0; -EINVAL (a negative number), -E2BIG (2^32 - 1 edges), -ENOMEM */
LOGP_API int logp_graph_add_edge(struct logp_graph *graph, const struct logp_edge *edge);

/** The rank is complete.
 *  @param wrong  out: -EINVAL: the operation that an edge names and that does not exist; -ELOOP: an
 *                operation that waits for itself. NULL: not wanted
 *  @return 0; -EINVAL, -ELOOP, -ENOMEM */
LOGP_API int logp_graph_end_rank(struct logp_graph *graph, int64_t *wrong);

/** The graph is complete; ranks that have not been begun have no operations.
 *  @return 0; as logp_graph_end_rank() */
LOGP_API int logp_graph_end(struct logp_graph *graph);

/* ---- read ---- */

/** The size of a graph. */
struct logp_graph_size {
    int64_t P, operations, edges;
    int processors, interfaces; /**< of a rank: the largest number in use, plus 1 */
    int64_t most_bytes;         /**< of a send or a receive */
    uint64_t most_tag;          /**< of a send or a receive, but for LOGP_GRAPH_ANY_TAG */
    size_t memory;              /**< in bytes */
};

/** @return the size of a graph, without a walk over its operations */
LOGP_API struct logp_graph_size logp_graph_size(const struct logp_graph *graph);

/** @return the number of operations of a rank */
LOGP_API int64_t logp_graph_count(const struct logp_graph *graph, int64_t rank);

/** Operation i of a rank, both within range. */
LOGP_API void logp_graph_at(const struct logp_graph *graph, int64_t rank, int64_t i,
                            struct logp_graph_op *out);

/** Operation i of a rank is followed by n operations: number j = 0 .. n - 1 of them waits for its
 *  end, or for its start. @return n; j beyond that: *out is not set */
LOGP_API int64_t logp_graph_next(const struct logp_graph *graph, int64_t rank, int64_t i, int64_t j,
                                 struct logp_edge *out);

/* ---- time ---- */

/** An act: what takes time. */
struct logp_graph_act {
    enum logp_step_kind kind; /**< compute, send; receive: a message comes in */
    int64_t rank;             /**< whose act it is */
    int64_t operation;        /**< of the rank, compute and send; of peer, receive: its send */
    int64_t peer;             /**< send, receive: the other end */
    int64_t start, end;       /**< its processor is busy in between */
    int64_t arrival;          /**< of the message; send, receive */
};

/** What an evaluation reports while it runs. Functions may be NULL. */
struct logp_graph_observer {
    size_t size; /**< sizeof(struct logp_graph_observer); see logp_struct_take() */
    void *arg;   /**< of each function */
    /** An act begins. Of a rank's acts on one processor each begins after the one before it. */
    void (*act)(void *arg, const struct logp_graph_act *act);
    /** A receive of `rank` takes the message of operation `send` of rank `from`. */
    void (*met)(void *arg, int64_t rank, int64_t receive, int64_t from, int64_t send);
    /** `done` of `all` operations are done; called about every 2^16 of them. */
    void (*progress)(void *arg, int64_t done, int64_t all);
};

/** The time of a graph. */
struct logp_graph_time {
    int64_t ns;         /**< from the start to the end of the last act */
    int64_t messages;   /**< sent */
    int64_t unreceived; /**< messages without a receive */
    int64_t rank;       /**< -EDEADLK: a rank that does not come to its end; else -1 */
    int64_t peer;       /**< -EDEADLK: the rank that it waits for; -1: any, or none */
    uint64_t tag;       /**< -EDEADLK: of that message */
    bool sends;         /**< -EDEADLK: it waits until peer has received its message */
};

/**
 * Compute the time of a graph by LogGOPSim's rules.
 * Memory: 4 bytes an operation, and 32 for each that is free to go and not done.
 * @param network   L, o_send, o_recv, g, G and O count; sends of rendezvous_from bytes or more wait
 *                  for their receivers, 0: none. LogGOPSim's S is rendezvous_from - 1
 * @param host_of   by rank: the host whose processors and interfaces it uses, 0 .. P - 1. Ranks of
 *                  one host share those of the same number. NULL: each rank has its own
 * @param observer  NULL: none
 * @param ends      out: by rank, the end of its last act; NULL: not wanted
 * @param out       out; also after an error
 * @return 0; -EDEADLK, -EINVAL (host_of), -EOVERFLOW (more than 36 years), -ENOMEM
 */
LOGP_API int logp_graph_evaluate(const struct logp_graph *graph, const struct logp_network *network,
                                 const int64_t *host_of, const struct logp_graph_observer *observer,
                                 int64_t *ends, struct logp_graph_time *out);

/**
 * The acts of each rank in the order in which they begin, as steps for a run or a fold: a
 * logp_step_list without edges, in which the place of a receive is that at which its message comes in. Under the
 * delay model `loggops` it takes the time of the graph, and each rank the time of its own. The tags
 * of a graph with tags above 2^31 - 1 are numbered from 0 on.
 * @param out   out: to be freed with logp_graph_list_destroy()
 * @param time  out: as logp_graph_evaluate()
 * @return as logp_graph_evaluate(); -ENOTSUP: a rank has several processors or interfaces, or a
 *         send waits for its receiver
 */
LOGP_API int logp_graph_order(const struct logp_graph *graph, const struct logp_network *network,
                              struct logp_step_list **out, struct logp_graph_time *time);

/**
 * The operations and edges as a logp_step_list. Its tags are those of logp_graph_order().
 * @return 0; -ENOTSUP: a rank has several processors or interfaces; a send has
 *         LOGP_GRAPH_ANY_TAG. -ENOMEM
 */
LOGP_API int logp_graph_list(const struct logp_graph *graph, struct logp_step_list **out);

/** @param list  of one of these two; NULL is allowed */
LOGP_API void logp_graph_list_destroy(struct logp_step_list *list);

/** The operations of a list with edges as a graph: sends, receives and computations.
 *  @param out  out: to be freed with logp_graph_destroy()
 *  @return 0; -EINVAL (a step or an edge), -ELOOP, -E2BIG, -ENOMEM */
LOGP_API int logp_graph_of_list(const struct logp_step_list *list, struct logp_graph **out);

/**
 * One graph of the ranks of several, one after another. Ranks of different graphs exchange no
 * messages.
 * @param graphs  n of them, n >= 1
 * @return 0; -EINVAL (n, more than LOGP_MAX_PROCESSORS ranks), -E2BIG, -ENOMEM
 */
LOGP_API int logp_graph_join(const struct logp_graph *const *graphs, size_t n,
                             struct logp_graph **out);

LOGP_END_DECLS

#endif
