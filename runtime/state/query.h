/* SPDX-License-Identifier: MIT */
/*
 * A query is what a call that receives, probes, tests or waits asks for, and the table of functions
 * that answers it. lpi_answers_choose() picks the table when a run begins. call/query.c has the
 * loop that resolves a query, waits and resolves it again.
 */
#ifndef LPI_QUERY_H
#define LPI_QUERY_H

#include "state/message.h"
#include "state/state.h"

#include <logp/check.h>

/* lpi_query.chosen, where it is no source. */
enum { LPI_MISSED = -3, LPI_NOTHING = -4, LPI_SETTLED = -5 /* no choice is left */ };
/* lpi_query.index, where it is no request. */
enum { LPI_NOT_YET = -1, LPI_NO_REQUEST = -2 /* all requests are NULL */ };

/* It lives on the vp's stack. */
struct lpi_query {
    const struct lpi_label *label;  /* of a probe; NULL: the query is for requests */
    struct logp_request **requests; /* n of them; NULL entries do not count */
    int n;
    bool any;      /* the first request that completes ends it; else there is one request */
    bool waits;    /* until `until`; else it looks once */
    bool waited;   /* at least once */
    bool beside;   /* the vp sends, too, while it waits: it charges what has arrived itself */
    bool late;     /* its payload was under way when its time was over, and comes first */
    bool may_miss; /* a look, or a wait with an end */
    bool cancels;  /* the one request, if nothing is taken; without one: all, as the program ends */
    bool sends;    /* it waits for the receiver of a send: src and tag are that one's */
    int64_t until; /* by the vp's clock; INT64_MAX: for ever */
    int src, tag;  /* for reports */
    /* the answer */
    int chosen;                /* explored: a source, or one of the above */
    int index;                 /* of the request that completes, 0: a probe; or one of the above */
    struct lpi_message *found; /* by a probe */
    int64_t begun, matched;    /* recorded without a clock: wall time */
};

/* How queries are answered. */
struct lpi_answers {
    /* What has arrived by this time can be matched with receives from any source. */
    int64_t (*horizon)(const struct lpi_proc *p);
    /* Does the answer depend on what has arrived by now? Then that is looked for first. */
    bool (*depends)(struct lpi_proc *p, const struct lpi_query *q);
    /* Set q->index, and q->found. @return 0; -ETIME: the explorer chose that q misses; or the error
     * that stops the run */
    int (*resolve)(struct lpi_proc *p, struct lpi_query *q);
    /* When p, which waits for q, is to resolve it again, unless it is woken; INT64_MAX: never. */
    int64_t (*next)(struct lpi_proc *p, const struct lpi_query *q);
    /* p makes a request; stays: it outlives the call */
    void (*posts)(struct lpi_proc *p, struct logp_request *r, bool stays);
    /* q has completed r, a receive. */
    void (*received)(struct lpi_proc *p, const struct lpi_query *q, const struct logp_request *r);
    /* Something else has happened to p. */
    void (*note)(struct lpi_proc *p, const struct logp_note *note);
};

/* r, a receive, has its message, or -EMSGSIZE. */
static inline bool lpi_is_matched(const struct logp_request *r)
{
    return r->state > LPI_REQ_CTS_SENT && r->state < LPI_REQ_SENT;
}

static inline void lpi_note(struct lpi_proc *p, enum logp_note_kind kind, int peer, int tag,
                            int64_t value)
{
    if (lpi_is_instrumented(p->core->machine))
        p->core->machine->answers->note(
            p, &(struct logp_note){kind, p->rank, peer, tag, value, p->emulated});
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

    return lpi_is_instrumented(m) ? m->answers->horizon(p) : lpi_usual_horizon(p);
}

/* The time of q is over. */
static inline bool lpi_query_is_over(const struct lpi_proc *p, const struct lpi_query *q)
{
    return q->until != INT64_MAX && !q->late && lpi_clock(p) >= q->until;
}

#endif
