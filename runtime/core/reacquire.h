/* SPDX-License-Identifier: MIT */
/* Vps that go on because of a thread that does not hold their core: see reacquire.c. */
#ifndef LPI_REACQUIRE_H
#define LPI_REACQUIRE_H

#include "state/state.h"

/* p, which holds its core, is about to give it up. */
void lpi_core_released(struct lpi_proc *p);
/* p is on its core again. By the holder. */
void lpi_core_reacquired(struct lpi_proc *p);
/* Leave the core without a holder. By the holder. @return false: a request has come meanwhile */
bool lpi_leave_empty(struct lpi_core *c);
/* p requests its core. @return true: p holds it, as no vp did; false: p will be given the core */
bool lpi_core_request(struct lpi_proc *p);
/* p, which waits on another core, goes on when its clock reaches `deadline`. */
void lpi_core_wake(struct lpi_proc *p, int64_t deadline);
/* Let the vps that requested the core go on. By the holder. */
void lpi_core_take_requests(struct lpi_core *c);

#endif
