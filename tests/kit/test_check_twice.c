/* SPDX-License-Identifier: MIT */
/* Runs that the test kit makes twice: programs that depend on something else than their choices. */
#include "kit.h"

static int n_before, n_after;

static int count_before(int P, void *arg)
{
    n_before++;
    return P < 0;
}

static int count_after(const struct logp_report *report, void *arg)
{
    n_after++;
    return 0;
}

/* Rank 0 takes a message from each of the others, whoever comes first; a probe may miss. */
static int look_and_gather(struct logp_vp *vp, void *arg)
{
    bool found;
    const int rc = logp_vp_rank(vp) == 0 ? logp_probe(vp, LOGP_ANY_SOURCE, 0, &found, NULL) : 0;

    return rc == 0 ? gather(vp, arg) : rc;
}

/* The same in every other run; in the others rank 0 goes the other way round. */
static int kept; /* from run to run */
static int forgets(struct logp_vp *vp, void *arg)
{
    int x = 0, rc = 0;

    if (logp_vp_rank(vp) > 0)
        return logp_send(vp, 0, 0, &x, sizeof(x));
    if (kept++ % 2 == 0)
        return look_and_gather(vp, arg);
    for (int i = logp_vp_size(vp) - 1; rc == 0 && i > 0; i--)
        rc = logp_recv(vp, i, 0, &x, sizeof(x), NULL);
    return rc;
}

/* It fails once. */
static int fails_once(struct logp_vp *vp, void *arg)
{
    const int rc = look_and_gather(vp, arg);

    return rc == 0 && logp_vp_rank(vp) == 0 && kept++ == 20 ? -5 : rc;
}

static const struct logp_latency exponential = {.kind = LOGP_LATENCY_EXPONENTIAL};
static const struct logp_network faulty = {
    .params = {.L_ns = 1000, .o_send_ns = 10, .o_recv_ns = 10, .g_ns = 20},
    .latency = &exponential,
    .faults = "dup:0.1,slow:2@0",
    .noise = "exp:300"};

Test(check_twice, the_same_choices_give_the_same_run)
{
    const struct logp_check checks[] = {
        {.strategy = LOGP_STRATEGY_RANDOM, .sends = LOGP_SENDS_VARIED},
        {.strategy = LOGP_STRATEGY_PCT, .sends = LOGP_SENDS_SYNCHRONOUS},
        {.strategy = LOGP_STRATEGY_EXHAUSTIVE},
        {.network = &faulty},
        {.network = &faulty, .strategy = LOGP_STRATEGY_PCT},
    };

    for (size_t i = 0; i < sizeof(checks) / sizeof(checks[0]); i++)
        for (int every = -1; every < 3; every++) {
            struct logp_check check = checks[i];
            TEST_FAILURE f = {.text = NULL};
            uint64_t twice;

            check.sizes = (int[]){4};
            check.n_sizes = 1;
            check.runs = 640;
            check.twice_every = every;
            check.before = count_before;
            check.after = count_after;
            n_before = n_after = 0;
            cr_assert_eq(logp_check(look_and_gather, NULL, &check, &f), 0, "%zu: %s", i, f.text);
            cr_assert(check.checked.runs <= 640);
            cr_assert(check.strategy == LOGP_STRATEGY_EXHAUSTIVE || check.checked.runs == 640);
            twice = every < 0 ? 0 : check.checked.runs / (every == 0 ? 64 : (uint64_t)every);
            if (check.strategy != LOGP_STRATEGY_EXHAUSTIVE)
                cr_assert_eq((uint64_t)n_before, check.checked.runs + twice, "%zu, %d: %d", i,
                             every, n_before);
            cr_assert_eq(n_before, n_after);
        }
}

/* Rank 1 sends with another tag in every other run. */
static int sends_with_two_tags(struct logp_vp *vp, void *arg)
{
    (void)arg;
    return logp_vp_rank(vp) == 1 ? logp_send(vp, 0, 7 + kept++ % 2, NULL, 0) : 0;
}

Test(check_twice, a_fault_that_differs_has_the_tag_of_its_message)
{
    struct logp_check check = check_of(2, LOGP_STRATEGY_EXHAUSTIVE, 0);
    TEST_FAILURE f = {.text = NULL};

    kept = 0;
    check.most_faults.lost = 1;
    check.leaves_messages = true;
    check.twice_every = 1;
    cr_assert_eq(logp_check(sends_with_two_tags, NULL, &check, &f), -ESTALE, "%s", f.text);
    SAYS(f.text,
         "the message of rank 1 to rank 0, tag 7, is lost; in the second run the message of "
         "rank 1 to rank 0, tag 8, is lost");
}

Test(check_twice, a_run_that_depends_on_an_earlier_run_is_found)
{
    struct logp_check check = {.sizes = (int[]){4}, .n_sizes = 1, .name = "forgets"};
    struct logp_check more;
    TEST_FAILURE f = {.text = NULL};
    TEST_FAILURE again = {.text = NULL};
    struct logp_replay *r;

    kept = 0;
    cr_assert_eq(logp_check(forgets, NULL, &check, &f), -ESTALE, "%s", f.text);
    cr_assert_eq(f.kind, LOGP_FAILURE_UNCONTROLLED);
    cr_assert_eq(check.checked.runs, 64);
    cr_assert(f.uncontrolled);
    cr_assert(
        strstr(f.text, "forgets failed with P = 4: two runs with the same choices differ\n") ==
                f.text &&
            strstr(f.text, "\nthe first choice that differs is ") != NULL &&
            strstr(f.text, "; in the second run ") != NULL,
        "%s", f.text);
    /* its replay is as uncontrolled */
    cr_assert_eq(logp_replay_parse(f.replay, &r), 0);
    cr_assert_eq(r->kind, LOGP_FAILURE_UNCONTROLLED);
    logp_replay_free(r);
    cr_assert_eq(logp_check_replay(forgets, NULL, &check, f.replay, &again), -ESTALE);
    cr_assert_eq(again.kind, LOGP_FAILURE_UNCONTROLLED, "%s", again.text);
    cr_assert_eq(logp_check_replay(gather, NULL, &check, f.replay, NULL), 0);
    /* it is not looked for */
    more = check;
    more.twice_every = -1;
    cr_assert_eq(logp_check(forgets, NULL, &more, NULL), 0);
}

Test(check_twice, a_failure_that_does_not_recur_is_the_programs_own)
{
    struct logp_check check = {.sizes = (int[]){3}, .n_sizes = 1};
    TEST_FAILURE f = {.text = NULL};

    kept = 0;
    cr_assert_eq(logp_check(fails_once, NULL, &check, &f), -5);
    cr_assert_eq(f.kind, LOGP_FAILURE_ERROR);
    cr_assert_eq(f.run, 20);
    cr_assert(f.uncontrolled);
    cr_assert(strstr(f.text, "The same choices gave another run: ") != NULL &&
                  strstr(f.text, "the choices are equal, the outcomes differ\n") != NULL,
              "%s", f.text);
}

/* Rank 0 can take two messages first; in later runs, one. */
static int chooses_once(struct logp_vp *vp, void *arg)
{
    int *is_first = arg;
    const int me = logp_vp_rank(vp);
    int rc;

    if (me > 0)
        return logp_send(vp, 0, me == 2 && !*is_first, NULL, 0);
    rc = logp_recv(vp, LOGP_ANY_SOURCE, 0, NULL, 0, NULL);
    if (rc == 0) /* else the search has stopped the run */
        rc = logp_recv(vp, LOGP_ANY_SOURCE, LOGP_ANY_TAG, NULL, 0, NULL);
    *is_first = 0;
    return rc;
}

Test(check_twice, an_exhaustive_search_that_cannot_go_on_says_so)
{
    struct logp_check check = {
        .strategy = LOGP_STRATEGY_EXHAUSTIVE, .sizes = (int[]){3}, .n_sizes = 1, .twice_every = -1};
    TEST_FAILURE f = {.text = NULL};
    int is_first = 1;

    cr_assert_eq(logp_check(chooses_once, &is_first, &check, &f), -ESTALE);
    cr_assert_eq(f.kind, LOGP_FAILURE_UNCONTROLLED);
    cr_assert(f.uncontrolled);
    cr_assert(!check.checked.complete);
    SAYS(f.text, "the first choice that differs is ");
}
