/* SPDX-License-Identifier: MIT */
/* The events of a fold, which are those that the runtime records of the run. */
#include "schedule/schedule.h"

/* From where the rank is, if that is before `until`. */
static int wait(const struct lpi_traced *to, int64_t rank, struct logp_event e,
                enum logp_event_kind kind, int64_t *from, int64_t until)
{
    if (until <= *from)
        return 0;
    e.kind = kind;
    e.start_ns = *from;
    e.end_ns = *from = until;
    e.arrival_ns = -1;
    return logp_trace_add(to->trace, rank, &e);
}

static struct logp_event event_of(const struct lpi_traced *to, const struct logp_transfer *t,
                                  int tag)
{
    return (struct logp_event){.start_ns = t->start,
                               .end_ns = t->done,
                               .arrival_ns = t->arrival,
                               .bytes = (int64_t)t->n_bytes,
                               .tag = tag,
                               .label = to->label};
}

int lpi_traced_send(const struct lpi_traced *to, const struct logp_transfer *t, int tag,
                    int64_t begun)
{
    struct logp_event e = event_of(to, t, tag);
    int rc;

    e.kind = LOGP_EVENT_SEND;
    e.peer = t->dst;
    rc = wait(to, t->src, e, LOGP_EVENT_GAP, &begun, to->free_at[t->src]);
    if (rc == 0)
        rc = wait(to, t->src, e, LOGP_EVENT_STALL, &begun, t->start);
    return rc != 0 ? rc : logp_trace_add(to->trace, t->src, &e);
}

int lpi_traced_receive(const struct lpi_traced *to, const struct logp_transfer *t, int tag)
{
    struct logp_event e = event_of(to, t, tag);
    int64_t from = t->ready;
    int rc;

    e.kind = LOGP_EVENT_RECEIVE;
    e.peer = t->src;
    rc = wait(to, t->dst, e, LOGP_EVENT_IDLE, &from, t->arrival);
    if (rc == 0)
        rc = wait(to, t->dst, e, LOGP_EVENT_GAP, &from, t->start);
    return rc != 0 ? rc : logp_trace_add(to->trace, t->dst, &e);
}

int lpi_traced_compute(const struct lpi_traced *to, int64_t rank, int64_t start, int64_t ns)
{
    const struct logp_event e = {.start_ns = start,
                                 .end_ns = start + ns,
                                 .arrival_ns = -1,
                                 .peer = -1,
                                 .tag = -1,
                                 .kind = LOGP_EVENT_COMPUTE,
                                 .label = to->label};

    return ns > 0 ? logp_trace_add(to->trace, rank, &e) : 0;
}
