/* SPDX-License-Identifier: MIT */
/* Places on the wire: see capacity.c. */
#ifndef LPI_CAPACITY_H
#define LPI_CAPACITY_H

#include "state/state.h"

int lpi_capacity_claim(struct lpi_proc *from, struct lpi_proc *to, int64_t capacity,
                       const struct logp_transfer *t, int64_t *retry_at);
void lpi_capacity_apply(struct lpi_proc *from, struct lpi_proc *to, int64_t arrival);
void lpi_capacity_reset(struct logp_machine *m);
void lpi_capacity_destroy(struct logp_machine *m);

#endif
