/* SPDX-License-Identifier: MIT */
/*
 * The clock resolves queries: a message that has arrived by now completes them, the earliest
 * arrival first. Recording wraps some functions of this table, or of the explorer's.
 */
#include "core/resolver.h"

#include "core/core.h"
#include "core/sched.h"
#include "mail/mail.h"
#include "state/record.h"

#include <errno.h>

/* ---- by the clock ---- */

static int64_t usual_horizon(const struct lpi_proc *p)
{
    return lpi_usual_horizon(p);
}

int64_t lpi_request_arrival(const struct logp_request *r)
{
    switch (r->state) {
    case LPI_REQ_SENT:
    case LPI_REQ_ENDED:
        return LOGP_NEVER;
    case LPI_REQ_POSTED:
    case LPI_REQ_CTS_SENT:
    case LPI_REQ_RTS_SENT:
    case LPI_REQ_STARTED:
        return INT64_MAX;
    case LPI_REQ_SYNC_SENT:
        return r->answered;
    default:
        return r->arrival;
    }
}

int lpi_query_earliest(const struct lpi_query *q)
{
    int best = LPI_NO_REQUEST;

    for (int i = 0; i < q->n; i++)
        if (q->requests[i] != NULL && (best < 0 || lpi_request_arrival(q->requests[i]) <
                                                       lpi_request_arrival(q->requests[best])))
            best = i;
    return best;
}

static bool usual_depends(struct lpi_proc *p, const struct lpi_query *q)
{
    return !q->direct || (!lpi_is_matched(q->requests[0]) &&
                          (p->inbox.n_any > 0 || lpi_query_is_over(p, q) ||
                           (q->until != INT64_MAX && q->requests[0]->state == LPI_REQ_CTS_SENT)));
}

static int usual_resolve(struct lpi_proc *p, struct lpi_query *q)
{
    bool found;

    if (q->label != NULL) {
        q->found = lpi_match_find(p, q->label->context, q->src, q->tag, lpi_horizon(p));
        q->index = q->found != NULL ? q->n : lpi_query_earliest(q);
        if (q->found != NULL)
            return 0;
    }
    if (q->index < 0) {
        q->index = LPI_NOT_YET;
        return 0;
    }
    if (q->direct) {
        found = lpi_is_matched(q->requests[0]);
    } else {
        const int64_t t = lpi_request_arrival(q->requests[q->index]);

        found = t != INT64_MAX && t <= lpi_horizon(p);
    }
    q->index = found ? q->index : LPI_NOT_YET;
    return 0;
}

static int64_t usual_retry_at(struct lpi_proc *p, const struct lpi_query *q)
{
    (void)q;
    return lpi_next_arrival(p);
}

static void no_posts(struct lpi_proc *p, struct logp_request *r, enum lpi_posting posting)
{
    (void)p, (void)r, (void)posting;
}

static bool keeps_none(struct lpi_proc *p, struct logp_request *r)
{
    (void)p, (void)r;
    return false;
}

static void no_received(struct lpi_proc *p, const struct lpi_query *q, const struct logp_request *r)
{
    (void)p, (void)q, (void)r;
}

static int usual_pass(struct lpi_proc *p, enum logp_note_kind kind, bool yields)
{
    (void)kind;
    return yields ? lpi_reach(p, p->emulated) : 0;
}

/* Touches and picks: nothing waits, and the first alternative is taken. */
static int take_first(struct lpi_proc *p, int n)
{
    (void)p, (void)n;
    return 0;
}

static void no_end(struct lpi_proc *p)
{
    (void)p;
}

static int arrives(struct lpi_proc *p, enum logp_note_kind call, const struct lpi_envelope *e)
{
    (void)p, (void)call, (void)e;
    return 1;
}

static int keep_nothing(struct lpi_proc *p, int key, const void *data, size_t n_bytes)
{
    (void)p, (void)key, (void)data, (void)n_bytes;
    return 0;
}

static int recover_nothing(struct lpi_proc *p, int key, void *data, size_t capacity,
                           size_t *n_bytes)
{
    (void)p, (void)key, (void)data, (void)capacity, (void)n_bytes;
    return -ENOENT;
}

static bool no_restart(struct lpi_proc *p)
{
    (void)p;
    return false;
}

static void no_note(struct lpi_proc *p, const struct logp_note *note)
{
    (void)p, (void)note;
}

const struct lpi_resolver lpi_resolver_usual = {
    .next_proc = lpi_usual_next,
    .others_first = lpi_usual_others_first,
    .horizon = usual_horizon,
    .depends = usual_depends,
    .resolve = usual_resolve,
    .retry_at = usual_retry_at,
    .posts = no_posts,
    .keeps = keeps_none,
    .received = no_received,
    .pass = usual_pass,
    .touch = take_first,
    .pick = take_first,
    .ends = no_end,
    .fate = arrives,
    .keep = keep_nothing,
    .recover = recover_nothing,
    .restarts = no_restart,
    .polls_in_vain = LPI_POLLS_IN_VAIN,
    .note = no_note,
};

/* ---- recorded ---- */

/* Without a clock nothing is charged: the wall time of the wait is recorded. */
static int recorded_resolve(struct lpi_proc *p, struct lpi_query *q)
{
    int rc;

    if (!q->waited)
        q->begun = lpi_has_clock(p) ? LOGP_NEVER : lpi_wall(p->core->machine);
    rc = p->core->machine->unrecorded->resolve(p, q);
    q->matched = q->waited && q->begun != LOGP_NEVER ? lpi_wall(p->core->machine) : q->begun;
    return rc;
}

static void recorded_posts(struct lpi_proc *p, struct logp_request *r, enum lpi_posting posting)
{
    r->label = lpi_record_current_label(p);
    p->core->machine->unrecorded->posts(p, r, posting);
}

static void recorded_received(struct lpi_proc *p, const struct lpi_query *q,
                              const struct logp_request *r)
{
    if (q->begun != LOGP_NEVER && !lpi_has_clock(p) && r->state == LPI_REQ_CHARGED)
        lpi_record_undelayed_receive(p, r, q->begun, q->matched);
    p->core->machine->unrecorded->received(p, q, r);
}

void lpi_resolver_choose(struct logp_machine *m)
{
    m->unrecorded = &lpi_resolver_usual;
    if (m->explore != NULL) {
        m->unrecorded = &lpi_resolver_explored;
        lpi_explore_begin(m);
    }
    m->resolver = *m->unrecorded;
    m->polls_in_vain = m->resolver.polls_in_vain;
    m->instrumented = m->unrecorded != &lpi_resolver_usual;
    if (m->recorders == NULL)
        return;
    m->instrumented = true;
    lpi_tracing_prepare(m);
    m->resolver.resolve = recorded_resolve;
    m->resolver.posts = recorded_posts;
    m->resolver.received = recorded_received;
}
