/* SPDX-License-Identifier: MIT */
/*
 * The virtual clock on several cores.
 *
 * Time goes in windows as long as the lookahead, the least time that a message takes. No action of
 * a core within a window has an effect on another core before the window's end. So the cores run
 * through it in parallel, each in the order of (time, rank), and wait for each other in a barrier
 * at its end: the outcome is that of one core. The next window begins at the earliest deadline of
 * all.
 *
 * A sync ends without a message, when its last member arrives. A vp that waits there and serves its
 * background work (attach.c) runs only up to the earliest time of the others (sync_end): none of
 * them can arrive before. Its later deadlines are put off to the next window. Among equal times it
 * comes last (LPI_AFTER_ALL): if the sync ends at that time, the vp knows it.
 *
 * A core that has to wait for another spins for as long as a wake-up takes. Then it sleeps, because
 * the other core may be without its processor, and other threads may need this one. The conditions
 * that end its sleep (the barrier is complete, the run is stopping, all vps have ended) are
 * announced by m->event, which a core reads before it checks them and sleeps.
 */
#include "core/core.h"
#include "core/sched.h"

#include "host/host.h"
#include "mail/mail.h"
#include "state/stop.h"
#include "state/run_queue.h"

#include <sched.h>

/* How long a core that waits for another spins, and until when it yields its processor. */
enum { SPIN_NS = 5000, YIELD_NS = 50000, RELAXES = 16 /* between two readings of the clock */ };

static bool is_at_sync(const struct lpi_proc *p)
{
    return p->order != p->rank;
}

/* The end of the window for p. */
static int64_t end_for(const struct lpi_proc *p)
{
    const struct lpi_window *w = &p->core->window;

    return is_at_sync(p) ? w->sync_end : w->end;
}

/* p, the earliest, has nothing to do before the window's end. */
static void put_off(struct lpi_proc *p)
{
    struct lpi_attached *a = lpi_attached_of(p);
    struct lpi_core *c = p->core;

    lpi_window_shorten(c, p->deadline); /* it may act on others then */
    lpi_timers_pop(&c->run_queue.timers);
    if (a->is_put_off)
        return;
    a->is_put_off = true;
    a->next_put_off = c->window.put_off;
    c->window.put_off = p;
}

/* Give those that were put off their deadlines back. */
static void bring_back(struct lpi_core *c)
{
    struct lpi_proc *p;

    while ((p = c->window.put_off) != NULL) {
        struct lpi_attached *a = lpi_attached_of(p);

        c->window.put_off = a->next_put_off;
        a->is_put_off = false;
        if (p->state == LPI_TIMED)
            lpi_set_deadline(p, p->deadline);
    }
}

struct lpi_proc *lpi_window_next(struct lpi_core *c)
{
    struct lpi_proc *p;

    while ((p = lpi_usual_next(c)) != NULL && p->state != LPI_RUNNING &&
           p->deadline >= end_for(p)) {
        if (!is_at_sync(p))
            return NULL;
        put_off(p);
    }
    return p;
}

bool lpi_window_others_first(struct lpi_proc *p, int64_t t)
{
    return t >= end_for(p) || lpi_usual_others_first(p, t);
}

/* There will be no further barriers. */
static bool is_over(const struct logp_machine *m)
{
    /* acquire pairs with the decrement in lpi_proc_main() */
    return lpi_stopping(m) || atomic_load_explicit(&m->live_cores, memory_order_acquire) == 0;
}

/* Wait for another core a little longer: the i-th time since *since, which the first reading of the
 * clock sets. */
static void wait_on(struct logp_machine *m, unsigned i, int64_t *since, unsigned event)
{
    int64_t now;

    if (i % RELAXES != 0) {
        lpi_relax();
        return;
    }
    now = lpi_monotonic_ns();
    if (i == RELAXES)
        *since = now;
    if (now - *since >= YIELD_NS)
        lpi_sleep(m, event);
    else if (now - *since >= SPIN_NS)
        sched_yield();
}

/* Barrier of all cores. @return false: there will be no further barriers */
static bool meet(struct logp_machine *m)
{
    /* relaxed: it changes only once this core is here */
    const unsigned meeting = atomic_load_explicit(&m->meetings, memory_order_relaxed);
    int64_t since = 0;

    /* acq_rel: the last to come sees what the others did before; through `meetings`, so do all that
     * wait for it */
    if (atomic_fetch_add_explicit(&m->n_met, 1, memory_order_acq_rel) + 1 == m->n_cores) {
        atomic_store_explicit(&m->n_met, 0, memory_order_relaxed);
        /* release pairs with the acquire below */
        atomic_fetch_add_explicit(&m->meetings, 1, memory_order_release);
        lpi_announce(m);
        return true;
    }
    for (unsigned i = 1;; i++) {
        /* acquire: read event before the conditions that it announces */
        const unsigned event = atomic_load_explicit(&m->event, memory_order_acquire);

        if (atomic_load_explicit(&m->meetings, memory_order_acquire) != meeting)
            return true;
        if (is_over(m))
            return false;
        wait_on(m, i, &since, event);
    }
}

/* The place of the next action of c. */
static struct lpi_sent next_of(struct lpi_core *c)
{
    const struct lpi_proc *first = lpi_earliest(c);
    /* relaxed: all cores are at the barrier */
    const unsigned start =
        atomic_load_explicit(&c->machine->sync_generation, memory_order_relaxed);

    return first != NULL ? (struct lpi_sent){first->deadline, start, first->order}
                         : (struct lpi_sent){INT64_MAX, start, 0};
}

static int64_t least_of(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* Publish the next deadlines of the vps of c. Relaxed, as the loads: the second barrier orders
 * them. */
static void publish(struct lpi_core *c)
{
    struct lpi_window *w = &c->window;
    struct lpi_proc *first;
    struct lpi_sent next;
    int64_t others, least;

    while ((first = lpi_earliest(c)) != NULL && is_at_sync(first))
        put_off(first);
    others = first != NULL ? first->deadline : INT64_MAX;
    bring_back(c);
    next = next_of(c);
    if (w->held != NULL) {
        others = least_of(others, lpi_after(w->held->sent.at, c->machine->lookahead));
        next = lpi_sent_before(&w->held->sent, &next) ? w->held->sent : next;
    }
    least = next.at;
    atomic_store_explicit(&w->order, next.order, memory_order_relaxed);
    atomic_store_explicit(&w->in_vain,
                          w->asked == INT64_MAX ? least == INT64_MAX : lpi_in_vain_at(c, w->asked),
                          memory_order_relaxed);
    atomic_store_explicit(&w->check, w->asks, memory_order_relaxed);
    atomic_store_explicit(&w->least, least, memory_order_relaxed);
    atomic_store_explicit(&w->others, others, memory_order_relaxed);
}

void lpi_window_check(struct lpi_core *c)
{
    struct lpi_window *w = &c->window;
    /* relaxed: it is the caller itself */
    const int rank = atomic_load_explicit(&c->holder, memory_order_relaxed);

    w->asks = c->machine->procs[rank].emulated;
    w->end = w->sync_end = 0;
}

/* What all cores have published. */
struct outlook {
    int64_t least, rest; /* the earliest deadline of all, and of all cores but one */
    int64_t others;
    int64_t check; /* the first after those that have been answered */
    bool in_vain, is_first; /* is_first: the core has the next action of all */
};

/* As core c sees it. */
static struct outlook look(const struct lpi_core *c)
{
    const struct logp_machine *m = c->machine;
    struct outlook o = {INT64_MAX, INT64_MAX, INT64_MAX, INT64_MAX, true, true};
    const int64_t own = atomic_load_explicit(&c->window.least, memory_order_relaxed);
    const int order = atomic_load_explicit(&c->window.order, memory_order_relaxed);
    const int64_t asked = c->window.asked == INT64_MAX ? -1 : c->window.asked;

    for (int i = 0; i < m->n_cores; i++) {
        const struct lpi_window *w = &m->cores[i].window;
        /* relaxed, all: see publish() */
        const int64_t least = atomic_load_explicit(&w->least, memory_order_relaxed);
        const int64_t check = atomic_load_explicit(&w->check, memory_order_relaxed);

        if (least < own || (least == own && atomic_load_explicit(&w->order, memory_order_relaxed) < order))
            o.is_first = false;
        o.least = least_of(o.least, least);
        o.rest = i != c->index ? least_of(o.rest, least) : o.rest;
        o.others = least_of(o.others, atomic_load_explicit(&w->others, memory_order_relaxed));
        o.check = check > asked ? least_of(o.check, check) : o.check;
        o.in_vain = o.in_vain && atomic_load_explicit(&w->in_vain, memory_order_relaxed);
    }
    return o;
}

/* Open the next window of c. If all cores have come to a time at which one has asked, it is empty, and
 * they answer at its end. */
static void open_window(struct lpi_core *c, const struct outlook *o)
{
    struct lpi_window *w = &c->window;
    const bool answers = o->check <= o->least;
    const struct lpi_proc *first = lpi_earliest(c);

    if (w->asked != INT64_MAX && w->asks <= w->asked)
        w->asks = INT64_MAX;
    w->asked = answers ? o->check : INT64_MAX;
    w->alone_to = o->rest;
    w->end = answers ? 0 : least_of(lpi_after(o->rest, c->machine->lookahead), o->check);
    if (w->held != NULL) /* it may wake a vp then */
        w->end = least_of(w->end, lpi_after(w->held->sent.at, c->machine->lookahead));
    w->sync_end = least_of(o->others, w->end);
    w->settled = o->is_first && first != NULL && first->deadline == o->least &&
                         (w->held == NULL || w->held->sent.at > o->least || w->held->sent.order > first->order)
                     ? first
                     : NULL;
    w->settled_at = o->least;
    lpi_mail_shut(c);
}

/* Whether p has posted receives of vps of other cores, all of which name their source. */
static bool awaits_others(const struct lpi_proc *p)
{
    const struct logp_request *r = p->inbox.n_any == 0 ? p->inbox.posted_first : NULL;

    while (r != NULL && lpi_is_here(p->core, r->src))
        r = r->next;
    return r != NULL;
}

/* Put p off until no vp of any core is before it. Others of its core go on in the next window, so they
 * send nothing to it meanwhile. */
int lpi_window_settle(struct lpi_proc *p)
{
    struct lpi_window *w = &p->core->window;
    int rc = lpi_settle(p);

    while (rc == 0 && awaits_others(p) && (w->settled != p || w->settled_at != p->emulated)) {
        w->end = least_of(w->end, p->emulated);
        w->sync_end = least_of(w->sync_end, p->emulated);
        lpi_set_deadline(p, p->emulated);
        rc = lpi_hold(p);
    }
    return rc;
}

/* This core has nothing left to do in its window. */
void lpi_next_window(struct lpi_core *c)
{
    struct logp_machine *m = c->machine;
    struct lpi_sent next;
    struct outlook o;

    if (!meet(m)) /* now all messages are sent */
        return;
    lpi_poll_mail(c); /* a start that is fixed releases vps */
    bring_back(c);
    next = next_of(c);
    lpi_mail_open(c, &next);
    publish(c);
    if (!meet(m))
        return;
    o = look(c);
    if (!o.in_vain)
        open_window(c, &o);
    else if (c->index == 0) /* no vp can run */
        lpi_stop_deadlocked(m);
}
