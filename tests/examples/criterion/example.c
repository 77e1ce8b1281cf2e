/* SPDX-License-Identifier: MIT */
/* Two ways to gather a number of each processor at rank 0. One of them works only as a rule. */
#include <criterion/criterion.h>
#include <logp/logp.h>

enum { NUMBER = 1, MOST = 8 };

static int gather(struct logp_vp *vp, bool by_source)
{
    int numbers[MOST] = {0}, mine = 10 * logp_vp_rank(vp), rc = 0;

    if (logp_vp_rank(vp) > 0)
        return logp_send(vp, 0, NUMBER, &mine, sizeof(mine));
    for (int i = 1; rc == 0 && i < logp_vp_size(vp); i++)
        rc = logp_recv(vp, by_source ? i : LOGP_ANY_SOURCE, NUMBER, &numbers[i], sizeof(numbers[i]),
                       NULL);
    for (int i = 0; rc == 0 && i < logp_vp_size(vp); i++)
        rc = LOGP_CHECK(vp, numbers[i] == 10 * i);
    return rc;
}

static int by_source(struct logp_vp *vp, void *arg)
{
    (void)arg;
    return gather(vp, true);
}

static int as_it_comes(struct logp_vp *vp, void *arg)
{
    (void)arg;
    return gather(vp, false);
}

Test(gather, works_in_whatever_order_messages_come)
{
    struct logp_check check = {.sizes = (int[]){2, 3, 8}, .n_sizes = 3, .runs = 1000, .seed = 1};
    struct logp_failure failure;
    int rc = logp_check(by_source, NULL, &check, &failure);

    cr_expect_eq(rc, 0, "%s", failure.text);
    logp_failure_free(&failure);
}

Test(gather, has_few_outcomes)
{
    struct logp_check check = {
        .sizes = (int[]){4}, .n_sizes = 1, .strategy = LOGP_STRATEGY_EXHAUSTIVE};

    cr_expect_eq(logp_check(by_source, NULL, &check, NULL), 0);
    if (check.checked.executions > 0) /* not while another is replayed */
        cr_expect(check.checked.complete && check.checked.executions == 1, "%s",
                  check.checked.text);
}

Test(gather, as_it_comes_fails_with_three_and_fails_again)
{
    struct logp_check check = {
        .sizes = (int[]){8}, .n_sizes = 1, .seed = 1, .smallest = 2, .name = "as it comes"};
    struct logp_failure failure, again;

    cr_assert_neq(logp_check(as_it_comes, NULL, &check, &failure), 0);
    cr_expect_eq(failure.P, 3);
    cr_expect_str_eq(failure.expression, "numbers[i] == 10 * i");
    cr_expect_eq(logp_check_replay(as_it_comes, NULL, NULL, failure.replay, &again), failure.error);
    cr_expect_str_eq(failure.replay, again.replay);
    logp_failure_free(&failure);
    logp_failure_free(&again);
}
