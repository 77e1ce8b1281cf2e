/* SPDX-License-Identifier: MIT */
/* Receiving: post, wait, test, cancel, probe, and the exchange of two messages. */
#include "state/call.h"
#include "core/deadlock.h"
#include "core/explore.h"
#include "core/sched.h"
#include "delay/in_force.h"
#include "mail/close.h"
#include "mail/remote.h"
#include "mail/mailbox.h"
#include "mail/match.h"
#include "mail/direct.h"
#include "mail/pool.h"

#include <errno.h>
#include <string.h>

void lpi_fill_status(const struct logp_vp *vp, struct logp_status *status, int src, int tag,
                     size_t n_bytes, int64_t arrival)
{
    if (status == NULL)
        return;
    status->source = vp->to_local != NULL ? vp->to_local[src] : src;
    status->tag = tag;
    status->n_bytes = n_bytes;
    status->arrival_ns = arrival < 0 ? 0 : arrival;
}

/* A long message may come straight into r's buffer, if r is the one that will take it. */
static void expose(struct lpi_proc *p, struct logp_request *r)
{
    if (r->capacity >= LPI_DIRECT_FROM && lpi_match_is_first(p, r))
        lpi_direct_expose(p, r);
}

int lpi_catch_up(struct lpi_proc *p)
{
    int rc = lpi_reach(p, p->emulated);

    if (rc != 0)
        return rc;
    lpi_poll(p->core);
    if (lpi_has_rts(p) && (rc = lpi_data_send(p)) != 0)
        return rc > 0 ? lpi_catch_up(p) : rc;
    if (p->inbox.n_any > 0)
        lpi_match_arrived(p, horizon(p));
    return lpi_stopped(p);
}

int lpi_await_payload(struct lpi_proc *p, struct logp_request *r)
{
    int rc;

    p->waits_for = r;
    rc = lpi_wait_message(p, INT64_MAX);
    p->waits_for = NULL;
    return rc;
}

/* The same with an end: what comes later must not be charged. Nor may p, which has sends under way
 * as well, leave those. */
static int await_payload_until(struct lpi_proc *p, struct logp_request *r, int64_t until)
{
    if (until == INT64_MAX && !lpi_has_rts(p))
        return lpi_await_payload(p, r);
    return lpi_await_beside(p, r, lpi_clock(p) < until ? until : INT64_MAX);
}

void lpi_abandon(struct lpi_proc *p, struct logp_request *r)
{
    while (r->state == LPI_REQ_CTS_SENT &&
           (p->halted ? lpi_await_payload(p, r) : lpi_await_beside(p, r, INT64_MAX)) == 0)
        ; /* it comes into buf */
    if (r->state == LPI_REQ_CTS_SENT && p->core->machine->remote != NULL)
        lpi_remote_drop_receives(p);
    if (r->state == LPI_REQ_CTS_SENT)
        r->state = LPI_REQ_FAILED; /* the run is over: nothing comes any more */
    while (r->state == LPI_REQ_POSTED && !lpi_direct_withdraw(p, r))
        lpi_poll(p->core); /* the payload is being copied into buf */
    if (r->state == LPI_REQ_POSTED)
        lpi_match_unpost(p, r);
}

int lpi_take_back_recv(struct lpi_proc *p, struct logp_request *r)
{
    lpi_abandon(p, r); /* it may be bound by that */
    if (r->state == LPI_REQ_BOUND)
        return lpi_match_restore(p, r);
    if (r->src == LOGP_ANY_SOURCE)
        lpi_match_arrived(p, horizon(p)); /* others may match before their arrival again */
    return 0;
}

/* Compiled twice: stays, that of a call of its own, is a constant. */
static inline __attribute__((always_inline)) int post_recv(const struct logp_vp *vp, int src,
                                                           int tag, void *buf, size_t capacity,
                                                           struct logp_request *r, bool stays)
{
    struct lpi_proc *p = vp->proc;
    int rc = lpi_stopped(p);

    if (rc != 0)
        return rc;
    p->polls = 0;
    enter(p);
    r->context = vp->context;
    r->src = to_global(vp, src);
    r->tag = tag;
    r->buf = buf;
    r->capacity = capacity;
    if (lpi_is_instrumented(p->core->machine)) {
        r->posted = p->emulated;
        if (p->core->machine->recorders != NULL)
            r->label = lpi_record_current_label(p);
        if (is_explored(p))
            lpi_explore_request(p, r);
        if (stays && is_explored(p))
            lpi_explore_posts(p);
    }
    if (src == LOGP_ANY_SOURCE)
        lpi_direct_close(p);
    if (src == LOGP_ANY_SOURCE || p->inbox.n_any > 0)
        rc = lpi_catch_up(p);
    if (rc == 0)
        lpi_match_post(p, r, horizon(p));
    return rc;
}

int lpi_post_recv(const struct logp_vp *vp, int src, int tag, void *buf, size_t capacity,
                  struct logp_request *r)
{
    return post_recv(vp, src, tag, buf, capacity, r, false);
}

int64_t lpi_next_poll(struct lpi_proc *p)
{
    /* what has been left where it is may stay there */
    return is_explored(p) && p->core->machine->explore->by.untimed ? INT64_MAX
                                                                   : lpi_next_arrival(p);
}

/* When await_match() is to look again: something may arrive from any source, or its time is over.
 */
static int64_t look_again_at(struct lpi_proc *p, int64_t until)
{
    const int64_t next = p->inbox.n_any > 0 ? lpi_next_poll(p) : INT64_MAX;

    return next < until ? lpi_later(p, next) : until;
}

/* Wait for what r waits for, until `until` at the latest. */
static int await_mail(struct lpi_proc *p, struct logp_request *r, int64_t until)
{
    int rc;

    p->waits_for = r;
    if (until != INT64_MAX)
        p->wait_until = until;
    rc = lpi_wait_message(p, look_again_at(p, until));
    p->waits_for = NULL;
    if (until != INT64_MAX)
        p->wait_until = INT64_MAX;
    return rc;
}

enum { TOO_EARLY = 1, EMPTY = 2 };

/*
 * Look at r, where choices are explored, until it has been matched.
 * @return 0: it has been; TOO_EARLY: so it was chosen; EMPTY: nothing is there; or the error that
 *         stops the run
 */
static int look_at(struct lpi_proc *p, struct logp_request *r, bool may_miss)
{
    struct lpi_query query = {
        .requests = &r, .n = 1, .may_miss = may_miss, .src = r->src, .tag = r->tag};
    int rc;

    do
        rc = lpi_explore_resolve(p, &query);
    while (rc == 0 && query.chosen >= 0 && query.index < 0);
    if (rc == 0 && query.chosen >= 0)
        rc = lpi_await_chosen(p, r);
    return rc != 0 ? rc : query.chosen == LPI_MISSED ? TOO_EARLY : query.chosen < 0 ? EMPTY : 0;
}

int lpi_await_chosen(struct lpi_proc *p, struct logp_request *r)
{
    int rc = 0;

    while (rc == 0 && r->state == LPI_REQ_CTS_SENT && p->core->machine->explore->by.untimed)
        rc = lpi_await_payload(p, r);
    return rc;
}

/* As await_match(), where what comes is somebody's choice. */
static int await_explored(struct lpi_proc *p, struct logp_request *r, int64_t until)
{
    for (;;) {
        const bool time_over = until != INT64_MAX && lpi_clock(p) >= until;
        int rc = look_at(p, r, until != INT64_MAX);

        if (rc == EMPTY && r->state == LPI_REQ_POSTED && !time_over)
            rc = await_mail(p, r, until);
        else if (rc >= 0)
            return rc == TOO_EARLY;
        if (rc < 0) {
            lpi_abandon(p, r);
            return rc;
        }
    }
}

/* Does it depend on a choice whether r is matched? */
static bool is_a_choice(const struct lpi_proc *p, const struct logp_request *r, int64_t until)
{
    const bool may_end = until != INT64_MAX;

    return is_explored(p) && (r->state == LPI_REQ_POSTED || may_end) &&
           (p->inbox.n_any > 0 || (may_end && p->core->machine->explore->by.untimed));
}

/* Wait until r has been matched, or the vp's clock has come to `until`. @return 0: look at r */
static inline int await_match(struct lpi_proc *p, struct logp_request *r, int64_t until)
{
    while (r->state == LPI_REQ_POSTED) {
        const bool time_over = until != INT64_MAX && lpi_clock(p) >= until;
        int rc = p->inbox.n_any > 0 || time_over ? lpi_catch_up(p) : 0;

        if (rc == 0 && r->state != LPI_REQ_POSTED)
            break;
        if (rc == 0 && time_over) {
            if (lpi_direct_withdraw(p, r))
                return 0;
            lpi_poll(p->core); /* the payload is being copied: it is matched in a moment */
            continue;
        }
        if (rc == 0) {
            expose(p, r);
            rc = await_mail(p, r, until);
        }
        if (rc != 0) {
            lpi_abandon(p, r);
            return rc;
        }
    }
    return 0;
}

int lpi_time_over(struct lpi_proc *p, int64_t until)
{
    const int rc = lpi_clock(p) < until ? lpi_wait_until(p, until) : 0;

    return rc != 0 ? rc : -ETIME;
}

int lpi_poll_missed(struct lpi_proc *p)
{
    const int rc = lpi_poll_cost(p);

    return rc != 0 ? rc : -ETIME;
}

/* The same, where it may be somebody's choice. @return also 1: r may be matched, and comes too late
 */
static __attribute__((noinline)) int await_instrumented(struct lpi_proc *p, struct logp_request *r,
                                                        int64_t until)
{
    const int rc = lpi_has_rts(p) ? lpi_await_beside(p, r, until) : 0;

    if (rc == 0)
        return is_a_choice(p, r, until) ? await_explored(p, r, until) : await_match(p, r, until);
    lpi_abandon(p, r);
    return rc;
}

/* Compiled twice: extras is a constant. */
static inline __attribute__((always_inline)) int finish_recv(const struct logp_vp *vp,
                                                             struct logp_request *r, int64_t until,
                                                             struct logp_status *status,
                                                             bool instrumented)
{
    struct lpi_proc *p = vp->proc;
    const bool in_time = until == INT64_MAX || lpi_clock(p) < until;
    const bool undelayed = instrumented && p->core->machine->recorders != NULL && !lpi_has_clock(p);
    const int64_t begun = undelayed ? lpi_wall(p->core->machine) : 0;
    const bool waits = r->state == LPI_REQ_POSTED;
    int64_t matched = begun;
    int rc = instrumented ? await_instrumented(p, r, until) : await_match(p, r, until);

    while (__builtin_expect(r->state == LPI_REQ_CTS_SENT, false) && rc == 0) {
        rc = await_payload_until(p, r, until);
        if (rc != 0)
            lpi_abandon(p, r);
    }
    if (undelayed && waits)
        matched = lpi_wall(p->core->machine);
    if ((instrumented && rc == 1) ||
        (rc == 0 && (r->state == LPI_REQ_POSTED || r->arrival > until))) {
        if (instrumented)
            lpi_note(p, LOGP_NOTE_MISSED, r->src, r->tag, 0);
        return in_time ? lpi_time_over(p, until) : lpi_poll_missed(p);
    }
    p->polls = 0;
    if (rc == 0 && r->state == LPI_REQ_BOUND)
        lpi_charge_recv(p, r);
    else if (rc == 0 && r->state == LPI_REQ_FAILED)
        r->done = r->arrival < 0 ? r->arrival : lpi_later(p, r->arrival);
    if (rc == 0 && r->done >= 0 && r->done > lpi_clock(p))
        rc = lpi_wait_until(p, r->done);
    if (rc != 0)
        return rc;
    if (undelayed && !lpi_has_clock(p) && r->state == LPI_REQ_CHARGED)
        lpi_record_undelayed_receive(p, r, begun, matched);
    if (instrumented)
        lpi_note(p, LOGP_NOTE_RECEIVE, r->from, r->got_tag, (int64_t)r->n_bytes);
    lpi_fill_status(vp, status, r->from, r->got_tag, r->n_bytes, r->arrival);
    return r->state == LPI_REQ_FAILED ? -EMSGSIZE : 0;
}

static __attribute__((noinline)) int finish_instrumented(const struct logp_vp *vp,
                                                         struct logp_request *r, int64_t until,
                                                         struct logp_status *status)
{
    return finish_recv(vp, r, until, status, true);
}

int lpi_finish_recv(const struct logp_vp *vp, struct logp_request *r, int64_t until,
                    struct logp_status *status)
{
    if (lpi_is_instrumented(vp->proc->core->machine))
        return finish_instrumented(vp, r, until, status);
    return finish_recv(vp, r, until, status, false);
}

/* Post, with nothing else posted and nothing emulated, and wait: the short way. */
static int await_here(const struct logp_vp *vp, int src, int tag, void *buf, size_t capacity,
                      struct logp_status *status)
{
    struct lpi_proc *p = vp->proc;
    struct logp_request *r = lpi_request_new(p->core);
    int rc = 0;

    if (r == NULL)
        return -ENOMEM;
    r->context = vp->context;
    r->src = src;
    r->tag = tag;
    r->buf = buf;
    r->capacity = capacity;
    lpi_match_post(p, r, INT64_MAX);
    if (r->state == LPI_REQ_POSTED) {
        expose(p, r);
        p->waits_for = r;
        rc = lpi_wait_ready(p);
        p->waits_for = NULL;
        if (rc != 0)
            lpi_abandon(p, r);
    }
    if (rc == 0 && r->state != LPI_REQ_FAILED && r->state != LPI_REQ_CTS_SENT && r->arrival < 0 &&
        lpi_has_fast_path(p->core->machine))
        lpi_fill_status(vp, status, r->from, r->got_tag, r->n_bytes, r->arrival);
    else if (rc == 0)
        rc = lpi_finish_recv(vp, r, INT64_MAX, status);
    lpi_request_free(p->core, r);
    return leave(p, rc);
}

/*
 * Nothing is emulated: a message that is here already needs no request.
 * @return  as logp_recv(); 1: it takes the long way
 */
static int recv_fast(const struct logp_vp *vp, int src, int tag, void *buf, size_t capacity,
                     struct logp_status *status)
{
    struct lpi_proc *p = vp->proc;
    struct lpi_message *m;
    const int rc = lpi_stopped(p);

    if (rc != 0)
        return rc;
    if (src == LOGP_ANY_SOURCE || p->inbox.n_any > 0)
        return 1;
    p->polls = 0;
    p->emulating = false;
    src = to_global(vp, src);
    m = lpi_match_take_here(p, vp->context, src, tag, capacity);
    if (m == NULL && lpi_poll_before_wait(p->core))
        m = lpi_match_take_here(p, vp->context, src, tag, capacity);
    if (m == NULL)
        return await_here(vp, src, tag, buf, capacity, status);
    if (m->n_bytes > 0)
        memcpy(buf, m->data, m->n_bytes);
    lpi_fill_status(vp, status, src, tag, m->n_bytes, m->arrival);
    lpi_message_free(p->core, m);
    return 0;
}

static __attribute__((noinline)) int recv_slow(struct logp_vp *vp, int src, int tag, void *buf,
                                               size_t capacity, struct logp_status *status)
{
    struct logp_request *r = lpi_request_new(vp->proc->core);
    int rc;

    if (r == NULL)
        return -ENOMEM;
    rc = lpi_post_recv(vp, src, tag, buf, capacity, r);
    if (rc == 0)
        rc = lpi_finish_recv(vp, r, INT64_MAX, status);
    lpi_request_free(vp->proc->core, r);
    return leave(vp->proc, rc);
}

int logp_recv(struct logp_vp *vp, int src, int tag, void *buf, size_t capacity,
              struct logp_status *status)
{
    if (bad_source(vp, src) || tag < LOGP_ANY_TAG || bad_buffer(buf, capacity))
        return -EINVAL;
    if (lpi_has_fast_path(vp->proc->core->machine)) {
        const int rc = recv_fast(vp, src, tag, buf, capacity, status);

        if (rc <= 0)
            return rc;
    }
    return recv_slow(vp, src, tag, buf, capacity, status);
}

/* A frame that is gone when the program returns: nothing may come there behind the vp's back. */
static bool is_on_stack(const struct lpi_proc *p, const void *buf)
{
    return (uintptr_t)buf - (uintptr_t)__builtin_frame_address(0) < p->core->machine->stack_bytes;
}

int logp_irecv(struct logp_vp *vp, int src, int tag, void *buf, size_t capacity,
               struct logp_request **request)
{
    struct logp_request *r;
    int rc;

    if (bad_source(vp, src) || tag < LOGP_ANY_TAG || bad_buffer(buf, capacity) || request == NULL)
        return -EINVAL;
    r = lpi_request_new(vp->proc->core);
    if (r == NULL)
        return -ENOMEM;
    rc = post_recv(vp, src, tag, buf, capacity, r, true);
    if (rc != 0) {
        lpi_request_free(vp->proc->core, r);
        return rc;
    }
    if (!is_on_stack(vp->proc, buf))
        expose(vp->proc, r);
    *request = r;
    return leave(vp->proc, 0);
}

int logp_wait(struct logp_vp *vp, struct logp_request *request, struct logp_status *status)
{
    int rc = lpi_stopped(vp->proc);

    if (request == NULL)
        return rc;
    if (request->state == LPI_REQ_SYNC_SENT)
        return rc != 0 ? rc : lpi_wait_sync_send(vp, request, INT64_MAX);
    if (rc == 0 && request->state == LPI_REQ_RTS_SENT) {
        enter(vp->proc);
        rc = leave(vp->proc, lpi_await_data_sent(vp->proc, request, INT64_MAX));
    }
    if (request->state == LPI_REQ_SENT || request->state == LPI_REQ_RTS_SENT) {
        lpi_request_free(vp->proc->core, request);
        return rc;
    }
    if (rc == 0) {
        enter(vp->proc);
        rc = lpi_finish_recv(vp, request, INT64_MAX, status);
    } else {
        lpi_abandon(vp->proc, request);
    }
    lpi_request_free(vp->proc->core, request);
    return leave(vp->proc, rc);
}

int lpi_poll_cost(struct lpi_proc *p)
{
    p->polls = p->polls < 0 ? 1 : p->polls + 1;
    /* the first: divided by a constant, and most need no more */
    if (p->polls % LPI_EXPLORED_IN_VAIN == 0 && p->polls % p->core->machine->polls_in_vain == 0)
        lpi_check_pollers(p->core);
    if (!lpi_has_clock(p))
        return lpi_yield(p);
    return lpi_wait_until(p, lpi_work(p, p->core->machine->poll_ns));
}

int logp_test(struct logp_vp *vp, struct logp_request *request, bool *done,
              struct logp_status *status)
{
    struct lpi_proc *p = vp->proc;
    int rc = lpi_stopped(p);

    *done = true;
    if (rc != 0 || request == NULL || request->state == LPI_REQ_SENT)
        return logp_wait(vp, request, status);
    enter(p);
    if (request->state == LPI_REQ_RTS_SENT) {
        rc = lpi_catch_up(p);
        lpi_check_data_sent(p, request);
        *done = rc != 0 || request->state == LPI_REQ_SENT;
        if (!*done)
            return leave(p, lpi_poll_cost(p));
        lpi_request_free(p->core, request);
        return leave(p, rc);
    }
    if (request->state == LPI_REQ_SYNC_SENT)
        return lpi_test_sync_send(vp, request, done);
    if (is_explored(p)) {
        rc = look_at(p, request, true);
        *done = rc < 0 || (rc == 0 && request->state != LPI_REQ_CTS_SENT);
    } else {
        rc = lpi_catch_up(p);
        *done = rc != 0 || (request->state > LPI_REQ_CTS_SENT && request->arrival <= horizon(p));
    }
    if (!*done) {
        lpi_note(p, LOGP_NOTE_MISSED, request->src, request->tag, 0);
        return leave(p, lpi_poll_cost(p));
    }
    if (rc == 0)
        rc = lpi_finish_recv(vp, request, INT64_MAX, status);
    else
        lpi_abandon(p, request);
    lpi_request_free(p->core, request);
    return leave(p, rc);
}

/* Explored: does r take a message before it is cancelled? If the run is over, none. */
static __attribute__((noinline)) void look_before_cancel(struct lpi_proc *p, struct logp_request *r)
{
    struct lpi_query query = {
        .requests = &r, .n = 1, .may_miss = true, .cancels = true, .src = r->src, .tag = r->tag};

    while (r->state == LPI_REQ_POSTED && lpi_explore_resolve(p, &query) == 0 && query.chosen >= 0)
        ;
    if (r->state == LPI_REQ_POSTED)
        lpi_note(p, LOGP_NOTE_MISSED, r->src, r->tag, 0);
}

int logp_cancel(struct logp_vp *vp, struct logp_request *request)
{
    struct lpi_proc *p = vp->proc;

    if (request == NULL || request->state >= LPI_REQ_SENT)
        return -EINVAL;
    if (is_explored(p))
        look_before_cancel(p, request);
    if (request->state != LPI_REQ_POSTED || !lpi_direct_withdraw(p, request))
        return -EINPROGRESS;
    lpi_match_unpost(p, request);
    if (request->src == LOGP_ANY_SOURCE)
        lpi_match_arrived(p, horizon(p)); /* others may match before their arrival again */
    lpi_request_free(p->core, request);
    return 0;
}

/* As lpi_find_here(), where choices are explored. */
static __attribute__((noinline)) int find_explored(struct lpi_proc *p,
                                                   const struct lpi_label *label, bool may_miss,
                                                   struct lpi_message **msg)
{
    struct lpi_query query = {
        .label = label, .may_miss = may_miss, .src = label->src, .tag = label->tag};
    int rc;

    do
        rc = lpi_explore_resolve(p, &query);
    while (rc == 0 && query.chosen >= 0 && query.index < 0);
    *msg = rc == 0 && query.chosen >= 0
               ? lpi_match_find(p, label->context, query.chosen, label->tag, INT64_MAX)
               : NULL;
    return rc == 0 && query.chosen == LPI_MISSED ? -ETIME : rc;
}

int lpi_find_here(struct lpi_proc *p, const struct lpi_label *label, bool may_miss,
                  struct lpi_message **msg)
{
    int rc;

    if (is_explored(p))
        return find_explored(p, label, may_miss, msg);
    rc = lpi_catch_up(p);
    *msg = rc == 0 ? lpi_match_find(p, label->context, label->src, label->tag, horizon(p)) : NULL;
    return rc;
}

int logp_probe(struct logp_vp *vp, int src, int tag, bool *found, struct logp_status *status)
{
    struct lpi_proc *p = vp->proc;
    struct lpi_message *msg;
    int rc = lpi_stopped(p);

    if (bad_source(vp, src) || tag < LOGP_ANY_TAG || found == NULL)
        return -EINVAL;
    *found = false;
    if (rc != 0)
        return rc;
    enter(p);
    rc = lpi_find_here(p, &(struct lpi_label){vp->context, to_global(vp, src), tag}, true, &msg);
    if (rc != 0 && rc != -ETIME)
        return rc;
    if (msg == NULL) {
        lpi_note(p, LOGP_NOTE_MISSED, to_global(vp, src), tag, 0);
        return leave(p, lpi_poll_cost(p));
    }
    p->polls = 0;
    *found = true;
    lpi_note(p, LOGP_NOTE_FOUND, msg->src, msg->tag, (int64_t)msg->n_bytes);
    lpi_fill_status(vp, status, msg->src, msg->tag, msg->n_bytes, msg->arrival);
    return leave(p, 0);
}

/* Send, with r posted. If the send is refused, what r had taken already is given back. */
static int send_and_finish(struct logp_vp *vp, int dst, int tag, const void *buf, size_t n_bytes,
                           struct logp_request *r, struct logp_status *status)
{
    int rc;

    expose(vp->proc, r);
    leave(vp->proc, 0);
    rc = lpi_send(vp, dst, tag, buf, n_bytes);
    if (rc == 0)
        return lpi_finish_recv(vp, r, INT64_MAX, status);
    return lpi_take_back_recv(vp->proc, r) != 0 ? -ENOMEM : rc;
}

int logp_sendrecv(struct logp_vp *vp, int dst, int send_tag, const void *send_buf,
                  size_t send_bytes, int src, int recv_tag, void *recv_buf, size_t capacity,
                  struct logp_status *status)
{
    struct logp_request *r;
    int rc;

    if (bad_source(vp, src) || recv_tag < LOGP_ANY_TAG || bad_buffer(recv_buf, capacity))
        return -EINVAL;
    r = lpi_request_new(vp->proc->core);
    if (r == NULL)
        return -ENOMEM;
    rc = lpi_post_recv(vp, src, recv_tag, recv_buf, capacity, r);
    if (rc == 0)
        rc = send_and_finish(vp, dst, send_tag, send_buf, send_bytes, r, status);
    lpi_request_free(vp->proc->core, r);
    return leave(vp->proc, rc);
}
