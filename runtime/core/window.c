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

enum { SPINS = 20000 }; /* about 20 us */

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

    lpi_timers_pop(&c->run_queue.timers);
    if (a->is_put_off)
        return;
    a->is_put_off = true;
    a->next_put_off = c->window.put_off;
    c->window.put_off = p;
}

/* Give those that were put off their deadlines back. @return the earliest */
static int64_t bring_back(struct lpi_core *c)
{
    int64_t least = INT64_MAX;
    struct lpi_proc *p;

    while ((p = c->window.put_off) != NULL) {
        struct lpi_attached *a = lpi_attached_of(p);

        c->window.put_off = a->next_put_off;
        a->is_put_off = false;
        if (p->state != LPI_TIMED)
            continue;
        least = p->deadline < least ? p->deadline : least;
        lpi_set_deadline(p, p->deadline);
    }
    return least;
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

/* Barrier of all cores. @return false: there will be no further barriers */
static bool meet(struct logp_machine *m)
{
    /* relaxed: it changes only once this core is here */
    const unsigned meeting = atomic_load_explicit(&m->meetings, memory_order_relaxed);

    /* acq_rel: the last to come sees what the others did before; through `meetings`, so do all that
     * wait for it */
    if (atomic_fetch_add_explicit(&m->n_met, 1, memory_order_acq_rel) + 1 == m->n_cores) {
        atomic_store_explicit(&m->n_met, 0, memory_order_relaxed);
        /* release pairs with the acquire below */
        atomic_fetch_add_explicit(&m->meetings, 1, memory_order_release);
        lpi_announce(m);
        return true;
    }
    for (int i = 1;; i++) {
        /* acquire: read event before the conditions that it announces */
        const unsigned event = atomic_load_explicit(&m->event, memory_order_acquire);

        if (atomic_load_explicit(&m->meetings, memory_order_acquire) != meeting)
            return true;
        if (is_over(m))
            return false;
        if (i > SPINS)
            lpi_sleep(m, event);
        else
            lpi_relax();
    }
}

/* Publish the next deadlines of the vps of c. Relaxed, as the loads: the second barrier orders
 * them. */
static void publish(struct lpi_core *c)
{
    struct lpi_window *w = &c->window;
    struct lpi_proc *first;
    int64_t others, least;

    while ((first = lpi_earliest(c)) != NULL && is_at_sync(first))
        put_off(first);
    others = first != NULL ? first->deadline : INT64_MAX;
    least = bring_back(c);
    least = others < least ? others : least;
    w->alarm = w->alarm && lpi_all_in_vain(c);
    atomic_store_explicit(&w->in_vain, least == INT64_MAX || w->alarm, memory_order_relaxed);
    atomic_store_explicit(&w->least, least, memory_order_relaxed);
    atomic_store_explicit(&w->others, others, memory_order_relaxed);
}

static void open_window(struct lpi_core *c, int64_t end, int64_t others)
{
    c->window.end = end;
    c->window.sync_end = others < end ? others : end;
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

int lpi_window_settle(struct lpi_proc *p)
{
    struct lpi_window *w = &p->core->window;
    const int rc = lpi_settle(p);

    if (rc != 0 || !awaits_others(p) ||
        (w->last_settled == p && w->settled.at == p->emulated && w->settled.order == p->order))
        return rc;
    w->last_settled = w->settles = p;
    /* relaxed: as in sent_now() */
    w->settled = (struct lpi_sent){
        p->emulated,
        atomic_load_explicit(&p->core->machine->sync_generation, memory_order_relaxed), p->order};
    w->end = p->emulated < w->end ? p->emulated : w->end;
    w->sync_end = p->emulated < w->sync_end ? p->emulated : w->sync_end;
    lpi_set_deadline(p, p->emulated);
    return lpi_hold(p);
}

/* This core has nothing left to do in its window. */
void lpi_next_window(struct lpi_core *c)
{
    struct logp_machine *m = c->machine;
    int64_t least = INT64_MAX, others = INT64_MAX;
    bool in_vain = true;

    if (!meet(m)) /* now all messages are sent */
        return;
    lpi_mail_take_all(c);
    lpi_poll_mail(c);
    publish(c);
    if (!meet(m))
        return;
    for (int i = 0; i < m->n_cores; i++) {
        struct lpi_window *w = &m->cores[i].window;
        /* relaxed, all: see publish() */
        const int64_t l = atomic_load_explicit(&w->least, memory_order_relaxed);
        const int64_t o = atomic_load_explicit(&w->others, memory_order_relaxed);

        least = l < least ? l : least;
        others = o < others ? o : others;
        in_vain = in_vain && atomic_load_explicit(&w->in_vain, memory_order_relaxed);
    }
    if (!in_vain)
        open_window(c, least + m->lookahead, others);
    else if (c->index == 0) /* no vp can run */
        lpi_stop_deadlocked(m);
}
