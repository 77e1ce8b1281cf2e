/* SPDX-License-Identifier: MIT */
/*
 * Choice points of the virtual clock: see logp/check.h.
 *
 * The explorer is asked two things: which vp goes on next, and which message a query takes. A query
 * has a choice if it depends on what has arrived: a receive from any source, a probe, a test, a
 * wait for the first of several or with an end. On an explored machine only a choice matches
 * messages with receives from any source.
 *
 * Late, a vp with such a query is POLLING until no other vp can go on. Then the explorer is asked
 * once, with the alternatives of all queries in one list. A later message does not change what a
 * query could take before, and no vp takes a message from another vp. So choices of two vps
 * commute, which an exhaustive strategy relies on.
 */

#include "carrier/carrier.h"
#include "core/resolver.h"
#include "core/core.h"
#include "core/sched.h"
#include "mail/mail.h"
#include "state/stop.h"
#include "state/run_queue.h"

#include <errno.h>

enum { PATIENCE = 100 };

/* ---- which message ---- */

/* Hand the core over until it has been chosen what query takes. */
static int choose_late(struct lpi_proc *p, struct lpi_query *query)
{
    p->core->machine->explore->vps[p->rank].query = query;
    query->choice = LPI_NOTHING; /* stays, if a CTS wakes p */
    p->state = LPI_POLLING;
    return lpi_hold(p);
}

static int choose_now(struct lpi_proc *p, struct lpi_query *query)
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

/* @return 1: something was taken, which query->index tells; 0: there was nothing to choose from;
 * -ETIME: query misses; or the error that stops the run */
static int choose(struct lpi_proc *p, struct lpi_query *query)
{
    const int rc =
        p->core->machine->explore->by.late ? choose_late(p, query) : choose_now(p, query);

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

/* ---- what is not about messages ---- */

/* Late, it makes no difference when p goes on, unless it waits for what others write. Then they must
 * get on: first those whose clock is not later, and after a while all of them. */
static int pass_late(struct lpi_proc *p, bool yields)
{
    struct lpi_explore *x = p->core->machine->explore;
    struct lpi_explored_vp *v = &x->vps[p->rank];
    struct lpi_query query = {.until = LPI_AT_ONCE};
    const struct lpi_proc *first;
    bool shared;

    if (v->vain > (yields ? x->by.misses : PATIENCE))
        return choose_late(p, &query);
    first = lpi_explored_first(p->core, &shared);
    if (first == NULL || first->deadline > p->emulated)
        return lpi_stopped(p);
    lpi_set_deadline(p, p->emulated);
    return lpi_hold(p);
}

static int pass(struct lpi_proc *p, enum logp_note_kind kind, bool yields)
{
    const int rc = lpi_explored_fate(p, kind, NULL);

    if (rc < 0)
        return rc;
    lpi_note(p, kind, -1, -1, 0);
    return p->core->machine->explore->by.late ? pass_late(p, yields) : lpi_reach(p, p->emulated);
}

static int touch(struct lpi_proc *p, int key)
{
    struct lpi_query turn = {.kind = LPI_QUERY_TURN, .key = key, .until = INT64_MAX};
    int rc = lpi_explored_fate(p, LOGP_NOTE_TOUCHED, NULL);

    if (rc < 0)
        return rc;
    rc = p->core->machine->explore->by.late ? choose_late(p, &turn) : lpi_reach(p, p->emulated);
    if (rc == 0)
        lpi_note(p, LOGP_NOTE_TOUCHED, -1, -1, key);
    return rc;
}

static int pick(struct lpi_proc *p, int n)
{
    struct lpi_explore *x = p->core->machine->explore;
    int i;

    if (p->halted)
        return -EHOSTDOWN;
    if (!lpi_outcomes_reserve(p->core->machine, n))
        return lpi_stopped(p);
    for (i = 0; i < n; i++)
        x->list[i] =
            (struct logp_alternative){.kind = LOGP_PICK, .rank = p->rank, .source = -1, .index = i};
    i = lpi_explore_ask(x, n);
    lpi_note(p, LOGP_NOTE_CHOSEN, -1, -1, i);
    return lpi_stopped(p) != 0 ? lpi_stopped(p) : i;
}

/* ---- requests ---- */

/*
 * Untimed, a receive that stays posted may be cancelled. So from now on all receives of p are
 * matched by queries, as late as possible, as if a receive from any source stayed posted until the
 * end of the run.
 */
static void posts(struct lpi_proc *p, struct logp_request *r, enum lpi_posting posting)
{
    struct lpi_explore *x = p->core->machine->explore;
    struct lpi_explored_vp *v = &x->vps[p->rank];
    const bool stays = posting == LPI_POSTS_RECEIVE;

    r->id = ++v->requests;
    if (x->usage != NULL && (posting != LPI_POSTS_FOR_CALL || v->n_owned > 0))
        lpi_usage_posts(p, r, posting);
    if (stays && x->by.untimed && !v->posts) {
        v->posts = true;
        p->inbox.n_any++;
    }
}

/* If the run is over, no message is taken. */
static void cancels(struct lpi_proc *p, struct logp_request *r)
{
    struct lpi_query query = {
        .kind = LPI_QUERY_CANCEL, .requests = &r, .n = 1, .until = LPI_AT_ONCE};
    int rc = 1;

    while (rc > 0 && r->state == LPI_REQ_POSTED)
        rc = choose(p, &query);
    if (rc >= 0 && r->state != LPI_REQ_POSTED)
        take_note(p, &(struct logp_note){LOGP_NOTE_TOO_LATE, p->rank, r->src, r->tag, 0,
                                         p->emulated, 0, r->id});
}

static void ends(struct lpi_proc *p)
{
    struct lpi_query query = {.kind = LPI_QUERY_CANCEL, .until = LPI_AT_ONCE};
    const bool late = p->core->machine->explore->by.late;

    lpi_usage_ends(p);
    for (struct logp_request *r = p->inbox.posted_first; r != NULL; r = r->next) {
        if (!r->special) { /* or its buffer would be written */
            r->special = true;
            r->truncates = false;
            r->space = r->capacity;
        }
        r->buf = NULL; /* the program has ended */
        r->drain = NULL;
    }
    while (late && p->inbox.posted_first != NULL && choose(p, &query) > 0)
        ; /* they take messages */
}

/* ---- queries ---- */

static int64_t no_horizon(const struct lpi_proc *p)
{
    (void)p;
    return LOGP_NEVER; /* only a choice matches messages */
}

/* Is q a wait for one receive that is complete without a choice? */
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

/* Where no time brings more, a message that was not taken may stay where it is: untimed, and where
 * no choice is left, since nothing else matches messages. */
static int64_t retry_at(struct lpi_proc *p, const struct lpi_query *q)
{
    return is_decided(p, q) || p->core->machine->explore->by.untimed ? INT64_MAX
                                                                     : lpi_next_arrival(p);
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

/* p waits for the send r alone, or for the operation r, which awaits nothing any more. The receiver
 * may wait until messages are matched with p's receives from any source. Is none of this left? */
static bool is_settled(const struct lpi_proc *p, const struct logp_request *r)
{
    return r->state != LPI_REQ_RTS_SENT || p->inbox.n_any == 0 ||
           (p->core->machine->explore->by.untimed && r->rts->request != NULL);
}

/* Choose until q is complete or misses, or nothing is left to choose. send: what q waits for, if that
 * is no receive. @return as choose() */
static int choose_all(struct lpi_proc *p, struct lpi_query *q, const struct logp_request *send)
{
    int rc = 0;

    while (send == NULL || !is_settled(p, send)) {
        struct logp_request *r;

        rc = choose(p, q);
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

/* q is resolved for the first time: is it right, and does p crash before it? @return >= 0; or an error
 * that ends its call */
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
    .cancels = cancels,
    .keeps = lpi_usage_keeps,
    .received = received,
    .pass = pass,
    .touch = touch,
    .pick = pick,
    .ends = ends,
    .fate = lpi_explored_fate,
    .keep = lpi_durable_keep,
    .recover = lpi_durable_take,
    .restarts = lpi_explored_restarts,
    .polls_in_vain = LPI_EXPLORED_IN_VAIN,
    .note = take_note,
};
