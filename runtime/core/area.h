/* SPDX-License-Identifier: MIT */
/* Memory that the members of groups share: see area.c. */
#ifndef LPI_AREA_H
#define LPI_AREA_H

#include "state/state.h"

/* Of a vp: what it has joined, as whom. */
struct lpi_joined {
    struct lpi_joined *next;
    const struct logp_vp *vp;
    const void *key;
    void *memory;
    struct lpi_area *area;
};

/* As logp_shared(), where it has not been joined; vp is its group's view for collectives. */
int lpi_area_join(struct logp_vp *vp, const void *key, size_t n_bytes, void **memory);
/* It leaves all of them: before the group is gone. */
void lpi_area_leave(struct logp_vp *vp);
/* All cores are home. Called with the machine's lock. */
void lpi_areas_discard(struct logp_machine *m);

#endif
