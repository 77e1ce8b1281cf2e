/* SPDX-License-Identifier: MIT */
/* What processes tell each other in a run: see remote_control.c. */
#ifndef LPI_REMOTE_CONTROL_H
#define LPI_REMOTE_CONTROL_H

#include "state/remote.h"

void lpi_remote_control(struct lpi_core *c, int from, const struct lpi_wire *w, const void *more);
/* All vps of this process are at the sync. By the holder of c. */
void lpi_remote_arrived(struct lpi_core *c);
/* This process can do nothing by itself: all of its cores are idle, with this sum of their epochs.
 */
void lpi_remote_idle(struct lpi_core *c, unsigned long epochs);
/* All of its vps have ended: process 0 is told, whenever there is something new. By whoever holds
 * none of its cores. */
void lpi_remote_done(struct logp_machine *m);

#endif
