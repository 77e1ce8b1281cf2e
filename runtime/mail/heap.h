/* SPDX-License-Identifier: MIT */
/*
 * A 4-ary heap, ordered by (arrival, source, number).
 *
 * An entry does not move when its owner changes: the owner changes its stamp and pushes a new
 * entry. An entry whose stamp differs from its owner's is stale. Stale entries are skipped at the
 * top, and swept out when the heap is full.
 */
#ifndef LPI_HEAP_H
#define LPI_HEAP_H

#include <stdbool.h>
#include <stdint.h>

struct lpi_entry {
    int64_t arrival;
    uint64_t number;
    int src;
    unsigned stamp;
    unsigned *owner; /* the owner's stamp */
};

struct lpi_heap {
    struct lpi_entry *entries;
    int n, capacity;
};

/* false: no memory */
bool lpi_heap_push(struct lpi_heap *h, const struct lpi_entry *e);
/* The first entry that is not stale; NULL: there is none. Valid until the next push. */
const struct lpi_entry *lpi_heap_top(struct lpi_heap *h);
/* Remove stale entries and order the rest again, since the caller may have changed keys. */
void lpi_heap_sweep(struct lpi_heap *h);

#endif
