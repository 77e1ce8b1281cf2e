/* SPDX-License-Identifier: MIT */
/*
 * Which repetitions an experiment marks as disturbed, on a clock that the test controls: the host is away in a wait
 * of some of them.
 */
#include "own_clock.h"

enum { REPS = 20 };

static const int64_t work_ns = 600000;

/* What happens in which repetition, counted from 0. */
static struct script {
    struct own_clock host;
    int begun;
    int64_t late_ns[2 * REPS]; /* it starts so much too late */
    int64_t away_ns[2 * REPS]; /* the host is away for so long in its wait */
} script;

/* As in test_restarts.c: the start of the repetition `next` comes after two syncs. */
static void arrange_start(int next)
{
    if (script.late_ns[next] == 0)
        return;
    script.host.jump_at = script.host.now + 25000;
    script.host.jump_ns = 5000 + script.late_ns[next];
}

static int scripted(struct logp_vp *vp, const struct logp_invocation *c, void *buf, void *recv_buf)
{
    const int i = script.begun++;

    if (script.away_ns[i] > 0) {
        script.host.jump_at = script.host.now + work_ns / 4;
        script.host.jump_ns = script.away_ns[i];
    }
    OK(logp_compute(vp, work_ns, NULL, NULL));
    arrange_start(script.begun);
    return 0;
}

static struct logp_prediction predicted(int64_t P, const struct logp_invocation *c)
{
    return (struct logp_prediction){.certainty = LOGP_PREDICTION_EXACT, .ns = work_ns};
}

static struct logp_prediction unpredicted(int64_t P, const struct logp_invocation *c)
{
    return (struct logp_prediction){.certainty = LOGP_PREDICTION_NONE};
}

static struct logp_run_time runs[REPS + REPS / 10];

static struct logp_record run(const struct script *what, int64_t disturbed_by_ns, bool is_predicted)
{
    const struct logp_algorithm row = {
        LOGP_ALGORITHM("barrier", "scripted", "for a test", "this file"), .run = scripted,
        .predict = is_predicted ? predicted : unpredicted};
    const struct logp_experiment x = {.size = sizeof(x),
                                      .algorithm = &row,
                                      .reps = REPS,
                                      .runs = runs,
                                      .disturbed_by_ns = disturbed_by_ns};
    struct logp_machine *m;
    struct logp_record r;

    script = *what;
    script.host = own_clock();
    m = own_clock_machine(1, &script.host, &test_6us);
    cr_assert_eq(logp_experiment_run(m, &x, &r), 0);
    cr_assert_eq(logp_machine_destroy(m), 0);
    cr_assert_eq(r.reps, REPS);
    return r;
}

/* The first n repetitions with an absence of this length in each */
static struct script away(int n, int64_t ns)
{
    struct script s = {.begun = 0};

    for (int i = 0; i < n; i++)
        s.away_ns[i] = ns;
    return s;
}

static int n_in_state(const struct logp_record *r, enum logp_run_state state)
{
    int n = 0;

    for (int i = 0; i < r->reps + r->restarts; i++)
        n += runs[i].state == state;
    return n;
}

Test(disturbed, exactly_the_disturbed_repetitions_are_marked)
{
    struct script s = away(0, 0);
    struct logp_record r;

    s.away_ns[3] = s.away_ns[7] = 3000000;
    r = run(&s, 0, true);
    cr_expect_eq(r.disturbed, 2);
    cr_expect_eq(r.disturbed_by_ns, work_ns / 100);
    for (int i = 0; i < REPS; i++) {
        const bool is = i == 3 || i == 7;

        cr_expect_eq(runs[i].state, is ? LOGP_RUN_DISTURBED : LOGP_RUN_UNDISTURBED, "%d", i);
        cr_expect_eq(runs[i].absence_ns >= 3000000, is, "%d: %lld ns", i,
                     (long long)runs[i].absence_ns);
        cr_expect_geq(runs[i].measured_ns, work_ns);
    }
    cr_expect_geq(r.measured.max_ns, 3000000);
    cr_expect_leq(r.undisturbed.max_ns, work_ns + 20);
    cr_expect_not(logp_record_too_busy(&r));
    cr_expect(r.absence_median_ns < 100, "%lld", (long long)r.absence_median_ns);
}

Test(disturbed, one_percent_of_the_prediction_disturbs_nothing)
{
    const struct script below = away(5, work_ns / 100 - 100), above = away(5, work_ns / 100 + 100);
    struct logp_record r = run(&below, 0, true);

    cr_expect_eq(r.disturbed, 0);
    r = run(&above, 0, true);
    cr_expect_eq(r.disturbed, 5);
}

Test(disturbed, without_a_prediction_it_is_one_percent_of_the_median)
{
    const struct script s = away(5, 3000000);
    const struct logp_record r = run(&s, 0, false);

    cr_expect_eq(r.disturbed, 5);
    cr_expect(r.disturbed_by_ns >= work_ns / 100 && r.disturbed_by_ns <= work_ns / 100 + 1);
    cr_expect_eq(logp_record_undisturbed_ratio(&r), 0);
}

Test(disturbed, the_caller_may_say_by_what)
{
    const struct script s = away(5, 3000);
    struct logp_record r = run(&s, 2900, true);

    cr_expect_eq(r.disturbed, 5);
    cr_expect_eq(r.disturbed_by_ns, 2900);
    r = run(&s, 3100, true);
    cr_expect_eq(r.disturbed, 0);
}

Test(disturbed, fewer_than_a_third_undisturbed_is_too_busy)
{
    const struct script most = away(REPS - 6, 3000000), enough = away(REPS - 7, 3000000),
                        all = away(REPS, 3000000);
    struct logp_record r = run(&most, 0, true);

    cr_expect_eq(r.disturbed, REPS - 6);
    cr_expect(logp_record_too_busy(&r));
    r = run(&enough, 0, true);
    cr_expect_not(logp_record_too_busy(&r));
    r = run(&all, 0, true);
    cr_expect(logp_record_too_busy(&r));
    cr_expect(r.absence_median_ns >= 3000000 && r.absence_median_ns < 3000100);
    cr_expect_eq(r.undisturbed.median_ns, 0);
    cr_expect_eq(logp_record_undisturbed_ratio(&r), 0);
}

Test(disturbed, repeated_repetitions_are_kept_in_their_order)
{
    struct script s = away(0, 0);
    struct logp_record r;

    s.late_ns[4] = 10 * LOGP_START_TOLERANCE_NS;
    s.away_ns[6] = 3000000;
    r = run(&s, 0, true);
    cr_expect_eq(r.restarts, 1);
    cr_expect_eq(r.disturbed, 1);
    cr_expect_eq(runs[4].state, LOGP_RUN_REPEATED);
    cr_expect_eq(runs[6].state, LOGP_RUN_DISTURBED);
    cr_expect_eq(n_in_state(&r, LOGP_RUN_UNDISTURBED), REPS - 1);
}

Test(disturbed, a_negative_limit_is_refused)
{
    const struct logp_experiment x = {.size = sizeof(x),
                                      .algorithm = logp_algorithm_find("barrier", "dissemination"),
                                      .reps = 1,
                                      .disturbed_by_ns = -1};
    struct own_clock host = own_clock();
    struct logp_machine *m = own_clock_machine(1, &host, NULL);
    struct logp_record r;

    cr_expect_eq(logp_experiment_run(m, &x, &r), -EINVAL);
    cr_assert_eq(logp_machine_destroy(m), 0);
}
