/* SPDX-License-Identifier: MIT */
/*
 * The loop of every call that receives, probes, tests or waits: resolve its query, wait until
 * something may have changed, and resolve it again, until its time is over.
 *
 * A wait for one receive is direct: the delivery of the message charges it, and wakes the vp when
 * it is complete. Any event wakes a vp that waits for several things (waits_for_any), which charges
 * its receives itself.
 *
 * While operations are under way, a call appends the requests that they await to those of its query.
 * Whatever completes first is served, and the query begins again until its own part is complete.
 *
 * Unless the vp needs a query (lpi_proc.needs_query), a probe, and a wait or a test of one receive,
 * do without one, which would show in their time: probe_directly(), wait_directly(),
 * test_directly().
 */
#include "call/call.h"
#include "core/core.h"
#include "core/resolver.h"
#include "core/sched.h"
#include "delay/delay.h"
#include "mail/mail.h"

#include <errno.h>
#include <stdlib.h>

int lpi_catch_up(struct lpi_proc *p)
{
    int rc = lpi_reach(p, p->emulated);

    if (rc != 0)
        return rc;
    lpi_poll_all(p->core);
    if (p->inbox.n_any > 0)
        lpi_match_arrived(p, p->core->machine->resolver.horizon(p)); /* this may send CTSs */
    if (lpi_has_background(p) && (rc = lpi_data_send(p)) != 0)
        return rc > 0 ? lpi_catch_up(p) : rc;
    return lpi_stopped(p);
}

int lpi_query_resolve(struct lpi_proc *p, struct lpi_query *q)
{
    const struct lpi_resolver *a = &p->core->machine->resolver;
    const bool has_rts = lpi_rts_of(p) != NULL;
    int rc;

    q->beside = q->beside || has_rts;
    rc = a->depends(p, q) ? lpi_catch_up(p) : has_rts ? lpi_data_send(p) : 0;
    if (rc >= 0)
        rc = a->resolve(p, q);
    if (rc != 0)
        q->index = LPI_NOT_YET;
    return rc;
}

/* ---- waiting ---- */

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* Wait for any event, until t or the next CTS. first: of q's requests. only_cts: no other event
 * wakes p */
static int wait_for_any(struct lpi_proc *p, const struct lpi_query *q, int first, int64_t t,
                        bool only_cts)
{
    const struct logp_wait_info subject = lpi_query_subject(q, first);
    int rc;

    t = least(t, lpi_next_cts(p));
    p->any.src = subject.source;
    p->any.tag = subject.tag;
    p->waits_for_any = !only_cts;
    if (t == INT64_MAX && subject.kind == LOGP_WAIT_SEND) {
        p->state = LPI_SENDING;
        rc = lpi_hold(p);
    } else {
        rc = lpi_wait_message(p, t);
    }
    p->waits_for_any = false;
    return rc;
}

void lpi_expose_long(struct lpi_proc *p, struct logp_request *r)
{
    if (lpi_match_taker(&p->inbox, &r->label, 0) == r)
        lpi_direct_expose(p, r);
}

/* Wait for r, which the delivery of its message charges, if that arrives by `until`. next: when it may
 * be matched with a message that is here */
static inline int wait_for_one(struct lpi_proc *p, struct logp_request *r, int64_t until,
                               int64_t next)
{
    int64_t t = until;

    if (r->state == LPI_REQ_POSTED) {
        lpi_expose(p, r);
        t = next < t ? lpi_later(p, next) : t;
    }
    return lpi_await_message(p, r, until, t);
}

/* Whether the CTS of r is the only event that p waits for. */
static bool is_only_send(const struct lpi_proc *p, const struct lpi_query *q,
                         const struct logp_request *r)
{
    return r != NULL && !q->any && r->state == LPI_REQ_RTS_SENT &&
           (p->inbox.n_any == 0 || q->choice == LPI_DECIDED) && lpi_rts_of(p) == r->rts &&
           r->rts->next == NULL;
}

int lpi_query_wait(struct lpi_proc *p, struct lpi_query *q)
{
    const int first = lpi_query_earliest(q);
    struct logp_request *r = first >= 0 ? q->requests[first] : NULL;
    const struct lpi_message *m = q->label != NULL ? lpi_match_find(p, q->label, INT64_MAX) : NULL;
    int64_t t = q->late ? INT64_MAX : q->until;

    if (q->any && q->label == NULL)
        p->in_vain = 0;
    if (lpi_query_is_direct(q) && (r->state == LPI_REQ_POSTED || q->until == INT64_MAX)) {
        if (!lpi_query_is_over(p, q))
            return wait_for_one(p, r, q->until, p->core->machine->resolver.retry_at(p, q));
        lpi_poll(p->core); /* its payload is being copied: this takes a moment */
        return 0;
    }
    /* a vp that other events wake would miss an earlier CTS */
    if (t == INT64_MAX && is_only_send(p, q, r))
        return r->rts->request != NULL ? lpi_wait_until(p, r->rts->at)
                                       : wait_for_any(p, q, first, t, true);
    q->beside = true;
    t = least(t, p->core->machine->resolver.retry_at(p, q)); /* a match may leave m for q */
    t = m != NULL ? least(t, m->arrival) : t;
    t = r != NULL ? least(t, lpi_request_arrival(r)) : t;
    return wait_for_any(p, q, first, t, false);
}

/* ---- the end ---- */

/* Nothing has completed q: wait until its end, or charge a poll. */
static int miss(struct lpi_proc *p, const struct lpi_query *q)
{
    const struct logp_wait_info subject = lpi_query_subject(q, q->any ? LPI_NO_REQUEST : 0);
    int rc;

    lpi_note(p, LOGP_NOTE_MISSED, subject.source, subject.tag, 0);
    if (!q->begun_in_time)
        return lpi_poll_in_vain(p, -ETIME);
    rc = lpi_clock(p) < q->until ? lpi_wait_until(p, q->until) : 0;
    return rc != 0 ? rc : -ETIME;
}

/* Charge r, whose message has come. */
static inline __attribute__((always_inline)) int
complete(const struct logp_vp *vp, struct logp_request *r, struct logp_status *status)
{
    struct lpi_proc *p = vp->proc;

    p->in_vain = 0;
    if (r->state == LPI_REQ_BOUND)
        lpi_charge_recv(p, r);
    else if (r->state == LPI_REQ_FAILED)
        r->done = r->arrival < 0 ? r->arrival : lpi_later(p, r->arrival);
    if (r->done >= 0 && r->done > p->emulated) {
        const int rc = lpi_wait_until(p, r->done);

        if (rc != 0)
            return rc;
    }
    lpi_status_of_request(vp, status, r);
    return r->state == LPI_REQ_FAILED ? -EMSGSIZE : 0;
}

static int found(const struct logp_vp *vp, const struct lpi_message *m, struct logp_status *status)
{
    vp->proc->in_vain = 0;
    lpi_status_of_message(vp, status, m);
    return 0;
}

/* Whether q's time is over, or its message arrives too late. */
static bool has_missed(struct lpi_proc *p, struct lpi_query *q)
{
    struct logp_request *r = q->one;

    if (q->index >= 0)
        return lpi_query_waits(q) && r != NULL && q->index == 0 && r->state < LPI_REQ_SENT &&
               r->arrival > q->until;
    if (!lpi_query_waits(q))
        return true;
    if (q->late ? r->state != LPI_REQ_LOST : !lpi_query_is_over(p, q))
        return false;
    q->late = r != NULL && r->state == LPI_REQ_CTS_SENT;
    if (q->late)
        return false;
    return r == NULL || r->state != LPI_REQ_POSTED || lpi_direct_withdraw(p, r);
}

/* End q, which has been answered: charge its receive. */
static int end(const struct logp_vp *vp, struct lpi_query *q, struct logp_status *status)
{
    struct lpi_proc *p = vp->proc;
    struct logp_request *r;
    int rc;

    if (q->index == q->n) {
        lpi_note(p, LOGP_NOTE_FOUND, q->found->src, q->found->tag, (int64_t)q->found->n_bytes);
        return found(vp, q->found, status);
    }
    r = q->requests[q->index];
    if (r->state >= LPI_REQ_SENT)
        return r->state == LPI_REQ_ENDED ? r->operation->error : 0;
    rc = complete(vp, r, status);
    if (rc == 0 || rc == -EMSGSIZE)
        p->core->machine->resolver.received(p, r);
    return rc;
}

/* lpi_query_run() without operations. */
static int query_once(const struct logp_vp *vp, struct lpi_query *q, struct logp_status *status)
{
    struct lpi_proc *p = vp->proc;
    int rc;

    if (q->label == NULL && !lpi_query_has_request(q)) {
        q->index = LPI_NO_REQUEST;
        return lpi_catch_up(p);
    }
    for (;;) {
        rc = lpi_query_resolve(p, q);
        if (rc == -ETIME || (rc == 0 && has_missed(p, q)))
            return miss(p, q);
        if (rc == 0 && q->index != LPI_NOT_YET)
            return end(vp, q, status);
        if (rc == 0)
            rc = lpi_pause_for_threads(p);
        if (rc > 0) { /* another thread may have completed what operations awaited */
            q->index = LPI_SERVED;
            return 0;
        }
        if (rc == 0)
            rc = lpi_query_wait(p, q);
        if (rc != 0)
            return rc;
        q->waited = true;
    }
}

/* ---- with operations under way ---- */

/* The first operation that a wait of p serves. */
static struct logp_operation *first_of(const struct lpi_proc *p)
{
    const struct lpi_attached *a = lpi_attached_of(p);

    return a != NULL && !a->goes_on ? a->operations : NULL;
}

/* The operation that awaits r. */
static struct logp_operation *awaiting(const struct lpi_proc *p, const struct logp_request *r)
{
    struct logp_operation *o = first_of(p);

    while (o->awaits != r)
        o = o->next;
    return o;
}

/* The requests of q and those that operations await, in `few` or, if they are more, in allocated
 * memory. */
static struct logp_request **gather(struct lpi_proc *p, const struct lpi_query *q,
                                    struct logp_request **few, int n_few, int *n)
{
    struct logp_request **all = few;

    *n = q->n;
    for (const struct logp_operation *o = first_of(p); o != NULL; o = o->next)
        *n += o->awaits != NULL;
    if (*n > n_few)
        all = malloc((size_t)*n * sizeof(struct logp_request *));
    if (all == NULL)
        return NULL;
    *n = 0;
    for (int i = 0; i < q->n; i++)
        all[(*n)++] = q->requests[i];
    for (const struct logp_operation *o = first_of(p); o != NULL; o = o->next)
        if (o->awaits != NULL)
            all[(*n)++] = o->awaits;
    return all;
}

/* As query_once(). Operations proceed until q is complete. Not inlined: its frame would stay on
 * the stack of each vp that waits. */
static __attribute__((noinline)) int query_beside(const struct logp_vp *vp, struct lpi_query *q,
                                                  struct logp_status *status)
{
    struct lpi_proc *p = vp->proc;
    struct logp_request *few[8], **all;
    struct logp_status got;
    int rc;

    do {
        struct lpi_query whole = *q;

        all = gather(p, q, few, 8, &whole.n);
        if (all == NULL)
            return -ENOMEM;
        whole.requests = all;
        whole.any = whole.any || whole.n > q->n;
        if (status != NULL)
            got = *status; /* a send sets none */
        rc = query_once(vp, &whole, status != NULL ? &got : NULL);
        q->index = whole.index;
        if (q->index >= q->n && q->index < whole.n) { /* the leave and enter of a call */
            struct logp_request *r = all[q->index];
            struct logp_operation *o = awaiting(p, r);
            const bool counted = p->counts;

            lpi_complete(p, r, rc);
            logp_own_time(p->vp, true); /* what the operation does is its own */
            leave(p, 0);
            lpi_operation_go_on(p, o, rc);
            enter(p);
            p->counts = counted;
            rc = lpi_stopped(p);
            q->index = LPI_SERVED;
        } else {
            q->index = q->index == whole.n ? q->n : q->index;
            if (status != NULL)
                *status = got;
        }
        if (all != few)
            free(all);
    } while (rc == 0 && q->index == LPI_SERVED);
    return rc;
}

int lpi_query_run(const struct logp_vp *vp, struct lpi_query *q, struct logp_status *status)
{
    q->begun_in_time = !lpi_query_is_over(vp->proc, q);
    q->one = q->any || q->label != NULL ? NULL : q->requests[0];
    if (lpi_has_background(vp->proc) && (q->label != NULL || lpi_query_has_request(q)))
        return query_beside(vp, q, status);
    return query_once(vp, q, status);
}

int lpi_progress(struct lpi_proc *p)
{
    struct lpi_query q = {.begun_in_time = true, .until = LOGP_NEVER};
    const int rc = query_beside(p->vp, &q, NULL);

    return rc == -ETIME ? 0 : rc;
}

int lpi_event_await(const struct logp_vp *vp, struct logp_request *event)
{
    struct lpi_query q = {.requests = &event, .n = 1, .any = true, .until = INT64_MAX};

    return lpi_query_run(vp, &q, NULL);
}

/* ---- without a query ---- */

/* Wait for r, which only its message completes. */
static int wait_directly(const struct logp_vp *vp, struct logp_request *r,
                         struct logp_status *status)
{
    struct lpi_proc *p = vp->proc;

    while (!lpi_is_matched(r)) {
        const bool any = p->inbox.n_any > 0;
        int rc = any ? lpi_catch_up(p) : 0;

        if (rc == 0 && !lpi_is_matched(r))
            rc = wait_for_one(p, r, INT64_MAX, any ? lpi_next_arrival(p) : INT64_MAX);
        if (rc != 0)
            return rc;
    }
    return complete(vp, r, status);
}

/* Whether the message of r has arrived by now. */
static int test_directly(const struct logp_vp *vp, struct logp_request *r,
                         struct logp_status *status)
{
    int rc = lpi_catch_up(vp->proc);

    if (rc == 0 && lpi_is_matched(r) && r->arrival <= lpi_usual_horizon(vp->proc))
        return complete(vp, r, status);
    return rc != 0 ? rc : lpi_poll_in_vain(vp->proc, -ETIME);
}

/* Whether a message with this label has arrived by now. */
static int probe_directly(const struct logp_vp *vp, const struct lpi_label *l,
                          struct logp_status *status)
{
    struct lpi_proc *p = vp->proc;
    const struct lpi_message *m;
    int rc = lpi_catch_up(p);

    if (rc != 0)
        return rc;
    m = lpi_match_find(p, l, lpi_usual_horizon(p));
    return m != NULL ? found(vp, m, status) : lpi_poll_in_vain(p, -ETIME);
}

/* ---- which way ---- */

int lpi_query_probe(const struct logp_vp *vp, int src, int tag, int64_t until,
                    struct logp_status *status)
{
    const struct lpi_label l = {vp->context, to_global(vp, src), tag};

    if (until == LPI_AT_ONCE && !vp->proc->needs_query)
        return probe_directly(vp, &l, status);
    return lpi_query_run(vp, &(struct lpi_query){.label = &l, .until = until}, status);
}

/* Not inlined: the query would lie on the stack of each direct wait. */
static __attribute__((noinline)) int run_for(const struct logp_vp *vp, struct logp_request *r,
                                             int64_t until, struct logp_status *status)
{
    struct lpi_query q = {
        .requests = &r, .n = 1, .any = r->state == LPI_REQ_SYNC_SENT, .until = until};

    return lpi_query_run(vp, &q, status);
}

int lpi_query_request(const struct logp_vp *vp, struct logp_request *r, int64_t until,
                      struct logp_status *status)
{
    if (!vp->proc->needs_query) {
        if (until == INT64_MAX)
            return wait_directly(vp, r, status);
        if (until == LPI_AT_ONCE)
            return test_directly(vp, r, status);
    }
    return run_for(vp, r, until, status);
}
