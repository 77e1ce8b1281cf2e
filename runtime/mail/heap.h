/* SPDX-License-Identifier: MIT */
/*
 * A 4-ary heap of what comes first: by (arrival, source, number).
 *
 * Entries are not moved when what they stand for changes. Each carries a stamp, and is stale once
 * its owner's stamp is another; the owner pushes a new one. Stale entries are passed over at the
 * top, and swept out when there is no more room.
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
    unsigned *owner; /* where its stamp is */
};

struct lpi_heap {
    struct lpi_entry *entries;
    int n, capacity;
};

/* false: no memory */
bool lpi_heap_push(struct lpi_heap *h, const struct lpi_entry *e);
/* The first that holds; NULL: there is none. Valid until the next push. */
const struct lpi_entry *lpi_heap_top(struct lpi_heap *h);
/* Sweep, and put what is left in order again: the caller may have changed keys before. */
void lpi_heap_sweep(struct lpi_heap *h);

#endif
