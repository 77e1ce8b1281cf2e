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
        !lpi_pages_grow(&g->operations, 0, &g->capacity, sizeof(*g->operations))) {
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
    lpi_pages_free(graph->operations, graph->capacity, sizeof(*graph->operations));
    lpi_pages_free(graph->wide, graph->wide_capacity, sizeof(*graph->wide));
    lpi_pages_free(graph->to, graph->to_capacity, sizeof(*graph->to));
    free(graph->base);
    free(graph->count);
    free(graph->begun);
    free(graph->wild);
    free(graph->lane_of);
    free(graph->lanes);
    lpi_pages_free(graph->from, graph->from_capacity, sizeof(*graph->from));
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
    graph->filling = (struct lpi_filling){.first = graph->n_to, .sorted = true, .forward = true};
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

/* The value itself, or where it is in `wide`. 0; -ENOMEM */
static int put_value(struct logp_graph *g, uint64_t value, uint32_t *out, bool *is_wide)
{
    *is_wide = value > UINT32_MAX;
    *out = *is_wide ? (uint32_t)g->n_wide : (uint32_t)value;
    if (!*is_wide)
        return 0;
    if (!lpi_pages_grow(&g->wide, g->n_wide, &g->wide_capacity, sizeof(*g->wide)))
        return -ENOMEM;
    g->wide[g->n_wide++] = value;
    return 0;
}

int logp_graph_add(struct logp_graph *graph, const struct logp_graph_op *operation)
{
    const bool message = operation->kind != LOGP_STEP_COMPUTE;
    bool wide_amount, wide_tag;
    uint32_t amount, tag;
    uint16_t lane;
    int rc;

    if (!is_possible(graph, operation))
        return -EINVAL;
    if (graph->n >= LOGP_GRAPH_MAX)
        return -E2BIG;
    rc = find_lane(graph, operation->processor, operation->interface, &lane);
    if (rc != 0)
        return rc;
    if (!lpi_pages_grow(&graph->operations, graph->n + 1, &graph->capacity,
                        sizeof(*graph->operations)))
        return -ENOMEM;
    rc = put_value(graph, (uint64_t)operation->amount, &amount, &wide_amount);
    if (rc == 0)
        rc = put_value(graph, message ? operation->tag : 0, &tag, &wide_tag);
    if (rc != 0)
        return rc;
    graph->operations[graph->n++] = (struct lpi_operation){
        .amount = amount,
        .tag = tag,
        .peer = !message                             ? 0
                : operation->peer == LOGP_ANY_SOURCE ? LPI_ANY
                                                     : (uint32_t)operation->peer,
        .lane = lane,
        .kind = (uint8_t)operation->kind,
        .wide_amount = wide_amount,
        .wide_tag = wide_tag};
    graph->count[graph->rank]++;
    if (message)
        note_message(graph, operation);
    return 0;
}

/* The edges of operations up to `to` begin where the next edge goes. */
static void link_up(struct logp_graph *g, uint32_t to)
{
    struct lpi_operation *o = g->operations + g->base[g->rank];

    while (g->filling.linked < to)
        o[g->filling.linked++].first = (uint32_t)g->n_to;
}

/* From now on edges come in any order: keep the operation before each. 0; -ENOMEM */
static int unsort(struct logp_graph *g)
{
    const size_t n = g->n_to - g->filling.first;
    size_t e = 0;

    while (g->from_capacity <= n)
        if (!lpi_pages_grow(&g->from, g->from_capacity, &g->from_capacity, sizeof(*g->from)))
            return -ENOMEM;
    link_up(g, g->count[g->rank]);
    for (uint32_t i = 1; i <= g->filling.linked; i++)
        for (; e < n && (i == g->filling.linked ||
                         g->filling.first + e < g->operations[g->base[g->rank] + i].first);
             e++)
            g->from[e] = i - 1;
    g->filling.sorted = false;
    return 0;
}

int logp_graph_add_edge(struct logp_graph *graph, const struct logp_edge *edge)
{
    struct lpi_filling *f = &graph->filling;
    const size_t at = graph->n_to - f->first;
    uint32_t before, after;

    if (graph->rank < 0 || edge->before < 0 || edge->after < 0 || edge->before >= LOGP_GRAPH_MAX ||
        edge->after >= LOGP_GRAPH_MAX)
        return -EINVAL;
    before = (uint32_t)edge->before;
    after = (uint32_t)edge->after;
    if (graph->n_to >= UINT32_MAX)
        return -E2BIG;
    if (!lpi_pages_grow(&graph->to, graph->n_to, &graph->to_capacity, sizeof(*graph->to)))
        return -ENOMEM;
    if (f->sorted && (before + 1 < f->linked || before >= graph->count[graph->rank]) &&
        unsort(graph) != 0)
        return -ENOMEM;
    if (f->sorted)
        link_up(graph, before + 1);
    else if (!lpi_pages_grow(&graph->from, at, &graph->from_capacity, sizeof(*graph->from)))
        return -ENOMEM;
    else
        graph->from[at] = before;
    graph->to[graph->n_to++] = (graph->base[graph->rank] + after) * 2 + edge->started;
    f->forward &= before < after;
    f->most = before > f->most ? before : f->most;
    f->most = after > f->most ? after : f->most;
    return 0;
}

/* Sort the edges of the rank by the operations before them, in place; those of one stay in their
 * order. */
static void sort_edges(struct logp_graph *g, uint32_t base, uint32_t n)
{
    struct lpi_operation *o = g->operations + base;
    uint32_t *to = g->to + g->filling.first, *place = g->from, next = 0;
    const size_t n_edges = g->n_to - g->filling.first;

    for (uint32_t i = 0; i < n; i++)
        o[i].first = 0;
    for (size_t e = 0; e < n_edges; e++)
        o[g->from[e]].first++;
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t count = o[i].first;

        o[i].first = next;
        next += count;
    }
    for (size_t e = 0; e < n_edges; e++)
        place[e] = o[g->from[e]].first++;
    for (uint32_t i = n; i > 0; i--)
        o[i].first = (uint32_t)g->filling.first + o[i - 1].first;
    o[0].first = (uint32_t)g->filling.first;
    for (size_t e = 0; e < n_edges; e++)
        while (place[e] != e) {
            const uint32_t there = place[e], edge = to[e];

            to[e] = to[there];
            to[there] = edge;
            place[e] = place[there];
            place[there] = there;
        }
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

/* The first operation that an edge names and that does not exist: of n. */
static int64_t find_missing(const struct logp_graph *g, uint32_t base, uint32_t n)
{
    for (size_t e = 0; e < g->n_to - g->filling.first; e++) {
        const uint32_t after = g->to[g->filling.first + e] / 2 - base;

        if (!g->filling.sorted && g->from[e] >= n)
            return g->from[e];
        if (after >= n)
            return after;
    }
    return -1;
}

int logp_graph_end_rank(struct logp_graph *graph, int64_t *wrong)
{
    const int64_t rank = graph->rank;
    uint32_t base, n;
    int64_t which = -1;
    int rc = 0;

    if (rank < 0)
        return -EINVAL;
    base = graph->base[rank];
    n = graph->count[rank];
    if (graph->n_to > graph->filling.first && graph->filling.most >= n) {
        which = find_missing(graph, base, n);
        graph->n_to = graph->filling.first;
        graph->filling.sorted = true;
        graph->filling.linked = 0;
        rc = -EINVAL;
    }
    if (graph->filling.sorted)
        link_up(graph, n);
    else
        sort_edges(graph, base, n);
    graph->operations[graph->n].first = (uint32_t)graph->n_to;
    if (rc == 0 && !graph->filling.forward)
        rc = find_circle(graph, base, n, &which);
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
    lpi_pages_free(graph->from, graph->from_capacity, sizeof(*graph->from));
    free(graph->lane_of);
    graph->from = NULL;
    graph->from_capacity = 0;
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
                  graph->n_wide * sizeof(*graph->wide) + graph->n_to * sizeof(*graph->to) +
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
                                  .amount = (int64_t)lpi_operation_amount(graph, o),
                                  .tag = lpi_operation_tag(graph, o),
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
