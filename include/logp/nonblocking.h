/* SPDX-License-Identifier: MIT */
/**
 * @file nonblocking.h
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
#ifndef LOGP_NONBLOCKING_H
#define LOGP_NONBLOCKING_H

#include <logp/collective.h>
#include <logp/defs.h>

LOGP_BEGIN_DECLS

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
