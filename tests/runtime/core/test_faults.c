/* SPDX-License-Identifier: MIT */
/* What goes wrong is named, ends, and loses nothing. */
#define _GNU_SOURCE
#include "support.h"

#include <sched.h>
#include <stdatomic.h>
#include <unistd.h>

/* A core that this process may use. */
static int a_core(void)
{
    cpu_set_t allowed;
    int core = 0;

    cr_assert_eq(sched_getaffinity(0, sizeof(allowed), &allowed), 0);
    while (!CPU_ISSET((size_t)core, &allowed))
        core++;
    return core;
}

static int one_fails(struct logp_vp *vp, void *arg)
{
    char c;
    int rc;

    if (logp_vp_rank(vp) == 3)
        return -ENOTRECOVERABLE;
    rc = logp_recv(vp, 3, 0, &c, 1, NULL);
    cr_assert_eq(rc, -ECANCELED);
    return rc;
}

static int all_is_well(struct logp_vp *vp, void *arg)
{
    int x = logp_vp_rank(vp) == 2 ? 11 : 0;

    OK(logp_broadcast(vp, &x, sizeof(x), 2));
    cr_assert_eq(x, 11);
    return 0;
}

Test(faults, an_error_in_one_vp_stops_all_and_the_machine_lives_on)
{
    for (int i = 0; i < 2; i++) {
        TEST_MACHINE m = test_machine(6, (enum logp_clock)i, NULL);

        for (int run = 0; run < 3; run++) {
            cr_assert_eq(logp_machine_run(m, one_fails, NULL, test_timeout_ns), -ENOTRECOVERABLE);
            cr_assert_eq(logp_machine_report(m)->error_rank, 3);
            cr_assert_eq(logp_machine_run(m, all_is_well, NULL, test_timeout_ns), 0);
            cr_assert_eq(logp_machine_report(m)->error_rank, -1);
        }
    }
}

/* An error while a receiver's buffer is on offer and long messages fly. */
TestProgram(faults, an_error_amid_long_messages_stops_all,
            for (int P = 2; P <= 4; P++)
                test_run_often(test_machine(P, LOGP_CLOCK_WALL, NULL), 20, program, NULL, -EIO))
{
    const int me = logp_vp_rank(vp), P = logp_vp_size(vp);
    const size_t n = 100000;
    char *out = calloc(1, n), *in = malloc(n);
    int rc = 0;

    for (int i = 0; rc == 0; i++) {
        if (me == 1 && i == 20)
            rc = -EIO;
        else
            rc = logp_sendrecv(vp, (me + 1) % P, 0, out, n, (me + P - 1) % P, 0, in, n, NULL);
    }
    free(out);
    free(in);
    return rc;
}

/* Rank 3 sends long messages to rank 0, which does other things with a receive posted, and frees
 * its buffer when it is told that the run is over: rank 1, on its core, fails some time. */
static int free_amid_traffic(struct logp_vp *vp, void *arg)
{
    const size_t n = 1000000;
    char *buf = calloc(1, n);
    uint64_t random = *(const uint64_t *)arg;
    bool found;
    int rc = 0;

    for (int64_t k = test_below(&random, 1000); logp_vp_rank(vp) == 1 && rc == 0; k--)
        rc = k < 0 ? -EIO : logp_probe(vp, 0, 9, &found, NULL);
    while (logp_vp_rank(vp) == 3 && rc == 0) {
        rc = logp_send(vp, 0, 0, buf, n);
        rc = rc != 0 ? rc : logp_recv(vp, 0, 0, NULL, 0, NULL);
    }
    while (logp_vp_rank(vp) == 0 && rc == 0) {
        struct logp_request *r;

        rc = logp_irecv(vp, 3, 0, buf, n, &r);
        for (int k = 0; rc == 0 && k < 100; k++)
            rc = logp_probe(vp, 1, 9, &found, NULL);
        rc = rc != 0 ? rc : logp_wait(vp, r, NULL);
        rc = rc != 0 ? rc : logp_send(vp, 3, 0, NULL, 0);
    }
    memset(buf, 1, n); /* as whoever is given the memory next */
    for (volatile int k = 0; k < 100000; k++)
        ;
    cr_assert(buf[0] == 1 && memcmp(buf, buf + 1, n - 1) == 0);
    free(buf);
    return rc;
}

Test(faults, after_an_error_nothing_comes_into_a_posted_buffer)
{
    TEST_MACHINE m = test_machine(4, LOGP_CLOCK_WALL, NULL);

    for (uint64_t seed = 1; seed <= 40; seed++)
        cr_assert_eq(logp_machine_run(m, free_amid_traffic, &seed, test_timeout_ns), -EIO);
}

Test(faults, a_timeout_ends_the_run)
{
    for (int i = 0; i < 2; i++) {
        struct logp_machine *m = test_machine(3, (enum logp_clock)i, NULL);

        cr_assert_eq(logp_machine_run(m, test_too_long, NULL, 20000000), -ETIMEDOUT);
        test_run(m, all_is_well, NULL);
    }
}

struct outside {
    atomic_bool is_blocking, go;
};

static int sit_outside(struct logp_vp *vp, void *arg)
{
    struct outside *o = arg;
    char c;

    if (logp_vp_rank(vp) != 1)
        return logp_recv(vp, 1, 0, &c, 1, NULL);
    atomic_store(&o->is_blocking, true);
    while (!atomic_load(&o->go))
        usleep(1000);
    return 0;
}

Test(faults, a_vp_outside_the_runtime_is_named)
{
    TEST_MACHINE m = test_machine(2, LOGP_CLOCK_WALL, NULL);
    struct outside o = {false, false};

    do /* on a busy host the timeout may come before the vp does */
        cr_assert_eq(logp_machine_run(m, sit_outside, &o, 20000000), -ETIMEDOUT);
    while (!atomic_load(&o.is_blocking));
    cr_assert_eq(logp_machine_report(m)->n_waits, 1);
    cr_assert_eq(logp_machine_report(m)->waits[0].rank, 1);
    cr_assert_eq(logp_machine_report(m)->waits[0].kind, LOGP_WAIT_RUNNING);
    cr_assert_eq(logp_machine_run(m, all_is_well, NULL, 0), -EBUSY);
    cr_assert_eq(logp_machine_destroy(m), -EBUSY);
    atomic_store(&o.go, true);
    while (logp_machine_busy(m))
        usleep(1000);
}

TestProgram(faults, stop_ends_the_run_with_its_error,
            test_run_fails(test_machine(4, LOGP_CLOCK_WALL, NULL), program, NULL, -EINTR))
{
    char c;

    if (logp_vp_rank(vp) == 0)
        logp_machine_stop(logp_vp_machine(vp), -EINTR);
    return logp_recv(vp, LOGP_ANY_SOURCE, 0, &c, 1, NULL);
}

/* Before the common start, at it, and after it. */
Test(faults, a_run_may_be_stopped_at_any_time)
{
    for (int P = 3; P <= 6; P++) {
        struct logp_machine *m = test_machine(P, LOGP_CLOCK_WALL, NULL);

        for (int i = 0; i < 300 / TEST_SCALE; i++)
            cr_assert_eq(logp_machine_run(m, test_too_long, NULL, 1 + i * 300), -ETIMEDOUT);
        test_run(m, all_is_well, NULL);
    }
}

static int counts_itself(struct logp_vp *vp, void *arg)
{
    atomic_fetch_add((atomic_int *)arg, 1);
    return 0;
}

Test(faults, a_stop_between_runs_ends_the_next_before_it_begins)
{
    for (int i = 0; i < 2; i++) {
        TEST_MACHINE m = test_machine(3, (enum logp_clock)i, NULL);
        atomic_int begun = 0;

        logp_machine_stop(m, -EINTR);
        logp_machine_stop(m, -EIO); /* the first counts */
        cr_assert_eq(logp_machine_run(m, counts_itself, &begun, test_timeout_ns), -EINTR);
        cr_assert_eq(atomic_load(&begun), 0);
        cr_assert_eq(logp_machine_report(m)->error, -EINTR);
        cr_assert_eq(logp_machine_report(m)->error_rank, -1);
        cr_assert_eq(logp_machine_run(m, counts_itself, &begun, test_timeout_ns), 0);
        cr_assert_eq(atomic_load(&begun), 3);
        logp_machine_stop(m, -EINTR); /* one that nobody waits for any more */
    }
}

static int bad_arguments(struct logp_vp *vp, void *arg)
{
    struct logp_request *r;
    struct logp_vp *v;
    bool flag;
    char c = 0;

    cr_expect_eq(logp_send(vp, -1, 0, &c, 1), -EINVAL);
    cr_expect_eq(logp_send(vp, 2, 0, &c, 1), -EINVAL);
    cr_expect_eq(logp_send(vp, 0, -1, &c, 1), -EINVAL);
    cr_expect_eq(logp_send(vp, 0, 0, NULL, 1), -EINVAL);
    cr_expect_eq(logp_recv(vp, 2, 0, &c, 1, NULL), -EINVAL);
    cr_expect_eq(logp_recv(vp, -3, 0, &c, 1, NULL), -EINVAL);
    cr_expect_eq(logp_recv(vp, 0, -2, &c, 1, NULL), -EINVAL);
    cr_expect_eq(logp_recv(vp, 0, 0, NULL, 1, NULL), -EINVAL);
    cr_expect_eq(logp_irecv(vp, 5, 0, &c, 1, &r), -EINVAL);
    cr_expect_eq(logp_irecv(vp, 0, 0, &c, 1, NULL), -EINVAL);
    cr_expect_eq(logp_isend(vp, 5, 0, &c, 1, &r), -EINVAL);
    cr_expect_eq(logp_sendrecv(vp, 0, 0, &c, 1, 9, 0, &c, 1, NULL), -EINVAL);
    cr_expect_eq(logp_sendrecv(vp, 9, 0, &c, 1, 0, 0, &c, 1, NULL), -EINVAL);
    cr_expect_eq(logp_probe(vp, 9, 0, &flag, NULL), -EINVAL);
    cr_expect_eq(logp_compute(vp, -1, NULL, NULL), -EINVAL);
    cr_expect_eq(logp_group_create(vp, 0, NULL, 0, &v), -EINVAL);
    cr_expect_eq(logp_group_create(vp, 1, (int[]){0, 0}, 2, &v), -EINVAL);
    cr_expect_eq(logp_broadcast(vp, &c, 1, 2), -EINVAL);
    cr_expect_eq(logp_wait(vp, NULL, NULL), 0);
    return 0;
}

Test(faults, bad_arguments_are_refused)
{
    struct logp_params params = test_params(-1, 0, 0);
    struct logp_delay delay;
    struct logp_machine *m;

    test_run(test_machine(2, LOGP_CLOCK_WALL, NULL), bad_arguments, NULL);
    cr_expect_eq(logp_machine_create(&(struct logp_config){.size = sizeof(struct logp_config),
                                                           .n_processors = 0,
                                                           .delay = logp_delay_none()},
                                     &m),
                 -EINVAL);
    cr_expect_eq(logp_machine_create(&(struct logp_config){.size = sizeof(struct logp_config),
                                                           .n_processors = 1,
                                                           .delay = logp_delay_none(),
                                                           .executor = "x"},
                                     &m),
                 -ENOENT);
    cr_expect_eq(logp_delay_create("nonsense", &params, &delay), -ENOENT);
    cr_expect_eq(logp_delay_create("logp", &params, &delay), -EINVAL);
}

/* Cores that there are not, or twice, wherever in the list. */
Test(faults, bad_cores_are_refused)
{
    const int core = a_core();
    const int bad[][3] = {{-1},         {100000},   {core, -1},
                          {core, core}, {-1, core}, {core, 100000, core}};
    const int n[] = {1, 1, 2, 2, 2, 3};

    for (int i = 0; i < 6; i++)
        for (int k = 0; k < 2; k++) {
            const struct logp_config config = {.size = sizeof(config),
                                               .n_processors = 3,
                                               .delay = logp_delay_none(),
                                               .clock = (enum logp_clock)k,
                                               .cores = bad[i],
                                               .n_cores = n[i]};
            struct logp_machine *m;

            cr_expect_eq(logp_machine_create(&config, &m), -EINVAL, "list %d", i);
        }
}

/* Of the cores that are given, all, or, where the clock is virtual and not for several, the first.
 */
Test(faults, the_virtual_clock_takes_one_of_the_cores_given)
{
    int cores[2], n = 0;
    cpu_set_t set;

    cr_assert_eq(sched_getaffinity(0, sizeof(set), &set), 0);
    for (int cpu = 0; cpu < CPU_SETSIZE && n < 2; cpu++)
        if (CPU_ISSET((size_t)cpu, &set))
            cores[n++] = cpu;
    for (int i = 0; i < 3; i++) {
        const struct logp_config config = {.size = sizeof(config),
                                           .n_processors = 3,
                                           .delay = logp_delay_none(),
                                           .clock = i == 0 ? LOGP_CLOCK_WALL : LOGP_CLOCK_VIRTUAL,
                                           .parallel = i == 1,
                                           .executor = "fiber",
                                           .cores = cores,
                                           .n_cores = n};
        TEST_MACHINE m = NULL;

        cr_assert_eq(logp_machine_create(&config, &m), 0);
        cr_expect_eq(logp_machine_cores(m), i < 2 ? n : 1);
    }
}

/* Several machines live side by side in one process. */
Test(faults, machines_do_not_disturb_each_other)
{
    struct logp_machine *m[4];

    for (int i = 0; i < 4; i++)
        m[i] = test_machine(3 + i, (enum logp_clock)(i % 2), NULL);
    for (int run = 0; run < 5; run++)
        for (int i = 0; i < 4; i++)
            cr_assert_eq(logp_machine_run(m[i], all_is_well, NULL, test_timeout_ns), 0);
    for (int i = 3; i >= 0; i--)
        cr_assert_eq(logp_machine_destroy(m[i]), 0);
}

/* Every rank ends with a receive posted into its stack, while others still send there. */
TestProgram(faults, nothing_is_written_to_a_vp_that_has_ended,
            test_run_often(test_machine(8, LOGP_CLOCK_WALL, NULL), 200 / TEST_SCALE, program, NULL,
                           0))
{
    const int P = logp_vp_size(vp), me = logp_vp_rank(vp);
    struct logp_request *request;
    char buf[1024];

    OK(logp_irecv(vp, LOGP_ANY_SOURCE, 7, buf, sizeof(buf), &request));
    memset(buf, me, sizeof(buf));
    if (me == 0)
        return 0;
    for (int to = 0; to < P; to++)
        OK(logp_send(vp, to, 7, buf, sizeof(buf)));
    return 0;
}

/* A receive from anyone is woken again and again before a message that is far away. */
TestProgram(faults, deadlines_that_move_take_no_room,
            for (int P = 2; P <= 8; P += 3)
                test_run(test_machine(P, LOGP_CLOCK_VIRTUAL,
                                      &(struct logp_params){.L_ns = 3,
                                                            .o_send_ns = 1,
                                                            .o_recv_ns = 1,
                                                            .g_ns = 1,
                                                            .G_ps = 100000}),
                         program, NULL))
{
    const int P = logp_vp_size(vp), me = logp_vp_rank(vp), rounds = 3000;
    int in;

    for (int i = 0; me > 0 && i < rounds; i++) {
        OK(logp_send(vp, 0, 0, &i, sizeof(i)));
        OK(logp_compute(vp, 50, NULL, NULL));
    }
    for (int i = 0; me == 0 && i < (P - 1) * rounds; i++)
        OK(logp_recv(vp, LOGP_ANY_SOURCE, 0, &in, sizeof(in), NULL));
    return 0;
}
