/* SPDX-License-Identifier: MIT */
/* The test kit: planted faults are found, made small and seen again; there is no false alarm. */
#include "planted.h"
#include "support.h"

enum { REPLAYS = 100 };

/* The same failure again, with each executor: byte for byte. */
static void replay(const struct planted_row *row, const struct logp_failure *f, int times)
{
    for (int i = 0; i < times; i++) {
        struct planted state = {.right = false};
        struct logp_check check = planted_check(row, false);
        struct logp_failure again;

        check.executor = i % 10 == 9 ? "thread" : NULL;
        cr_assert_eq(logp_check_replay(row->program, &state, &check, f->replay, &again), f->error,
                     "%s\n%s\n%s", row->name, f->text, again.text);
        cr_assert_str_eq(f->text, again.text);
        cr_assert_str_eq(f->replay, again.replay);
        logp_failure_free(&again);
    }
}

static void find(const struct planted_row *row, enum logp_strategy strategy)
{
    struct planted state = {.right = false};
    struct logp_check check = planted_check(row, false);
    struct logp_failure f;
    int rc;

    check.strategy = strategy;
    rc = logp_check(row->program, &state, &check, &f);
    cr_assert_neq(rc, 0, "%s: %s", row->name, check.checked.text);
    cr_assert_eq(rc, f.error);
    cr_assert_eq(f.kind, row->kind, "%s: %s", row->name, f.text);
    cr_assert_eq(f.P, row->P, "%s: %s", row->name, f.text);
    cr_assert_eq(f.needs_synchronous, row->under >= SYNCHRONOUS, "%s", f.text);
    replay(row, &f, REPLAYS / TEST_SCALE);
    logp_failure_free(&f);
}

Test(check, planted_faults_are_found_by_chance)
{
    for (int i = 0; i < N_PLANTED; i++)
        find(&planted_rows[i], LOGP_STRATEGY_RANDOM);
}

Test(check, planted_faults_are_found_by_priorities)
{
    for (int i = 0; i < N_PLANTED; i++)
        find(&planted_rows[i], LOGP_STRATEGY_PCT);
}

Test(check, planted_faults_are_found_by_exhaustion)
{
    for (int i = 0; i < N_PLANTED; i++)
        if (planted_rows[i].messages_alone)
            find(&planted_rows[i], LOGP_STRATEGY_EXHAUSTIVE);
}

/* The largest P alone, and the kit finds how few do. */
Test(check, failures_are_made_small)
{
    for (int i = 0; i < N_PLANTED; i++) {
        const struct planted_row *row = &planted_rows[i];
        struct planted state = {.right = false};
        struct logp_check check = planted_check(row, false);
        struct logp_failure f;

        check.sizes = (int[]){5};
        check.n_sizes = 1;
        check.smallest = 2;
        cr_assert_neq(logp_check(row->program, &state, &check, &f), 0, "%s", row->name);
        cr_assert_eq(f.P, row->P, "%s: %s", row->name, f.text);
        cr_assert_leq(f.n_deviations, 6, "%s", f.text);
        logp_failure_free(&f);
    }
}

Test(check, what_is_right_does_not_fail)
{
    for (int i = 0; i < N_PLANTED; i++)
        for (enum logp_strategy s = LOGP_STRATEGY_RANDOM; s <= LOGP_STRATEGY_EXHAUSTIVE; s++) {
            const struct planted_row *row = &planted_rows[i];
            struct planted state = {.right = true};
            struct logp_check check = planted_check(row, true);
            struct logp_failure f;

            if (s == LOGP_STRATEGY_EXHAUSTIVE && !row->messages_alone)
                continue;
            check.strategy = s;
            check.runs = 2000 / TEST_SCALE;
            cr_assert_eq(logp_check(row->program, &state, &check, &f), 0, "%s: %s", row->name,
                         f.text);
            cr_assert_str_eq(f.text, "");
            logp_failure_free(&f);
        }
}
