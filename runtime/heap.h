/* SPDX-License-Identifier: MIT */
/*
 * A 4-ary heap of deadlines, the earliest (key, rank) on top. A slot is all it knows: sifting
 * touches the array and nothing else, which is what counts when thousands of deadlines lie
 * together.
 *
 * There is no removal from the middle. A deadline that is moved is pushed again, and the scheduler
 * passes over slots that no longer hold (lpi_heap_purge: when there are too many of them).
 */
#ifndef LPI_HEAP_H
#define LPI_HEAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { LPI_HEAP_ARITY = 4 };

struct lpi_heap_slot {
    int64_t key;
    int rank;
};

struct lpi_heap {
    struct lpi_heap_slot *slots;
    int n, capacity;
};

/* Room for `most` that hold, and as many that do not. 0; -ENOMEM */
int lpi_heap_init(struct lpi_heap *h, int most);
void lpi_heap_fini(struct lpi_heap *h);
/* There must be room: n < capacity. */
void lpi_heap_push(struct lpi_heap *h, int64_t key, int rank);
void lpi_heap_pop(struct lpi_heap *h);
/* Keep only the slots for which holds(arg, slot). */
void lpi_heap_purge(struct lpi_heap *h, bool (*holds)(void *arg, const struct lpi_heap_slot *s),
                    void *arg);

#endif
