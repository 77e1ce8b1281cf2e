/* SPDX-License-Identifier: MIT */
/* traced.c: what a fold does, as events. 0, or an error, of all; t is charged. */
#ifndef LPI_SCHEDULE_TRACED_H
#define LPI_SCHEDULE_TRACED_H

#include <logp/trace.h>

/* Where a fold's events go. */
struct lpi_traced {
    struct logp_trace *trace;
    uint32_t label;
    int64_t *free_at; /* by rank: when the send that it is at could start, but for the capacity */
};

int lpi_traced_send(const struct lpi_traced *to, const struct logp_transfer *t, int tag,
                    int64_t begun);
int lpi_traced_receive(const struct lpi_traced *to, const struct logp_transfer *t, int tag);
int lpi_traced_compute(const struct lpi_traced *to, int64_t rank, int64_t start, int64_t ns);

#endif
