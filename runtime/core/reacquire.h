/* SPDX-License-Identifier: MIT */
/* Procs that go on because of somebody who does not hold their core: see reacquire.c. */
#ifndef LPI_REACQUIRE_H
#define LPI_REACQUIRE_H

#include "state/state.h"

/* p, which holds its core, is about to give it up. */
void lpi_core_released(struct lpi_proc *p);
/* p is on its core again. By the holder. */
void lpi_core_reacquired(struct lpi_proc *p);
/* Nobody is to hold the core. By the holder. @return false: somebody has come back meanwhile */
bool lpi_leave_empty(struct lpi_core *c);
/* p asks for its core. @return true: it has it, since nobody had; false: it will be given it */
bool lpi_core_request(struct lpi_proc *p);
/* p, which waits on another core, is to go on where its clock says `deadline`. */
void lpi_core_wake(struct lpi_proc *p, int64_t deadline);
/* Those who have asked can go on. By the holder. */
void lpi_core_take_requests(struct lpi_core *c);

#endif
