/* SPDX-License-Identifier: MIT */
/*
 * Collectives that are started: what they cost, that they and the program's computing go on at
 * once, and that none of them gets in another's way. Many at once, of all kinds, at random:
 * test_pending.c; what goes wrong: test_nonblocking_errors.c.
 */
#include "calls.h"
#include "task.h"

enum { MOST_P = 17 };

/* ---- start and wait take what a run takes ---- */

static const struct logp_params models[] = {
    {.L_ns = 6, .o_send_ns = 2, .o_recv_ns = 2, .g_ns = 4, .gamma_ps = 1000},
    {.L_ns = 5, .o_send_ns = 1, .o_recv_ns = 3, .g_ns = 0, .G_ps = 777, .gamma_ps = 300},
    {.L_ns = 1, .o_send_ns = 0, .o_recv_ns = 0, .g_ns = 9},
    {.L_ns = 6, .o_send_ns = 4, .o_recv_ns = 1, .g_ns = 3, .G_ps = 3000, .gap_shared = true},
    {.L_ns = 20, .o_send_ns = 2, .o_recv_ns = 2, .g_ns = 4, .capacity = 2},
};

/* One row, planned and run twice; when each rank was through, from the common start. */
struct both {
    const struct logp_algorithm *row;
    struct logp_invocation c; /* not planned */
    int64_t run[MOST_P], started[MOST_P];
};

static int run_and_start(struct logp_vp *vp, void *arg)
{
    struct both *b = arg;
    const int P = logp_vp_size(vp), me = logp_vp_rank(vp);
    struct logp_request *pending;
    struct task t;
    int64_t start = 0;

    test_prepare(&t, b->row, P, me, 1, &b->c);
    OK(logp_plan_run(vp, t.plan, t.buf, t.recv_buf));
    b->run[me] = logp_now(vp);
    cr_assert(test_is_right(&t, P, me, 1));
    logp_collective_fill(t.collective, P, me, 2, &t.c, t.buf, t.recv_buf);
    OK(logp_sync(vp, &start));

    OK(logp_plan_start(vp, t.plan, t.buf, t.recv_buf, &pending));
    OK(logp_wait(vp, pending, NULL));
    b->started[me] = logp_now(vp) - start;
    cr_assert(test_is_right(&t, P, me, 2), "%s %s P %d rank %d", b->row->collective, b->row->name,
              P, me);
    test_put_away(&t);
    return 0;
}

static void compare(struct logp_machine *m, struct both *b, int P)
{
    const struct logp_prediction p = test_predict_by(b->row, P, &b->c, LOGP_BY_SCHEDULE);
    const struct logp_prediction formula = test_predict_by(b->row, P, &b->c, LOGP_BY_FORMULA);
    int64_t last = 0;

    cr_assert_eq(logp_machine_run(m, run_and_start, b, test_timeout_ns), 0);
    cr_assert_eq(logp_machine_report(m)->unreceived, 0);
    for (int i = 0; i < P; i++) {
        cr_assert_eq(b->run[i], b->started[i], "%s %s P %d root %d rank %d: run %ld, started %ld",
                     b->row->collective, b->row->name, P, b->c.args.root, i, (long)b->run[i],
                     (long)b->started[i]);
        last = b->started[i] > last ? b->started[i] : last;
    }
    cr_assert_eq(p.certainty, LOGP_PREDICTION_EXACT);
    cr_assert_eq(last, p.ns);
    if (formula.certainty == LOGP_PREDICTION_EXACT)
        cr_assert_eq(last, formula.ns);
}

static void compare_rows(struct logp_machine *m, int P, const struct logp_params *params)
{
    for (const struct logp_algorithm *const *row = test_rows(NULL); *row != NULL; row++) {
        const struct logp_collective *collective = logp_collective_find((*row)->collective);

        if ((*row)->steps == NULL)
            continue;
        for (int root = 0; root < (collective->rooted ? P : 1); root += P / 2 + 1) {
            struct both b = {.row = *row,
                             .c = {.args = {.root = root,
                                            .tag = 5,
                                            .n_bytes = 24,
                                            .count = 4 * P + 1,
                                            .op = logp_op_find("sum", "double"),
                                            .rows = P + 2,
                                            .cols = P,
                                            .work_ns = 3,
                                            .pack_ns = 2},
                                   .model.params = *params}};

            if (test_needs(*row, P, &b.c) == NULL)
                compare(m, &b, P);
        }
    }
}

Test(nonblocking, start_and_wait_take_what_a_run_takes)
{
    const size_t n = sizeof(models) / sizeof(models[0]), step = test_divisor() > 1 ? 2 : 1;

    for (int P = 1; P <= MOST_P; P += TEST_SCALE > 1 ? 5 : 1) {
        TEST_MACHINE m = test_machine(P, LOGP_CLOCK_VIRTUAL, NULL);

        for (size_t i = 0; i < n; i += step) {
            if (test_parallel() && models[i].capacity > 0)
                continue;
            test_set_params(m, &models[i]);
            compare_rows(m, P, &models[i]);
        }
    }
}

/* ---- the calls ---- */

/* Each takes as long, and is right, both ways. */
static int call_blocking_and_not(struct logp_vp *vp, void *arg)
{
    const int root = logp_vp_size(vp) / 2;
    int64_t in[2 * MOST_P + 1], out[2 * MOST_P + 1], took[2], start;
    struct logp_request *p;

    for (int i = 0; i < N_CALLS; i++) {
        const enum test_call which = (enum test_call)i;

        for (int started = 0; started < 2; started++) {
            test_call_fill(vp, which, 2, root, i, in, out);
            OK(logp_sync(vp, &start));
            OK(test_call_numbers(vp, which, 2, root, in, out, started ? &p : NULL));
            if (started)
                OK(logp_wait(vp, p, NULL));
            took[started] = logp_now(vp) - start;
            test_call_check(vp, which, 2, root, i, in, out);
        }
        cr_assert(took[0] == took[1], "call %d, P %d rank %d: run %ld, started %ld", i,
                  logp_vp_size(vp), logp_vp_rank(vp), (long)took[0], (long)took[1]);
    }
    return 0;
}

Test(nonblocking, a_call_takes_what_the_one_that_runs_takes)
{
    const size_t n = sizeof(models) / sizeof(models[0]);

    for (int P = 1; P <= MOST_P; P++)
        for (size_t i = (size_t)P % 2; i < n; i += 2)
            if (!test_parallel() || models[i].capacity == 0)
                test_run(test_machine(P, LOGP_CLOCK_VIRTUAL, &models[i]), call_blocking_and_not,
                         NULL);
}

/* ---- computing meanwhile ---- */

static const struct logp_params params = {
    .L_ns = 600, .o_send_ns = 200, .o_recv_ns = 200, .g_ns = 400, .gamma_ps = 1000};

static struct logp_plan *chain(const struct logp_vp *vp, size_t n_bytes)
{
    const struct logp_args args = {.n_bytes = n_bytes};
    struct logp_plan *plan;

    cr_assert_eq(logp_plan_create(logp_algorithm_find("broadcast", "chain"), logp_vp_size(vp),
                                  logp_vp_rank(vp), &args, NULL, &plan),
                 0);
    return plan;
}

/*
 * Rank 0 sends in [0, 200] and computes four times 500: 2200.
 * Rank 1 computes until 500, tests in vain until 600, computes until 1100, tests: what has arrived
 * at 200 + 600 is received until 1300, and sent on until 1500; 1000 more are computed until 2500.
 * Rank 2's arrives at 1500 + 600. It computes and tests in vain until 600, 1200, 1800, computes
 * until 2300, tests and receives until 2500.
 * The broadcast alone takes 2000, and so does computing: one after the other 4000.
 */
TestProgram(nonblocking, computing_overlaps_communicating,
            test_run(test_machine(3, LOGP_CLOCK_VIRTUAL, &params), program, NULL))
{
    static const int64_t end[] = {2200, 2500, 2500};
    struct logp_plan *plan = chain(vp, 8);
    struct logp_request *pending = NULL;
    int64_t item = logp_vp_rank(vp) == 0 ? 4711 : 0;
    bool done = false;

    OK(logp_plan_start(vp, plan, &item, NULL, &pending));
    for (int piece = 0; piece < 4; piece++) {
        OK(logp_compute(vp, 500, NULL, NULL));
        if (!done)
            OK(logp_test(vp, pending, &done, NULL));
    }
    cr_assert(done);
    cr_assert_eq(item, 4711);
    cr_assert_eq(logp_now(vp), end[logp_vp_rank(vp)]);
    logp_plan_destroy(plan);
    return 0;
}

/* Messages are sent at 0 and 400, and received in [800, 1000] and [1200, 1400], whichever is waited
 * for; and nothing is left to be done for the other. */
TestProgram(nonblocking, a_wait_carries_on_what_else_was_started,
            test_run(test_machine(2, LOGP_CLOCK_VIRTUAL, &params), program, NULL))
{
    const int me = logp_vp_rank(vp);
    int64_t a = me == 0 ? 1 : 0, b = me == 0 ? 2 : 0;
    struct logp_request *first, *second;

    OK(logp_ibroadcast(vp, &a, sizeof(a), 0, &first));
    OK(logp_ibroadcast(vp, &b, sizeof(b), 0, &second));
    OK(logp_wait(vp, second, NULL));
    cr_assert_eq(logp_now(vp), me == 0 ? 600 : 1400);
    cr_assert_eq(b, 2);
    OK(logp_wait(vp, first, NULL));
    cr_assert_eq(logp_now(vp), me == 0 ? 600 : 1400);
    cr_assert_eq(a, 1);
    return 0;
}

/* ---- in one another's way ---- */

/* Odd ranks wait for the second first; or test for it, and nothing else. */
static int in_different_orders(struct logp_vp *vp, void *arg)
{
    const struct logp_op *sum = logp_op_find("sum", "int64");
    const int P = logp_vp_size(vp), me = logp_vp_rank(vp);
    const bool tests = *(const bool *)arg;
    int64_t in[2] = {me, 2 * me}, out[2] = {-1, -1};
    struct logp_request *p[2];

    OK(logp_iallreduce(vp, &in[0], &out[0], 1, sum, &p[0]));
    OK(logp_iallreduce(vp, &in[1], &out[1], 1, sum, &p[1]));
    for (int i = 0; i < 2; i++) {
        const int which = i ^ (me % 2);
        bool done = false;

        while (tests && !done)
            OK(logp_test(vp, p[which], &done, NULL));
        if (!done)
            OK(logp_wait(vp, p[which], NULL));
        cr_assert_eq(out[which], (which + 1) * (int64_t)P * (P - 1) / 2);
    }
    return 0;
}

Test(nonblocking, the_order_of_waiting_is_each_ones_own)
{
    for (int P = 1; P <= 9; P += 2)
        for (int i = 0; i < 2; i++)
            test_run_all(P, &params, in_different_orders, &(bool){i > 0});
}

/* Rank 1 must hand on what the others wait for before they come to the barrier. */
TestProgram(nonblocking, a_collective_that_is_run_carries_on_those_that_were_started,
            test_run_all(4, &params, program, NULL))
{
    const int me = logp_vp_rank(vp);
    struct logp_plan *plan = chain(vp, 8);
    int64_t item = me == 0 ? 4711 : 0;
    struct logp_request *pending;

    OK(logp_plan_start(vp, plan, &item, NULL, &pending));
    if (me == 1)
        OK(logp_barrier(vp));
    OK(logp_wait(vp, pending, NULL));
    cr_assert_eq(item, 4711);
    if (me != 1)
        OK(logp_barrier(vp));
    logp_plan_destroy(plan);
    return 0;
}

/* A plan is started again and again, and others between, of the same group and of another. */
TestProgram(nonblocking, a_plan_may_be_started_again,
            for (int P = 1; P <= 5; P++) test_run_all(P, &params, program, NULL))
{
    const int me = logp_vp_rank(vp), P = logp_vp_size(vp), root = P - 1;
    struct logp_plan *plan = chain(vp, 8);
    struct logp_request *p[3], *none[2] = {NULL, NULL};
    struct logp_vp *group;
    int64_t a = 0, b, c;
    int index;

    OK(logp_group_create(vp, UINT32_C(1) << 30, NULL, 0, &group));
    for (int i = 0; i < 20; i++) {
        a = me == 0 ? i : -1;
        b = me == root ? i + 100 : -1;
        c = me == 0 ? i + 200 : -1;
        OK(logp_plan_start(vp, plan, &a, NULL, &p[0]));
        cr_assert(logp_plan_start(vp, plan, &a, NULL, &p[1]) == -EBUSY);
        cr_assert(logp_plan_run(vp, plan, &a, NULL) == -EBUSY);
        OK(logp_ibroadcast(group, &b, sizeof(b), root, &p[1]));
        OK(logp_ibroadcast(vp, &c, sizeof(c), 0, &p[2]));
        OK(logp_waitany(vp, p, 3, &index, NULL));
        cr_assert(index >= 0 && index < 3 && p[index] == NULL);
        OK(logp_waitall(vp, p, 3, NULL));
        cr_assert(a == i && b == i + 100 && c == i + 200);
        cr_assert(p[0] == NULL && p[1] == NULL && p[2] == NULL);
    }
    OK(logp_waitany(vp, none, 2, &index, NULL));
    cr_assert(index == -1);
    logp_group_destroy(group);
    logp_plan_destroy(plan);
    return 0;
}

/* ---- collectives and messages together ---- */

/* Rank 0 waits for broadcasts of ranks 1 and 3 and messages of ranks 2 and 4, each of which starts a
 * ms after the one before it. */
TestProgram(nonblocking, a_collective_and_a_message_are_waited_for_together,
            test_run(test_machine(5, LOGP_CLOCK_VIRTUAL, &params), program, NULL))
{
    static const int members[2][2] = {{0, 1}, {0, 3}};
    const int me = logp_vp_rank(vp);
    struct logp_request *p[5] = {NULL}, **r = &p[2];
    struct logp_status status = {.source = -1};
    struct logp_vp *pair[2] = {NULL, NULL};
    int order[4], item[2] = {me, me}, x = 0, y = 0, index = 0;

    OK(logp_sleep_until(vp, me * INT64_C(1000000)));
    if (me == 2 || me == 4)
        return logp_send(vp, 0, me, &me, sizeof(me));
    for (int i = 0; i < 2; i++) {
        if (me == members[1 - i][1])
            continue;
        OK(logp_group_create(vp, 1 + (uint32_t)i, members[i], 2, &pair[i]));
        OK(logp_ibroadcast(pair[i], &item[i], sizeof(int), 1, &p[i]));
    }
    if (me != 0)
        OK(logp_waitall(vp, p, 2, NULL));
    if (me == 0)
        OK(logp_irecv(vp, 4, 4, &y, sizeof(y), &r[0]));
    if (me == 0)
        OK(logp_irecv(vp, 2, 2, &x, sizeof(x), &r[2]));
    for (int i = 0; me == 0 && i < 4; i++) {
        OK(logp_waitany(vp, p, 5, &index, &status));
        order[i] = index;
        cr_assert(index != 4 || (x == 2 && status.source == 2));
        cr_assert(index != 2 || (y == 4 && status.source == 4));
    }
    if (me == 0) {
        cr_assert(item[0] == 1 && item[1] == 3);
        cr_assert(order[0] == 0 && order[1] == 4 && order[2] == 1 && order[3] == 2);
        OK(logp_waitany(vp, p, 5, &index, &status));
        cr_assert_eq(index, -1);
    }
    logp_group_destroy(pair[0]);
    logp_group_destroy(pair[1]);
    return 0;
}
