/* SPDX-License-Identifier: MIT */
/*
 * Sends that wait for their receivers: logp_network.rendezvous_from.
 *
 * A request to send (RTS) goes through the network and is matched as the message would be. The
 * receiver's core (match.c) answers with the time at which the answer (CTS) is back at the sender.
 * The sender then sends the payload straight into the buffer of the matched receive. It does so
 * within a call: wherever it waits or polls, it sends the payloads whose answers have come, in the
 * order of the answers. A vp with such sends under way charges its receives itself (waits_for_any),
 * so that charges are in the order of their times. To the loop that waits (query.c) such a send is
 * a request in state RTS_SENT until its payload has been sent.
 */
#include "call/call.h"
#include "core/core.h"
#include "core/sched.h"
#include "delay/delay.h"
#include "mail/mail.h"
#include "state/stop.h"

#include <errno.h>
#include <stdlib.h>

/* How long a CTS takes. */
static int64_t cts_ns(struct logp_machine *m, int from, int to)
{
    const struct lpi_delay *d = model_lock(m);
    int64_t L = 0;

    if (d == NULL)
        return 0;
    if (d->ops.link != NULL)
        L = d->ops.link(d->model, from, to)->L_ns;
    else if (d->ops.params != NULL)
        L = d->ops.params(d->model)->L_ns;
    model_unlock(m);
    return L;
}

static struct lpi_rendezvous **link_of(struct lpi_proc *p, const struct lpi_rendezvous *z)
{
    struct lpi_rendezvous **link = &lpi_attached_of(p)->rts;

    while (*link != z && *link != NULL)
        link = &(*link)->next;
    return link;
}

static void drop(struct lpi_proc *p, struct lpi_rendezvous *z)
{
    *link_of(p, z) = z->next;
    lpi_background_changed(p);
    free(z->copy);
    free(z);
}

int lpi_rts_ask(struct lpi_proc *p, struct lpi_proc *to, const struct lpi_envelope *e, bool copies,
                struct logp_request *r)
{
    struct lpi_rendezvous *z = lpi_attached_to(p) != NULL ? malloc(sizeof(*z)) : NULL;
    struct lpi_envelope request = *e;
    int rc;

    if (z == NULL)
        return -ENOMEM;
    *z = (struct lpi_rendezvous){
        .own = r, .envelope = *e, .latency = cts_ns(p->core->machine, e->dst, e->src)};
    z->envelope.kind = LPI_DATA;
    if (copies && e->n_bytes > 0) {
        z->envelope.data = z->copy = malloc(e->n_bytes);
        if (z->copy == NULL) {
            free(z);
            return -ENOMEM;
        }
        lpi_payload_copy(e, z->copy, e->n_bytes);
        z->envelope.made_by = NULL;
    }
    *link_of(p, NULL) = z;
    lpi_background_changed(p);
    request.kind = LPI_RTS;
    request.rendezvous = z;
    rc = lpi_send_when_space(p, to, &request);
    r->state = LPI_REQ_RTS_SENT;
    if (rc != 0 && !lpi_stopped(p)) /* otherwise it may have been sent */
        drop(p, z);
    else
        r->rts = z;
    return rc;
}

/* The send whose CTS came first; NULL: no CTS has come. */
static struct lpi_rendezvous *next_data(const struct lpi_proc *p)
{
    struct lpi_rendezvous *best = NULL;

    for (struct lpi_rendezvous *z = lpi_rts_of(p); z != NULL; z = z->next)
        if (z->request != NULL && (best == NULL || z->at < best->at))
            best = z;
    return best;
}

int64_t lpi_next_cts(const struct lpi_proc *p)
{
    const struct lpi_rendezvous *z = next_data(p);

    return z == NULL ? INT64_MAX : z->at < 0 ? lpi_later(p, 0) : z->at;
}

int lpi_data_send(struct lpi_proc *p)
{
    struct lpi_rendezvous *z;
    int has_sent = 0;

    while ((z = next_data(p)) != NULL && (z->at < 0 || z->at <= lpi_clock(p))) {
        struct lpi_envelope e = z->envelope;
        int rc;

        e.request = z->request;
        rc = lpi_send_when_space(p, &p->core->machine->procs[e.dst], &e);
        if (rc != 0 && !p->halted && !lpi_stopped(p))
            lpi_stop(p->core->machine, rc); /* the receiver would wait for ever */
        if (rc != 0)
            return rc;
        z->own->state = LPI_REQ_SENT;
        drop(p, z);
        has_sent = 1;
    }
    return has_sent;
}

int lpi_rts_cancel(struct lpi_proc *p, struct logp_request *r)
{
    struct lpi_rendezvous *z = r->rts;
    const struct lpi_envelope e = {.label = z->envelope.label,
                                   .dst = z->envelope.dst,
                                   .arrival = LOGP_NEVER,
                                   .rendezvous = z,
                                   .kind = LPI_CANCEL};
    int rc = z->request != NULL ? -EINPROGRESS : 0;

    enter(p);
    if (rc == 0)
        rc = lpi_post(p, &p->core->machine->procs[e.dst], &e);
    while (rc == 0 && !z->is_cancelled) {
        lpi_poll(p->core);
        lpi_yield(p);
        rc = lpi_stopped(p);
    }
    if (rc == 0 && z->request == NULL)
        drop(p, z);
    else if (rc == 0)
        rc = -EINPROGRESS;
    return leave(p, rc);
}

/* On an explored machine the payload travels with the request, so that the receiver gets it
 * whatever the sender's program does. r is complete when its answer comes. */
static int send_sync(struct lpi_proc *p, struct lpi_envelope *e, struct logp_request *r)
{
    int rc;

    r->state = LPI_REQ_SYNC_SENT;
    r->answered = INT64_MAX;
    r->cts_ns = cts_ns(p->core->machine, e->dst, e->src);
    e->kind = LPI_SYNC_SEND;
    e->request = r;
    rc = lpi_send_when_space(p, &p->core->machine->procs[e->dst], e);
    if (rc != 0 && !lpi_stopped(p) && !p->halted) /* otherwise it may have been sent and answered */
        r->state = LPI_REQ_SENT;
    return rc;
}

int lpi_rts_send(struct lpi_proc *p, struct lpi_envelope *e, struct logp_request *r)
{
    enter(p);
    if (p->core->machine->explore != NULL)
        return leave(p, send_sync(p, e, r));
    return leave(p, lpi_rts_ask(p, &p->core->machine->procs[e->dst], e, true, r));
}
