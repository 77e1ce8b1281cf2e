/* SPDX-License-Identifier: MIT */
/*
 * The scheduler of a core: who holds it, and until when.
 *
 * Whoever must wait puts its deadline into the core's timers (or has none, and is blocked) and
 * calls lpi_hold(). There the holder looks at the earliest deadline. Its own: it spins on the clock
 * until then. Another's: it hands the core over at once, so that the hand-over hides in the wait.
 * None: it stays and watches for messages. While it spins it takes what other cores send, since
 * that may bring an earlier deadline.
 *
 * Those that wait for nothing but the core (delay none: a message came; a poll in vain) have no
 * deadline: they are READY, in a list, and go on in the order in which they came there.
 *
 * Invariants: exactly one proc of a core is RUNNING or inside lpi_hold() at any time; a proc is in
 * the timers if it is TIMED. core.turns.clock_seen is a time that has passed: deadlines up to it
 * need no reading of the clock.
 *
 * Under the virtual clock the machine is one core (several: window.c), and instead of spinning,
 * time jumps to the earliest deadline. A proc's clock may be ahead of the machine's; lpi_reach()
 * waits until that has caught up, and is called before everything that others can notice.
 */
#include "core/sched.h"

#include "carrier/carrier.h"
#include "core/deadlock.h"
#include "core/explore.h"
#include "core/poll_mail.h"
#include "core/window.h"
#include "delay/in_force.h"
#include "mail/close.h"
#include "mail/remote.h"
#include "host/relax.h"
#include "mail/mailbox.h"
#include "state/lag.h"
#include "state/stop.h"
#include "state/timers.h"
#include "state/run_queue.h"

#include <errno.h>
#include <sched.h>
#include <time.h>

/* No clock goes beyond: a few more times can be added to it. */
static const int64_t clock_end = INT64_MAX / 8;

enum {
    IDLE_POLLS = 2048,
    CLOSE_NS = 5000,   /* a deadline so close behind the holder's: its proc is made ready ... */
    PREPARE_NS = 3000, /* ... as long as there is so much time to do it */
    FINAL_NS = 60,     /* before a deadline only the clock is looked at */
    LATE_NS = 3000,    /* so short before a deadline a hand-over must be the shortest */
    RELAX_NS = 500,    /* before a deadline: the clock need not be read all the time */
    AMPLE_NS = 50000,  /* a wait so long leaves time for what others do on this processor */
    POLL_EVERY = 32,   /* turns of those that need not wait: in between, mail can wait */
};

/* Has a deadline of this core come? */
static bool timer_due(struct lpi_core *c)
{
    const struct lpi_proc *first = lpi_earliest(c);

    if (first == NULL)
        return false;
    if (c->run_queue.clock_seen < first->deadline)
        c->run_queue.clock_seen = lpi_wall(c->machine);
    return c->run_queue.clock_seen >= first->deadline;
}

/*
 * Take the first that is ready, unless a deadline has come. It is RUNNING then; NULL: none is. Once
 * the run is stopping the list may hold procs that have ended.
 */
static struct lpi_proc *take_ready(struct lpi_core *c)
{
    struct lpi_proc *p = c->run_queue.ready_first;

    if (p == NULL || lpi_stopping(c->machine) || (c->run_queue.timers.n > 0 && timer_due(c)))
        return NULL;
    c->run_queue.ready_first = p->next_ready;
    p->state = LPI_RUNNING;
    return p;
}

static bool is_explored(const struct logp_machine *m)
{
    return lpi_is_instrumented(m) && m->explore != NULL;
}

static inline struct lpi_proc *usual_next(struct lpi_core *c)
{
    struct lpi_proc *ready = take_ready(c);

    return ready != NULL ? ready : lpi_earliest(c);
}

/* Who is to have the core; NULL: nobody can go on. */
static struct lpi_proc *next_proc(struct lpi_core *c)
{
    return is_explored(c->machine) ? lpi_explore_next(c) : usual_next(c);
}

/*
 * Is it time to look for mail? While somebody of this core need not wait, be it that it is ready or
 * that its deadline has passed, what comes would not be sooner by it: then only now and then.
 */
static bool poll_mail_now(struct lpi_core *c)
{
    const struct lpi_proc *first;

    if (++c->run_queue.taken % POLL_EVERY == 0)
        return true;
    if (c->run_queue.ready_first != NULL)
        return false;
    first = lpi_earliest(c);
    return first == NULL || first->deadline > c->run_queue.clock_seen;
}

/* Nobody of this core has a deadline. */
static void nobody_ready(struct lpi_core *c)
{
    const bool alone = c->machine->n_cores == 1 && c->machine->remote == NULL;

    if (c->life.n_blocking > 0) { /* they may come back, and need this processor to do so */
        sched_yield();
        return;
    }
    /* most messages come soon: the two writes of the epoch are saved */
    if (!alone && ++c->run_queue.idle_polls % IDLE_POLLS != 0)
        return;
    lpi_idle(c);
    lpi_check_deadlock(c);
}

/* Should the next proc be running already? Asked only where the executor cares. */
static bool is_late(const struct logp_machine *m, const struct lpi_proc *next)
{
    return m->executor->prepare != NULL && !m->is_virtual && lpi_wall(m) > next->deadline - LATE_NS;
}

/* The last wait of this core, if it has not been recorded yet. */
void lpi_record_lag(struct lpi_core *c)
{
    /* relaxed: the start that this core has last taken part in */
    lpi_lag_record(&c->lag,
                   atomic_load_explicit(&c->machine->sync_generation, memory_order_relaxed));
}

/* Those whose deadlines follow at once on that of p, the earliest, are made ready. */
static void prepare_next(struct lpi_core *c, const struct lpi_proc *p)
{
    const struct lpi_timer *soon[8];
    const int n = lpi_timers_soon(&c->run_queue.timers, soon, 8);

    c->run_queue.prepared = p;
    for (int i = 0; i < n; i++)
        if (soon[i]->rank != p->rank && soon[i]->key - p->deadline < CLOSE_NS)
            c->machine->executor->prepare(&c->machine->procs[soon[i]->rank]);
}

/*
 * Has the deadline of p, the earliest of its core, come? Under the virtual clock it comes at once.
 * Then p is out of the timers, and RUNNING as soon as it gets the core.
 */
static bool take_due(struct lpi_core *c, struct lpi_proc *p)
{
    const struct logp_machine *m = c->machine;
    const int64_t deadline = p->deadline;

    if (!m->is_virtual) {
        if (c->run_queue.clock_seen < deadline) {
            do
                c->run_queue.clock_seen = lpi_wall(m);
            while (c->run_queue.clock_seen < deadline &&
                   deadline - c->run_queue.clock_seen < FINAL_NS);
        }
        if (c->run_queue.clock_seen < deadline)
            return false;
        c->run_queue.prepared = NULL;
        lpi_lag_over(&c->lag, deadline, c->run_queue.clock_seen, p->emulating);
    }
    p->emulated = deadline;
    p->state = LPI_RUNNING;
    lpi_timers_pop(&c->run_queue.timers);
    return true;
}

/*
 * p holds the core and spins: while there is time, the proc that will be next is made ready, and
 * who is outside may use the processor.
 */
static void prepare_in_time(struct lpi_core *c, const struct lpi_proc *p)
{
    if (c->life.n_blocking > 0 && p->deadline - c->run_queue.clock_seen > AMPLE_NS)
        sched_yield();
    if (c->machine->executor->prepare != NULL && c->run_queue.prepared != p &&
        p->deadline - c->run_queue.clock_seen > PREPARE_NS)
        prepare_next(c, p);
    if (p->deadline - c->run_queue.clock_seen > RELAX_NS)
        lpi_relax();
}

/* Parallel: is there nothing left to do in this window (window.c)? */
static bool window_is_over(const struct lpi_core *c, const struct lpi_proc *first)
{
    return first != NULL ? first->deadline >= c->window.end : c->machine->lookahead > 0;
}

static void hand_over(struct lpi_proc *from, struct lpi_proc *to, bool late)
{
    if (from != to)
        from->core->machine->executor->switch_to(from, to, late);
}

/*
 * p waits; the core is somebody's in the meantime.
 * @return  0: its deadline has come; otherwise the run is stopping
 */
int lpi_hold(struct lpi_proc *p)
{
    struct lpi_core *c = p->core;
    struct logp_machine *m = c->machine;

    lpi_record_lag(c);
    while (p->state != LPI_RUNNING && !lpi_stopping(m)) { /* RUNNING: it has been p's turn */
        struct lpi_proc *first;

        if (is_explored(m)) {
            first = lpi_explore_next(c); /* it looks up for itself */
        } else {
            if (poll_mail_now(c))
                lpi_poll_mail(c);
            first = usual_next(c);
        }
        if (window_is_over(c, first))
            lpi_next_window(c);
        else if (first == NULL)
            nobody_ready(c);
        else if (first->state == LPI_RUNNING || take_due(c, first))
            hand_over(p, first, true);
        else if (first != p)
            hand_over(p, first, is_late(m, first));
        else
            prepare_in_time(c, p);
    }
    p->state = LPI_RUNNING;
    lpi_busy(c);
    return lpi_stopped(p);
}

/*
 * p waits until deadline, which has passed: a core that is behind does better to go on with p than
 * to hand itself over, unless another is behind by more than that costs. The order of deadlines is
 * kept but for so much, so nobody is left behind. Nor is the core handed over for less time than
 * that takes.
 */
static bool goes_on(struct lpi_proc *p, int64_t deadline)
{
    struct lpi_core *c = p->core;
    const struct lpi_proc *first;

    if (c->machine->is_virtual || c->run_queue.ready_first != NULL ||
        ++c->run_queue.taken % POLL_EVERY == 0)
        return false;
    if (c->run_queue.clock_seen < deadline) {
        c->run_queue.clock_seen = lpi_wall(c->machine);
        if (c->run_queue.clock_seen < deadline - c->machine->executor->patience_ns)
            return false;
    }
    first = lpi_earliest(c);
    if (first != NULL && first->deadline < deadline - c->run_queue.slack)
        return false;
    if (c->run_queue.clock_seen < deadline && (first == NULL || first->deadline >= deadline))
        return false; /* it keeps the core anyway */
    while (c->run_queue.clock_seen < deadline)
        c->run_queue.clock_seen = lpi_wall(c->machine);
    lpi_record_lag(c);
    lpi_lag_over(&c->lag, deadline, c->run_queue.clock_seen, p->emulating);
    p->emulated = deadline;
    return true;
}

static int wait_timed(struct lpi_proc *p, int64_t deadline)
{
    if (goes_on(p, deadline))
        return lpi_stopped(p);
    lpi_set_deadline(p, deadline);
    return lpi_hold(p);
}

/*
 * p's clock advances to deadline: on the wall clock it waits until then.
 * @return  0; -EOVERFLOW: no clock goes so far; -EHOSTDOWN: p has stopped; or the error that stops
 * the run
 */
int lpi_wait_until(struct lpi_proc *p, int64_t deadline)
{
    if (deadline >= clock_end)
        return deadline == LOGP_STOPPED ? lpi_delay_halt(p) : -EOVERFLOW;
    if (!p->core->machine->is_virtual)
        return wait_timed(p, deadline);
    if (deadline > p->emulated)
        p->emulated = deadline;
    return lpi_stopped(p);
}

/*
 * p waits for the receive p->waits_for, until deadline at the latest (INT64_MAX: for ever). The
 * delivery of a message may give it an earlier one.
 */
int lpi_wait_message(struct lpi_proc *p, int64_t deadline)
{
    if (deadline != INT64_MAX)
        return wait_timed(p, deadline);
    p->state = LPI_BLOCKED;
    return lpi_hold(p);
}

/* Can nothing happen on this core before another process sends something? */
static bool is_alone_here(const struct lpi_core *c)
{
    const struct logp_machine *m = c->machine;

    return m->remote != NULL && m->n_cores == 1 && c->run_queue.timers.n == 0;
}

/*
 * p waits and is not RUNNING: by the shortest way if another proc is ready, or as soon as p is.
 * lpi_hold() knows the other ways.
 */
static inline int hold_ready(struct lpi_proc *p)
{
    struct lpi_core *c = p->core;
    struct lpi_proc *first = c->run_queue.ready_first;

    if (++c->run_queue.taken % POLL_EVERY == 0) {
        lpi_poll_mail(c);
    } else if (first != NULL && first != p && c->run_queue.timers.n == 0 &&
               !lpi_stopping(c->machine)) {
        c->run_queue.ready_first = first->next_ready;
        first->state = LPI_RUNNING;
        c->machine->executor->switch_to(p, first, true);
        if (p->state == LPI_RUNNING)
            return lpi_stopped(p);
    } else if (first == NULL && is_alone_here(c) && lpi_remote_await(c) &&
               c->run_queue.ready_first == p && p->next_ready == NULL) {
        c->run_queue.ready_first = NULL;
        p->state = LPI_RUNNING;
        return lpi_stopped(p);
    }
    return lpi_hold(p);
}

/*
 * Somebody is about to wait, and would hand the core over: where that takes long it looks for mail
 * first, so that a hand-over is followed by as much work as there is. Not too often in a row: those
 * that are ready have their turn, too. @return true: there was mail
 */
bool lpi_poll_before_wait(struct lpi_core *c)
{
    return c->run_queue.ready_first != NULL && c->machine->executor->is_slow &&
           ++c->run_queue.looks % POLL_EVERY != 0 && lpi_poll(c);
}

/* As lpi_wait_message() without a deadline, where nothing is emulated. */
int lpi_wait_ready(struct lpi_proc *p)
{
    p->state = LPI_BLOCKED;
    return hold_ready(p);
}

/* Virtual clock: wait until nobody is before (t, rank). Wall clock: nothing. */
int lpi_reach(struct lpi_proc *p, int64_t t)
{
    struct lpi_core *c = p->core;
    const struct lpi_proc *first;

    if (!c->machine->is_virtual)
        return 0;
    if (is_explored(c->machine) && lpi_explore_others(p, t))
        return wait_timed(p, t);
    first = lpi_earliest(c); /* explored: NULL */
    if (t >= c->window.end ||
        (first != NULL && (first->deadline < t || (first->deadline == t && first->rank < p->rank))))
        return wait_timed(p, t);
    p->emulated = t;
    return lpi_stopped(p);
}

/* Let others run that are ready now. */
int lpi_yield(struct lpi_proc *p)
{
    lpi_make_ready(p);
    return hold_ready(p);
}

/* The run is stopping: one that has not ended; NULL: those are outside. */
static struct lpi_proc *next_to_end(struct lpi_core *c)
{
    while (c->procs[c->life.stop_cursor]->state == LPI_ENDED)
        c->life.stop_cursor++;
    for (int i = c->life.stop_cursor; i < c->n_procs; i++)
        if (c->procs[i]->state != LPI_ENDED && c->procs[i]->state != LPI_IN_BLOCKING)
            return c->procs[i];
    return NULL;
}

/*
 * Who could hold the core instead of its holder: who is next, or anyone who waits. NULL: all others
 * have ended or are outside.
 */
struct lpi_proc *lpi_stand_in(struct lpi_core *c)
{
    struct lpi_proc *p = next_proc(c);

    for (int i = 0; p == NULL && i < c->n_procs; i++)
        if (c->procs[i]->state != LPI_ENDED && c->procs[i]->state != LPI_IN_BLOCKING)
            p = c->procs[i];
    return p;
}

/* Who has not come home in time may never come: nobody spins for it. */
static void rest(const struct logp_machine *m)
{
    static const struct timespec while_others_work = {.tv_nsec = 5000000};

    /* relaxed: nothing is published by it */
    if (atomic_load_explicit(&m->is_abandoned, memory_order_relaxed))
        nanosleep(&while_others_work, NULL);
}

/* p has ended: the core goes to another of its procs, or home with the whole machine. */
struct lpi_proc *lpi_successor(struct lpi_core *c)
{
    struct logp_machine *m = c->machine;

    lpi_record_lag(c);
    for (;;) {
        struct lpi_proc *first;

        /* acquire pairs with the decrement in lpi_proc_main(): all has been sent */
        if (c->life.n_live == 0 && atomic_load_explicit(&m->live_cores, memory_order_acquire) == 0)
            return NULL;
        first = c->life.n_live > 0 && lpi_stopping(m) ? next_to_end(c) : NULL;
        if (first != NULL)
            return first;
        lpi_poll_mail(c);
        first = next_proc(c);
        if (window_is_over(c, first))
            lpi_next_window(c);
        else if (first != NULL)
            return first;
        else
            nobody_ready(c);
        rest(m);
    }
}
