/* SPDX-License-Identifier: MIT */
/* Common starts that a core notices too late are counted. */
#define _GNU_SOURCE
#include "support.h"

#include <stdlib.h>
#include <time.h>

enum { ROUNDS = 5, AHEAD_NS = 1000000 };

/* The clock of a core: a reading takes a nanosecond, so no core of this host is late. */
static _Thread_local int64_t time_ns;

static int64_t clock_of_core(void *arg)
{
    return ++time_ns;
}

/* Rank 1 notices each start too late, as its clock is far ahead; but not those that it fixes itself,
 * since it came last. */
static int meet(struct logp_vp *vp, struct logp_vp *all, int *expected)
{
    const struct timespec moment = {.tv_nsec = 1000000};
    int64_t start;

    for (int i = 0; i < ROUNDS; i++) {
        const int64_t now = logp_now(vp);

        if (logp_vp_rank(vp) == 1)
            time_ns += AHEAD_NS;
        else
            nanosleep(&moment, NULL);
        OK(logp_sync(all, &start));
        if (logp_vp_rank(vp) == 0 && start - now < AHEAD_NS / 2)
            ++*expected;
    }
    return 0;
}

static int of_all(struct logp_vp *vp, void *arg)
{
    return meet(vp, vp, arg);
}

static int of_a_group(struct logp_vp *vp, void *arg)
{
    static const int members[] = {1, 0};
    struct logp_vp *group;
    int rc = logp_group_create(vp, 1, members, 2, &group);

    OK(rc);
    rc = meet(vp, group, arg);
    logp_group_destroy(group);
    return rc;
}

static void count(logp_program program)
{
    struct logp_machine *m;
    int expected = 0;

    setenv("LOGP_TEST_CORES", "2", 1);
    m = test_machine_with((struct logp_config){.n_processors = 2,
                                               .delay = logp_delay_none(),
                                               .time_ns = clock_of_core},
                          NULL);
    cr_assert_eq(logp_machine_cores(m), 2);
    cr_assert_eq(logp_machine_run(m, program, &expected, 60000000000), 0);
    cr_assert(expected > 0);
    cr_assert_eq(logp_machine_report(m)->late_starts, expected, "%d counted, %d late",
                 logp_machine_report(m)->late_starts, expected);
    logp_machine_destroy(m);
}

Test(late_start, is_counted_at_starts_of_all)
{
    count(of_all);
}

Test(late_start, is_counted_at_starts_of_a_group)
{
    count(of_a_group);
}
