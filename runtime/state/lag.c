/* SPDX-License-Identifier: MIT */
/* Lag of a core: see lag.h. */
#include "state/lag.h"

#include "host/host.h"

void lpi_lag_reset(struct lpi_lag *lag)
{
    lag->deadline = -1;
    lag->start_pending = lag->inside = false;
    lag->away = 0;
    if (lag->waits.n > 0)
        lpi_histogram_reset(&lag->waits);
}

void lpi_lag_record(struct lpi_lag *lag, const atomic_uint *generation)
{
    const int64_t late = lag->returned - lag->deadline;

    lag->deadline = -1;
    if (lag->start_pending) {
        lag->start_pending = false;
        lag->away = late; /* the time before the start does not count */
        /* relaxed, both: it is read after the next sync, which orders it, since this core takes part */
        atomic_store_explicit(
            &lag->start_late[atomic_load_explicit(generation, memory_order_relaxed) & 1], late,
            memory_order_relaxed);
    } else if (lag->counts) {
        lpi_histogram_add(&lag->waits, late);
    }
}
