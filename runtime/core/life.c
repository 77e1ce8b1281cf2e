/* SPDX-License-Identifier: MIT */
/* The life of a vp in one run, and which vp has its core afterwards. */
#include "core/core.h"

#include "carrier/carrier.h"
#include "core/resolver.h"
#include "core/sched.h"
#include "delay/delay.h"
#include "mail/mail.h"
#include "trace/recorder.h"
#include "state/stop.h"

#include <errno.h>

/* Takes the lock: the run may be abandoned at any time, and its report must not change after
 * that. */
static void fail(const struct lpi_proc *p, int error)
{
    const struct lpi_core *c = p->core;
    struct logp_machine *m = c->machine;

    pthread_mutex_lock(&m->lock);
    if (lpi_stop(m, -ECANCELED)) { /* the first error */
        m->report.error = error;
        if (c->failed.rank == p->rank && c->failed.error == error)
            m->report.error_call = c->failed.call;
        /* relaxed: the end of the run orders it */
        atomic_store_explicit(&m->error_rank, p->rank, memory_order_relaxed);
    }
    pthread_mutex_unlock(&m->lock);
}

void lpi_proc_main(struct lpi_proc *p)
{
    struct lpi_core *c = p->core;
    struct logp_machine *m = c->machine;
    struct logp_vp vp[2] = {{.proc = p, .rank = p->rank, .size = m->P, .collective = &vp[1]}};
    int rc;

    vp[1] = vp[0];
    vp[1].context = LPI_CONTEXT_COLLECTIVE;
    p->vp = vp;
    p->state = LPI_RUNNING; /* its entry in the timers is not valid any more */
    rc = m->time->begin(p);
    do {
        if (rc == 0)
            rc = m->program(vp, m->arg);
        m->record->idle(p);
        if (p->state == LPI_IN_BLOCKING) /* the program did not end its blocking section */
            lpi_blocking_end(p, LOGP_NEVER);
        if (p->halted) /* whatever it returns: a halted vp does not stop the others */
            rc = 0;
        p->kept = NULL;
    } while (m->resolver.restarts(p));
    if (rc == 0)
        m->resolver.ends(p);
    lpi_note(p, LOGP_NOTE_ENDED, -1, -1, rc);
    if (rc != 0 && !lpi_stopping(m))
        fail(p, rc);
    if (p->inbox.posted_first != NULL) {
        lpi_direct_close(p);
        lpi_match_forget_buffers(p);
        m->time->settle(p);
    }
    lpi_direct_close(p);
    m->processes->drop_receives(p);
    lpi_match_close(p);
    lpi_attached_end(p);
    p->state = LPI_ENDED;
    atomic_store_explicit(&c->holder, -1, memory_order_relaxed); /* for reports */
    if (c->life.n_live == 1)
        lpi_absence_arrive(c);
    /* release pairs with the acquire in lpi_successor(); acquire pairs with the release of the other
     * cores, since the last of them announces the end of all */
    if (--c->life.n_live == 0 &&
        atomic_fetch_sub_explicit(&m->live_cores, 1, memory_order_acq_rel) == 1)
        lpi_announce(m);
    m->executor->leave(p, lpi_successor(c));
}
