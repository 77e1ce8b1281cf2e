/* SPDX-License-Identifier: MIT */
/*
 * Calibration of the processor's counter against CLOCK_MONOTONIC.
 *
 * The first use takes an anchor, (counter, ns). Each initialisation takes a second anchor and
 * derives the rate from the two. An anchor is the tightest of several brackets, good to some 10 ns.
 * So the rate is right to 1e-5 after the first millisecond and better with every run. A slow
 * counter (aarch64: down to 19.2 MHz, 52 ns a tick) loses nothing: CLOCK_MONOTONIC is made of the
 * same ticks, and an anchor that is taken within one tick is exact.
 *
 * A virtual machine may move to a host whose counter differs. Its kernel stays right, since it gets
 * the new rate from the hypervisor. So the counter must agree with CLOCK_MONOTONIC at each
 * initialisation, and is not read any more once it does not.
 */
#define _GNU_SOURCE /* sched_setaffinity() */

#include "host/clock.h"

#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#if defined(__x86_64__)
#include <cpuid.h>
#endif

#ifdef LPI_COUNTER

struct anchor {
    uint64_t tick;
    int64_t ns;
};

enum {
    CALIBRATE_NS = 2000000,
    AGREE_NS = 2000, /* far more than anchors err */
    SLEW = 1000,     /* a part of the elapsed time: CLOCK_MONOTONIC is slewed by at most 1 / 2000 */
};

static pthread_once_t once = PTHREAD_ONCE_INIT;
static struct anchor first;
/* Under the lock: is the counter read, and the last calibration; mult 0: none. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static bool have_counter;
static struct lpi_clock last;

static struct anchor take_anchor(void)
{
    struct anchor best = {0, 0};
    uint64_t width = UINT64_MAX;

    for (int i = 0; i < 16; i++) {
        const uint64_t before = lpi_counter();
        const int64_t ns = lpi_monotonic_ns();
        const uint64_t after = lpi_counter();

        if (after - before < width) {
            width = after - before;
            best = (struct anchor){before + (after - before) / 2, ns};
        }
    }
    return best;
}

/* Whether the counter, at this rate, gives the time from b to a. */
static bool agree(struct anchor a, struct anchor b, uint64_t mult)
{
    const uint64_t ticks = a.tick - b.tick;
    const int64_t error = a.ns - b.ns - (int64_t)(((unsigned __int128)ticks * mult) >> 32);

    return (error < 0 ? -error : error) <= AGREE_NS + (a.ns - b.ns) / SLEW;
}

/* ns per tick between a and b, 32 fractional bits */
static uint64_t rate(struct anchor a, struct anchor b)
{
    return (uint64_t)(((unsigned __int128)(uint64_t)(b.ns - a.ns) << 32) / (b.tick - a.tick));
}

/* Whether the counters of all processors on which this thread may run agree. */
static bool processors_agree(void)
{
    struct anchor seen[CPU_SETSIZE], end;
    cpu_set_t all, one;
    size_t n = 0;
    bool alike = true;

    if (sched_getaffinity(0, sizeof(all), &all) != 0) /* too many processors for a cpu_set_t */
        return false;
    for (size_t i = 0; alike && i < CPU_SETSIZE; i++)
        if (CPU_ISSET(i, &all)) {
            CPU_ZERO(&one);
            CPU_SET(i, &one);
            alike = sched_setaffinity(0, sizeof(one), &one) == 0;
            seen[n++] = take_anchor();
        }
    while (lpi_monotonic_ns() - first.ns < CALIBRATE_NS)
        ;
    end = take_anchor();
    for (size_t i = 0; alike && i < n; i++)
        alike = agree(end, seen[i], rate(first, end));
    sched_setaffinity(0, sizeof(all), &all);
    return alike;
}

/* Whether this clock of a hypervisor is derived from the counter, which never changes its rate. */
static bool is_made_of_it(const char *name)
{
#if defined(__x86_64__)
    unsigned a, b, c, d;

    return (strcmp(name, "kvm-clock\n") == 0 ||
            strcmp(name, "hyperv_clocksource_tsc_page\n") == 0) &&
           __get_cpuid(0x80000007, &a, &b, &c, &d) && (d & 1U << 8) != 0;
#else
    (void)name;
    return false;
#endif
}

/* The kernel keeps time by a counter only if it found it constant and synchronised. */
static bool kernel_trusts_it(void)
{
    char name[32] = "";
    FILE *f = fopen("/sys/devices/system/clocksource/clocksource0/current_clocksource", "re");

    if (f == NULL)
        return false;
    if (fgets(name, sizeof(name), f) == NULL)
        name[0] = '\0';
    fclose(f);
    return strcmp(name, LPI_COUNTER "\n") == 0 || (is_made_of_it(name) && processors_agree());
}

static void init_once(void)
{
    first = take_anchor();
    have_counter = kernel_trusts_it();
}

/* Calibrate c by the counter, unless the counter has left the last calibration. */
static void calibrate(struct lpi_clock *c)
{
    struct anchor now;

    while (lpi_monotonic_ns() - first.ns < CALIBRATE_NS)
        ;
    now = take_anchor();
    have_counter = last.mult == 0 || agree(now, (struct anchor){last.tick0, last.ns0}, last.mult);
    c->counter = have_counter;
    c->tick0 = now.tick;
    c->ns0 = now.ns;
    c->mult = rate(first, now);
    last = *c;
}

void lpi_clock_init(struct lpi_clock *c, int64_t (*source)(void *arg), void *arg)
{
    *c = (struct lpi_clock){.source = source, .arg = arg};
    pthread_once(&once, init_once);
    pthread_mutex_lock(&lock);
    if (have_counter && source == NULL)
        calibrate(c);
    pthread_mutex_unlock(&lock);
}

#else

void lpi_clock_init(struct lpi_clock *c, int64_t (*source)(void *arg), void *arg)
{
    *c = (struct lpi_clock){.source = source, .arg = arg};
}

#endif

/* Read the clock as the end of a call into the runtime does, last of all. */
static __attribute__((noinline)) int64_t end_of_call(const struct lpi_clock *c)
{
    return lpi_clock_ns(c);
}

static int compare(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

    return (x > y) - (x < y);
}

int64_t lpi_clock_overhead(const struct lpi_clock *c)
{
    int64_t (*volatile call)(const struct lpi_clock *) = end_of_call;
    int64_t took[101];

    for (int i = 0; i < 101; i++) {
        const int64_t a = call(c);

        took[i] = call(c) - a;
    }
    qsort(took, 101, sizeof(took[0]), compare);
    return took[50];
}
