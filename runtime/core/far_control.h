/* SPDX-License-Identifier: MIT */
/* What processes tell each other in a run: see far_control.c. */
#ifndef LPI_FAR_CONTROL_H
#define LPI_FAR_CONTROL_H

#include "state/far.h"

void lpi_far_control(struct lpi_core *c, int from, const struct lpi_wire *w, const void *more);
/* All vps of this process are at the sync. By the holder of c. */
void lpi_far_come(struct lpi_core *c);
/* This process can do nothing by itself: all of its cores are idle, with this sum of their epochs.
 */
void lpi_far_idle(struct lpi_core *c, unsigned long epochs);
/* All of its vps have ended: process 0 is told, whenever there is something new. By whoever holds
 * none of its cores. */
void lpi_far_home(struct logp_machine *m);

#endif
