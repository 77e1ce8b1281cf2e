/* SPDX-License-Identifier: MIT */
/* Resolving queries: see resolver.c, explore.c. */
#ifndef LPI_RESOLVER_H
#define LPI_RESOLVER_H

#include "state/run_queue.h"

extern const struct lpi_resolver lpi_resolver_usual, lpi_resolver_explored;

/* A run of m begins. */
void lpi_resolver_choose(struct logp_machine *m);
/* The request of q that completes first, as far as is known; LPI_NO_REQUEST. */
int lpi_query_earliest(const struct lpi_query *q);
/* Whether q has any request. */
static inline bool lpi_query_has_request(const struct lpi_query *q)
{
    int i = 0;

    while (i < q->n && q->requests[i] == NULL)
        i++;
    return i < q->n;
}

/* The event that q waits for, for reports. first: lpi_query_earliest() */
struct logp_wait_info lpi_query_subject(const struct lpi_query *q, int first);
/* When r's message arrives, or the answer to it; INT64_MAX: that is not known yet. */
int64_t lpi_request_arrival(const struct logp_request *r);

/* Whether the time at which r is complete is known. */
static inline bool lpi_request_is_done(const struct logp_request *r)
{
    return lpi_request_arrival(r) != INT64_MAX;
}

/* r, a receive, has its message, or -EMSGSIZE. */
static inline bool lpi_is_matched(const struct logp_request *r)
{
    return r->state > LPI_REQ_CTS_SENT && r->state < LPI_REQ_SENT;
}

static inline void lpi_note(struct lpi_proc *p, enum logp_note_kind kind, int peer, int tag,
                            int64_t value)
{
    const struct logp_note note = {kind, p->rank, peer, tag, value, p->emulated, 0, 0};

    p->core->machine->resolver.note(p, &note);
}

/* The time up to which a message usually counts as arrived: without a clock all that are here. */
int64_t lpi_usual_horizon(const struct lpi_proc *p);

/* The time of q is over. */
static inline bool lpi_query_is_over(const struct lpi_proc *p, const struct lpi_query *q)
{
    return q->until != INT64_MAX && !q->late && lpi_clock(p) >= q->until;
}

#endif
