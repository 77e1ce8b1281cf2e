/* SPDX-License-Identifier: MIT */
/* A graph is filled, rank by rank, and read. */
#include "graph/graph.h"
#include "operand/operand.h"

#include <logp/machine.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { LANES = LOGP_GRAPH_MOST_PLACES * LOGP_GRAPH_MOST_PLACES };

int logp_graph_create(int64_t P, struct logp_graph **out)
{
    struct logp_graph *g;

    *out = NULL;
    if (P < 1 || P > LOGP_MAX_PROCESSORS)
        return -EINVAL;
    g = calloc(1, sizeof(*g));
    if (g == NULL)
        return -ENOMEM;
    *g = (struct logp_graph){.P = P, .rank = -1, .processors = 1, .interfaces = 1};
    g->base = calloc((size_t)P, sizeof(*g->base));
    g->count = calloc((size_t)P, sizeof(*g->count));
    g->begun = calloc((size_t)P, sizeof(*g->begun));
    g->wild = calloc((size_t)P, sizeof(*g->wild));
    g->lane_of = calloc(LANES, sizeof(*g->lane_of));
    if (g->base == NULL || g->count == NULL || g->begun == NULL || g->wild == NULL ||
        g->lane_of == NULL ||
        !lpi_grow(&g->operations, 0, &g->capacity, sizeof(*g->operations), 64)) {
        logp_graph_destroy(g);
        return -ENOMEM;
    }
    *out = g;
    return 0;
}

void logp_graph_destroy(struct logp_graph *graph)
{
    if (graph == NULL)
        return;
    free(graph->operations);
    free(graph->to);
    free(graph->base);
    free(graph->count);
    free(graph->begun);
    free(graph->wild);
    free(graph->lane_of);
    free(graph->lanes);
    free(graph->edges);
    free(graph);
}

/* ---- fill ---- */

int logp_graph_begin_rank(struct logp_graph *graph, int64_t rank)
{
    int rc = 0;

    if (rank < 0 || rank >= graph->P || graph->begun[rank])
        return -EINVAL;
    if (graph->rank >= 0)
        rc = logp_graph_end_rank(graph, NULL);
    if (rc != 0)
        return rc;
    graph->rank = rank;
    graph->begun[rank] = true;
    graph->base[rank] = (uint32_t)graph->n;
    return 0;
}

/* The lane of a pair of places. 0; -ENOMEM */
static int find_lane(struct logp_graph *g, int processor, int interface, uint16_t *lane)
{
    uint16_t *of = &g->lane_of[processor * LOGP_GRAPH_MOST_PLACES + interface];

    if (*of == 0 && g->n_lanes < LANES - 1) {
        if (!lpi_grow(&g->lanes, g->n_lanes, &g->lane_capacity, sizeof(*g->lanes), 4))
            return -ENOMEM;
        g->lanes[g->n_lanes++] = (struct lpi_lane){(uint8_t)processor, (uint8_t)interface};
        *of = (uint16_t)g->n_lanes;
        if (processor >= g->processors)
            g->processors = processor + 1;
        if (interface >= g->interfaces)
            g->interfaces = interface + 1;
    }
    if (*of == 0)
        return -E2BIG;
    *lane = (uint16_t)(*of - 1);
    return 0;
}

static bool is_place(int place)
{
    return place >= 0 && place < LOGP_GRAPH_MOST_PLACES;
}

static bool is_possible(const struct logp_graph *g, const struct logp_graph_op *o)
{
    const bool any = o->kind == LOGP_STEP_RECEIVE && o->peer == LOGP_ANY_SOURCE;

    if (g->rank < 0 || o->amount < 0 || o->amount > LOGP_GRAPH_MOST_AMOUNT ||
        !is_place(o->processor) || !is_place(o->interface))
        return false;
    if (o->kind == LOGP_STEP_COMPUTE)
        return true;
    return (o->kind == LOGP_STEP_SEND || o->kind == LOGP_STEP_RECEIVE) &&
           (any || (o->peer >= 0 && o->peer < g->P));
}

/* Note the properties of a send or a receive. */
static void note_message(struct logp_graph *g, const struct logp_graph_op *o)
{
    if (o->amount > g->most_bytes)
        g->most_bytes = o->amount;
    g->n_sends += o->kind == LOGP_STEP_SEND;
    if (o->tag != LOGP_GRAPH_ANY_TAG && o->tag > g->most_tag)
        g->most_tag = o->tag;
    if (o->peer == LOGP_ANY_SOURCE || o->tag == LOGP_GRAPH_ANY_TAG)
        g->wild[o->kind == LOGP_STEP_SEND ? o->peer : g->rank] = true;
}

int logp_graph_add(struct logp_graph *graph, const struct logp_graph_op *operation)
{
    const bool message = operation->kind != LOGP_STEP_COMPUTE;
    uint16_t lane;
    int rc;

    if (!is_possible(graph, operation))
        return -EINVAL;
    if (graph->n >= LOGP_GRAPH_MAX)
        return -E2BIG;
    rc = find_lane(graph, operation->processor, operation->interface, &lane);
    if (rc != 0)
        return rc;
    if (!lpi_grow(&graph->operations, graph->n + 1, &graph->capacity, sizeof(*graph->operations),
                  64))
        return -ENOMEM;
    graph->operations[graph->n++] = (struct lpi_operation){
        .amount = {(uint32_t)operation->amount, (uint32_t)(operation->amount >> 32)},
        .tag = {message ? (uint32_t)operation->tag : 0,
                message ? (uint32_t)(operation->tag >> 32) : 0},
        .peer = !message                             ? 0
                : operation->peer == LOGP_ANY_SOURCE ? LPI_ANY
                                                     : (uint32_t)operation->peer,
        .lane = lane,
        .kind = (uint8_t)operation->kind};
    graph->count[graph->rank]++;
    if (message)
        note_message(graph, operation);
    return 0;
}

int logp_graph_add_edge(struct logp_graph *graph, const struct logp_edge *edge)
{
    if (graph->rank < 0 || edge->before < 0 || edge->after < 0 || edge->before >= LOGP_GRAPH_MAX ||
        edge->after >= LOGP_GRAPH_MAX)
        return -EINVAL;
    if (graph->n_to + graph->n_edges >= UINT32_MAX)
        return -E2BIG;
    if (!lpi_grow(&graph->edges, graph->n_edges, &graph->edge_capacity, sizeof(*graph->edges), 64))
        return -ENOMEM;
    graph->edges[graph->n_edges++] =
        (struct lpi_graph_edge){(uint32_t)edge->before, (uint32_t)edge->after * 2 + edge->started};
    return 0;
}

/* Sort the edges of the rank by the operations before them; those of one stay in their order. */
static void link_edges(struct logp_graph *g, uint32_t base, uint32_t n)
{
    struct lpi_operation *o = g->operations + base;
    uint32_t next = (uint32_t)g->n_to;

    for (uint32_t i = 0; i < n; i++)
        o[i].first = 0;
    for (size_t i = 0; i < g->n_edges; i++)
        o[g->edges[i].before].first++;
    for (uint32_t i = 0; i < n; i++) { /* the first of each, and later the first of the next */
        const uint32_t count = o[i].first;

        o[i].first = next;
        next += count;
    }
    for (size_t i = 0; i < g->n_edges; i++)
        g->to[o[g->edges[i].before].first++] = g->edges[i].after + 2 * base;
    for (uint32_t i = n; i > 0; i--)
        o[i].first = o[i - 1].first;
    o[0].first = (uint32_t)g->n_to;
    g->n_to += g->n_edges;
}

/* Whether no operation of the rank waits for itself. *wrong: one that does. 0; -ELOOP, -ENOMEM */
static int find_circle(const struct logp_graph *g, uint32_t base, uint32_t n, int64_t *wrong)
{
    const struct lpi_operation *o = g->operations;
    uint32_t *waits = calloc((size_t)n + 1, sizeof(*waits));
    uint32_t *free_ones = malloc(((size_t)n + 1) * sizeof(*free_ones));
    uint32_t n_free = 0, done = 0;
    int rc = waits == NULL || free_ones == NULL ? -ENOMEM : 0;

    for (uint32_t e = o[base].first; rc == 0 && e < o[base + n].first; e++)
        waits[g->to[e] / 2 - base]++;
    for (uint32_t i = 0; rc == 0 && i < n; i++)
        if (waits[i] == 0)
            free_ones[n_free++] = i;
    while (rc == 0 && done < n_free) {
        const uint32_t i = base + free_ones[done++];

        for (uint32_t e = o[i].first; e < o[i + 1].first; e++)
            if (--waits[g->to[e] / 2 - base] == 0)
                free_ones[n_free++] = g->to[e] / 2 - base;
    }
    for (uint32_t i = 0; rc == 0 && done < n && i < n; i++)
        if (waits[i] > 0) {
            *wrong = i;
            rc = -ELOOP;
        }
    free(waits);
    free(free_ones);
    return rc;
}

/* Whether each edge goes to a later operation, so that there is no circle. */
static bool goes_forward(const struct logp_graph *g)
{
    for (size_t i = 0; i < g->n_edges; i++)
        if (g->edges[i].after / 2 <= g->edges[i].before)
            return false;
    return true;
}

int logp_graph_end_rank(struct logp_graph *graph, int64_t *wrong)
{
    const int64_t rank = graph->rank;
    const bool forward = goes_forward(graph);
    uint32_t base, n;
    int64_t which = -1;
    int rc = 0;

    if (rank < 0)
        return -EINVAL;
    base = graph->base[rank];
    n = graph->count[rank];
    for (size_t i = 0; rc == 0 && i < graph->n_edges; i++) {
        const struct lpi_graph_edge *e = &graph->edges[i];

        if (e->before >= n || e->after / 2 >= n) {
            which = e->before >= n ? e->before : e->after / 2;
            rc = -EINVAL;
        }
    }
    while (rc == 0 && graph->to_capacity < graph->n_to + graph->n_edges)
        if (!lpi_grow(&graph->to, graph->to_capacity, &graph->to_capacity, sizeof(*graph->to), 64))
            rc = -ENOMEM;
    if (rc == 0) {
        link_edges(graph, base, n);
        rc = forward ? 0 : find_circle(graph, base, n, &which);
    }
    graph->n_edges = 0;
    graph->rank = -1;
    if (wrong != NULL)
        *wrong = which;
    return rc;
}

int logp_graph_end(struct logp_graph *graph)
{
    int rc = graph->rank >= 0 ? logp_graph_end_rank(graph, NULL) : 0;

    graph->operations[graph->n].first = (uint32_t)graph->n_to;
    for (int64_t r = 0; r < graph->P; r++)
        graph->begun[r] = true;
    free(graph->edges);
    free(graph->lane_of);
    graph->edges = NULL;
    graph->lane_of = NULL;
    return rc;
}

/* ---- read ---- */

struct logp_graph_size logp_graph_size(const struct logp_graph *graph)
{
    return (struct logp_graph_size){
        .P = graph->P,
        .operations = (int64_t)graph->n,
        .edges = (int64_t)graph->n_to,
        .processors = graph->processors,
        .interfaces = graph->interfaces,
        .most_bytes = graph->most_bytes,
        .most_tag = graph->most_tag,
        .memory = sizeof(*graph) + (graph->n + 1) * sizeof(*graph->operations) +
                  graph->n_to * sizeof(*graph->to) +
                  (size_t)graph->P * (sizeof(*graph->base) + sizeof(*graph->count) + 2)};
}

int64_t logp_graph_count(const struct logp_graph *graph, int64_t rank)
{
    return graph->count[rank];
}

void logp_graph_at(const struct logp_graph *graph, int64_t rank, int64_t i,
                   struct logp_graph_op *out)
{
    const struct lpi_operation *o = &graph->operations[graph->base[rank] + i];

    *out = (struct logp_graph_op){.kind = (enum logp_step_kind)o->kind,
                                  .peer = lpi_operation_peer(o),
                                  .amount = (int64_t)lpi_operation_amount(o),
                                  .tag = lpi_operation_tag(o),
                                  .processor = graph->lanes[o->lane].processor,
                                  .interface = graph->lanes[o->lane].interface};
}

int64_t logp_graph_next(const struct logp_graph *graph, int64_t rank, int64_t i, int64_t j,
                        struct logp_edge *out)
{
    const struct lpi_operation *o = &graph->operations[graph->base[rank] + i];
    const int64_t n = o[1].first - o[0].first;

    if (j < n) {
        const uint32_t to = graph->to[o->first + j];

        *out = (struct logp_edge){i, to / 2 - graph->base[rank], (to & 1) != 0};
    }
    return n;
}
