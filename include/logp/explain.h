/* SPDX-License-Identifier: MIT */
/**
 * @file explain.h
 * What the time of a schedule is made of: its critical path, how much slack everything else has,
 * and the time as a function of each parameter.
 *
 *     struct logp_explanation *e;
 *     struct logp_curve curve;
 *     int rc = logp_explanation_of(algorithm, P, &args, &model, &e);
 *     ...                        e->ns = 2 L + 4 o + 1 g, say: e->terms; through whom: e->path
 *     rc = logp_explanation_curve(e, LOGP_PARAMETER_L, &curve);
 *     ...                        e->ns as a function of L: lines, one after another
 *     logp_curve_free(&curve);
 *     logp_explanation_free(e);
 *
 * Each send, receive and computation of a rank, a task, starts at the latest of a few moments: the
 * end of the task before it, the arrival of its message, the end of a gap. So the time of the whole
 * is the largest of the sums along all paths from the common start to the end of a last task, and
 * each sum is so many times L, so many times o, g, bytes times G, elements times gamma.
 *
 * The schedule is held fixed: who sends what to whom in which order, and how long is computed where
 * that is not gamma times elements. An algorithm that plans with the parameters (the optimal tree,
 * the best number of segments) does something else where they are others.
 *
 * Sums grow with each parameter, so the time is convex and piecewise linear in L, in o and in g,
 * and what is said of them is exact at each whole number of nanoseconds. (k-1)G and the time of a
 * combination are rounded up to whole nanoseconds, once each. So in G and in gamma the time without
 * that rounding is said as a function, and how much rounding can add; at any one value the
 * exact time is had with logp_explanation_at().
 *
 * All that holds for the built-in models `logp`, `loggp` and `store-forward`, with either gap, and
 * of `varying` for messages that take all of L. Where links differ (delay.h) L, o, g and G are what
 * params say: a link for which they count is on the path with them, and what another one says
 * itself is a time that stays as it is, links_ns. Where a message waits for others (a topology, a
 * capacity, a receiver) the order in which they come counts, and the time is no such function:
 * -ENOTSUP.
 *
 * Source: Kelley & Walker, critical-path planning, 1959; Eisner & Severance, JACM 23(4), 1976
 * (breakpoints from the lines at a few points).
 * Threads: all functions are pure but for what they are given; any thread may call them.
 */
#ifndef LOGP_EXPLAIN_H
#define LOGP_EXPLAIN_H

#include <logp/algorithm.h>
#include <logp/defs.h>

LOGP_BEGIN_DECLS

/** Most tasks that are explained. */
#define LOGP_EXPLAIN_TASKS (1 << 22)

/** How many times each parameter a stretch of time is, to the nanosecond:
 *  L L + o_send o_send + o_recv o_recv + g g + bytes G + elements gamma + compute + links +
 *  rounding. */
struct logp_terms {
    int64_t L, o_send, o_recv, g;
    int64_t bytes;       /**< that take G each; 0 where G is 0 */
    int64_t elements;    /**< that take gamma each; 0 where gamma is 0 */
    int64_t compute_ns;  /**< computed otherwise: packing, work, the steps of a file */
    int64_t rounding_ps; /**< what is rounded up */
    int64_t links_ns;    /**< what links that differ from the parameters say themselves */
};

/** What one rank does at a stretch: a step that takes time, or is a message. */
struct logp_task {
    enum logp_step_kind kind; /**< send, receive or compute (combinations, too) */
    int tag;                  /**< send, receive */
    int64_t rank;
    int64_t peer; /**< send, receive: rank; compute: -1 */
    size_t n_bytes;
    int64_t elements;   /**< compute: that take gamma each */
    int64_t compute_ns; /**< compute: what it takes besides */
    int64_t start_ns, end_ns;
    int64_t arrival_ns; /**< send, receive: when the message is there */
    int64_t slack_ns;   /**< it may start so much later, or take so much longer, and the whole ends
                             as early; 0: it is critical */
    int64_t message_slack_ns; /**< send, receive: so much later the message may arrive; of one that
                                   nobody receives: -1 */
    int64_t other;            /**< send, receive: the task at the other end; -1: none */
};

/** What the critical path does for a while. */
enum logp_segment_kind {
    LOGP_SEGMENT_SEND,    /**< rank is in the overhead of a send to peer */
    LOGP_SEGMENT_WIRE,    /**< the message from rank to peer is on its way */
    LOGP_SEGMENT_RECEIVE, /**< rank is in the overhead of a receive from peer */
    LOGP_SEGMENT_COMPUTE, /**< rank computes */
    LOGP_SEGMENT_GAP,     /**< from the start of a send or receive of rank to the next (shared: also
                               from its end, while a message streams in) */
};

/** A part of the critical path; each begins where the one before it ends. */
struct logp_path_segment {
    enum logp_segment_kind kind;
    int64_t rank, peer; /**< peer: of a gap that of the task before it; -1: none */
    int64_t task;       /**< which task it is; wire: the send; gap: the task before it */
    int64_t from_ns, to_ns;
    struct logp_terms terms;
};

/** A schedule explained. Read only. */
struct logp_explanation {
    size_t size; /**< of this struct in the library: it may have grown */
    int64_t P;
    int64_t ns;                /**< what it takes: as logp_schedule_fold() */
    struct logp_params params; /**< under these */
    struct logp_terms terms;   /**< of the critical path: all of ns */
    const struct logp_path_segment
        *path; /**< from 0 to ns; where several are as long, one of them */
    size_t n_path;
    const struct logp_task *tasks; /**< of all ranks: each behind what it waits for, and those of a
                                        rank in its order */
    size_t n_tasks;
    const int64_t *slack_ns; /**< by rank: the least of its tasks; of one without any: ns */
    uint64_t messages;
};

/**
 * Explain a schedule, under schedule->model.params.
 * @param out  out: to be freed with logp_explanation_free()
 * @return 0; -ENOTSUP (a topology, a capacity, rendezvous_from), -E2BIG (more than
 * LOGP_EXPLAIN_TASKS), -EOVERFLOW (beyond 100 days, or 2^62 bytes or elements), -ENOMEM, or as
 * logp_schedule_fold()
 * Cost: some 200 bytes a task; less than a microsecond for each.
 */
LOGP_API int logp_explanation_create(const struct logp_schedule *schedule,
                                     struct logp_explanation **out);

/**
 * The same of an algorithm, as logp_algorithm_predict_by() with LOGP_BY_SCHEDULE.
 * @param network  NULL: as logp_plan_create()
 * @return as logp_explanation_create(); -EINVAL also: P, root; -ENOTSUP also: it has no steps, or
 *         logp_algorithm_needs()
 */
LOGP_API int logp_explanation_of(const struct logp_algorithm *algorithm, int64_t P,
                                 const struct logp_args *args, const struct logp_network *network,
                                 struct logp_explanation **out);

/** NULL is allowed. */
LOGP_API void logp_explanation_free(struct logp_explanation *e);

/* ---- the time as a function of a parameter ---- */

/** Which parameter. */
enum logp_parameter {
    LOGP_PARAMETER_L,
    LOGP_PARAMETER_O, /**< o_send and o_recv, which are the same */
    LOGP_PARAMETER_O_SEND,
    LOGP_PARAMETER_O_RECV,
    LOGP_PARAMETER_GAP,   /**< g */
    LOGP_PARAMETER_BYTE,  /**< G */
    LOGP_PARAMETER_GAMMA, /**< gamma */
    LOGP_PARAMETERS,      /**< how many there are */
};

/** @return "L", "o", "o_send", "o_recv", "g", "G" or "gamma". */
LOGP_API const char *logp_parameter_name(enum logp_parameter parameter);

/** @return its value, in ps. */
LOGP_API int64_t logp_parameter_ps(enum logp_parameter parameter, const struct logp_params *params);

/** From a value of the parameter on, up to the next line: the time is base + slope times it. */
struct logp_line {
    int64_t from_ps; /**< the first whole ps at which it holds: 0 of the first line */
    int64_t slope;   /**< how often the parameter counts: once for each message, byte, element */
    int64_t base_ps;
};

/** The time as a function of a parameter, for all values from 0 on, all else as it is. */
struct logp_curve {
    enum logp_parameter parameter;
    int64_t at_ps;       /**< the parameter's own value, */
    int64_t left, right; /**< and what a unit less saves there, and one more costs, in units; left:
                              at 0 the same */
    const struct logp_line *lines; /**< slopes and from_ps ascend */
    size_t n;
    int64_t rounding_ns; /**< G, gamma: with rounding the time is more by less than this, but for 0;
                              else 0: it is exact at each whole ns */
};

/**
 * @param out  out: to be freed with logp_curve_free()
 * @return 0; -EINVAL (LOGP_PARAMETER_O, where o_send and o_recv differ), -ENOMEM
 * Cost: two or three times as many passes over all tasks, of some 25 ns each, as there are lines.
 */
LOGP_API int logp_explanation_curve(const struct logp_explanation *e, enum logp_parameter parameter,
                                    struct logp_curve *out);

/** Free what that has made. */
LOGP_API void logp_curve_free(struct logp_curve *curve);

/** @return what the curve says at a value >= 0 of its parameter, in ps; INT64_MAX: that or more. */
LOGP_API int64_t logp_curve_ps(const struct logp_curve *curve, int64_t value_ps);

/**
 * What the schedule takes with another value of a parameter, to the nanosecond: as the fold of
 * these steps, and the virtual clock.
 * @param value_ps  0 .. LOGP_PARAM_MAX_NS ns; but for G and gamma whole ns
 * @param ns        out
 * @return 0; -EINVAL (the value, or as logp_explanation_curve()), -EOVERFLOW (beyond 100 days),
 *         -ENOMEM
 */
LOGP_API int logp_explanation_at(const struct logp_explanation *e, enum logp_parameter parameter,
                                 int64_t value_ps, int64_t *ns);

/* ---- trees ---- */

/**
 * Is it a tree: do those ranks that send or receive form one, in which each but its root has
 * exactly one other that it sends to, or receives from, first? Messages may go both ways, and there
 * may be several of them.
 * @param root    the rank that it has where both ends could be: of a chain; its first message
 *                decides else
 * @param parent  out: P ranks; -1: the root, or a rank that takes no part
 * @param along   out: which way the first message of each edge goes; LOGP_ALONG_NO_TREE: it is no
 *                tree
 * @return the root; -1: it is no tree; -ENOMEM
 */
LOGP_API int64_t logp_explanation_tree(const struct logp_explanation *e, int64_t root,
                                       int64_t *parent, enum logp_along *along);

LOGP_END_DECLS

#endif
