/* SPDX-License-Identifier: MIT */
/* Graphs and lists of steps: a graph as a list with edges, in the order of its acts, or of a list;
 * and graphs side by side. */
#include "graph/graph.h"
#include "operand/operand.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* ---- tags of steps ---- */

/* The tags of a graph as those of steps, which are below 2^31. */
struct tags {
    uint64_t *all; /* in order; NULL: tags stay as they are */
    size_t n;
};

static int compare(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;

    return (*x > *y) - (*x < *y);
}

/* 0; -ENOMEM */
static int number_tags(const struct logp_graph *g, struct tags *t)
{
    size_t n = 0;

    *t = (struct tags){0};
    if (g->most_tag <= INT_MAX)
        return 0;
    t->all = malloc((g->n + 1) * sizeof(*t->all));
    if (t->all == NULL)
        return -ENOMEM;
    for (size_t i = 0; i < g->n; i++)
        if (g->operations[i].kind != LOGP_STEP_COMPUTE)
            t->all[n++] = lpi_operation_tag(g, &g->operations[i]);
    qsort(t->all, n, sizeof(*t->all), compare);
    for (size_t i = 0; i < n; i++)
        if (t->n == 0 || t->all[t->n - 1] != t->all[i])
            t->all[t->n++] = t->all[i];
    return 0;
}

static int tag_of(const struct tags *t, uint64_t tag)
{
    const uint64_t *found;

    if (tag == LOGP_GRAPH_ANY_TAG)
        return LOGP_ANY_TAG;
    if (t->all == NULL)
        return (int)tag;
    found = bsearch(&tag, t->all, t->n, sizeof(tag), compare);
    return (int)(found - t->all);
}

/* ---- the memory of a list ---- */

struct made {
    struct logp_step_list list;
    struct logp_step **steps;
    struct logp_edge **edges;
    int64_t *n, *n_edges;
};

void logp_graph_list_destroy(struct logp_step_list *list)
{
    struct made *m = (struct made *)list;

    if (list == NULL)
        return;
    for (int64_t r = 0; m->steps != NULL && r < list->P; r++)
        free(m->steps[r]);
    for (int64_t r = 0; m->edges != NULL && r < list->P; r++)
        free(m->edges[r]);
    free(m->steps);
    free(m->edges);
    free(m->n);
    free(m->n_edges);
    free(m);
}

/* With space for n[r] steps of each rank; none are there yet. NULL: no memory */
static struct made *make_list(const struct logp_graph *g, const int64_t *n)
{
    const size_t P = (size_t)g->P;
    struct made *m = calloc(1, sizeof(*m));
    bool ok;

    if (m == NULL)
        return NULL;
    m->list.P = g->P;
    m->list.most_bytes = (size_t)g->most_bytes;
    m->n = calloc(P, sizeof(*m->n));
    m->steps = calloc(P, sizeof(*m->steps));
    ok = m->n != NULL && m->steps != NULL;
    for (size_t r = 0; ok && r < P; r++) {
        m->steps[r] = calloc((size_t)n[r] + 1, sizeof(**m->steps));
        ok = m->steps[r] != NULL;
    }
    m->list.steps = (const struct logp_step *const *)m->steps;
    m->list.n = m->n;
    if (ok)
        return m;
    logp_graph_list_destroy(&m->list);
    return NULL;
}

static struct logp_step step_of(const struct logp_graph *g, const struct lpi_operation *o,
                                const struct tags *tags)
{
    struct logp_step s = {0};

    if (o->kind == LOGP_STEP_COMPUTE) {
        logp_step_compute(&s, (int64_t)lpi_operation_amount(g, o), 0);
        return s;
    }
    logp_step_send(&s, lpi_operation_peer(o), tag_of(tags, lpi_operation_tag(g, o)), LOGP_RECV_BUF,
                   0, (size_t)lpi_operation_amount(g, o));
    s.kind = (enum logp_step_kind)o->kind;
    return s;
}

/* A list knows one processor and one interface of a rank. */
static bool is_single(const struct logp_graph *g)
{
    return g->processors == 1 && g->interfaces == 1;
}

/* ---- with edges ---- */

static bool sends_to_any(const struct logp_graph *g)
{
    for (size_t i = 0; i < g->n; i++)
        if (g->operations[i].kind == LOGP_STEP_SEND &&
            lpi_operation_tag(g, &g->operations[i]) == LOGP_GRAPH_ANY_TAG)
            return true;
    return false;
}

/* Fill the edges of all ranks. 0; -ENOMEM */
static int copy_edges(const struct logp_graph *g, struct made *m)
{
    const size_t P = (size_t)g->P;

    m->n_edges = calloc(P, sizeof(*m->n_edges));
    m->edges = calloc(P, sizeof(*m->edges));
    m->list.edges = (const struct logp_edge *const *)m->edges;
    m->list.n_edges = m->n_edges;
    if (m->n_edges == NULL || m->edges == NULL)
        return -ENOMEM;
    for (size_t r = 0; r < P; r++) {
        const struct lpi_operation *o = g->operations + g->base[r];
        const uint32_t n = g->count[r];

        m->edges[r] = malloc((n > 0 ? o[n].first - o[0].first + 1 : 1) * sizeof(**m->edges));
        if (m->edges[r] == NULL)
            return -ENOMEM;
        for (uint32_t i = 0; i < n; i++)
            for (uint32_t e = o[i].first; e < o[i + 1].first; e++)
                m->edges[r][m->n_edges[r]++] =
                    (struct logp_edge){i, g->to[e] / 2 - g->base[r], (g->to[e] & 1) != 0};
    }
    return 0;
}

int logp_graph_list(const struct logp_graph *graph, struct logp_step_list **out)
{
    int64_t *n = calloc((size_t)graph->P, sizeof(*n));
    struct made *m = NULL;
    struct tags tags = {0};
    int rc = n == NULL ? -ENOMEM : !is_single(graph) || sends_to_any(graph) ? -ENOTSUP : 0;

    *out = NULL;
    for (int64_t r = 0; rc == 0 && r < graph->P; r++)
        n[r] = graph->count[r];
    if (rc == 0)
        rc = number_tags(graph, &tags);
    if (rc == 0)
        m = make_list(graph, n);
    if (rc == 0)
        rc = m == NULL ? -ENOMEM : copy_edges(graph, m);
    for (int64_t r = 0; rc == 0 && r < graph->P; r++)
        for (uint32_t i = 0; i < graph->count[r]; i++)
            m->steps[r][m->n[r]++] = step_of(graph, &graph->operations[graph->base[r] + i], &tags);
    free(tags.all);
    free(n);
    if (rc == 0)
        *out = &m->list;
    else
        logp_graph_list_destroy(m != NULL ? &m->list : NULL);
    return rc;
}

/* ---- in the order of acts ---- */

struct order {
    const struct logp_graph *graph;
    struct made *m;
    struct tags tags;
};

static void add_act(void *arg, const struct logp_graph_act *act)
{
    struct order *o = arg;
    struct logp_step s;

    if (act->kind == LOGP_STEP_RECEIVE) {
        s = step_of(o->graph, &o->graph->operations[o->graph->base[act->peer] + act->operation],
                    &o->tags);
        s.kind = LOGP_STEP_RECEIVE;
        s.peer = act->peer;
    } else {
        s = step_of(o->graph, &o->graph->operations[o->graph->base[act->rank] + act->operation],
                    &o->tags);
    }
    if (s.tag == LOGP_ANY_TAG) /* a message that fits every receive is taken by its own */
        s.tag = INT_MAX;
    o->m->steps[act->rank][o->m->n[act->rank]++] = s;
}

/* By rank, how many acts it has at most: its computations and sends, and the messages to it. */
static void count_acts(const struct logp_graph *g, int64_t *n)
{
    for (int64_t r = 0; r < g->P; r++)
        for (uint32_t i = 0; i < g->count[r]; i++) {
            const struct lpi_operation *o = &g->operations[g->base[r] + i];

            n[r] += o->kind != LOGP_STEP_RECEIVE;
            if (o->kind == LOGP_STEP_SEND)
                n[o->peer]++;
        }
}

int logp_graph_order(const struct logp_graph *graph, const struct logp_network *network,
                     struct logp_step_list **out, struct logp_graph_time *time)
{
    struct order o = {.graph = graph};
    const struct logp_graph_observer observer = {sizeof(observer), &o, add_act, NULL, NULL};
    int64_t *n = calloc((size_t)graph->P, sizeof(*n));
    int rc = n == NULL ? -ENOMEM : !is_single(graph) || network->rendezvous_from > 0 ? -ENOTSUP : 0;

    *out = NULL;
    *time = (struct logp_graph_time){.rank = -1, .peer = -1};
    if (rc == 0)
        rc = number_tags(graph, &o.tags);
    if (rc == 0) {
        count_acts(graph, n);
        o.m = make_list(graph, n);
        rc = o.m == NULL ? -ENOMEM
                         : logp_graph_evaluate(graph, network, NULL, &observer, NULL, time);
    }
    free(n);
    free(o.tags.all);
    if (rc == 0)
        *out = &o.m->list;
    else
        logp_graph_list_destroy(o.m != NULL ? &o.m->list : NULL);
    return rc;
}

/* ---- other graphs ---- */

static int add_rank_of_list(struct logp_graph *g, const struct logp_step_list *list, int64_t rank)
{
    int rc = logp_graph_begin_rank(g, rank);

    for (int64_t i = 0; rc == 0 && i < list->n[rank]; i++) {
        const struct logp_step *s = &list->steps[rank][i];
        const bool computes = s->kind == LOGP_STEP_COMPUTE;
        const bool any_tag = s->kind == LOGP_STEP_RECEIVE && s->tag == LOGP_ANY_TAG;

        if (!computes && s->tag < 0 && !any_tag)
            return -EINVAL;
        rc = logp_graph_add(
            g, &(struct logp_graph_op){.kind = s->kind,
                                       .peer = computes ? 0 : s->peer,
                                       .amount = computes ? s->ns : (int64_t)s->n_bytes,
                                       .tag = any_tag ? LOGP_GRAPH_ANY_TAG : (uint64_t)s->tag});
    }
    for (int64_t i = 0; rc == 0 && i < list->n_edges[rank]; i++)
        rc = logp_graph_add_edge(g, &list->edges[rank][i]);
    return rc == 0 ? logp_graph_end_rank(g, NULL) : rc;
}

int logp_graph_of_list(const struct logp_step_list *list, struct logp_graph **out)
{
    int rc = logp_graph_create(list->P, out);

    for (int64_t r = 0; rc == 0 && r < list->P; r++)
        rc = add_rank_of_list(*out, list, r);
    if (rc == 0)
        rc = logp_graph_end(*out);
    if (rc != 0) {
        logp_graph_destroy(*out);
        *out = NULL;
    }
    return rc;
}

static int add_rank(struct logp_graph *g, int64_t first, const struct logp_graph *from,
                    int64_t rank)
{
    int rc = logp_graph_begin_rank(g, first + rank);

    for (int64_t i = 0; rc == 0 && i < from->count[rank]; i++) {
        struct logp_graph_op o;
        struct logp_edge e;

        logp_graph_at(from, rank, i, &o);
        if (o.peer != LOGP_ANY_SOURCE)
            o.peer += first;
        rc = logp_graph_add(g, &o);
        for (int64_t j = 0; rc == 0 && j < logp_graph_next(from, rank, i, j, &e); j++)
            rc = logp_graph_add_edge(g, &e);
    }
    return rc == 0 ? logp_graph_end_rank(g, NULL) : rc;
}

int logp_graph_join(const struct logp_graph *const *graphs, size_t n, struct logp_graph **out)
{
    int64_t P = 0, first = 0;
    int rc;

    *out = NULL;
    for (size_t i = 0; i < n; i++)
        P += graphs[i]->P;
    rc = logp_graph_create(P, out);
    for (size_t i = 0; rc == 0 && i < n; first += graphs[i++]->P)
        for (int64_t r = 0; rc == 0 && r < graphs[i]->P; r++)
            rc = add_rank(*out, first, graphs[i], r);
    if (rc == 0)
        rc = logp_graph_end(*out);
    if (rc != 0) {
        logp_graph_destroy(*out);
        *out = NULL;
    }
    return rc;
}
