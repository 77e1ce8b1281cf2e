/* SPDX-License-Identifier: MIT */
/* The common start, and the comparison of a word of each member. */
#include "call/call.h"
#include "core/core.h"
#include "core/sched.h"
#include "delay/delay.h"

#include <logp/experiment.h>

#include <errno.h>

/* Wait for the start as a request: p serves its background work meanwhile. word: to be compared;
 * NULL: for a sync. @return 0 or an error; what the comparison has found */
static __attribute__((noinline)) int sync_beside(const struct logp_vp *vp, const uint64_t *word,
                                                 int64_t *start)
{
    struct lpi_proc *p = vp->proc;
    struct lpi_attached *a = lpi_attached_to(p);
    struct logp_request *r = a != NULL ? lpi_event_new(p) : NULL;
    int rc = 0, found = 0;

    if (r == NULL)
        return -ENOMEM;
    r->sync_result = 0;
    r->posted = p->emulated;
    a->sync = r;
    p->order = LPI_AFTER_ALL | p->rank;
    if (vp->to_global != NULL || word != NULL)
        rc = lpi_sync_group_arrive(vp, word);
    else
        lpi_sync_arrive(p);
    lpi_poll_mail(p->core); /* if p is the last, it starts before it serves anything */
    if (rc == 0)
        rc = lpi_event_await(vp, r);
    a->sync = NULL;
    p->order = p->rank;
    if (rc == 0 && r->sync_result < 0)
        rc = r->sync_result;
    else
        found = r->sync_result;
    if (rc == 0) {
        if (word == NULL)
            lpi_start_anew(p);
        rc = lpi_wait_until(p, lpi_later(p, r->done));
    }
    if (rc == 0 && start != NULL)
        *start = r->done;
    lpi_request_free(p->core, r);
    return rc != 0 ? rc : found;
}

static bool syncs_alone(const struct lpi_proc *p)
{
    return !lpi_has_background(p) &&
           (p->inbox.n_any == 0 || !p->core->machine->resolver.answers_at_sync);
}

/* Whether p stops at the last start and has done nothing since. Then it stops at the next one. */
static bool stops_at_start(const struct lpi_proc *p)
{
    /* relaxed: that start has released p */
    return p->emulated ==
               atomic_load_explicit(&p->core->machine->sync_start, memory_order_relaxed) &&
           p->emulated == lpi_delay_stops_at(p);
}

/* @return 0; the error of a vp that is stopped, or that its delay model stops now */
static int may_sync(struct lpi_proc *p)
{
    const int rc = lpi_stopped(p);

    return rc == 0 && lpi_work(p, 0) == LOGP_STOPPED && !stops_at_start(p) ? lpi_delay_halt(p) : rc;
}

int logp_sync(struct logp_vp *vp, int64_t *start_ns)
{
    int rc = may_sync(vp->proc);

    if (rc != 0)
        return rc;
    if (!syncs_alone(vp->proc))
        rc = sync_beside(vp, NULL, start_ns);
    else
        rc = lpi_sync(vp, start_ns);
    vp->proc->core->machine->record->idle(vp->proc);
    return noted(vp, "logp_sync", leave(vp->proc, rc));
}

int logp_compare(struct logp_vp *vp, uint64_t word, int *first)
{
    int rc;

    enter(vp->proc);
    rc = may_sync(vp->proc);
    if (rc == 0 && vp->size > 1)
        rc = sync_beside(vp, &word, NULL);
    vp->proc->core->machine->record->idle(vp->proc);
    if (rc >= 0)
        *first = rc > 0 ? rc : -1;
    return noted(vp, "logp_compare", leave(vp->proc, rc < 0 ? rc : 0));
}

int64_t logp_absence(const struct logp_vp *vp)
{
    const struct logp_machine *m = vp->proc->core->machine;
    /* relaxed, both: as below */
    const unsigned generation = atomic_load_explicit(&m->sync_generation, memory_order_relaxed);
    int64_t longest = 0;

    for (int i = 0; i < m->n_used; i++) {
        const int64_t away = atomic_load_explicit(&m->cores[i].absence.last[(generation + 1) & 1],
                                                  memory_order_relaxed);

        if (away > longest)
            longest = away;
    }
    return longest;
}

int64_t logp_start_late(const struct logp_vp *vp)
{
    const struct logp_machine *m = vp->proc->core->machine;
    /* relaxed, both: the syncs since then have ordered them */
    const unsigned generation = atomic_load_explicit(&m->sync_generation, memory_order_relaxed);
    int64_t late = 0;

    for (int i = 0; i < m->n_cores; i++) {
        const int64_t l = atomic_load_explicit(&m->cores[i].lag.start_late[(generation + 1) & 1],
                                               memory_order_relaxed);

        if (l > late)
            late = l;
    }
    return late;
}
