/* SPDX-License-Identifier: MIT */
/*
 * How late the host returned from the waits of a core, up to the moment the vp went back to its
 * program; what that computes afterwards is its own affair.
 *
 * A wait that is over is only noted; it goes into the histogram when the next one begins, so that a
 * vp is not held up by the bookkeeping. The first return from a common start is no lag: it tells
 * whether the core was there in time.
 */
#ifndef LPI_LAG_H
#define LPI_LAG_H

#include "host/histogram.h"

#include <stdatomic.h>
#include <stdbool.h>

struct lpi_lag {
    int64_t deadline;              /* of the last wait, not recorded yet; -1: none */
    int64_t returned;              /* when its vp went on */
    bool counts;                   /* it was emulated */
    bool inside;                   /* its vp has not returned to its program since */
    bool start_pending;            /* nobody has returned from the last common start yet */
    _Atomic int64_t start_late[2]; /* of the last starts, by the parity of their generation */
    struct lpi_histogram waits;
};

void lpi_lag_reset(struct lpi_lag *lag);
/* generation: of the last common start. */
void lpi_lag_record(struct lpi_lag *lag, unsigned generation);

/* The scheduler lets a vp go on, at `now`. */
static inline void lpi_lag_over(struct lpi_lag *lag, int64_t deadline, int64_t now, bool counts)
{
    lag->deadline = deadline;
    lag->returned = now;
    lag->counts = counts;
    lag->inside = true;
}

/* A vp returns to its program, at `now`. */
static inline void lpi_lag_returned(struct lpi_lag *lag, int64_t now)
{
    if (lag->inside)
        lag->returned = now;
    lag->inside = false;
}

#endif
