/* SPDX-License-Identifier: MIT */
/* Messages and receives are matched: see match.c. */
#ifndef LPI_MATCH_H
#define LPI_MATCH_H

#include "state/state.h"

int lpi_deliver(struct lpi_proc *p, struct lpi_core *at, const struct lpi_envelope *e);
bool lpi_deliver_here(struct lpi_proc *to, struct lpi_core *c, const struct lpi_label *l,
                      const void *data, size_t n_bytes, bool is_paid);
struct lpi_message *lpi_match_take_here(struct lpi_proc *p, uint32_t context, int src, int tag,
                                        size_t capacity);
bool lpi_match_is_first(struct lpi_proc *p, const struct logp_request *r);
struct logp_request *lpi_match_wanted(struct lpi_proc *p, const struct lpi_envelope *e);
void lpi_match_arrived(struct lpi_proc *p, int64_t until);
void lpi_match_rts(struct lpi_proc *p);
int64_t lpi_next_arrival(struct lpi_proc *p);
void lpi_match_post(struct lpi_proc *p, struct logp_request *r, int64_t until);
int lpi_match_restore(struct lpi_proc *p, const struct logp_request *r);
void lpi_match_unpost(struct lpi_proc *p, struct logp_request *r);
struct lpi_message *lpi_match_find(struct lpi_proc *p, uint32_t context, int src, int tag,
                                   int64_t until);
/* Call takes() for each pending message, those of a source in order, with the receive that could
 * take it, or NULL. If it returns true, the receive takes the message at once. */
void lpi_match_candidates(struct lpi_proc *p,
                          bool (*takes)(void *arg, const struct lpi_message *m,
                                        const struct logp_request *r),
                          void *arg);
/* Mark the posted receives that matter to a query for this label or for these requests. These are
 * the receives that the query names, and each receive that is posted before one that matters and
 * could take the same message (it hinders it). @return a receive for any tag is posted */
bool lpi_match_mark(struct lpi_proc *p, const struct lpi_label *label,
                    struct logp_request *const *requests, int n);
/* Match the first message with this label, arrived by `until`, that a posted receive can take. */
void lpi_match_label(struct lpi_proc *p, const struct lpi_label *label, int64_t until);
/* A remote payload is complete. Called by the holder of the receiver's core. */
void lpi_match_come(struct lpi_cargo *l);
void lpi_match_close(struct lpi_proc *p);
void lpi_match_discard(struct lpi_proc *p, struct lpi_core *at);

#endif
