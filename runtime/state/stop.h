/* SPDX-License-Identifier: MIT */
/* The end of a run, sleeping cores, and cores that have nothing to do. */
#ifndef LPI_STOP_H
#define LPI_STOP_H

#include "state/state.h"

static inline bool lpi_stopping(const struct logp_machine *m)
{
    /* acquire pairs with the release in lpi_stop(): who stopped the run has read what it needed */
    return atomic_load_explicit(&m->stop, memory_order_acquire) != 0;
}

/* End the run. Async-signal-safe. @return true: this call did */
bool lpi_stop(struct logp_machine *m, int error);

/* Something that sleeping cores wait for has happened. Async-signal-safe. */
void lpi_announce(struct logp_machine *m);
/* Sleep until something is announced after `event` was read; acquire: before what it announces. */
void lpi_sleep(struct logp_machine *m, unsigned event);

/* Somebody on this core can go on, or is about to: before the reason becomes visible. */
void lpi_busy_now(struct lpi_core *c);
static inline void lpi_busy(struct lpi_core *c)
{
    if (c->life.is_idle)
        lpi_busy_now(c);
}

void lpi_idle(struct lpi_core *c);

#endif
