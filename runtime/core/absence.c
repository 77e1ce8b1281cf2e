/* SPDX-License-Identifier: MIT */
/*
 * The longest absence of a core between two common starts, and in a run: see state/absence.h.
 *
 * The last vp of a core that arrives at a sync ends the time that is judged, and the release of its start
 * begins the next. Reading the processor time of threads takes a system call for each. So it is read when the
 * core arrives. At the release only that of the thread that waits for the start is read again, since
 * the others have not run, and only if there is time.
 */
#include "core/core.h"

#include "carrier/carrier.h"
#include "host/clock.h"
#include "host/host.h"

enum { AMPLE_NS = 4000 /* more than a reading takes */ };

/* By a carrier of c. */
static struct lpi_presence present(const struct lpi_core *c)
{
    const struct lpi_executor *e = c->machine->executor;
    struct lpi_presence now = {.host = -1, .thread = pthread_self()};

    if (!lpi_counts_presence(c->machine) || c->life.n_blocking > 0)
        return now;
    now.cpu = e->others_ns != NULL ? e->others_ns(c) : 0;
    now.own = lpi_thread_ns();
    now.cpu += now.own;
    now.host = lpi_monotonic_ns();
    return now;
}

void lpi_absence_reset(struct lpi_core *c)
{
    c->absence.seen = LPI_UNSEEN;
    c->absence.most = c->absence.slept = 0;
    c->absence.idle_polls = 0;
    c->absence.at.host = -1;
}

void lpi_absence_arrive(struct lpi_core *c)
{
    struct lpi_absence *a = &c->absence;
    const struct lpi_presence now = present(c);
    int64_t longest = c->lag.away, between = 0;
    /* relaxed: of the last start, in which this core took part */
    const unsigned generation =
        atomic_load_explicit(&c->machine->sync_generation, memory_order_relaxed);

    if (a->at.host >= 0 && now.host >= 0)
        between = now.host - a->at.host - (now.cpu - a->at.cpu) - a->slept -
                  c->machine->executor->slack_ns;
    if (between > longest)
        longest = between;
    if (generation > 0 && longest > a->most)
        a->most = longest;
    /* relaxed: read after this sync, which orders it */
    atomic_store_explicit(&a->last[generation & 1], longest, memory_order_relaxed);
    a->at = now;
    a->slept = 0;
}

void lpi_absence_released(struct lpi_core *c, int64_t until_start)
{
    struct lpi_absence *a = &c->absence;

    c->lag.away = 0;
    a->seen = LPI_UNSEEN; /* the first start of a run moves time 0 */
    if (a->at.host < 0 || until_start < AMPLE_NS || !pthread_equal(a->at.thread, pthread_self()))
        return;
    a->at.cpu -= a->at.own;
    a->at.own = lpi_thread_ns();
    a->at.cpu += a->at.own;
    a->at.host = lpi_monotonic_ns();
    a->slept = 0;
}
