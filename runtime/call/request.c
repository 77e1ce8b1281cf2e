/* SPDX-License-Identifier: MIT */
/* The end of requests: a call completes them, fails, or cancels them. */
#include "call/call.h"
#include "core/core.h"
#include "mail/mail.h"

#include <errno.h>

void lpi_request_abandon(struct lpi_proc *p, struct logp_request *r)
{
    /* not a direct query: the payload must not be charged to r */
    struct lpi_query q = {.requests = &r, .n = 1, .until = INT64_MAX, .beside = true};
    int rc = 0;

    if (p->halted && r->state == LPI_REQ_POSTED)
        p->core->machine->time->settle(
            p); /* r may have matched a message, which it takes with it */
    while (r->state == LPI_REQ_CTS_SENT && rc == 0) { /* the payload comes into buf */
        rc = lpi_rts_of(p) != NULL && !p->halted ? lpi_catch_up(p) : 0;
        if (rc == 0 && r->state == LPI_REQ_CTS_SENT)
            rc = lpi_query_wait(p, &q);
    }
    if (r->state == LPI_REQ_CTS_SENT) { /* the run is over: no message comes any more */
        p->core->machine->processes->drop_receives(p);
        r->state = LPI_REQ_FAILED;
    }
    while (r->state == LPI_REQ_POSTED && !lpi_direct_withdraw(p, r))
        lpi_poll_for_copy(p->core);
    if (r->state == LPI_REQ_POSTED)
        lpi_match_unpost(p, r);
}

void lpi_request_end(struct lpi_proc *p, struct logp_request *r)
{
    if (!p->core->machine->resolver.keeps(p, r) && r->state != LPI_REQ_SYNC_SENT)
        lpi_request_free(p->core, r);
}

void lpi_complete_other(struct lpi_proc *p, struct logp_request *r, int rc)
{
    if (r->state == LPI_REQ_SPENT) /* a call has completed it before, and its error is reported */
        return;
    if (rc != 0 && r->state < LPI_REQ_SENT)
        lpi_request_abandon(p, r);
    if (r->state >= LPI_REQ_STARTED)
        lpi_operation_release(p, r->operation);
    lpi_request_end(p, r);
}

/* r is posted no more. Without a receive from any source, a match need not wait for an arrival. While
 * another one is posted, p's clock may be ahead of what has been sent: the next call matches that waits until
 * it is not. The messages of a vp that has crashed, and may start again, wait for that. */
static void may_match_again(struct lpi_proc *p, const struct logp_request *r)
{
    const struct logp_machine *m = p->core->machine;
    const bool is_last = p->inbox.n_any == 0 || m->explore != NULL;

    if (r->src == LOGP_ANY_SOURCE && is_last && !(p->halted && m->resolver.may_restart))
        lpi_match_arrived(p, m->resolver.horizon(p));
}

int lpi_take_back(struct lpi_proc *p, struct logp_request *r)
{
    int rc = 0;

    lpi_request_abandon(p, r); /* this may bind it */
    if (r->state == LPI_REQ_BOUND)
        rc = lpi_match_restore(p, r);
    else
        may_match_again(p, r);
    lpi_request_end(p, r);
    return rc;
}

static int cancel_send(struct lpi_proc *p, struct logp_request *r)
{
    if (r->state == LPI_REQ_SYNC_SENT)
        return -ENOTSUP;
    return r->state == LPI_REQ_RTS_SENT ? lpi_rts_cancel(p, r) : -EINPROGRESS;
}

static int cancel_receive(struct lpi_proc *p, struct logp_request *r)
{
    const int rc = r->state == LPI_REQ_POSTED ? p->core->machine->time->settle(p) : 0;

    if (rc != 0)
        return rc;
    p->core->machine->resolver.cancels(p, r);
    if (r->state == LPI_REQ_POSTED)
        lpi_note(p, LOGP_NOTE_MISSED, r->src, r->tag, 0);
    if (r->state != LPI_REQ_POSTED || !lpi_direct_withdraw(p, r))
        return -EINPROGRESS;
    lpi_match_unpost(p, r);
    may_match_again(p, r);
    return 0;
}

int logp_cancel(struct logp_vp *vp, struct logp_request *request)
{
    struct lpi_proc *p = vp->proc;
    int rc = -EINVAL;

    if (request != NULL && request->state == LPI_REQ_SPENT)
        return lpi_usage_twice(p, request);
    if (request != NULL && request->state < LPI_REQ_STARTED)
        rc = request->state < LPI_REQ_SENT ? cancel_receive(p, request) : cancel_send(p, request);
    if (rc == 0)
        lpi_request_end(p, request);
    return rc == -EINPROGRESS ? rc : noted(vp, "logp_cancel", rc);
}
