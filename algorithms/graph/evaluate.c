/* SPDX-License-Identifier: MIT */
/*
 * The time of a graph: the events of LogGOPSim, in its order of (time, stamp), where each operation
 * and each message has a stamp of its own from a counter of all.
 *
 * LogGOPSim puts an event whose processor or interface is busy back into its heap, for the time at
 * which that is free again, and does so with all events that wait for it. Here those that wait for
 * the same processor and interface are in a queue, and the one of the least stamp is in the heap
 * alone: since such times only grow, all others would be put back after it with the same time.
 */
#include "graph/graph.h"
#include "operand/operand.h"
#include "predict/predict.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const int64_t end_of_time = INT64_MAX / 8; /* as the fold of schedules */

enum { PROGRESS = 1 << 16, AHEAD = 8 };

/* An item whose turn is at a time. */
struct event {
    int64_t at;
    uint32_t stamp, item;
};

static inline bool comes_before(const struct event *a, const struct event *b)
{
    return a->at != b->at ? a->at < b->at : a->stamp < b->stamp;
}

LPI_HEAP(event, struct event, comes_before)

/* Operations of one rank that an event has freed. */
struct freed {
    uint32_t rank;
    uint32_t *all;
    size_t n, capacity;
};

struct evaluation {
    const struct logp_graph *graph;
    const struct logp_params *params;
    int64_t rendezvous_from;
    const int64_t *host_of;
    struct logp_graph_observer observer;
    int64_t *ends;
    struct logp_graph_time *out;
    uint32_t *waits;        /* by operation: for how many */
    struct lpi_item *items; /* from 1 */
    size_t n_items, item_capacity;
    uint32_t unused; /* items that are in use no more, linked; 0: none */
    struct event *heap;
    size_t n_heap, heap_capacity;
    uint32_t stamp;
    int64_t done; /* operations */
    size_t n_lanes;
    int64_t *processor;        /* by host and processor: when it is free */
    int64_t *sends, *receives; /* by host and interface: when the gap is over */
    struct lpi_queue *computations, *sendings, *arrivals; /* by rank and lane */
    struct lpi_meetings meetings;
    struct freed freed[2];
};

/* ---- the places of an event ---- */

static size_t host(const struct evaluation *v, uint32_t rank)
{
    return v->host_of != NULL ? (size_t)v->host_of[rank] : rank;
}

static int64_t *processor_of(const struct evaluation *v, uint32_t rank, uint16_t lane)
{
    return &v->processor[host(v, rank) * (size_t)v->graph->processors +
                         v->graph->lanes[lane].processor];
}

static int64_t *interface_of(const struct evaluation *v, int64_t *times, uint32_t rank,
                             uint16_t lane)
{
    return &times[host(v, rank) * (size_t)v->graph->interfaces + v->graph->lanes[lane].interface];
}

static struct lpi_queue *queue_of(const struct evaluation *v, struct lpi_queue *queues,
                                  uint32_t rank, uint16_t lane)
{
    return &queues[rank * v->n_lanes + lane];
}

/* (k-1) times a price per byte. */
static int64_t stream(int64_t ps, uint64_t n_bytes)
{
    unsigned __int128 ns;

    if (ps == 0 || n_bytes <= 1)
        return 0;
    if (n_bytes < UINT32_MAX && ps < INT32_MAX) /* a division of 128 bits is slow */
        return (int64_t)(((n_bytes - 1) * (uint64_t)ps + 999) / 1000);
    ns = ((unsigned __int128)(n_bytes - 1) * (uint64_t)ps + 999) / 1000;
    return ns < (unsigned __int128)end_of_time ? (int64_t)ns : end_of_time;
}

/* Whether a send of this many bytes is done only when a receive has taken its message. */
static bool waits_for_receiver(const struct evaluation *v, uint64_t n_bytes)
{
    return v->rendezvous_from > 0 && (n_bytes > 0 ? n_bytes : 1) >= (uint64_t)v->rendezvous_from;
}

/* The number of an operation in its rank. */
static int64_t number_of(const struct evaluation *v, uint32_t rank, uint32_t operation)
{
    return operation - v->graph->base[rank];
}

/* ---- items ---- */

/* 0: no memory */
static uint32_t new_item(struct evaluation *v, uint32_t operation, uint32_t rank)
{
    uint32_t item = v->unused;

    if (item != 0) {
        v->unused = v->items[item].next;
    } else {
        if (v->n_items >= LPI_MOST_ITEMS ||
            !lpi_grow(&v->items, v->n_items, &v->item_capacity, sizeof(*v->items), 256))
            return 0;
        v->meetings.items = v->items;
        item = (uint32_t)v->n_items++;
    }
    v->items[item] = (struct lpi_item){.operation = operation, .rank = rank, .stamp = v->stamp++};
    return item;
}

static void end_item(struct evaluation *v, uint32_t item)
{
    v->items[item].next = v->unused & LPI_MOST_ITEMS;
    v->unused = item;
}

static int turn_at(struct evaluation *v, uint32_t item, int64_t at)
{
    if (!lpi_grow(&v->heap, v->n_heap, &v->heap_capacity, sizeof(*v->heap), 256))
        return -ENOMEM;
    event_push(v->heap, v->n_heap++, (struct event){at, v->items[item].stamp, item});
    return 0;
}

/* The next of a queue is in the heap, the others are not. */
static int line_up(struct evaluation *v, struct lpi_queue *q, uint32_t item, int64_t at)
{
    const bool is_first = q->first == 0;

    lpi_queue_add(q, v->items, item);
    return is_first ? turn_at(v, item, at) : 0;
}

/* The first of a queue is done: the next has its turn. */
static int move_up(struct evaluation *v, struct lpi_queue *q, int64_t at)
{
    lpi_queue_take(q, v->items);
    return q->first != 0 ? turn_at(v, q->first, at) : 0;
}

/* ---- operations that become free ---- */

static int set_free(struct freed *f, uint32_t operation)
{
    if (!lpi_grow(&f->all, f->n, &f->capacity, sizeof(*f->all), 16))
        return -ENOMEM;
    f->all[f->n++] = operation;
    return 0;
}

/* Free what waits for the beginning of an operation, or for its end. */
static int free_next(struct evaluation *v, struct freed *f, uint32_t operation, bool started)
{
    const struct lpi_operation *o = &v->graph->operations[operation];
    int rc = 0;

    for (uint32_t e = o[0].first; rc == 0 && e < o[1].first; e++) {
        const uint32_t to = v->graph->to[e];

        if ((to & 1) == started && --v->waits[to / 2] == 0)
            rc = set_free(f, to / 2);
    }
    return rc;
}

static int finish(struct evaluation *v, struct freed *f, uint32_t operation)
{
    v->done++;
    if (v->observer.progress != NULL && v->done % PROGRESS == 0)
        v->observer.progress(v->observer.arg, v->done, (int64_t)v->graph->n);
    return free_next(v, f, operation, false);
}

/* A rank goes through its operations in about their order, and there are too many ranks for the
 * processor to see that: fetch the operations that come soon. */
static void fetch_ahead(const struct evaluation *v, uint32_t operation)
{
    const struct logp_graph *g = v->graph;
    const size_t edge = g->operations[operation].first + (size_t)2 * AHEAD;
    const size_t next = operation + (size_t)AHEAD, last = next + AHEAD;

    __builtin_prefetch(&g->operations[next < g->n ? next : g->n]);
    __builtin_prefetch(&v->waits[last < g->n ? last : g->n], 1);
    if (edge < g->n_to)
        __builtin_prefetch(&g->to[edge]);
}

static int take_up_one(struct evaluation *v, uint32_t rank, uint32_t operation)
{
    const struct lpi_operation *o = &v->graph->operations[operation];
    const uint32_t item = new_item(v, operation, rank);
    const int64_t processor = *processor_of(v, rank, o->lane);

    if (item == 0)
        return -ENOMEM;
    fetch_ahead(v, operation);
    if (o->kind == LOGP_STEP_COMPUTE)
        return line_up(v, queue_of(v, v->computations, rank, o->lane), item, processor);
    if (o->kind == LOGP_STEP_SEND)
        return line_up(v, queue_of(v, v->sendings, rank, o->lane), item,
                       lpi_max(processor, *interface_of(v, v->sends, rank, o->lane)));
    return turn_at(v, item, processor);
}

static int take_up(struct evaluation *v, struct freed *f)
{
    static const uint8_t order[] = {LOGP_STEP_SEND, LOGP_STEP_RECEIVE, LOGP_STEP_COMPUTE};
    int rc = 0;

    if (f->n == 1) {
        f->n = 0;
        return take_up_one(v, f->rank, f->all[0]);
    }
    for (int k = 0; k < 3; k++)
        for (size_t i = 0; rc == 0 && i < f->n; i++)
            if (v->graph->operations[f->all[i]].kind == order[k])
                rc = take_up_one(v, f->rank, f->all[i]);
    f->n = 0;
    return rc;
}

/* Take up what an event at one or two ranks has freed, in the order of ranks. */
static int take_up_both(struct evaluation *v)
{
    const bool swapped = v->freed[1].rank < v->freed[0].rank;
    int rc = v->freed[swapped].n > 0 ? take_up(v, &v->freed[swapped]) : 0;

    if (rc == 0 && v->freed[!swapped].n > 0)
        rc = take_up(v, &v->freed[!swapped]);
    return rc;
}

/* ---- acts ---- */

/* Report an act, and keep its end, which is that of its rank so far. 0; -EOVERFLOW */
static int note(struct evaluation *v, const struct logp_graph_act *act)
{
    v->out->ns = lpi_max(v->out->ns, act->end);
    if (v->ends != NULL)
        v->ends[act->rank] = lpi_max(v->ends[act->rank], act->end);
    if (v->observer.act != NULL)
        v->observer.act(v->observer.arg, act);
    return act->end < end_of_time ? 0 : -EOVERFLOW;
}

static int compute(struct evaluation *v, const struct event *e, uint32_t rank, uint32_t operation)
{
    const struct lpi_operation *o = &v->graph->operations[operation];
    struct lpi_queue *q = queue_of(v, v->computations, rank, o->lane);
    int64_t *processor = processor_of(v, rank, o->lane);
    int rc;

    if (*processor > e->at)
        return turn_at(v, e->item, *processor);
    *processor = e->at + (int64_t)lpi_operation_amount(v->graph, o);
    rc = note(v, &(struct logp_graph_act){.kind = LOGP_STEP_COMPUTE,
                                          .rank = rank,
                                          .operation = number_of(v, rank, operation),
                                          .peer = -1,
                                          .start = e->at,
                                          .end = *processor});
    if (rc == 0)
        rc = move_up(v, q, *processor);
    end_item(v, e->item);
    if (rc == 0)
        rc = free_next(v, &v->freed[0], operation, true);
    return rc == 0 ? finish(v, &v->freed[0], operation) : rc;
}

/* The message of a send that starts is under way. */
static int send(struct evaluation *v, const struct event *e, uint32_t rank, uint32_t operation)
{
    const struct lpi_operation *o = &v->graph->operations[operation];
    const struct logp_params *p = v->params;
    const uint64_t n_bytes = lpi_operation_amount(v->graph, o);
    struct lpi_queue *q = queue_of(v, v->sendings, rank, o->lane);
    int64_t *processor = processor_of(v, rank, o->lane);
    int64_t *interface = interface_of(v, v->sends, rank, o->lane);
    const int64_t free_at = lpi_max(*processor, *interface),
                  arrival = e->at + p->o_send_ns + p->L_ns;
    uint32_t message;
    int rc;

    if (free_at > e->at)
        return turn_at(v, e->item, free_at);
    *processor = e->at + p->o_send_ns + stream(p->O_ps, n_bytes);
    *interface = e->at + p->g_ns + stream(p->G_ps, n_bytes);
    v->out->messages++;
    rc = note(v, &(struct logp_graph_act){.kind = LOGP_STEP_SEND,
                                          .rank = rank,
                                          .operation = number_of(v, rank, operation),
                                          .peer = o->peer,
                                          .start = e->at,
                                          .end = *processor,
                                          .arrival = arrival});
    if (rc == 0)
        rc = move_up(v, q, lpi_max(*processor, *interface));
    end_item(v, e->item);
    if (rc == 0)
        rc = free_next(v, &v->freed[0], operation, true);
    message = rc == 0 ? new_item(v, operation, rank) : 0;
    if (message == 0)
        return rc == 0 ? -ENOMEM : rc;
    v->items[message].state = LPI_ITEM_COMING;
    rc = turn_at(v, message, arrival);
    return rc == 0 && !waits_for_receiver(v, n_bytes) ? finish(v, &v->freed[0], operation) : rc;
}

/* A receive and a message have met: the receive is done, and a send that waits for its receiver. The
 * places of the sender that have the numbers of `lane` are busy until now. */
static int meet(struct evaluation *v, int64_t now, uint32_t to, uint32_t receive,
                const struct lpi_item *message, uint16_t lane)
{
    const uint32_t from = message->rank;
    struct freed *of_sender = from == to ? &v->freed[0] : &v->freed[1];
    int rc = 0;

    if (v->observer.met != NULL)
        v->observer.met(v->observer.arg, to, number_of(v, to, receive), from,
                        number_of(v, from, message->operation));
    if (waits_for_receiver(
            v, lpi_operation_amount(v->graph, &v->graph->operations[message->operation]))) {
        int64_t *processor = processor_of(v, from, lane);
        int64_t *interface = interface_of(v, v->sends, from, lane);

        of_sender->rank = from;
        rc = finish(v, of_sender, message->operation);
        *processor = lpi_max(*processor, now);
        *interface = lpi_max(*interface, now);
        if (v->ends != NULL)
            v->ends[from] = lpi_max(v->ends[from], now);
    }
    return rc == 0 ? finish(v, &v->freed[0], receive) : rc;
}

static int receive(struct evaluation *v, const struct event *e, uint32_t rank, uint32_t operation)
{
    const struct lpi_operation *o = &v->graph->operations[operation];
    const uint32_t message =
        lpi_meetings_take(&v->meetings, rank, o->peer, lpi_operation_tag(v->graph, o), true);
    int rc = free_next(v, &v->freed[0], operation, true);

    if (rc != 0)
        return rc;
    if (message == 0)
        return lpi_meetings_put(&v->meetings, rank, o->peer, e->item, false);
    rc = meet(v, e->at, rank, operation, &v->items[message], o->lane);
    end_item(v, message);
    end_item(v, e->item);
    return rc;
}

/* A message joins those that wait for their processor, which are in the order of their stamps. */
static int wait_in_line(struct evaluation *v, struct lpi_queue *q, uint32_t item, int64_t at)
{
    uint32_t before = 0, next = q->first;

    v->items[item].state = LPI_ITEM_WAITING;
    if (next == 0 || v->items[q->last].stamp < v->items[item].stamp)
        return line_up(v, q, item, at);
    while (v->items[next].stamp < v->items[item].stamp) {
        before = next;
        next = v->items[next].next;
    }
    v->items[item].next = next & LPI_MOST_ITEMS;
    if (before != 0)
        v->items[before].next = item & LPI_MOST_ITEMS;
    else
        q->first = item;
    return before == 0 ? turn_at(v, item, at) : 0;
}

static int arrive(struct evaluation *v, const struct event *e, uint32_t from, uint32_t operation)
{
    const struct lpi_operation *o = &v->graph->operations[operation];
    const struct logp_params *p = v->params;
    const uint64_t n_bytes = lpi_operation_amount(v->graph, o);
    const uint32_t rank = o->peer;
    const bool waited = v->items[e->item].state == LPI_ITEM_WAITING;
    struct lpi_queue *q = queue_of(v, v->arrivals, rank, o->lane);
    int64_t *processor = processor_of(v, rank, o->lane);
    int64_t *interface = interface_of(v, v->receives, rank, o->lane);
    const int64_t free_at = lpi_max(*processor, *interface);
    const int64_t bytes = stream(p->G_ps, n_bytes);
    uint32_t posted;
    int rc;

    if (free_at > e->at)
        return waited ? turn_at(v, e->item, free_at) : wait_in_line(v, q, e->item, free_at);
    *processor = e->at + p->o_recv_ns + lpi_max(stream(p->O_ps, n_bytes), bytes);
    *interface = e->at + p->g_ns + bytes;
    v->freed[0].rank = rank;
    rc = note(v, &(struct logp_graph_act){.kind = LOGP_STEP_RECEIVE,
                                          .rank = rank,
                                          .operation = number_of(v, from, operation),
                                          .peer = from,
                                          .start = e->at,
                                          .end = *processor,
                                          .arrival = e->at});
    if (rc == 0 && waited)
        rc = move_up(v, q, lpi_max(*processor, *interface));
    if (rc != 0)
        return rc;
    posted = lpi_meetings_take(&v->meetings, rank, from, lpi_operation_tag(v->graph, o), false);
    if (posted == 0)
        return lpi_meetings_put(&v->meetings, rank, from, e->item, true);
    rc = meet(v, e->at, rank, v->items[posted].operation, &v->items[e->item], o->lane);
    end_item(v, posted);
    end_item(v, e->item);
    return rc;
}

/* Whether a message is not the one whose turn it is any more: it has gone in already, or another
 * one with a smaller stamp waits now. */
static bool is_out_of_date(const struct evaluation *v, const struct event *e)
{
    const struct lpi_item *item = &v->items[e->item];
    const struct lpi_operation *o = &v->graph->operations[item->operation];

    if (item->stamp != e->stamp || item->state == LPI_ITEM_MEETING)
        return true;
    return item->state == LPI_ITEM_WAITING &&
           queue_of(v, v->arrivals, o->peer, o->lane)->first != e->item;
}

static int go(struct evaluation *v, const struct event *e)
{
    const struct lpi_item item = v->items[e->item];
    int rc;

    if (is_out_of_date(v, e))
        return 0;
    v->freed[0].rank = item.rank;
    if (item.state != LPI_ITEM_FREE)
        rc = arrive(v, e, item.rank, item.operation);
    else if (v->graph->operations[item.operation].kind == LOGP_STEP_SEND)
        rc = send(v, e, item.rank, item.operation);
    else if (v->graph->operations[item.operation].kind == LOGP_STEP_COMPUTE)
        rc = compute(v, e, item.rank, item.operation);
    else
        rc = receive(v, e, item.rank, item.operation);
    return rc == 0 ? take_up_both(v) : rc;
}

/* ---- all of it ---- */

/* Free what waits for nothing, rank by rank. */
static int begin(struct evaluation *v)
{
    const struct logp_graph *g = v->graph;
    int rc = 0;

    for (size_t i = 0; i < g->n_to; i++)
        v->waits[g->to[i] / 2]++;
    for (int64_t r = 0; rc == 0 && r < g->P; r++) {
        v->freed[0].rank = (uint32_t)r;
        for (uint32_t i = 0; rc == 0 && i < g->count[r]; i++)
            if (v->waits[g->base[r] + i] == 0)
                rc = set_free(&v->freed[0], g->base[r] + i);
        if (rc == 0)
            rc = take_up(v, &v->freed[0]);
    }
    return rc;
}

static int make(struct evaluation *v)
{
    const struct logp_graph *g = v->graph;
    const size_t P = (size_t)g->P, processors = P * (size_t)g->processors;
    const size_t interfaces = P * (size_t)g->interfaces;

    v->n_lanes = g->n_lanes > 0 ? g->n_lanes : 1;
    v->n_items = 1;
    v->waits = lpi_pages_zeroed(g->n + 1, sizeof(*v->waits));
    v->processor = calloc(processors, sizeof(*v->processor));
    v->sends = calloc(interfaces, sizeof(*v->sends));
    v->receives = calloc(interfaces, sizeof(*v->receives));
    v->computations = calloc(P * v->n_lanes, sizeof(*v->computations));
    v->sendings = calloc(P * v->n_lanes, sizeof(*v->sendings));
    v->arrivals = calloc(P * v->n_lanes, sizeof(*v->arrivals));
    if (v->waits == NULL || v->processor == NULL || v->sends == NULL || v->receives == NULL ||
        v->computations == NULL || v->sendings == NULL || v->arrivals == NULL ||
        !lpi_grow(&v->items, 0, &v->item_capacity, sizeof(*v->items), 256))
        return -ENOMEM;
    v->meetings.items = v->items;
    for (int64_t r = 0; v->host_of != NULL && r < g->P; r++)
        if (v->host_of[r] < 0 || v->host_of[r] >= g->P)
            return -EINVAL;
    return 0;
}

/* What keeps the first rank from its end that does not come to it: of its posted receives the first,
 * or a message of its own that no receive has taken. */
struct blocked {
    const struct evaluation *v;
    uint32_t rank;
    bool receives;
    uint32_t item; /* 0: none yet */
};

static void find_blocked(void *arg, uint32_t at, uint32_t item)
{
    struct blocked *b = arg;
    const struct lpi_item *i = &b->v->items[item];
    const bool receive = b->v->graph->operations[i->operation].kind == LOGP_STEP_RECEIVE;
    const bool is_it = receive == b->receives && (receive ? at : i->rank) == b->rank;

    if (is_it && (b->item == 0 || i->stamp < b->v->items[b->item].stamp))
        b->item = item;
}

static int say_blocked(const struct evaluation *v, uint32_t rank)
{
    struct blocked b = {.v = v, .rank = rank, .receives = true};
    struct logp_graph_time *out = v->out;

    lpi_meetings_each(&v->meetings, find_blocked, &b);
    if (b.item == 0) {
        b.receives = false;
        lpi_meetings_each(&v->meetings, find_blocked, &b);
    }
    out->rank = rank;
    out->peer = -1;
    if (b.item != 0) {
        const struct lpi_operation *o = &v->graph->operations[v->items[b.item].operation];

        out->peer = lpi_operation_peer(o);
        out->tag = lpi_operation_tag(v->graph, o);
        out->sends = !b.receives;
    }
    return -EDEADLK;
}

/* A rank that does not come to its end has an item that waits for ever. */
struct first_rank {
    const struct evaluation *v;
    uint32_t rank; /* LPI_ANY: none */
};

static void find_first(void *arg, uint32_t at, uint32_t item)
{
    struct first_rank *f = arg;
    const struct lpi_item *i = &f->v->items[item];
    const struct lpi_operation *o = &f->v->graph->operations[i->operation];

    if (o->kind == LOGP_STEP_SEND &&
        !waits_for_receiver(f->v, lpi_operation_amount(f->v->graph, o)))
        f->v->out->unreceived++;
    else if ((o->kind == LOGP_STEP_RECEIVE ? at : i->rank) < f->rank)
        f->rank = o->kind == LOGP_STEP_RECEIVE ? at : i->rank;
}

static int conclude(const struct evaluation *v)
{
    struct first_rank f = {v, LPI_ANY};

    lpi_meetings_each(&v->meetings, find_first, &f);
    return f.rank == LPI_ANY ? 0 : say_blocked(v, f.rank);
}

static void fini(struct evaluation *v)
{
    lpi_pages_free(v->waits, v->graph->n + 1, sizeof(*v->waits));
    free(v->items);
    free(v->heap);
    free(v->processor);
    free(v->sends);
    free(v->receives);
    free(v->computations);
    free(v->sendings);
    free(v->arrivals);
    free(v->freed[0].all);
    free(v->freed[1].all);
    lpi_meetings_fini(&v->meetings);
}

int logp_graph_evaluate(const struct logp_graph *graph, const struct logp_network *network,
                        const int64_t *host_of, const struct logp_graph_observer *observer,
                        int64_t *ends, struct logp_graph_time *out)
{
    struct evaluation v = {.graph = graph,
                           .params = &network->params,
                           .rendezvous_from = network->rendezvous_from,
                           .host_of = host_of,
                           .ends = ends,
                           .out = out};
    int rc;

    *out = (struct logp_graph_time){.rank = -1, .peer = -1};
    if (observer != NULL &&
        logp_struct_take(&v.observer, sizeof(v.observer), sizeof(v.observer), observer) != 0)
        return -EINVAL;
    if (ends != NULL)
        memset(ends, 0, (size_t)graph->P * sizeof(*ends));
    rc = make(&v);
    if (rc == 0)
        rc = lpi_meetings_init(&v.meetings, graph);
    v.meetings.items = v.items;
    if (rc == 0)
        rc = begin(&v);
    while (rc == 0 && v.n_heap > 0) {
        const struct event e = event_pop(v.heap, v.n_heap--);

        rc = go(&v, &e);
    }
    if (rc == 0)
        rc = conclude(&v);
    fini(&v);
    return rc;
}
