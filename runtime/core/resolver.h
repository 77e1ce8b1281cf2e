/* SPDX-License-Identifier: MIT */
/* How queries are resolved: see resolver.c, explore.c. */
#ifndef LPI_RESOLVER_H
#define LPI_RESOLVER_H

#include "state/state.h"

extern const struct lpi_resolver lpi_resolver_usual, lpi_resolver_explored;

/* A run of m begins. */
void lpi_resolver_choose(struct logp_machine *m);
/* The request of q that completes first, as far as is known; LPI_NO_REQUEST. */
int lpi_query_earliest(const struct lpi_query *q);
/* When r's message arrives, or the answer to it; INT64_MAX: that is not known yet. */
int64_t lpi_request_arrival(const struct logp_request *r);

/* r, a receive, has its message, or -EMSGSIZE. */
static inline bool lpi_is_matched(const struct logp_request *r)
{
    return r->state > LPI_REQ_CTS_SENT && r->state < LPI_REQ_SENT;
}

static inline void lpi_note(struct lpi_proc *p, enum logp_note_kind kind, int peer, int tag,
                            int64_t value)
{
    if (lpi_is_instrumented(p->core->machine))
        p->core->machine->resolver.note(
            p, &(struct logp_note){kind, p->rank, peer, tag, value, p->emulated, 0, 0});
}

/* The usual answer to "what has arrived by now?": without a clock all that is here. */
static inline int64_t lpi_usual_horizon(const struct lpi_proc *p)
{
    return lpi_has_clock(p) ? p->emulated : INT64_MAX;
}

/* This is on the way of each test and probe, where a call of a function would show. */
static inline int64_t lpi_horizon(const struct lpi_proc *p)
{
    const struct logp_machine *m = p->core->machine;

    return lpi_is_instrumented(m) ? m->resolver.horizon(p) : lpi_usual_horizon(p);
}

/* The time of q is over. */
static inline bool lpi_query_is_over(const struct lpi_proc *p, const struct lpi_query *q)
{
    return q->until != INT64_MAX && !q->late && lpi_clock(p) >= q->until;
}

#endif
