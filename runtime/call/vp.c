/* SPDX-License-Identifier: MIT */
/* Computing, the clocks, the common start; the clock at the begin and the end of a call. */
#include "call/call.h"
#include "carrier/carrier.h"
#include "core/sched.h"
#include "core/core.h"
#include "delay/delay.h"
#include "mail/mail.h"
#include "state/state.h"

#include <logp/experiment.h>

#include <errno.h>

enum { MOST_POLLS = (1 << 22) - 1 };

/* The vp's clock when the program has computed until `now`: all of that time counts. */
static int64_t with_program(const struct lpi_proc *p, int64_t now)
{
    const int64_t spent = now - p->left - p->core->machine->clock_overhead;

    /* without a clock: until now there was nothing to emulate */
    return !lpi_has_clock(p) ? now : spent > 0 ? p->emulated + spent : p->emulated;
}

void lpi_enter_counted(struct lpi_proc *p)
{
    const struct logp_machine *m = p->core->machine;
    const int64_t before = p->emulated, now = lpi_wall(m);

    p->emulated = with_program(p, now);
    m->record->enter(p, before);
    p->left = p->core->run_queue.clock_seen = now;
}

void lpi_leave_counted(struct lpi_proc *p)
{
    struct lpi_core *c = p->core;

    p->left = c->run_queue.clock_seen = lpi_wall(c->machine);
    lpi_lag_returned(&c->lag, p->left);
    c->machine->record->leave(p);
}

bool logp_own_time(struct logp_vp *vp, bool counts)
{
    struct lpi_proc *p = vp->proc;
    const bool counted = p->counts;

    if (p->core->machine->time->clock == LOGP_CLOCK_VIRTUAL)
        return true;
    if (counts == counted)
        return counted;
    if (counts) {
        p->counts = true;
        leave(p, 0);
    } else {
        enter(p);
        /* where the machine records, each call shows the computation before it */
        p->counts = !lpi_has_clock(p) || p->core->machine->recorders != NULL;
    }
    return counted;
}

int lpi_rest(struct lpi_proc *p)
{
    if (!lpi_has_clock(p))
        return lpi_yield(p);
    return lpi_wait_until(p, lpi_work(p, p->core->machine->poll_ns));
}

int lpi_poll_in_vain(struct lpi_proc *p, int error)
{
    int rc;

    p->readings = 0;
    p->polls = p->polls < MOST_POLLS ? p->polls + 1U : p->core->machine->polls_in_vain;
    /* the division by a constant comes first: it settles most polls */
    if (p->polls % LPI_EXPLORED_IN_VAIN == 0 && p->polls % p->core->machine->polls_in_vain == 0)
        lpi_check_pollers(p->core);
    rc = lpi_rest(p);
    return rc != 0 ? rc : error;
}

int lpi_pass_until(struct lpi_proc *p, int64_t t, enum logp_note_kind kind)
{
    const int rc = t > lpi_clock(p) ? lpi_wait_until(p, t) : 0;

    return rc == 0 ? p->core->machine->resolver.pass(p, kind, false) : rc;
}

int lpi_failed(const struct logp_vp *vp, const char *call, int error)
{
    struct lpi_core *c = vp->proc->core;

    c->failed.call = call;
    c->failed.rank = vp->proc->rank;
    c->failed.error = error;
    return error;
}

int logp_vp_note_error(struct logp_vp *vp, const char *call, int error)
{
    return noted(vp, call, error);
}

/* Without a clock, fn takes the host's time. */
static int compute_undelayed(struct lpi_proc *p, void (*fn)(void *), void *arg)
{
    const struct logp_machine *m = p->core->machine;

    if (fn != NULL) {
        const int64_t start = m->record->now(m);

        fn(arg);
        m->record->compute(p, start, m->record->now(m));
    }
    return lpi_stopped(p);
}

int logp_compute(struct logp_vp *vp, int64_t t_ns, void (*fn)(void *), void *arg)
{
    struct lpi_proc *p = vp->proc;
    const struct logp_machine *m = p->core->machine;
    int64_t end;
    int rc = lpi_stopped(p);

    if (t_ns < 0)
        return lpi_failed(vp, "logp_compute", -EINVAL);
    if (rc != 0)
        return rc;
    p->in_vain = 0;
    enter(p);
    if (!lpi_has_clock(p))
        return compute_undelayed(p, fn, arg);
    if (fn != NULL) {
        const int64_t before = m->time->own_ns(m);
        int64_t took;

        fn(arg);
        took = m->time->own_ns(m) - before;
        t_ns = took > t_ns ? took : t_ns;
        rc = lpi_stopped(p);
    }
    t_ns = lpi_until(t_ns);
    /* fn may return after the end of the run. Then the model may be gone. */
    end = rc == 0 ? lpi_work(p, t_ns) : lpi_after(p->emulated, t_ns);
    m->record->compute(p, p->emulated, end);
    return noted(vp, "logp_compute", leave(p, lpi_pass_until(p, end, LOGP_NOTE_COMPUTED)));
}

int logp_blocking_begin(struct logp_vp *vp)
{
    struct lpi_proc *p = vp->proc;
    const struct logp_machine *m = p->core->machine;
    const int rc = lpi_stopped(p);

    if (m->blocking != 0)
        return lpi_failed(vp, "logp_blocking_begin", m->blocking);
    if (p->state == LPI_IN_BLOCKING)
        return -EINVAL; /* another vp has the core: nothing is noted */
    if (rc != 0)
        return rc;
    p->in_vain = 0;
    enter(p);
    if (lpi_has_clock(p))
        lpi_leave_counted(p); /* the section counts, whatever else does */
    lpi_blocking_begin(p);
    return 0;
}

int logp_blocking_end(struct logp_vp *vp)
{
    struct lpi_proc *p = vp->proc;
    const struct logp_machine *m = p->core->machine;
    int64_t t;
    int rc;

    if (p->state != LPI_IN_BLOCKING)
        return lpi_failed(vp, "logp_blocking_end", -EINVAL);
    /* until lpi_blocking_end() the holder owns the data of p, except for p's clock */
    t = lpi_emulates(m) ? with_program(p, lpi_wall(m)) : LOGP_NEVER;
    rc = lpi_blocking_end(p, t);
    p->emulated = t;
    m->record->own(p);
    return leave(p, rc);
}

int64_t logp_now(struct logp_vp *vp)
{
    int64_t wall;

    return logp_clocks(vp, &wall);
}

int64_t logp_wall_now(struct logp_vp *vp)
{
    int64_t wall;

    logp_clocks(vp, &wall);
    return wall;
}

int64_t logp_clocks(struct logp_vp *vp, int64_t *wall_ns)
{
    enter(vp->proc); /* reads the wall clock where there is something to emulate */
    return vp->proc->core->machine->time->read(vp->proc, wall_ns);
}

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
