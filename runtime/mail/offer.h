/* SPDX-License-Identifier: MIT */
/* Long messages between cores without a second copy: see offer.c. */
#ifndef LPI_OFFER_H
#define LPI_OFFER_H

#include "state/state.h"

bool lpi_offer_fill(struct lpi_offer *o, const struct lpi_envelope *e);
void lpi_offer_open(struct lpi_proc *p, struct logp_request *r);
bool lpi_offer_withdraw(struct lpi_proc *p, struct logp_request *r);
void lpi_offer_complete(struct lpi_proc *p, struct logp_request *r);
/* The receive of p that is on offer; NULL: none. */
struct logp_request *lpi_offered(const struct lpi_proc *p);

#endif
