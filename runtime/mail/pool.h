/* SPDX-License-Identifier: MIT */
/* Memory of messages and requests, and the limit on what is queued. */
#ifndef LPI_POOL_H
#define LPI_POOL_H

#include "state/state.h"

/* A message with n_bytes of space for its payload, data set; NULL: no memory. */
struct lpi_message *lpi_message_new(struct lpi_core *c, size_t n_bytes);
/* The same, called by any thread, for messages that core `c` frees. */
struct lpi_message *lpi_message_foreign(struct lpi_core *c, size_t n_bytes);
void lpi_message_fill(struct lpi_message *m, const struct lpi_envelope *e);
/* `c` is the core of the caller. */
void lpi_message_free(struct lpi_core *c, struct lpi_message *m);

struct logp_request *lpi_request_new(struct lpi_core *c);
void lpi_request_free(struct lpi_core *c, struct logp_request *r);
/* After a run: free the requests that the program has not completed. */
void lpi_pool_forget_requests(struct lpi_core *c);
void lpi_pool_fini(struct lpi_core *c);

/* The queue limit: see pool.c. */
int64_t lpi_credit_take(struct logp_machine *m, int64_t least, int64_t most);
int lpi_credit_refill(struct lpi_core *c, int64_t bytes);
/* A message to `to` is no longer queued. Called by the holder of its core. */
void lpi_credit_give(struct lpi_proc *to, size_t n_bytes);

#endif
