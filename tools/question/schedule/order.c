/* SPDX-License-Identifier: MIT */
/* The order that edges put steps in: that it exists, and whether it is the only one. */
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

/* Refuse steps that wait for each other, and name one of them; its label is no longer known. */
static struct problem *refuse_circle(const struct reading *r, int64_t rank, const struct order *o)
{
    int64_t i = 0;

    while (o->waits[i] == 0)
        i++;
    return option_problem(
        r->option, r->file,
        "rank %lld: operation %lld requires itself through other operations; remove one requires",
        (long long)rank, (long long)i + 1);
}

/* Put steps and edges into the order found. */
static void reorder(struct reading *r, int64_t rank, const struct order *o)
{
    const size_t n = (size_t)o->n;
    struct logp_step *steps = need(calloc(n + 1, sizeof(*steps)));
    int64_t *place = o->waits; /* all 0 by now */

    for (size_t i = 0; i < n; i++) {
        steps[i] = r->steps[rank][o->steps[i]];
        place[o->steps[i]] = (int64_t)i;
    }
    if (n > 0)
        memcpy(r->steps[rank], steps, n * sizeof(*steps));
    free(steps);
    for (int64_t i = 0; i < o->n_edges; i++) {
        struct logp_edge *e = &r->edges[rank][i];

        e->before = place[e->before];
        e->after = place[e->after];
    }
}

/* Sort the steps of a rank if it allows one order only. *in_order: whether it does */
static struct problem *order_rank(struct reading *r, int64_t rank, bool *in_order)
{
    struct order o = {.edges = r->edges[rank], .n = r->n[rank], .n_edges = r->n_edges[rank]};
    struct problem *problem = NULL;

    o.first = need(calloc((size_t)o.n + 2, sizeof(*o.first)));
    o.waits = need(calloc((size_t)o.n + 1, sizeof(*o.waits)));
    o.steps = need(calloc((size_t)o.n + 1, sizeof(*o.steps)));
    o.by_step = need(calloc((size_t)o.n_edges + 1, sizeof(*o.by_step)));
    link_edges(&o);
    *in_order = sort(&o);
    if (o.n_ordered < o.n)
        problem = refuse_circle(r, rank, &o);
    else if (*in_order)
        reorder(r, rank, &o);
    free(o.first);
    free(o.waits);
    free(o.steps);
    free(o.by_step);
    return problem;
}

/* Whether each receive names its source and tag. Steps in order must not
 * choose a message by time. */
static bool names_all(const struct reading *r, int64_t rank)
{
    for (int64_t i = 0; i < r->n[rank]; i++) {
        const struct logp_step *s = &r->steps[rank][i];

        if (s->kind == LOGP_STEP_RECEIVE && (s->peer == LOGP_ANY_SOURCE || s->tag == LOGP_ANY_TAG))
            return false;
    }
    return true;
}

struct problem *order_steps(struct reading *r)
{
    r->list.in_order = true;
    for (int64_t rank = 0; rank < r->list.P; rank++) {
        bool in_order;

        TRY(order_rank(r, rank, &in_order));
        r->list.in_order &= in_order && names_all(r, rank);
    }
    return NULL;
}
