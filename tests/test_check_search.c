/* SPDX-License-Identifier: MIT */
/* A whole check: the replays that come first. */
#include "support.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* ---- regressions ---- */

static bool is_mended, makes_other_choices;

/* Rank 0 takes the first message for that of rank 1. */
static int race(struct logp_vp *vp, void *arg)
{
    const int P = logp_vp_size(vp);
    int x = 0, rc = 0;

    (void)arg;
    if (logp_vp_rank(vp) > 0)
        return makes_other_choices ? 0 : logp_send(vp, 0, 3, &x, sizeof(x));
    for (int i = 1; rc == 0 && i < P && !makes_other_choices; i++) {
        struct logp_status status;

        rc = logp_recv(vp, LOGP_ANY_SOURCE, 3, &x, sizeof(x), &status);
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
    struct logp_failure f;

    strcpy(folder, "/tmp/logp-regressions-XXXXXX");
    cr_assert(mkdtemp(folder) != NULL);
    is_mended = makes_other_choices = false;
    cr_assert_eq(logp_check(race, NULL, &check, &f), -EPROTO);
    leave("race.replay", f.replay);
    logp_failure_free(&f);
}

static void remove_folder(void)
{
    char command[96];

    snprintf(command, sizeof(command), "rm -r %s", folder);
    cr_assert_eq(system(command), 0);
}

static int check_race(struct logp_check *check, struct logp_failure *f)
{
    *check = (struct logp_check){.sizes = (int[]){2, 3},
                                 .n_sizes = 2,
                                 .runs = 10,
                                 .fixed_matches = true, /* only the replay finds it */
                                 .fixed_order = true,
                                 .name = "race",
                                 .regressions = folder};
    return logp_check(race, NULL, check, f);
}

Test(check_search, a_regression_is_run_first)
{
    struct logp_check check;
    struct logp_failure f;

    leave_race();
    cr_assert_eq(check_race(&check, &f), -EPROTO, "%s", f.text);
    cr_assert_eq(f.kind, LOGP_FAILURE_ASSERTED);
    cr_assert_eq(f.P, 3);
    cr_assert_eq(check.checked.runs, 0);
    cr_assert_eq(check.checked.regressions, 1);
    cr_assert_eq(check.checked.fixed, 0);
    cr_assert(strstr(f.text, "to repeat it: logp replay ") != NULL && strstr(f.text, file) != NULL,
              "%s", f.text);
    cr_assert(strstr(check.checked.text, "failed in a regression: /tmp/") != NULL, "%s",
              check.checked.text);
    logp_failure_free(&f);
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
    cr_assert(strstr(f.text, "race.replay does not fail any more: it is fixed\n") != NULL, "%s",
              f.text);
    cr_assert_eq(check.checked.runs, 20);
    cr_assert_eq(check.checked.fixed, 1);
    cr_assert(strstr(check.checked.text, "20 runs; 1 of 1 regressions fixed") != NULL, "%s",
              check.checked.text);
    logp_failure_free(&f);
    makes_other_choices = true;
    cr_assert_eq(check_race(&check, &f), 0, "%s", f.text);
    cr_assert(strstr(f.text, "does not fail any more: ") != NULL, "%s", f.text);
    logp_failure_free(&f);
    remove_folder();
}

Test(check_search, only_replays_of_the_program_are_regressions)
{
    struct logp_check check;
    struct logp_failure f;

    leave_race();
    leave("a.replay", "logp-replay 3\nprogram other\nprocessors 3\nchoices 0\n");
    leave("b.replay", "logp-replay 3\nprogram race\nprocessors 4\nchoices 0\n");
    leave("notes.txt", "nothing\n");
    cr_assert_eq(check_race(&check, &f), -EPROTO, "%s", f.text);
    cr_assert_eq(check.checked.regressions, 1);
    logp_failure_free(&f);
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
    cr_assert(strstr(f.text, "a replay of version 2") != NULL, "%s", f.text);
    logp_failure_free(&f);
    remove_folder();
    cr_assert_eq(check_race(&check, &f), -ENOENT, "%s", f.text);
    cr_assert(strstr(check.checked.text, "No such file") != NULL, "%s", check.checked.text);
    logp_failure_free(&f);
    setenv("LOGP_CHECK_REGRESSIONS", "/none", 1);
    check.regressions = NULL;
    cr_assert_eq(logp_check(race, NULL, &check, &f), -ENOENT, "%s", f.text);
    cr_assert(strstr(f.text, "/none") != NULL, "%s", f.text);
    unsetenv("LOGP_CHECK_REGRESSIONS");
    logp_failure_free(&f);
}
