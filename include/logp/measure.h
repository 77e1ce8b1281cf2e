/* SPDX-License-Identifier: MIT */
/**
 * @file measure.h
 * What a loop that measures needs besides vp.h: logp_experiment_run() stands on it, and so can one
 * of your own, in which every vp starts at one time and rank 0 judges what has been measured:
 *
 *     logp_sync(vp, &start);
 *     ...what is measured...
 *     end[rank] = logp_clocks(vp, &wall_end[rank]);
 *     logp_sync(vp, NULL);      all have ended
 *     if (rank == 0)            nobody is timed meanwhile
 *         counts = logp_start_late(vp) <= 1000;
 *     logp_sync(vp, NULL);      all see whether it counts
 *
 * Threads: as in vp.h, each function only on the thread of its own vp.
 */
#ifndef LOGP_MEASURE_H
#define LOGP_MEASURE_H

#include <logp/defs.h>

LOGP_BEGIN_DECLS

/** logp_now() and logp_wall_now() with one reading of the clock.
 *  @param wall_ns  out: the wall clock. @return this vp's clock */
LOGP_API int64_t logp_clocks(struct logp_vp *vp, int64_t *wall_ns);

/**
 * How late the schedulers were for the machine's last start but this: the largest over the cores,
 * in ns; a core that still waited for the start when it came counts 0 to a few hundred. Call it
 * between two logp_sync(): after the one that follows the start in question.
 */
LOGP_API int64_t logp_start_late(const struct logp_vp *vp);

LOGP_END_DECLS

#endif
