/* SPDX-License-Identifier: MIT */
/* A whole check: the replays that come first, and what it says of each size. */
#include "kit.h"

#include <stdio.h>
#include <unistd.h>

/* ---- regressions ---- */

static bool is_mended, makes_other_choices, has_other_tag;

/* Rank 0 takes the first message for that of rank 1. */
static int race(struct logp_vp *vp, void *arg)
{
    const int P = logp_vp_size(vp);
    const int tag = has_other_tag ? 4 : 3;
    int x = 0, rc = 0;

    if (logp_vp_rank(vp) > 0)
        return makes_other_choices ? 0 : logp_send(vp, 0, tag, &x, sizeof(x));
    for (int i = 1; rc == 0 && i < P && !makes_other_choices; i++) {
        struct logp_status status;

        rc = logp_recv(vp, LOGP_ANY_SOURCE, tag, &x, sizeof(x), &status);
        if (rc == 0 && !is_mended)
            rc = LOGP_CHECK_EQ(vp, status.source, i);
    }
    return rc;
}

static char folder[64], file[128];

static void leave(const char *name, const char *text)
{
    FILE *f;

    snprintf(file, sizeof(file), "%s/%s", folder, name);
    f = fopen(file, "w");
    cr_assert(f != NULL);
    fputs(text, f);
    fclose(f);
}

/* A failure of `race` in a folder of its own. */
static void leave_race(void)
{
    struct logp_check check = {.sizes = (int[]){3}, .n_sizes = 1, .name = "race"};
    TEST_FAILURE f = {.text = NULL};

    strcpy(folder, "/tmp/logp-regressions-XXXXXX");
    cr_assert(mkdtemp(folder) != NULL);
    is_mended = makes_other_choices = false;
    cr_assert_eq(logp_check(race, NULL, &check, &f), -EPROTO);
    leave("race.replay", f.replay);
}

static void remove_folder(void)
{
    char command[96];

    snprintf(command, sizeof(command), "rm -r %s", folder);
    cr_assert_eq(system(command), 0);
}

static int check_race(struct logp_check *check, struct logp_failure *f)
{
    static const int sizes[] = {2, 3};

    *check = (struct logp_check){.sizes = sizes,
                                 .n_sizes = 2,
                                 .runs = 10,
                                 .fixed_matches = true, /* only the replay finds it */
                                 .fixed_order = true,
                                 .name = "race",
                                 .regressions = folder};
    return logp_check(race, NULL, check, f);
}

/* Without the line that says what the choices were. */
static void forget_chosen(char *replay)
{
    char *from = strstr(replay, "chosen "), *to;

    cr_assert(from != NULL, "%s", replay);
    to = strchr(from, '\n') + 1;
    memmove(from, to, strlen(to) + 1);
}

Test(check_search, a_replay_knows_what_its_choices_were)
{
    struct logp_check check = {
        .sizes = (int[]){3}, .n_sizes = 1, .name = "race", .strategy = LOGP_STRATEGY_EXHAUSTIVE};
    TEST_FAILURE f = {.text = NULL};

    is_mended = makes_other_choices = false;
    cr_assert_eq(logp_check(race, NULL, &check, &f), -EPROTO);
    cr_assert_eq(logp_check_replay(race, NULL, &check, f.replay, NULL), -EPROTO);
    is_mended = true;
    cr_assert_eq(logp_check_replay(race, NULL, &check, f.replay, NULL), 0);
    makes_other_choices = true;
    cr_assert_eq(logp_check_replay(race, NULL, &check, f.replay, NULL), -ESTALE);
    has_other_tag = true; /* as many choices, but others */
    makes_other_choices = false;
    cr_assert_eq(logp_check_replay(race, NULL, &check, f.replay, NULL), -ESTALE);
    forget_chosen(f.replay);
    cr_assert_eq(logp_check_replay(race, NULL, &check, f.replay, NULL), 0);
    has_other_tag = false;
}

Test(check_search, a_regression_is_run_first)
{
    struct logp_check check;
    TEST_FAILURE f = {.text = NULL};

    leave_race();
    cr_assert_eq(check_race(&check, &f), -EPROTO, "%s", f.text);
    cr_assert_eq(f.kind, LOGP_FAILURE_ASSERTED);
    cr_assert_eq(f.P, 3);
    cr_assert_eq(check.checked.runs, 0);
    cr_assert_eq(check.checked.regressions, 1);
    cr_assert_eq(check.checked.fixed, 0);
    cr_assert(strstr(f.text, "to repeat it: logp replay ") != NULL && strstr(f.text, file) != NULL,
              "%s", f.text);
    SAYS(check.checked.text, "failed in a regression: /tmp/");
    remove_folder();
}

Test(check_search, a_regression_that_is_fixed_is_reported)
{
    struct logp_check check;
    struct logp_failure f;

    leave_race();
    is_mended = true;
    cr_assert_eq(check_race(&check, &f), 0, "%s", f.text);
    cr_assert_eq(f.kind, LOGP_FAILURE_NONE);
    cr_assert(strstr(f.text,
                     "race.replay does not fail any more: with the same choices, it is fixed\n") !=
                  NULL,
              "%s", f.text);
    cr_assert_eq(check.checked.runs, 20);
    cr_assert_eq(check.checked.fixed, 1);
    SAYS(check.checked.text, "20 runs; 1 of 1 regressions fixed");
    logp_failure_free(&f);
    makes_other_choices = true;
    cr_assert_eq(check_race(&check, &f), 0, "%s", f.text);
    SAYS(f.text, "race.replay does not count any more: ");
    cr_assert_eq(check.checked.regressions, 1);
    cr_assert_eq(check.checked.fixed, 0);
    logp_failure_free(&f);
    remove_folder();
}

Test(check_search, only_replays_of_the_program_are_regressions)
{
    struct logp_check check;
    TEST_FAILURE f = {.text = NULL};

    leave_race();
    leave("a.replay", "logp-replay 5\nprogram other\nprocessors 3\nchoices 0\n");
    leave("b.replay", "logp-replay 5\nprogram race\nprocessors 4\nchoices 0\n");
    leave("notes.txt", "nothing\n");
    cr_assert_eq(check_race(&check, &f), -EPROTO, "%s", f.text);
    cr_assert_eq(check.checked.regressions, 1);
    remove_folder();
}

Test(check_search, what_is_no_regression_is_refused)
{
    struct logp_check check;
    struct logp_failure f;

    leave_race();
    leave("a.replay", "nothing\n");
    cr_assert_eq(check_race(&check, &f), -EINVAL, "%s", f.text);
    cr_assert(strstr(f.text, "race cannot be checked: regressions: /tmp/") != NULL &&
                  strstr(f.text, "a.replay: line 1 is not a line of a replay\n") != NULL,
              "%s", f.text);
    logp_failure_free(&f);
    leave("a.replay", "logp-replay 2\nprogram race\nprocessors 3\nchoices 0\n");
    cr_assert_eq(check_race(&check, &f), -EPROTONOSUPPORT, "%s", f.text);
    SAYS(f.text, "a replay of version 2");
    logp_failure_free(&f);
    remove_folder();
    cr_assert_eq(check_race(&check, &f), -ENOENT, "%s", f.text);
    SAYS(check.checked.text, "No such file");
    logp_failure_free(&f);
    setenv("LOGP_CHECK_REGRESSIONS", "/none", 1);
    check.regressions = NULL;
    cr_assert_eq(logp_check(race, NULL, &check, &f), -ENOENT, "%s", f.text);
    SAYS(f.text, "/none");
    unsetenv("LOGP_CHECK_REGRESSIONS");
    logp_failure_free(&f);
}

/* ---- what each size has had ---- */

/* Each vp touches an object of its own, and then one object twice: (2 P)! / 2^P orders. */
static int touches(struct logp_vp *vp, void *arg)
{
    logp_shared_touch(vp, 1 + logp_vp_rank(vp));
    logp_shared_touch(vp, 0);
    return logp_shared_touch(vp, 0);
}

/* 3 x 4 choices, and a poll that may miss once. */
static int picks(struct logp_vp *vp, void *arg)
{
    bool found;

    if (logp_vp_rank(vp) > 0)
        return logp_send(vp, 0, 0, NULL, 0);
    logp_choose(vp, 3);
    logp_choose(vp, 4);
    TRY(logp_probe(vp, 1, 0, &found, NULL));
    return logp_recv(vp, 1, 0, NULL, 0, NULL);
}

Test(check_search, outcomes_are_the_executions_of_an_exhaustive_check)
{
    const struct {
        logp_program program;
        int P;
        uint64_t outcomes;
    } all[] = {/* (P-1)! orders of messages */
               {gather, 2, 1},  {gather, 4, 6},   {gather, 6, 120},
               {touches, 2, 6}, {touches, 3, 90}, {picks, 2, 24}};

    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
        for (int strategy = LOGP_STRATEGY_RANDOM; strategy <= LOGP_STRATEGY_EXHAUSTIVE;
             strategy++) {
            struct logp_check check = {.sizes = &all[i].P,
                                       .n_sizes = 1,
                                       .runs = 20000,
                                       .strategy = (enum logp_strategy)strategy};
            const struct logp_checked *c = &check.checked;

            cr_assert_eq(logp_check(all[i].program, NULL, &check, NULL), 0);
            cr_assert_eq(c->n_by_size, 1);
            cr_assert_eq(c->by_size[0].P, all[i].P);
            cr_assert_eq(c->by_size[0].runs, c->runs);
            cr_assert_eq(c->by_size[0].outcomes, all[i].outcomes, "%zu, strategy %d: %d", i,
                         strategy, (int)c->by_size[0].outcomes);
            cr_assert_lt(c->by_size[0].last_new, c->runs);
            if (strategy == LOGP_STRATEGY_EXHAUSTIVE)
                cr_assert_eq(c->executions, all[i].outcomes);
        }
}

Test(check_search, the_text_has_the_outcomes_of_each_size)
{
    struct logp_check check = {.sizes = (int[]){2, 3}, .n_sizes = 2, .runs = 100};

    cr_assert_eq(logp_check(gather, NULL, &check, NULL), 0);
    SAYS(check.checked.text, "200 runs; P = 2: 1 outcome; "
                             "P = 3: 2 outcomes, the last new in run ");
}

static int takes_a_millisecond(struct logp_vp *vp, void *arg)
{
    return logp_vp_rank(vp) == 0 ? usleep(1000) : 0;
}

/* Without shares the first size would take all of the time, and the others have one run each. */
Test(check_search, sizes_share_the_time)
{
    struct logp_check check = {
        .sizes = (int[]){1, 2, 3}, .n_sizes = 3, .runs = UINT64_MAX, .time_ns = 300000000};

    cr_assert_eq(logp_check(takes_a_millisecond, NULL, &check, NULL), 0);
    cr_assert_eq(check.checked.n_by_size, 3);
    for (int i = 0; i < 3; i++)
        cr_assert_gt(check.checked.by_size[i].runs, 1);
    /* what a size leaves is for the others */
    check.runs = 1;
    cr_assert_eq(logp_check(takes_a_millisecond, NULL, &check, NULL), 0);
    cr_assert_eq(check.checked.runs, 3);
}

/* ---- messages that are left over ---- */

static int leaves_one(struct logp_vp *vp, void *arg)
{
    return logp_vp_rank(vp) == 1 ? logp_send(vp, 0, 7, NULL, 0) : 0;
}

Test(check_search, a_message_that_is_left_over_is_a_failure)
{
    const struct logp_network faulty = {.params = test_6us, .faults = "dup:0.5"};
    const struct {
        struct logp_check check;
        int rc;
    } all[] = {
        {{.runs = 2}, -EBADMSG},
        {{.runs = 2, .strategy = LOGP_STRATEGY_PCT}, -EBADMSG},
        {{.strategy = LOGP_STRATEGY_EXHAUSTIVE}, -EBADMSG},
        {{.runs = 2, .sends = LOGP_SENDS_BUFFERED, .leaves_messages = true}, 0},
        {{.runs = 2, .network = &faulty}, 0}, /* faults double messages, and lose receivers */
        {{.runs = 2, .network = &faulty, .all_received = true}, -EBADMSG},
    };

    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
        struct logp_check check = all[i].check;
        struct logp_failure f, again;

        cr_assert_eq(logp_check(leaves_one, NULL, &check, &f), all[i].rc, "%zu: %s", i, f.text);
        if (all[i].rc != 0) {
            cr_assert_eq(f.kind, LOGP_FAILURE_LEFT_OVER);
            cr_assert_eq(f.n_left_over, 1, "%zu: %s", i, f.text);
            SAYS(f.text, "1 message was never received\n  from rank ");
            cr_assert_eq(logp_check_replay(leaves_one, NULL, &check, f.replay, &again), -EBADMSG);
            ALIKE(again.text, f.text);
            logp_failure_free(&again);
        }
        logp_failure_free(&f);
    }
}

/* ---- the report of an untimed failure ---- */

enum { BACKWARDS = 1 };

/* Rank 0 sends two messages, and rank 1 fails when it has both. Its receives are posted; with BACKWARDS
 * it waits for the second one first. */
static int send_two(struct logp_vp *vp, void *arg)
{
    const int how = *(const int *)arg;
    const int tags[2] = {3, how == BACKWARDS ? 3 : 4};
    struct logp_request *requests[2];
    int x = 0, y = 0;

    if (logp_vp_rank(vp) == 0) {
        for (int i = 0; i < 2; i++)
            TRY(logp_send(vp, 1, tags[i], &i, sizeof(i)));
        return 0;
    }
    TRY(logp_irecv(vp, 0, tags[0], &x, sizeof(x), &requests[0]));
    TRY(logp_irecv(vp, 0, tags[1], &y, sizeof(y), &requests[1]));
    for (int i = 1; i >= 0; i--)
        TRY(logp_wait(vp, requests[i], NULL));
    return LOGP_CHECK_EQ(vp, x, y);
}

static void check_two(int how, const char *second, const char *first)
{
    struct logp_check check = {.sizes = (int[]){2}, .n_sizes = 1, .fixed_order = true};
    TEST_FAILURE f = {.text = NULL};

    cr_assert_eq(logp_check(send_two, &how, &check, &f), -EPROTO);
    SAYS(f.text, "    step 1: send to rank 1, tag 3, 4 bytes\n");
    cr_assert(strstr(f.text, second) != NULL && strstr(f.text, first) != NULL, "%s", f.text);
    cr_assert(strstr(f.text, " ns ") == NULL, "%s", f.text);
    SAYS(f.replay, "\nsteps 200000\n");
}

Test(check_search, a_receive_is_joined_to_its_send)
{
    check_two(0, "    step 3: receive of rank 0, tag 4, 4 bytes, sent in step 2\n",
              "    step 4: receive of rank 0, tag 3, 4 bytes, sent in step 1\n");
}

/* The one that is waited for first is the second one: which send it had is not told, rather than told
 * wrongly. */
Test(check_search, a_receive_that_may_have_another_send_is_not_joined)
{
    check_two(BACKWARDS, "    step 3: receive of rank 0, tag 3, 4 bytes\n",
              "    step 4: receive of rank 0, tag 3, 4 bytes\n");
}

/* Rank 0 receives one message of rank 1 and many of rank 2, which fails only if that of rank 1 comes last. */
static int one_is_slow(struct logp_vp *vp, void *arg)
{
    enum { MANY = 30 };
    const int rank = logp_vp_rank(vp);
    struct logp_status from;
    int rc = 0, x = 0;

    for (int i = 0; rc == 0 && rank == 2 && i < MANY; i++)
        rc = logp_send(vp, 0, 0, &x, sizeof(x));
    if (rank == 1)
        return logp_send(vp, 0, 0, &x, sizeof(x));
    for (int i = 0; rc == 0 && rank == 0 && i < MANY + 1; i++)
        rc = logp_recv(vp, LOGP_ANY_SOURCE, 0, &x, sizeof(x), &from);
    return rank == 0 && rc == 0 ? LOGP_CHECK_NE(vp, from.source, 1) : rc;
}

Test(check_search, random_runs_have_slow_links)
{
    for (uint64_t seed = 1; seed <= 11; seed++) {
        struct logp_check check = {
            .size = sizeof(check), .sizes = (int[]){3}, .n_sizes = 1, .seed = seed};

        cr_assert_eq(logp_check(one_is_slow, NULL, &check, NULL), -EPROTO);
        cr_assert_lt(check.checked.runs, 200);
    }
}
