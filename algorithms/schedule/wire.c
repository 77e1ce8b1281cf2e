/* SPDX-License-Identifier: MIT */
/* The capacity of a fold: by the rule of the runtime, and with its ties, since sends come in the
 * order of (start, rank). */
#include "schedule/schedule.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int lpi_wires_init(struct lpi_wires *w, size_t P, int64_t capacity)
{
    *w = (struct lpi_wires){.capacity = capacity > 0 ? capacity : 0, .P = P};
    if (capacity <= 0)
        return 0;
    w->from = calloc(P, sizeof(*w->from));
    w->to = calloc(P, sizeof(*w->to));
    return w->from != NULL && w->to != NULL ? 0 : -ENOMEM;
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

int64_t lpi_wires_free_at(struct lpi_wires *w, size_t src, size_t dst, int64_t enter)
{
    int64_t from, to;

    if (w->capacity == 0)
        return enter;
    from = free_at(w, &w->from[src], enter);
    to = free_at(w, &w->to[dst], enter);
    return from > to ? from : to;
}

int lpi_wires_add(struct lpi_wires *w, size_t src, size_t dst, int64_t arrival)
{
    int rc;

    if (w->capacity == 0)
        return 0;
    rc = add(&w->from[src], arrival);
    return rc != 0 ? rc : add(&w->to[dst], arrival);
}
