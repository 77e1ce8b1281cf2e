/* SPDX-License-Identifier: MIT */
/*
 * When a run's time is over. Nobody waits here to see: the test stands between the library and
 * pthread_cond_timedwait(), and sees until when it would wait.
 */
#define _GNU_SOURCE
#include "support.h"

#include <dlfcn.h>
#include <pthread.h>
#include <time.h>

static int64_t until_ns[8], at_ns[8]; /* of the waits with a deadline, in their order; and when */
static int n_waits;

static int64_t in_ns(const struct timespec *t)
{
    return (int64_t)t->tv_sec * 1000000000 + t->tv_nsec;
}

static int64_t monotonic_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return in_ns(&t);
}

/* The library's calls come here. */
__attribute__((visibility("default"))) int
pthread_cond_timedwait(pthread_cond_t *cond, pthread_mutex_t *mutex, const struct timespec *t);
int pthread_cond_timedwait(pthread_cond_t *cond, pthread_mutex_t *mutex, const struct timespec *t)
{
    static int (*real)(pthread_cond_t *, pthread_mutex_t *, const struct timespec *);

    if (real == NULL)
        *(void **)&real = dlsym(RTLD_NEXT, "pthread_cond_timedwait");
    if (n_waits < 8) {
        at_ns[n_waits] = monotonic_ns();
        until_ns[n_waits++] = in_ns(t);
    }
    return real(cond, mutex, t);
}

Test(timeout, a_run_is_stopped_when_its_time_is_over_and_has_a_second_to_come_home)
{
    const int64_t timeout_ns = 30000000;
    TEST_MACHINE m = test_machine(2, LOGP_CLOCK_WALL, &test_6ns);
    int64_t before, after;

    n_waits = 0;
    before = monotonic_ns();
    cr_assert_eq(logp_machine_run(m, test_too_long, NULL, timeout_ns), -ETIMEDOUT);
    after = monotonic_ns();
    cr_assert_geq(n_waits, 1);
    cr_expect_geq(until_ns[0], before + timeout_ns);
    cr_expect_leq(until_ns[0], after, "it ended when this had passed");
    cr_expect_geq(after, before + timeout_ns);
    if (n_waits > 1) { /* they were not home yet */
        cr_expect_geq(until_ns[1], before + timeout_ns + INT64_C(1000000000));
        cr_expect_leq(until_ns[1], after + INT64_C(1000000000));
    }
}

Test(timeout, a_long_timeout_is_as_long_as_it_says)
{
    TEST_MACHINE m = test_machine(2, LOGP_CLOCK_WALL, NULL);

    for (int64_t seconds = 10; seconds <= 1000000; seconds *= 100) {
        const int64_t timeout_ns = seconds * 1000000000 + 7;
        const int64_t before = monotonic_ns();
        int64_t after;

        n_waits = 0;
        cr_assert_eq(logp_machine_run(m, test_nothing, NULL, timeout_ns), 0);
        after = monotonic_ns();
        for (int i = 0; i < n_waits; i++) { /* none, where they were home first */
            cr_expect_geq(until_ns[i], before + timeout_ns);
            cr_expect_leq(until_ns[i], after + timeout_ns);
        }
    }
    n_waits = 0;
    cr_assert_eq(logp_machine_run(m, test_nothing, NULL, 0), 0);
    cr_expect_eq(n_waits, 0, "0: no limit");
    cr_expect_eq(logp_machine_run(m, test_nothing, NULL, -1), -EINVAL);
}

/*
 * All repetitions, the warm-up too, have one timeout: the second run ends when the first would have
 * ended, but for the time between two readings of the clock. A host may be away just then, so there
 * are a few tries.
 */
Test(timeout, an_experiment_has_one_timeout_for_all)
{
    const struct logp_params params = test_params(60000, 20000, 40000);
    const struct logp_experiment x = {.size = sizeof(x),
                                      .algorithm = logp_algorithm_find("barrier", "dissemination"),
                                      .reps = 2,
                                      .warmup = 50,
                                      .timeout_ns = INT64_C(40000000000)};
    TEST_MACHINE m = test_machine(2, LOGP_CLOCK_WALL, &params);
    bool shared = false;

    for (int i = 0; i < 5 && !shared; i++) {
        struct logp_record r;
        const int64_t before = monotonic_ns();

        n_waits = 0;
        cr_assert_eq(logp_experiment_run(m, &x, &r), 0);
        cr_assert_geq(n_waits, 2, "the warm-up and what counts");
        cr_assert_geq(until_ns[0], before + x.timeout_ns);
        cr_assert_leq(until_ns[0], at_ns[0] + x.timeout_ns);
        shared = until_ns[1] - until_ns[0] < (at_ns[1] - at_ns[0]) / 2;
    }
    cr_assert(shared);
}
