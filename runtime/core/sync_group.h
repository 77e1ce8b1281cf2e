/* SPDX-License-Identifier: MIT */
/* The common start of the members of a group: see sync_group.c. */
#ifndef LPI_SYNC_GROUP_H
#define LPI_SYNC_GROUP_H

#include "state/remote.h"

int lpi_sync_group(const struct logp_vp *vp, int64_t *start);
/* A vp of another process has arrived at a sync whose entry is here, or a vp of this process may go
 * on. */
void lpi_group_hear(struct lpi_core *c, const struct lpi_wire *w);
/* After a run that was stopped while members waited. */
void lpi_groups_discard(struct logp_machine *m);

#endif
