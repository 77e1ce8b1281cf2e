/* SPDX-License-Identifier: MIT */
/*
 * The wall clock. CLOCK_MONOTONIC, read through the processor's time-stamp counter where the
 * kernel itself does so (invariant TSC): 10 ns instead of 22. The rate is measured against
 * CLOCK_MONOTONIC over all the time since the first use, so its error shrinks; a machine takes a
 * fresh copy at the start of each run. Or it is a source of the user's own (logp_config.time_ns).
 */
#ifndef LPI_CLOCK_H
#define LPI_CLOCK_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

struct lpi_clock {
    bool tsc;
    uint64_t tick0; /* counter at ns0 */
    int64_t ns0;
    uint64_t mult;                /* ns per tick, 32 fractional bits */
    int64_t (*source)(void *arg); /* read instead, where tsc is false; NULL: CLOCK_MONOTONIC */
    void *arg;
};

/* source: a clock of the user's own, or NULL. */
void lpi_clock_init(struct lpi_clock *c, int64_t (*source)(void *arg), void *arg);
/* Median time from the reading that ends one call into the runtime to the one that begins the next,
 * if the program does nothing in between. */
int64_t lpi_clock_overhead(const struct lpi_clock *c);

static inline int64_t lpi_monotonic_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static inline int64_t lpi_clock_ns(const struct lpi_clock *c)
{
#if defined(__x86_64__)
    if (c->tsc) {
        const uint64_t ticks = __rdtsc() - c->tick0;

        return c->ns0 + (int64_t)(((unsigned __int128)ticks * c->mult) >> 32);
    }
#endif
    return c->source != NULL ? c->source(c->arg) : lpi_monotonic_ns();
}

#endif
