/* SPDX-License-Identifier: MIT */
/* The heap of deadlines: see heap.h. */
#include "heap.h"

#include <errno.h>
#include <stdlib.h>

static bool before(const struct lpi_heap_slot *a, const struct lpi_heap_slot *b)
{
    return a->key < b->key || (a->key == b->key && a->node->rank < b->node->rank);
}

static void put(struct lpi_heap *h, int place, struct lpi_heap_slot s)
{
    h->slots[place] = s;
    s.node->place = place;
}

static void sift_up(struct lpi_heap *h, int place, struct lpi_heap_slot s)
{
    while (place > 0) {
        const int parent = (place - 1) / LPI_HEAP_ARITY;

        if (!before(&s, &h->slots[parent]))
            break;
        put(h, place, h->slots[parent]);
        place = parent;
    }
    put(h, place, s);
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
        put(h, place, h->slots[least]);
        place = least;
    }
    put(h, place, s);
}

int lpi_heap_init(struct lpi_heap *h, int capacity)
{
    *h = (struct lpi_heap){.capacity = capacity};
    h->slots = malloc((size_t)capacity * sizeof(*h->slots));
    return h->slots == NULL ? -ENOMEM : 0;
}

void lpi_heap_fini(struct lpi_heap *h)
{
    free(h->slots);
    *h = (struct lpi_heap){0};
}

void lpi_heap_push(struct lpi_heap *h, struct lpi_heap_node *node, int64_t key)
{
    node->key = key;
    sift_up(h, h->n++, (struct lpi_heap_slot){key, node});
}

void lpi_heap_remove(struct lpi_heap *h, struct lpi_heap_node *node)
{
    const int place = node->place;
    const struct lpi_heap_slot last = h->slots[--h->n];

    node->place = -1;
    if (place == h->n)
        return;
    if (place > 0 && before(&last, &h->slots[(place - 1) / LPI_HEAP_ARITY]))
        sift_up(h, place, last);
    else
        sift_down(h, place, last);
}

void lpi_heap_clear(struct lpi_heap *h)
{
    for (int i = 0; i < h->n; i++)
        h->slots[i].node->place = -1;
    h->n = 0;
}
