/* SPDX-License-Identifier: MIT */
/* Messages from outside the machine: see inject.c. */
#ifndef LPI_INJECT_H
#define LPI_INJECT_H

#include "state/state.h"

/* Programs begin. Called after the first start has been fixed. */
void lpi_injections_open(struct logp_machine *m);
/* Programs have ended, or the run is abandoned. No thread is injecting when this returns. */
void lpi_injections_close(struct logp_machine *m);

#endif
