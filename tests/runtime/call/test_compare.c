/* SPDX-License-Identifier: MIT */
/* logp_compare(): which member's word differs, on each clock, in groups, and what it leaves alone. */
#include "support.h"

enum { MOST_P = 16 };

/* By a loop over all words, the first that is not that of member 0. */
static int expected(const uint64_t *words, int n)
{
    for (int i = 1; i < n; i++)
        if (words[i] != words[0])
            return i;
    return -1;
}

/* Most words are the same, and any may differ, also that of member 0. */
static void draw(uint64_t *words, int n, uint64_t seed)
{
    uint64_t random = seed * UINT64_C(0x9e3779b97f4a7c15) + 1;

    for (int i = 0; i < n; i++)
        words[i] = (uint64_t)(test_below(&random, 8) == 0 ? test_below(&random, 2) : -1);
}

static int compare_all(struct logp_vp *vp, uint64_t seed)
{
    const int n = logp_vp_size(vp);
    uint64_t words[MOST_P];
    int first = -2;

    draw(words, n, seed);
    OK(logp_compare(vp, words[logp_vp_rank(vp)], &first));
    cr_assert_eq(first, expected(words, n), "seed %d: %d", (int)seed, first);
    return 0;
}

/* All, then those of even and those of odd rank at the same time, from the last to the first. */
static int everywhere(struct logp_vp *vp, void *arg)
{
    const int P = logp_vp_size(vp), me = logp_vp_rank(vp);
    int members[MOST_P], n = 0;
    struct logp_vp *group;

    for (int i = P - 1; i >= 0; i--)
        if (i % 2 == me % 2)
            members[n++] = i;
    OK(logp_group_create(vp, 5, members, n, &group));
    for (int i = 0; i < 30; i++) {
        OK(compare_all(vp, (uint64_t)i));
        OK(compare_all(group, (uint64_t)(100 + 2 * i + me % 2)));
        if (i % 5 == 0)
            OK(logp_sync(i % 2 == 0 ? vp : group, NULL));
        if (i % 7 == 0)
            OK(logp_barrier(vp));
    }
    logp_group_destroy(group);
    return 0;
}

static const int sizes[] = {1, 2, 3, 7, MOST_P};
enum { N_SIZES = sizeof(sizes) / sizeof(sizes[0]) };

Test(compare, names_the_first_that_differs)
{
    for (int i = 0; i < N_SIZES; i++) {
        test_run(test_machine(sizes[i], LOGP_CLOCK_WALL, NULL), everywhere, NULL);
        test_run(test_machine(sizes[i], LOGP_CLOCK_WALL, &test_600ns), everywhere, NULL);
        test_run(test_machine(sizes[i], LOGP_CLOCK_VIRTUAL, &test_6us), everywhere, NULL);
        if (!test_parallel()) /* several cores need a latency */
            test_run(test_machine(sizes[i], LOGP_CLOCK_VIRTUAL, NULL), everywhere, NULL);
    }
}

/* L 6, o 2, g 4 us: rank 0 sends at 0, its next send starts at 4, whatever it does in between. */
static int times(struct logp_vp *vp, void *arg)
{
    int64_t *ends = arg;
    int first, x = 0;

    if (logp_vp_rank(vp) == 1)
        OK(logp_compute(vp, 3000, NULL, NULL));
    if (logp_vp_rank(vp) == 0)
        OK(logp_send(vp, 1, 0, &x, sizeof(x)));
    OK(logp_compare(vp, 1, &first));
    cr_assert_eq(logp_now(vp), 3000); /* the latest member's time */
    if (logp_vp_rank(vp) == 0)
        OK(logp_send(vp, 1, 0, &x, sizeof(x)));
    ends[logp_vp_rank(vp)] = logp_now(vp);
    for (int i = 0; logp_vp_rank(vp) == 1 && i < 2; i++)
        OK(logp_recv(vp, 0, 0, &x, sizeof(x), NULL));
    return 0;
}

Test(compare, takes_no_time_and_keeps_gaps)
{
    int64_t ends[3] = {0};

    test_run(test_machine(3, LOGP_CLOCK_VIRTUAL, &test_6us), times, ends);
    cr_assert_eq(ends[0], 6000); /* 4 us, and o; after logp_sync() it would be 3 us and o */
    cr_assert_eq(ends[1], 3000);
    cr_assert_eq(ends[2], 3000);
}

/* What a vp has under way goes on while it waits. */
static int beside(struct logp_vp *vp, void *arg)
{
    const int P = logp_vp_size(vp), me = logp_vp_rank(vp);
    struct logp_request *barrier;
    int first, x = -1;

    OK(logp_ibarrier(vp, &barrier));
    if (me == 0) { /* it waits for all others, which complete the barrier by comparing alone */
        OK(logp_wait(vp, barrier, NULL));
        barrier = NULL;
    }
    OK(logp_compare(vp, 7, &first));
    cr_assert_eq(first, -1);
    if (barrier != NULL)
        OK(logp_wait(vp, barrier, NULL));
    OK(logp_send(vp, (me + 1) % P, 0, &me, sizeof(me)));
    OK(logp_recv(vp, (me + P - 1) % P, 0, &x, sizeof(x), NULL));
    cr_assert_eq(x, (me + P - 1) % P);
    return 0;
}

Test(compare, lets_nonblocking_collectives_go_on)
{
    for (int i = 1; i < N_SIZES; i++) {
        test_run(test_machine(sizes[i], LOGP_CLOCK_WALL, NULL), beside, NULL);
        test_run(test_machine(sizes[i], LOGP_CLOCK_VIRTUAL, &test_6us), beside, NULL);
    }
}

/* ---- how it fails ---- */

static int instead_of_sync(struct logp_vp *vp, void *arg)
{
    const int members[] = {1, 0};
    struct logp_vp *group;
    int first, rc;

    OK(logp_group_create(vp, 5, members, 2, &group));
    rc = logp_vp_rank(vp) == 0 ? logp_sync(group, NULL) : logp_compare(group, 1, &first);
    logp_group_destroy(group);
    return rc;
}

static int all_but_the_last(struct logp_vp *vp, void *arg)
{
    int first;

    return logp_vp_rank(vp) == logp_vp_size(vp) - 1 ? 0 : logp_compare(vp, 1, &first);
}

Test(compare, is_no_sync_and_needs_all_members)
{
    static const enum logp_clock clocks[] = {LOGP_CLOCK_WALL, LOGP_CLOCK_VIRTUAL};

    for (int i = 0; i < 2; i++) {
        TEST_MACHINE m = test_machine(2, clocks[i], &test_600ns);

        cr_assert_eq(logp_machine_run(m, instead_of_sync, NULL, test_timeout_ns), -EINVAL);
        cr_assert_eq(logp_machine_run(m, all_but_the_last, NULL, test_timeout_ns), -EDEADLK);
        cr_assert_eq(logp_machine_report(m)->n_waits, 1);
        cr_assert_eq(logp_machine_report(m)->waits[0].kind, LOGP_WAIT_SYNC);
        cr_assert_eq(logp_machine_run(m, everywhere, NULL, test_timeout_ns), 0);
    }
}

Test(compare, holds_in_all_orders_that_a_check_tries)
{
    struct logp_check check = {
        .size = sizeof(check), .sizes = (int[]){3}, .n_sizes = 1, .runs = 20};

    cr_assert_eq(logp_check(everywhere, NULL, &check, NULL), 0);
    cr_assert_eq(logp_check(beside, NULL, &check, NULL), 0);
    cr_assert_eq(logp_check(all_but_the_last, NULL, &check, NULL), -EDEADLK);
}
