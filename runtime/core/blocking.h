/* SPDX-License-Identifier: MIT */
/* Blocking sections: a vp gives its core up and reacquires it. */
#ifndef LPI_BLOCKING_H
#define LPI_BLOCKING_H

#include "state/state.h"

/* p, which holds its core, gives it up. From then on the core's data belongs to its next holder. */
void lpi_blocking_begin(struct lpi_proc *p);
/*
 * p goes on when its clock reaches `deadline`; below 0: at once.
 * @return  0; or the error that stops the run. p holds its core in both cases
 */
int lpi_blocking_end(struct lpi_proc *p, int64_t deadline);

#endif
