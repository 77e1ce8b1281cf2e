/* SPDX-License-Identifier: MIT */
/*
 * Messages that need more than a copy of their payload when they are matched: the RTS of a
 * rendezvous send, which a CTS answers (call/rendezvous.c has the sender's part), the sync send of
 * an explored run, and a long message of another process, whose payload comes later. All of this
 * runs on the core of the vp whose state it changes.
 */
#include "mail/mail.h"
#include "state/remote.h"
#include "state/run_queue.h"
#include "state/stop.h"

/* r takes a sync send, and the sender learns when it is complete. */
static void take_sync_send(struct lpi_proc *p, struct logp_request *r, const struct lpi_envelope *e,
                           int64_t matched)
{
    struct lpi_proc *from = &p->core->machine->procs[e->src];
    struct logp_request *s = e->request;

    lpi_match_complete(p, r, e);
    s->answered = lpi_after(matched, s->cts_ns);
    if (from->waits_for_any)
        lpi_wake_for(from, s->answered);
}

/* Answer e, an RTS that r has matched at this time, or a CANCEL; r is then NULL. */
static void send_cts(struct lpi_proc *p, struct logp_request *r, const struct lpi_envelope *e,
                     int64_t matched)
{
    struct logp_machine *m = p->core->machine;
    /* its sender adds the latency: take_cts() */
    const struct lpi_envelope cts = {.label = {e->context, p->rank, e->tag},
                                     .dst = e->src,
                                     .arrival = e->arrival < 0 ? LOGP_NEVER : matched,
                                     .rendezvous = e->rendezvous,
                                     .request = r,
                                     .kind = LPI_CTS};
    const int rc = lpi_post(p, &m->procs[e->src], &cts);

    if (rc != 0)
        lpi_stop(m, rc);
}

void lpi_rendezvous_match(struct lpi_proc *p, struct logp_request *r, const struct lpi_envelope *e)
{
    const int64_t matched = e->arrival > r->posted ? e->arrival : r->posted;

    if (e->kind == LPI_ON_ITS_WAY) {
        r->state = LPI_REQ_CTS_SENT;
        e->cargo->request = r;
        return;
    }
    p->core->machine->resolver.note(p, &(struct logp_note){LOGP_NOTE_ANSWERED, p->rank, e->src,
                                                           e->tag, (int64_t)e->n_bytes, p->emulated,
                                                           e->context, r->id});
    if (e->kind == LPI_SYNC_SEND) {
        take_sync_send(p, r, e, matched);
    } else {
        r->state = LPI_REQ_CTS_SENT;
        send_cts(p, r, e, matched);
    }
}

/* The CTS of a send of p has been delivered. */
static void take_cts(struct lpi_proc *p, const struct lpi_envelope *e)
{
    struct lpi_rendezvous *z = e->rendezvous;

    if (e->request == NULL) {
        z->is_cancelled = true; /* its sender looks for this: lpi_rts_cancel() */
        return;
    }
    z->at = e->arrival < 0 ? LOGP_NEVER : lpi_after(e->arrival, z->latency);
    z->request = e->request;
    if (p->state == LPI_SENDING || p->state == LPI_POLLING || p->waits_for_any)
        lpi_wake_for(p, z->at);
}

bool lpi_rendezvous_awaits(const struct lpi_proc *p, const struct logp_request *r)
{
    return p->state != LPI_ENDED && r->state == LPI_REQ_CTS_SENT;
}

/* The data of a rendezvous comes to the receive that it has matched, if that still waits; or it never
 * arrives, and a receive that has an end misses it. */
static void take_data(struct lpi_proc *p, const struct lpi_envelope *e)
{
    struct logp_request *r = e->request;

    if (!lpi_rendezvous_awaits(p, r))
        return;
    if (e->arrival == LOGP_STOPPED) {
        r->state = LPI_REQ_LOST;
        if (p->waits_for_any) /* beyond the end of r, perhaps */
            lpi_wake_for(p, 0);
        return;
    }
    r->arrival = e->arrival;
    lpi_match_complete(p, r, e);
}

void lpi_rendezvous_deliver(struct lpi_proc *p, const struct lpi_envelope *e)
{
    if (e->kind == LPI_CTS) {
        take_cts(p, e);
    } else if (e->kind == LPI_DATA) {
        take_data(p, e);
    } else {
        lpi_match_withdraw(p, e);
        send_cts(p, NULL, e, e->arrival);
    }
    if (e->message != NULL) {
        e->message->kind = LPI_EAGER;
        lpi_message_free(p->core, e->message);
    }
}

void lpi_rendezvous_come(struct lpi_cargo *l)
{
    struct lpi_message *m = l->message;
    struct lpi_envelope e = {0}; /* without a message the payload is in the buffer already */

    if (m != NULL) {
        m->kind = LPI_EAGER;
        e = lpi_envelope_of(m, false);
    }
    if (l->request == NULL && !l->is_dropped)
        return; /* m is pending */
    if (l->request != NULL)
        lpi_match_complete(l->to, l->request, &e);
    if (m != NULL) {
        lpi_credit_give(l->to, m->n_bytes);
        lpi_message_free(l->to->core, m);
    }
}
