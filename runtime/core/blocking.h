/* SPDX-License-Identifier: MIT */
/* Procs without a core, that ask for it again. */
#ifndef LPI_BLOCKING_H
#define LPI_BLOCKING_H

#include "state/state.h"

/* p, which holds its core, gives it up. What follows belongs to whoever holds it then. */
void lpi_blocking_begin(struct lpi_proc *p);
/*
 * p wants to go on where its clock says `deadline`; below 0: at once.
 * @return  0; or the error that stops the run. p holds its core in any case
 */
int lpi_blocking_end(struct lpi_proc *p, int64_t deadline);

#endif
