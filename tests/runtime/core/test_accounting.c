/* SPDX-License-Identifier: MIT */
/*
 * Time that counts and time that does not, on a wall clock that the test controls: so what the
 * runtime says of its lateness is known to the nanosecond, and nothing depends on the host.
 */
#include "own_clock.h"

#include <stdatomic.h>

/* The readings of the clock that a call into the runtime may take before its vp goes on. */
enum { FEW = 12 };

static struct own_clock host;

static struct logp_report run_on_host(int P, const struct logp_params *params, logp_program program,
                                      void *arg)
{
    return test_report(own_clock_machine(P, &host, params), program, arg, 0);
}

static struct logp_report run_by_own_clock(int P, const struct logp_params *params,
                                           logp_program program, void *arg)
{
    host = own_clock();
    return run_on_host(P, params, program, arg);
}

/* ---- the program's own time ---- */

static int works_between_calls(struct logp_vp *vp, void *arg)
{
    int64_t *took = arg, before = logp_now(vp);

    host.now += 5000; /* the program computes */
    took[0] = logp_now(vp) - before;
    before = logp_now(vp);
    took[1] = logp_now(vp) - before; /* and does nothing */
    for (int i = 0; i < 3; i++)
        host.now += 100;
    before = logp_now(vp);
    took[2] = logp_compute(vp, 0, NULL, NULL);
    host.now += 70;
    took[3] = logp_now(vp) - before;
    return 0;
}

Test(accounting, what_a_program_computes_between_calls_counts_once)
{
    int64_t took[4];

    run_by_own_clock(1, &test_6us, works_between_calls, took);
    cr_expect_eq(took[0], 5000);
    cr_expect_eq(took[1], 0);
    cr_expect_eq(took[2], 0);
    cr_expect_eq(took[3], 70);
}

static int works_before_its_first_call(struct logp_vp *vp, void *arg)
{
    host.now += 5000;
    *(int64_t *)arg = logp_now(vp);
    return logp_compute(vp, 1000000, NULL, NULL);
}

Test(accounting, what_a_program_computes_before_its_first_call_counts_in_each_run)
{
    struct logp_machine *m;

    host = own_clock();
    m = own_clock_machine(1, &host, &test_6us);
    for (int run = 0; run < 2; run++) {
        int64_t now = 0;

        cr_assert_eq(logp_machine_run(m, works_before_its_first_call, &now, 0), 0);
        cr_expect_geq(now, 5000, "run %d: %lld ns", run, (long long)now);
        cr_expect_lt(now, 5000 + FEW, "run %d: %lld ns", run, (long long)now);
    }
    logp_machine_destroy(m);
}

static int interprets_between_calls(struct logp_vp *vp, void *arg)
{
    int64_t *took = arg, before = logp_now(vp), wall;

    host.now += 5000; /* the last of the program's own */
    cr_expect(logp_own_time(vp, false));
    took[0] = logp_now(vp) - before;
    before = logp_clocks(vp, &wall);
    host.now += 300;
    OK(logp_compute(vp, 7, NULL, NULL));
    host.now += 300;
    took[1] = logp_now(vp) - before;
    cr_expect_geq(logp_wall_now(vp) - wall, 600);
    cr_expect_not(logp_own_time(vp, true));
    cr_expect(logp_own_time(vp, true));
    before = logp_now(vp);
    host.now += 40;
    took[2] = logp_now(vp) - before;
    return 0;
}

Test(accounting, what_an_interpreter_takes_between_calls_does_not_count)
{
    int64_t took[3];

    run_by_own_clock(1, &test_6us, interprets_between_calls, took);
    cr_expect_eq(took[0], 5000);
    cr_expect_eq(took[1], 7);
    cr_expect_eq(took[2], 40);
}

/* Three computations of 50 ns, each of which takes 100 ns to find out. */
static bool slow_steps(int64_t P, int64_t rank, const struct logp_invocation *c, int64_t i,
                       struct logp_step *out)
{
    (void)P, (void)rank, (void)c;
    host.now += 100;
    *out = (struct logp_step){.kind = LOGP_STEP_COMPUTE, .ns = 50};
    return i < 3;
}

static int reads_a_schedule(struct logp_vp *vp, void *arg)
{
    const struct logp_invocation c = {.args = {.n_bytes = 8}};
    const int64_t before = logp_now(vp);
    const int rc = logp_schedule_run(vp, slow_steps, &c, NULL, NULL);

    *(int64_t *)arg = logp_now(vp) - before;
    return rc;
}

Test(accounting, the_reader_of_a_schedule_takes_no_time_of_its_processor)
{
    int64_t took;

    run_by_own_clock(1, &test_6us, reads_a_schedule, &took);
    cr_expect_eq(took, 150);
}

static void takes(void *arg)
{
    host.now += *(const int64_t *)arg;
}

static int computes(struct logp_vp *vp, void *arg)
{
    static int64_t shorter = 3000, longer = 8000;
    int64_t *at = arg;

    at[0] = logp_now(vp);
    OK(logp_compute(vp, 5000, takes, &shorter));
    at[1] = logp_now(vp);
    OK(logp_compute(vp, 5000, takes, &longer));
    at[2] = logp_now(vp);
    OK(logp_compute(vp, 5000, NULL, NULL));
    at[3] = logp_now(vp);
    return 0;
}

static int computes_with_a_new_model(struct logp_vp *vp, void *arg)
{
    struct logp_delay delay;

    OK(logp_delay_create("loggp", &test_6us, &delay));
    OK(logp_machine_set_delay(logp_vp_machine(vp), delay, 0));
    return computes(vp, arg);
}

Test(accounting, only_what_a_computation_takes_beyond_its_time_is_extra)
{
    int64_t at[4];

    for (int new = 0; new < 2; new ++) { /* with a model from the start, and from later on */
        run_by_own_clock(1, new ? NULL : &test_6us, new ? computes_with_a_new_model : computes, at);
        cr_expect_eq(at[1] - at[0], 5000);
        cr_expect_eq(at[2] - at[1], 8000 + host.step); /* it is measured from reading to reading */
        cr_expect_eq(at[3] - at[2], 5000);
    }
}

/* ---- who looks at the clock ---- */

static _Thread_local atomic_int *readings; /* of the clock, by this vp */

static int64_t counted_read(void *arg)
{
    if (readings != NULL)
        atomic_fetch_add(readings, 1);
    return own_clock_read(arg);
}

static int waits_in_turn(struct logp_vp *vp, void *arg)
{
    atomic_int *counts = arg;

    readings = &counts[logp_vp_rank(vp)];
    return logp_compute(vp, 1000000 * (logp_vp_rank(vp) + 1), NULL, NULL);
}

/* The core is handed over ahead of the deadline, not when it has come: who is next waits for it. */
Test(accounting, each_waits_for_its_own_deadline)
{
    atomic_int counts[2] = {0, 0};
    const struct logp_config config = {.n_processors = 2,
                                       .executor = "thread",
                                       .n_cores = 1,
                                       .time_ns = counted_read,
                                       .time_arg = &host};

    host = own_clock();
    host.step = 100;
    test_run(test_machine_with(config, &test_6us), waits_in_turn, counts);
    cr_expect_geq(atomic_load(&counts[0]), 5000); /* of 10000 */
    cr_expect_geq(atomic_load(&counts[1]), 5000);
}

/* ---- waits ---- */

enum { WAITS = 200 };

struct waits {
    int64_t wait_ns;
    int late[4]; /* the waits after which the host is away for late_ns; -1: none */
    int64_t late_ns;
    int64_t emulated[WAITS], wall[WAITS];
};

static int waits(struct logp_vp *vp, void *arg)
{
    struct waits *w = arg;

    for (int i = 0; i < WAITS; i++) {
        for (int k = 0; k < 4; k++)
            if (w->late[k] == i) { /* away just when the wait is over */
                host.jump_at = host.now + w->wait_ns / 2;
                host.jump_ns = w->wait_ns / 2 + w->late_ns;
            }
        OK(logp_compute(vp, w->wait_ns, NULL, NULL));
        w->emulated[i] = logp_clocks(vp, &w->wall[i]);
    }
    return 0;
}

static struct logp_report waited(struct waits *w)
{
    return run_by_own_clock(1, &test_6us, waits, w);
}

Test(accounting, a_wait_ends_when_its_time_has_come)
{
    struct waits w = {.wait_ns = 1000, .late = {-1, -1, -1, -1}};
    const struct logp_report report = waited(&w);

    for (int i = 0; i < WAITS; i++) {
        cr_assert_eq(w.emulated[i], (i + 1) * w.wait_ns);
        cr_assert_geq(w.wall[i], w.emulated[i]);
        cr_assert_leq(w.wall[i], w.emulated[i] + FEW);
    }
    cr_expect_eq(report.lag.n, WAITS);
    cr_expect_leq(report.lag.max_ns, FEW);
}

Test(accounting, lag_is_what_the_host_was_late_and_is_made_up_for)
{
    struct waits w = {.wait_ns = 10000, .late = {20, 50, 60, -1}, .late_ns = 4000};
    const struct logp_report report = waited(&w);

    for (int i = 0; i < WAITS; i++) {
        const bool late = i == 20 || i == 50 || i == 60;

        cr_assert_eq(w.emulated[i], (i + 1) * w.wait_ns);
        cr_assert_geq(w.wall[i], w.emulated[i] + (late ? w.late_ns - FEW : 0));
        cr_assert_leq(w.wall[i], w.emulated[i] + (late ? w.late_ns : 0) + FEW, "wait %d", i);
    }
    cr_expect_eq(report.lag.n, WAITS);
    cr_expect_geq(report.lag.max_ns, w.late_ns - FEW);
    cr_expect_leq(report.lag.max_ns, w.late_ns + FEW);
    cr_expect_leq(report.lag.median_ns, FEW);
    /* 3 of 200 are more than 1 %: the 198th of 200 is one of them */
    cr_expect_geq(report.lag.p99_ns, w.late_ns - FEW);
}

Test(accounting, one_late_wait_in_a_hundred_is_not_the_99th_percentile)
{
    struct waits w = {.wait_ns = 10000, .late = {3, 150, -1, -1}, .late_ns = 4000};
    const struct logp_report report = waited(&w);

    cr_expect_leq(report.lag.p99_ns, FEW);
    cr_expect_geq(report.lag.max_ns, w.late_ns - FEW);
}

Test(accounting, a_lag_longer_than_the_next_wait_is_made_up_for_later)
{
    struct waits w = {.wait_ns = 1000, .late = {10, -1, -1, -1}, .late_ns = 3500};

    waited(&w);
    for (int i = 0; i < WAITS; i++)
        cr_assert_eq(w.emulated[i], (i + 1) * w.wait_ns);
    cr_expect_geq(w.wall[10] - w.emulated[10], 3500 - FEW);
    cr_expect_leq(w.wall[12] - w.emulated[12], 1500 + 3 * FEW);
    cr_expect_leq(w.wall[14] - w.emulated[14], FEW);
}

/* After each wait the program computes, and makes calls that wait for nothing. */
static int works_after_waits(struct logp_vp *vp, void *arg)
{
    struct logp_request *r;
    char c = 0;

    for (int i = 0; i < 50; i++) {
        OK(logp_compute(vp, 1000, NULL, NULL));
        host.now += *(const int64_t *)arg;
        OK(logp_irecv(vp, 0, i, &c, 1, &r));
        host.now += *(const int64_t *)arg;
        OK(logp_cancel(vp, r));
        logp_now(vp);
    }
    return 0;
}

Test(accounting, what_a_program_computes_after_a_wait_is_no_lag)
{
    for (int64_t work = 0; work <= 10000; work += 2500) {
        const struct logp_report report = run_by_own_clock(1, &test_6us, works_after_waits, &work);

        cr_expect_eq(report.lag.n, 50);
        cr_expect_leq(report.lag.max_ns, FEW);
    }
}

/* Nor does it make a start late. */
static int works_after_a_start(struct logp_vp *vp, void *arg)
{
    OK(logp_sync(vp, NULL));
    host.now += 20000;
    OK(logp_compute(vp, 10, NULL, NULL));
    host.now += 20000;
    OK(logp_sync(vp, NULL));
    *(int64_t *)arg = logp_start_late(vp);
    return 0;
}

Test(accounting, what_a_program_computes_after_a_start_does_not_make_it_late)
{
    for (int delayed = 0; delayed < 2; delayed++) {
        int64_t late = -1;

        run_by_own_clock(1, delayed ? &test_6us : NULL, works_after_a_start, &late);
        cr_expect_geq(late, 0);
        cr_expect_leq(late, FEW);
    }
}

static int waits_without_a_model(struct logp_vp *vp, void *arg)
{
    int64_t *took = arg, before = logp_now(vp);

    OK(logp_compute(vp, 5000, NULL, NULL));
    *took = logp_now(vp) - before;
    return 0;
}

Test(accounting, with_no_delay_nothing_is_waited_for_and_there_is_no_lag)
{
    int64_t took = -1;
    const struct logp_report report = run_by_own_clock(1, NULL, waits_without_a_model, &took);

    cr_expect_geq(took, 0);
    cr_expect_leq(took, FEW);
    cr_expect_eq(report.lag.n, 0);
    cr_expect_eq(report.lag.max_ns, 0);
}

/* ---- the common start ---- */

static int first_thing(struct logp_vp *vp, void *arg)
{
    int64_t *first = arg;
    const int64_t emulated = logp_clocks(vp, &first[logp_vp_rank(vp)]);

    return emulated >= 0 && first[logp_vp_rank(vp)] >= emulated ? 0 : -ERANGE;
}

Test(accounting, no_program_starts_before_time_0)
{
    int64_t first[3] = {-1, -1, -1};

    run_by_own_clock(3, &test_6us, first_thing, first);
    for (int i = 0; i < 3; i++) {
        cr_expect_geq(first[i], 0);
        cr_expect_leq(first[i], 3 * FEW);
    }
    run_by_own_clock(3, NULL, first_thing, first);
    for (int i = 0; i < 3; i++)
        cr_expect_geq(first[i], 0);
}

static int starts(struct logp_vp *vp, void *arg)
{
    int64_t start, wall, *late = arg;

    host.jump_at = host.now + 8000; /* a start lies 10 us ahead */
    host.jump_ns = 2000 + late[0];
    OK(logp_sync(vp, &start));
    cr_assert_eq(logp_clocks(vp, &wall), start);
    cr_assert_geq(wall, start + late[0] - FEW);
    cr_assert_leq(wall, start + late[0] + FEW);
    OK(logp_sync(vp, NULL));
    late[1] = logp_start_late(vp);
    return 0;
}

Test(accounting, a_late_start_is_said)
{
    for (int64_t late = 0; late <= 5000; late += 1250) {
        int64_t said[2] = {late, -1};
        const struct logp_report report = run_by_own_clock(1, &test_6us, starts, said);

        cr_expect_geq(said[1], late - FEW);
        cr_expect_leq(said[1], late + FEW);
        cr_expect_leq(report.lag.max_ns, FEW, "a late start is no lag");
    }
}

/* ---- messages ---- */

struct exchange {
    int64_t emulated[2], wall[2];
    int64_t arrival;
};

/* There and back; rank 1 computes in between, on the host and in the model. */
static int ping_pong(struct logp_vp *vp, void *arg)
{
    struct exchange *x = arg;
    const int me = logp_vp_rank(vp);
    struct logp_status s = {0};
    char c = 0;

    OK(me == 0 ? logp_send(vp, 1, 0, &c, 1) : logp_recv(vp, 0, 0, &c, 1, &s));
    if (me == 1) {
        x->arrival = s.arrival_ns;
        host.now += 500;
        OK(logp_compute(vp, 1500, NULL, NULL));
    }
    OK(me == 1 ? logp_send(vp, 0, 0, &c, 1) : logp_recv(vp, 1, 0, &c, 1, NULL));
    x->emulated[me] = logp_clocks(vp, &x->wall[me]);
    return 0;
}

Test(accounting, messages_take_their_time_on_the_wall_clock)
{
    struct exchange x;

    run_by_own_clock(2, &test_6us, ping_pong, &x);
    cr_expect_eq(x.arrival, 8000);
    cr_expect_eq(x.emulated[1], 10000 + 2000 + 2000);
    cr_expect_eq(x.emulated[0], 14000 + 6000 + 2000);
    for (int i = 0; i < 2; i++) {
        cr_expect_geq(x.wall[i], x.emulated[i]);
        cr_expect_leq(x.wall[i], x.emulated[i] + 2 * FEW);
    }
}

Test(accounting, a_late_receiver_catches_up_with_its_messages)
{
    struct exchange x;

    host = own_clock();
    host.jump_at = host.now + 10000 + 9000; /* both wait for the first message's o_recv */
    host.jump_ns = 2500;
    run_on_host(2, &test_6us, ping_pong, &x);
    cr_expect_eq(host.away_ns, 2500);
    cr_expect_eq(x.emulated[1], 14000);
    cr_expect_eq(x.emulated[0], 22000);
    cr_expect_leq(x.wall[0], 22000 + 2 * FEW, "the lag of 1500 has been made up for");
}

static int polls(struct logp_vp *vp, void *arg)
{
    int64_t *took = arg, before = logp_now(vp);
    bool found = false;

    OK(logp_probe(vp, LOGP_ANY_SOURCE, LOGP_ANY_TAG, &found, NULL));
    took[0] = logp_now(vp) - before;
    before = logp_now(vp);
    for (int i = 0; i < 5; i++)
        OK(logp_probe(vp, 0, 3, &found, NULL));
    took[1] = logp_now(vp) - before;
    return 0;
}

/* The program computes, and then waits for what has long been there, in every way. */
static int waits_after_computing(struct logp_vp *vp, void *arg)
{
    int64_t *took = arg, before;
    struct logp_request *r[2];
    int index;
    char c = 0;

    for (int i = 0; i < 5; i++) {
        bool found = false;

        OK(logp_send(vp, 0, 0, &c, 1));
        OK(logp_compute(vp, 10000, NULL, NULL)); /* it arrives meanwhile */
        OK(logp_irecv(vp, 0, 0, &c, 1, &r[0]));
        before = logp_now(vp);
        host.now += 5000;
        if (i == 0)
            OK(logp_waitany(vp, r, 1, &index, NULL));
        else if (i == 1)
            OK(logp_waitall(vp, r, 1, NULL));
        else if (i == 2)
            OK(logp_wait(vp, r[0], NULL));
        else if (i == 3)
            OK(logp_test(vp, r[0], &found, NULL));
        else
            OK(logp_testany(vp, r, 1, &index, &found, NULL));
        took[i] = logp_now(vp) - before;
    }
    return 0;
}

Test(accounting, what_a_program_computes_before_a_wait_counts)
{
    int64_t took[5];

    run_by_own_clock(1, &test_6us, waits_after_computing, took);
    for (int i = 0; i < 5; i++)
        cr_expect_eq(took[i], 5000 + test_6us.o_recv_ns, "%d: %ld", i, (long)took[i]);
}

Test(accounting, a_poll_in_vain_costs_poll_ns)
{
    int64_t took[2];

    run_by_own_clock(1, &test_6us, polls, took);
    cr_expect_eq(took[0], 100);
    cr_expect_eq(took[1], 500);
}
