/* SPDX-License-Identifier: MIT */
/* Limits, of what is queued and of time: what is beyond is refused, and then nothing has happened.
 */
#include "limited.h"

/* P vps without delays. */
static struct logp_machine *space_for(size_t n_bytes, int P, enum logp_clock clock)
{
    return test_machine_with(
        (struct logp_config){
            .n_processors = P, .delay = logp_delay_none(), .clock = clock, .queue_limit = n_bytes},
        NULL);
}

/* Messages to a rank that takes none, until the limit; then they are taken, and there is room. */
TestProgram(limits, the_queue_limit_refuses_and_recovers,
            for (int i = 0; i < 4; i++) test_run(space_for(1 << 22, 3, (enum logp_clock)(i % 2)),
                                                 program, &(size_t){i < 2 ? 1000 : 100000}))
{
    const size_t n = *(const size_t *)arg, limit = 1 << 22;
    char *buf = calloc(1, n + 1);
    size_t sent = 0;
    int rc;

    if (logp_vp_rank(vp) == 0) {
        while ((rc = logp_send(vp, 1, 0, buf, n)) == 0)
            sent++;
        cr_assert_eq(rc, -ENOBUFS);
        cr_assert_leq(sent * n, limit);
        cr_assert_geq(sent * (n + 256) + n, limit - limit / 8);
        rc = logp_send(vp, 2, 0, &sent, sizeof(sent)); /* a small one may still find room */
        cr_assert(rc == 0 || rc == -ENOBUFS);
        OK(logp_sync(vp, NULL));
    } else {
        OK(logp_sync(vp, NULL));
        for (bool found = true; found;) {
            OK(logp_probe(vp, 0, 0, &found, NULL));
            if (found)
                OK(logp_recv(vp, 0, 0, buf, n > sizeof(sent) ? n : sizeof(sent), NULL));
        }
    }
    OK(logp_sync(vp, NULL));
    if (logp_vp_rank(vp) < 2)
        OK(logp_vp_rank(vp) == 0 ? logp_send(vp, 1, 1, buf, n) : logp_recv(vp, 0, 1, buf, n, NULL));
    free(buf);
    return 0;
}

/* 0 sends without end to who receives, as fast as there is room; 1 and 2 take what comes, or, if
 * arg says so, wait for something else. */
static int send_until_there_is_space(struct logp_vp *vp, void *arg)
{
    enum { EACH = 300 };
    char buf[1000] = {0};
    int rc = 0;

    for (int i = 0; rc == 0 && i < EACH; i++) {
        if (logp_vp_rank(vp) > 0)
            rc = logp_recv(vp, i % 2 == 0 ? 0 : LOGP_ANY_SOURCE, arg != NULL, buf, 1000, NULL);
        for (int to = 1; logp_vp_rank(vp) == 0 && rc == 0 && to < logp_vp_size(vp); to++)
            do
                rc = logp_send(vp, to, 0, buf, sizeof(buf));
            while (rc == -ENOBUFS);
    }
    return rc;
}

Test(limits, who_sends_until_there_is_room_lets_others_make_it)
{
    for (int i = 0; i < 4; i++) {
        struct logp_machine *m = limited_machine(3, (enum logp_clock)(i % 2), i >= 2);

        cr_assert_eq(logp_machine_run(m, send_until_there_is_space, NULL, test_timeout_ns), 0);
        test_run_fails(m, send_until_there_is_space, m, -EDEADLK);
    }
}

/* A sendrecv whose send is refused gives back the message that its receive had taken. */
TestProgram(limits, a_refused_sendrecv_loses_nothing,
            for (int i = 0; i < 2; i++)
                test_run_fails(space_for(1 << 18, 2, (enum logp_clock)i), program, NULL, 0))
{
    char buf[2000] = {0};
    int rc, got = 0;

    if (logp_vp_rank(vp) == 1) {
        OK(logp_send(vp, 0, 0, &(int){5}, sizeof(int)));
        return logp_sync(vp, NULL);
    }
    OK(logp_sync(vp, NULL));
    while ((rc = logp_send(vp, 1, 9, buf, sizeof(buf))) == 0)
        ;
    cr_assert_eq(rc, -ENOBUFS);
    cr_assert_eq(logp_sendrecv(vp, 1, 9, buf, sizeof(buf), 1, 0, &got, sizeof(got), NULL),
                 -ENOBUFS);
    got = 0;
    OK(logp_recv(vp, 1, 0, &got, sizeof(got), NULL));
    cr_assert_eq(got, 5);
    return 0;
}

/* It leaves nothing posted: the next receive from any source takes the next message. */
TestProgram(limits, a_refused_sendrecv_leaves_no_receive,
            for (int i = 0; i < 2; i++)
                test_run(space_for(1 << 18, 2, (enum logp_clock)i), program, NULL))
{
    int got = 0;

    if (logp_vp_rank(vp) == 1) {
        OK(logp_sync(vp, NULL));
        return logp_send(vp, 0, 0, &(int){5}, sizeof(int));
    }
    for (int i = 0; i < 2; i++)
        cr_assert_eq(
            logp_sendrecv(vp, 2, 0, &got, sizeof(got), LOGP_ANY_SOURCE, 0, &got, sizeof(got), NULL),
            -EINVAL);
    OK(logp_sync(vp, NULL));
    OK(logp_recv(vp, LOGP_ANY_SOURCE, 0, &got, sizeof(got), NULL));
    cr_assert_eq(got, 5);
    return 0;
}

/* ---- what is refused costs nothing ---- */

static int refused_then_sent(struct logp_vp *vp, void *arg)
{
    char *large = calloc(1, 2 * LIMIT), c = 0;

    if (logp_vp_rank(vp) == 0) {
        cr_assert_eq(logp_send(vp, 2, 0, large, 2 * LIMIT), -EMSGSIZE);
        cr_assert_eq(logp_now(vp), 0);
        OK(logp_send(vp, 2, 0, &c, 1)); /* at once: neither the gap nor the wire are taken */
        cr_assert_eq(logp_now(vp), 2000);
    } else if (logp_vp_rank(vp) == 2) {
        OK(logp_recv(vp, 0, 0, &c, 1, NULL));
        cr_assert_eq(logp_now(vp), *(const int64_t *)arg);
    }
    free(large);
    return 0;
}

static struct logp_delay one_on_the_wire(const struct logp_topology *t)
{
    struct logp_params params = test_params(6000, 2000, 4000);
    struct logp_delay delay;

    params.capacity = 1;
    if (t != NULL)
        return test_on_links(t, &params);
    cr_assert_eq(logp_delay_create("loggp", &params, &delay), 0);
    return delay;
}

static struct logp_machine *machine_with_space(struct logp_delay delay)
{
    return test_machine_with(
        (struct logp_config){
            .n_processors = 3, .clock = LOGP_CLOCK_VIRTUAL, .queue_limit = LIMIT, .delay = delay},
        NULL);
}

Test(limits, a_refused_send_takes_no_place_on_the_wire)
{
    test_run(machine_with_space(one_on_the_wire(NULL)), refused_then_sent, &(int64_t){10000});
}

Test(limits, a_refused_send_takes_no_place_on_its_links)
{
    TEST_TOPOLOGY t = test_topology("line", 3);
    struct logp_link_use use;
    struct logp_delay delay;
    struct logp_machine *m;

    delay = one_on_the_wire(t);
    m = machine_with_space(delay);
    cr_assert_eq(logp_machine_run(m, refused_then_sent, &(int64_t){16000}, test_timeout_ns), 0);
    cr_assert_eq(logp_link_use(m, -1, &use), 0);
    cr_expect_eq(use.messages, 2); /* one of two hops */
    cr_expect_eq(use.busy_ns, 2 * 6000 - 2 * 2000);
    cr_expect_eq(use.waited_ns, 0);
    cr_assert_eq(logp_machine_destroy(m), 0);
}

/* A full queue does not hold back what is wanted at once, within a core. */
TestProgram(limits, what_is_wanted_at_once_needs_no_room,
            for (int delayed = 0; delayed < 2; delayed++)
                test_run(limited_machine(2, LOGP_CLOCK_VIRTUAL, delayed), program, NULL))
{
    char buf[1000] = {0};
    int rc;

    if (logp_vp_rank(vp) == 1) {
        OK(logp_recv(vp, 0, 5, buf, 8, NULL));
        return logp_sync(vp, NULL);
    }
    OK(logp_compute(vp, 1, NULL, NULL));             /* 1 waits */
    for (size_t n = sizeof(buf); n > 0; n = n > 1) { /* long ones, and then short ones */
        while ((rc = logp_send(vp, 0, 0, buf, n)) == 0)
            ;
        cr_assert_eq(rc, -ENOBUFS);
    }
    OK(logp_send(vp, 1, 5, buf, 8));
    OK(logp_sync(vp, NULL));
    for (bool found = true; found;) {
        OK(logp_probe(vp, 0, 0, &found, NULL));
        if (found)
            OK(logp_recv(vp, 0, 0, buf, sizeof(buf), NULL));
    }
    return 0;
}

Test(limits, more_threads_than_the_kernel_allows_are_refused_at_once)
{
    struct logp_machine *m;

    cr_expect_eq(logp_machine_create(&(struct logp_config){.size = sizeof(struct logp_config),
                                                           .n_processors = LOGP_MAX_PROCESSORS,
                                                           .delay = logp_delay_none(),
                                                           .executor = "thread"},
                                     &m),
                 -EAGAIN);
    cr_expect_eq(logp_machine_create(&(struct logp_config){.size = sizeof(struct logp_config),
                                                           .n_processors = LOGP_MAX_PROCESSORS,
                                                           .delay = logp_delay_none(),
                                                           .executor = "thread",
                                                           .clock = LOGP_CLOCK_VIRTUAL},
                                     &m),
                 -EAGAIN);
}

TestProgram(limits, a_limit_without_an_end_is_a_limit,
            test_run(space_for(SIZE_MAX, 2, LOGP_CLOCK_WALL), program, NULL))
{
    char c = 0;

    OK(logp_send(vp, logp_vp_rank(vp), 0, &c, 1));
    return logp_recv(vp, logp_vp_rank(vp), 0, &c, 1, NULL);
}
/* ---- times without an end ---- */

/* Beyond 36 years; among them a mark that the library has for processors that have stopped. */
static const int64_t beyond[] = {INT64_MAX,    INT64_MAX - 1,    INT64_MAX / 2, LOGP_STOPPED + 1,
                                 LOGP_STOPPED, LOGP_STOPPED - 1, INT64_MAX / 8};
enum { N_BEYOND = sizeof(beyond) / sizeof(beyond[0]) };

/* Such an end of a wait is none: the message comes, however late. */
static int wait_beyond(struct logp_vp *vp, int64_t end)
{
    struct logp_request *r;
    int index;
    char c;

    if (logp_vp_rank(vp) == 0) {
        OK(logp_compute(vp, 100, NULL, NULL));
        for (int i = 0; i < 4; i++)
            OK(logp_send(vp, 1, i, NULL, 0));
        return 0;
    }
    OK(logp_recv_until(vp, 0, 0, &c, 1, end, NULL));
    OK(logp_probe_until(vp, 0, 1, end, NULL));
    OK(logp_recv(vp, 0, 1, &c, 1, NULL));
    OK(logp_irecv(vp, 0, 2, &c, 1, &r));
    OK(logp_wait_until(vp, r, end, NULL));
    OK(logp_irecv(vp, 0, 3, &c, 1, &r));
    return logp_waitany_until(vp, &r, 1, end, &index, NULL);
}

TestProgram(limits, a_time_that_no_clock_reaches_is_refused,
            for (int i = 0; i < 2; i++)
                test_run(test_machine(2, (enum logp_clock)i, &test_6ns), program, NULL))
{
    const int64_t before = logp_now(vp);

    for (int i = 0; i < N_BEYOND; i++) {
        cr_assert_eq(logp_compute(vp, beyond[i], NULL, NULL), -EOVERFLOW, "%d", i);
        cr_assert_eq(logp_compute(vp, beyond[i] - before, NULL, NULL), -EOVERFLOW, "%d", i);
        cr_assert_eq(logp_sleep_until(vp, beyond[i]), -EOVERFLOW, "%d", i);
        cr_assert_eq(logp_recv_ready(vp, 0, 8, beyond[i]), beyond[i]);
        OK(wait_beyond(vp, beyond[i]));
        OK(logp_sync(vp, NULL));
    }
    cr_assert_geq(logp_now(vp), before);
    cr_assert_leq(logp_now(vp), INT64_C(1000000000) * 3600);
    return logp_compute(vp, 1, NULL, NULL);
}

Test(limits, a_timeout_without_an_end_is_no_timeout)
{
    for (int i = 0; i < 2; i++) {
        TEST_MACHINE m = test_machine(4, (enum logp_clock)i, NULL);

        cr_assert_eq(logp_machine_run(m, test_barrier, NULL, INT64_MAX), 0);
        cr_assert_eq(logp_machine_run(m, test_barrier, NULL, INT64_MAX - 1000), 0);
    }
}

/* A receive with a time limit, by hand: 1 polls until its clock says so, and only then sends what
 * 0 waits for. */
TestProgram(limits, a_loop_that_watches_the_clock_does_not_wait_in_vain,
            test_run(test_machine(2, LOGP_CLOCK_VIRTUAL, &test_6ns), program, NULL))
{
    const int64_t until = INT64_C(300000000); /* three million polls */
    bool found = false;
    char c = 0;

    if (logp_vp_rank(vp) == 0)
        return logp_recv(vp, 1, 0, &c, 1, NULL);
    while (logp_now(vp) < until)
        OK(logp_probe(vp, 0, 0, &found, NULL));
    cr_assert(!found);
    return logp_send(vp, 0, 0, &c, 1);
}
