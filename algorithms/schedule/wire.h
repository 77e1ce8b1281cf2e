/* SPDX-License-Identifier: MIT */
/* wire.c: how many messages of a fold are on the wire, [enter, arrival), at most `capacity` from
 * any one rank and to any one rank. */
#ifndef LPI_SCHEDULE_WIRE_H
#define LPI_SCHEDULE_WIRE_H

#include <stddef.h>
#include <stdint.h>

struct lpi_arrivals {
    int64_t *at; /* [first, end): in order; no more than the capacity */
    size_t first, end, space;
};

struct lpi_wires {
    int64_t capacity;               /* 0: no limit, and nothing is kept */
    struct lpi_arrivals *from, *to; /* by rank */
    size_t P;
};

/* 0; -ENOMEM. To be ended in any case. */
int lpi_wires_init(struct lpi_wires *w, size_t P, int64_t capacity);
void lpi_wires_fini(struct lpi_wires *w);
/* Is there a place at time `enter`? @return `enter`; later: try again then */
int64_t lpi_wires_free_at(struct lpi_wires *w, size_t src, size_t dst, int64_t enter);
/* A message is on the wire until then. 0; -ENOMEM */
int lpi_wires_add(struct lpi_wires *w, size_t src, size_t dst, int64_t arrival);

#endif
