/* SPDX-License-Identifier: MIT */
/*
 * The wall clock: CLOCK_MONOTONIC, or the user's own source (logp_config.time_ns).
 *
 * CLOCK_MONOTONIC is read through the processor's counter if the kernel does so itself (x86-64: the
 * invariant time-stamp counter, 11 ns instead of 26; aarch64: the generic timer's). So it does with
 * the clock of a hypervisor that is made of the counter. The rate is measured against
 * CLOCK_MONOTONIC since the first use, so its error shrinks. A machine takes a fresh copy at the
 * start of each run.
 */
#ifndef LPI_CLOCK_H
#define LPI_CLOCK_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#if defined(__x86_64__)
#define LPI_COUNTER "tsc" /* the kernel's name of the counter */
#elif defined(__aarch64__)
#define LPI_COUNTER "arch_sys_counter"
#endif

struct lpi_clock {
    bool counter;   /* the counter is read */
    uint64_t tick0; /* counter at ns0 */
    int64_t ns0;
    uint64_t mult;                /* ns per tick, 32 fractional bits */
    int64_t (*source)(void *arg); /* read if counter is false; NULL: CLOCK_MONOTONIC */
    void *arg;
};

/* source: the user's own clock, or NULL. */
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

/* The processor time of the calling thread; a system call. */
static inline int64_t lpi_thread_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

#ifdef LPI_COUNTER
static inline uint64_t lpi_counter(void)
{
#if defined(__x86_64__)
    return __builtin_ia32_rdtsc(); /* <x86intrin.h> has 60 000 lines */
#else
    uint64_t ticks;

    /* isb, as in the kernel: the counter is not read ahead of earlier loads */
    __asm__ volatile("isb\n\tmrs %0, cntvct_el0" : "=r"(ticks) : : "memory");
    return ticks;
#endif
}
#endif

static inline int64_t lpi_clock_ns(const struct lpi_clock *c)
{
#ifdef LPI_COUNTER
    if (c->counter) {
        const uint64_t ticks = lpi_counter() - c->tick0;

        return c->ns0 + (int64_t)(((unsigned __int128)ticks * c->mult) >> 32);
    }
#endif
    return c->source != NULL ? c->source(c->arg) : lpi_monotonic_ns();
}

#endif
