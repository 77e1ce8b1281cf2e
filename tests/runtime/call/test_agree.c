/* SPDX-License-Identifier: MIT */
/* Calls of collectives that differ are named; calls that agree are not. */
#include "kit.h"

/* On the wall clock, by an executor. */
static struct logp_machine *wall_machine(int P, const char *executor, bool trusts)
{
    return test_machine_with((struct logp_config){.n_processors = P,
                                                  .delay = logp_delay_none(),
                                                  .executor = executor,
                                                  .trust_calls = trusts},
                             NULL);
}

/* The same, where calls are compared in each call. */
static struct logp_machine *comparing_machine(int P, const char *executor)
{
    return test_machine_with((struct logp_config){.n_processors = P,
                                                  .delay = logp_delay_none(),
                                                  .executor = executor,
                                                  .compare_calls = true},
                             NULL);
}

static struct logp_machine *machine_of(int P)
{
    const struct logp_network network = {.params = {.L_ns = 100, .o_send_ns = 10, .o_recv_ns = 10}};

    return test_machine_with((struct logp_config){.n_processors = P,
                                                  .clock = LOGP_CLOCK_VIRTUAL,
                                                  .executor = "fiber",
                                                  .network = &network},
                             NULL);
}

static const struct logp_op *sum(void)
{
    return logp_op_find("sum", "double");
}

static int other_root(struct logp_vp *vp, void *arg)
{
    double x[4] = {0};

    return logp_broadcast(vp, x, sizeof(x), logp_vp_rank(vp) == 2 ? 1 : 0);
}

static int other_size(struct logp_vp *vp, void *arg)
{
    double x[4] = {0}, y[4];

    return logp_allreduce(vp, x, y, logp_vp_rank(vp) == 2 ? 3 : 4, sum());
}

static int other_operation(struct logp_vp *vp, void *arg)
{
    double x[4] = {0}, y[4];

    return logp_allreduce(vp, x, y, 4,
                          logp_vp_rank(vp) == 2 ? logp_op_find("max", "double") : sum());
}

static int other_collective(struct logp_vp *vp, void *arg)
{
    double x[4] = {0}, y[4];
    int rc = logp_barrier(vp);

    if (rc == 0 && logp_vp_rank(vp) == 2)
        return logp_scan(vp, x, y, 4, sum());
    return rc != 0 ? rc : logp_reduce(vp, x, y, 4, sum(), 0);
}

static int other_order(struct logp_vp *vp, void *arg)
{
    double x[4] = {0};
    int rc = 0;

    if (logp_vp_rank(vp) == 2)
        rc = logp_barrier(vp);
    if (rc == 0)
        rc = logp_broadcast(vp, x, sizeof(x), 0);
    return rc != 0 || logp_vp_rank(vp) == 2 ? rc : logp_barrier(vp);
}

static int other_in_group(struct logp_vp *vp, void *arg)
{
    struct logp_vp *half;
    double x[4] = {0};
    int rc = logp_group_split(vp, logp_vp_rank(vp) % 2, 0, &half);

    if (rc != 0)
        return rc;
    rc = logp_broadcast(half, x, sizeof(x), logp_vp_rank(vp) == 2 ? 1 : 0);
    logp_group_destroy(half);
    return rc;
}

static int other_started(struct logp_vp *vp, void *arg)
{
    struct logp_request *r = NULL;
    double x[4] = {0};
    int rc = logp_ibroadcast(vp, x, logp_vp_rank(vp) == 2 ? 8 : 16, 0, &r);

    return rc != 0 ? rc : logp_wait(vp, r, NULL);
}

static const struct row {
    logp_program program;
    const char *says; /* of either rank, as both orders occur */
} rows[] = {
    {other_root, "logp_broadcast() of 32, root 1"},
    {other_size, "logp_allreduce() of 3 and 8"},
    {other_operation, "with another operation"},
    {other_collective, "logp_scan() of 4 and 8"},
    {other_order, "rank 2 calls logp_barrier()"},
    {other_in_group, "logp_broadcast() of 32, root 1"},
    {other_started, "logp_ibroadcast() of 8, root 0"},
};

Test(agree, calls_that_differ_are_named)
{
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct logp_machine *m = machine_of(4);
        const struct logp_report *r;

        for (int again = 0; again < 2; again++) {
            cr_assert_eq(logp_machine_run(m, rows[i].program, NULL, 0), -EPROTO, "row %zu", i);
            r = logp_machine_report(m);
            cr_assert(r->asserted.file != NULL && r->asserted.line == 0, "row %zu", i);
            cr_assert(strstr(r->asserted.detail, rows[i].says) != NULL, "row %zu: %s", i,
                      r->asserted.detail);
        }
        logp_machine_destroy(m);
    }
}

Test(agree, a_check_reports_them)
{
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        for (enum logp_strategy s = LOGP_STRATEGY_RANDOM; s <= LOGP_STRATEGY_EXHAUSTIVE; s++) {
            struct logp_check check = check_of(4, s, 10);
            TEST_FAILURE f = {.text = NULL};

            cr_assert_eq(logp_check(rows[i].program, NULL, &check, &f), -EPROTO, "row %zu", i);
            cr_assert_eq(f.kind, LOGP_FAILURE_ASSERTED);
            cr_assert(strstr(f.text, " where rank ") != NULL, "row %zu: %s", i, f.text);
            cr_assert_null(f.expression);
            cr_assert_eq(logp_check_replay(rows[i].program, NULL, &check, f.replay, NULL), -EPROTO);
        }
}

/* Many calls, in groups as well, some of them far ahead of the others. */
static int many(struct logp_vp *vp, void *arg)
{
    struct logp_vp *half;
    double x[4] = {0}, y[4];
    struct logp_request *r[2];
    int rc = logp_group_split(vp, logp_vp_rank(vp) % 2, 0, &half);

    for (int i = 0; rc == 0 && i < 100; i++) {
        rc = logp_broadcast(vp, x, sizeof(x), i % 3);
        if (rc == 0)
            rc = logp_reduce(half, x, y, i % 4, sum(), i % 2);
        if (rc == 0)
            rc = logp_ibarrier(half, &r[0]);
        if (rc == 0)
            rc = logp_iallreduce(vp, x, y, 4, sum(), &r[1]);
        if (rc == 0)
            rc = logp_waitall(vp, r, 2, NULL);
    }
    if (rc == 0)
        logp_group_destroy(half);
    return rc;
}

Test(agree, right_programs_pass)
{
    struct logp_machine *m = machine_of(7);
    struct logp_check check = check_of(4, LOGP_STRATEGY_RANDOM, 20);

    for (int i = 0; i < 3; i++)
        cr_assert_eq(logp_machine_run(m, many, NULL, 0), 0);
    logp_machine_destroy(m);
    cr_assert_eq(logp_check(many, NULL, &check, NULL), 0);
}

enum { N_GROUPS = 60 };

/* Rank 0 has called a collective of each group when rank 1 calls its first one.
 * *arg: the call of rank 1 that has another size */
static int far_ahead(struct logp_vp *vp, void *arg)
{
    const int *odd = arg;
    const int me = logp_vp_rank(vp);
    struct logp_vp *groups[N_GROUPS];
    char x[2] = {0};
    int rc;

    for (int i = 0; i < N_GROUPS; i++)
        TRY(logp_group_create(vp, 1 + (uint32_t)i, NULL, 0, &groups[i]));
    rc = me == 1 ? logp_compute(vp, 1000000, NULL, NULL) : 0;
    for (int i = 0; rc == 0 && i < N_GROUPS; i++)
        rc = logp_broadcast(groups[i], x, me == 1 && i == *odd ? 2 : 1, 0);
    for (int i = 0; i < N_GROUPS; i++)
        logp_group_destroy(groups[i]);
    return rc;
}

/* Records of calls collide and move, but each of them is found. */
Test(agree, a_call_that_differs_is_found_among_many_that_are_under_way)
{
    struct logp_machine *m = machine_of(2);

    for (int odd = 0; odd <= N_GROUPS; odd++)
        cr_assert_eq(logp_machine_run(m, far_ahead, &odd, 0), odd < N_GROUPS ? -EPROTO : 0,
                     "call %d", odd);
    logp_machine_destroy(m);
}

enum { N_AHEAD = 400 }; /* more than there are lines in compare.c */

/* Rank 0 has called all its collectives when rank 1 calls its first one. *arg: as above */
static int one_group_far_ahead(struct logp_vp *vp, void *arg)
{
    const int *odd = arg;
    const int me = logp_vp_rank(vp);
    char x[2] = {0};
    int rc = me == 1 ? logp_compute(vp, 1000000, NULL, NULL) : 0;

    for (int i = 0; rc == 0 && i < N_AHEAD; i++)
        rc = logp_broadcast(vp, x, me == 1 && i == *odd ? 2 : 1, 0);
    return rc;
}

Test(agree, a_call_that_differs_is_found_though_a_rank_is_far_ahead)
{
    struct logp_machine *m = machine_of(2);

    for (int odd = 0; odd <= N_AHEAD; odd += 25)
        cr_assert_eq(logp_machine_run(m, one_group_far_ahead, &odd, 0), odd < N_AHEAD ? -EPROTO : 0,
                     "call %d", odd);
    logp_machine_destroy(m);
}

/* Only rank 0 calls a collective before rank 1 ends the run. */
static int ends_after_a_call(struct logp_vp *vp, void *arg)
{
    char x = 0;
    int rc;

    if (logp_vp_rank(vp) == 0)
        return logp_broadcast(vp, &x, 1, 0);
    rc = logp_compute(vp, 1000000, NULL, NULL);
    return rc != 0 ? rc : -EIO;
}

static int only_a_barrier(struct logp_vp *vp, void *arg)
{
    return logp_barrier(vp);
}

Test(agree, calls_of_the_run_before_are_forgotten)
{
    struct logp_machine *m = machine_of(2);

    cr_assert_eq(logp_machine_run(m, ends_after_a_call, NULL, 0), -EIO);
    cr_assert_eq(logp_machine_run(m, only_a_barrier, NULL, 0), 0);
    logp_machine_destroy(m);
}

/* Each ends while nothing else is under way: by a wait, by tests, and by a wait for any. */
static int one_by_one(struct logp_vp *vp, void *arg)
{
    double x[4] = {0}, y[4];
    struct logp_request *r;
    bool done = false;
    int index;

    TRY(logp_ibarrier(vp, &r));
    TRY(logp_wait(vp, r, NULL));
    TRY(logp_iallreduce(vp, x, y, 4, sum(), &r));
    while (!done)
        TRY(logp_test(vp, r, &done, NULL));
    TRY(logp_ibroadcast(vp, x, sizeof(x), 0, &r));
    return logp_waitany(vp, &r, 1, &index, NULL);
}

Test(agree, started_collectives_end_in_checks)
{
    for (enum logp_strategy s = LOGP_STRATEGY_RANDOM; s <= LOGP_STRATEGY_EXHAUSTIVE; s++) {
        struct logp_check check = {.size = sizeof(check), .runs = 100, .strategy = s};

        check.must_end = true;
        cr_assert_eq(logp_check(one_by_one, NULL, &check, NULL), 0, "strategy %d", (int)s);
    }
}

/* ---- by default, on the wall clock ---- */

/* Each is its own root, so nobody waits. */
static int own_root(struct logp_vp *vp, void *arg)
{
    int x = 0;

    return logp_broadcast(vp, &x, sizeof(x), logp_vp_rank(vp));
}

/* So many calls that agree come first, or (arg) last. */
static int own_root_among_others(struct logp_vp *vp, void *arg)
{
    const int *n = arg;
    int rc = 0;

    for (int i = 0; rc == 0 && i < n[0]; i++)
        rc = logp_barrier(vp);
    if (rc == 0)
        rc = own_root(vp, NULL);
    for (int i = 0; rc == 0 && i < n[1]; i++)
        rc = logp_barrier(vp);
    return rc;
}

static const char *wall_detail(logp_program program, void *arg, const char *executor)
{
    static char detail[256];
    struct logp_machine *m = wall_machine(4, executor, false);
    const struct logp_report *r = logp_machine_report(m);

    for (int again = 0; again < 2; again++) {
        cr_assert_eq(logp_machine_run(m, program, arg, test_timeout_ns), -EPROTO);
        cr_assert(r->asserted.file != NULL && r->error == -EPROTO);
        snprintf(detail, sizeof(detail), "%s", r->asserted.detail);
    }
    logp_machine_destroy(m);
    return detail;
}

Test(agree, calls_that_differ_are_named_on_the_wall_clock)
{
    for (int threads = 0; threads < 2; threads++)
        for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
            const char *detail;

            if (rows[i].program == other_in_group) /* only calls of all vps */
                continue;
            detail = wall_detail(rows[i].program, NULL, threads ? "thread" : "fiber");
            cr_expect(strstr(detail, rows[i].says) != NULL, "row %zu: %s", i, detail);
        }
}

/* The call itself fails, in groups as well. */
Test(agree, calls_that_differ_are_named_in_each_call_on_the_wall_clock)
{
    for (int threads = 0; threads < 2; threads++)
        for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
            struct logp_machine *m = comparing_machine(4, threads ? "thread" : "fiber");
            const struct logp_report *r = logp_machine_report(m);

            for (int again = 0; again < 2; again++) {
                cr_assert_eq(logp_machine_run(m, rows[i].program, NULL, test_timeout_ns), -EPROTO);
                cr_expect(strstr(r->asserted.detail, rows[i].says) != NULL, "row %zu: %s", i,
                          r->asserted.detail);
            }
            logp_machine_destroy(m);
        }
}

Test(agree, right_programs_pass_where_calls_are_compared_on_the_wall_clock)
{
    for (int threads = 0; threads < 2; threads++) {
        struct logp_machine *m = comparing_machine(7, threads ? "thread" : "fiber");

        for (int i = 0; i < 10; i++)
            cr_assert_eq(logp_machine_run(m, many, NULL, test_timeout_ns), 0);
        logp_machine_destroy(m);
    }
}

/* As one_group_far_ahead(), but the vps run at once: rank 0 is ahead by what the queues hold. */
static int root_ahead(struct logp_vp *vp, void *arg)
{
    const int *odd = arg;
    const int me = logp_vp_rank(vp);
    char x[2] = {0};
    int rc = 0;

    for (int i = 0; rc == 0 && i < N_AHEAD; i++)
        rc = logp_broadcast(vp, x, me == 2 && i == *odd ? 2 : 1, 0);
    return rc;
}

Test(agree, a_call_that_differs_is_found_on_the_wall_clock_though_a_rank_is_ahead)
{
    for (int threads = 0; threads < 2; threads++) {
        struct logp_machine *m = comparing_machine(4, threads ? "thread" : "fiber");

        for (int odd = 0; odd <= N_AHEAD; odd += 50)
            cr_assert_eq(logp_machine_run(m, root_ahead, &odd, test_timeout_ns),
                         odd < N_AHEAD ? -EPROTO : 0, "call %d", odd);
        logp_machine_destroy(m);
    }
}

Test(agree, roots_that_differ_are_named_though_nobody_waits)
{
    int few[] = {100, 7}, many[] = {3, 8};
    const char *detail = wall_detail(own_root, NULL, "thread");

    cr_expect(strstr(detail, "calls logp_broadcast() of 4, root 1 where rank") != NULL ||
                  strstr(detail, "calls logp_broadcast() of 4, root 0 where rank") != NULL,
              "%s", detail);
    detail = wall_detail(own_root_among_others, few, "fiber");
    cr_expect(strstr(detail, "calls logp_broadcast() of 4, root") != NULL, "%s", detail);
    detail = wall_detail(own_root_among_others, many, "fiber");
    cr_expect(strstr(detail, "have called different collectives before logp_barrier()") != NULL,
              "%s", detail);
}

Test(agree, a_machine_that_trusts_calls_compares_none)
{
    struct logp_machine *m = wall_machine(4, "fiber", true);

    cr_assert_eq(logp_machine_run(m, own_root, NULL, test_timeout_ns), 0);
    logp_machine_destroy(m);
}

/* A vp may end before the others, with fewer calls. */
static int one_more(struct logp_vp *vp, void *arg)
{
    int x = 0, rc = logp_barrier(vp);

    return rc == 0 && logp_vp_rank(vp) == 0 ? logp_broadcast(vp, &x, sizeof(x), 0) : rc;
}

Test(agree, fewer_calls_do_not_differ)
{
    struct logp_machine *m = wall_machine(4, "fiber", false);

    cr_assert_eq(logp_machine_run(m, one_more, NULL, test_timeout_ns), 0);
    logp_machine_destroy(m);
}

enum { MOST_KEPT = 8 /* calls of a vp: runtime/core/agree.c */ };

/* Rank 0 makes arg[0] calls, and the others so many more that none of its own is kept for both. */
static int far_fewer(struct logp_vp *vp, void *arg)
{
    const int n = *(const int *)arg + (logp_vp_rank(vp) > 0 ? MOST_KEPT : 0);
    int rc = 0;

    for (int i = 0; rc == 0 && i < n; i++)
        rc = own_root(vp, NULL);
    return rc;
}

Test(agree, a_vp_with_far_fewer_calls_is_compared_by_the_calls_of_the_other)
{
    for (int n = 1; n < 20; n++) {
        char says[128];
        const char *detail = wall_detail(far_fewer, &n, "fiber");

        snprintf(says, sizeof(says), "before logp_broadcast() of 4, root 1, call %d of rank 1;",
                 n + 1);
        cr_expect(strstr(detail, says) != NULL, "%d calls: %s", n, detail);
    }
}
