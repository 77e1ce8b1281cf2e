/* SPDX-License-Identifier: MIT */
/*
 * Choice points of the virtual clock: see logp/check.h.
 *
 * The explorer is asked two things: which vp runs next, and which message a query takes. A query
 * has a choice if its outcome depends on the messages that have arrived: a receive from any source,
 * a probe, a test, a wait for the first of several or with an end. On an explored machine only a
 * choice matches messages with receives from any source.
 *
 * Late, a vp with such a query is POLLING until no other vp can run. Then the explorer is asked
 * once, with the alternatives of all queries in one list. A later message does not change what a
 * query could take before, and no vp takes a message from another vp. So choices of two vps
 * commute, which an exhaustive strategy relies on.
 *
 * Choices at which no message is awaited are in explored_points.c and explored_faults.c.
 */

#include "carrier/carrier.h"
#include "core/resolver.h"
#include "core/core.h"
#include "core/sched.h"
#include "mail/mail.h"
#include "state/stop.h"
#include "state/run_queue.h"

#include <errno.h>

/* ---- which message ---- */

/* Hand the core over until it has been chosen what query takes. */
int lpi_choose_late(struct lpi_proc *p, struct lpi_query *query)
{
    p->core->machine->explore->vps[p->rank].query = query;
    query->choice = LPI_NOTHING; /* stays, if a CTS wakes p */
    p->state = LPI_POLLING;
    return lpi_hold(p);
}

int lpi_choose_now(struct lpi_proc *p, struct lpi_query *query)
{
    struct lpi_explore *x = p->core->machine->explore;
    bool forced;
    int rc = lpi_reach(p, p->emulated), n;

    if (rc != 0)
        return rc;
    n = lpi_outcomes_gather(p, query, 0, &forced);
    query->choice = LPI_NOTHING;
    if (n == 0)
        return lpi_stopped(p);
    n = lpi_outcomes_add_miss(p, query, 0, n);
    lpi_outcomes_take(p, query, &x->list[x->ask_outcome(x, n)]);
    return lpi_stopped(p);
}

int lpi_explored_choose(struct lpi_proc *p, struct lpi_query *query)
{
    const int rc = p->core->machine->explore->way->choose(p, query);

    if (rc != 0 || query->choice == LPI_NOTHING)
        return rc;
    return query->choice == LPI_MISSED ? -ETIME : 1;
}

static void take_note(struct lpi_proc *p, const struct logp_note *note)
{
    struct lpi_explore *x = p->core->machine->explore;

    if (note->kind == LOGP_NOTE_MISSED || note->kind == LOGP_NOTE_WAITED)
        x->vps[p->rank].vain++;
    else if (note->kind == LOGP_NOTE_RECEIVE || note->kind == LOGP_NOTE_FOUND)
        x->vps[p->rank].vain = 0;
    if (x->by.note != NULL)
        x->by.note(x->by.arg, note);
    if (++x->steps == x->by.most_steps)
        lpi_stop(p->core->machine, -ELOOP);
}

/* ---- requests ---- */

void lpi_explored_raise(struct lpi_proc *p)
{
    struct lpi_explore *x = p->core->machine->explore;

    x->vps[p->rank].raised = true;
    x->vps[p->rank].reorders = x->reorders;
    p->inbox.n_any++;
}

/*
 * Untimed, a receive that stays posted may be cancelled. So from now on all receives of p are
 * matched by queries, as late as possible, as if a receive from any source stayed posted until the
 * end of the run. So they are if messages may be overtaken.
 */
static void posts(struct lpi_proc *p, struct logp_request *r, enum lpi_posting posting)
{
    struct lpi_explore *x = p->core->machine->explore;
    struct lpi_explored_vp *v = &x->vps[p->rank];

    r->id = ++v->requests;
    if (x->usage != NULL && (posting != LPI_POSTS_FOR_CALL || v->n_owned > 0))
        lpi_usage_posts(p, r, posting);
    if (posting == LPI_POSTS_RECEIVE && !v->raised)
        lpi_explored_raise(p);
}

/* ---- queries ---- */

static int64_t no_horizon(const struct lpi_proc *p)
{
    (void)p;
    return LOGP_NEVER; /* only a choice matches messages */
}

/* Whether q is a wait for one receive that is complete without a choice. */
static bool is_decided(const struct lpi_proc *p, const struct lpi_query *q)
{
    const bool untimed = p->core->machine->explore->by.untimed;

    if (!lpi_query_waits(q) || q->any || q->n != 1 || q->requests[0]->state >= LPI_REQ_SENT ||
        q->choice == LPI_NOTHING)
        return false;
    return q->choice == LPI_DECIDED ||
           (q->requests[0]->state != LPI_REQ_POSTED && !lpi_may_miss(q)) ||
           (p->inbox.n_any == 0 && !(untimed && lpi_may_miss(q)));
}

static bool depends(struct lpi_proc *p, const struct lpi_query *q)
{
    return is_decided(p, q) ? lpi_resolver_usual.depends(p, q) : q->any;
}

/* A message that was not taken may stay where it is, if no choice is left: nothing else matches
 * messages. */
static int64_t retry_at(struct lpi_proc *p, const struct lpi_query *q)
{
    return is_decided(p, q) ? INT64_MAX : p->core->machine->explore->way->next_arrival(p);
}

/* r was chosen to complete. Wait for the CTS of a send, or, untimed, for the payload. */
static int await_chosen(struct lpi_proc *p, struct logp_request *r)
{
    int rc = 0;

    if (r->state == LPI_REQ_SYNC_SENT) {
        rc = r->answered > lpi_clock(p) ? lpi_wait_until(p, r->answered) : 0;
        r->state = LPI_REQ_SENT;
    }
    while (rc == 0 && r->state == LPI_REQ_CTS_SENT && p->core->machine->explore->by.untimed)
        rc = lpi_await_message(p, r, INT64_MAX, INT64_MAX);
    return rc;
}

/* Whether the wait of p for r alone needs no more choices. r is a send, or an operation that awaits
 * nothing any more. The receiver may wait until messages are matched with p's receives from any
 * source. Timed, an answer that has come settles nothing before its time. */
static bool is_settled(const struct lpi_proc *p, const struct logp_request *r)
{
    return r->state != LPI_REQ_RTS_SENT || p->inbox.n_any == 0 ||
           (r->rts->request != NULL && r->rts->at < p->core->machine->explore->way->horizon);
}

/* Choose until q is complete or misses, or nothing is left to choose. send: the send that q waits
 * for; NULL: it waits for a receive. @return as lpi_explored_choose() */
static int choose_all(struct lpi_proc *p, struct lpi_query *q, const struct logp_request *send)
{
    int rc = 0;

    while (send == NULL || !is_settled(p, send)) {
        struct logp_request *r;

        rc = lpi_explored_choose(p, q);
        if (rc <= 0)
            return rc;
        r = q->index >= 0 && q->index < q->n ? q->requests[q->index] : NULL;
        rc = r != NULL ? await_chosen(p, r) : 0;
        if (rc != 0)
            return rc;
        if (q->index >= 0 && (r == NULL || !q->any || lpi_request_is_done(r)))
            return 1;
    }
    q->choice = LPI_DECIDED;
    return rc;
}

/* Check the use of requests, and ask whether p crashes, when q is resolved for the first time.
 * @return >= 0; or an error that ends its call */
static int begin(struct lpi_proc *p, const struct lpi_query *q)
{
    for (int i = 0; i < q->n; i++)
        if (q->requests[i] != NULL && q->requests[i]->state == LPI_REQ_SPENT)
            return lpi_usage_twice(p, q->requests[i]);
    return lpi_explored_fate(p, lpi_query_waits(q) ? LOGP_NOTE_RECEIVE : LOGP_NOTE_FOUND, NULL);
}

/* Find a receive of q that is complete without a choice: its payload came after a wait for it had
 * missed. A wait for one receive is not looked at, since it completes its receive itself.
 * @return the index of the receive; LPI_NOT_YET: none was found */
static int charged(const struct lpi_query *q)
{
    for (int i = 0; i < q->n && (q->any || !lpi_query_waits(q)); i++)
        if (q->requests[i] != NULL && q->requests[i]->state == LPI_REQ_CHARGED)
            return i;
    return LPI_NOT_YET;
}

static int resolve(struct lpi_proc *p, struct lpi_query *q)
{
    struct logp_request *r = q->n == 1 && !q->any ? q->requests[0] : NULL; /* the only one */
    int rc = q->waited ? 0 : begin(p, q);

    if (rc < 0)
        return rc;
    if (is_decided(p, q))
        return lpi_resolver_usual.resolve(p, q);
    q->index = charged(q);
    if (q->index >= 0)
        return 0;
    rc = choose_all(p, q, r != NULL && r->state >= LPI_REQ_SENT ? r : NULL);
    if (rc < 0)
        return rc;
    if (r != NULL && lpi_query_waits(q) && r->state < LPI_REQ_SENT && r->state != LPI_REQ_POSTED)
        q->choice = LPI_DECIDED;
    if (r != NULL)
        q->index = lpi_request_is_done(r) && (rc > 0 || lpi_query_waits(q)) ? 0 : LPI_NOT_YET;
    else if (rc == 0)
        q->index = LPI_NOT_YET;
    return 0;
}

static void received(struct lpi_proc *p, const struct logp_request *r)
{
    take_note(p, &(struct logp_note){LOGP_NOTE_RECEIVE, p->rank, r->from, r->got_tag,
                                     (int64_t)r->n_bytes, p->emulated, r->context, r->id});
}

const struct lpi_resolver lpi_resolver_explored = {
    .next_proc = lpi_explored_next,
    .others_first = lpi_explored_others_first,
    .horizon = no_horizon,
    .depends = depends,
    .resolve = resolve,
    .retry_at = retry_at,
    .posts = posts,
    .cancels = lpi_explored_cancels,
    .keeps = lpi_usage_keeps,
    .received = received,
    .pass = lpi_explored_pass,
    .touch = lpi_explored_touch,
    .pick = lpi_explored_pick,
    .ends = lpi_explored_ends,
    .fate = lpi_explored_fate,
    .keep = lpi_durable_keep,
    .recover = lpi_durable_take,
    .cut = lpi_explored_cut,
    .restarts = lpi_explored_restarts,
    .may_restart = true,
    .polls_in_vain = LPI_EXPLORED_IN_VAIN,
    .note = take_note,
};
