/* SPDX-License-Identifier: MIT */
/*
 * The tasks of a graph of operations: its acts, in the order in which LogGOPSim's rules make them. An
 * act waits for the one before it on its processor and on its interface, and a message for its send.
 * What an operation requires only decides its place in this order.
 */
#include "schedule/schedule.h"

#include <logp/graph.h>

#include <errno.h>
#include <stdlib.h>

struct recorder {
    struct lpi_explanation *x;
    const struct logp_graph *graph;
    struct logp_graph_size size;
    size_t task_capacity, edge_capacity, n_edges;
    uint32_t *base;             /* by rank: its first operation */
    uint32_t *task;             /* by operation: its act */
    uint32_t *processor;        /* by rank and processor: the last act; LPI_NO_TASK: none */
    uint32_t *sends, *receives; /* by rank and interface */
    int rc;
};

static uint32_t *none(size_t n)
{
    uint32_t *all = malloc((n + 1) * sizeof(*all));

    for (size_t i = 0; all != NULL && i <= n; i++)
        all[i] = LPI_NO_TASK;
    return all;
}

/* 0; -ENOMEM */
static int begin(struct recorder *r)
{
    const size_t P = (size_t)r->size.P;

    r->base = calloc(P + 1, sizeof(*r->base));
    r->task = none((size_t)r->size.operations);
    r->processor = none(P * (size_t)r->size.processors);
    r->sends = none(P * (size_t)r->size.interfaces);
    r->receives = none(P * (size_t)r->size.interfaces);
    if (r->base == NULL || r->task == NULL || r->processor == NULL || r->sends == NULL ||
        r->receives == NULL)
        return -ENOMEM;
    for (size_t rank = 0; rank < P; rank++)
        r->base[rank + 1] = r->base[rank] + (uint32_t)logp_graph_count(r->graph, (int64_t)rank);
    return 0;
}

static void fini(struct recorder *r)
{
    free(r->base);
    free(r->task);
    free(r->processor);
    free(r->sends);
    free(r->receives);
}

/* ---- tasks ---- */

/* LPI_NO_TASK: no memory, or too many */
static uint32_t add_task(struct recorder *r, struct logp_task task)
{
    struct lpi_explanation *x = r->x;
    const size_t n = x->public.n_tasks;
    size_t for_edges = r->task_capacity;

    if (n >= LOGP_EXPLAIN_TASKS)
        r->rc = -E2BIG;
    if (r->rc != 0)
        return LPI_NO_TASK;
    if (!lpi_grow(&x->first_edge, n + 1, &for_edges, sizeof(*x->first_edge), 64) ||
        !lpi_grow(&x->tasks, n + 1, &r->task_capacity, sizeof(*x->tasks), 64)) {
        r->rc = -ENOMEM;
        return LPI_NO_TASK;
    }
    x->tasks[n] = task;
    x->first_edge[n] = x->first_edge[n + 1] = r->n_edges;
    x->public.n_tasks++;
    return (uint32_t)n;
}

/* Add an edge to the last task. */
static void add_edge(struct recorder *r, struct lpi_edge edge)
{
    struct lpi_explanation *x = r->x;

    if (r->rc != 0 || edge.from == LPI_NO_TASK)
        return;
    if (!lpi_grow(&x->edges, r->n_edges, &r->edge_capacity, sizeof(*x->edges), 64)) {
        r->rc = -ENOMEM;
        return;
    }
    x->edges[r->n_edges++] = edge;
    x->first_edge[x->public.n_tasks] = r->n_edges;
}

static void after_end(struct recorder *r, uint32_t from)
{
    add_edge(r, (struct lpi_edge){.from = from, .link = from, .link_before = from});
}

/* The gap of the last send or receive of an interface. */
static void after_gap(struct recorder *r, uint32_t from)
{
    if (from != LPI_NO_TASK)
        add_edge(r, (struct lpi_edge){.from = from,
                                      .from_start = true,
                                      .g = 1,
                                      .bytes = lpi_streamed(r->x, from),
                                      .link = from,
                                      .link_before = from});
}

static uint32_t *processor_of(const struct recorder *r, int64_t rank, const struct logp_graph_op *o)
{
    return &r->processor[rank * r->size.processors + o->processor];
}

static uint32_t *interface_of(const struct recorder *r, uint32_t *all, int64_t rank,
                              const struct logp_graph_op *o)
{
    return &all[rank * r->size.interfaces + o->interface];
}

/* ---- what the evaluation reports ---- */

static void record_message(struct recorder *r, const struct logp_graph_act *act,
                           const struct logp_graph_op *o)
{
    const uint32_t send = r->task[r->base[act->peer] + act->operation];
    uint32_t *interface = interface_of(r, r->receives, act->rank, o);
    uint32_t *processor = processor_of(r, act->rank, o);
    const uint32_t task = add_task(r, (struct logp_task){.kind = LOGP_STEP_RECEIVE,
                                                         .tag = (int)(o->tag & INT32_MAX),
                                                         .rank = act->rank,
                                                         .peer = act->peer,
                                                         .n_bytes = (size_t)o->amount,
                                                         .other = send});

    if (task == LPI_NO_TASK)
        return;
    r->x->tasks[send].other = task;
    r->x->public.messages++;
    after_end(r, *processor);
    add_edge(r, lpi_wire(r->x, send));
    after_gap(r, *interface);
    *processor = *interface = task;
}

static void record_act(void *arg, const struct logp_graph_act *act)
{
    struct recorder *r = arg;
    const bool message = act->kind == LOGP_STEP_RECEIVE, sends = act->kind == LOGP_STEP_SEND;
    struct logp_graph_op o;
    uint32_t *processor, task;

    if (r->rc != 0)
        return;
    logp_graph_at(r->graph, message ? act->peer : act->rank, act->operation, &o);
    if (message) {
        record_message(r, act, &o);
        return;
    }
    processor = processor_of(r, act->rank, &o);
    task = add_task(r, (struct logp_task){.kind = act->kind,
                                          .tag = sends ? (int)(o.tag & INT32_MAX) : 0,
                                          .rank = act->rank,
                                          .peer = act->peer,
                                          .n_bytes = sends ? (size_t)o.amount : 0,
                                          .compute_ns = sends ? 0 : o.amount,
                                          .other = -1});
    after_end(r, *processor);
    r->task[r->base[act->rank] + act->operation] = *processor = task;
    if (sends) {
        uint32_t *interface = interface_of(r, r->sends, act->rank, &o);

        after_gap(r, *interface);
        *interface = task;
    }
}

int lpi_record_graph(const struct logp_graph *graph, const struct logp_network *network,
                     struct lpi_explanation *x)
{
    struct recorder r = {.x = x, .graph = graph, .size = logp_graph_size(graph)};
    const struct logp_graph_observer observer = {
        .size = sizeof(observer), .arg = &r, .act = record_act};
    struct logp_graph_time time;
    int rc = r.size.operations > LOGP_EXPLAIN_TASKS ? -E2BIG : begin(&r);

    if (rc == 0)
        rc = logp_graph_evaluate(graph, network, NULL, &observer, NULL, &time);
    fini(&r);
    return rc != 0 ? rc : r.rc;
}
