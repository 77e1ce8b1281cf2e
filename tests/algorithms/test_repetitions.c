/* SPDX-License-Identifier: MIT */
/*
 * The repetitions of an experiment: an algorithm that takes a known time has it in the record, and
 * one that fails, or has no end, leaves there what was done until then.
 */
#include "plotted.h"

#include <time.h>

/* ---- times ---- */

/* The repetitions take 100, 1100, 200, 300, ..., 1000, on one rank, another each time; the warm-up
 * a millisecond. */
enum { TIMED_WARMUP = 3, TIMED_REPS = 11 };

static int64_t known_time(int rep, int rank)
{
    const int64_t most = rep < 1    ? 1000000
                         : rep == 1 ? 100
                         : rep == 2 ? 100 * TIMED_REPS
                                    : 100 * (rep - 1);

    return rep % P == rank || rep < 1 ? most : most / 2;
}

static int takes_a_known_time(struct logp_vp *vp, const struct logp_invocation *c, void *buf,
                              void *recv_buf)
{
    const int me = logp_vp_rank(vp), rep = plot.calls[me]++ - TIMED_WARMUP + 1;

    return logp_compute(vp, known_time(rep, me), NULL, NULL);
}

static struct logp_prediction predict_1000(int64_t n, const struct logp_invocation *c)
{
    return (struct logp_prediction){.certainty = LOGP_PREDICTION_EXACT, .ns = 1000};
}

static const struct logp_algorithm timed = {
    LOGP_ALGORITHM("broadcast", "timed", "for a test", "this file"), .run = takes_a_known_time,
    .predict = predict_1000};

static int64_t rank_ns[P];

static struct logp_record run_timed(int on, int reps)
{
    TEST_MACHINE m = machine(on);
    struct logp_experiment x = experiment(&timed, TIMED_WARMUP, reps);
    struct logp_record r;

    no_plot();
    x.args.n_bytes = 0;
    x.rank_ns = rank_ns;
    cr_assert_eq(logp_experiment_run(m, &x, &r), 0);
    cr_expect_eq(r.P, P);
    cr_expect_eq(r.reps, reps);
    cr_expect_eq(r.messages, 0);
    cr_expect(r.verified);
    return r;
}

/* The last to end counts, of each counted repetition, from its own start. */
Test(repetitions, a_repetition_takes_until_the_last_has_ended)
{
    const struct logp_record r = run_timed(VIRTUAL, TIMED_REPS);

    cr_expect(r.has_emulated && !r.has_measured && !r.has_lag);
    cr_expect_eq(r.emulated.min_ns, 100);
    cr_expect_eq(r.emulated.median_ns, 600);
    cr_expect_eq(r.emulated.p90_ns, 1000);
    cr_expect_eq(r.emulated.max_ns, 1100);
    cr_expect_eq(r.measured.max_ns, 0);
    cr_expect_eq(r.restarts, 0);
    cr_expect_eq(r.prediction.certainty, LOGP_PREDICTION_EXACT);
    cr_expect_eq(r.prediction.ns, 1000);
    cr_expect_eq(logp_record_ratio(&r), 0.6);
}

/* The warm-up is not in it, and no other rank. */
Test(repetitions, the_time_of_a_rank_is_its_mean_over_the_counted_ones)
{
    run_timed(VIRTUAL, TIMED_REPS);
    for (int rank = 0; rank < P; rank++) {
        double sum = 0;

        for (int rep = 1; rep <= TIMED_REPS; rep++)
            sum += (double)known_time(rep, rank);
        cr_expect_eq(rank_ns[rank], (int64_t)(sum / TIMED_REPS + 0.5));
    }
    run_timed(WALL, TIMED_REPS);
    for (int rank = 0; rank < P; rank++)
        cr_expect(rank_ns[rank] >= 50 && rank_ns[rank] <= test_timeout_ns);
}

/* On the wall clock a busy host makes it longer, never shorter. */
Test(repetitions, on_the_wall_clock_it_takes_no_less)
{
    const struct logp_record r = run_timed(WALL, TIMED_REPS);

    cr_expect(r.has_emulated && r.has_measured && r.has_lag);
    for (int i = 0; i < 2; i++) {
        const struct logp_summary *s = i == 0 ? &r.measured : &r.emulated;

        cr_expect_geq(s->min_ns, 100);
        cr_expect_geq(s->median_ns, 500); /* one may have been repeated */
        cr_expect_geq(s->max_ns, 1100);
        cr_expect_leq(s->max_ns, test_timeout_ns);
    }
    cr_expect_geq(r.measured.max_ns, r.emulated.median_ns);
    cr_expect(r.restarts >= 0 && r.restarts <= TIMED_REPS / 10);
}

/* All together took no longer than the whole. */
Test(repetitions, each_is_timed_from_its_own_start)
{
    enum { REPS = 101 };
    TEST_MACHINE m = machine(WALL);
    struct logp_experiment x = experiment(&broadcast, 0, REPS);
    struct timespec start, end;
    struct logp_record r;
    int64_t took;

    no_plot();
    clock_gettime(CLOCK_MONOTONIC, &start);
    cr_assert_eq(logp_experiment_run(m, &x, &r), 0);
    clock_gettime(CLOCK_MONOTONIC, &end);
    took = (end.tv_sec - start.tv_sec) * 1000000000 + end.tv_nsec - start.tv_nsec;
    cr_expect_leq(REPS / 2 * r.measured.median_ns + r.measured.max_ns, took);
    cr_expect_leq(REPS / 2 * r.emulated.median_ns + r.emulated.max_ns, took);
}

Test(repetitions, lag_is_that_of_the_run)
{
    TEST_MACHINE m = machine(WALL);
    const struct logp_experiment x = experiment(&broadcast, 1, 50);
    const struct logp_report *report = logp_machine_report(m);
    struct logp_record r;

    no_plot();
    cr_assert_eq(logp_experiment_run(m, &x, &r), 0);
    cr_expect_eq(r.lag.median_ns, report->lag.median_ns);
    cr_expect_eq(r.lag.p99_ns, report->lag.p99_ns);
    cr_expect_eq(r.lag.max_ns, report->lag.max_ns);
    cr_expect_gt(r.lag.max_ns, 0);
}

/* On the wall clock; on the virtual one all are run. */
Test(repetitions, they_end_when_they_are_precise_enough_or_take_too_long)
{
    const int64_t anything = INT64_C(1000000000000);
    static const struct {
        int reps, precise, limited; /* asked for, and what is run then */
    } cases[] = {{5, 5, 1}, {6, 6, 1}, {7, 6, 1}, {100, 6, 1}};

    for (int on = 0; on < MACHINES; on++)
        for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
            TEST_MACHINE m = machine(on);
            const bool wall = on == WALL || on == WALL_PLAIN;
            struct logp_experiment x = experiment(&timed, 0, cases[i].reps);
            struct logp_record r;

            no_plot();
            x.args.n_bytes = 0;
            x.precision_ppm = anything;
            cr_assert_eq(logp_experiment_run(m, &x, &r), 0);
            cr_expect_eq(r.reps, !wall ? x.reps : cases[i].precise);
            cr_expect_eq(r.has_interval, r.reps >= 6 || on == VIRTUAL); /* which is exact */
            x.precision_ppm = 0;
            x.limit_ns = 1;
            cr_assert_eq(logp_experiment_run(m, &x, &r), 0);
            cr_expect_eq(r.reps, !wall ? x.reps : cases[i].limited);
            x.limit_ns = anything;
            cr_assert_eq(logp_experiment_run(m, &x, &r), 0);
            cr_expect_eq(r.reps, x.reps);
        }
}

Test(repetitions, fewer_than_ten_repetitions_are_never_repeated)
{
    cr_expect_eq(run_timed(WALL, 9).restarts, 0);
}

Test(repetitions, without_a_delay_model_there_is_nothing_to_emulate)
{
    const struct logp_record r = run_timed(WALL_PLAIN, TIMED_REPS);

    cr_expect(!r.has_emulated && r.has_measured && !r.has_lag);
    cr_expect_eq(r.prediction.certainty, LOGP_PREDICTION_NONE);
    cr_expect_eq(logp_record_ratio(&r), 0.0);
}

Test(repetitions, the_virtual_clock_counts_without_a_delay_model_too)
{
    const struct logp_record r = run_timed(VIRTUAL_PLAIN, TIMED_REPS);

    cr_expect(r.has_emulated && !r.has_measured && !r.has_lag);
    cr_expect_eq(r.emulated.median_ns, 600);
    cr_expect_eq(r.prediction.certainty, LOGP_PREDICTION_NONE);
}

Test(repetitions, messages_are_those_of_one_repetition)
{
    for (int i = 0; i < MACHINES; i++) {
        TEST_MACHINE m = machine(i);
        const struct logp_experiment x = experiment(&broadcast, 3, 30);
        struct logp_record r;

        no_plot();
        cr_assert_eq(logp_experiment_run(m, &x, &r), 0);
        cr_expect_eq(r.messages, P - 1);
        cr_expect_eq(plot.calls[0], 33 + r.restarts);
    }
}

/* ---- ends before its time ---- */

/* The run ends in call `call` on one rank, with two calls of warm-up. */
static void expect_ended(struct logp_machine *m, int call, int rank)
{
    const struct logp_experiment x = experiment(&broadcast, 2, 9);
    const int counted = call < 2 ? 0 : call - 2;
    struct logp_record r;

    no_plot();
    plot.bad_call = call;
    plot.bad_rank = rank;
    plot.error = -EPROTO;
    cr_assert_eq(logp_experiment_run(m, &x, &r), -EPROTO);
    cr_expect_eq(logp_machine_report(m)->error_rank, rank);
    cr_expect_eq(r.reps, counted, "call %d: %d runs", call, r.reps);
    cr_expect(r.verified == (counted > 0));
    cr_expect_eq(r.wrong_rank, -1);
    cr_expect(counted == 0 || !r.has_emulated || r.emulated.min_ns >= r.prediction.ns);
}

static int n_calls;

/* Everyone else is through when rank 0 fails in the fourth. */
static int the_first_fails_last(struct logp_vp *vp, const struct logp_invocation *c, void *buf,
                                void *recv_buf)
{
    bool found;

    if (logp_vp_rank(vp) > 0)
        return 0;
    TRY(logp_compute(vp, 10, NULL, NULL));
    TRY(logp_probe(vp, LOGP_ANY_SOURCE, 0, &found, NULL)); /* after all others */
    return ++n_calls == 4 ? -EPROTO : 0;
}

Test(repetitions, one_that_a_rank_has_not_finished_does_not_count)
{
    static const struct logp_algorithm row = {
        LOGP_ALGORITHM("alltoall", "none", "for a test", "this file"), .run = the_first_fails_last,
        .predict = test_unpredicted};
    int64_t ns[3] = {7, 7, 7};
    struct logp_experiment x = {.size = sizeof(x),
                                .algorithm = &row,
                                .reps = 9,
                                .timeout_ns = test_timeout_ns,
                                .rank_ns = ns};
    TEST_MACHINE m = test_machine(3, LOGP_CLOCK_VIRTUAL, NULL);
    struct logp_record r;

    n_calls = 0;
    cr_assert_eq(logp_experiment_run(m, &x, &r), -EPROTO);
    cr_expect_eq(r.reps, 3);
    cr_expect(ns[0] == r.emulated.median_ns && ns[1] == 0 && ns[2] == 0); /* all take as long */
    x.warmup = 9;
    n_calls = 0;
    cr_assert_eq(logp_experiment_run(m, &x, &r), -EPROTO);
    cr_expect(r.reps == 0 && ns[0] == -1 && ns[1] == -1 && ns[2] == -1);
}

Test(repetitions, an_error_ends_it_and_what_was_done_counts)
{
    for (int i = 0; i < MACHINES; i++) {
        TEST_MACHINE m = machine(i);

        for (int call = 0; call < 11; call += 5)
            for (int rank = 0; rank < P; rank += P - 1)
                expect_ended(m, call, rank);
    }
}

/* The time is for all: a warm-up that takes it leaves nothing. */
Test(repetitions, the_timeout_is_for_warm_up_and_runs)
{
    for (int i = 0; i < MACHINES; i++) {
        TEST_MACHINE m = machine(i);
        struct logp_experiment x = experiment(&broadcast, 0, 1000000);
        struct logp_record r;

        no_plot();
        x.timeout_ns = 10000000;
        cr_expect_eq(logp_experiment_run(m, &x, &r), -ETIMEDOUT);
        cr_expect_lt(r.reps, x.reps);
        x.warmup = x.reps;
        x.reps = 1;
        cr_expect_eq(logp_experiment_run(m, &x, &r), -ETIMEDOUT);
        cr_expect_eq(r.reps, 0);
        cr_expect(!r.verified);
    }
}

/* Half of it is for the warm-up; the run alone would be in time, both are not. */
static int takes_300_ms(struct logp_vp *vp, const struct logp_invocation *c, void *buf,
                        void *recv_buf)
{
    return logp_compute(vp, 300000000, NULL, NULL);
}

Test(repetitions, what_the_warm_up_took_is_gone)
{
    const struct logp_algorithm slow = {
        LOGP_ALGORITHM("broadcast", "slow", "for a test", "this file"), .run = takes_300_ms,
        .predict = predict_1000};
    TEST_MACHINE m = machine(WALL);
    struct logp_experiment x = experiment(&slow, 1, 1);
    struct logp_record r;

    x.args.n_bytes = 0;
    x.timeout_ns = 450000000;
    cr_expect_eq(logp_experiment_run(m, &x, &r), -ETIMEDOUT);
    cr_expect_eq(r.reps, 0);
}

Test(repetitions, a_timeout_of_0_is_none)
{
    TEST_MACHINE m = machine(WALL);
    struct logp_experiment x = experiment(&broadcast, 1, 3);
    struct logp_record r;

    no_plot();
    x.timeout_ns = 0;
    cr_expect_eq(logp_experiment_run(m, &x, &r), 0);
    cr_expect_eq(r.reps, 3);
}

/* A model of the test's own, without delays, that stops the run when all have come to a start. */
struct stopper {
    struct logp_machine *machine;
    int starts_left;
};

static void at_once(void *model, const struct logp_port *port, struct logp_transfer *t)
{
    t->start = t->ready;
}

static void in_no_time(void *model, struct logp_port *port, struct logp_transfer *t)
{
    t->done = t->arrival = t->start;
}

static void on_arrival(void *model, struct logp_port *port, struct logp_transfer *t)
{
    t->start = t->done = t->ready > t->arrival ? t->ready : t->arrival;
}

static void stop_at_the_start(void *model, bool new_run)
{
    struct stopper *s = model;

    if (s->machine != NULL && s->starts_left-- == 0)
        logp_machine_stop(s->machine, -EINTR);
}

/* All have come, the start is fixed, and nobody is to start any more. */
Test(repetitions, a_stop_at_a_common_start_ends_it)
{
    static const struct logp_delay_ops ops = {.size = sizeof(ops),
                                              .name = "stopper",
                                              .start = at_once,
                                              .send = in_no_time,
                                              .recv = on_arrival,
                                              .restart = stop_at_the_start};

    for (int clock = 0; clock < 2; clock++)
        for (int starts = 0; starts < 12; starts += starts < 2 ? 1 : 5) {
            struct stopper s = {.starts_left = starts};
            TEST_MACHINE m = test_machine_of(P, clock == 0 ? LOGP_CLOCK_VIRTUAL : LOGP_CLOCK_WALL,
                                             (struct logp_delay){&ops, &s});
            const struct logp_experiment x = experiment(&broadcast, 0, 100);
            struct logp_record r;

            no_plot();
            s.machine = m;
            cr_expect_eq(logp_experiment_run(m, &x, &r), -EINTR);
            cr_expect_lt(r.reps, x.reps);
        }
}

/* ---- progress ---- */

struct heard {
    int times, done, total;
};

static void hear(void *arg, int done, int total)
{
    struct heard *h = arg;

    cr_assert(done > h->done && done <= total);
    *h = (struct heard){h->times + 1, done, total};
}

Test(repetitions, progress_ends_with_the_last_repetition)
{
    TEST_MACHINE m = machine(WALL);
    struct logp_experiment x = experiment(&broadcast, 40, 20);
    struct heard h = {0};
    struct logp_record r;

    no_plot();
    x.progress = hear;
    x.progress_arg = &h;
    cr_assert_eq(logp_experiment_run(m, &x, &r), 0);
    cr_expect_geq(h.times, 1);
    cr_expect_eq(h.done, 20);
    cr_expect_eq(h.total, 20);
}
