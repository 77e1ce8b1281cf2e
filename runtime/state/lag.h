/* SPDX-License-Identifier: MIT */
/*
 * Lag: how late the host returned from the waits of a core, measured until the vp is back in its
 * program.
 *
 * A wait that is over is only noted. It is added to the histogram when the next wait begins, so
 * that the bookkeeping delays no vp. The first return from a common start is not lag: it shows
 * whether the core was there in time.
 */
#ifndef LPI_LAG_H
#define LPI_LAG_H

#include "host/host.h"

#include <stdatomic.h>
#include <stdbool.h>

struct lpi_lag {
    int64_t deadline;              /* of the last wait, if it is not recorded yet; else -1 */
    int64_t returned;              /* when the vp of that wait went on */
    bool counts;                   /* that wait was emulated */
    bool inside;                   /* that vp has not returned to its program yet */
    bool start_pending;            /* no vp has returned from the last common start yet */
    _Atomic int64_t start_late[2]; /* ns, of the last starts, by the parity of their generation */
    int64_t away; /* the longest absence in a wait since the last common start: absence.h */
    struct lpi_histogram waits;
};

void lpi_lag_reset(struct lpi_lag *lag);
/* A wait is not recorded yet. generation: of the last common start that the core took part in */
void lpi_lag_record(struct lpi_lag *lag, const atomic_uint *generation);

/* In a wait the clock was not read for so long. */
static inline void lpi_lag_away(struct lpi_lag *lag, int64_t ns)
{
    if (ns > lag->away)
        lag->away = ns;
}

/* Note that a vp resumes at `now`. Called by the scheduler. */
static inline void lpi_lag_over(struct lpi_lag *lag, int64_t deadline, int64_t now, bool counts)
{
    lag->deadline = deadline;
    lag->returned = now;
    lag->counts = counts;
    lag->inside = true;
}

/* A vp returns to its program at `now`. */
static inline void lpi_lag_returned(struct lpi_lag *lag, int64_t now)
{
    if (lag->inside)
        lag->returned = now;
    lag->inside = false;
}

#endif
