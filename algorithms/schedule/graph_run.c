/* SPDX-License-Identifier: MIT */
/*
 * A vp performs the operations of its rank in a list with edges. It takes arrived messages off the
 * network at once, without a charge, and performs the operation that can start first. Until then it
 * waits, and an arriving message wakes it. Payloads do not matter: all of them go to the beginning
 * of recv_buf.
 */
#include "schedule/schedule.h"

#include <logp/vp.h>

#include <errno.h>

/* All that has arrived by now. */
static int accept(struct logp_vp *vp, struct lpi_graph *g, const struct logp_invocation *c,
                  void *recv_buf)
{
    struct logp_status status;
    bool found = true;
    int rc = 0;

    while (rc == 0) {
        struct lpi_parcel p;

        rc = logp_peek(vp, LOGP_ANY_SOURCE, LOGP_ANY_TAG, &found, &status);
        if (rc != 0 || !found)
            return rc;
        p = (struct lpi_parcel){
            .arrival = status.arrival_ns,
            .sent = lpi_graph_sent(&c->model.params, status.arrival_ns, status.n_bytes),
            .n_bytes = status.n_bytes,
            .src = status.source,
            .tag = status.tag};
        if (status.n_bytes > c->args.list->most_bytes)
            return -EMSGSIZE;
        rc = logp_irecv(vp, status.source, status.tag, recv_buf, c->args.list->most_bytes,
                        &p.request);
        if (rc == 0)
            rc = lpi_graph_accept(g, &p);
    }
    return rc;
}

/* Find when each act could start. @return now */
static int64_t look_at(struct logp_vp *vp, const struct lpi_graph *g, int64_t at[LPI_ACTS])
{
    const struct logp_step *s = lpi_graph_step(g, LPI_SEND);
    const struct lpi_parcel *p = lpi_graph_parcel(g);
    int64_t now;

    at[LPI_SEND] = s != NULL ? logp_send_ready(vp, (int)s->peer, s->n_bytes) : INT64_MAX;
    at[LPI_RECEIVE] = p != NULL ? logp_recv_ready(vp, p->src, p->n_bytes, p->arrival) : INT64_MAX;
    now = logp_now(vp);
    at[LPI_COMPUTE] = lpi_graph_step(g, LPI_COMPUTE) != NULL ? now : INT64_MAX;
    return now;
}

static int act_on(struct logp_vp *vp, struct lpi_graph *g, enum lpi_act act, int64_t now,
                  const void *buf)
{
    const struct logp_step *s = act != LPI_RECEIVE ? lpi_graph_step(g, act) : NULL;
    struct logp_request *request;
    int rc;

    lpi_graph_begin(g, act, now);
    if (act == LPI_SEND) {
        rc = logp_send(vp, (int)s->peer, s->tag, buf, s->n_bytes);
    } else if (act == LPI_COMPUTE) {
        rc = s->ns > 0 ? logp_compute(vp, s->ns, NULL, NULL) : 0;
    } else {
        request = g->parcels[g->item].request;
        g->parcels[g->item].request = NULL;
        rc = logp_wait(vp, request, NULL);
    }
    return rc == 0 ? lpi_graph_end(g, logp_now(vp)) : rc;
}

/* The messages that have arrived and were not received. */
static void drop(struct logp_vp *vp, struct lpi_graph *g)
{
    for (uint32_t i = 0; i < g->n_parcels; i++)
        if (g->parcels[i].request != NULL && logp_cancel(vp, g->parcels[i].request) != 0)
            logp_wait(vp, g->parcels[i].request, NULL);
}

int lpi_graph_run(struct logp_vp *vp, const struct logp_invocation *c, void *recv_buf)
{
    int64_t at[LPI_ACTS];
    struct lpi_graph g;
    int rc = lpi_graph_init(&g, c->args.list, logp_vp_rank(vp));

    if (rc == 0 && (c->model.rendezvous_from > 0 || c->model.params.recv_streams))
        rc = -ENOTSUP;
    while (rc == 0 && !lpi_graph_is_through(&g)) {
        enum lpi_act act;
        int64_t now;

        rc = accept(vp, &g, c, recv_buf);
        if (rc != 0)
            break;
        now = look_at(vp, &g, at);
        act = lpi_graph_choose(&g, at);
        if (act != LPI_NOTHING && (at[act] <= now || at[act] >= LOGP_STOPPED)) {
            rc = act_on(vp, &g, act, now, recv_buf);
        } else {
            rc = logp_probe_until(vp, LOGP_ANY_SOURCE, LOGP_ANY_TAG,
                                  act != LPI_NOTHING ? at[act] : LOGP_FOREVER, NULL);
            rc = rc == -ETIME ? 0 : rc;
        }
    }
    drop(vp, &g);
    lpi_graph_fini(&g);
    return rc;
}
