/* SPDX-License-Identifier: MIT */
/* The common start, for one vp: see start.c. */
#include "core/sync.h"

#include "core/remote_control.h"
#include "core/sched.h"
#include "core/start.h"

int lpi_sync(struct lpi_proc *p, int64_t *start)
{
    struct lpi_core *c = p->core;
    struct logp_machine *m = c->machine;
    int rc;

    lpi_record_lag(c); /* before the next start is fixed: it may belong to the last one */
    p->state = LPI_SYNC;
    p->in_vain = 0;
    if (++c->life.n_at_sync == c->n_procs) {
        /* acq_rel: the last to arrive sees what all vps wrote before; through lpi_fix_start(), so
         * do all that it releases */
        if (atomic_fetch_add_explicit(&m->sync_arrived, 1, memory_order_acq_rel) + 1 == m->n_cores)
            m->remote != NULL ? lpi_remote_arrived(c) : lpi_fix_start(m);
    }
    rc = lpi_hold(p);
    if (rc == 0 && start != NULL)
        *start = p->deadline;
    return rc;
}
