/* SPDX-License-Identifier: MIT */
/* The wall clock against CLOCK_MONOTONIC, which it reads another way. */
#define _GNU_SOURCE /* RTLD_NEXT, sched_setaffinity() */

#include "support.h"

#include "host/clock.h"

#include <dlfcn.h>
#include <sched.h>
#include <stdio.h>

static time_t jump_s; /* of CLOCK_MONOTONIC, ahead of the counter */

/* In place of the C library's. */
int clock_gettime(clockid_t id, struct timespec *t)
{
    static int (*real)(clockid_t, struct timespec *);
    int rc;

    if (real == NULL)
        *(void **)&real = dlsym(RTLD_NEXT, "clock_gettime");
    rc = real(id, t);
    if (rc == 0 && id == CLOCK_MONOTONIC)
        t->tv_sec += jump_s;
    return rc;
}

/* What the two may differ by: far more than anchors err, far less than a wrong rate makes. */
static int64_t tolerance(int64_t elapsed)
{
    return 20000 + elapsed / 1000;
}

static void keep_to_monotonic(const struct lpi_clock *c, int64_t n_ns)
{
    const int64_t start = lpi_monotonic_ns();
    int64_t before, ns, after, last = INT64_MIN;

    do {
        before = lpi_monotonic_ns();
        ns = lpi_clock_ns(c);
        after = lpi_monotonic_ns();
        cr_assert_geq(ns, before - tolerance(before - start));
        cr_assert_leq(ns, after + tolerance(after - start));
        cr_assert_geq(ns, last, "it has gone back");
        last = ns;
    } while (after - start < n_ns);
}

/* As if this virtual machine had moved to another host. It comes first in this file, so that it runs
 * last where all tests share a process (plain.c): the counter is given up for good. */
Test(clock, it_leaves_a_counter_that_has_jumped)
{
    struct lpi_clock c;

    lpi_clock_init(&c, NULL, NULL);
    jump_s = 1;
    for (int i = 0; i < 2; i++) {
        lpi_clock_init(&c, NULL, NULL);
        cr_assert(!c.counter);
        keep_to_monotonic(&c, 1000000);
    }
}

Test(clock, it_keeps_to_clock_monotonic)
{
    struct lpi_clock c;

    for (int i = 0; i < 3; i++) { /* the rate is measured anew each time */
        lpi_clock_init(&c, NULL, NULL);
        keep_to_monotonic(&c, 50000000);
    }
}

/* What the kernel keeps time by; "": it does not say. */
static void kernels_clock(char name[100])
{
    FILE *f = fopen("/sys/devices/system/clocksource/clocksource0/current_clocksource", "r");

    name[0] = '\0';
    if (f != NULL) {
        if (fscanf(f, "%99s", name) != 1)
            name[0] = '\0';
        fclose(f);
    }
}

/* Where the kernel keeps time by the processor's counter, so does it. It may do so where the
 * hypervisor's clock is made of the counter, and it does not anywhere else. */
Test(clock, it_reads_the_counter_that_the_kernel_reads)
{
    char name[100];
    struct lpi_clock c;
    bool counts = false, may = false;

    kernels_clock(name);
#if defined(__x86_64__)
    counts = strcmp(name, "tsc") == 0;
    may = strcmp(name, "kvm-clock") == 0 || strcmp(name, "hyperv_clocksource_tsc_page") == 0;
#elif defined(__aarch64__)
    counts = strcmp(name, "arch_sys_counter") == 0;
#endif
    lpi_clock_init(&c, NULL, NULL);
    cr_assert(c.counter == counts || (c.counter && may), "the kernel's is '%s'", name);
}

Test(clock, it_is_the_same_on_all_processors)
{
    struct lpi_clock c;
    cpu_set_t all, one;

    lpi_clock_init(&c, NULL, NULL);
    OK(sched_getaffinity(0, sizeof(all), &all));
    for (size_t i = 0; i < CPU_SETSIZE; i++)
        if (CPU_ISSET(i, &all)) {
            CPU_ZERO(&one);
            CPU_SET(i, &one);
            OK(sched_setaffinity(0, sizeof(one), &one));
            keep_to_monotonic(&c, 1000000);
        }
}

static int64_t as_told(void *arg)
{
    return *(int64_t *)arg;
}

Test(clock, it_is_the_users_own_where_there_is_one)
{
    int64_t seven = 7;
    struct lpi_clock c;

    lpi_clock_init(&c, as_told, &seven);
    cr_assert_eq(lpi_clock_ns(&c), 7);
}
