/* SPDX-License-Identifier: MIT */
/* The test kit beside what it finds: bounds, wrong input, assertions, faults. */
#include "kit.h"

#include <stdio.h>
#include <unistd.h>

/* ---- what can be asked for ---- */

static struct logp_checked exhaust(struct logp_check check)
{
    check.sizes = (int[]){5};
    check.n_sizes = 1;
    check.strategy = LOGP_STRATEGY_EXHAUSTIVE;
    cr_assert_eq(logp_check(gather, NULL, &check, NULL), 0);
    return check.checked;
}

Test(check_more, bounds_are_said)
{
    struct logp_checked c = exhaust((struct logp_check){0});

    cr_assert_str_eq(c.text, "24 of 24 executions explored, if processors share only messages and "
                             "touched objects"); /* 4! */
    cr_assert(c.complete);
    c = exhaust((struct logp_check){.runs = 10});
    cr_assert_eq(c.executions, 10);
    cr_assert(!c.complete);
    SAYS(c.text, "limited by runs");
    c = exhaust((struct logp_check){.depth = 1});
    cr_assert_eq(c.executions, 4);
    cr_assert(!c.complete);
    SAYS(c.text, "depth");
}

Test(check_more, pct_says_its_bound)
{
    struct logp_check check = {
        .sizes = (int[]){4}, .n_sizes = 1, .runs = 100, .depth = 1, .strategy = LOGP_STRATEGY_PCT};

    cr_assert_eq(logp_check(gather, NULL, &check, NULL), 0);
    cr_assert_eq(check.checked.chance, 0.25 / 4); /* 1 / P, in one of four runs */
    check.fixed_matches = true;
    cr_assert_eq(logp_check(gather, NULL, &check, NULL), 0);
    cr_assert_eq(check.checked.chance, 0.25);
    check.depth = 2;
    cr_assert_eq(logp_check(gather, NULL, &check, NULL), 0);
    cr_assert_lt(check.checked.chance, 0.25 / 4);
}

Test(check_more, what_does_not_go_together_is_refused)
{
    const struct logp_latency uniform = {.kind = LOGP_LATENCY_UNIFORM};
    const struct logp_latency samples = {.kind = LOGP_LATENCY_SAMPLES};
    const struct logp_network timed = {.params.L_ns = 1000}, wrong_params = {.params.L_ns = -1},
                              wrong_unit = {.unit_ns = 1000}, wrong_faults = {.faults = "drop:2"},
                              wrong_latency = {.latency = &samples},
                              limited = {.rendezvous_from = 9},
                              less_than_none = {.rendezvous_from = -1},
                              untimed_latency = {.undelayed = true, .latency = &uniform},
                              untimed_faults = {.undelayed = true, .faults = "drop:0.1"},
                              untimed_noise = {.undelayed = true, .noise = "fixed:1"};
    const struct {
        struct logp_check check;
        const char *says;
        int error;
    } wrong[] = {
        {{.sizes = (int[]){0}, .n_sizes = 1}, "sizes", -EINVAL},
        {{.sizes = (int[]){2}, .n_sizes = -1}, "n_sizes", -EINVAL},
        {{.strategy = (enum logp_strategy)7}, "strategy", -EINVAL},
        {{.depth = -1}, "depth", -EINVAL},
        {{.misses = -1}, "misses", -EINVAL},
        {{.time_ns = -1}, "time_ns", -EINVAL},
        {{.timeout_ns = -1}, "timeout_ns", -EINVAL},
        {{.smallest = -1}, "smallest", -EINVAL},
        {{.sends = (enum logp_sends)9}, "sends", -EINVAL},
        {{.sends = LOGP_SENDS_LIMITED, .network = &less_than_none}, "rendezvous_from", -EINVAL},
        {{.network = &limited}, "rendezvous_from only with", -EINVAL},
        {{.strategy = LOGP_STRATEGY_EXHAUSTIVE, .network = &timed}, "EXHAUSTIVE", -EINVAL},
        {{.strategy = LOGP_STRATEGY_EXHAUSTIVE, .sends = LOGP_SENDS_VARIED}, "sends", -EINVAL},
        {{.network = &untimed_latency}, "latency: only with network parameters", -EINVAL},
        {{.network = &untimed_faults}, "faults: only with network parameters", -EINVAL},
        {{.network = &untimed_noise}, "noise: only with network parameters", -EINVAL},
        {{.network = &wrong_faults}, "drop:2: after a colon a probability", -EINVAL},
        {{.network = &wrong_latency}, "latency: ", -EINVAL},
        {{.network = &wrong_unit}, "unit_ns", -EINVAL},
        {{.network = &wrong_params}, "params", -EINVAL},
        {{.name = "two\nlines"}, "name", -EINVAL},
        {{.all_received = true, .leaves_messages = true}, "leaves_messages", -EINVAL},
        {{.size = 3}, "size", -EINVAL},
        {{.size = SIZE_MAX}, "size", -E2BIG},
        {{.executor = "none"}, "executor: thread or fiber, not none", -ENOENT},
    };

    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        struct logp_check check = wrong[i].check;
        TEST_FAILURE f = {.text = NULL};

        cr_expect_eq(logp_check(gather, NULL, &check, &f), wrong[i].error, "%zu", i);
        cr_expect(strstr(check.checked.text, wrong[i].says) != NULL, "%zu: %s", i,
                  check.checked.text);
        cr_expect(strstr(f.text, wrong[i].says) != NULL, "%zu: %s", i, f.text);
        cr_expect_eq(f.kind, LOGP_FAILURE_NONE);
        cr_expect_eq(f.text[strlen(f.text) - 1], '\n');
        cr_expect_eq(logp_check(gather, NULL, &check, NULL), wrong[i].error, "%zu", i);
    }
    cr_expect_eq(logp_check(NULL, NULL, NULL, NULL), -EINVAL);
}

Test(check_more, what_is_no_replay_is_refused)
{
    const char *const wrong[] = {
        "",
        "logp-replay\n",
        "logp-replay 5\r",
        "logp-replay 5\n",
        "logp-replay 5\nprocessors 2\n",
        "logp-replay 5\nprocessors -1\nchoices 0\n",
        "logp-replay 5\nprocessors 2\nchoices 2 5=1\n",
        "logp-replay 5\nprocessors 2\nchoices 1 0=x\n",
        "logp-replay 5\nprocessors 2\nfruit 3\nchoices 0\n",
        "logp-replay 5\nprocessors 2\nvary everything\nchoices 0\n",
        "logp-replay 5\nprocessors 2\nparams 1 2\nchoices 0\n",
        "logp-replay 5\nprocessors 2\nlatency 4 1\nchoices 0\n",
        "logp-replay 6\nprocessors 2\nchoices 0\n",
        "logp-replay 6\nprocessors 2\nchoices 0\nen",
        "logp-replay 6\nprocessors 2\nend\nchoices 0\n",
    };

    struct logp_failure f;

    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
        cr_assert_eq(logp_check_replay(gather, NULL, NULL, wrong[i], NULL), -EINVAL, "%s",
                     wrong[i]);
    cr_assert_eq(logp_check_replay(gather, NULL, NULL, NULL, NULL), -EINVAL);
    cr_assert_eq(logp_check_replay(gather, NULL, NULL, wrong[8], &f), -EINVAL);
    cr_expect_str_eq(f.text, "line 3 is not a line of a replay\n");
    logp_failure_free(&f);
    cr_assert_eq(logp_check_replay(gather, NULL, NULL, "logp-replay 1\n", &f), -EPROTONOSUPPORT);
    cr_expect_str_eq(f.text, "a replay of version 1; this library knows 6\n");
    logp_failure_free(&f);
    cr_assert_eq(logp_check_replay(gather, NULL, NULL, "logp-replay 1\n", NULL), -EPROTONOSUPPORT);
    cr_assert_eq(logp_check_replay(gather, NULL, NULL,
                                   "logp-replay 5\nprocessors 3\nvary untimed order\nmisses 3\n"
                                   "choices 1 0=7\n",
                                   NULL),
                 -ESTALE);
    cr_assert_eq(logp_check_replay(gather, NULL, NULL,
                                   "logp-replay 5\nprocessors 3\nvary untimed order\nchoices 0\n",
                                   NULL),
                 0);
}

static int fails_at_once(struct logp_vp *vp, void *arg)
{
    LOGP_CHECK(vp, logp_vp_rank(vp) != 1);
    return logp_vp_rank(vp) == 1 ? 0 : logp_recv(vp, 1, 0, NULL, 0, NULL);
}

Test(check_more, an_assertion_ends_the_run_whatever_the_program_returns)
{
    struct logp_check check = {.replay_file = "/tmp/logp-test-replay", .name = "at once"};
    TEST_FAILURE f = {.text = NULL};
    char path[64], *text;

    snprintf(path, sizeof(path), "/tmp/logp-test-replay.%d", (int)getpid());
    check.replay_file = path;
    cr_assert_eq(logp_check(fails_at_once, NULL, &check, &f), -EPROTO);
    cr_assert_eq(f.kind, LOGP_FAILURE_ASSERTED);
    cr_assert_eq(f.rank, 1);
    cr_assert_str_eq(f.expression, "logp_vp_rank(vp) != 1");
    cr_assert(strstr(f.file, "test_check_more.c") != NULL);
    cr_assert_eq(logp_replay_read(path, &text), 0);
    cr_assert_str_eq(text, f.replay);
    free(text);
    unlink(path);
    cr_assert_eq(logp_replay_read("/no/such/file", &text), -ENOENT);
}

static int fails_in_words(struct logp_vp *vp, void *arg)
{
    int c = 0;

    if (logp_vp_rank(vp) == 0)
        return logp_recv(vp, LOGP_ANY_SOURCE, 0, &c, sizeof(c), NULL) != 0 || c != 2
                   ? 0
                   : LOGP_FAIL(vp, "rank 2 was first");
    c = logp_vp_rank(vp);
    return logp_send(vp, 0, 0, &c, sizeof(c));
}

Test(check_more, a_failure_in_words_is_found_and_replayed)
{
    struct logp_check check = {.sizes = (int[]){3}, .n_sizes = 1, .leaves_messages = true};
    struct logp_failure f, again;

    cr_assert_eq(logp_check(fails_in_words, NULL, &check, &f), -EPROTO);
    cr_assert_eq(f.kind, LOGP_FAILURE_ASSERTED);
    cr_assert_eq(f.rank, 0);
    cr_assert(f.expression == NULL);
    cr_assert(strstr(f.text, "program failed with P = 3: rank 2 was first\n") == f.text, "%s",
              f.text);
    SAYS(f.text, "test_check_more.c:");
    cr_assert(strstr(f.text, "does not hold") == NULL, "%s", f.text);
    cr_assert_eq(logp_check_replay(fails_in_words, NULL, &check, f.replay, &again), -EPROTO);
    ALIKE(again.text, f.text);
    logp_failure_free(&again);
    logp_failure_free(&f);
}

/* ---- faults ---- */

static int in_a_row(struct logp_vp *vp, void *arg)
{
    for (int i = 0; i < 4; i++)
        TRY(logp_vp_rank(vp) == 1   ? logp_send(vp, 0, i, &i, sizeof(i))
            : logp_vp_rank(vp) == 0 ? logp_recv(vp, 1, i, &i, sizeof(i), NULL)
                                    : 0);
    return 0;
}

/* One message that is lost is enough, of all that happens. */
Test(check_more, a_failure_keeps_the_faults_that_it_takes)
{
    struct logp_network network = {
        .params = {.L_ns = 600, .o_send_ns = 20, .o_recv_ns = 30, .g_ns = 40},
        .faults = "delay:3,drop:0.5;dup:0.3,slow:2@0..1",
        .noise = "uniform:50"};
    struct logp_check check = {
        .sizes = (int[]){5}, .n_sizes = 1, .smallest = 2, .network = &network};
    struct logp_failure f, again;

    for (check.seed = 0; check.seed < 10; check.seed++) {
        cr_assert_eq(logp_check(in_a_row, NULL, &check, &f), -EDEADLK);
        cr_assert_eq(f.P, 2);
        cr_assert_eq(f.n_deviations, 1, "%s", f.text);
        SAYS(f.text, "\nfaults: drop:0.5\n");
        cr_assert(strstr(f.text, "noise") == NULL, "%s", f.text);
        SAYS(f.text, ": drop affects message ");
        for (int i = 0; i < 10; i++) {
            const struct logp_check how = {.executor = i < 8 ? "fiber" : "thread"};

            cr_assert_eq(logp_check_replay(in_a_row, NULL, &how, f.replay, &again), -EDEADLK);
            ALIKE(f.text, again.text);
            cr_assert_str_eq(f.replay, again.replay);
            logp_failure_free(&again);
        }
        logp_failure_free(&f);
    }
    network.faults = "drop:2";
    cr_assert_eq(logp_check(in_a_row, NULL, &check, NULL), -EINVAL);
    SAYS(check.checked.text, "drop");
    network.undelayed = true;
    network.faults = "drop:0.5";
    cr_assert_eq(logp_check(in_a_row, NULL, &check, NULL), -EINVAL);
}

static int around(struct logp_vp *vp, void *arg)
{
    const int me = logp_vp_rank(vp), P = logp_vp_size(vp);
    int x = me, rc = 0;

    for (int i = 0; rc == 0 && i < 5; i++) {
        rc = logp_send(vp, (me + 1) % P, i, &x, sizeof(x));
        rc = rc != 0 ? rc : logp_recv(vp, (me + P - 1) % P, i, &x, sizeof(x), NULL);
    }
    return rc;
}

/* Who goes next says which choice is the strike's; it takes none of that. */
Test(check_more, a_strike_needs_no_other_order_than_the_usual_one)
{
    const struct logp_network network = {.params = test_6us, .faults = "drop:1e-2"};
    struct logp_check check = {.network = &network};
    struct logp_failure f;

    for (check.seed = 0; check.seed < 50; check.seed++) {
        cr_assert_eq(logp_check(around, NULL, &check, &f), -EDEADLK);
        cr_assert_eq(f.n_deviations, 1, "%s", f.text);
        logp_failure_free(&f);
    }
}
