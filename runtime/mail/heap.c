/* SPDX-License-Identifier: MIT */
/* A heap of arrivals: see mail.h. */
#include "mail/mail.h"

#include <stdlib.h>

enum { ARITY = 4, LEAST_CAPACITY = 32 };

static bool holds(const struct lpi_entry *e)
{
    return e->stamp == *e->owner;
}

static bool precedes(const struct lpi_entry *a, const struct lpi_entry *b)
{
    if (a->arrival != b->arrival)
        return a->arrival < b->arrival;
    return a->src != b->src ? a->src < b->src : a->number < b->number;
}

/* Put e into hole i or above it. */
static void sift_up(struct lpi_heap *h, int i, const struct lpi_entry *e)
{
    while (i > 0) {
        const int parent = (i - 1) / ARITY;

        if (!precedes(e, &h->entries[parent]))
            break;
        h->entries[i] = h->entries[parent];
        i = parent;
    }
    h->entries[i] = *e;
}

/* Put e into hole i or below it. */
static void sift_down(struct lpi_heap *h, int i, const struct lpi_entry *e)
{
    for (;;) {
        const int first = i * ARITY + 1, end = first + ARITY < h->n ? first + ARITY : h->n;
        int best = first;

        for (int k = first + 1; k < end; k++)
            if (precedes(&h->entries[k], &h->entries[best]))
                best = k;
        if (first >= h->n || !precedes(&h->entries[best], e))
            break;
        h->entries[i] = h->entries[best];
        i = best;
    }
    h->entries[i] = *e;
}

void lpi_heap_sweep(struct lpi_heap *h)
{
    int n = 0;

    for (int i = 0; i < h->n; i++)
        if (holds(&h->entries[i]))
            h->entries[n++] = h->entries[i];
    h->n = n;
    for (int i = (n - 2) / ARITY; n > 1 && i >= 0; i--) {
        const struct lpi_entry e = h->entries[i];

        sift_down(h, i, &e);
    }
}

/* Sweep, and grow unless half of the capacity is free then: the amortized cost is constant. */
static bool make_space(struct lpi_heap *h)
{
    const int capacity = h->capacity > 0 ? 2 * h->capacity : LEAST_CAPACITY;
    struct lpi_entry *entries;

    if (h->n > 0)
        lpi_heap_sweep(h);
    if (h->n < h->capacity / 2)
        return true;
    entries = realloc(h->entries, (size_t)capacity * sizeof(*entries));
    if (entries == NULL)
        return false;
    h->entries = entries;
    h->capacity = capacity;
    return true;
}

bool lpi_heap_push(struct lpi_heap *h, const struct lpi_entry *e)
{
    if (h->n == h->capacity && !make_space(h))
        return false;
    sift_up(h, h->n++, e);
    return true;
}

const struct lpi_entry *lpi_heap_top(struct lpi_heap *h)
{
    while (h->n > 0 && !holds(&h->entries[0])) {
        const struct lpi_entry last = h->entries[--h->n];

        if (h->n > 0)
            sift_down(h, 0, &last);
    }
    return h->n > 0 ? &h->entries[0] : NULL;
}
