/* SPDX-License-Identifier: MIT */
/*
 * Waits that end: at a time of the vp's own clock, or with the first of several receives.
 *
 * A wait for one receive is recv.c's, with an end. One that several things may end (waits_for_any)
 * is woken whenever something comes, at its arrival, and looks for itself.
 */
#include "state/call.h"
#include "core/explore.h"
#include "core/sched.h"
#include "mail/close.h"
#include "mail/match.h"
#include "mail/pool.h"

#include <errno.h>

int logp_sleep_until(struct logp_vp *vp, int64_t t_ns)
{
    struct lpi_proc *p = vp->proc;
    const int rc = lpi_stopped(p);

    if (rc != 0)
        return rc;
    p->polls = 0;
    enter(p);
    return leave(p, t_ns > lpi_clock(p) ? lpi_wait_until(p, t_ns) : 0);
}

int logp_recv_until(struct logp_vp *vp, int src, int tag, void *buf, size_t capacity,
                    int64_t until_ns, struct logp_status *status)
{
    struct lpi_proc *p = vp->proc;
    struct logp_request *r;
    int rc;

    if (bad_source(vp, src) || tag < LOGP_ANY_TAG || bad_buffer(buf, capacity))
        return -EINVAL;
    r = lpi_request_new(p->core);
    if (r == NULL)
        return -ENOMEM;
    rc = lpi_post_recv(vp, src, tag, buf, capacity, r);
    if (rc == 0)
        rc = lpi_finish_recv(vp, r, until_ns, status);
    if (rc == -ETIME && lpi_take_back_recv(p, r) != 0)
        rc = -ENOMEM;
    lpi_request_free(p->core, r);
    return leave(p, rc);
}

int logp_wait_until(struct logp_vp *vp, struct logp_request *request, int64_t until_ns,
                    struct logp_status *status)
{
    struct lpi_proc *p = vp->proc;
    int rc = lpi_stopped(p);

    if (rc != 0 || request == NULL || request->state == LPI_REQ_SENT)
        return logp_wait(vp, request, status);
    if (request->state == LPI_REQ_SYNC_SENT)
        return lpi_wait_sync_send(vp, request, until_ns);
    enter(p);
    rc = request->state == LPI_REQ_RTS_SENT ? lpi_await_data_sent(p, request, until_ns)
                                            : lpi_finish_recv(vp, request, until_ns, status);
    if (rc != -ETIME)
        lpi_request_free(p->core, request);
    return leave(p, rc);
}

int logp_waitall(struct logp_vp *vp, struct logp_request **requests, int n,
                 struct logp_status *statuses)
{
    int first = 0;

    if (n < 0 || (requests == NULL && n > 0))
        return -EINVAL;
    for (int i = 0; i < n; i++) {
        const int rc = logp_wait(vp, requests[i], statuses != NULL ? &statuses[i] : NULL);

        requests[i] = NULL;
        if (first == 0)
            first = rc;
    }
    return first;
}

/* ---- the first of several ---- */

/* When r's message arrives, or the answer to it; INT64_MAX: there is none yet; below 0: it is here.
 */
static int64_t arrival_of(const struct logp_request *r)
{
    return r->state == LPI_REQ_SENT                                       ? LOGP_NEVER
           : r->state <= LPI_REQ_CTS_SENT || r->state == LPI_REQ_RTS_SENT ? INT64_MAX
                                                                          : r->arrival;
}

static void check_data_sent(struct lpi_proc *p, struct logp_request **requests, int n)
{
    for (int i = 0; lpi_has_rts(p) && i < n; i++)
        lpi_check_data_sent(p, requests[i]);
}

/* The request whose message arrives first, or the first of them; -1: all are NULL. */
static int earliest(struct logp_request *const *requests, int n)
{
    int best = -1;

    for (int i = 0; i < n; i++)
        if (requests[i] != NULL &&
            (best < 0 || arrival_of(requests[i]) < arrival_of(requests[best])))
            best = i;
    return best;
}

/* Complete requests[i], and take it out. */
static int complete(struct logp_vp *vp, struct logp_request **requests, int i, int *index,
                    struct logp_status *status)
{
    struct logp_request *r = requests[i];

    requests[i] = NULL;
    *index = i;
    return logp_wait(vp, r, status);
}

int lpi_wait_for_any(struct lpi_proc *p, int64_t t, int src, int tag)
{
    const int64_t answer = lpi_next_cts(p);
    int rc;

    t = answer < t ? answer : t;
    p->any.src = src;
    p->any.tag = tag;
    p->waits_for_any = true;
    rc = lpi_wait_message(p, t);
    p->waits_for_any = false;
    p->wait_until = INT64_MAX;
    return rc;
}

/* The same for r, one of several. */
static int wait_for_one(struct lpi_proc *p, const struct logp_request *r, int64_t t)
{
    int rc;

    if (t != INT64_MAX || r->state != LPI_REQ_SYNC_SENT)
        return lpi_wait_for_any(p, t, r->src, r->tag);
    p->any.src = r->src;
    p->any.tag = r->tag;
    p->waits_for_any = true;
    p->state = LPI_SENDING;
    rc = lpi_hold(p);
    p->waits_for_any = false;
    p->wait_until = INT64_MAX;
    return rc;
}

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* Is its message here, by the vp's clock? */
static bool is_here(const struct lpi_proc *p, const struct logp_request *r)
{
    return arrival_of(r) <= horizon(p) && r->state > LPI_REQ_CTS_SENT;
}

/* It was chosen that what came comes too late. @return -ETIME; the error that stops the run */
static int too_late(struct lpi_proc *p, int64_t until)
{
    lpi_note(p, LOGP_NOTE_MISSED, LOGP_ANY_SOURCE, LOGP_ANY_TAG, 0);
    return lpi_clock(p) < until ? lpi_time_over(p, until) : lpi_poll_missed(p);
}

/* A send that has waited for its receiver is done. */
static int take_cts(struct lpi_proc *p, struct logp_request *r)
{
    const int rc = r->arrival > lpi_clock(p) ? lpi_wait_until(p, r->arrival) : 0;

    r->state = LPI_REQ_SENT;
    return rc;
}

/*
 * Which request completes, where choices are explored: the one that the chosen message goes to.
 * @return 0, and *i: which; -1: nothing is there. -ETIME: too late; or the error that stops the run
 */
static int choose_one(struct lpi_proc *p, struct logp_request **requests, int n, bool may_miss,
                      int *i)
{
    const struct logp_request *first = requests[*i];
    struct lpi_query query = {.requests = requests,
                              .n = n,
                              .may_miss = may_miss,
                              .sends = first->state >= LPI_REQ_SENT,
                              .src = first->src,
                              .tag = first->tag};
    int rc;

    do {
        rc = lpi_explore_resolve(p, &query);
        *i = query.index;
        if (rc == 0 && query.chosen >= 0 && *i >= 0) {
            rc = requests[*i]->state == LPI_REQ_SYNC_SENT ? take_cts(p, requests[*i])
                                                          : lpi_await_chosen(p, requests[*i]);
            if (rc != 0 || requests[*i]->state > LPI_REQ_CTS_SENT)
                return rc;
        }
    } while (rc == 0 && query.chosen >= 0); /* it went to another receive */
    *i = -1;
    return rc == 0 && query.chosen == LPI_MISSED ? -ETIME : rc;
}

/* The request that has completed by now: *i; -1: none has. As choose_one(); *i is the one whose
 * message comes first, on entry. */
static int completed(struct lpi_proc *p, struct logp_request **requests, int n, bool may_miss,
                     int *i)
{
    if (lpi_is_instrumented(p->core->machine) && p->core->machine->explore != NULL)
        return choose_one(p, requests, n, may_miss, i);
    *i = is_here(p, requests[*i]) ? *i : -1;
    return 0;
}

int logp_waitany_until(struct logp_vp *vp, struct logp_request **requests, int n, int64_t until_ns,
                       int *index, struct logp_status *status)
{
    struct lpi_proc *p = vp->proc;
    int rc = lpi_stopped(p);

    if (n < 0 || (requests == NULL && n > 0) || index == NULL)
        return -EINVAL;
    *index = -1;
    if (rc == 0)
        enter(p);
    for (bool looked = false; rc == 0; looked = true) {
        int i, next;

        rc = lpi_catch_up(p);
        check_data_sent(p, requests, n);
        i = next = earliest(requests, n);
        if (rc != 0 || i < 0)
            break;
        rc = completed(p, requests, n, until_ns != INT64_MAX, &i);
        if (rc == 0 && i >= 0) {
            leave(p, 0);
            return complete(vp, requests, i, index, status);
        }
        if (rc == -ETIME)
            rc = too_late(p, until_ns);
        if (rc != 0)
            break;
        if (until_ns != INT64_MAX && lpi_clock(p) >= until_ns) {
            rc = looked ? -ETIME : lpi_poll_missed(p);
            break;
        }
        p->polls = 0;
        rc = wait_for_one(p, requests[next],
                          least(until_ns, least(arrival_of(requests[next]), lpi_next_poll(p))));
    }
    return leave(p, rc);
}

int logp_waitany(struct logp_vp *vp, struct logp_request **requests, int n, int *index,
                 struct logp_status *status)
{
    return logp_waitany_until(vp, requests, n, INT64_MAX, index, status);
}

int lpi_wait_sync_send(struct logp_vp *vp, struct logp_request *r, int64_t until)
{
    int index;

    return logp_waitany_until(vp, &r, 1, until, &index, NULL);
}

int lpi_test_sync_send(struct logp_vp *vp, struct logp_request *r, bool *done)
{
    int index;

    return logp_testany(vp, &r, 1, &index, done, NULL);
}

int logp_testany(struct logp_vp *vp, struct logp_request **requests, int n, int *index, bool *done,
                 struct logp_status *status)
{
    struct lpi_proc *p = vp->proc;
    int rc = lpi_stopped(p), i;

    if (n < 0 || (requests == NULL && n > 0) || index == NULL || done == NULL)
        return -EINVAL;
    *index = -1;
    *done = false;
    if (rc != 0)
        return rc;
    enter(p);
    rc = lpi_catch_up(p);
    check_data_sent(p, requests, n);
    i = earliest(requests, n);
    if (rc == 0 && i >= 0) {
        rc = completed(p, requests, n, true, &i);
        if (rc == -ETIME || (rc == 0 && i < 0)) {
            lpi_note(p, LOGP_NOTE_MISSED, LOGP_ANY_SOURCE, LOGP_ANY_TAG, 0);
            return leave(p, lpi_poll_cost(p));
        }
    }
    leave(p, rc);
    if (rc != 0)
        return rc;
    *done = true;
    return i >= 0 ? complete(vp, requests, i, index, status) : 0;
}

int logp_probe_until(struct logp_vp *vp, int src, int tag, int64_t until_ns,
                     struct logp_status *status)
{
    struct lpi_proc *p = vp->proc;
    int rc = lpi_stopped(p);

    if (bad_source(vp, src) || tag < LOGP_ANY_TAG)
        return -EINVAL;
    if (rc == 0)
        enter(p);
    for (bool looked = false; rc == 0; looked = true) {
        const struct lpi_label label = {vp->context, to_global(vp, src), tag};
        struct lpi_message *m;

        rc = lpi_find_here(p, &label, until_ns != INT64_MAX, &m);
        if (rc == -ETIME)
            rc = too_late(p, until_ns);
        if (rc != 0)
            break;
        if (m != NULL) {
            p->polls = 0;
            lpi_note(p, LOGP_NOTE_FOUND, m->src, m->tag, (int64_t)m->n_bytes);
            lpi_fill_status(vp, status, m->src, m->tag, m->n_bytes, m->arrival);
            break;
        }
        m = lpi_match_find(p, label.context, label.src, tag, INT64_MAX);
        if (until_ns != INT64_MAX && lpi_clock(p) >= until_ns)
            rc = looked ? -ETIME : lpi_poll_missed(p);
        else
            rc = lpi_wait_for_any(p, least(until_ns, m != NULL ? m->arrival : INT64_MAX),
                                  to_global(vp, src), tag);
    }
    return leave(p, rc);
}
