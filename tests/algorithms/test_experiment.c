/* SPDX-License-Identifier: MIT */
/*
 * The experiment, with algorithms of the test's own: a wrong result in any repetition on any rank
 * is in the record; operands; arguments. Times and ends: test_repetitions.c. What is a wrong result
 * of which collective: test_verify.c.
 */
#include "plotted.h"

#include <stdio.h>

/* ---- wrong results ---- */

static void expect_found(struct logp_machine *m, int call, int rank)
{
    const struct logp_experiment x = experiment(&broadcast, 2, 4);
    struct logp_record r;

    no_plot();
    plot.bad_call = call;
    plot.bad_rank = rank;
    cr_assert_eq(logp_experiment_run(m, &x, &r), 0);
    cr_expect(r.verified == (rank < 0), "call %d, rank %d", call, rank);
    cr_expect_eq(r.wrong_rank, rank, "call %d, rank %d: rank %d", call, rank, r.wrong_rank);
    cr_expect_eq(r.reps, 4);
}

/* In the warm-up, the first, the last and any other repetition, on any rank. */
Test(experiment, a_wrong_result_is_found_wherever_it_is)
{
    for (int i = 0; i < MACHINES; i++) {
        TEST_MACHINE m = machine(i);

        expect_found(m, -1, -1);
        for (int call = 0; call < 6; call++)
            for (int rank = 0; rank < P; rank += 2)
                expect_found(m, call, rank);
        expect_found(m, -1, -1); /* and it is not held against the next */
    }
}

/* ---- which element is wrong ---- */

static int wrong_from; /* the rank from which on all are wrong */

/* An allreduce that is off by one in element 3 and those after it. */
static int off_by_one(struct logp_vp *vp, const struct logp_invocation *c, void *buf,
                      void *recv_buf)
{
    const int rc = logp_algorithm_find("allreduce", "ring")->run(vp, c, buf, recv_buf);

    for (int64_t i = 3; rc == 0 && logp_vp_rank(vp) >= wrong_from && i < c->args.count; i++) {
        if (strcmp(c->args.op->type, "int32") == 0)
            ((int32_t *)recv_buf)[i]++;
        else
            ((double *)recv_buf)[i] += 0.5;
    }
    return rc;
}

/* "... is A, expected B": A - B, of the element that is named */
static double difference(const char *text, int64_t *element, int64_t *of)
{
    double is, expected;
    long long at, all;

    cr_assert_eq(sscanf(text, "element %lld of %lld (from 0) is %lf, expected %lf", &at, &all, &is,
                        &expected),
                 4, "%s", text);
    *element = at;
    *of = all;
    return is - expected;
}

Test(experiment, a_wrong_result_says_which_element_and_what_was_expected)
{
    const char *const types[] = {"int32", "double"};
    struct logp_algorithm row = *logp_algorithm_find("allreduce", "ring");

    row.run = off_by_one;
    for (int i = 0; i < MACHINES; i++)
        for (int k = 0; k < 2; k++) {
            TEST_MACHINE m = machine(i);
            const struct logp_experiment x = {
                .size = sizeof(x),
                .algorithm = &row,
                .reps = 2,
                .args = {.count = 10, .op = logp_op_find("sum", types[k])}};
            struct logp_record r;
            int64_t element, of;

            wrong_from = 1 + k;
            cr_assert_eq(logp_experiment_run(m, &x, &r), 0);
            cr_expect_eq(r.wrong_rank, 1 + k);
            cr_expect_eq(difference(r.wrong, &element, &of), k == 0 ? 1 : 0.5, "%s", r.wrong);
            cr_expect(element == 3 && of == 10, "%s", r.wrong);
            wrong_from = P;
            cr_assert_eq(logp_experiment_run(m, &x, &r), 0);
            cr_expect(r.verified && r.wrong[0] == '\0', "%s", r.wrong);
        }
}

Test(experiment, of_bytes_the_first_is_named)
{
    TEST_MACHINE m = machine(0);
    const struct logp_experiment x = experiment(&broadcast, 0, 4);
    struct logp_record r;
    unsigned is, expected;
    long at, of;

    no_plot();
    plot.bad_call = 2;
    plot.bad_rank = 3;
    cr_assert_eq(logp_experiment_run(m, &x, &r), 0);
    cr_assert_eq(sscanf(r.wrong, "byte %ld of %ld (from 0) is 0x%x, expected 0x%x", &at, &of, &is,
                        &expected),
                 4, "%s", r.wrong);
    cr_expect_eq((size_t)at, x.args.n_bytes - 1);
    cr_expect_eq((size_t)of, x.args.n_bytes);
    cr_expect_eq(is ^ expected, 1);
}

/* ---- operands ---- */

Test(experiment, operands_differ_with_seed_and_repetition)
{
    enum { REPS = 8, RUNS = 3 };
    uint64_t first[RUNS][REPS];
    static const uint64_t seeds[RUNS] = {1, 1, 1000};

    for (int i = 0; i < MACHINES; i++) {
        TEST_MACHINE m = machine(i);

        for (int run = 0; run < RUNS; run++) {
            struct logp_experiment x = experiment(&broadcast, 0, REPS);
            struct logp_record r;

            no_plot();
            x.seed = seeds[run];
            cr_assert_eq(logp_experiment_run(m, &x, &r), 0);
            memcpy(first[run], plot.first, sizeof(first[run]));
        }
        cr_expect(memcmp(first[0], first[1], sizeof(first[0])) == 0);
        for (int a = 0; a < REPS; a++) {
            for (int b = 0; b < a; b++)
                cr_expect(first[0][a] != first[0][b]);
            for (int b = 0; b < REPS; b++)
                cr_expect(first[0][a] != first[2][b]);
        }
    }
}

/* ---- what it refuses, and what it hands on ---- */

static void expect_refused(struct logp_machine *m, const struct logp_experiment *x, int error)
{
    struct logp_record r;

    memset(&r, 0x5a, sizeof(r));
    cr_expect_eq(logp_experiment_run(m, x, &r), error);
    cr_expect_eq(r.P, P);
    cr_expect(r.reps == 0 && r.restarts == 0 && r.wrong_rank == -1 && !r.verified);
    cr_expect_eq(plot.calls[0], 0);
}

static const char *needs_a_seventh(int64_t n, const struct logp_invocation *c)
{
    return n == 7 ? NULL : "seven processors";
}

Test(experiment, bad_arguments_are_refused)
{
    const struct logp_algorithm unknown = {
        LOGP_ALGORITHM("gossip", "own", "for a test", "this file"), .run = plotted};
    const struct logp_experiment good = experiment(&broadcast, 0, 1);
    struct logp_algorithm seven = broadcast;

    seven.needs = needs_a_seventh;
    no_plot();
    for (int i = 0; i < MACHINES; i++) {
        TEST_MACHINE m = machine(i);
        const int roots[] = {-1, P, P + 1};
        struct logp_experiment x;

        for (int k = 0; k < 3; k++) {
            x = good;
            x.args.root = roots[k];
            expect_refused(m, &x, -EINVAL);
        }
        for (int reps = -1; reps < 1; reps++) {
            x = good;
            x.reps = reps;
            expect_refused(m, &x, -EINVAL);
        }
        x = good, x.warmup = -1;
        expect_refused(m, &x, -EINVAL);
        x = good, x.timeout_ns = -1;
        expect_refused(m, &x, -EINVAL);
        x = good, x.algorithm = &unknown;
        expect_refused(m, &x, -EINVAL);
        x = good, x.algorithm = &seven;
        expect_refused(m, &x, -ENOTSUP);
        x = good, x.args.n_bytes = SIZE_MAX / 4;
        expect_refused(m, &x, -ENOMEM);
    }
}

static int64_t block_of_77(int64_t n, const struct logp_invocation *c)
{
    cr_assert(n == P && c->args.block_bytes == 9);
    return 77;
}

/* Planned as asked, with the block that was chosen; room of its own on each rank. */
static int looks_at_its_arguments(struct logp_vp *vp, const struct logp_invocation *c, void *buf,
                                  void *recv_buf)
{
    static char *bufs[P];
    const int me = logp_vp_rank(vp);

    cr_assert(c->args.block_bytes == 77 && c->args.root == 1 && c->args.tag == 3 &&
              c->args.n_bytes == 24 && c->args.k == 4);
    cr_assert_eq(c->plan.parent, me == 1 ? -1 : 1);
    cr_assert_eq(c->plan.n_children, me == 1 ? P - 1 : 0);
    cr_assert_eq((uintptr_t)buf % 16, 0);
    cr_assert_eq((uintptr_t)recv_buf % 16, 0);
    bufs[me] = buf;
    for (int i = 0; i < me; i++)
        cr_assert(bufs[i] == NULL || bufs[i] + 24 <= bufs[me]);
    return plotted(vp, c, buf, recv_buf);
}

Test(experiment, the_arguments_reach_the_algorithm)
{
    struct logp_algorithm a = broadcast;
    TEST_MACHINE m = machine(VIRTUAL);
    struct logp_experiment x = experiment(&a, 0, 2);
    struct logp_record r;

    no_plot();
    a.run = looks_at_its_arguments;
    a.knobs[0] = (struct logp_knob_use)LOGP_KNOB(block_bytes, block_of_77);
    x.args.tag = 3;
    x.args.k = 4;
    x.args.block_bytes = 9;
    cr_assert_eq(logp_experiment_run(m, &x, &r), 0);
    cr_expect(r.verified);
}
