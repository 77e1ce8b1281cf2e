/* SPDX-License-Identifier: MIT */
/* The clock that the processes of a machine have in common: see common_clock.c. */
#ifndef LPI_COMMON_CLOCK_H
#define LPI_COMMON_CLOCK_H

#include "state/remote.h"

/* At creation, by all processes alike: what they have in common. */
void lpi_common_clock_open(struct logp_machine *m);
/* Before a run, by all alike: as the last fit says, or a new one. Until `end` of the host's clock
 * (0: for ever) the others are waited for. 0; -ETIMEDOUT: they do not come, and are lost */
int lpi_common_clock_barrier(struct logp_machine *m, int64_t end);
/* m->clock, just initialised, becomes that of all. */
void lpi_common_clock_set(struct logp_machine *m);
/* After a run, by all alike: how far are they apart now? */
void lpi_common_clock_check(struct logp_machine *m);

#endif
