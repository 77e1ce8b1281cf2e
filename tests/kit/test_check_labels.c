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

Test(check_labels, all_that_are_not_reached_are_named)
{
    static const char *many[20];
    static char names[20][32];
    struct logp_check check = check_of(3, LOGP_STRATEGY_EXHAUSTIVE, 0);

    for (int i = 0; i < 20; i++) {
        snprintf(names[i], sizeof(names[i]), "another leader, number %d", i);
        many[i] = names[i];
    }
    check.labels = many;
    check.n_labels = 3;
    passes(first_of_two, NULL, &check);
    SAYS(check.checked.text,
         "; never reached: another leader, number 0, another leader, number 1, another "
         "leader, number 2");
    check.n_labels = 20;
    passes(first_of_two, NULL, &check);
    SAYS(check.checked.text, "another leader, number 4 and 15 more");
}

/* A label must be reached, and a failure that says that it was not says it once. */
Test(check_labels, a_label_that_must_be_reached_is_named_once)
{
    struct logp_check check = check_of(3, LOGP_STRATEGY_EXHAUSTIVE, 0);
    TEST_FAILURE f = {.text = NULL};

    check.must_reach = labels;
    check.n_must_reach = 1;
    check.labels = labels + 1;
    check.n_labels = 1;
    cr_assert_eq(logp_check(first_of_two, NULL, &check, &f), -ELOOP);
    SAYS(f.text, "rank 2 is first: not reached, though the run has ended");
    SAYS(f.text, "never reached, so the check may check nothing: rank 3 is first\n");
    cr_assert(strstr(f.text, "nothing: rank 2") == NULL, "%s", f.text);
}

enum { MANY = 70 };

/* The argument: how many labels */
static int reaches_many(struct logp_vp *vp, void *arg)
{
    const int *n = arg;
    char label[32];

    for (int i = 0; i < *n; i++) {
        snprintf(label, sizeof(label), "label %d", i);
        LOGP_REACHED(vp, label);
    }
    return 0;
}

Test(check_labels, more_labels_than_are_counted_are_told)
{
    for (int cores = 1; cores <= 2; cores++)
        for (int n = 64; n <= MANY; n += MANY - 64)
            for (enum logp_strategy i = LOGP_STRATEGY_RANDOM; i <= LOGP_STRATEGY_DELAYS; i++) {
                struct logp_check check = check_of(2, i, 20);
                TEST_FAILURE f = {.text = NULL};

                check.cores = cores;
                cr_assert_eq(logp_check(reaches_many, &n, &check, &f), 0);
                SAYS(f.text, ": label 63\n");
                cr_assert_eq(strstr(f.text, "the program reached more labels; only the first 64 "
                                            "are counted\n") != NULL,
                             n > 64, "%d: %s", n, f.text);
            }
}

Test(check_labels, a_check_names_no_more_than_are_counted)
{
    static const char *many[MANY];
    static char names[MANY][32];
    int n = 0;

    for (int i = 0; i < MANY; i++) {
        snprintf(names[i], sizeof(names[i]), "label %d", i);
        many[i] = names[i];
    }
    for (int more = 0; more < 2; more++) {
        struct logp_check check = check_of(2, LOGP_STRATEGY_RANDOM, 1);

        check.labels = many;
        check.n_labels = 64;
        check.must_reach = many + more;
        check.n_must_reach = 64;
        n = 64;
        cr_assert_eq(logp_check(reaches_many, &n, &check, NULL), more == 0 ? 0 : -EINVAL);
        if (more > 0)
            cr_assert_str_eq(check.checked.text,
                             "labels, must_reach: 64 different ones at most, in both together");
    }
}

static int reaches_odd(struct logp_vp *vp, void *arg)
{
    LOGP_REACHED(vp, "new\nline\x1b[31m \xc3\xa9\xc2\x9b");
    return arg != NULL ? -EPROTO : 0;
}

/* A text of the program neither moves the cursor of a terminal nor looks like another line. */
Test(check_labels, control_characters_are_shown)
{
    static const char *const odd[] = {"a\nb\x1b[2J"};
    struct logp_check check = check_of(2, LOGP_STRATEGY_RANDOM, 1);
    TEST_FAILURE f = {.text = NULL};
    TEST_FAILURE must = {.text = NULL};

    check.labels = odd;
    check.n_labels = 1;
    cr_assert_eq(logp_check(reaches_odd, NULL, &check, &f), 0);
    SAYS(f.text, ": new\\nline\\x1b[31m \xc3\xa9\\xc2\\x9b\n");
    SAYS(f.text, "check nothing: a\\nb\\x1b[2J\n");
    SAYS(check.checked.text, "never reached: a\\nb\\x1b[2J");
    check.must_reach = odd;
    check.n_must_reach = 1;
    cr_assert_eq(logp_check(reaches_odd, NULL, &check, &must), -ELOOP);
    SAYS(must.text, ": a\\nb\\x1b[2J: not reached");
}

/* One label is named by no field, so a process of the check tells it. */
static int labelled_runs(struct logp_vp *vp, void *arg)
{
    int n = 0;

    for (int i = 0; i < 6; i++)
        n = 2 * n + (logp_choose(vp, 2) == 1);
    if (logp_vp_rank(vp) == 0)
        LOGP_REACHED(vp, "commit");
    if (n == 5 + logp_vp_rank(vp))
        LOGP_REACHED(vp, "five or six");
    return arg == NULL ? 0 : LOGP_CHECK_NE(vp, n, 63);
}

Test(check_labels, runs_of_all_processes_count)
{
    static const char *const commit[] = {"commit"};

    for (int i = 0; i < 4; i++) {
        const bool exhaustive = i % 2 != 0, fails = i / 2 != 0;
        char texts[2][4096] = {"", ""};

        for (int cores = 1; cores <= 2; cores++) {
            struct logp_check check =
                check_of(2, exhaustive ? LOGP_STRATEGY_EXHAUSTIVE : LOGP_STRATEGY_RANDOM, 1000);
            TEST_FAILURE f = {.text = NULL};
            const char *at;

            check.runs = exhaustive ? 0 : 1000;
            check.must_reach = check.labels = commit;
            check.n_must_reach = check.n_labels = 1;
            check.cores = cores;
            check.smallest = 1;
            check.strategy = exhaustive ? LOGP_STRATEGY_EXHAUSTIVE : LOGP_STRATEGY_PCT;
            cr_assert_eq(logp_check(labelled_runs, fails ? &check : NULL, &check, &f),
                         fails ? -EPROTO : 0);
            at = strstr(f.text, "reached in ");
            cr_assert_not_null(at, "%d: %s", i, f.text);
            snprintf(texts[cores - 1], sizeof(texts[0]), "%s", at);
            cr_assert(strstr(f.text, "never reached") == NULL, "%d: %s", i, f.text);
            cr_assert(fails || strstr(f.text, ": five or six") != NULL, "%d: %s", i, f.text);
        }
        cr_assert_str_eq(texts[0], texts[1], "%d", i);
    }
}

enum { FIRST = 6, ALL = 12, SEEDS = 11 };

/* One of 2^6 runs comes to the label, and one of 2^12 fails. */
static int two_locks(struct logp_vp *vp, void *arg)
{
    const bool *has_label = arg;
    int n = 0;

    for (int i = 0; i < ALL && n == i; i++) {
        n += logp_choose(vp, 2) == 1;
        if (n == FIRST && i + 1 == FIRST && *has_label)
            LOGP_REACHED(vp, "the first lock is open");
    }
    return LOGP_CHECK(vp, n < ALL);
}

static int compare_runs(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return x < y ? -1 : x > y;
}

static uint64_t median_runs(bool has_label, int cores)
{
    uint64_t runs[SEEDS];

    for (int i = 0; i < SEEDS; i++) {
        struct logp_check check = check_of(1, LOGP_STRATEGY_RANDOM, 100000);

        check.seed = (uint64_t)i + 1;
        check.as_found = true;
        check.cores = cores;
        cr_assert_eq(logp_check(two_locks, &has_label, &check, NULL), -EPROTO);
        runs[i] = check.checked.runs;
    }
    qsort(runs, SEEDS, sizeof(runs[0]), compare_runs);
    return runs[SEEDS / 2];
}

Test(check_labels, what_comes_after_a_rare_label_is_tried_more_often)
{
    const uint64_t without = median_runs(false, 1);

    cr_assert_lt(4 * median_runs(true, 1), without);
    cr_assert_eq(median_runs(true, 2), without); /* processes do not know each other's runs */
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
