/* SPDX-License-Identifier: MIT */
/* Withdraw exposed buffers before their memory may be reused. */
#ifndef LPI_CLOSE_H
#define LPI_CLOSE_H

#include "state/state.h"

/* Withdraw p's exposed buffer. If a sender is filling it, its receive completes first. */
void lpi_direct_close(struct lpi_proc *p);
/* p learns that the run is over: its program may free its buffers afterwards. @return stop */
int lpi_direct_stopped(struct lpi_proc *p, int stop);

/* The error that calls of p return; 0: the run goes on. Called by p. */
static inline int lpi_stopped(struct lpi_proc *p)
{
    /* acquire: as in lpi_stopping() */
    const int stop = atomic_load_explicit(&p->core->machine->stop, memory_order_acquire);

    return stop == 0 ? 0 : lpi_direct_stopped(p, stop);
}

#endif
