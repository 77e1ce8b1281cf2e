/* SPDX-License-Identifier: MIT */
/* An assertion about a program: the first that does not hold ends the run, and is in its report. */
#include "state/state.h"
#include "state/stop.h"

#include <logp/check.h>

#include <errno.h>

int logp_check_holds(struct logp_vp *vp, bool holds, const char *expression, const char *file,
                     int line)
{
    struct logp_machine *m = vp->proc->core->machine;

    if (holds)
        return 0;
    /* who stops the run writes this; with the lock, as the run may be given up */
    pthread_mutex_lock(&m->lock);
    if (lpi_stop(m, -EPROTO))
        m->report.asserted =
            (struct logp_asserted){file, line, expression, vp->proc->rank, lpi_clock(vp->proc)};
    pthread_mutex_unlock(&m->lock);
    return -EPROTO;
}
