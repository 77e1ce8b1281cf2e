/* SPDX-License-Identifier: MIT */
/*
 * The second reader of a schedule: it finds the time without running it.
 *
 * Each rank runs as far as the messages sent to it allow, through the delay model's own start, send
 * and recv. Receives name their source and tag, so which message a rank takes does not depend on
 * times; and where the model's answers depend on the message and its two ends alone (it has a
 * lookahead), neither does its cost. Then ranks are taken in any order: a queue, in which a rank
 * goes to the end whenever it has received. So all are about as far as each other, few messages are
 * under way, and memory is touched in the order of ranks.
 *
 * Otherwise sends are made in the order of (start, rank), as under the virtual clock: each rank
 * runs to its next send, and of these the earliest is made. A rank that waits can send no earlier:
 * the message that it waits for is still to be sent, or answered.
 */
#include "predict/predict.h"
#include "schedule/schedule.h"

#include <logp/machine.h>
#include <logp/algorithm.h>

#include <logp/graph.h>

#include <errno.h>
#include <limits.h>
#include <stdlib.h>

static const int64_t end_of_time = INT64_MAX / 8; /* as lpi_exact() */

/* A cache line. */
struct rank {
    int64_t clock, i; /* its time; the step it is at */
    struct logp_port port;
    struct lpi_fold_inbox inbox;
    uint32_t sends;
    int32_t waits_for; /* rank; -1: it waits for no message */
};

_Static_assert(sizeof(struct rank) <= 64, "a rank is a cache line");

struct fold {
    struct logp_schedule schedule;
    struct logp_invocation c;
    struct logp_rank_plan *parts; /* of the ranks that are on their way; NULL: nothing is planned */
    const struct logp_delay_ops *ops;
    void *model;
    struct logp_fold *out;
    struct lpi_traced traced; /* trace NULL: it is not wanted */
    uint64_t most;
    int64_t until;   /* no rank is busy beyond it */
    int64_t through; /* ranks */
    struct rank *ranks;
    struct lpi_fold_mail mail;
    struct lpi_wires wires;
    struct lpi_fold_rendezvous rendezvous;
    bool in_order;                     /* sends by (start, rank) */
    uint32_t *queue, mask, head, tail; /* of ranks that can run: a ring of 2^x > P */
    struct lpi_turn *heap;             /* in order: of ranks whose next step is a send */
    size_t n_heap;
};

/* ---- the queue of ranks that can run ---- */

static void add_to_queue(struct fold *f, uint32_t rank)
{
    f->queue[f->tail++ & f->mask] = rank;
}

static void push(struct fold *f, int64_t at, uint32_t rank)
{
    lpi_turn_push(f->heap, f->n_heap++, (struct lpi_turn){at, rank});
}

/* ---- steps ---- */

/* The step that rank r is at; its part is in f->c. */
static inline bool step_of(struct fold *f, uint32_t r, struct logp_step *s)
{
    return f->schedule.steps(f->schedule.P, r, &f->c, f->ranks[r].i, s);
}

/* The step after that, which the rank is at then. */
static bool step_after(struct fold *f, uint32_t r, struct logp_step *s)
{
    f->ranks[r].i += 1 + (s->kind == LOGP_STEP_COMPUTE ? s->parts : 0);
    return step_of(f, r, s);
}

/* Whether rank r is at a send whose receiver waits for the payload. */
static bool is_answered(const struct fold *f, uint32_t r)
{
    return f->rendezvous.from > 0 && f->rendezvous.ranks[r].rts_sent;
}

static int wrong(struct fold *f, uint32_t r, int rc)
{
    f->out->rank = r;
    return rc;
}

/* Put the message of rank r on its way; its receiver may then run. 0; -ENOMEM */
static int post(struct fold *f, uint32_t r, const struct logp_step *s, int64_t arrival)
{
    const struct lpi_fold_message message = {
        .arrival = arrival, .n_bytes = s->n_bytes, .src = (int32_t)r, .tag = s->tag};
    struct rank *to = &f->ranks[s->peer];
    bool wakes = false;
    int rc = 0;

    if (f->rendezvous.from == 0) {
        wakes = to->waits_for == (int32_t)r;
        rc = lpi_mail_put(&f->mail, &to->inbox, &message);
    } else if (is_answered(f, r)) {
        wakes = lpi_rendezvous_data(&f->rendezvous, r, s->peer, arrival);
    } else {
        rc = lpi_rendezvous_send(&f->rendezvous, &f->mail, &to->inbox, s->peer, &message,
                                 lpi_rendezvous_waits(&f->rendezvous, s->n_bytes), &wakes);
    }
    if (wakes) {
        to->waits_for = -1;
        add_to_queue(f, (uint32_t)s->peer);
    }
    return rc;
}

/* The sender of t, which was tried at `ready`, does not wait for its receiver: the next one may. */
static void next_waits(struct fold *f, const struct logp_transfer *t, int64_t ready)
{
    struct lpi_turn turn;

    if (lpi_wires_next(&f->wires, t, ready + (t->done - t->start), &turn))
        push(f, turn.at, turn.rank);
}

/* Find a place on the wire for t, or try again later. 0; -EAGAIN; -ENOMEM */
static int claim(struct fold *f, const struct logp_transfer *t, int64_t ready)
{
    struct lpi_turn turn;
    const int rc = lpi_wires_claim(&f->wires, t, &turn);

    if (rc != 0 && turn.at < INT64_MAX)
        push(f, turn.at, turn.rank);
    if (rc >= 0)
        next_waits(f, t, ready);
    return rc > 0 ? -EAGAIN : rc;
}

/* The send of rank r, which could start at `ready`. 0; -EAGAIN: it is for later, and in the heap */
static int send(struct fold *f, uint32_t r, const struct logp_step *s, int64_t ready)
{
    const bool is_request = lpi_rendezvous_waits(&f->rendezvous, s->n_bytes) && !is_answered(f, r);
    struct rank *k = &f->ranks[r];
    struct logp_transfer t = {.src = (int)r,
                              .dst = (int)s->peer,
                              .n_bytes = is_request ? 0 : s->n_bytes,
                              .number = k->sends,
                              .ready = ready};
    int rc;

    if (s->peer < 0 || s->peer >= f->schedule.P || s->tag < 0)
        return wrong(f, r, -EINVAL);
    if (f->most > 0 && f->out->messages >= f->most)
        return -E2BIG;
    f->ops->start(f->model, &k->port, &t);
    if (f->traced.trace != NULL && ready == k->clock)
        f->traced.free_at[r] = t.start;
    if (f->in_order && t.start > ready) {
        push(f, t.start, r);
        next_waits(f, &t, ready);
        return -EAGAIN;
    }
    rc = f->wires.capacity > 0 ? claim(f, &t, ready) : 0;
    if (rc != 0)
        return rc;
    f->ops->send(f->model, &k->port, &t);
    rc = lpi_wires_add(&f->wires, r, (size_t)s->peer, t.arrival);
    if (rc == 0)
        rc = post(f, r, s, t.arrival);
    if (rc == 0 && f->traced.trace != NULL && !is_request)
        rc = lpi_traced_send(&f->traced, &t, s->tag, k->clock);
    if (rc != 0)
        return rc;
    k->sends++;
    k->clock = t.done;
    if (!is_request) {
        k->i++;
        f->out->messages++;
    }
    return t.arrival < end_of_time ? 0 : -EOVERFLOW;
}

/* Rank r posts the receive of a step, where sends wait for that. */
static int post_receive(struct fold *f, uint32_t r, const struct logp_step *s)
{
    struct rank *k = &f->ranks[r];
    int64_t wakes;
    int rc;

    if (s->peer < 0 || s->peer >= f->schedule.P || s->tag < 0)
        return wrong(f, r, -EINVAL);
    rc = lpi_rendezvous_post(&f->rendezvous, &f->mail, &k->inbox, r, (int32_t)s->peer, s->tag,
                             k->clock, &wakes);
    if (wakes >= 0 && f->ranks[wakes].waits_for >= 0) {
        f->ranks[wakes].waits_for = -1;
        add_to_queue(f, (uint32_t)wakes);
    }
    return rc;
}

/* As lpi_mail_take(), of what rank r has posted, or posts now. */
static int take_posted(struct fold *f, uint32_t r, const struct logp_step *s,
                       struct lpi_fold_message *message)
{
    const struct lpi_posted *m;
    int rc = f->rendezvous.ranks[r].n == 0 ? post_receive(f, r, s) : 0;

    if (rc != 0)
        return rc;
    m = lpi_rendezvous_take(&f->rendezvous, r);
    if (m == NULL)
        return -EAGAIN;
    message->n_bytes = m->n_bytes;
    message->arrival = m->arrival;
    return 0;
}

/*
 * Rank r is at a send that waits for its receiver. The first of an exchange: the receives behind
 * its sends are posted (reader.h).
 * @return 0: it sends, at k->clock; -EAGAIN: it has no answer yet; or an error
 */
static int before_send(struct fold *f, uint32_t r, const struct logp_step *s)
{
    struct lpi_posted_list *m = &f->rendezvous.ranks[r];
    struct rank *k = &f->ranks[r];
    const int64_t i = k->i;
    struct logp_step next = *s;
    bool sends = true;
    int rc = 0;

    if (m->rts_sent && m->cts_at < 0) {
        k->waits_for = (int32_t)s->peer;
        return -EAGAIN;
    }
    if (m->rts_sent)
        k->clock = lpi_max(k->clock, m->cts_at);
    if (m->exchanging)
        return 0;
    m->exchanging = true;
    while (rc == 0 && step_after(f, r, &next)) {
        sends = sends && next.kind == LOGP_STEP_SEND;
        if (!f->c.plan.early && !sends && next.kind == LOGP_STEP_SEND)
            break;
        if (next.kind == LOGP_STEP_RECEIVE)
            rc = post_receive(f, r, &next);
    }
    k->i = i;
    return rc;
}

/* 0; -EAGAIN: there is no message yet */
static int receive(struct fold *f, uint32_t r, const struct logp_step *s)
{
    struct rank *k = &f->ranks[r];
    struct logp_transfer t = {.src = (int)s->peer, .dst = (int)r, .ready = k->clock};
    struct lpi_fold_message message;
    int rc;

    if (s->peer < 0 || s->peer >= f->schedule.P || s->tag < 0)
        return wrong(f, r, -EINVAL);
    rc = f->rendezvous.from > 0
             ? take_posted(f, r, s, &message)
             : lpi_mail_take(&f->mail, &k->inbox, (int32_t)s->peer, s->tag, &message);
    if (rc == -EAGAIN)
        k->waits_for = (int32_t)s->peer;
    if (rc != 0)
        return rc;
    if (message.n_bytes > s->n_bytes)
        return wrong(f, r, -EMSGSIZE);
    t.n_bytes = message.n_bytes;
    t.arrival = message.arrival;
    f->ops->recv(f->model, &k->port, &t);
    k->clock = t.done;
    k->i++;
    return f->traced.trace != NULL ? lpi_traced_receive(&f->traced, &t, s->tag) : 0;
}

/* A rank is busy for longer than it may. */
static int beyond(const struct fold *f)
{
    return f->until < end_of_time - 1 ? -ETIME : -EOVERFLOW;
}

/* Run rank r as far as it can, but to a second receive only after the other ranks. 0; -EAGAIN: it
 * waits, or is in the queue; or an error */
static int go_on(struct fold *f, uint32_t r)
{
    struct rank *k = &f->ranks[r];
    bool received = false;
    struct logp_step s;
    int rc = 0;

    while (rc == 0 && step_of(f, r, &s)) {
        if (k->clock > f->until)
            return beyond(f);
        if (f->rendezvous.from > 0 && s.kind != LOGP_STEP_SEND && !f->c.plan.early)
            f->rendezvous.ranks[r].exchanging = false;
        switch (s.kind) {
        case LOGP_STEP_SEND:
            rc = lpi_rendezvous_waits(&f->rendezvous, s.n_bytes) ? before_send(f, r, &s) : 0;
            if (rc != 0)
                break;
            if (f->in_order) { /* its turn is when the earlier ones have been made */
                push(f, k->clock, r);
                return -EAGAIN;
            }
            rc = send(f, r, &s, k->clock);
            break;
        case LOGP_STEP_RECEIVE:
            if (received && !f->in_order && k->inbox.overflow == 0) {
                add_to_queue(f, r);
                return -EAGAIN;
            }
            rc = receive(f, r, &s);
            received = true;
            break;
        case LOGP_STEP_COMPUTE:
        case LOGP_STEP_COMBINE:
            rc = s.ns < 0 ? wrong(f, r, -EINVAL) : 0;
            if (rc == 0 && f->ops->work != NULL)
                s.ns = f->ops->work(f->model, (int)r, k->clock, s.ns) - k->clock;
            if (rc == 0 && f->traced.trace != NULL)
                rc = lpi_traced_compute(&f->traced, r, k->clock, s.ns);
            k->clock += s.ns;
            k->i += 1 + (s.kind == LOGP_STEP_COMPUTE ? s.parts : 0);
            break;
        case LOGP_STEP_COPY:
        default:
            rc = 0;
            k->i++;
            break;
        }
    }
    return rc;
}

/* ---- ranks, one after the other ---- */

/* The part of rank r, which has begun: for step_of(). */
static void resume(struct fold *f, uint32_t r)
{
    if (f->parts != NULL)
        f->c.plan = f->parts[r];
}

/* Store the state of rank r after go_on() returned rc. 0; or an error */
static int leave(struct fold *f, uint32_t r, int rc, bool stored)
{
    if (rc == 0) {
        f->out->ns = lpi_max(f->out->ns, f->ranks[r].clock);
        f->through++;
    }
    if (f->parts != NULL && rc == 0)
        lpi_free_plan(&f->c.plan);
    if (f->parts != NULL && (rc != 0 || stored))
        f->parts[r] = f->c.plan;
    if (rc == 0 && f->ranks[r].clock > f->until)
        return beyond(f);
    return rc == -EAGAIN ? 0 : rc;
}

static int begin(struct fold *f, uint32_t r)
{
    int rc = 0;

    f->c.plan = (struct logp_rank_plan){.parent = -1};
    if (f->schedule.model.arrivals != NULL)
        f->ranks[r].clock = f->schedule.model.arrivals[r];
    if (f->parts != NULL)
        rc = f->schedule.plan((int)f->schedule.P, (int)r, &f->c);
    return rc != 0 ? rc : leave(f, r, go_on(f, r), false);
}

/* The earliest send of all. 0; or an error */
static int send_next(struct fold *f)
{
    const struct lpi_turn next = lpi_turn_pop(f->heap, f->n_heap--);
    struct logp_step s;
    int rc;

    resume(f, next.rank);
    step_of(f, next.rank, &s);
    rc = send(f, next.rank, &s, next.at);
    if (rc == 0)
        rc = go_on(f, next.rank);
    return leave(f, next.rank, rc, true);
}

static int go_through(struct fold *f)
{
    int rc = 0;

    for (uint32_t r = 0; rc == 0 && r < f->schedule.P; r++)
        rc = begin(f, r);
    while (rc == 0 && (f->head != f->tail || f->n_heap > 0))
        if (f->head != f->tail) {
            const uint32_t r = f->queue[f->head++ & f->mask];

            resume(f, r);
            rc = leave(f, r, go_on(f, r), true);
        } else {
            rc = send_next(f);
        }
    return rc;
}

/* ---- before and after ---- */

static void restart(const struct logp_delay_ops *ops, void *model)
{
    if (ops->restart != NULL)
        ops->restart(model, true);
    if (ops->begin != NULL)
        ops->begin(model, 0);
}

static int make(struct fold *f, const struct logp_delay *delay)
{
    const size_t P = (size_t)f->schedule.P;
    uint32_t size = 2;

    while (size <= P)
        size *= 2;
    f->mask = size - 1;
    f->in_order = f->ops->lookahead == NULL;
    f->ranks = lpi_alloc_pages(P, sizeof(*f->ranks));
    f->queue = malloc(size * sizeof(*f->queue));
    if (f->traced.trace != NULL)
        f->traced.free_at = lpi_zeroed(P, sizeof(*f->traced.free_at));
    if (f->ranks == NULL || f->queue == NULL ||
        (f->traced.trace != NULL && f->traced.free_at == NULL))
        return -ENOMEM;
    for (size_t r = 0; r < P; r++)
        f->ranks[r] = (struct rank){.port = {LOGP_NEVER, LOGP_NEVER, LOGP_NEVER}, .waits_for = -1};
    if (f->ops->capacity != NULL && f->ops->capacity(delay->model) > 0) {
        const int rc = lpi_wires_init(&f->wires, P, f->ops->capacity(delay->model),
                                      f->schedule.model.links != NULL);

        if (rc != 0)
            return rc;
        f->in_order = true;
    }
    if (f->schedule.model.rendezvous_from > 0) {
        const int rc = lpi_rendezvous_init(&f->rendezvous, P, f->schedule.model.rendezvous_from,
                                           f->ops, f->model);

        if (rc != 0)
            return rc;
    }
    if (f->in_order)
        f->heap = malloc(P * sizeof(*f->heap));
    if (f->in_order && f->heap == NULL)
        return -ENOMEM;
    restart(f->ops, f->model);
    if (f->schedule.plan != NULL)
        f->parts = calloc(P, sizeof(*f->parts)); /* of many algorithms next to none is touched */
    return f->schedule.plan == NULL || f->parts != NULL ? 0 : -ENOMEM;
}

static int conclude(struct fold *f)
{
    struct logp_fold *out = f->out;
    uint32_t r = 0;
    struct logp_step s;

    if (f->through == f->schedule.P) {
        out->unreceived = f->mail.left;
        return 0;
    }
    while (f->ranks[r].waits_for < 0)
        r++;
    resume(f, r);
    step_of(f, r, &s);
    out->rank = r;
    out->source = s.peer;
    out->tag = s.tag;
    return -EDEADLK;
}

static void unmake(struct fold *f)
{
    /* a rank that is done has freed its own */
    for (int64_t r = 0; f->parts != NULL && f->through < f->schedule.P && r < f->schedule.P; r++) {
        f->c.plan = f->parts[r];
        lpi_free_plan(&f->c.plan);
    }
    free(f->parts);
    free(f->ranks);
    free(f->queue);
    free(f->heap);
    free(f->traced.free_at);
    lpi_mail_fini(&f->mail);
    lpi_wires_fini(&f->wires);
    lpi_rendezvous_fini(&f->rendezvous, (size_t)f->schedule.P);
}

static void start_at_once(void *model, const struct logp_port *port, struct logp_transfer *t)
{
    (void)model, (void)port;
    t->start = t->done = t->ready;
}

static int64_t take_no_time(void *model, int rank, int64_t now, int64_t ns)
{
    (void)model, (void)rank, (void)ns;
    return now;
}

static int64_t any_order(void *model)
{
    (void)model;
    return 1;
}

struct logp_delay_ops
lpi_timeless(void (*on_send)(void *, struct logp_port *, struct logp_transfer *),
             void (*on_recv)(void *, struct logp_port *, struct logp_transfer *))
{
    return (struct logp_delay_ops){.size = sizeof(struct logp_delay_ops),
                                   .name = "timeless",
                                   .start = start_at_once,
                                   .send = on_send,
                                   .recv = on_recv,
                                   .work = take_no_time,
                                   .lookahead = any_order};
}

/* A list with edges by LogGOPSim's rules: the steps in the order of its acts. *unreceived: messages
 * that no receive takes. 0; as logp_graph_order() */
static int order_graph(const struct logp_schedule *schedule, struct logp_step_list **ordered,
                       uint64_t *unreceived, struct logp_fold *out)
{
    struct logp_graph_time time = {.rank = -1};
    struct logp_graph *graph;
    int rc = logp_graph_of_list(schedule->args.list, &graph);

    *ordered = NULL;
    if (rc == 0)
        rc = logp_graph_order(graph, &schedule->model, ordered, &time);
    if (rc == -EDEADLK) {
        out->rank = time.rank;
        out->source = time.peer;
        out->tag = time.tag <= INT_MAX ? (int)time.tag : LOGP_ANY_TAG;
    }
    *unreceived = (uint64_t)time.unreceived;
    logp_graph_destroy(graph);
    return rc == -ELOOP ? -EDEADLK : rc;
}

static int fold(const struct logp_schedule *schedule, const struct logp_delay *delay, uint64_t most,
                int64_t until, const struct lpi_traced *traced, struct logp_fold *out);

static int fold_ordered(const struct logp_schedule *schedule, const struct logp_delay *delay,
                        uint64_t most, int64_t until, const struct lpi_traced *traced,
                        struct logp_fold *out)
{
    struct logp_schedule in_order = *schedule;
    struct logp_step_list *list;
    uint64_t unreceived;
    int rc = order_graph(schedule, &list, &unreceived, out);

    in_order.args.list = list;
    if (rc == 0)
        rc = fold(&in_order, delay, most, until, traced, out);
    out->unreceived = unreceived;
    logp_graph_list_destroy(list);
    return rc;
}

static int fold(const struct logp_schedule *schedule, const struct logp_delay *delay, uint64_t most,
                int64_t until, const struct lpi_traced *traced, struct logp_fold *out)
{
    const struct logp_params *params = &schedule->model.params;
    struct logp_delay_ops ops;
    struct fold f = {.schedule = *schedule,
                     .c = {schedule->args, schedule->model, {.parent = -1}},
                     .ops = &ops,
                     .model = delay->model};
    int rc;

    *out = (struct logp_fold){.rank = -1};
    if (schedule->P < 1 || schedule->P > LOGP_MAX_PROCESSORS)
        return -EINVAL;
    if (logp_delay_is_none(delay))
        return -ENOTSUP;
    rc = logp_delay_functions(delay, &ops);
    if (rc == 0 && (ops.fate != NULL || ops.stops != NULL))
        rc = -ENOTSUP; /* messages received would not depend on the schedule alone */
    if (rc != 0)
        return rc;
    if (logp_step_list_is_graph(schedule->args.list, params) && params->recv_streams)
        return fold_ordered(schedule, delay, most, until, traced, out);
    if (logp_step_list_is_graph(schedule->args.list, params)) {
        restart(&ops, delay->model);
        return lpi_graph_fold(schedule, &ops, delay->model, most, traced, out);
    }
    f.out = out;
    f.traced = *traced;
    f.most = most;
    f.until = until < end_of_time ? until : end_of_time - 1;
    rc = make(&f, delay);
    if (rc == 0)
        rc = go_through(&f);
    if (rc == 0)
        rc = conclude(&f);
    unmake(&f);
    return rc;
}

int logp_schedule_fold(const struct logp_schedule *schedule, const struct logp_delay *delay,
                       uint64_t most, struct logp_fold *out)
{
    return lpi_fold_until(schedule, delay, most, INT64_MAX, out);
}

int64_t logp_schedule_taker(const struct logp_schedule *schedule, const struct logp_delay *delay,
                            struct logp_fold *out)
{
    int64_t step = -1;

    fold(schedule, delay, 0, INT64_MAX, &(struct lpi_traced){.taker = &step}, out);
    return step;
}

int lpi_fold_until(const struct logp_schedule *schedule, const struct logp_delay *delay,
                   uint64_t most, int64_t until, struct logp_fold *out)
{
    return fold(schedule, delay, most, until, &(struct lpi_traced){.trace = NULL}, out);
}

int logp_trace_predict(const struct logp_schedule *schedule, const struct logp_delay *delay,
                       uint64_t most, const char *label, struct logp_fold *out,
                       struct logp_trace **trace)
{
    struct lpi_traced traced = {.trace = NULL};
    int rc = logp_trace_create(schedule->P, LOGP_TRACE_PREDICTED, &traced.trace);

    *out = (struct logp_fold){.rank = -1};
    if (rc != 0)
        return rc;
    if (label != NULL && *label != '\0') {
        traced.label = logp_trace_add_label(traced.trace, label);
        rc = traced.label != 0 ? 0 : -ENOMEM;
    }
    if (rc == 0)
        rc = fold(schedule, delay, most, INT64_MAX, &traced, out);
    if (rc == 0)
        rc = logp_trace_match(traced.trace);
    if (rc == 0)
        *trace = traced.trace;
    else
        logp_trace_free(traced.trace);
    return rc;
}
