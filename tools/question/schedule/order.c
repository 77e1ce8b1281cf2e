/* SPDX-License-Identifier: MIT */
/* The order that edges put steps in, if it is the only one. */
#include "question/schedule/reading.h"
#include "text/text.h"

#include <stdlib.h>
#include <string.h>

/* Of one rank. */
struct order {
    const struct logp_edge *edges;
    int64_t n, n_edges;
    int64_t *first; /* by step: its edges are by_step[first[i]] .. by_step[first[i + 1] - 1] */
    int64_t *by_step;
    int64_t *waits; /* by step: the number of steps it waits for */
    int64_t *steps; /* in an order; n_ordered of them */
    int64_t n_ordered;
};

static void link_edges(struct order *o)
{
    for (int64_t i = 0; i < o->n_edges; i++) {
        o->first[o->edges[i].before + 1]++;
        o->waits[o->edges[i].after]++;
    }
    for (int64_t i = 0; i < o->n; i++)
        o->first[i + 1] += o->first[i];
    for (int64_t i = 0; i < o->n_edges; i++) /* steps: how many of each are there yet */
        o->by_step[o->first[o->edges[i].before] + o->steps[o->edges[i].before]++] = i;
}

/* Sort the steps, each after those that it waits for.
 * @return whether the order is the only one, and each step waits for the end of the previous one */
static bool sort(struct order *o)
{
    bool only_one = true;
    int64_t n = 0;

    for (int64_t i = 0; i < o->n; i++)
        if (o->waits[i] == 0)
            o->steps[n++] = i;
    only_one = n <= 1;
    for (; o->n_ordered < n; o->n_ordered++) {
        const int64_t step = o->steps[o->n_ordered], had = n;
        bool waits_for_end = false;

        for (int64_t i = o->first[step]; i < o->first[step + 1]; i++) {
            const struct logp_edge *e = &o->edges[o->by_step[i]];

            if (--o->waits[e->after] == 0)
                o->steps[n++] = e->after;
        }
        for (int64_t i = o->first[step]; n > had && i < o->first[step + 1]; i++) {
            const struct logp_edge *e = &o->edges[o->by_step[i]];

            waits_for_end |= !e->started && e->after == o->steps[had];
        }
        only_one &= n == had || (n == had + 1 && waits_for_end);
    }
    return only_one;
}

/* Put steps and edges into the order found. */
static void reorder(const struct logp_step_list *list, int64_t rank, const struct order *o)
{
    const size_t n = (size_t)o->n;
    struct logp_step *all = (struct logp_step *)(uintptr_t)list->steps[rank];
    struct logp_edge *edges = (struct logp_edge *)(uintptr_t)list->edges[rank];
    struct logp_step *steps = need(calloc(n + 1, sizeof(*steps)));
    int64_t *place = o->waits; /* all 0 by now */

    for (size_t i = 0; i < n; i++) {
        steps[i] = all[o->steps[i]];
        place[o->steps[i]] = (int64_t)i;
    }
    if (n > 0)
        memcpy(all, steps, n * sizeof(*steps));
    free(steps);
    for (int64_t i = 0; i < o->n_edges; i++) {
        struct logp_edge *e = &edges[i];

        e->before = place[e->before];
        e->after = place[e->after];
    }
}

/* Sort the steps of a rank if it allows one order only. @return whether it does */
static bool order_rank(const struct logp_step_list *list, int64_t rank)
{
    struct order o = {
        .edges = list->edges[rank], .n = list->n[rank], .n_edges = list->n_edges[rank]};
    bool in_order;

    o.first = need(calloc((size_t)o.n + 2, sizeof(*o.first)));
    o.waits = need(calloc((size_t)o.n + 1, sizeof(*o.waits)));
    o.steps = need(calloc((size_t)o.n + 1, sizeof(*o.steps)));
    o.by_step = need(calloc((size_t)o.n_edges + 1, sizeof(*o.by_step)));
    link_edges(&o);
    in_order = sort(&o);
    if (in_order)
        reorder(list, rank, &o);
    free(o.first);
    free(o.waits);
    free(o.steps);
    free(o.by_step);
    return in_order;
}

/* Whether each receive names its source and tag. Steps in order must not
 * choose a message by time. */
static bool names_all(const struct logp_step_list *list, int64_t rank)
{
    for (int64_t i = 0; i < list->n[rank]; i++) {
        const struct logp_step *s = &list->steps[rank][i];

        if (s->kind == LOGP_STEP_RECEIVE && (s->peer == LOGP_ANY_SOURCE || s->tag == LOGP_ANY_TAG))
            return false;
    }
    return true;
}

void order_steps(struct logp_step_list *list)
{
    list->in_order = true;
    for (int64_t rank = 0; rank < list->P; rank++)
        list->in_order = order_rank(list, rank) && names_all(list, rank) && list->in_order;
}
