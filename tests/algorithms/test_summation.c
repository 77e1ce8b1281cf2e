/* SPDX-License-Identifier: MIT */
/* Summation: thousands of operands, programs of one's own, wrong input. */
#include "summation.h"
#include <logp/paper.h>

/* A run of one algorithm is right. */
static void check(struct logp_machine *m, int which, const struct logp_invocation *c)
{
    const struct logp_experiment x =
        test_experiment(algorithm(which), &c->args, 2, (uint64_t)c->args.count);
    struct logp_record r;

    cr_assert_eq(logp_experiment_run(m, &x, &r), 0);
    cr_assert(r.verified, "%s N %ld", names[which], (long)c->args.count);
}

Test(summation, thousands_of_operands_are_summed_exactly_by_every_operation)
{
    struct logp_invocation c = invocation_of(100000 / TEST_SCALE + 17, 5, 2, 4, 1);
    const size_t n_ops = test_n_ops();
    struct logp_machine *m;
    struct logp_delay delay;

    cr_assert_eq(logp_delay_create("logp", &c.model.params, &delay), 0);
    m = test_machine_of(9, LOGP_CLOCK_VIRTUAL, delay);
    c.args.root = 4;
    for (size_t i = 0; i < n_ops; i++) {
        c.args.op = logp_op_at(i);
        for (int a = 0; a < N_NAMES; a++)
            check(m, a, &c);
    }
    cr_assert_eq(logp_machine_destroy(m), 0);
}

/* ---- a program of one's own ---- */

struct mine {
    const struct logp_algorithm *algorithm;
    struct logp_params params;
    int64_t N, sum;
};

/* Everyone has the numbers 1, 2, ... of its own share, which stay as they are. */
static int program(struct logp_vp *vp, void *arg)
{
    struct mine *mine = arg;
    const int P = logp_vp_size(vp), me = logp_vp_rank(vp);
    const struct logp_args args = {
        .root = P / 2, .count = mine->N, .op = logp_op_find("sum", "int64")};
    const struct logp_network model = {.params = mine->params};
    struct logp_plan *plan;
    int64_t sum = 0, own, *share;
    int rc;

    cr_assert_eq(logp_plan_create(mine->algorithm, P, me, &args, &model, &plan), 0);
    own = logp_plan_own(plan);
    share = malloc((size_t)(own + 1) * sizeof(*share));
    for (int64_t i = 0; i < own; i++)
        share[i] = i + 1;
    rc = logp_plan_run(vp, plan, share, me == args.root ? &sum : NULL);
    for (int64_t i = 0; i < own; i++)
        cr_assert_eq(share[i], i + 1);
    if (me == args.root)
        mine->sum = sum;
    free(share);
    logp_plan_destroy(plan);
    return rc;
}

Test(summation, a_program_plans_first_and_keeps_its_operands)
{
    for (int P = 1; P <= 20; P += 3)
        for (int a = 0; a < N_NAMES; a++) {
            struct mine mine = {.algorithm = algorithm(a), .N = 1000};
            struct logp_invocation c = invocation_of(mine.N, 6, 2, 4, 1);
            int64_t sum = 0;

            mine.params = c.model.params;
            c.args.root = P / 2;
            for (int i = 0; i < P; i++) {
                cr_assert_eq(test_plan(mine.algorithm, P, i, &c), 0);
                sum += c.plan.own * (c.plan.own + 1) / 2;
                test_unplan(&c);
            }
            test_run(test_machine(P, LOGP_CLOCK_VIRTUAL, &c.model.params), program, &mine);
            cr_assert_eq(mine.sum, sum);
        }
}

/* ---- wrong input ---- */

Test(summation, what_it_cannot_sum_is_refused)
{
    struct logp_op last = *logp_op_find("max", "double");
    struct logp_invocation c = invocation_of(10, 6, 2, 4, 1);
    struct logp_summation s;

    last.commutative = false;
    for (int a = 0; a < N_NAMES; a++) {
        struct logp_invocation bad = c;

        cr_expect_null(test_needs(algorithm(a), 8, &bad));
        bad.args.op = &last;
        cr_expect_eq(test_plan(algorithm(a), 8, 0, &bad), -ENOTSUP);
        bad.args.op = NULL;
        cr_expect_eq(test_plan(algorithm(a), 8, 0, &bad), -ENOTSUP);
        bad = c;
        bad.args.count = 0;
        cr_expect_eq(test_plan(algorithm(a), 8, 0, &bad), -ENOTSUP);
        cr_expect_eq(test_predict(algorithm(a), 8, &bad).certainty, LOGP_PREDICTION_NONE);
        bad.args.count = LOGP_SUMMATION_MAX + 1;
        cr_expect_eq(test_plan(algorithm(a), 8, 0, &bad), -ENOTSUP);
        bad = c;
        cr_expect_eq(test_plan(algorithm(a), 8, 8, &bad), -EINVAL);
        bad.model.params.gap_shared = true;
        bad.args.count = 100;
        cr_expect_eq(test_predict_by(algorithm(a), 8, &bad, LOGP_BY_FORMULA).certainty,
                     LOGP_PREDICTION_NONE);
        cr_expect_eq(test_predict(algorithm(a), 8, &bad).by, LOGP_BY_SCHEDULE);
        bad.args.count = 1; /* no message */
        cr_expect_eq(test_predict(algorithm(a), 8, &bad).certainty, LOGP_PREDICTION_EXACT);
    }
    cr_expect_eq(logp_summation_optimal(&s, 0, 10, &c.model.params, 8), -EINVAL);
    cr_expect_eq(logp_summation_optimal(&s, 8, 0, &c.model.params, 8), -EINVAL);
    cr_expect_eq(logp_summation_paper(&s, 8, LOGP_SUMMATION_MAX + 1, &c.model.params, 8), -EINVAL);
    cr_expect_eq(logp_summation_paper(&s, LOGP_TREE_MAX + 1, 10, &c.model.params, 8), -EINVAL);
}
