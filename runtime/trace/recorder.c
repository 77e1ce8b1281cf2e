/* SPDX-License-Identifier: MIT */
/*
 * Recording. Each vp has a list of chunks of events; the last chunk has free entries. The vp's time
 * is accounted for until `since`. The time between `since` and the next event is a wait, which is
 * recorded with that event. On the wall clock each call first moves `since` past the time that the
 * program has used itself. So a wait is one event, however often the vp polled in between.
 */
#include "trace/recorder.h"

#include "state/run_queue.h"
#include "trace/chunks.h"

#include <errno.h>

enum { AHEAD = 6 }; /* events */

static inline struct lpi_recorder *recorder_of(const struct lpi_proc *p)
{
    return &p->core->machine->recorders[p->rank];
}

/* Add an event about a message with this peer, tag and size. NULL: it is not recorded. */
static inline struct logp_event *add_about(struct lpi_proc *p, struct lpi_recorder *r,
                                           enum logp_event_kind kind, int64_t start, int64_t end,
                                           int peer, int tag, size_t n_bytes)
{
    struct logp_event *e;

    r->since = end;
    if (__builtin_expect(r->at == r->end, false) && !lpi_recorder_grow(p->core, r))
        return NULL;
    e = r->at++;
    __builtin_prefetch(e + AHEAD, 1); /* an event is one cache line */
    *e = (struct logp_event){.start_ns = start,
                             .end_ns = end,
                             .arrival_ns = -1,
                             .bytes = (int64_t)n_bytes,
                             .peer = peer,
                             .tag = tag,
                             .kind = (uint16_t)kind,
                             .label = r->label};
    r->last_event = e;
    return e;
}

static inline struct logp_event *add(struct lpi_proc *p, struct lpi_recorder *r,
                                     enum logp_event_kind kind, int64_t start, int64_t end)
{
    return add_about(p, r, kind, start, end, -1, -1, 0);
}

static inline void idle_until(struct lpi_proc *p, struct lpi_recorder *r, int64_t t)
{
    if (t > r->since)
        add(p, r, LOGP_EVENT_IDLE, r->since, t);
}

static void own(struct lpi_proc *p)
{
    recorder_of(p)->since = p->emulated;
}

static void enter(struct lpi_proc *p, int64_t before)
{
    idle_until(p, recorder_of(p), before);
    own(p);
}

static void leave(struct lpi_proc *p)
{
    struct lpi_recorder *r = recorder_of(p);

    if (r->last_event != NULL && r->last_event->end_ns == p->emulated && p->left > p->emulated)
        r->last_event->late_ns = p->left - p->emulated;
    r->last_event = NULL;
}

static void idle(struct lpi_proc *p)
{
    idle_until(p, recorder_of(p), p->emulated);
}

static void compute(struct lpi_proc *p, int64_t start, int64_t end)
{
    struct lpi_recorder *r = recorder_of(p);

    if (end <= start || end == LOGP_STOPPED)
        return;
    idle(p);
    add(p, r, LOGP_EVENT_COMPUTE, start, end);
}

static void stall(struct lpi_proc *p, const struct lpi_envelope *e)
{
    struct lpi_recorder *r = recorder_of(p);

    if (p->emulated > r->since)
        add_about(p, r, LOGP_EVENT_STALL, r->since, p->emulated, e->dst, e->tag, e->n_bytes);
}

/* Whether e is only a part of a message: a request to send, unless it is lost, and its message with
 * it. */
static bool is_no_message(const struct lpi_recorder *r, const struct lpi_envelope *e)
{
    return e->kind == LPI_RTS && r->fate != LOGP_FATE_DROPPED;
}

static void send(struct lpi_proc *p, const struct lpi_envelope *e, const struct logp_transfer *t,
                 int64_t begun, int64_t free_at)
{
    struct lpi_recorder *r = recorder_of(p);
    struct logp_event *event;

    if (is_no_message(r, e))
        return;
    idle_until(p, r, begun);
    if (free_at > r->since)
        add_about(p, r, LOGP_EVENT_GAP, r->since, free_at, e->dst, e->tag, e->n_bytes);
    if (t->start > r->since)
        add_about(p, r, LOGP_EVENT_STALL, r->since, t->start, e->dst, e->tag, e->n_bytes);
    event = add_about(p, r, LOGP_EVENT_SEND, t->start, t->done, e->dst, e->tag, e->n_bytes);
    if (event == NULL)
        return;
    event->arrival_ns = t->arrival;
    event->message = e->context;
    event->fate = r->fate;
    r->fate = 0;
}

static void set_fate(struct lpi_proc *p, const struct logp_fate *fate)
{
    unsigned bits = LOGP_FATE_DROPPED;

    if (fate->copies > 0)
        bits = (fate->copies > 1 ? (unsigned)LOGP_FATE_DUPLICATED : 0) |
               (fate->flip >= 0 ? (unsigned)LOGP_FATE_FLIPPED : 0);
    recorder_of(p)->fate = (uint16_t)bits;
}

static void halt(struct lpi_proc *p, int64_t t)
{
    recorder_of(p)->halted = t;
}

/* Add a receive. */
static void add_receive(struct lpi_proc *p, struct lpi_recorder *r, const struct logp_request *q,
                        int64_t start, int64_t end)
{
    struct logp_event *e =
        add_about(p, r, LOGP_EVENT_RECEIVE, start, end, q->from, q->got_tag, q->n_bytes);

    if (e == NULL)
        return;
    e->label = q->trace_label;
    e->arrival_ns = q->arrival;
    e->message = q->context;
}

/* Add a wait for the message of q, or for the gap. */
static void await(struct lpi_proc *p, struct lpi_recorder *r, const struct logp_request *q,
                  enum logp_event_kind kind, int64_t until)
{
    struct logp_event *e;

    if (until <= r->since)
        return;
    e = add_about(p, r, kind, r->since, until, q->from, q->got_tag, q->n_bytes);
    if (e != NULL)
        e->label = q->trace_label;
}

static void receive(struct lpi_proc *p, const struct logp_request *q, int64_t start)
{
    struct lpi_recorder *r = recorder_of(p);

    if (!lpi_has_clock(p))
        return;
    r->begun = LOGP_NEVER; /* lpi_record_query_received() has nothing to add */
    if (q->done == LOGP_STOPPED)
        return;
    await(p, r, q, LOGP_EVENT_IDLE, lpi_later(p, q->arrival));
    await(p, r, q, LOGP_EVENT_GAP, start);
    add_receive(p, r, q, start, q->done);
}

static void undelayed_send(struct lpi_proc *p, const struct lpi_envelope *e, int64_t begun)
{
    struct lpi_recorder *r = recorder_of(p);
    struct logp_event *event;

    if (is_no_message(r, e))
        return;
    idle(p);
    event = add_about(p, r, LOGP_EVENT_SEND, begun, lpi_clock(p), e->dst, e->tag, e->n_bytes);
    if (event == NULL)
        return;
    event->arrival_ns = e->arrival;
    event->message = e->context;
}

void lpi_record_query_begins(struct lpi_proc *p)
{
    struct lpi_recorder *r = recorder_of(p);

    r->begun = r->matched = lpi_has_clock(p) ? LOGP_NEVER : lpi_wall(p->core->machine);
}

void lpi_record_query_resolved(struct lpi_proc *p)
{
    struct lpi_recorder *r = recorder_of(p);

    if (r->begun != LOGP_NEVER)
        r->matched = lpi_wall(p->core->machine);
}

/* The delivery of a message without a delay charges nothing: the wall time of the wait counts. */
void lpi_record_query_received(struct lpi_proc *p, const struct logp_request *q)
{
    struct lpi_recorder *r = recorder_of(p);

    if (r->begun == LOGP_NEVER || q->state != LPI_REQ_CHARGED)
        return;
    r->since = r->begun;
    await(p, r, q, LOGP_EVENT_IDLE, r->matched);
    add_receive(p, r, q, r->matched, lpi_wall(p->core->machine));
}

static void undelayed_wait(struct lpi_proc *p, int64_t begun)
{
    struct lpi_recorder *r = recorder_of(p);

    r->since = begun;
    idle_until(p, r, lpi_wall(p->core->machine));
}

void lpi_record_mark(struct lpi_proc *p, const char *name)
{
    struct lpi_recorder *r = recorder_of(p);
    const int64_t now = lpi_clock(p);
    struct logp_event *e;

    idle(p);
    e = add(p, r, LOGP_EVENT_MARK, now, now);
    if (e != NULL)
        e->label = lpi_record_label_of(p, name, NULL);
}

uint32_t lpi_record_current_label(const struct lpi_proc *p)
{
    return recorder_of(p)->label;
}

static uint32_t set_label(struct lpi_proc *p, uint32_t label)
{
    struct lpi_recorder *r = recorder_of(p);
    const uint32_t before = r->label;

    idle(p);
    r->label = label;
    return before;
}

uint32_t lpi_record_label_of(struct lpi_proc *p, const char *first, const char *second)
{
    return lpi_label_number(lpi_labels_of(p->core), first, second);
}

static void begin(struct lpi_proc *p, int64_t start)
{
    struct lpi_recorder *r = recorder_of(p);

    lpi_recorder_forget(p->core, r);
    r->since = r->origin = start;
    r->is_off = false;
}

static void end(struct lpi_proc *p)
{
    struct lpi_recorder *r = recorder_of(p);

    idle(p);
    r->end = r->at; /* the next event calls lpi_recorder_grow(), which refuses it */
    r->is_off = true;
}

static int64_t now(const struct logp_machine *m)
{
    return lpi_wall(m);
}

const struct lpi_record lpi_record_events = {
    .now = now,
    .enter = enter,
    .own = own,
    .leave = leave,
    .idle = idle,
    .compute = compute,
    .stall = stall,
    .send = send,
    .fate = set_fate,
    .halt = halt,
    .receive = receive,
    .undelayed_send = undelayed_send,
    .undelayed_wait = undelayed_wait,
    .label = set_label,
    .begin = begin,
    .end = end,
    .take = lpi_tracing_take,
};

/* ---- nothing is recorded ---- */

static int64_t no_time(const struct logp_machine *m)
{
    (void)m;
    return 0;
}

static void no_event(struct lpi_proc *p)
{
    (void)p;
}

static void no_time_event(struct lpi_proc *p, int64_t t)
{
    (void)p, (void)t;
}

static void no_compute(struct lpi_proc *p, int64_t start, int64_t end)
{
    (void)p, (void)start, (void)end;
}

static void no_stall(struct lpi_proc *p, const struct lpi_envelope *e)
{
    (void)p, (void)e;
}

static void no_send(struct lpi_proc *p, const struct lpi_envelope *e, const struct logp_transfer *t,
                    int64_t begun, int64_t free_at)
{
    (void)p, (void)e, (void)t, (void)begun, (void)free_at;
}

static void no_fate(struct lpi_proc *p, const struct logp_fate *fate)
{
    (void)p, (void)fate;
}

static void no_receive(struct lpi_proc *p, const struct logp_request *r, int64_t start)
{
    (void)p, (void)r, (void)start;
}

static void no_undelayed_send(struct lpi_proc *p, const struct lpi_envelope *e, int64_t begun)
{
    (void)p, (void)e, (void)begun;
}

static int no_trace(struct logp_machine *m, enum logp_trace_source source, struct logp_trace **out)
{
    (void)m, (void)source, (void)out;
    return -EINVAL;
}

static uint32_t no_label(struct lpi_proc *p, uint32_t label)
{
    (void)p, (void)label;
    return 0;
}

const struct lpi_record lpi_record_none = {
    .now = no_time,
    .enter = no_time_event,
    .own = no_event,
    .leave = no_event,
    .idle = no_event,
    .compute = no_compute,
    .stall = no_stall,
    .send = no_send,
    .fate = no_fate,
    .halt = no_time_event,
    .receive = no_receive,
    .undelayed_send = no_undelayed_send,
    .undelayed_wait = no_time_event,
    .label = no_label,
    .begin = no_time_event,
    .end = no_event,
    .take = no_trace,
};
