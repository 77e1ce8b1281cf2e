/* SPDX-License-Identifier: MIT */
/* The common start, for one vp. */
#ifndef LPI_SYNC_H
#define LPI_SYNC_H

#include "state/state.h"

/*
 * p waits for the common start of all vps.
 * @return  0, *start is set (start may be NULL); or the error that stops the run
 */
int lpi_sync(struct lpi_proc *p, int64_t *start);

#endif
