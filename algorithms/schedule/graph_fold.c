/* SPDX-License-Identifier: MIT */
/*
 * The time of a list with edges, without running it: each rank is woken at the times at which an
 * act ends or could start or a message arrives, in the order of (time, rank), which is that of the
 * virtual clock. It does one act and goes back into the queue, so that a rank with an earlier time
 * goes first.
 */
#include "predict/predict.h"
#include "schedule/schedule.h"

#include <errno.h>
#include <stdlib.h>

static const int64_t end_of_time = INT64_MAX / 8; /* as fold.c */

/* A message that is on its way. Messages of one source come in the order sent: `seen` is at least
 * that of the one before it. */
struct coming {
    int64_t arrival, seen;
    size_t n_bytes;
    uint32_t number; /* of its sender's */
    int32_t src, tag;
};

/* The time when the last message of a source is seen. */
struct last {
    int64_t seen;
    int32_t src; /* plus 1; 0: none */
};

struct desk {
    struct lpi_graph graph;
    int64_t clock, wake; /* wake INT64_MAX: when something comes */
    struct logp_port port;
    uint32_t sends;
    struct coming *inbox; /* a heap, the first to be seen on top */
    size_t n_coming, space;
    struct last *last; /* a hash table of 2^x */
    uint32_t n_last, last_space;
};

struct fold {
    const struct logp_schedule *schedule;
    const struct logp_params *params;
    const struct logp_delay_ops *ops;
    void *model;
    struct lpi_traced traced;
    struct logp_fold *out;
    uint64_t most;
    struct desk *desks;
    struct lpi_turn *heap; /* of ranks to be woken; an entry that is out of date is passed over */
    size_t n_heap, heap_capacity;
};

/* ---- two heaps ---- */

static int wake_at(struct fold *f, uint32_t rank, int64_t at)
{
    if (!lpi_grow(&f->heap, f->n_heap, &f->heap_capacity, sizeof(*f->heap), 64))
        return -ENOMEM;
    f->desks[rank].wake = at;
    lpi_turn_push(f->heap, f->n_heap++, (struct lpi_turn){at, rank});
    return 0;
}

static bool comes_before(const struct coming *a, const struct coming *b)
{
    if (a->seen != b->seen)
        return a->seen < b->seen;
    return a->src != b->src ? a->src < b->src : a->number < b->number;
}

LPI_HEAP(coming, struct coming, comes_before)

/* Of a source; or a place for it. */
static struct last *find_last(const struct desk *d, int32_t src)
{
    uint32_t i = (uint32_t)src * UINT32_C(2654435769) & (d->last_space - 1);

    while (d->last[i].src != 0 && d->last[i].src != src + 1)
        i = (i + 1) & (d->last_space - 1);
    return &d->last[i];
}

/* Set the time when m, which is the next of its source, is seen. 0; -ENOMEM */
static int see(struct desk *d, struct coming *m)
{
    struct last *last;

    if (d->n_last >= d->last_space / 2) {
        struct desk larger = {.last_space = d->last_space > 0 ? 2 * d->last_space : 4};

        larger.last = calloc(larger.last_space, sizeof(*larger.last));
        if (larger.last == NULL)
            return -ENOMEM;
        for (uint32_t i = 0; i < d->last_space; i++)
            if (d->last[i].src != 0)
                *find_last(&larger, d->last[i].src - 1) = d->last[i];
        free(d->last);
        d->last = larger.last;
        d->last_space = larger.last_space;
    }
    last = find_last(d, m->src);
    if (last->src == 0) {
        *last = (struct last){m->arrival, m->src + 1};
        d->n_last++;
    }
    m->seen = last->seen = lpi_max(last->seen, m->arrival);
    return 0;
}

static int put(struct desk *d, const struct coming *m)
{
    if (!lpi_grow(&d->inbox, d->n_coming, &d->space, sizeof(*d->inbox), 4))
        return -ENOMEM;
    coming_push(d->inbox, d->n_coming++, *m);
    return 0;
}

/* ---- acts ---- */

static int send(struct fold *f, uint32_t r, const struct logp_step *s)
{
    struct desk *d = &f->desks[r], *to = &f->desks[s->peer];
    struct logp_transfer t = {.src = (int)r,
                              .dst = (int)s->peer,
                              .n_bytes = s->n_bytes,
                              .number = d->sends,
                              .ready = d->clock};
    struct coming m = {.n_bytes = s->n_bytes, .number = d->sends, .src = (int32_t)r, .tag = s->tag};
    int rc;

    if (f->most > 0 && f->out->messages >= f->most)
        return -E2BIG;
    f->ops->start(f->model, &d->port, &t);
    f->ops->send(f->model, &d->port, &t);
    m.arrival = t.arrival;
    d->sends++;
    d->clock = t.done;
    f->out->messages++;
    rc = see(to, &m);
    if (rc == 0)
        rc = put(to, &m);
    if (rc == 0 && to->graph.doing == LPI_NOTHING && to != d && m.seen < to->wake)
        rc = wake_at(f, (uint32_t)s->peer, m.seen);
    if (rc == 0 && f->traced.trace != NULL) {
        f->traced.free_at[r] = t.start;
        rc = lpi_traced_send(&f->traced, &t, s->tag, t.start);
    }
    return rc != 0 ? rc : t.arrival < end_of_time ? 0 : -EOVERFLOW;
}

static int receive(struct fold *f, uint32_t r, const struct lpi_parcel *p)
{
    struct desk *d = &f->desks[r];
    struct logp_transfer t = {.src = p->src,
                              .dst = (int)r,
                              .n_bytes = p->n_bytes,
                              .ready = d->clock,
                              .arrival = p->arrival};

    f->ops->recv(f->model, &d->port, &t);
    d->clock = t.done;
    return f->traced.trace != NULL ? lpi_traced_receive(&f->traced, &t, p->tag) : 0;
}

static int compute(struct fold *f, uint32_t r, const struct logp_step *s)
{
    struct desk *d = &f->desks[r];
    const int64_t begun = d->clock;

    d->clock = f->ops->work != NULL ? f->ops->work(f->model, (int)r, begun, s->ns) : begun + s->ns;
    return f->traced.trace != NULL ? lpi_traced_compute(&f->traced, r, begun, d->clock - begun) : 0;
}

/* Find when each act could start. */
static void look_at(struct fold *f, uint32_t r, int64_t at[LPI_ACTS])
{
    const struct desk *d = &f->desks[r];
    const struct logp_step *s = lpi_graph_step(&d->graph, LPI_SEND);
    const struct lpi_parcel *p = lpi_graph_parcel(&d->graph);

    at[LPI_SEND] = at[LPI_COMPUTE] = at[LPI_RECEIVE] = INT64_MAX;
    if (s != NULL) {
        struct logp_transfer t = {.src = (int)r,
                                  .dst = (int)s->peer,
                                  .n_bytes = s->n_bytes,
                                  .number = d->sends,
                                  .ready = d->clock};

        f->ops->start(f->model, &d->port, &t);
        at[LPI_SEND] = t.start;
    }
    if (lpi_graph_step(&d->graph, LPI_COMPUTE) != NULL)
        at[LPI_COMPUTE] = d->clock;
    if (p != NULL) {
        struct logp_port port = d->port;
        struct logp_transfer t = {.src = p->src,
                                  .dst = (int)r,
                                  .n_bytes = p->n_bytes,
                                  .number = 1, /* it only asks */
                                  .ready = d->clock,
                                  .arrival = p->arrival};

        f->ops->recv(f->model, &port, &t);
        at[LPI_RECEIVE] = t.start;
    }
}

static int begin(struct fold *f, uint32_t r, enum lpi_act act)
{
    struct desk *d = &f->desks[r];
    const struct logp_step *s = act != LPI_RECEIVE ? lpi_graph_step(&d->graph, act) : NULL;
    const struct lpi_parcel *p = lpi_graph_parcel(&d->graph);
    const int64_t now = d->clock;
    int rc;

    lpi_graph_begin(&d->graph, act, now);
    rc = act == LPI_SEND ? send(f, r, s) : act == LPI_COMPUTE ? compute(f, r, s) : receive(f, r, p);
    if (rc == 0 && d->clock >= end_of_time)
        rc = -EOVERFLOW;
    return rc == 0 ? wake_at(f, r, d->clock) : rc;
}

static int wrong(struct fold *f, uint32_t r, int rc)
{
    if (rc == -EMSGSIZE || rc == -EINVAL)
        f->out->rank = r;
    return rc;
}

/* Wake rank r at time `now`: end its act, take the messages that have come, and begin the next act,
 * or go back to sleep. */
static int wake(struct fold *f, uint32_t r, int64_t now)
{
    struct desk *d = &f->desks[r];
    int64_t at[LPI_ACTS], next;
    enum lpi_act act;
    int rc = 0;

    d->clock = now;
    d->wake = INT64_MAX;
    if (d->graph.doing != LPI_NOTHING) {
        f->out->ns = lpi_max(f->out->ns, now);
        rc = lpi_graph_end(&d->graph, now);
    }
    while (rc == 0 && d->n_coming > 0 && d->inbox[0].seen <= now) {
        const struct coming m = coming_pop(d->inbox, d->n_coming--);
        const struct lpi_parcel p = {.arrival = m.arrival,
                                     .sent = lpi_graph_sent(f->params, m.arrival, m.n_bytes),
                                     .n_bytes = m.n_bytes,
                                     .src = m.src,
                                     .tag = m.tag};

        rc = lpi_graph_accept(&d->graph, &p);
    }
    if (rc != 0)
        return wrong(f, r, rc);
    look_at(f, r, at);
    act = lpi_graph_choose(&d->graph, at);
    if (act != LPI_NOTHING && at[act] <= now)
        return begin(f, r, act);
    next = act != LPI_NOTHING ? at[act] : INT64_MAX;
    if (d->n_coming > 0 && d->inbox[0].seen < next)
        next = d->inbox[0].seen;
    return next < INT64_MAX ? wake_at(f, r, next) : 0;
}

/* ---- all of it ---- */

static bool is_possible(const struct fold *f, const struct logp_step *s)
{
    const bool message = s->kind == LOGP_STEP_SEND || s->kind == LOGP_STEP_RECEIVE;
    const bool may_be_any = s->kind == LOGP_STEP_RECEIVE;

    if (!message)
        return s->kind == LOGP_STEP_COMPUTE && s->ns >= 0;
    return (s->peer >= 0 || (may_be_any && s->peer == LOGP_ANY_SOURCE)) &&
           s->peer < f->schedule->P && (s->tag >= 0 || (may_be_any && s->tag == LOGP_ANY_TAG));
}

static int make(struct fold *f)
{
    const struct logp_step_list *list = f->schedule->args.list;
    const size_t P = (size_t)f->schedule->P;
    int rc = 0;

    f->desks = calloc(P, sizeof(*f->desks));
    if (f->traced.trace != NULL)
        f->traced.free_at = calloc(P, sizeof(*f->traced.free_at));
    if (f->desks == NULL || (f->traced.trace != NULL && f->traced.free_at == NULL))
        return -ENOMEM;
    for (size_t r = 0; rc == 0 && r < P; r++) {
        struct desk *d = &f->desks[r];

        d->port = (struct logp_port){LOGP_NEVER, LOGP_NEVER, LOGP_NEVER};
        for (int64_t i = 0; rc == 0 && i < list->n[r]; i++)
            rc = is_possible(f, &list->steps[r][i]) ? 0 : -EINVAL;
        if (rc == 0)
            rc = lpi_graph_init(&d->graph, list, (int64_t)r);
        if (rc == 0)
            rc = wake_at(f, (uint32_t)r, 0);
        wrong(f, (uint32_t)r, rc);
    }
    return rc;
}

static int conclude(struct fold *f)
{
    struct logp_fold *out = f->out;
    uint64_t met = 0;

    for (uint32_t r = 0; r < f->schedule->P; r++) {
        struct lpi_graph *g = &f->desks[r].graph;
        const struct logp_step *s = lpi_graph_is_through(g) ? NULL : lpi_graph_waits_for(g);

        met += g->n_met;
        if (lpi_graph_is_through(g))
            continue;
        out->rank = r;
        out->source =
            s != NULL ? s->peer : r; /* none: steps wait for each other, round and round */
        out->tag = s != NULL ? s->tag : LOGP_ANY_TAG;
        if (f->traced.taker != NULL && s != NULL)
            *f->traced.taker = lpi_graph_taker(g, s);
        return -EDEADLK;
    }
    out->unreceived = out->messages - met;
    return 0;
}

int lpi_graph_fold(const struct logp_schedule *schedule, const struct logp_delay_ops *ops,
                   void *model, uint64_t most, const struct lpi_traced *traced,
                   struct logp_fold *out)
{
    struct fold f = {.schedule = schedule,
                     .params = &schedule->model.params,
                     .ops = ops,
                     .model = model,
                     .traced = *traced,
                     .out = out,
                     .most = most};
    int rc;

    if (schedule->model.rendezvous_from > 0 || (ops->capacity != NULL && ops->capacity(model) > 0))
        return -ENOTSUP;
    rc = make(&f);
    while (rc == 0 && f.n_heap > 0) {
        const struct lpi_turn next = lpi_turn_pop(f.heap, f.n_heap--);

        if (next.at == f.desks[next.rank].wake)
            rc = wake(&f, next.rank, next.at);
    }
    if (rc == 0)
        rc = conclude(&f);
    for (int64_t r = 0; f.desks != NULL && r < schedule->P; r++) {
        lpi_graph_fini(&f.desks[r].graph);
        free(f.desks[r].inbox);
        free(f.desks[r].last);
    }
    free(f.desks);
    free(f.heap);
    free(f.traced.free_at);
    return rc;
}
