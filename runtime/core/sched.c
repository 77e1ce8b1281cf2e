/* SPDX-License-Identifier: MIT */
/*
 * The scheduler of a core: which vp holds it, and until when.
 *
 * A vp that must wait puts its deadline into the core's timers (or has none, and is blocked) and
 * calls lpi_hold(). There the holder looks at the earliest deadline. If it is its own, it spins on
 * the clock until then. If it is another vp's, it hands the core over at once, so that the wait
 * hides the hand-over. If there is none, it stays and watches for messages. While it spins it takes
 * messages of other cores, since they may bring an earlier deadline.
 *
 * Vps that wait only for the core (no delay: a message has come, or a poll has found nothing) have
 * no deadline. They are READY, in a list, and run in the order in which they were added.
 *
 * Invariants: exactly one vp of a core is RUNNING or inside lpi_hold() at any time; a vp is in the
 * timers if it is TIMED. run_queue.clock_seen is a time that has passed: deadlines up to it need no
 * reading of the clock.
 *
 * Under the virtual clock the machine is one core (several: window.c), and time jumps to the
 * earliest deadline instead of spinning. A vp's clock may be ahead of the machine's. lpi_reach()
 * waits until the machine has caught up, and is called before everything that others can notice.
 */
#include "core/sched.h"

#include "carrier/carrier.h"
#include "core/core.h"
#include "delay/delay.h"
#include "host/host.h"
#include "mail/mail.h"
#include "state/lag.h"
#include "state/stop.h"
#include "state/timers.h"
#include "state/run_queue.h"

#include <errno.h>
#include <sched.h>
#include <time.h>

enum {
    CLOSE_NS = 5000,  /* prepare the next vp if its deadline follows the holder's within this */
    RELAX_NS = 500,   /* farther from a deadline, relax between two readings */
    AMPLE_NS = 50000, /* a wait this long leaves time for other threads */
};

/* Whether a deadline of this core has come. */
static bool timer_due(struct lpi_core *c)
{
    const struct lpi_proc *first = lpi_earliest(c);

    if (first == NULL)
        return false;
    if (c->run_queue.clock_seen < first->deadline)
        c->run_queue.clock_seen = lpi_wall(c->machine);
    return c->run_queue.clock_seen >= first->deadline;
}

/* Whether a ready vp gets a turn even if deadlines have come, as they always have on a core that is
 * late. */
static bool is_turn_of_ready(const struct lpi_core *c)
{
    return c->run_queue.taken % LPI_POLL_EVERY == c->machine->time->turn_of_ready;
}

/* Take the first ready vp, unless a deadline has come, and make it RUNNING; NULL: none. Once the
 * run is stopping, the list may hold vps that have ended. */
static struct lpi_proc *take_ready(struct lpi_core *c)
{
    struct lpi_proc *p = c->run_queue.ready_first;

    if (p == NULL || lpi_stopping(c->machine) ||
        (c->run_queue.timers.n > 0 && !is_turn_of_ready(c) && timer_due(c)))
        return NULL;
    c->run_queue.ready_first = p->next_ready;
    p->state = LPI_RUNNING;
    return p;
}

/* While a vp of this core can run, because it is ready or its deadline has passed, a message would
 * not be handled sooner. So the core polls for mail only now and then. */
struct lpi_proc *lpi_usual_next(struct lpi_core *c)
{
    struct lpi_proc *next;

    if (++c->run_queue.taken % LPI_POLL_EVERY == 0) {
        lpi_poll_mail(c);
    } else if (c->run_queue.ready_first == NULL) {
        next = lpi_earliest(c);
        if (next != NULL && next->deadline <= c->run_queue.clock_seen)
            return next;
        lpi_poll_mail(c);
    }
    next = take_ready(c);
    return next != NULL ? next : lpi_earliest(c);
}

/* The vp that gets the core next; NULL: none can run. */
static struct lpi_proc *next_proc(struct lpi_core *c)
{
    return c->machine->resolver.next_proc(c);
}

/* The clock will not be read for as long as this step, a hand-over or the waking of a thread, usually takes.
 * Neither that time nor the wait until the deadline, which hides it, counts as an absence. */
static void expect_gap(struct lpi_core *c, int64_t usual_ns, int64_t deadline)
{
    const int64_t usual = c->run_queue.clock_seen + usual_ns;

    c->absence.seen = usual > deadline ? usual : deadline;
}

/* p has the first deadline: prepare the vp that has the second. If several were prepared, the kernel
 * could run a later one first. */
static void prepare_next(struct lpi_core *c, const struct lpi_proc *p)
{
    const struct lpi_timer next = lpi_timers_second(&c->run_queue.timers);

    c->run_queue.prepared = p;
    if (lpi_timer_rank(&next) == p->rank || next.key - p->deadline >= CLOSE_NS)
        return;
    expect_gap(c, c->machine->executor->slack_ns, p->deadline);
    c->machine->executor->prepare(&c->machine->procs[lpi_timer_rank(&next)]);
}

/* p holds the core and spins. While there is time, prepare the next vp, and let blocking sections
 * and other cores use the processor. */
static void prepare_in_time(struct lpi_core *c, const struct lpi_proc *p)
{
    if ((c->life.n_blocking > 0 || c->machine->is_crowded) &&
        p->deadline - c->run_queue.clock_seen > AMPLE_NS)
        sched_yield();
    if (c->run_queue.prepared != p &&
        p->deadline - c->run_queue.clock_seen > c->machine->executor->prepare_ns)
        prepare_next(c, p);
    if (p->deadline - c->run_queue.clock_seen > AMPLE_NS)
        c->machine->time->nothing_before(c, p->deadline);
    if (p->deadline - c->run_queue.clock_seen > RELAX_NS)
        lpi_relax();
}

static void hand_over(struct lpi_proc *from, struct lpi_proc *to, bool due)
{
    if (from != to)
        from->core->machine->executor->switch_to(from, to, due);
}

/* The deadline of the first vp has not come. Not inlined, because the frame of lpi_hold() is part of each
 * image of a stack (image.h). */
static __attribute__((noinline)) void await_due(struct lpi_proc *p, struct lpi_proc *first)
{
    if (first != p) {
        expect_gap(p->core, p->core->run_queue.slack, first->deadline);
        hand_over(p, first, false);
    } else {
        prepare_in_time(p->core, p);
    }
}

/*
 * p waits, and other vps may hold the core meanwhile.
 * @return  0: its deadline has come; otherwise the run is stopping
 */
int lpi_hold(struct lpi_proc *p)
{
    struct lpi_core *c = p->core;
    struct logp_machine *m = c->machine;

    lpi_record_lag(c);
    c->run_queue.idle_from = 0;
    c->absence.seen = LPI_UNSEEN;
    while (p->state != LPI_RUNNING && !lpi_stopping(m)) { /* RUNNING: p has had its turn */
        struct lpi_proc *first = next_proc(c);

        if (first == NULL)
            m->time->nobody_ready(c);
        else if (first->state == LPI_RUNNING || m->time->take_due(c, first))
            hand_over(p, first, true);
        else
            await_due(p, first);
    }
    p->state = LPI_RUNNING;
    lpi_busy(c);
    return lpi_stopped(p);
}

/*
 * Advance p's clock to deadline; on the wall clock, wait until then.
 * @return  0; -EOVERFLOW: beyond the largest time; -EHOSTDOWN: p has stopped; or the error that
 * stops the run
 */
int lpi_wait_until(struct lpi_proc *p, int64_t deadline)
{
    if (deadline >= LPI_CLOCK_END)
        return deadline == LOGP_STOPPED ? lpi_delay_halt(p) : -EOVERFLOW;
    return p->core->machine->time->pass(p, deadline);
}

/* The fast path of lpi_hold(): hand over to a ready vp, or return as soon as p is ready. p waits
 * and is not RUNNING. */
static inline int hold_ready(struct lpi_proc *p)
{
    struct lpi_core *c = p->core;
    struct lpi_proc *first = c->run_queue.ready_first;

    if (++c->run_queue.taken % LPI_POLL_EVERY == 0) {
        lpi_poll_mail(c);
    } else if (first != NULL && first != p && c->run_queue.timers.n == 0 &&
               !lpi_stopping(c->machine)) {
        c->run_queue.ready_first = first->next_ready;
        first->state = LPI_RUNNING;
        c->machine->executor->switch_to(p, first, true);
        if (p->state == LPI_RUNNING)
            return lpi_stopped(p);
    } else if (first == NULL && c->machine->processes->await(c) && c->run_queue.ready_first == p &&
               p->next_ready == NULL) {
        c->run_queue.ready_first = NULL;
        p->state = LPI_RUNNING;
        return lpi_stopped(p);
    }
    return lpi_hold(p);
}

/* p waits until deadline (INT64_MAX: for ever), or until an event that it waits for gives it an
 * earlier deadline. */
int lpi_wait_message(struct lpi_proc *p, int64_t deadline)
{
    if (deadline != INT64_MAX)
        return p->core->machine->time->wait(p, deadline);
    p->state = LPI_BLOCKED;
    return lpi_has_clock(p) ? lpi_hold(p) : hold_ready(p);
}

/* Poll before a wait, if a hand-over would follow and is slow: the next vp then finds more work.
 * Limited in a row, so that ready vps get the core too. @return true: there was mail */
bool lpi_poll_before_wait(struct lpi_core *c)
{
    return c->run_queue.ready_first != NULL &&
           ++c->run_queue.looks % LPI_POLL_EVERY < c->machine->executor->polls && lpi_poll(c);
}

bool lpi_usual_others_first(struct lpi_proc *p, int64_t t)
{
    const struct lpi_proc *first = lpi_earliest(p->core);

    return first != NULL &&
           (first->deadline < t || (first->deadline == t && first->order < p->order));
}

/* Let the vps run that are ready now. */
int lpi_yield(struct lpi_proc *p)
{
    lpi_make_ready(p);
    return hold_ready(p);
}

/* One in eight of this vp's sends, from the machine's seed. splitmix64: Steele et al., 2014 */
bool lpi_yields_by_chance(const struct lpi_proc *p)
{
    uint64_t x = p->core->machine->yield_seed + ((uint64_t)p->rank << 32) + p->sends;

    x *= UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return ((x ^ (x >> 31)) & 7) == 0;
}

/* The run is stopping: a vp that has not ended; NULL: all such are in blocking sections. */
static struct lpi_proc *next_to_end(struct lpi_core *c)
{
    while (lpi_proc_at(c, c->life.stop_cursor)->state == LPI_ENDED)
        c->life.stop_cursor++;
    for (int i = c->life.stop_cursor; i < c->n_procs; i++)
        if (lpi_proc_at(c, i)->state != LPI_ENDED && lpi_proc_at(c, i)->state != LPI_IN_BLOCKING)
            return lpi_proc_at(c, i);
    return NULL;
}

struct lpi_proc *lpi_stand_in(struct lpi_core *c)
{
    struct lpi_proc *p = next_proc(c);

    for (int i = 0; p == NULL && i < c->n_procs; i++)
        if (lpi_proc_at(c, i)->state != LPI_ENDED && lpi_proc_at(c, i)->state != LPI_IN_BLOCKING)
            p = lpi_proc_at(c, i);
    return p;
}

/* A vp that is not done after the timeout may never end: do not spin for it. */
static void rest(const struct logp_machine *m)
{
    static const struct timespec while_others_work = {.tv_nsec = 5000000};

    /* relaxed: nothing is published by it */
    if (atomic_load_explicit(&m->is_abandoned, memory_order_relaxed))
        nanosleep(&while_others_work, NULL);
}

struct lpi_proc *lpi_successor(struct lpi_core *c)
{
    struct logp_machine *m = c->machine;

    lpi_record_lag(c);
    c->run_queue.idle_from = 0;
    c->absence.seen = LPI_UNSEEN;
    for (;;) {
        struct lpi_proc *first;

        /* acquire pairs with the decrement in lpi_proc_main(): all messages have been sent */
        if (c->life.n_live == 0 && atomic_load_explicit(&m->live_cores, memory_order_acquire) == 0)
            return NULL;
        first = c->life.n_live > 0 && lpi_stopping(m) ? next_to_end(c) : NULL;
        if (first != NULL)
            return first;
        lpi_poll_mail(c);
        first = next_proc(c);
        if (first != NULL)
            return first;
        m->time->nobody_ready(c);
        rest(m);
    }
}
