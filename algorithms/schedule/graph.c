/* SPDX-License-Identifier: MIT */
/* One rank of a list with edges: see schedule.h. */
#include "schedule/schedule.h"

#include <errno.h>
#include <stdlib.h>

bool logp_step_list_is_graph(const struct logp_step_list *list, const struct logp_params *params)
{
    return list != NULL && list->edges != NULL && (!list->in_order || params->recv_streams);
}

int64_t lpi_graph_sent(const struct logp_params *params, int64_t arrival, size_t n_bytes)
{
    return arrival - params->L_ns - params->o_send_ns - logp_params_stream_ns(params, n_bytes);
}

/* ---- steps ---- */

static int add(struct lpi_row *row, uint32_t item)
{
    if (!lpi_grow(&row->items, row->n, &row->capacity, sizeof(*row->items), 8))
        return -ENOMEM;
    row->items[row->n++] = item;
    return 0;
}

static void wait_for_one_less(struct lpi_graph *g, uint32_t step)
{
    if (--g->waits[step] == 0)
        g->freed[g->n_freed++] = step;
}

/* Of what waits for the beginning of a step, or for its end. */
static void free_next(struct lpi_graph *g, uint32_t step, bool started)
{
    for (uint32_t i = g->first[step]; i < g->first[step + 1]; i++)
        if ((g->to[i] & 1) == started)
            wait_for_one_less(g, g->to[i] / 2);
}

static void finish(struct lpi_graph *g, uint32_t step)
{
    g->n_done++;
    free_next(g, step, false);
}

/* A parcel and a receive have met. */
static int rendezvous(struct lpi_graph *g, uint32_t parcel, uint32_t step)
{
    struct lpi_parcel *p = &g->parcels[parcel];

    if (p->n_bytes > g->steps[step].n_bytes) {
        g->wrong = step;
        return -EMSGSIZE;
    }
    p->step = step;
    g->n_met++;
    return add(&g->rows[LPI_RECEIVE], parcel);
}

static int post(struct lpi_graph *g, uint32_t step)
{
    const struct logp_step *s = &g->steps[step];
    int64_t parcel;
    int rc = lpi_pairs_post(&g->pairs, (int32_t)s->peer, s->tag, step, &parcel);

    free_next(g, step, true);
    return rc == 0 && parcel != LPI_NONE ? rendezvous(g, (uint32_t)parcel, step) : rc;
}

static enum lpi_act act_of(const struct logp_step *s)
{
    return s->kind == LOGP_STEP_SEND      ? LPI_SEND
           : s->kind == LOGP_STEP_RECEIVE ? LPI_RECEIVE
                                          : LPI_COMPUTE;
}

/* Take up the steps that have been freed, at `since`, and the steps that these free, at `now`. */
static int take_up(struct lpi_graph *g, int64_t since, int64_t now)
{
    static const enum lpi_act order[] = {LPI_SEND, LPI_RECEIVE, LPI_COMPUTE};
    int rc = 0;

    while (rc == 0 && g->n_taken < g->n_freed) {
        const uint32_t from = g->n_taken, to = g->n_freed;

        for (int k = 0; k < 3; k++)
            for (uint32_t i = from; rc == 0 && i < to; i++) {
                const uint32_t step = g->freed[i];

                if (act_of(&g->steps[step]) != order[k])
                    continue;
                g->number[step] = g->n_taken++;
                g->free_from[step] = since;
                rc = order[k] == LPI_RECEIVE ? post(g, step) : add(&g->rows[order[k]], step);
            }
        since = now;
    }
    return rc;
}

/* ---- which act is first ---- */

static bool is_empty(const struct lpi_row *row)
{
    return row->next == row->n;
}

const struct logp_step *lpi_graph_step(const struct lpi_graph *g, enum lpi_act act)
{
    const struct lpi_row *row = &g->rows[act];

    return is_empty(row) ? NULL : &g->steps[row->items[row->next]];
}

const struct lpi_parcel *lpi_graph_parcel(const struct lpi_graph *g)
{
    const struct lpi_row *row = &g->rows[LPI_RECEIVE];

    return is_empty(row) ? NULL : &g->parcels[row->items[row->next]];
}

/* Both can start at the same time. */
static bool goes_before(const struct lpi_graph *g, enum lpi_act a, enum lpi_act b)
{
    const uint32_t x = g->rows[a].items[g->rows[a].next], y = g->rows[b].items[g->rows[b].next];

    if (a == LPI_RECEIVE)
        return g->parcels[x].sent < g->free_from[y];
    return g->number[x] < g->number[y];
}

enum lpi_act lpi_graph_choose(const struct lpi_graph *g, const int64_t at[LPI_ACTS])
{
    enum lpi_act best = LPI_NOTHING;

    for (int i = 0; i < LPI_ACTS; i++) {
        const enum lpi_act act = (enum lpi_act)i;

        if (is_empty(&g->rows[act]) || at[act] == INT64_MAX)
            continue;
        if (best == LPI_NOTHING || at[act] < at[best] ||
            (at[act] == at[best] && goes_before(g, act, best)))
            best = act;
    }
    return best;
}

void lpi_graph_begin(struct lpi_graph *g, enum lpi_act act, int64_t now)
{
    struct lpi_row *row = &g->rows[act];

    g->doing = act;
    g->item = row->items[row->next++];
    g->since = now;
    if (is_empty(row))
        row->next = row->n = 0;
}

/* It meets a receive that is posted, or is kept. */
static int look_for_receive(struct lpi_graph *g, uint32_t parcel)
{
    const struct lpi_parcel *p = &g->parcels[parcel];
    int64_t step;
    int rc = lpi_pairs_come(&g->pairs, p->src, p->tag, parcel, &step);

    return rc == 0 && step != LPI_NONE ? rendezvous(g, parcel, (uint32_t)step) : rc;
}

int lpi_graph_end(struct lpi_graph *g, int64_t now)
{
    const enum lpi_act act = g->doing;

    g->doing = LPI_NOTHING;
    if (act == LPI_RECEIVE) {
        finish(g, (uint32_t)g->parcels[g->item].step);
    } else {
        free_next(g, g->item, true);
        finish(g, g->item);
    }
    return take_up(g, g->since, now);
}

int lpi_graph_accept(struct lpi_graph *g, const struct lpi_parcel *parcel)
{
    const uint32_t p = g->n_parcels;

    if (!lpi_grow(&g->parcels, p, &g->parcel_capacity, sizeof(*g->parcels), 8))
        return -ENOMEM;
    g->parcels[g->n_parcels++] = *parcel;
    g->parcels[p].step = LPI_NONE;
    return look_for_receive(g, p);
}

const struct logp_step *lpi_graph_waits_for(const struct lpi_graph *g)
{
    for (uint32_t k = 0; k < g->n_parcels; k++)
        if (g->parcels[k].step != LPI_NONE)
            g->waits[g->parcels[k].step] = 1; /* it waits for nothing any more */
    for (uint32_t i = 0; i < g->n_freed; i++) {
        const uint32_t step = g->freed[i];

        if (g->steps[step].kind == LOGP_STEP_RECEIVE && g->waits[step] == 0)
            return &g->steps[step];
    }
    return NULL;
}

static bool is_any(const struct logp_step *s)
{
    return s->kind == LOGP_STEP_RECEIVE && (s->peer == LOGP_ANY_SOURCE || s->tag == LOGP_ANY_TAG);
}

int64_t lpi_graph_taker(const struct lpi_graph *g, const struct logp_step *s)
{
    for (uint32_t k = 0; k < g->n_parcels; k++) {
        const struct lpi_parcel *p = &g->parcels[k];
        const struct logp_step *by = p->step != LPI_NONE ? &g->steps[p->step] : NULL;
        const bool fits = (s->peer == p->src || s->peer == LOGP_ANY_SOURCE) &&
                          (s->tag == p->tag || s->tag == LOGP_ANY_TAG);

        if (fits && by != NULL && is_any(by) && (by->peer != s->peer || by->tag != s->tag))
            return p->step;
    }
    return -1;
}

/* ---- all of it ---- */

/* Fill the successors of each step, and the number of steps that each waits for. */
static int link_steps(struct lpi_graph *g, const struct logp_edge *edges, int64_t n_edges)
{
    for (int64_t i = 0; i < n_edges; i++) {
        const struct logp_edge *e = &edges[i];

        if (e->before < 0 || e->before >= g->n || e->after < 0 || e->after >= g->n)
            return -EINVAL;
        g->first[e->before + 1]++;
        g->waits[e->after]++;
    }
    for (uint32_t i = 0; i < g->n; i++)
        g->first[i + 1] += g->first[i];
    for (int64_t i = 0; i < n_edges; i++) /* number: how many of each are there yet */
        g->to[g->first[edges[i].before] + g->number[edges[i].before]++] =
            (uint32_t)edges[i].after * 2 + edges[i].started;
    return 0;
}

int lpi_graph_init(struct lpi_graph *g, const struct logp_step_list *list, int64_t rank)
{
    const int64_t n = list->n[rank], n_edges = list->n_edges[rank];
    const size_t capacity = (size_t)n + 2;
    int rc;

    *g = (struct lpi_graph){.steps = list->steps[rank],
                            .n = (uint32_t)n,
                            .doing = LPI_NOTHING,
                            .wrong = LPI_NONE};
    if (n < 0 || n > INT32_MAX / 2 || n_edges < 0 || n_edges > INT32_MAX)
        return -EINVAL;
    g->first = calloc(capacity, sizeof(*g->first));
    g->to = calloc((size_t)n_edges + 1, sizeof(*g->to));
    g->waits = calloc(capacity, sizeof(*g->waits));
    g->free_from = calloc(capacity, sizeof(*g->free_from));
    g->freed = calloc(capacity, sizeof(*g->freed));
    g->number = calloc(capacity, sizeof(*g->number));
    if (g->first == NULL || g->to == NULL || g->waits == NULL || g->free_from == NULL ||
        g->freed == NULL || g->number == NULL)
        return -ENOMEM;
    rc = link_steps(g, list->edges[rank], n_edges);
    for (uint32_t i = 0; rc == 0 && i < g->n; i++) {
        g->pairs.any |= is_any(&g->steps[i]);
        if (g->waits[i] == 0)
            g->freed[g->n_freed++] = i;
    }
    return rc == 0 ? take_up(g, -1, 0) : rc;
}

void lpi_graph_fini(struct lpi_graph *g)
{
    free(g->first);
    free(g->to);
    free(g->waits);
    free(g->free_from);
    free(g->freed);
    free(g->number);
    for (int i = 0; i < LPI_ACTS; i++)
        free(g->rows[i].items);
    lpi_pairs_fini(&g->pairs);
    free(g->parcels);
}
