/* SPDX-License-Identifier: MIT */
/*
 * A 4-ary heap of deadlines, the earliest (key, rank) on top. Nodes know their place, so a
 * deadline can be moved or withdrawn; the keys are kept beside the pointers, so sifting does not
 * touch the nodes of others. Room for every node is reserved at creation: it never fails later.
 */
#ifndef LPI_HEAP_H
#define LPI_HEAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { LPI_HEAP_ARITY = 4 };

struct lpi_heap_node {
    int64_t key;
    int rank;
    int place; /* -1: not in the heap */
};

struct lpi_heap_slot {
    int64_t key;
    struct lpi_heap_node *node;
};

struct lpi_heap {
    struct lpi_heap_slot *slots;
    int n, capacity;
};

int lpi_heap_init(struct lpi_heap *h, int capacity);
void lpi_heap_fini(struct lpi_heap *h);
void lpi_heap_push(struct lpi_heap *h, struct lpi_heap_node *node, int64_t key);
void lpi_heap_remove(struct lpi_heap *h, struct lpi_heap_node *node);
void lpi_heap_clear(struct lpi_heap *h);

static inline struct lpi_heap_node *lpi_heap_top(const struct lpi_heap *h)
{
    return h->n > 0 ? h->slots[0].node : NULL;
}

#endif
