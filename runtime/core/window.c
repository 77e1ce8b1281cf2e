/* SPDX-License-Identifier: MIT */
/*
 * The virtual clock on several cores.
 *
 * Time goes in windows. No action of a core has an effect on another core earlier than the lookahead
 * later, which is the least time that a message takes. So a core runs, in the order of (time, rank),
 * until the earliest deadline of the others plus the lookahead, and the outcome is that of one core.
 * If it is alone with the next deadlines, its window is long, and it becomes shorter as soon as the
 * core acts on others (lpi_window_reach()): they may answer one lookahead later.
 *
 * The last core to come to the end of its window is the leader. It knows the next deadlines of all
 * cores, and the earliest arrival at each (lpi_window.mail), and opens the next windows for those that
 * have something to do. The others wait, and cost nothing.
 *
 * A sync ends without a message, when its last member arrives. A vp that waits there and serves its
 * background work (attach.c) runs only up to the earliest time of the others (sync_end): none of
 * them can arrive before. Its later deadlines are put off to the next window. Among equal times it
 * comes last (LPI_AFTER_ALL): if the sync ends at that time, the vp knows it.
 *
 * A vp that polls often asks whether all vps wait or poll in vain (lpi_window_check()). The leader
 * answers when all cores have come to the time of the question. So the answer is that of one core.
 *
 * A core that waits spins for about as long as another core takes for its window, then yields its
 * processor, since the other core may be without one, and then sleeps. It is rung (lpi_ring()) when its
 * window is open, the run is stopping, or all vps have ended. It reads its event before it checks these
 * conditions and sleeps.
 */
#include "core/core.h"
#include "core/sched.h"

#include "host/host.h"
#include "mail/mail.h"
#include "state/stop.h"
#include "state/run_queue.h"

#include <sched.h>

enum {
    LEFT = 1 << 16 /* in n_active: a core has left, since the run is over; more than all cores */
};

/* How long a core that waits for another spins, and until when it yields its processor. */
enum { SPIN_NS = 5000, YIELD_NS = 50000, RELAXES = 16 /* between two readings of the clock */ };

static bool is_at_sync(const struct lpi_proc *p)
{
    return p->order != p->rank;
}

static int64_t least_of(int64_t a, int64_t b)
{
    return a < b ? a : b;
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
    if (p != NULL && p->deadline >= c->window.counted_to)
        lpi_worth_count(c, p->deadline);
    return p;
}

bool lpi_window_others_first(struct lpi_proc *p, int64_t t)
{
    if (t >= end_for(p) || lpi_usual_others_first(p, t))
        return true;
    if (t >= p->core->window.counted_to)
        lpi_worth_count(p->core, t);
    return false;
}

/* There will be no further barriers. */
static bool is_over(const struct logp_machine *m)
{
    /* acquire pairs with the decrement in lpi_proc_main() */
    return lpi_stopping(m) || atomic_load_explicit(&m->live_cores, memory_order_acquire) == 0;
}

/* Wait a little longer: the i-th time since *since, which the first reading of the clock sets. */
static void wait_on(struct lpi_core *c, unsigned i, int64_t *since, unsigned event)
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
        lpi_sleep(c, event, INT64_MAX);
    else if (now - *since >= SPIN_NS)
        sched_yield();
}

/* The run is over, and c leaves its wait. From now on no core becomes the leader; let one that is finish,
 * since it reads the vps of c. */
static void leave_windows(const struct lpi_core *c)
{
    atomic_int *n = &c->machine->n_active;
    /* acq_rel pairs with the decrement in lpi_next_window(), which sees LEFT or comes before */
    int active = atomic_fetch_add_explicit(n, LEFT, memory_order_acq_rel);

    while (active % LEFT == 0) {
        sched_yield(); /* to the core that opens the window */
        /* acquire pairs with the addition in open_window() */
        active = atomic_load_explicit(n, memory_order_acquire);
    }
}

/* Wait for the next window of c. turn: of the last. @return false: there will be none */
static bool await_turn(struct lpi_core *c, unsigned turn)
{
    int64_t since = 0;

    for (unsigned i = 1;; i++) {
        /* acquire: read event before the conditions for which the core is rung */
        const unsigned event = atomic_load_explicit(&c->window.event, memory_order_acquire);

        /* acquire pairs with the release in open_window(): the window is visible, and so is all
         * that others have sent */
        if (atomic_load_explicit(&c->window.turn, memory_order_acquire) != turn)
            return true;
        if (is_over(c->machine)) {
            leave_windows(c);
            return false;
        }
        wait_on(c, i, &since, event);
    }
}

/* Take messages of other cores. Later ones are noted again. c takes messages here only, so
 * the messages that it has do not depend on how fast the others are. */
static void take_mail(struct lpi_core *c)
{
    struct lpi_window *w = &c->window;

    /* acquire pairs with the release in lpi_window_reach(): noted messages are visible */
    atomic_exchange_explicit(&w->mail, INT64_MAX, memory_order_acquire);
    lpi_poll_mail(c); /* for starts */
    lpi_take_mail(c);
    w->end = least_of(w->end, w->left_at); /* it may wake a vp then */
    w->sync_end = least_of(w->sync_end, w->end);
}

/* What reaches c at t may come before all that its vps do then. */
static void note_arrival(struct lpi_window *w, int64_t t)
{
    w->others = least_of(w->others, t);
    if (t <= w->least && t != INT64_MAX) {
        w->least = t;
        w->order = -1;
    }
}

/* Note the next deadlines of the vps of c for the leader. */
static void publish(struct lpi_core *c)
{
    struct lpi_window *w = &c->window;
    struct lpi_proc *first;

    while ((first = lpi_earliest(c)) != NULL && is_at_sync(first))
        put_off(first);
    w->others = first != NULL ? first->deadline : INT64_MAX;
    bring_back(c);
    first = lpi_earliest(c);
    w->least = first != NULL ? first->deadline : INT64_MAX;
    w->order = first != NULL ? first->order : -1;
    /* relaxed: a later start comes after all that c's vps have done */
    w->start = atomic_load_explicit(&c->machine->sync_generation, memory_order_relaxed);
    note_arrival(w, w->left_at);
}

void lpi_window_check(struct lpi_core *c)
{
    struct lpi_window *w = &c->window;
    /* relaxed: it is the caller itself */
    const int rank = atomic_load_explicit(&c->holder, memory_order_relaxed);

    w->asks = c->machine->procs[rank].emulated;
    w->end = w->sync_end = 0;
}

/* ---- the leader: the last core that has come to its window's end ---- */

/* The deadlines of all cores. */
struct outlook {
    int first;           /* the core with the first deadline, which is the earliest ... */
    int64_t least, rest; /* ... and this, and the earliest of the other cores */
    int64_t others;      /* the earliest of procs that are not at a sync */
    int64_t check;       /* the earliest time at which one has asked */
};

static bool comes_before(const struct lpi_window *a, const struct lpi_window *b)
{
    return a->least != b->least ? a->least < b->least : a->order < b->order;
}

static struct outlook look(struct logp_machine *m)
{
    struct outlook o = {-1, INT64_MAX, INT64_MAX, INT64_MAX, INT64_MAX};

    for (int i = 0; i < m->n_used; i++) {
        struct lpi_window *w = &m->cores[i].window;
        /* relaxed: the last to come has acquired all that the others did */
        const int64_t mail = atomic_load_explicit(&w->mail, memory_order_relaxed);

        note_arrival(w, mail);
        if (o.first < 0 || comes_before(w, &m->cores[o.first].window)) {
            o.rest = o.least;
            o.least = w->least;
            o.first = i;
        } else {
            o.rest = least_of(o.rest, w->least);
        }
        o.others = least_of(o.others, w->others);
        o.check = least_of(o.check, w->asks);
    }
    return o;
}

/* Whether all procs waited or polled in vain at time t. A message on its way to a core may end that. */
static bool all_in_vain_at(const struct logp_machine *m, int64_t t)
{
    for (int i = 0; i < m->n_used; i++)
        /* relaxed: as in look() */
        if (atomic_load_explicit(&m->cores[i].window.mail, memory_order_relaxed) != INT64_MAX ||
            m->cores[i].window.left_at != INT64_MAX || !lpi_in_vain_at(&m->cores[i], t))
            return false;
    return true;
}

/* All cores have come to a time at which some have asked. @return the next such time */
static int64_t answer(struct logp_machine *m, int64_t asked)
{
    int64_t next = INT64_MAX;

    for (int i = 0; i < m->n_used; i++) {
        struct lpi_window *w = &m->cores[i].window;

        if (w->asks <= asked)
            w->asks = INT64_MAX;
        next = least_of(next, w->asks);
    }
    return next;
}

/* Set the next window of the i-th core. @return whether it may have something to do in it */
static bool set_window(struct logp_machine *m, int i, const struct outlook *o)
{
    struct lpi_window *w = &m->cores[i].window;

    w->is_first = i == o->first;
    w->alone_to = w->is_first ? o->rest : o->least;
    w->end = least_of(lpi_after(w->alone_to, m->lookahead), o->check);
    w->sync_end = least_of(o->others, w->end);
    return w->others < w->end || w->least < w->sync_end;
}

/* The n active cores continue. The last of them may be the next leader at once. */
static void let_go(struct logp_machine *m, int n)
{
    /* release pairs with the addition in leave_windows() */
    atomic_fetch_add_explicit(&m->n_active, n, memory_order_release);
    for (struct lpi_core *c = m->cores; n > 0; c++)
        if (c->window.is_active) {
            n--;
            /* release pairs with the acquire in await_turn() */
            atomic_fetch_add_explicit(&c->window.turn, 1, memory_order_release);
            lpi_ring(c);
        }
}

static void open_window(struct logp_machine *m)
{
    struct outlook o = look(m);
    int n = 0;

    while (o.check <= o.least && o.check != INT64_MAX && !all_in_vain_at(m, o.check))
        o.check = answer(m, o.check);
    if (o.check <= o.least) { /* no proc can run, or all that do poll in vain */
        for (int i = 0; i < m->n_used; i++)
            lpi_in_vain_back(&m->cores[i], o.check);
        lpi_stop_deadlocked(m);
        /* release: as in let_go() */
        atomic_fetch_add_explicit(&m->n_active, 1, memory_order_release);
        return;
    }
    for (int i = 0; i < m->n_used; i++) {
        m->cores[i].window.is_active = set_window(m, i, &o);
        n += m->cores[i].window.is_active;
    }
    m->windows += m->n_used > 1;
    let_go(m, n);
}

/* Whether p has posted receives of vps of other cores, all of which name their source. */
static bool awaits_others(const struct lpi_proc *p)
{
    const struct logp_request *r = p->inbox.n_any == 0 ? p->inbox.posted_first : NULL;

    while (r != NULL && lpi_is_here(p->core, r->src))
        r = r->next;
    return r != NULL;
}

/* Put p off until no vp of any core is before it. Others of its core run on in the next window, so they
 * send nothing to it meanwhile. */
int lpi_window_settle(struct lpi_proc *p)
{
    struct lpi_window *w = &p->core->window;
    int rc = lpi_settle(p);

    while (rc == 0 && awaits_others(p) &&
           !(w->is_first && w->least == p->emulated && w->order == p->order)) {
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
    /* relaxed: only a leader changes it, once this core has come */
    const unsigned turn = atomic_load_explicit(&c->window.turn, memory_order_relaxed);

    if (is_over(m)) /* as long as it does not come, there is no leader */
        return;
    publish(c);
    /* acq_rel: the last to come sees what the others did before, also in earlier windows */
    if (atomic_fetch_sub_explicit(&m->n_active, 1, memory_order_acq_rel) == 1)
        open_window(m);
    if (await_turn(c, turn))
        take_mail(c);
}
