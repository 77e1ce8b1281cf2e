/* SPDX-License-Identifier: MIT */
/* The common start: see start.c. */
#ifndef LPI_START_H
#define LPI_START_H

#include "state/state.h"

/* All procs of the machine have arrived: fix the start. */
void lpi_fix_start(struct logp_machine *m);
/* The same, as another process says: wall clock, at this reading of the clock, which is `start` of
 * the machine's time; below 0: that is worked out. The first of a run is at 0. @return start */
int64_t lpi_fix_start_at(struct logp_machine *m, int64_t clock_ns, int64_t start);
/* It has been fixed: those of this core can go on then. By the holder. */
void lpi_release_sync(struct lpi_core *c);
/* p, which is at a sync, begins anew at its start. By the holder of its core. */
void lpi_start_at(struct lpi_proc *p, int64_t start);
/* A little ahead of now, so that all can be there. */
int64_t lpi_soon(const struct logp_machine *m);

#endif
