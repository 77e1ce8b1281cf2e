/* SPDX-License-Identifier: MIT */
/* The capacity of a fold: by the rule of the runtime, and with its ties, since sends come in the
 * order of (start, rank). */
#include "predict/predict.h"
#include "schedule/schedule.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int lpi_wires_init(struct lpi_wires *w, size_t P, int64_t capacity, bool each_has_turn)
{
    *w = (struct lpi_wires){
        .capacity = capacity > 0 ? capacity : 0, .P = P, .each_has_turn = each_has_turn};
    if (capacity <= 0)
        return 0;
    w->from = calloc(P, sizeof(*w->from));
    w->to = calloc(P, sizeof(*w->to));
    w->waiting = calloc(P, sizeof(*w->waiting));
    return w->from != NULL && w->to != NULL && w->waiting != NULL ? 0 : -ENOMEM;
}

static void free_all(struct lpi_arrivals *a, size_t P)
{
    for (size_t i = 0; a != NULL && i < P; i++)
        free(a[i].at);
    free(a);
}

void lpi_wires_fini(struct lpi_wires *w)
{
    free_all(w->from, w->P);
    free_all(w->to, w->P);
    for (size_t i = 0; w->waiting != NULL && i < w->P; i++)
        free(w->waiting[i].others);
    free(w->waiting);
}

/* Most arrive in the order in which they are sent: then this is the end. */
static int add(struct lpi_arrivals *a, int64_t arrival)
{
    size_t i;

    if (a->first == a->end)
        a->first = a->end = 0;
    if (a->end == a->space && a->first > a->space / 2) {
        a->end -= a->first;
        memmove(a->at, a->at + a->first, a->end * sizeof(*a->at));
        a->first = 0;
    } else if (!lpi_grow(&a->at, a->end, &a->space, sizeof(*a->at), 8)) {
        return -ENOMEM;
    }
    for (i = a->end++; i > a->first && a->at[i - 1] > arrival; i--)
        a->at[i] = a->at[i - 1];
    a->at[i] = arrival;
    return 0;
}

static int64_t free_at(const struct lpi_wires *w, struct lpi_arrivals *a, int64_t enter)
{
    while (a->first < a->end && a->at[a->first] <= enter)
        a->first++;
    return a->end - a->first < (size_t)w->capacity ? enter : a->at[a->first];
}

bool lpi_wires_next(struct lpi_wires *w, const struct logp_transfer *t, int64_t enter,
                    struct lpi_turn *turn)
{
    struct lpi_waiting *q = w->capacity > 0 ? &w->waiting[t->dst] : NULL;

    if (q == NULL || !q->any || q->first.rank != (uint32_t)t->src)
        return false;
    q->any = q->n > 0;
    if (q->any) {
        q->first = lpi_turn_pop(q->others, q->n--);
        *turn = (struct lpi_turn){enter + q->first.at, q->first.rank};
    }
    return q->any;
}

int lpi_wires_claim(struct lpi_wires *w, const struct logp_transfer *t, struct lpi_turn *turn)
{
    const struct lpi_turn me = {t->start - t->done, (uint32_t)t->src};
    struct lpi_waiting *q = &w->waiting[t->dst];
    const int64_t from = free_at(w, &w->from[t->src], t->done);
    const int64_t to = free_at(w, &w->to[t->dst], t->done);

    if (from <= t->done && to <= t->done)
        return 0;
    *turn = (struct lpi_turn){lpi_max(from, to) + me.at, me.rank};
    if (from > to)
        return 1;
    if (w->each_has_turn)
        return -EAGAIN;
    if (!q->any || q->first.rank == me.rank || lpi_turn_before(&me, &q->first)) {
        q->any = true;
        q->first = me;
        return -EAGAIN;
    }
    if (!lpi_grow(&q->others, q->n, &q->space, sizeof(*q->others), 8))
        return -ENOMEM;
    lpi_turn_push(q->others, q->n++, me);
    turn->at = INT64_MAX;
    return -EAGAIN;
}

int lpi_wires_add(struct lpi_wires *w, size_t src, size_t dst, int64_t arrival)
{
    int rc;

    if (w->capacity == 0)
        return 0;
    rc = add(&w->from[src], arrival);
    return rc != 0 ? rc : add(&w->to[dst], arrival);
}
