/* SPDX-License-Identifier: MIT */
/* The heap of deadlines: see heap.h. */
#include "heap.h"

#include "memory.h"

#include <errno.h>

static bool before(const struct lpi_heap_slot *a, const struct lpi_heap_slot *b)
{
    return a->key < b->key || (a->key == b->key && a->rank < b->rank);
}

static void sift_down(struct lpi_heap *h, int place, struct lpi_heap_slot s)
{
    for (;;) {
        const int first = LPI_HEAP_ARITY * place + 1;
        const int end = first + LPI_HEAP_ARITY < h->n ? first + LPI_HEAP_ARITY : h->n;
        int least = first;

        if (first >= h->n)
            break;
        for (int i = first + 1; i < end; i++)
            if (before(&h->slots[i], &h->slots[least]))
                least = i;
        if (!before(&h->slots[least], &s))
            break;
        h->slots[place] = h->slots[least];
        place = least;
    }
    h->slots[place] = s;
}

int lpi_heap_init(struct lpi_heap *h, int most)
{
    *h = (struct lpi_heap){.capacity = 2 * most};
    h->slots = lpi_memory_zeroed((size_t)h->capacity, sizeof(*h->slots));
    return h->slots == NULL ? -ENOMEM : 0;
}

void lpi_heap_fini(struct lpi_heap *h)
{
    lpi_memory_free(h->slots, (size_t)h->capacity, sizeof(*h->slots));
    *h = (struct lpi_heap){0};
}

void lpi_heap_push(struct lpi_heap *h, int64_t key, int rank)
{
    const struct lpi_heap_slot s = {key, rank};
    int place = h->n++;

    while (place > 0) {
        const int parent = (place - 1) / LPI_HEAP_ARITY;

        if (!before(&s, &h->slots[parent]))
            break;
        h->slots[place] = h->slots[parent];
        place = parent;
    }
    h->slots[place] = s;
}

void lpi_heap_pop(struct lpi_heap *h)
{
    const struct lpi_heap_slot last = h->slots[--h->n];

    if (h->n > 0)
        sift_down(h, 0, last);
}

void lpi_heap_purge(struct lpi_heap *h, bool (*holds)(void *arg, const struct lpi_heap_slot *s),
                    void *arg)
{
    int kept = 0;

    for (int i = 0; i < h->n; i++)
        if (holds(arg, &h->slots[i]))
            h->slots[kept++] = h->slots[i];
    h->n = kept;
    for (int i = (kept - 2) / LPI_HEAP_ARITY; i >= 0 && kept > 1; i--)
        sift_down(h, i, h->slots[i]);
}
