/* SPDX-License-Identifier: MIT */
/* The common start: see start.c. */
#ifndef LPI_START_H
#define LPI_START_H

#include "state/state.h"

/* All vps of the machine have arrived: fix the start. */
void lpi_fix_start(struct logp_machine *m);
/* The same at a given time. Wall clock: the start is at the clock's reading clock_ns, which is
 * `start` on the machine's clock; below 0: compute it. The first start of a run is 0. @return
 * start */
int64_t lpi_fix_start_at(struct logp_machine *m, int64_t clock_ns, int64_t start);
/* The start is fixed: release the vps of this core, with it as their deadline. By the holder. */
void lpi_release_sync(struct lpi_core *c);
/* p, which is at a sync, begins anew at its start. By the holder of its core. */
void lpi_start_at(struct lpi_proc *p, int64_t start);
/* A time a little ahead of now, which all cores can meet. */
int64_t lpi_soon(const struct logp_machine *m);

#endif
