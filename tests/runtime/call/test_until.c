/* SPDX-License-Identifier: MIT */
/* Waits that end: at a time, or with the first of several messages. */
#include "own_clock.h"

/* On the virtual clock, and on a wall clock that the test controls: no host is too slow. */
static void run_both(int P, logp_program program, void *arg)
{
    struct own_clock host = own_clock();

    test_run(test_machine(P, LOGP_CLOCK_VIRTUAL, &test_6us), program, arg);
    test_run(own_clock_machine(P, &host, &test_6us), program, arg);
}

/* Is the clock of this vp where it should be? */
static bool is_at(struct logp_vp *vp, int64_t t)
{
    return logp_now(vp) == t;
}

/* Rank 0 sends 1, 2, 3 at 100000, 104000, 108000: they arrive 8000 later. */
static int send_three(struct logp_vp *vp)
{
    OK(logp_sleep_until(vp, 100000));
    cr_assert(is_at(vp, 100000));
    for (int i = 1; i <= 3; i++)
        OK(logp_send(vp, 1, i == 3 ? 9 : 5, &i, sizeof(i)));
    return 0;
}

TestProgram(until, a_receive_ends_with_its_message_or_its_time, run_both(2, program, &(int){0});
            run_both(2, program, &(int){LOGP_ANY_SOURCE}))
{
    const int src = *(const int *)arg;
    struct logp_status s;
    int got = 0;

    if (logp_vp_rank(vp) == 0)
        return send_three(vp);
    cr_assert_eq(logp_recv_until(vp, src, 5, &got, sizeof(got), 50000, &s), -ETIME);
    cr_assert(is_at(vp, 50000));
    cr_assert_eq(logp_recv_until(vp, src, 5, &got, sizeof(got), 40000, &s), -ETIME);
    cr_assert(is_at(vp, 50100)); /* its time had passed: a look */
    cr_assert_eq(logp_probe_until(vp, src, 5, 50100, &s), -ETIME);
    cr_assert(is_at(vp, 50200));
    /* on its way is not here: it is sent before, and arrives after */
    cr_assert_eq(logp_recv_until(vp, src, 5, &got, sizeof(got), 107999, &s), -ETIME);
    cr_assert(is_at(vp, 107999));
    OK(logp_recv_until(vp, src, 5, &got, sizeof(got), 10000000000, &s));
    cr_assert_eq(got, 1);
    cr_assert_eq(s.source, 0);
    cr_assert_eq(s.n_bytes, sizeof(got));
    cr_assert(is_at(vp, s.arrival_ns + 2000));
    OK(logp_recv_until(vp, src, 9, &got, sizeof(got), LOGP_FOREVER, NULL));
    cr_assert_eq(got, 3);
    OK(logp_recv(vp, src, 5, &got, sizeof(got), NULL));
    cr_assert_eq(got, 2);
    return 0;
}

/* The message that came too late for a receive is still behind those that its source sent before. */
TestProgram(until, a_message_that_comes_too_late_keeps_its_place, run_both(2, program, NULL))
{
    int got = 0;

    (void)arg;
    if (logp_vp_rank(vp) == 0)
        return send_three(vp);
    cr_assert_eq(logp_recv_until(vp, 0, 9, &got, sizeof(got), 115000, NULL), -ETIME);
    for (int i = 1; i <= 3; i++) {
        OK(logp_recv(vp, 0, LOGP_ANY_TAG, &got, sizeof(got), NULL));
        cr_assert_eq(got, i);
    }
    return 0;
}

/* Every time is a time: a wait until the least of all is over, and no test of what is here. */
TestProgram(until, the_least_of_all_times_is_over, run_both(2, program, NULL))
{
    struct logp_request *request;
    int got = 0, last = 0;

    (void)arg;
    if (logp_vp_rank(vp) == 0)
        return send_three(vp);
    OK(logp_irecv(vp, 0, 9, &last, sizeof(last), &request));
    OK(logp_sleep_until(vp, 200000));
    cr_assert_eq(logp_recv_until(vp, 0, 5, &got, sizeof(got), INT64_MIN, NULL), -ETIME);
    cr_assert(is_at(vp, 200100)); /* a look */
    cr_assert_eq(logp_wait_until(vp, request, INT64_MIN, NULL), -ETIME);
    cr_assert(is_at(vp, 200200));
    OK(logp_wait(vp, request, NULL));
    cr_assert_eq(last, 3);
    for (int i = 1; i <= 2; i++) {
        OK(logp_recv(vp, 0, 5, &got, sizeof(got), NULL));
        cr_assert_eq(got, i);
    }
    return 0;
}

/* What came too late for one receive is still the first for the next. */
TestProgram(until, a_late_message_keeps_its_place,
            test_run(test_machine(2, LOGP_CLOCK_VIRTUAL, &test_6us), program, &(int){0});
            test_run(test_machine(2, LOGP_CLOCK_VIRTUAL, &test_6us), program,
                     &(int){LOGP_ANY_SOURCE}))
{
    const int src = *(const int *)arg;
    int got = 0;

    if (logp_vp_rank(vp) == 0) {
        for (int i = 1; i <= 3; i++)
            OK(logp_send(vp, 1, 5, &i, sizeof(i))); /* arrive at 8000, 12000, 16000 */
        return 0;
    }
    cr_assert_eq(logp_recv_until(vp, src, 5, &got, sizeof(got), 7000, NULL), -ETIME);
    cr_assert_eq(logp_recv_until(vp, src, 5, &got, sizeof(got), 7999, NULL), -ETIME);
    for (int i = 1; i <= 3; i++) {
        OK(logp_recv_until(vp, src, 5, &got, sizeof(got), 4000 + 4000 * i, NULL));
        cr_assert_eq(got, i, "%d instead of %d", got, i);
        cr_assert_eq(logp_now(vp), 6000 + 4000 * i);
    }
    return 0;
}

TestProgram(until, too_small_a_buffer_loses_nothing, run_both(2, program, NULL))
{
    char buf[100] = {0};
    struct logp_status s;

    if (logp_vp_rank(vp) == 0)
        return logp_send(vp, 1, 5, buf, 100);
    cr_assert_eq(logp_recv_until(vp, 0, 5, buf, 10, 100, NULL), -ETIME);
    cr_assert_eq(logp_recv_until(vp, 0, 5, buf, 10, 10000000000, &s), -EMSGSIZE);
    cr_assert_eq(s.n_bytes, 100);
    return logp_recv_until(vp, 0, 5, buf, 100, LOGP_FOREVER, NULL);
}

TestProgram(until, a_request_outlives_a_wait_that_ended, run_both(2, program, NULL))
{
    struct logp_request *r;
    int got = 0;

    if (logp_vp_rank(vp) == 0)
        return send_three(vp);
    OK(logp_irecv(vp, 0, 5, &got, sizeof(got), &r));
    for (int64_t t = 20000; t <= 80000; t += 20000) {
        cr_assert_eq(logp_wait_until(vp, r, t, NULL), -ETIME);
        cr_assert(is_at(vp, t));
    }
    OK(logp_wait_until(vp, r, LOGP_FOREVER, NULL));
    cr_assert_eq(got, 1);
    cr_assert(is_at(vp, 110000));
    OK(logp_recv(vp, 0, 5, &got, sizeof(got), NULL));
    cr_assert_eq(got, 2);
    return logp_recv(vp, 0, 9, &got, sizeof(got), NULL);
}

/* Long messages may be copied straight into a buffer that is waited for. */
TestProgram(until, long_messages_come_whole_or_not_at_all,
            for (int i = 0; i < 4; i++)
                test_run(test_machine(2, (enum logp_clock)(i % 2), i < 2 ? NULL : &test_6us),
                         program, NULL))
{
    enum { N = 100000 };
    unsigned char *buf = calloc(1, N);
    int rc = 0, tries = 0;

    for (int i = 1; rc == 0 && i <= 50; i++) {
        if (logp_vp_rank(vp) == 0) {
            memset(buf, i, N);
            rc = logp_send(vp, 1, 0, buf, N);
            rc = rc != 0 ? rc : logp_sleep_until(vp, logp_now(vp) + 20000);
            continue;
        }
        do {
            memset(buf, 0, N);
            rc = logp_recv_until(vp, 0, 0, buf, N, logp_now(vp) + 1000 * (i % 7), NULL);
            tries++;
        } while (rc == -ETIME);
        cr_assert(rc != 0 || (buf[0] == i && buf[N / 2] == i && buf[N - 1] == i));
    }
    cr_assert(logp_vp_rank(vp) == 0 || tries >= 50);
    free(buf);
    return rc;
}

static int look(struct logp_vp *vp, void *arg)
{
    const int src = *(const int *)arg;
    struct logp_status s;
    int got = 0;

    if (logp_vp_rank(vp) == 0)
        return send_three(vp);
    cr_assert_eq(logp_probe_until(vp, src, 9, 30000, &s), -ETIME);
    cr_assert(is_at(vp, 30000));
    OK(logp_probe_until(vp, src, 9, LOGP_FOREVER, &s)); /* behind two others */
    cr_assert_eq(s.tag, 9);
    cr_assert_eq(s.source, 0);
    cr_assert_eq(s.n_bytes, sizeof(int));
    cr_assert(is_at(vp, s.arrival_ns));
    for (int i = 1; i <= 3; i++) {
        OK(logp_recv(vp, src, LOGP_ANY_TAG, &got, sizeof(got), NULL));
        cr_assert_eq(got, i, "%d instead of %d", got, i);
    }
    return 0;
}

Test(until, a_probe_waits_and_takes_nothing)
{
    run_both(2, look, &(int){0});
    run_both(2, look, &(int){LOGP_ANY_SOURCE});
}

/* ---- several ---- */

/* Ranks 3, 2, 1 send at 10000, 20000, 30000. */
static int send_in_turn(struct logp_vp *vp)
{
    const int me = logp_vp_rank(vp);

    OK(logp_sleep_until(vp, (4 - me) * 1000000));
    return logp_send(vp, 0, me, &me, sizeof(me));
}

TestProgram(until, of_several_the_first_to_arrive_is_complete, run_both(4, program, NULL))
{
    struct logp_request *r[5] = {NULL};
    struct logp_status s;
    int got[5] = {0}, index;

    if (logp_vp_rank(vp) > 0)
        return send_in_turn(vp);
    for (int i = 1; i <= 3; i++)
        OK(logp_irecv(vp, i, i, &got[i], sizeof(got[i]), &r[i]));
    cr_assert_eq(logp_waitany_until(vp, r, 5, 500000, &index, NULL), -ETIME);
    cr_assert_eq(index, -1);
    cr_assert(is_at(vp, 500000));
    for (int i = 3; i >= 1; i--) {
        OK(logp_waitany(vp, r, 5, &index, &s));
        cr_assert_eq(index, i);
        cr_assert_eq(r[i], NULL);
        cr_assert_eq(s.source, i);
        cr_assert_eq(got[i], i);
        cr_assert(is_at(vp, s.arrival_ns + 2000));
    }
    OK(logp_waitany(vp, r, 5, &index, NULL));
    cr_assert_eq(index, -1); /* none is left */
    return 0;
}

TestProgram(until, receives_from_anyone_are_completed_in_the_order_of_posting,
            run_both(4, program, NULL))
{
    struct logp_request *r[3];
    int got[3] = {0}, index;
    struct logp_status s;

    if (logp_vp_rank(vp) > 0)
        return send_in_turn(vp);
    for (int i = 0; i < 3; i++)
        OK(logp_irecv(vp, LOGP_ANY_SOURCE, LOGP_ANY_TAG, &got[i], sizeof(got[i]), &r[i]));
    for (int i = 0; i < 3; i++) {
        OK(logp_waitany(vp, r, 3, &index, &s));
        cr_assert_eq(index, i); /* in the order of posting */
        cr_assert_eq(got[i], 3 - i);
        cr_assert_eq(s.source, 3 - i);
    }
    return 0;
}

TestProgram(until, all_are_waited_for_and_the_first_error_is_returned, run_both(4, program, NULL);
            test_run(test_machine(4, LOGP_CLOCK_WALL, NULL), program, NULL))
{
    struct logp_request *r[5] = {NULL};
    struct logp_status s[5];
    int got[5] = {0}, rc = 0;

    if (logp_vp_rank(vp) > 0)
        return send_in_turn(vp);
    for (int i = 1; rc == 0 && i <= 3; i++)
        rc = logp_irecv(vp, i, i, &got[i], i == 2 ? 1 : sizeof(got[i]), &r[i]);
    rc = rc != 0 ? rc : logp_isend(vp, 0, 77, &rc, sizeof(rc), &r[4]);
    cr_assert_eq(logp_waitall(vp, r, 5, s), -EMSGSIZE); /* that of rank 2; the others are done */
    for (int i = 0; i < 5; i++)
        cr_assert_eq(r[i], NULL);
    cr_assert_eq(got[1], 1);
    cr_assert_eq(s[1].source, 1);
    cr_assert_eq(got[3], 3);
    cr_assert_eq(s[3].tag, 3);
    cr_assert_eq(s[2].n_bytes, sizeof(int));
    rc = logp_recv(vp, 2, 2, &got[2], sizeof(got[2]), NULL);
    cr_assert_eq(got[2], 2);
    return rc != 0 ? rc : logp_recv(vp, 0, 77, &got[0], sizeof(got[0]), NULL);
}

TestProgram(until, a_test_of_several_finds_what_has_come,
            for (int at = 0; at < 4; at++) run_both(4, program, &at))
{
    const int at = *(const int *)arg; /* where the first request is, of four places */
    struct logp_request *r[4] = {NULL};
    int got[4] = {0}, index, polls = 0;
    bool done = false;

    if (logp_vp_rank(vp) > 0)
        return send_in_turn(vp);
    for (int i = 1; i <= 3; i++)
        OK(logp_irecv(vp, i, i, &got[i], sizeof(got[i]), &r[(at + i - 1) % 4]));
    for (int left = 3; left > 0; left -= done) {
        OK(logp_testany(vp, r, 4, &index, &done, NULL));
        polls += !done;
        cr_assert_eq(index, done ? (at + left - 1) % 4 : -1);
        cr_assert(!done || got[left] == left);
    }
    cr_assert_gt(polls, 0);
    OK(logp_testany(vp, r, 4, &index, &done, NULL));
    cr_assert(done && index == -1);
    return 0;
}

/* ---- nothing comes ---- */

static int nobody_sends(struct logp_vp *vp, void *arg)
{
    struct logp_request *r[2] = {NULL};
    int index;
    char c;

    if (logp_vp_rank(vp) == 1)
        return logp_probe_until(vp, 2, 8, LOGP_FOREVER, NULL);
    if (logp_vp_rank(vp) == 2)
        return logp_recv_until(vp, 1, 4, &c, 1, LOGP_FOREVER, NULL);
    TRY(logp_irecv(vp, 1, 6, &c, 1, &r[1]));
    return logp_waitany(vp, r, 2, &index, NULL);
}

Test(until, a_wait_for_ever_is_a_deadlock_and_says_for_what)
{
    for (int i = 0; i < 4; i++) {
        const struct logp_report r =
            test_report(test_machine(3, (enum logp_clock)(i % 2), i < 2 ? &test_6us : NULL),
                        nobody_sends, NULL, -EDEADLK);

        cr_assert_eq(r.n_waits, 3);
        for (int k = 0; k < 3; k++) {
            cr_expect_eq(r.waits[k].kind, LOGP_WAIT_RECV);
            cr_expect_eq(r.waits[k].source, k == 1 ? 2 : 1);
            cr_expect_eq(r.waits[k].tag, 6 + 2 * (k == 1) - 2 * (k == 2));
        }
    }
}

/* Without delays the vp's clock is the wall clock: all of this waits for real. */
TestProgram(until, without_delays_it_is_the_wall_clock,
            test_run(test_machine(4, LOGP_CLOCK_WALL, NULL), program, NULL))
{
    const int64_t until = logp_now(vp) + 200000;
    struct logp_request *r[1];
    int index;
    char c;

    cr_assert_eq(logp_recv_until(vp, 1, 0, &c, 1, until, NULL), -ETIME);
    cr_assert_geq(logp_now(vp), until);
    cr_assert_eq(logp_probe_until(vp, LOGP_ANY_SOURCE, 0, until + 100000, NULL), -ETIME);
    cr_assert_geq(logp_now(vp), until + 100000);
    OK(logp_irecv(vp, 1, 0, &c, 1, &r[0]));
    cr_assert_eq(logp_waitany_until(vp, r, 1, until + 200000, &index, NULL), -ETIME);
    cr_assert_geq(logp_now(vp), until + 200000);
    OK(logp_sleep_until(vp, until + 300000));
    cr_assert_geq(logp_now(vp), until + 300000);
    return logp_cancel(vp, r[0]);
}

TestProgram(until, wrong_arguments_are_refused, run_both(2, program, NULL))
{
    struct logp_request *r[1] = {NULL};
    bool done;
    int index;
    char c;

    cr_expect_eq(logp_recv_until(vp, 9, 0, &c, 1, 0, NULL), -EINVAL);
    cr_expect_eq(logp_recv_until(vp, 0, -2, &c, 1, 0, NULL), -EINVAL);
    cr_expect_eq(logp_recv_until(vp, 0, 0, NULL, 1, 0, NULL), -EINVAL);
    cr_expect_eq(logp_probe_until(vp, -3, 0, 0, NULL), -EINVAL);
    cr_expect_eq(logp_probe_until(vp, 0, -2, 0, NULL), -EINVAL);
    cr_expect_eq(logp_waitall(vp, r, -1, NULL), -EINVAL);
    cr_expect_eq(logp_waitall(vp, NULL, 1, NULL), -EINVAL);
    cr_expect_eq(logp_waitany(vp, NULL, 1, &index, NULL), -EINVAL);
    cr_expect_eq(logp_waitany(vp, r, 1, NULL, NULL), -EINVAL);
    cr_expect_eq(logp_testany(vp, r, -1, &index, &done, NULL), -EINVAL);
    cr_expect_eq(logp_testany(vp, r, 1, &index, NULL, NULL), -EINVAL);
    cr_expect_eq(logp_waitall(vp, NULL, 0, NULL), 0);
    cr_expect_eq(logp_waitall(vp, r, 1, NULL), 0);
    index = 0;
    cr_expect_eq(logp_waitany(vp, NULL, 0, &index, NULL), 0);
    cr_expect_eq(index, -1);
    index = 0;
    done = false;
    cr_expect_eq(logp_testany(vp, NULL, 0, &index, &done, NULL), 0);
    cr_expect(done && index == -1);
    cr_expect_eq(logp_wait_until(vp, NULL, 0, NULL), 0);
    cr_expect_eq(logp_sleep_until(vp, -5), 0);
    cr_expect_eq(logp_sleep_until(vp, INT64_MAX), -EOVERFLOW);
    return 0;
}
