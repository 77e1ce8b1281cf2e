/* SPDX-License-Identifier: MIT */
/*
 * The virtual clock on several cores.
 *
 * Time goes in windows as long as the lookahead, the least time that a message takes. What a core
 * does within a window cannot be noticed by another before the window's end. So the cores go
 * through it side by side, each in the order of (time, rank), and wait for each other in a barrier
 * at its end: the outcome is that of one core. The next window begins at the earliest deadline of
 * all.
 *
 * A core that has to wait for another spins for as long as a wake-up takes. Then it sleeps, because
 * the other core may be without its processor, and other threads may need this one. What it waits
 * for (the barrier is complete, the run is stopping, all vps have ended) is announced by m->event,
 * which a core reads before it checks these conditions and sleeps.
 */
#include "core/core.h"

#include "host/host.h"
#include "mail/mail.h"
#include "state/stop.h"
#include "state/run_queue.h"

enum { SPINS = 20000 }; /* about 20 us */

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

/* This core has nothing left to do in its window. */
void lpi_next_window(struct lpi_core *c)
{
    struct logp_machine *m = c->machine;
    const struct lpi_proc *first;
    int64_t least = INT64_MAX;
    bool in_vain = true;

    if (!meet(m)) /* now all messages are sent */
        return;
    while (lpi_poll(c))
        ;
    lpi_poll_mail(c);
    first = lpi_earliest(c);
    c->window.alarm = c->window.alarm && lpi_all_in_vain(c);
    atomic_store_explicit(&c->window.in_vain, first == NULL || c->window.alarm,
                          memory_order_relaxed);
    /* relaxed, as the loads: the second barrier orders them */
    atomic_store_explicit(&c->window.least, first != NULL ? first->deadline : INT64_MAX,
                          memory_order_relaxed);
    if (!meet(m))
        return;
    for (int i = 0; i < m->n_cores; i++) {
        const int64_t l = atomic_load_explicit(&m->cores[i].window.least, memory_order_relaxed);

        least = l < least ? l : least;
        in_vain =
            in_vain && atomic_load_explicit(&m->cores[i].window.in_vain, memory_order_relaxed);
    }
    if (!in_vain)
        c->window.end = least + m->lookahead;
    else if (c->index == 0) /* no vp can go on */
        lpi_stop_deadlocked(m);
}
