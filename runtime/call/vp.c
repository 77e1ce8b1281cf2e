/* SPDX-License-Identifier: MIT */
/* Computing and the clocks; the clock at the begin and the end of a call. */
#include "call/call.h"
#include "carrier/carrier.h"
#include "core/sched.h"
#include "core/core.h"
#include "delay/delay.h"
#include "mail/mail.h"
#include "state/state.h"

#include <errno.h>
#include <sched.h>

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

int lpi_pause_for_threads(struct lpi_proc *p)
{
    const struct lpi_attached *a = lpi_attached_of(p);
    struct lpi_core *c = p->core;
    bool paused;
    int rc;

    if (a == NULL || a->pause == NULL)
        return 0;
    leave(p, 0); /* the other threads' calls enter and leave, too */
    paused = a->pause(a->pause_arg, c->run_queue.ready_first == NULL &&
                                        c->run_queue.timers.n == 0 && !lpi_emulates(c->machine));
    enter(p);
    if (!paused)
        return 0;
    p->in_vain = 0;
    lpi_poll_mail(c);
    rc = lpi_yield(p);
    return rc != 0 ? rc : 1;
}

int lpi_poll_in_vain(struct lpi_proc *p, int error)
{
    int rc = lpi_pause_for_threads(p);

    if (rc != 0)
        return rc > 0 ? error : rc;
    p->readings = 0;
    p->polls = p->polls < MOST_POLLS ? p->polls + 1U : p->core->machine->polls_in_vain;
    /* the division by a constant comes first: it settles most polls */
    if (p->polls % LPI_EXPLORED_IN_VAIN == 0) {
        if (p->core->machine->is_crowded)
            sched_yield();
        if (p->polls % p->core->machine->polls_in_vain == 0)
            lpi_check_pollers(p->core);
    }
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
    if (error == -EHOSTDOWN && c->machine->explore != NULL &&
        c->machine->explore->by.leave != NULL && vp->proc->halted)
        c->machine->explore->by.leave(c->machine->explore->by.arg, vp->proc->rank);
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
    int64_t ns;

    enter(vp->proc); /* reads the wall clock where there is something to emulate */
    ns = vp->proc->core->machine->time->read(vp->proc, wall_ns);
    return ns >= 0 ? ns : lpi_failed(vp, "logp_now", (int)ns);
}
