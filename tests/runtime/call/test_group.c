/* SPDX-License-Identifier: MIT */
/* The common start of the members of a group. */
#include "support.h"

static bool is_virtual(const struct logp_vp *vp)
{
    return logp_machine_clock(logp_vp_machine(vp)) == LOGP_CLOCK_VIRTUAL;
}

static bool is_exact(const struct logp_vp *vp)
{
    return is_virtual(vp) && logp_machine_delayed(logp_vp_machine(vp));
}

/* Have all members of the group the same number? */
static int compare(struct logp_vp *group, int64_t mine)
{
    const int n = logp_vp_size(group), me = logp_vp_rank(group);
    int64_t theirs = 0;

    OK(logp_sendrecv(group, (me + 1) % n, 0, &mine, sizeof(mine), (me + n - 1) % n, 0, &theirs,
                     sizeof(theirs), NULL));
    cr_assert(mine == theirs);
    return 0;
}

/* Ranks 0, 2, 4 meet; 1, 3 do not, and wait for what they are sent afterwards. */
TestProgram(group, members_start_together_and_nobody_else_is_needed,
            test_run_all(5, &test_6us, program, NULL))
{
    const int me = logp_vp_rank(vp), members[] = {4, 0, 2};
    int64_t start = 0, before;
    struct logp_vp *group;

    if (me % 2 == 1) {
        OK(logp_recv(vp, me - 1, 0, NULL, 0, NULL));
        cr_assert(!is_exact(vp) || logp_now(vp) == 54000 + 2000 + 6000 + 2000);
        return 0;
    }
    cr_assert_eq(logp_group_create(vp, 7, members, 3, &group), 0);
    OK(logp_compute(vp, 54000 - 1000 * me, NULL, NULL));
    before = logp_now(vp);
    OK(logp_sync(group, &start));
    cr_assert(logp_now(vp) >= start);
    cr_assert(start >= before);
    cr_assert(!is_virtual(vp) || start == 54000); /* the latest member's, who comes first */
    cr_assert(!is_virtual(vp) || logp_now(vp) == start);
    OK(me == 4 ? 0 : logp_send(vp, me + 1, 0, NULL, 0));
    OK(compare(group, start));
    logp_group_destroy(group);
    return 0;
}

/* Pairs with one context, each as often as it likes. */
TestProgram(group, groups_do_not_disturb_each_other, test_run_all(8, &test_6us, program, NULL))
{
    const int me = logp_vp_rank(vp), members[] = {me / 2 * 2, me / 2 * 2 + 1};
    const int rounds = 10 * (me / 2 + 1);
    struct logp_vp *group;
    int64_t last = -1;

    OK(logp_group_create(vp, 3, members, 2, &group));
    for (int i = 0; i < rounds; i++) {
        int64_t start = 0;

        OK(logp_compute(vp, 100 * ((me * 7 + i * 3) % 11), NULL, NULL));
        OK(logp_sync(group, &start));
        cr_assert(start >= last);
        last = start;
        OK(compare(group, start));
    }
    logp_group_destroy(group);
    return 0;
}

/* Each rank of a grid is in a row and a column. */
static int grid(struct logp_vp *vp, void *arg)
{
    enum { N = 3 };
    const int me = logp_vp_rank(vp), row = me / N, column = me % N;
    const int in_row[N] = {row * N, row * N + 1, row * N + 2};
    const int in_column[N] = {column, N + column, 2 * N + column};
    struct logp_vp *groups[2];

    OK(logp_group_create(vp, 1, in_row, N, &groups[0]));
    OK(logp_group_create(vp, 2, in_column, N, &groups[1]));
    for (int i = 0; i < 40 / TEST_SCALE + 4; i++) {
        int64_t start = 0;

        OK(logp_sync(groups[i % 2], &start));
        OK(i % 5 > 0 ? 0 : compare(groups[i % 2], start));
        OK(i % 7 > 0 ? 0 : logp_sync(vp, NULL)); /* that of all in between */
    }
    logp_group_destroy(groups[0]);
    logp_group_destroy(groups[1]);
    return 0;
}

Test(group, rows_and_columns_and_all_may_sync_in_turn)
{
    test_run_all(9, &test_6us, grid, NULL);
}

/* After the start a send waits for no gap; without, it does. */
TestProgram(group, gaps_are_forgotten,
            test_run(test_machine(2, LOGP_CLOCK_VIRTUAL, &test_6us), program, NULL))
{
    const int members[] = {0, 1};
    struct logp_vp *group;
    int64_t start;

    OK(logp_group_create(vp, 1, members, 2, &group));
    for (int i = 0; i < 3; i++) {
        OK(logp_send(vp, 1 - logp_vp_rank(vp), 0, NULL, 0));
        OK(logp_sync(group, &start));
        cr_assert_eq(start, 2000 * (i + 1));
    }
    for (int i = 0; i < 3; i++)
        OK(logp_recv(vp, 1 - logp_vp_rank(vp), 0, NULL, 0, NULL));
    logp_group_destroy(group);
    return 0;
}

/* Rank 2 does not come. */
static int one_is_missing(struct logp_vp *vp, void *arg)
{
    struct logp_vp *group;
    int rc = 0;

    if (logp_vp_rank(vp) != 2) {
        cr_assert_eq(logp_group_create(vp, 1, (int[]){0, 1, 2}, 3, &group), 0);
        rc = logp_sync(group, NULL);
        logp_group_destroy(group);
    }
    return rc;
}

Test(group, who_waits_for_a_member_that_does_not_come_is_deadlocked)
{
    for (int i = 0; i < 3; i++) {
        TEST_MACHINE m = test_machine(3, (enum logp_clock)(i % 2), i > 0 ? &test_6us : NULL);
        const struct logp_report *r = logp_machine_report(m);

        for (int run = 0; run < 3; run++) {
            cr_assert_eq(logp_machine_run(m, one_is_missing, NULL, test_timeout_ns), -EDEADLK);
            cr_assert_eq(r->n_waits, 2);
            cr_assert_eq(r->waits[1].kind, LOGP_WAIT_SYNC);
            cr_assert_eq(r->waits[1].rank, 1);
        }
    }
}

/* They agree on the first, and not on how many they are. */
TestProgram(group, a_list_of_another_length_is_refused,
            test_run_fails(test_machine(3, LOGP_CLOCK_VIRTUAL, &test_6us), program, NULL, -EINVAL))
{
    struct logp_vp *group;
    const int me = logp_vp_rank(vp);
    int rc = logp_group_create(vp, 1, (int[]){0, 1, 2}, me == 1 ? 2 : 3, &group);

    cr_assert_eq(rc, 0);
    if (me == 1)
        rc = logp_recv(vp, 0, 0, NULL, 0, NULL);
    if (me == 0)
        rc = logp_send(vp, 1, 0, NULL, 0);
    if (me == 0 || me == 1)
        rc = rc != 0 ? rc : logp_compute(vp, me * 1000000, NULL, NULL);
    rc = rc != 0 ? rc : logp_sync(group, NULL);
    logp_group_destroy(group);
    return rc;
}

/* The run is stopped while groups form. */
static int stops_amid(struct logp_vp *vp, void *arg)
{
    const int me = logp_vp_rank(vp), n = *(const int *)arg;
    struct logp_vp *group;
    int rc = logp_group_create(vp, 1, (int[]){0, 1, 2, 3}, 4, &group);

    for (int i = 0; rc == 0; i++)
        rc = me == 3 && i == n ? -EIO : logp_sync(group, NULL);
    logp_group_destroy(group);
    return rc;
}

Test(group, an_error_amid_syncs_stops_all)
{
    for (int i = 0; i < 2; i++) {
        TEST_MACHINE m = test_machine(4, (enum logp_clock)i, &test_6us);

        for (int run = 0; run < 30 / TEST_SCALE + 3; run++)
            cr_assert_eq(logp_machine_run(m, stops_amid, &run, test_timeout_ns), -EIO);
    }
}
