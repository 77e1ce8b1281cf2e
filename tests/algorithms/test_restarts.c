/* SPDX-License-Identifier: MIT */
/*
 * The experiment on a clock that the test controls: which repetitions count, which are repeated and
 * how often, and what is said of their times.
 */
#include "own_clock.h"

enum { MOST_REPS = 100 };

/* What happens in which repetition, counted from 0, the warm-up included. */
static struct script {
    struct own_clock host;
    int begun;                       /* repetitions */
    int64_t late_ns[3 * MOST_REPS];  /* its start comes so much too late */
    int64_t extra_ns[3 * MOST_REPS]; /* its program takes so much longer: emulated */
    int64_t away_ns[3 * MOST_REPS];  /* the host is away for so long at its end: lag */
} script;

static const int64_t work_ns = 20000;

/* The start of the repetition `next`: after two syncs, each 10 us ahead, comes the third. */
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

    OK(logp_compute(vp, work_ns + script.extra_ns[i], NULL, NULL));
    script.host.now += script.away_ns[i]; /* counts as the program's computing ... */
    if (script.away_ns[i] > 0)
        OK(logp_compute(vp, 0, NULL, NULL));
    arrange_start(script.begun);
    return 0;
}

static struct logp_prediction predicted(int64_t P, const struct logp_invocation *c)
{
    return (struct logp_prediction){.certainty = LOGP_PREDICTION_EXACT, .ns = work_ns};
}

static const struct logp_algorithm scripted_row = {
    LOGP_ALGORITHM("barrier", "scripted", "for a test", "this file"), .run = scripted,
    .predict = predicted};

static int64_t rank_ns;

static struct logp_record experiment(int reps, int warmup, const struct script *what)
{
    const struct logp_experiment x = {.size = sizeof(x),
                                      .algorithm = &scripted_row,
                                      .reps = reps,
                                      .warmup = warmup,
                                      .rank_ns = &rank_ns};
    struct logp_machine *m;
    struct logp_record r;

    script = *what;
    script.host = own_clock();
    m = own_clock_machine(1, &script.host, &test_6us);
    cr_assert_eq(logp_experiment_run(m, &x, &r), 0);
    cr_assert_eq(logp_machine_destroy(m), 0);
    return r;
}

Test(restarts, repetitions_that_start_in_time_are_not_repeated)
{
    const struct logp_record r = experiment(20, 3, &(struct script){.begun = 0});

    cr_expect_eq(script.begun, 23);
    cr_expect_eq(r.reps, 20);
    cr_expect_eq(r.restarts, 0);
    cr_expect_eq(r.emulated.min_ns, work_ns);
    cr_expect_eq(r.emulated.max_ns, work_ns);
    cr_expect_geq(r.measured.min_ns, work_ns);
    cr_expect_leq(r.measured.max_ns, work_ns + 20);
}

Test(restarts, a_repetition_that_started_late_is_repeated)
{
    const struct logp_record r = experiment(
        20, 3,
        &(struct script){.late_ns[3 + 7] = LOGP_START_TOLERANCE_NS + 100,
                         .extra_ns[3 + 7] = 5000}); /* seen nowhere, if it does not count */

    cr_expect_eq(script.begun, 24);
    cr_expect_eq(r.reps, 20);
    cr_expect_eq(r.restarts, 1);
    cr_expect_eq(r.late_starts, 0);
    cr_expect_eq(r.emulated.max_ns, work_ns);
    cr_expect(rank_ns >= work_ns && rank_ns <= work_ns + 20);
}

Test(restarts, a_repetition_within_the_tolerance_counts)
{
    const struct logp_record r = experiment(
        20, 3,
        &(struct script){.late_ns[3 + 7] = LOGP_START_TOLERANCE_NS - 100, .extra_ns[3 + 7] = 5000});

    cr_expect_eq(script.begun, 23);
    cr_expect_eq(r.restarts, 0);
    cr_expect_eq(r.emulated.max_ns, work_ns + 5000);
}

Test(restarts, a_late_warm_up_is_not_repeated)
{
    const struct logp_record r =
        experiment(20, 3, &(struct script){.late_ns[1] = 10 * LOGP_START_TOLERANCE_NS});

    cr_expect_eq(script.begun, 23);
    cr_expect_eq(r.restarts, 0);
}

Test(restarts, at_most_one_in_ten_is_repeated)
{
    for (int reps = 9; reps <= 31; reps += 11) {
        struct script late = {.begun = 0};
        struct logp_record r;

        for (int i = 0; i < 2 * reps; i++)
            late.late_ns[i] = 10 * LOGP_START_TOLERANCE_NS;
        r = experiment(reps, 1, &late);
        cr_expect_eq(r.reps, reps);
        cr_expect_eq(r.restarts, reps / 10);
        cr_expect_eq(r.late_starts, reps - 1, "%d of %d", r.late_starts, reps);
        cr_expect_eq(script.begun, 1 + reps + reps / 10);
    }
}

/* Nine of ten are quick: the ratio is that of the median, the tail is in p90, p99 and max. */
Test(restarts, order_statistics_are_those_of_all_repetitions)
{
    struct script s = {.begun = 0};
    struct logp_record r;

    for (int i = 0; i < 100; i++)
        s.extra_ns[i] = 1000 * ((i * 37) % 100); /* 0 .. 99 us, each once */
    r = experiment(100, 0, &s);
    cr_expect_eq(r.emulated.min_ns, work_ns);
    cr_expect_eq(r.emulated.median_ns, work_ns + 49000);
    cr_expect_eq(r.emulated.p90_ns, work_ns + 89000);
    cr_expect_eq(r.emulated.p99_ns, work_ns + 98000);
    cr_expect_eq(r.emulated.max_ns, work_ns + 99000);
    cr_expect_eq(r.prediction.ns, work_ns);
    cr_expect_eq(logp_record_ratio(&r), (double)r.measured.median_ns / (double)work_ns);
    cr_expect_geq(r.measured.median_ns, work_ns + 49000);
    cr_expect_leq(r.measured.median_ns, work_ns + 49000 + 20);
}

/* What the program computes at its end, beyond what the test_6us says, counts in both clocks. */
Test(restarts, what_the_program_computes_is_measured)
{
    struct script s = {.begun = 0};
    struct logp_record r;

    for (int i = 0; i < 30; i++)
        s.away_ns[i] = 700;
    r = experiment(20, 5, &s);
    cr_expect_geq(r.emulated.min_ns, work_ns + 700);
    cr_expect_leq(r.emulated.max_ns, work_ns + 700 + 20);
    cr_expect_geq(r.measured.min_ns, r.emulated.min_ns);
    cr_expect_leq(r.measured.max_ns, work_ns + 700 + 40);
}
