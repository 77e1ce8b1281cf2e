/* SPDX-License-Identifier: MIT */
/* The capacity of a fold: by the rule of the runtime, and with its ties, since sends come in the
 * order of (start, rank). */
#include "wire.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

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

static void drop_first(struct lpi_arrivals *a)
{
    const int64_t last = a->at[--a->n];
    size_t i = 0;

    for (size_t child = 1; child < a->n; child = 2 * i + 1) {
        if (child + 1 < a->n && a->at[child + 1] < a->at[child])
            child++;
        if (a->at[child] >= last)
            break;
        a->at[i] = a->at[child];
        i = child;
    }
    a->at[i] = last;
}

static int add(struct lpi_arrivals *a, int64_t arrival)
{
    size_t i = a->n;

    if (a->n == a->space) {
        const size_t space = a->space > 0 ? 2 * a->space : 8;
        int64_t *at = realloc(a->at, space * sizeof(*at));

        if (at == NULL)
            return -ENOMEM;
        a->at = at;
        a->space = space;
    }
    for (a->n++; i > 0 && a->at[(i - 1) / 2] > arrival; i = (i - 1) / 2)
        a->at[i] = a->at[(i - 1) / 2];
    a->at[i] = arrival;
    return 0;
}

static int64_t free_at(const struct lpi_wires *w, struct lpi_arrivals *a, int64_t enter)
{
    while (a->n > 0 && a->at[0] <= enter)
        drop_first(a);
    return a->n < (size_t)w->capacity ? enter : a->at[0];
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
