/* SPDX-License-Identifier: MIT */
/*
 * The common start: logp_sync(), and the beginning of a run on the wall clock.
 *
 * Each core counts its vps that have arrived. The last of a core counts the core, and the last of
 * all fixes the start, a little ahead of now. Then every core releases its own vps. The core that has
 * fixed the start lets others notice it, and those let others in turn (release.c).
 */
#include "core/core.h"

#include "delay/delay.h"
#include "state/stop.h"
#include "state/run_queue.h"
#include "core/sched.h"

void lpi_start_anew(struct lpi_proc *p)
{
    p->port = (struct logp_port){LOGP_NEVER, LOGP_NEVER, LOGP_NEVER};
    p->core->machine->time->start_anew(p);
}

/* The request of the sync that p is at; NULL: p does nothing but wait for its start. */
static struct logp_request *request_of(const struct lpi_proc *p)
{
    const struct lpi_attached *a = lpi_attached_of(p);

    return a != NULL ? a->sync : NULL;
}

int64_t lpi_arrived_at(const struct lpi_proc *p)
{
    const struct logp_request *r = request_of(p);

    return r != NULL ? r->posted : p->emulated; /* its operations may have taken time since then */
}

bool lpi_syncs_beside(const struct lpi_proc *p)
{
    const struct lpi_attached *a = lpi_attached_of(p);

    return a != NULL && (a->sync != NULL || a->watch.event != NULL);
}

void lpi_sync_note(struct lpi_proc *p, int64_t start, int result)
{
    struct logp_request *r = request_of(p);

    if (r != NULL) {
        r->done = start;
        r->sync_result = result;
        return;
    }
    p->deadline = start;
    p->sync_result = result;
}

void lpi_sync_release(struct lpi_proc *p)
{
    struct logp_request *r = request_of(p);
    int64_t at = INT64_MAX;

    if (p->state == LPI_SYNC) {
        lpi_start_anew(p);
        lpi_wake(p, p->deadline);
    } else if (r != NULL) {
        r->answered = r->done;
        p->order = p->rank;
        if (p->waits_for_any)
            at = lpi_later(p, r->done);
        if (p->state == LPI_TIMED) { /* in its new order */
            at = p->deadline < at ? p->deadline : at;
            p->state = LPI_BLOCKED;
        }
        if (at != INT64_MAX)
            lpi_wake(p, at);
    }
}

int64_t lpi_start_margin(const struct logp_machine *m)
{
    const int each = (m->n_local + m->n_used - 1) / m->n_used;

    return lpi_release_ns(m->n_used, each, m->line_ns);
}

int64_t lpi_note_release(struct lpi_core *c, int64_t start)
{
    const int64_t left = start - c->machine->time->own_ns(c->machine);

    c->late_starts += left < 0;
    return left;
}

/* Let a core notice that the start is fixed. */
static void notice(struct lpi_core *c)
{
    /* release pairs with the acquire in lpi_poll_mail() */
    atomic_fetch_or_explicit(&c->attention, LPI_ATT_SYNC, memory_order_release);
    lpi_give_work(c);
}

/* Let those cores notice it that follow c. */
static void attend(struct lpi_core *c)
{
    struct logp_machine *m = c->machine;
    /* relaxed: c has noticed it, or has fixed it */
    const int root = atomic_load_explicit(&m->sync_root, memory_order_relaxed), n = m->n_used;

    for (int i = 0, k; (k = m->time->release_child(n, (c->index - root + n) % n, i)) >= 0; i++)
        notice(&m->cores[(root + k) % n]);
}

void lpi_release_sync(struct lpi_core *c)
{
    struct logp_machine *m = c->machine;
    /* relaxed: lpi_poll_mail() has acquired it */
    const int64_t start = atomic_load_explicit(&m->sync_start, memory_order_relaxed);

    lpi_busy(c);
    /* relaxed, as sync_start */
    if (c->index != atomic_load_explicit(&m->sync_root, memory_order_relaxed))
        attend(c);
    /* relaxed: the next sync cannot complete before this core has taken part in it */
    atomic_fetch_and_explicit(&c->attention, ~(unsigned)LPI_ATT_SYNC, memory_order_relaxed);
    c->life.n_at_sync = 0;
    c->lag.start_pending = true;
    /* the first start of a run moves time 0: go back to when it was fixed, which has passed */
    if (c->run_queue.clock_seen > start - lpi_start_margin(m))
        c->run_queue.clock_seen = start - lpi_start_margin(m);
    for (int i = 0; i < c->n_procs; i++)
        if (lpi_proc_at(c, i)->state == LPI_SYNC || request_of(lpi_proc_at(c, i)) != NULL) {
            lpi_sync_note(lpi_proc_at(c, i), start, 0); /* else a stop has released it */
            lpi_sync_release(lpi_proc_at(c, i));
        }
    lpi_absence_released(c, lpi_note_release(c, start));
}

int64_t lpi_fix_start(struct lpi_core *c, int64_t clock_ns, int64_t start)
{
    struct logp_machine *m = c->machine;

    lpi_capacity_reset(m);
    start = m->time->start(m, clock_ns, start);
    /* relaxed, all: the release in attend() publishes them */
    atomic_store_explicit(&m->sync_start, start, memory_order_relaxed);
    atomic_store_explicit(&m->sync_arrived, 0, memory_order_relaxed);
    atomic_store_explicit(&m->sync_root, c->index, memory_order_relaxed);
    atomic_fetch_add_explicit(&m->sync_generation, 1, memory_order_relaxed);
    notice(c);
    attend(c);
    return start;
}

void lpi_sync_arrive(struct lpi_proc *p)
{
    struct lpi_core *c = p->core;
    struct logp_machine *m = c->machine;

    lpi_record_lag(c); /* before the next start is fixed: it may belong to the last one */
    p->in_vain = 0;
    if (++c->life.n_at_sync < c->n_procs)
        return;
    lpi_absence_arrive(c);
    /* acq_rel: the last to arrive sees all earlier writes of the other vps; through
     * lpi_fix_start(), so do all that it releases */
    if (atomic_fetch_add_explicit(&m->sync_arrived, 1, memory_order_acq_rel) + 1 == m->n_used)
        m->processes->arrived(c);
}
