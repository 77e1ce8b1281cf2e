/* SPDX-License-Identifier: MIT */
/* progress.c: schedules that are run beside the program, and beside each other. */
#ifndef LPI_SCHEDULE_PROGRESS_H
#define LPI_SCHEDULE_PROGRESS_H

#include <logp/collective.h>
#include <logp/algorithm.h>

/*
 * Start the algorithm's steps of a rank, which are of the group's next collective.
 * @param c      planned
 * @param owned  its part belongs to what is started, or is freed after an error; else c stays as
 *               it is, the caller's, until it is through, and can be started but once at a time
 * @return as logp_plan_start()
 */
int lpi_start(struct logp_vp *vp, const struct logp_algorithm *algorithm,
              const struct logp_invocation *c, bool owned, void *buf, void *recv_buf,
              struct logp_pending **out);

/* Has this been started, and nobody waited for it? */
bool lpi_is_started(const struct logp_vp *vp, const struct logp_invocation *c);
/* Is anything under way on this vp? */
bool lpi_is_under_way(const struct logp_vp *vp);
/* Let it go on where there is mail for it; if not, this costs a poll. */
void lpi_query(struct logp_vp *vp);
/* As logp_schedule_run(), and meanwhile what is under way goes on. */
int lpi_run_beside(struct logp_vp *group, logp_steps steps, const struct logp_invocation *c,
                   void *buf, void *recv_buf);

#endif
