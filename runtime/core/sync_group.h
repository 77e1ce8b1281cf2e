/* SPDX-License-Identifier: MIT */
/* The common start of the members of a group: see sync_group.c. */
#ifndef LPI_SYNC_GROUP_H
#define LPI_SYNC_GROUP_H

#include "state/state.h"

int lpi_sync_group(const struct logp_vp *vp, int64_t *start);
/* After a run that was stopped while members waited. */
void lpi_groups_discard(struct logp_machine *m);

#endif
