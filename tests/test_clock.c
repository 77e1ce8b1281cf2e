/* SPDX-License-Identifier: MIT */
/* The wall clock against CLOCK_MONOTONIC, which it reads another way. */
#include "support.h"

#include "host/clock.h"

#include <stdio.h>

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

Test(clock, it_keeps_to_clock_monotonic)
{
    struct lpi_clock c;

    for (int i = 0; i < 3; i++) { /* the rate is measured anew each time */
        lpi_clock_init(&c, NULL, NULL);
        keep_to_monotonic(&c, 50000000);
    }
}

/* Where the kernel keeps time by the processor's counter, so does it. */
Test(clock, it_reads_the_counter_that_the_kernel_reads)
{
    FILE *f = fopen("/sys/devices/system/clocksource/clocksource0/current_clocksource", "r");
    char name[100] = "";
    struct lpi_clock c;
    bool counts = false;

    if (f != NULL) {
        if (fscanf(f, "%99s", name) != 1)
            name[0] = '\0';
        fclose(f);
    }
#if defined(__x86_64__)
    counts = strcmp(name, "tsc") == 0;
#elif defined(__aarch64__)
    counts = strcmp(name, "arch_sys_counter") == 0;
#endif
    lpi_clock_init(&c, NULL, NULL);
    cr_assert_eq(c.counter, counts, "the kernel's is '%s'", name);
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
