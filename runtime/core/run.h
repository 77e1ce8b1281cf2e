/* SPDX-License-Identifier: MIT */
/* Runs of a machine. */
#ifndef LPI_RUN_H
#define LPI_RUN_H

#include "state/state.h"

/* The last proc of a core has ended, and so have all of the machine.
 * @return true: the next run has begun */
bool lpi_come_home(struct lpi_core *c);
/* All have come home: count and free what was never received. Called with the lock, or by the only
 * owner. */
void lpi_collect(struct logp_machine *m);

#endif
