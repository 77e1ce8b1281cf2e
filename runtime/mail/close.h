/* SPDX-License-Identifier: MIT */
/* What p has on offer is taken back when it may not be written any more. */
#ifndef LPI_CLOSE_H
#define LPI_CLOSE_H

#include "state/state.h"

/* Nothing of p is on offer afterwards; what is being copied completes its receive first. */
void lpi_direct_close(struct lpi_proc *p);
/* p is told that the run is over: from now on its program may free what it likes. @return stop */
int lpi_direct_stopped(struct lpi_proc *p, int stop);

/* The error that calls of p, the caller, return; 0: the run goes on. */
static inline int lpi_stopped(struct lpi_proc *p)
{
    /* acquire: as in lpi_stopping() */
    const int stop = atomic_load_explicit(&p->core->machine->stop, memory_order_acquire);

    return stop == 0 ? 0 : lpi_direct_stopped(p, stop);
}

#endif
