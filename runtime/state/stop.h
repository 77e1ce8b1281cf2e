/* SPDX-License-Identifier: MIT */
/* The end of a run, sleeping cores, and idle cores. */
#ifndef LPI_STOP_H
#define LPI_STOP_H

#include "state/state.h"

static inline bool lpi_stopping(const struct logp_machine *m)
{
    /* acquire pairs with the release in lpi_stop() */
    return atomic_load_explicit(&m->stop, memory_order_acquire) != 0;
}

/* End the run. Async-signal-safe. @return true: this call ended it */
bool lpi_stop(struct logp_machine *m, int error);

/* Wake c if it sleeps, since an event that it waits for has happened. Async-signal-safe. */
void lpi_ring(struct lpi_core *c);
/* The same for all cores. Async-signal-safe. */
void lpi_announce(struct logp_machine *m);
/* Sleep until c is rung after its event was read as `event`, at most for most_ns (INT64_MAX: no limit). The
 * caller reads the event with acquire, before it checks the conditions for which it is rung. */
void lpi_sleep(struct lpi_core *c, unsigned event, int64_t most_ns);

/* c has been given something to do: wake it if it sleeps since it had nothing. This has no fence: the
 * sleeper has one for both sides (sleep.c). Async-signal-safe. */
void lpi_give_work_asleep(struct lpi_core *c);
static inline void lpi_give_work(struct lpi_core *c)
{
    /* pairs with lpi_process_fence() in sleep_idle(): the work comes before the load */
    atomic_signal_fence(memory_order_seq_cst);
    /* relaxed: as above */
    if (__builtin_expect(atomic_load_explicit(&c->window.wants_work, memory_order_relaxed), false))
        lpi_give_work_asleep(c);
}

/* Note that a vp of this core can run, or soon will. Called before the reason becomes visible. */
void lpi_busy_now(struct lpi_core *c);
static inline void lpi_busy(struct lpi_core *c)
{
    if (c->life.is_idle)
        lpi_busy_now(c);
}

/* Note that no vp of this core can run. */
void lpi_idle(struct lpi_core *c);

#endif
