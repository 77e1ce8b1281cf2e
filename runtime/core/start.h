/* SPDX-License-Identifier: MIT */
/* The common start, and what else a core must look up for: see start.c. */
#ifndef LPI_START_H
#define LPI_START_H

#include "state/state.h"

/* Everything that others may have changed: mail, and a common start. By the holder. */
void lpi_look_up(struct lpi_core *c);
/* All procs of the machine have arrived: fix the start. */
void lpi_fix_start(struct logp_machine *m);

#endif
