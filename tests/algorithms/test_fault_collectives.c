/* SPDX-License-Identifier: MIT */
/* Collectives among faults: they are found wrong when they are, and by whom is said. */
#include "struck.h"

/* What the repetitions that failed say. */
struct told {
    int failed, deadlocks, ranks, halted, last;
};

static void hear(void *arg, const struct logp_failed *f)
{
    struct told *t = arg;

    cr_assert_gt(f->repetition, t->last);
    t->last = f->repetition;
    t->failed++;
    t->deadlocks += f->error == -EDEADLK;
    t->ranks += f->n_wrong;
    for (int i = 0; i < f->report->n_waits; i++)
        t->halted += f->report->waits[i].kind == LOGP_WAIT_HALTED;
}

static struct logp_record run_struck_with(const char *collective, const char *algorithm, int64_t k,
                                          int P, enum logp_clock clock, int reps,
                                          const char *faults, const char *noise, struct told *told)
{
    TEST_MACHINE m = test_machine_of(P, clock, struck(P, faults, noise, 1));
    struct logp_experiment x = experiment(collective, algorithm, reps);
    struct logp_record r;

    x.args.k = k;
    *told = (struct told){.last = -1};
    x.failed = hear;
    x.failed_arg = told;
    cr_assert_eq(logp_experiment_run(m, &x, &r), 0);
    cr_assert_eq(r.failed, told->failed);
    cr_assert_eq(r.reps + r.failed, reps);
    cr_assert_eq(r.verified, r.failed == 0 && r.reps > 0);
    cr_assert_eq(r.prediction.certainty, LOGP_PREDICTION_NONE);
    return r;
}

static struct logp_record run_struck(const char *collective, const char *algorithm, int P,
                                     enum logp_clock clock, int reps, const char *faults,
                                     const char *noise, struct told *told)
{
    return run_struck_with(collective, algorithm, 0, P, clock, reps, faults, noise, told);
}

/* A broadcast fails where one of its 7 messages is lost, and then as often as it should. */
Test(fault_collectives, a_broadcast_fails_where_a_message_is_lost)
{
    const double p = 1 - pow(1 - 0.02, 7);

    for (int i = 0; i < 2; i++) {
        const int reps = i == 0 ? 100 / TEST_SCALE + 1 : 2000 / TEST_SCALE;
        const double deviation = sqrt(reps * p * (1 - p));
        struct told t;
        const struct logp_record r =
            run_struck("broadcast", "binomial", 8, (enum logp_clock)i, reps, "drop:0.02", NULL, &t);

        cr_assert(fabs(r.failed - reps * p) < 4 * deviation + 1, "%d of %d", r.failed, reps);
        cr_assert_eq(t.deadlocks, t.failed);
        cr_assert_geq(t.ranks, t.failed);
        cr_assert_geq(r.struck.dropped, (uint64_t)r.failed);
    }
}

Test(fault_collectives, a_flipped_bit_is_found_in_the_result)
{
    static const char *const what[][2] = {{"broadcast", "chain"},
                                          {"allreduce", "recursive-doubling"},
                                          {"allgather", "ring"},
                                          {"reduce", "binomial"},
                                          {"alltoall", "linear"}};

    for (int i = 0; i < 2; i++)
        for (int k = 0; k < 5; k++) {
            struct told t;
            const struct logp_record r = run_struck(what[k][0], what[k][1], 4, (enum logp_clock)i,
                                                    3, "flip:1@1-,flip:1@-1", NULL, &t);

            cr_assert_eq(t.failed, 3, "%s", what[k][0]);
            cr_assert_eq(t.deadlocks, 0);
            cr_assert_geq(t.ranks, 3);
            cr_assert_gt(r.struck.flipped, (uint64_t)2);
            cr_assert_geq(r.wrong_rank, 0);
        }
}

/* An allgather round a ring takes the second copy for the next block. */
Test(fault_collectives, a_message_that_comes_twice_can_spoil_a_collective)
{
    for (int i = 0; i < 2; i++) {
        struct told t;

        run_struck("allgather", "ring", 4, (enum logp_clock)i, 3, "dup:1@0-1", NULL, &t);
        cr_assert_eq(t.failed, 3);
        run_struck("broadcast", "binomial", 4, (enum logp_clock)i, 3, "dup:1", NULL, &t);
        cr_assert_eq(t.failed, 0); /* it is left over */
    }
}

Test(fault_collectives, a_stopped_processor_makes_a_collective_fail_and_no_other_run)
{
    for (int i = 0; i < 2; i++) {
        struct told t;

        run_struck("broadcast", "flat", 4, (enum logp_clock)i, 3, "stop@2:1", NULL, &t);
        cr_assert_eq(t.failed, 3);
        cr_assert_eq(t.halted, 3);
        cr_assert_eq(t.ranks, 3); /* the root cannot know */
        run_struck("barrier", "dissemination", 4, (enum logp_clock)i, 3, "stop@2:1", NULL, &t);
        cr_assert(t.failed == 3 && t.deadlocks == 3 && t.halted == 3);
        run_struck("barrier", "dissemination", 4, (enum logp_clock)i, 3, "stop@2:1..40", NULL, &t);
        cr_assert_eq(t.failed, 0);
        run_struck("allreduce", "recursive-doubling", 4, (enum logp_clock)i, 3, "cut@0+1=2+3:..1ms",
                   NULL, &t);
        cr_assert(t.failed == 3 && t.deadlocks == 3);
    }
}

Test(fault_collectives, several_at_once_each_strike)
{
    struct told t;
    const struct logp_record r = run_struck(
        "alltoall", "linear", 6, LOGP_CLOCK_VIRTUAL, 200 / TEST_SCALE,
        "drop:0.01,dup:0.05,flip:0.02,delay:3:0.1,slow:2@3,stop@4:20..30", "exp:1,fixed:10ns", &t);

    cr_assert(r.struck.dropped > 0 && r.struck.duplicated > 0 && r.struck.flipped > 0);
    cr_assert(r.struck.delayed > r.struck.dropped);
    cr_assert(r.failed > 0 && r.failed < 200);
}

/* The same of both executors, and of as many cores as there are. */
Test(fault_collectives, a_seed_decides_whatever_carries_processors)
{
    static const char *const executors[] = {"thread", "fiber", "fiber"};
    struct logp_record r[3];

    for (int i = 0; i < 3; i++) {
        struct logp_delay d = struck(8, "drop:0.01,delay:2:0.1,slow:3@5", "exp:2", 4);
        const struct logp_config config = {.size = sizeof(config),
                                           .n_processors = 8,
                                           .clock = LOGP_CLOCK_VIRTUAL,
                                           .executor = executors[i],
                                           .parallel = i == 2,
                                           .delay = d};
        struct logp_experiment x = experiment("broadcast", "binomial", 50);
        struct logp_machine *m;

        cr_assert_eq(logp_machine_create(&config, &m), 0);
        cr_assert_eq(logp_experiment_run(m, &x, &r[i]), 0);
        cr_assert_eq(logp_machine_destroy(m), 0);
        cr_assert_eq(r[i].failed, r[0].failed);
        cr_assert_eq(r[i].struck.dropped, r[0].struck.dropped);
        cr_assert_eq(r[i].struck.delayed, r[0].struck.delayed);
        cr_assert_eq(r[i].emulated.median_ns, r[0].emulated.median_ns);
        cr_assert_eq(r[i].emulated.max_ns, r[0].emulated.max_ns);
    }
    cr_assert(r[0].failed > 0 && r[0].emulated.max_ns > r[0].emulated.min_ns);
}

/* ---- a broadcast that survives ---- */

static uint64_t draw(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return *state >> 33;
}

Test(fault_collectives, corrected_survives_one_stop_of_any_other_at_any_time)
{
    for (int P = 2; P <= 9; P++)
        for (int rank = 1; rank < P; rank++)
            for (int at = 0; at < 60; at += P <= 5 ? 1 : 7) {
                char stop[32];
                struct told t;

                snprintf(stop, sizeof(stop), "stop@%d:%d", rank, at);
                run_struck("broadcast", "corrected", P, LOGP_CLOCK_VIRTUAL, 1, stop, NULL, &t);
                cr_assert_eq(t.failed, 0, "P = %d, %s", P, stop);
            }
}

/* k of them, drawn with their times; a lost message each is no worse than its receiver's stop. */
Test(fault_collectives, corrected_survives_k_stops)
{
    uint64_t state = 5;

    for (int i = 0; i < 300 / TEST_SCALE; i++) {
        const int k = 1 + (int)(draw(&state) % 4), P = k + 2 + (int)(draw(&state) % 30);
        char stops[128];
        size_t n = 0;
        struct told t;

        for (int j = 0; j < k; j++)
            n += (size_t)snprintf(stops + n, sizeof(stops) - n, "%sstop@%d:%d", j > 0 ? "," : "",
                                  1 + (int)(draw(&state) % (uint64_t)(P - 1)),
                                  (int)(draw(&state) % 70));
        run_struck_with("broadcast", "corrected", k, P, LOGP_CLOCK_VIRTUAL, 1, stops, NULL, &t);
        cr_assert_eq(t.failed, 0, "P = %d, k = %d, %s", P, k, stops);
        n = (size_t)snprintf(stops, sizeof(stops), "drop:1@0-%d", 1 + i % (P - 1));
        run_struck_with("broadcast", "corrected", k, P, LOGP_CLOCK_VIRTUAL, 1, stops, NULL, &t);
        cr_assert_eq(t.failed, 0, "P = %d, k = %d, %s", P, k, stops);
    }
}

/* On a ring of 8 the parent of rank 2, which is rank 5, and both its neighbours. The root is no other. */
Test(fault_collectives, corrected_fails_if_more_stop)
{
    struct told t;

    for (int i = 0; i < 2; i++) {
        run_struck("broadcast", "corrected", 8, (enum logp_clock)i, 2, "stop@1+3+5:1", NULL, &t);
        cr_assert(t.failed == 2 && t.deadlocks == 2 && t.ranks == 2 * 4, "%d %d %d", t.failed,
                  t.deadlocks, t.ranks);
        run_struck("broadcast", "corrected", 8, (enum logp_clock)i, 2, "stop@0:1", NULL, &t);
        cr_assert(t.failed == 2 && t.ranks == 2 * 8);
    }
}

/* On both clocks a run takes the time of the processors that have not stopped. */
Test(fault_collectives, corrected_is_timed_by_those_that_are_left)
{
    struct told t;
    const struct logp_record on_virtual =
        run_struck("broadcast", "corrected", 8, LOGP_CLOCK_VIRTUAL, 3, "stop@5:10", NULL, &t);
    const struct logp_record on_wall =
        run_struck("broadcast", "corrected", 8, LOGP_CLOCK_WALL, 3, "stop@5:10", NULL, &t);

    cr_assert_eq(on_virtual.reps, 3);
    cr_assert_eq(on_wall.reps, 3);
    cr_assert_geq(on_virtual.emulated.min_ns, 26003); /* the tree takes as long */
    cr_assert_geq(on_wall.emulated.min_ns, 26003);
    cr_assert_geq(on_wall.measured.min_ns, on_wall.emulated.min_ns);
}
