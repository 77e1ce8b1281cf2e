/* SPDX-License-Identifier: MIT */
/* Long messages between cores without a second copy: see direct.c. */
#ifndef LPI_DIRECT_H
#define LPI_DIRECT_H

#include "state/state.h"

bool lpi_direct_fill(struct lpi_direct *o, const struct lpi_envelope *e);
void lpi_direct_expose(struct lpi_proc *p, struct logp_request *r);
bool lpi_direct_withdraw(struct lpi_proc *p, struct logp_request *r);
void lpi_direct_complete(struct lpi_proc *p, struct logp_request *r);
/* The receive of p whose buffer is exposed; NULL: none. */
struct logp_request *lpi_direct_exposed(const struct lpi_proc *p);

#endif
