/* SPDX-License-Identifier: MIT */
/*
 * Calibration of the processor's counter against CLOCK_MONOTONIC.
 *
 * The first use takes an anchor, (counter, ns). Each initialisation takes a second anchor and
 * derives the rate from the two. An anchor is the tightest of several brackets, good to some 10 ns.
 * So the rate is right to 1e-5 after the first millisecond and better with every run. A slow
 * counter (aarch64: down to 19.2 MHz, 52 ns a tick) loses nothing: CLOCK_MONOTONIC is made of the
 * same ticks, and an anchor that is taken within one tick is exact.
 */
#include "host/clock.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef LPI_COUNTER

struct anchor {
    uint64_t tick;
    int64_t ns;
};

static pthread_once_t once = PTHREAD_ONCE_INIT;
static bool have_counter;
static struct anchor first;

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
    return strcmp(name, LPI_COUNTER "\n") == 0;
}

static void init_once(void)
{
    have_counter = kernel_trusts_it();
    first = take_anchor();
}

void lpi_clock_init(struct lpi_clock *c, int64_t (*source)(void *arg), void *arg)
{
    const int64_t calibrate_ns = 2000000;
    struct anchor now;

    pthread_once(&once, init_once);
    *c =
        (struct lpi_clock){.counter = have_counter && source == NULL, .source = source, .arg = arg};
    if (!c->counter)
        return;
    while (lpi_monotonic_ns() - first.ns < calibrate_ns)
        ;
    now = take_anchor();
    c->tick0 = now.tick;
    c->ns0 = now.ns;
    c->mult = (uint64_t)(((unsigned __int128)(uint64_t)(now.ns - first.ns) << 32) /
                         (now.tick - first.tick));
}

#else

void lpi_clock_init(struct lpi_clock *c, int64_t (*source)(void *arg), void *arg)
{
    *c = (struct lpi_clock){.source = source, .arg = arg};
}

#endif

/* Stands for the end of a call into the runtime, which reads the clock last. */
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
