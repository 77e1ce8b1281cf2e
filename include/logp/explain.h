/* SPDX-License-Identifier: MIT */
/**
 * @file explain.h
 * The composition of a schedule's time: its critical path, the slack of all other tasks, and the
 * time as a function of each parameter.
 * Unstable: this header may change in any version.
 *
 *     struct logp_explanation *e;
 *     struct logp_curve curve;
 *     int rc = logp_explanation_of(algorithm, P, &args, &model, &e);
 *     ...                        e->terms: for example e->ns = 2 L + 4 o + 1 g; e->path: the ranks
 *     rc = logp_explanation_curve(e, LOGP_PARAMETER_L, &curve);
 *     ...                        e->ns as a function of L: lines, one after another
 *     logp_curve_free(&curve);
 *     logp_explanation_free(e);
 *
 * A task is a send, a receive or a computation of a rank. It starts at the latest of a few times:
 * the end of the task before it, the arrival of its message, the end of a gap. So the time of the
 * schedule is the largest sum along a path from the common start to the end of a last task. Each
 * sum has a number of L, of o, of g, of bytes times G and of elements times gamma.
 *
 * The schedule is fixed: all messages, their order on each rank, and every computing time that is
 * not gamma times elements. An algorithm that plans with the parameters (the optimal tree, the best
 * number of segments) would have other steps with other parameters.
 *
 * The sums grow with each parameter, so the time is convex and piecewise linear in L, o and g, and
 * its curve is exact at each whole nanosecond. (k-1)G and the time of a combination are each
 * rounded up to whole nanoseconds. So the curves of G and gamma leave rounding out, and
 * logp_curve.rounding_ns limits its effect. logp_explanation_at() gives the exact time at a value.
 *
 * This holds for the built-in models `logp`, `loggp` and `store-forward` with either gap, `loggops`
 * without O and links, and `varying` if each message takes all of L. Where links differ (delay.h), L,
 * o, g and G are the parameters: a link that uses them is on the path with them, others are a constant
 * time, links_ns. With several ports (logp_network.ports) a message keeps the port that it takes with the
 * parameters of the explanation, so the curves and logp_explanation_at() are of these ports. If messages wait for others (a topology, a capacity, a receiver), or ranks arrive
 * late, the time is not such a function: -ENOTSUP.
 *
 * Source: Kelley & Walker, critical-path planning, 1959; Eisner & Severance, JACM 23(4), 1976
 * (breakpoints from the lines at a few points).
 * Threads: any; the functions change only the data that their arguments point to.
 */
#ifndef LOGP_EXPLAIN_H
#define LOGP_EXPLAIN_H

#include <logp/algorithm.h>
#include <logp/defs.h>

LOGP_BEGIN_DECLS

/** The largest number of tasks. */
#define LOGP_EXPLAIN_TASKS (1 << 22)

/** A time as a sum of parameters, exact to the nanosecond: L times L, o_send times o_send, o_recv
 *  times o_recv, g times g, bytes times G and O, elements times gamma, compute, links and rounding. */
struct logp_terms {
    int64_t L, o_send, o_recv, g;
    int64_t bytes;       /**< 0 if G is 0 */
    int64_t elements;    /**< 0 if gamma is 0 */
    int64_t compute_ns;  /**< other computing: packing, work, steps of a file */
    int64_t rounding_ps; /**< added by rounding up */
    int64_t links_ns;    /**< of links that differ from the parameters */
    int64_t bytes_O;     /**< times O; 0 if O is 0 */
};

/** A task: a step of one rank that takes time or is a message. */
struct logp_task {
    enum logp_step_kind kind; /**< send, receive or compute (combinations, too) */
    int tag;                  /**< send, receive */
    int64_t rank;
    int64_t peer; /**< send, receive: rank; compute: -1 */
    size_t n_bytes;
    int64_t elements;   /**< compute: combined elements */
    int64_t compute_ns; /**< compute: the rest of its time */
    int64_t start_ns, end_ns;
    int64_t arrival_ns; /**< send, receive: of the message */
    int64_t slack_ns;   /**< by how much it may start later or take longer without delaying the
                             end; 0: it is critical */
    int64_t message_slack_ns; /**< send, receive: by how much the message may arrive later; -1: it
                                   is never received */
    int64_t other;            /**< send, receive: the task at the other end; -1: none */
};

/** The kinds of segments of the critical path. */
enum logp_segment_kind {
    LOGP_SEGMENT_SEND,    /**< the overhead of rank's send to peer */
    LOGP_SEGMENT_WIRE,    /**< the message from rank to peer is under way */
    LOGP_SEGMENT_RECEIVE, /**< the overhead of rank's receive from peer */
    LOGP_SEGMENT_COMPUTE, /**< rank computes */
    LOGP_SEGMENT_GAP,     /**< between the starts of two sends or receives of rank (shared gap: also
                               from the end of one, while a message streams in) */
};

/** A segment of the critical path. It begins where the segment before it ends. */
struct logp_path_segment {
    enum logp_segment_kind kind;
    int64_t rank, peer; /**< peer of a gap: that of the task before it; -1: none */
    int64_t task;       /**< its task; wire: the send; gap: the task before it */
    int64_t from_ns, to_ns;
    struct logp_terms terms;
};

/** An explained schedule. Read only. */
struct logp_explanation {
    size_t size; /**< of this struct in the library: it may have grown */
    int64_t P;
    int64_t ns;                           /**< its time, as logp_schedule_fold() has it */
    struct logp_params params;            /**< the parameters of this time */
    struct logp_terms terms;              /**< of the critical path; their sum is ns */
    const struct logp_path_segment *path; /**< from 0 to ns; any one, if several are as long */
    size_t n_path;
    const struct logp_task *tasks; /**< of all ranks: each task follows the tasks that it waits for,
                                        and the tasks of a rank are in its order */
    size_t n_tasks;
    const int64_t *slack_ns; /**< by rank: the least slack of its tasks; without tasks: ns */
    uint64_t messages;
};

/**
 * Explain a schedule with the parameters of its network.
 * Cost: about 200 bytes and less than a microsecond for each task.
 * @param out  out: free it with logp_explanation_free()
 * @return 0; -ENOTSUP (a topology, a capacity, rendezvous_from), -E2BIG (more than
 *         LOGP_EXPLAIN_TASKS), -EOVERFLOW (more than 100 days, or 2^62 bytes or elements), -ENOMEM,
 *         or as logp_schedule_fold()
 */
LOGP_API int logp_explanation_create(const struct logp_schedule *schedule,
                                     struct logp_explanation **out);

/**
 * Explain the schedule of an algorithm, as logp_algorithm_predict_by() with LOGP_BY_SCHEDULE.
 * @param network  NULL: as logp_plan_create()
 * @return as logp_explanation_create(); also -EINVAL (P, root), and -ENOTSUP (no steps, or
 *         logp_algorithm_needs())
 */
LOGP_API int logp_explanation_of(const struct logp_algorithm *algorithm, int64_t P,
                                 const struct logp_args *args, const struct logp_network *network,
                                 struct logp_explanation **out);

struct logp_graph;

/**
 * Explain the time of a graph by LogGOPSim's rules, logp_graph_evaluate(). Acts keep the order in which
 * they begin on each processor and interface.
 * @param network  L, o_send, o_recv, g, G and O count
 * @return as logp_explanation_create() and logp_graph_evaluate(); -ENOTSUP: also with links
 */
LOGP_API int logp_explanation_of_graph(const struct logp_graph *graph,
                                       const struct logp_network *network,
                                       struct logp_explanation **out);

/** NULL is allowed. */
LOGP_API void logp_explanation_free(struct logp_explanation *e);

/* ---- the time as a function of a parameter ---- */

/** The parameters. */
enum logp_parameter {
    LOGP_PARAMETER_L,
    LOGP_PARAMETER_O, /**< o_send and o_recv, if they are equal */
    LOGP_PARAMETER_O_SEND,
    LOGP_PARAMETER_O_RECV,
    LOGP_PARAMETER_GAP,   /**< g */
    LOGP_PARAMETER_BYTE,  /**< G */
    LOGP_PARAMETER_GAMMA, /**< gamma */
    LOGP_PARAMETERS,      /**< how many there are */
};

/** @return "L", "o", "o_send", "o_recv", "g", "G" or "gamma". */
LOGP_API const char *logp_parameter_name(enum logp_parameter parameter);

/** @return the value of the parameter in ps. */
LOGP_API int64_t logp_parameter_ps(enum logp_parameter parameter, const struct logp_params *params);

/** From from_ps up to the next line, the time is base_ps + slope times the parameter. */
struct logp_line {
    int64_t from_ps; /**< the first whole ps of the line; the first line: 0 */
    int64_t slope;   /**< how often the parameter is on the critical path */
    int64_t base_ps;
};

/** The time as a function of one parameter >= 0, with the other parameters fixed. */
struct logp_curve {
    enum logp_parameter parameter;
    int64_t at_ps;       /**< the value of the parameter in the explanation */
    int64_t left, right; /**< the slopes there: the time that one unit less saves, and that one unit
                              more costs; at 0 both are equal */
    const struct logp_line *lines; /**< slopes and from_ps ascend */
    size_t n;
    int64_t rounding_ns; /**< G, gamma: rounding adds less than this; 0: the curve is exact at
                              each whole ns */
};

/**
 * Compute the time as a function of a parameter.
 * Cost: two or three passes over all tasks for each line, about 25 ns a task.
 * @param out  out: free it with logp_curve_free()
 * @return 0; -EINVAL (LOGP_PARAMETER_O, but o_send and o_recv differ), -ENOMEM
 */
LOGP_API int logp_explanation_curve(const struct logp_explanation *e, enum logp_parameter parameter,
                                    struct logp_curve *out);

/** Free the lines of a curve. */
LOGP_API void logp_curve_free(struct logp_curve *curve);

/** @return the time in ps at a value >= 0 of the parameter; INT64_MAX: this or more. */
LOGP_API int64_t logp_curve_ps(const struct logp_curve *curve, int64_t value_ps);

/**
 * Compute the exact time with another value of a parameter. It equals the fold of these steps and
 * the virtual clock.
 * @param value_ps  0 .. LOGP_PARAM_MAX_NS ns; whole ns, except for G and gamma
 * @param ns        out
 * @return 0; -EINVAL (the value, or as logp_explanation_curve()), -EOVERFLOW (more than 100 days),
 *         -ENOMEM
 */
LOGP_API int logp_explanation_at(const struct logp_explanation *e, enum logp_parameter parameter,
                                 int64_t value_ps, int64_t *ns);

/* ---- trees ---- */

/**
 * Test whether the ranks that send or receive form a tree: for each rank but the root, exactly one
 * rank is the one that it first sends to or receives from. An edge may have several messages, in
 * both directions.
 * @param root    preferred, if both ends could be the root (a chain); otherwise the first message
 *                decides
 * @param parent  out: P ranks; -1: the root, or a rank that takes no part
 * @param along   out: the direction of the first message of each edge; LOGP_ALONG_NO_TREE: no tree
 * @return the root; -1: no tree; -ENOMEM
 */
LOGP_API int64_t logp_explanation_tree(const struct logp_explanation *e, int64_t root,
                                       int64_t *parent, enum logp_along *along);

LOGP_END_DECLS

#endif
