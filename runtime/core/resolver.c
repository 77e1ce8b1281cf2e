/* SPDX-License-Identifier: MIT */
/*
 * The clock resolves queries: a message that has arrived by now completes them, the earliest
 * arrival first. Recording wraps some functions of this table, or of the explorer's.
 */
#include "core/resolver.h"

#include "core/core.h"
#include "core/sched.h"
#include "mail/mail.h"
#include "trace/recorder.h"

#include <errno.h>

/* ---- by the clock ---- */

int64_t lpi_usual_horizon(const struct lpi_proc *p)
{
    return lpi_has_clock(p) ? p->emulated : INT64_MAX;
}

int64_t lpi_request_arrival(const struct logp_request *r)
{
    switch (r->state) {
    case LPI_REQ_SENT:
    case LPI_REQ_ENDED:
        return LOGP_NEVER;
    case LPI_REQ_POSTED:
    case LPI_REQ_LOST:
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
    int64_t least = INT64_MAX;

    for (int i = 0; i < q->n; i++) {
        const int64_t t = q->requests[i] != NULL ? lpi_request_arrival(q->requests[i]) : INT64_MAX;

        if (t < least || (best < 0 && q->requests[i] != NULL)) {
            best = i;
            least = t;
        }
    }
    return best;
}

/* Whether r is a send, or an operation whose next step waits for one. */
static bool is_send(const struct logp_request *r)
{
    return r->state == LPI_REQ_STARTED ? r->operation->awaits->state >= LPI_REQ_SENT
                                       : r->state >= LPI_REQ_SENT;
}

struct logp_wait_info lpi_query_subject(const struct lpi_query *q, int first)
{
    struct logp_wait_info w = {
        .kind = LOGP_WAIT_RECV, .source = LOGP_ANY_SOURCE, .tag = LOGP_ANY_TAG};

    if (q->label != NULL) {
        w.source = q->label->src;
        w.tag = q->label->tag;
    } else if (first >= 0) {
        w.kind = is_send(q->requests[first]) ? LOGP_WAIT_SEND : LOGP_WAIT_RECV;
        w.source = q->requests[first]->src;
        w.tag = q->requests[first]->tag;
    }
    return w;
}

static bool usual_depends(struct lpi_proc *p, const struct lpi_query *q)
{
    return !lpi_query_is_direct(q) ||
           (!lpi_is_matched(q->requests[0]) &&
            (p->inbox.n_any > 0 || lpi_query_is_over(p, q) ||
             (q->until != INT64_MAX && q->requests[0]->state == LPI_REQ_CTS_SENT)));
}

/* Whether r is complete by now. */
static bool has_arrived(const struct lpi_proc *p, const struct logp_request *r)
{
    const int64_t t = lpi_request_arrival(r);

    return t != INT64_MAX && t <= lpi_usual_horizon(p);
}

static int usual_resolve(struct lpi_proc *p, struct lpi_query *q)
{
    const int first = lpi_query_earliest(q);
    bool found = false;

    q->found = q->label != NULL ? lpi_match_find(p, q->label, lpi_usual_horizon(p)) : NULL;
    if (q->found == NULL && first >= 0)
        found = lpi_query_is_direct(q) ? lpi_is_matched(q->requests[0])
                                       : has_arrived(p, q->requests[first]);
    q->index = q->found != NULL ? q->n : found ? first : LPI_NOT_YET;
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

static void no_cancel(struct lpi_proc *p, struct logp_request *r)
{
    (void)p, (void)r;
}

static bool keeps_none(struct lpi_proc *p, struct logp_request *r)
{
    (void)p, (void)r;
    return false;
}

static void no_received(struct lpi_proc *p, const struct logp_request *r)
{
    (void)p, (void)r;
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

static int cut_nothing(struct lpi_proc *p, uint64_t from, uint64_t to, bool heals)
{
    (void)from;
    (void)to;
    (void)heals;
    return lpi_stopped(p);
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
    .horizon = lpi_usual_horizon,
    .depends = usual_depends,
    .resolve = usual_resolve,
    .retry_at = usual_retry_at,
    .posts = no_posts,
    .cancels = no_cancel,
    .keeps = keeps_none,
    .received = no_received,
    .pass = usual_pass,
    .touch = take_first,
    .pick = take_first,
    .ends = no_end,
    .fate = arrives,
    .keep = keep_nothing,
    .recover = recover_nothing,
    .cut = cut_nothing,
    .restarts = no_restart,
    .answers_at_sync = true,
    .polls_in_vain = LPI_POLLS_IN_VAIN,
    .note = no_note,
};

/* ---- recorded ---- */

static int recorded_resolve(struct lpi_proc *p, struct lpi_query *q)
{
    int rc;

    if (!q->waited)
        lpi_record_query_begins(p);
    rc = p->core->machine->unrecorded->resolve(p, q);
    if (q->waited)
        lpi_record_query_resolved(p);
    return rc;
}

static void recorded_posts(struct lpi_proc *p, struct logp_request *r, enum lpi_posting posting)
{
    r->trace_label = lpi_record_current_label(p);
    p->core->machine->unrecorded->posts(p, r, posting);
}

static void recorded_received(struct lpi_proc *p, const struct logp_request *r)
{
    lpi_record_query_received(p, r);
    p->core->machine->unrecorded->received(p, r);
}

void lpi_resolver_choose(struct logp_machine *m)
{
    m->unrecorded = &lpi_resolver_usual;
    if (m->explore != NULL)
        m->unrecorded = &lpi_resolver_explored;
    m->resolver = *m->unrecorded;
    m->time->resolves(&m->resolver);
    m->polls_in_vain = m->resolver.polls_in_vain;
    m->fast_path = m->time->has_fast_path && m->rendezvous_from == 0;
    m->instrumented = m->unrecorded != &lpi_resolver_usual;
    if (m->recorders == NULL)
        return;
    m->instrumented = true;
    m->fast_path = false;
    lpi_tracing_prepare(m);
    m->resolver.resolve = recorded_resolve;
    m->resolver.posts = recorded_posts;
    m->resolver.received = recorded_received;
}
