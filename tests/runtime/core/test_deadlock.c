/* SPDX-License-Identifier: MIT */
/* Deadlocks: they end and say who waits for whom, polling does not hide them, and nothing else is
 * one. */
#include "support.h"

/* Rank 0 ends; 1 waits for 2, 2 for anyone with tag 4, 3 in a sync. */
static int deadlock(struct logp_vp *vp, void *arg)
{
    char c;

    switch (logp_vp_rank(vp)) {
    case 0:
        return logp_send(vp, 1, 77, "x", 1); /* nobody wants it */
    case 1:
        return logp_recv(vp, 2, 3, &c, 1, NULL);
    case 2:
        return logp_recv(vp, LOGP_ANY_SOURCE, 4, &c, 1, NULL);
    default:
        return logp_sync(vp, NULL);
    }
}

static void check_deadlock(const struct logp_report *r)
{
    cr_assert_eq(r->error, -EDEADLK);
    cr_assert_eq(r->n_waits, 3);
    cr_assert_eq(r->unreceived, 1);
    cr_assert_eq(r->waits[0].rank, 1);
    cr_assert_eq(r->waits[0].kind, LOGP_WAIT_RECV);
    cr_assert_eq(r->waits[0].source, 2);
    cr_assert_eq(r->waits[0].tag, 3);
    cr_assert_eq(r->waits[1].rank, 2);
    cr_assert_eq(r->waits[1].source, LOGP_ANY_SOURCE);
    cr_assert_eq(r->waits[1].tag, 4);
    cr_assert_eq(r->waits[2].rank, 3);
    cr_assert_eq(r->waits[2].kind, LOGP_WAIT_SYNC);
}

Test(deadlock, a_deadlock_ends_and_says_who_waits_for_whom)
{
    for (int i = 0; i < 2; i++)
        for (int delayed = 0; delayed < 2; delayed++) {
            TEST_MACHINE m = test_machine(4, (enum logp_clock)i, delayed ? &test_6us : NULL);

            cr_assert_eq(logp_machine_run(m, deadlock, NULL, test_timeout_ns), -EDEADLK);
            check_deadlock(logp_machine_report(m));
        }
}

/* 40 waits for 60, 60 until 50 receives, and 50 for 40; all others wait for the lowest rank, or in vain. */
static int wait_in_a_cycle(struct logp_vp *vp, void *arg)
{
    const int me = logp_vp_rank(vp);
    char c = 0;

    if (me == 60)
        return logp_send_as(vp, LOGP_SEND_SYNCHRONOUS, 50, 1, &c, 1);
    return logp_recv(vp,
                     me == 40   ? 60
                     : me == 50 ? 40
                     : me == 0  ? 1
                     : me == 1  ? LOGP_ANY_SOURCE
                                : 0,
                     2, &c, 1, NULL);
}

Test(deadlock, a_cycle_comes_first)
{
    TEST_MACHINE m = test_machine(64, LOGP_CLOCK_VIRTUAL, NULL);
    const struct logp_report *r;
    static const int first[] = {40, 60, 50, 0, 1, 2};

    cr_assert_eq(logp_machine_run(m, wait_in_a_cycle, NULL, test_timeout_ns), -EDEADLK);
    r = logp_machine_report(m);
    cr_assert_eq(r->n_waits, 64);
    for (int i = 0; i < 6; i++)
        cr_assert_eq(r->waits[i].rank, first[i], "%d: rank %d", i, r->waits[i].rank);
    cr_assert_eq(r->waits[63].rank, 63);
}

/* Rank 1 polls for a message of rank 0, which waits for one of rank 1, and has another message. */
static int poll_for_ever(struct logp_vp *vp, void *arg)
{
    bool found = false;
    char c;

    if (logp_vp_rank(vp) == 2)
        TRY(logp_send(vp, 1, 7, NULL, 0));
    if (logp_vp_rank(vp) != 1)
        return logp_recv(vp, 1, 6, &c, 1, NULL);
    while (!found)
        TRY(logp_probe(vp, 0, 0, &found, NULL));
    return 0;
}

/* Rank 0 sends when it has polled so many times; rank 1 polls for that message, and 2 for one of rank 1. */
static int poll_beside(struct logp_vp *vp, void *arg)
{
    const int me = logp_vp_rank(vp), *n_polls = arg;
    bool found = false;
    char c;

    for (int i = 0; me == 0 ? i < *n_polls : !found; i++)
        TRY(logp_probe(vp, me == 0 ? 2 : me - 1, 0, &found, NULL));
    if (me > 0)
        TRY(logp_recv(vp, me - 1, 0, &c, 1, NULL));
    return me < 2 ? logp_send(vp, me + 1, 0, "x", 1) : 0;
}

Test(deadlock, a_message_that_is_not_polled_yet_is_no_deadlock)
{
    for (int n = 999998; n <= 1000002; n++)
        for (int cores = 1; cores < 3; cores++)
            test_run(test_machine_with((struct logp_config){.n_processors = 3,
                                                            .delay = logp_delay_none(),
                                                            .executor = "fiber",
                                                            .n_cores = cores},
                                       NULL),
                     poll_beside, &n);
}

Test(deadlock, a_polling_loop_does_not_hide_a_deadlock)
{
    for (int i = 0; i < 2; i++)
        for (int delayed = 0; delayed < 2; delayed++) {
            const struct logp_report r =
                test_report(test_machine(3, (enum logp_clock)i, delayed ? &test_6us : NULL),
                            poll_for_ever, NULL, -EDEADLK);

            cr_assert_eq(r.n_waits, 3);
            cr_assert_eq(r.waits[1].kind, LOGP_WAIT_POLL);
            cr_assert_eq(r.waits[2].source, 1);
        }
}

/*
 * Rank 0 asks 2 and 3 in turn, which share the other core: whoever is asked has to be given it, and
 * meanwhile all wait.
 */
TestProgram(deadlock, who_has_been_sent_a_message_is_not_deadlocked,
            test_run(test_machine_with((struct logp_config){.n_processors = 4,
                                                            .delay = logp_delay_none(),
                                                            .n_cores = 2},
                                       NULL),
                     program, NULL))
{
    const int me = logp_vp_rank(vp), rounds = 1000 / TEST_SCALE;

    for (int i = 0; i < rounds; i++) {
        for (volatile int spin = 0; me == 0 && spin < 100000; spin++)
            ; /* until the others have been idle for a while */
        if (me == 0) {
            OK(logp_send(vp, 2 + i % 2, 0, NULL, 0));
            OK(logp_recv(vp, 2 + i % 2, 0, NULL, 0, NULL));
        } else if (me == 2 + i % 2) {
            OK(logp_recv(vp, 0, 0, NULL, 0, NULL));
            OK(logp_send(vp, 0, 0, NULL, 0));
        }
    }
    if (me == 0)
        return logp_send(vp, 1, 0, NULL, 0);
    return me > 1 ? 0 : logp_recv(vp, 0, 0, NULL, 0, NULL);
}

/* All look for what none sends, on all cores at once; those of one core wait for it. */
static int all_poll(struct logp_vp *vp, void *arg)
{
    const int *n_waiting = arg;
    struct logp_request *r;
    bool done = false;
    char c;

    if (logp_vp_rank(vp) < *n_waiting)
        return logp_recv(vp, 3, 0, &c, 1, NULL);
    OK(logp_irecv(vp, LOGP_ANY_SOURCE, 0, &c, 1, &r));
    while (!done) {
        const int rc = logp_test(vp, r, &done, NULL);

        if (rc != 0)
            return rc;
    }
    return 0;
}

Test(deadlock, polling_loops_on_all_cores_do_not_hide_it_from_each_other)
{
    for (int n_waiting = 0; n_waiting < 4; n_waiting++) {
        const struct logp_report r =
            test_report(test_machine(4, LOGP_CLOCK_WALL, n_waiting % 2 == 0 ? NULL : &test_6us),
                        all_poll, &n_waiting, -EDEADLK);

        cr_assert_eq(r.n_waits, 4);
        cr_assert_eq(r.waits[3].kind, LOGP_WAIT_POLL);
    }
}

/* Of rank 1, which has ended, there will be no message. */
static int poll_for_the_dead(struct logp_vp *vp, void *arg)
{
    bool found = false;

    while (!found && logp_vp_rank(vp) == 0)
        TRY(logp_probe(vp, 1, 0, &found, NULL));
    return 0;
}

Test(deadlock, who_has_ended_does_not_keep_a_polling_loop_alive)
{
    for (int i = 0; i < 4; i++) {
        const struct logp_report r =
            test_report(test_machine(2, (enum logp_clock)(i / 2), i % 2 == 0 ? NULL : &test_6us),
                        poll_for_the_dead, NULL, -EDEADLK);

        cr_assert_eq(r.n_waits, 1);
        cr_assert_eq(r.waits[0].kind, LOGP_WAIT_POLL);
    }
}

/* Rank 0 sleeps, and then sends what 1 has looked for two million times. */
TestProgram(deadlock, who_polls_for_a_sleeper_does_not_poll_in_vain,
            test_run(test_machine(2, LOGP_CLOCK_VIRTUAL, &test_6ns), program, NULL))
{
    bool found = false;
    char c = 0;

    if (logp_vp_rank(vp) == 0) {
        OK(logp_sleep_until(vp, 200000000));
        return logp_send(vp, 1, 0, &c, 1);
    }
    while (!found)
        OK(logp_probe(vp, 0, 0, &found, NULL));
    return logp_recv(vp, 0, 0, &c, 1, NULL);
}

/* 600 000 looks in vain, what was asked for, and as many again: no million in a row. */
TestProgram(deadlock, a_message_in_between_ends_a_row_of_polls,
            test_run(test_machine(2, LOGP_CLOCK_VIRTUAL, &test_6ns), program, NULL))
{
    struct logp_request *r;
    char c = 0;

    if (logp_vp_rank(vp) == 0) {
        OK(logp_send(vp, 1, 0, &c, 1));
        return logp_recv(vp, 1, 0, &c, 1, NULL);
    }
    OK(logp_irecv(vp, 0, 0, &c, 1, &r));
    for (int turn = 0; turn < 2; turn++) {
        bool found = false;

        for (int i = 0; i < 600000; i++)
            OK(logp_probe(vp, 0, 9, &found, NULL));
        if (turn == 0)
            OK(logp_wait(vp, r, NULL));
    }
    return logp_send(vp, 0, 0, &c, 1);
}

/* Rank 1 looks once less than a million times for what rank 0 does not send unasked. */
TestProgram(deadlock, a_million_polls_are_in_vain_and_no_fewer,
            test_run(test_machine(2, LOGP_CLOCK_VIRTUAL, &test_6ns), program, NULL))
{
    struct logp_request *r;
    bool done = false;
    char c = 0;

    if (logp_vp_rank(vp) == 0) {
        OK(logp_recv(vp, 1, 0, &c, 1, NULL));
        return logp_send(vp, 1, 0, &c, 1);
    }
    OK(logp_irecv(vp, 0, 0, &c, 1, &r));
    for (int i = 1; i < 1000000; i++)
        OK(logp_test(vp, r, &done, NULL));
    cr_assert(!done);
    OK(logp_send(vp, 0, 0, &c, 1));
    return logp_wait(vp, r, NULL);
}
