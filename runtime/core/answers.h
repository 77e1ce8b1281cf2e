/* SPDX-License-Identifier: MIT */
/* The tables that answer queries: see answers.c, explore.c. */
#ifndef LPI_ANSWERS_H
#define LPI_ANSWERS_H

#include "state/query.h"

extern const struct lpi_answers lpi_answers_usual, lpi_answers_explored;

/* A run of m begins. */
void lpi_answers_choose(struct logp_machine *m);
/* The request of q that completes first, as far as is known; LPI_NO_REQUEST. */
int lpi_query_earliest(const struct lpi_query *q);
/* When r's message arrives, or the answer to it; INT64_MAX: that is not known yet. */
int64_t lpi_request_arrival(const struct logp_request *r);
/* p waits for r alone, which needs nothing but a message of its own: the delivery charges it. */
bool lpi_query_is_direct(const struct lpi_proc *p, const struct lpi_query *q);
/* r has been matched with a send that waits for it: wait for the payload. @return 0: look again */
int lpi_await_payload(struct lpi_proc *p, struct logp_request *r);

#endif
