/* SPDX-License-Identifier: MIT */
/*
 * The sleep of a core that has nothing to do.
 *
 * A core without ready vps polls for SPIN_NS, and then sleeps until it is given work: a message, a start,
 * a request for the core, a word, queue space, a stop, the end of all, or its first deadline is near. With
 * delays this holds only for a core whose vps have all ended. The others poll on: being woken takes as long
 * as the times that are emulated.
 * A core that takes the messages of other processes never sleeps.
 *
 * Whoever gives a core work looks afterwards whether that core wants to be woken (lpi_give_work()). This
 * is a load and no fence, so a message costs the same as if no core ever slept. The sleeper pays for both:
 * it states its want, lets the kernel execute a fence in all threads of the process, and polls
 * everything once more. A giver whose fence came before it gave the work sees the want; the work of the others
 * is found by the poll (tests/runtime/models/sleep.pml). If the kernel has no such fence, the core naps
 * for 50 us at most and polls again.
 *
 * A core is idle (deadlock.c) before it sleeps, unless a vp of it is in a blocking section. It looks for a
 * deadlock after the fence. So of cores that turn idle at the same time, the last one sees all others idle.
 */
#include "core/core.h"
#include "core/sched.h"

#include "host/clock.h"
#include "host/host.h"
#include "mail/mail.h"
#include "state/stop.h"

#include <sched.h>

enum {
    SPIN_NS = 20000,
    LOOK_POLLS = 64,  /* between two decisions whether to sleep */
    READ_POLLS = 16,  /* between two readings of the clock: they take less than an absence */
    NAP_NS = 50000,   /* if the kernel has no fence for all threads */
    WAKE_NS = 100000, /* sleep this much less than until a deadline: the kernel is late */
};

static bool may_sleep(const struct lpi_core *c)
{
    const struct logp_machine *m = c->machine;

    return m->time->clock == LOGP_CLOCK_WALL && (m->remote == NULL || c->index != 0) &&
           (c->life.n_live == 0 || !lpi_emulates(m));
}

/* Whether nothing has come that ends the wait. */
static bool has_nothing(const struct lpi_core *c)
{
    const struct logp_machine *m = c->machine;

    if (c->run_queue.ready_first != NULL || c->run_queue.timers.n > 0 ||
        (!c->life.is_idle && c->life.n_blocking == 0))
        return false;
    if (c->life.n_live > 0)
        return !lpi_stopping(m);
    /* acquire: as in lpi_successor() */
    return atomic_load_explicit(&m->live_cores, memory_order_acquire) > 0;
}

/* The same for a core whose vps wait for deadlines. */
static bool has_deadlines_only(const struct lpi_core *c)
{
    return c->run_queue.ready_first == NULL && !lpi_stopping(c->machine);
}

/* Sleep until c is given work, at most for most_ns, unless it has been given some by now. */
static void sleep_without_work(struct lpi_core *c, bool (*has_no_work)(const struct lpi_core *c),
                               int64_t most_ns)
{
    struct logp_machine *m = c->machine;
    const int watches = c->run_queue.word_wait_first != NULL || c->space.first != NULL;
    /* acquire: read event before the conditions for which the core is rung */
    const unsigned event = atomic_load_explicit(&c->window.event, memory_order_acquire);
    const int64_t began = lpi_monotonic_ns();
    bool fenced;

    /* relaxed, both: the fence orders them */
    atomic_store_explicit(&c->window.wants_work, true, memory_order_relaxed);
    atomic_fetch_add_explicit(&m->watchers, watches, memory_order_relaxed);
    lpi_pause();
    fenced = lpi_process_fence(); /* pairs with lpi_give_work() */
    lpi_poll_all(c);
    lpi_poll_mail(c);
    if (c->life.is_idle)
        lpi_check_deadlock(c);
    if (has_no_work(c))
        lpi_sleep(c, event, fenced || most_ns < NAP_NS ? most_ns : NAP_NS);
    /* relaxed, both: until then, giving work costs a system call */
    atomic_store_explicit(&c->window.wants_work, false, memory_order_relaxed);
    atomic_fetch_sub_explicit(&m->watchers, watches, memory_order_relaxed);
    c->absence.idle_seen = lpi_monotonic_ns();
    c->absence.slept += c->absence.idle_seen - began;
    if (fenced)
        c->run_queue.idle_from = c->absence.idle_seen;
}

/* No vp of c is ready: read the host's clock, which shows whether c was away. */
static int64_t read_idle(struct lpi_core *c)
{
    const int64_t now = lpi_monotonic_ns();

    if (c->run_queue.idle_from == 0)
        c->run_queue.idle_from = now;
    else
        lpi_lag_away(&c->lag, now - c->absence.idle_seen);
    return c->absence.idle_seen = now;
}

/* Whether c has polled in vain for long enough. */
static bool has_spun(struct lpi_core *c)
{
    return read_idle(c) - c->run_queue.idle_from >= SPIN_NS;
}

/* c may sleep, and has polled a few times in vain. */
static void spin_or_sleep(struct lpi_core *c)
{
    if (!has_spun(c))
        return;
    if (c->life.n_blocking == 0)
        lpi_check_idle(c);
    if (has_nothing(c))
        sleep_without_work(c, has_nothing, INT64_MAX);
}

void lpi_nothing_before(struct lpi_core *c, int64_t deadline)
{
    const int64_t ns = deadline - c->run_queue.clock_seen - WAKE_NS;

    /* It is not known how fast a clock of the caller is. */
    if (ns >= WAKE_NS && may_sleep(c) && c->machine->time_ns == NULL && has_spun(c)) {
        sleep_without_work(c, has_deadlines_only, ns);
        c->absence.seen = deadline; /* until then it sleeps by itself */
    }
}

void lpi_nobody_ready(struct lpi_core *c)
{
    const bool sleeps = may_sleep(c), is_blocking = c->life.n_blocking > 0;
    const unsigned most = c->machine->idle_polls; /* most messages come soon: save the check */

    if (is_blocking || c->machine->is_crowded)
        sched_yield(); /* the threads of blocking sections need this processor to return */
    if (++c->absence.idle_polls % READ_POLLS == 0 && lpi_counts_presence(c->machine))
        read_idle(c);
    if (++c->run_queue.idle_polls < (sleeps && most > LOOK_POLLS ? LOOK_POLLS : most))
        return;
    c->run_queue.idle_polls = 0;
    if (sleeps)
        spin_or_sleep(c);
    else if (!is_blocking)
        lpi_check_idle(c);
}
