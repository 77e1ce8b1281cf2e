/* SPDX-License-Identifier: MIT */
/* The common clock of the processes of a machine: see common_clock.c. */
#ifndef LPI_COMMON_CLOCK_H
#define LPI_COMMON_CLOCK_H

#include "state/remote.h"

/* At creation, by all processes: agree on the clock. */
void lpi_common_clock_open(struct logp_machine *m);
/* Before a run, by all processes: keep the last fit, or make a new one. Wait for the others until
 * `end` of the host's clock (0: for ever). 0; -ETIMEDOUT: a process did not come and is lost */
int lpi_common_clock_barrier(struct logp_machine *m, int64_t end);
/* Turn m->clock, just initialised, into the common clock. */
void lpi_common_clock_set(struct logp_machine *m);
/* After a run, by all processes: measure the error of the clocks again. */
void lpi_common_clock_check(struct logp_machine *m);

#endif
