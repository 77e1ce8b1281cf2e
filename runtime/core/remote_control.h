/* SPDX-License-Identifier: MIT */
/* Control messages between processes in a run: see remote_control.c. */
#ifndef LPI_REMOTE_CONTROL_H
#define LPI_REMOTE_CONTROL_H

#include "state/remote.h"

void lpi_remote_control(struct lpi_core *c, int from, const struct lpi_wire *w, const void *more);
/* All vps of this process are at the sync. By the holder of c. */
void lpi_remote_arrived(struct lpi_core *c);
/* All cores of this process are idle, with this sum of their epochs: it can do nothing by
 * itself. */
void lpi_remote_idle(struct lpi_core *c, unsigned long epochs);
/* All vps of this process have ended: tell process 0, whenever there is news. Called by a thread
 * that holds none of its cores. */
void lpi_remote_done(struct logp_machine *m);

#endif
