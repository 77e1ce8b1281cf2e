/* SPDX-License-Identifier: MIT */
/* The test kit: labels that runs reach. */
#include "kit.h"

static int first_of_two(struct logp_vp *vp, void *arg)
{
    int first = 0, x = logp_vp_rank(vp), rc = 0;

    if (x > 0)
        return logp_send(vp, 0, 0, &x, sizeof(x));
    for (int i = 1; rc == 0 && i < logp_vp_size(vp); i++) {
        rc = logp_recv(vp, LOGP_ANY_SOURCE, 0, &x, sizeof(x), NULL);
        first = i == 1 ? x : first;
    }
    if (first == 2)
        LOGP_REACHED(vp, "rank 2 is first");
    if (first == 3)
        LOGP_REACHED(vp, "rank 3 is first");
    return rc != 0 || arg == NULL ? rc : LOGP_CHECK_NE(vp, first, 2);
}

static const char *const labels[] = {"rank 2 is first", "rank 3 is first"};

Test(check_labels, each_label_has_the_number_of_its_runs)
{
    struct logp_check check = check_of(3, LOGP_STRATEGY_EXHAUSTIVE, 0);
    TEST_FAILURE f = {.text = NULL};

    check.labels = labels;
    check.n_labels = 2;
    check.twice_every = 1; /* repeated runs do not count */
    cr_assert_eq(logp_check(first_of_two, NULL, &check, &f), 0);
    SAYS(f.text, "reached in 1 of 2 runs: rank 2 is first\n");
    SAYS(f.text, "never reached, so the check may check nothing: rank 3 is first\n");
    SAYS(check.checked.text, "; never reached: rank 3 is first");
}

Test(check_labels, a_failure_has_them_too)
{
    struct logp_check check = check_of(4, LOGP_STRATEGY_RANDOM, 1000);
    TEST_FAILURE f = {.text = NULL};

    cr_assert_eq(logp_check(first_of_two, &check, &check, &f), -EPROTO);
    SAYS(f.text, "reached in 1 of ");
    cr_assert(strstr(f.text, "never reached") == NULL, "%s", f.text);
}

Test(check_labels, a_search_that_still_finds_outcomes_says_so)
{
    struct logp_check check = check_of(9, LOGP_STRATEGY_RANDOM, 1000);

    passes(first_of_two, NULL, &check);
    SAYS(check.checked.text, "; new outcomes still come: more runs, or exhaustive with depth");
    check = check_of(3, LOGP_STRATEGY_RANDOM, 1000);
    passes(first_of_two, NULL, &check);
    cr_assert(strstr(check.checked.text, "still come") == NULL, "%s", check.checked.text);
}
