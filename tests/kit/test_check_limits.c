/* SPDX-License-Identifier: MIT */
/*
 * The test kit where it is easy to be wrong: several messages of one source that wait for several
 * receives, sends that wait beside receives from any source,
 * numbers at their limits, and replays that came another way.
 */
#include "kit.h"

#include <unistd.h>

#define PARAMS                                                                                     \
    {                                                                                              \
        .L_ns = 1000, .o_send_ns = 10, .o_recv_ns = 10, .g_ns = 20                                 \
    }
static const struct logp_params params = PARAMS;
static const struct logp_latency uniform_latency = {.kind = LOGP_LATENCY_UNIFORM};
static const struct logp_latency exponential_latency = {.kind = LOGP_LATENCY_EXPONENTIAL};
static const struct logp_network uniform = {.params = PARAMS, .latency = &uniform_latency};
static const struct logp_network exponential = {.params = PARAMS, .latency = &exponential_latency};

/* ---- which of several requests ---- */

static unsigned seen; /* bit i: request i has been the first */

static int two_tags(struct logp_vp *vp, void *arg)
{
    const int src = *(const int *)arg;
    struct logp_request *r[2];
    int x = 0, y = 0, i = -1, rc;

    if (logp_vp_rank(vp) == 1) {
        rc = logp_send(vp, 0, 2, &x, sizeof(x));
        return rc != 0 ? rc : logp_send(vp, 0, 1, &x, sizeof(x));
    }
    rc = logp_irecv(vp, src, 1, &x, sizeof(x), &r[0]);
    if (rc == 0)
        rc = logp_irecv(vp, src, 2, &y, sizeof(y), &r[1]);
    if (rc == 0)
        rc = logp_waitany(vp, r, 2, &i, NULL);
    if (rc == 0)
        seen |= 1U << i;
    return rc != 0 ? rc : logp_waitany(vp, r, 2, &i, NULL);
}

Test(check_limits, either_of_two_messages_of_one_source_may_be_the_first)
{
    static const int sources[] = {1, LOGP_ANY_SOURCE};
    const struct logp_check checks[] = {
        {.strategy = LOGP_STRATEGY_EXHAUSTIVE},
        {.strategy = LOGP_STRATEGY_PCT},
        {.strategy = LOGP_STRATEGY_RANDOM},
        {.network = &uniform},
    };

    for (size_t i = 0; i < 4; i++)
        for (int k = 0; k < 2; k++) {
            struct logp_check check = checks[i];

            check.sizes = (int[]){2};
            check.n_sizes = 1;
            check.runs = 200;
            seen = 0;
            cr_assert_eq(logp_check(two_tags, (void *)&sources[k], &check, NULL), 0);
            cr_assert_eq(seen, 3, "check %zu, source %d: %u", i, sources[k], seen);
            cr_assert(i > 0 || check.checked.executions == 2);
        }
}

/* ---- sends that wait ---- */

/* Each has posted a receive from any source before it sends: no send waits for ever. */
static int ring(struct logp_vp *vp, void *arg)
{
    const int me = logp_vp_rank(vp), n = logp_vp_size(vp);
    struct logp_request *r;
    int x = 0, y;

    TRY(logp_irecv(vp, LOGP_ANY_SOURCE, 0, &y, sizeof(y), &r));
    TRY(logp_send(vp, (me + 1) % n, 0, &x, sizeof(x)));
    return logp_wait(vp, r, NULL);
}

Test(check_limits, a_send_waits_beside_a_receive_from_any_source)
{
    const struct logp_check checks[] = {
        {.strategy = LOGP_STRATEGY_EXHAUSTIVE},
        {.strategy = LOGP_STRATEGY_PCT},
        {.strategy = LOGP_STRATEGY_RANDOM},
        {.network = &exponential},
    };

    for (size_t i = 0; i < 4; i++) {
        struct logp_check check = checks[i];
        TEST_FAILURE f = {.text = NULL};

        check.sends = LOGP_SENDS_SYNCHRONOUS;
        check.runs = 200;
        cr_assert_eq(logp_check(ring, NULL, &check, &f), 0, "%zu: %s", i, f.text);
    }
}

/* ---- numbers ---- */

Test(check_limits, numbers_at_their_limits)
{
    struct logp_check check = {.runs = 3, .time_ns = INT64_MAX};

    cr_assert_eq(logp_check(test_nothing, NULL, &check, NULL), 0);
    cr_assert_eq(check.checked.runs, 6);
    check = (struct logp_check){.strategy = LOGP_STRATEGY_PCT, .runs = 2, .depth = 1000};
    cr_assert_eq(logp_check(test_nothing, NULL, &check, NULL), 0);
    check.depth = 1001;
    cr_assert_eq(logp_check(test_nothing, NULL, &check, NULL), -EINVAL);
}

static int sleeps(struct logp_vp *vp, void *arg)
{
    return usleep(20000);
}

Test(check_limits, a_bound_on_time_holds_for_long_runs)
{
    struct logp_check check = {.runs = 60, .time_ns = 1};

    cr_assert_eq(logp_check(sleeps, NULL, &check, NULL), 0);
    cr_assert_eq(check.checked.runs, 2); /* one of each size */
}

static int fails_with_many(struct logp_vp *vp, void *arg)
{
    return logp_vp_size(vp) == 8 ? -EINVAL : 0;
}

Test(check_limits, an_error_of_the_program_is_not_one_of_the_faults)
{
    const struct logp_network network = {.params = params, .faults = "slow:2@7"};
    struct logp_check check = {
        .sizes = (int[]){8}, .n_sizes = 1, .smallest = 2, .network = &network};

    cr_assert_eq(logp_check(fails_with_many, NULL, &check, NULL), -EINVAL);
    cr_assert(strstr(check.checked.text, "failed in run") != NULL, "%s", check.checked.text);
}

static int computes(struct logp_vp *vp, void *arg)
{
    const int64_t begin = logp_now(vp);
    const int rc = logp_compute(vp, LOGP_PARAM_MAX_NS - 1, NULL, NULL);

    *(int64_t *)arg = logp_now(vp) - begin;
    return rc;
}

/* 11 days of which all but a nanosecond are gone, again and again: as long as there is. */
Test(check_limits, ticks_that_leave_next_to_nothing)
{
    const struct logp_network network = {.params = params,
                                         .noise = "tick:1000000s:999999999999999ns:0"};
    struct logp_check check = {.sizes = (int[]){1}, .n_sizes = 1, .runs = 1, .network = &network};
    int64_t took = 0;

    cr_assert_eq(logp_check(computes, &took, &check, NULL), 0);
    cr_assert_geq(took, LOGP_PARAM_MAX_NS);
}

Test(check_limits, latencies_that_vary_are_not_drawn_twice)
{
    struct logp_latency latency = {.kind = LOGP_LATENCY_UNIFORM};
    struct logp_network network = {.params = params, .latency = &latency};
    struct logp_check check = {.network = &network};

    network.params.latency_varies = true;
    cr_assert_eq(logp_check(ring, NULL, &check, NULL), -EINVAL);
    latency.kind = LOGP_LATENCY_AS_IS;
    cr_assert_eq(logp_check(ring, NULL, &check, NULL), 0);
}

/* ---- variables of threads ---- */

static _Thread_local int of_the_thread;

/* Vps are fibers of one thread, and share its variables. */
static int keeps_its_number(struct logp_vp *vp, void *arg)
{
    const int me = logp_vp_rank(vp);
    int rc;

    (void)arg;
    of_the_thread = me;
    rc = logp_yield(vp);
    return rc != 0 ? rc : LOGP_CHECK_EQ(vp, of_the_thread, me);
}

Test(check_limits, a_variable_of_the_thread_is_one_for_all_vps)
{
    struct logp_check check = check_of(2, LOGP_STRATEGY_RANDOM, 100);

    finds(keeps_its_number, NULL, &check, -EPROTO, LOGP_FAILURE_ASSERTED,
          "of_the_thread == me does not hold: ");
}

/* ---- replays ---- */

Test(check_limits, replays_by_another_way)
{
    struct logp_replay *r;

    cr_assert_eq(logp_replay_parse("logp-replay 5\r\nprogram a b\r\nprocessors 2\r\n"
                                   "vary untimed order\r\nchoices 0\r\n",
                                   &r),
                 0);
    cr_assert_str_eq(r->name, "a b");
    logp_replay_free(r);
    cr_assert_eq(logp_replay_parse("logp-replay 5294967297\nprocessors 2\nchoices 0\n", &r),
                 -EINVAL);
    logp_replay_free(r);
    cr_assert_eq(logp_replay_parse("logp-replay 5\nprocessors\n2\nchoices 0\n", &r), -EINVAL);
    cr_assert_eq(r->line, 2);
    logp_replay_free(r);
}
