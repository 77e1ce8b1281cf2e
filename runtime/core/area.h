/* SPDX-License-Identifier: MIT */
/* Memory that the members of groups share: see area.c. */
#ifndef LPI_AREA_H
#define LPI_AREA_H

#include "state/state.h"

/* An area that a vp has joined, and the view of the group through which it did. */
struct lpi_joined {
    struct lpi_joined *next;
    const struct logp_vp *vp;
    const void *key;
    void *memory;
    struct lpi_area *area;
};

/* As logp_shared(), for an area that is not joined yet. vp is the group's view for collectives. */
int lpi_area_join(struct logp_vp *vp, const void *key, size_t n_bytes, void **memory);
/* Leave all areas of vp, before the group is freed. */
void lpi_area_leave(struct logp_vp *vp);
/* All cores are done. Called with the machine's lock. */
void lpi_areas_discard(struct logp_machine *m);

#endif
