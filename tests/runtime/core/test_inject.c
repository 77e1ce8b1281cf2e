/* SPDX-License-Identifier: MIT */
/* Messages from threads that are no vps of the machine. */
#include "limited.h"
#include "own_clock.h"

#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

enum { SERVERS = 3, LONG = 3000 };

struct traffic {
    struct logp_machine *m;
    int per_pair, tag;
};

/* As logp_machine_inject(), until the programs run. */
static int inject(struct logp_machine *m, int dst, int tag, const void *buf, size_t n)
{
    int rc;

    while ((rc = logp_machine_inject(m, dst, tag, buf, n)) == -ESRCH)
        usleep(100);
    return rc;
}

/* Message k has k % 7 == 0 ? a long one : a number. */
static void *serve(void *arg)
{
    const struct traffic *t = arg;
    const int P = logp_machine_size(t->m);
    int buf[LONG / sizeof(int)] = {0};

    for (int k = 0; k < t->per_pair; k++)
        for (int to = 0; to < P; to++) {
            buf[0] = k;
            buf[LONG / sizeof(int) - 1] = k;
            cr_assert_eq(inject(t->m, to, t->tag, buf, k % 7 == 0 ? LONG : sizeof(int)), 0);
        }
    return NULL;
}

/* Each takes all that is for it, in between its neighbour's; of each server in the order sent. */
static int take_all(struct logp_vp *vp, void *arg)
{
    const struct traffic *t = arg;
    const int P = logp_vp_size(vp), me = logp_vp_rank(vp);
    int next[SERVERS] = {0}, buf[LONG / sizeof(int)];

    for (int i = 0; i < SERVERS * t->per_pair; i++) {
        struct logp_status s;
        const bool any = i % 2 == 0;

        OK(logp_send(vp, (me + 1) % P, SERVERS, &i, sizeof(i)));
        OK(logp_recv(vp, (me + P - 1) % P, SERVERS, buf, sizeof(buf), &s));
        cr_assert(buf[0] == i && s.source == (me + P - 1) % P);
        if (any) /* whichever has come first, which nobody else sends */
            OK(logp_probe_until(vp, LOGP_OUTSIDE, LOGP_ANY_TAG, LOGP_FOREVER, &s));
        else
            OK(logp_recv(vp, LOGP_OUTSIDE, LOGP_ANY_TAG, buf, sizeof(buf), &s));
        if (any)
            OK(logp_recv(vp, LOGP_ANY_SOURCE, s.tag, buf, sizeof(buf), &s));
        cr_assert_eq(s.source, LOGP_OUTSIDE);
        cr_assert_eq(buf[0], next[s.tag], "%d instead of %d", buf[0], next[s.tag]);
        cr_assert_eq(s.n_bytes, buf[0] % 7 == 0 ? LONG : sizeof(int));
        cr_assert(s.n_bytes < LONG || buf[LONG / sizeof(int) - 1] == buf[0]);
        next[s.tag]++;
    }
    return 0;
}

static void run_with_servers(struct logp_machine *m)
{
    struct traffic t[SERVERS];
    pthread_t threads[SERVERS];

    logp_machine_expect(m, true);
    for (int i = 0; i < SERVERS; i++) {
        t[i] = (struct traffic){m, 60 / TEST_SCALE + 10, i};
        cr_assert_eq(pthread_create(&threads[i], NULL, serve, &t[i]), 0);
    }
    cr_assert_eq(logp_machine_run(m, take_all, &t[0], test_timeout_ns), 0);
    for (int i = 0; i < SERVERS; i++)
        pthread_join(threads[i], NULL);
    cr_assert_eq(logp_machine_report(m)->unreceived, 0);
    cr_assert_eq(logp_machine_report(m)->messages,
                 (uint64_t)(2 * SERVERS * t[0].per_pair * logp_machine_size(m)));
}

Test(inject, many_threads_reach_every_vp_each_in_its_order)
{
    for (int i = 0; i < 4; i++) {
        const struct logp_config config = {
            .n_processors = 3, .delay = logp_delay_none(), .n_cores = i % 2 == 0};
        TEST_MACHINE m = test_machine_with(config, i >= 2 ? &test_6us : NULL);

        for (int run = 0; run < 2; run++)
            run_with_servers(m);
    }
}

/* Rank 0, as any thread, injects for rank 1, which waits for long. By the test's own clock. */
TestProgram(inject, it_arrives_at_once_and_the_receive_is_charged,
            for (int i = 0; i < 2; i++)
                test_run(own_clock_machine(2, (struct own_clock[]){own_clock()}, &test_6us),
                         program, &(int){i == 0 ? LOGP_OUTSIDE : LOGP_ANY_SOURCE}))
{
    const int src = *(const int *)arg;
    struct logp_status s;
    int64_t before;
    int x = 7;

    if (logp_vp_rank(vp) == 0) {
        OK(logp_compute(vp, 500000, NULL, NULL));
        before = logp_now(vp);
        cr_assert_eq(logp_machine_inject(logp_vp_machine(vp), 1, 3, &x, sizeof(x)), 0);
        cr_assert_lt(logp_now(vp), before + 1000); /* it costs the sender nothing */
        OK(logp_compute(vp, 100000, NULL, NULL));
        cr_assert_eq(logp_machine_inject(logp_vp_machine(vp), 1, 3, &x, sizeof(x)), 0);
        return logp_machine_inject(logp_vp_machine(vp), 1, 3, &x, sizeof(x));
    }
    OK(logp_recv(vp, src, 3, &x, sizeof(x), &s));
    cr_assert_geq(s.arrival_ns, 500000); /* no L */
    cr_assert_lt(s.arrival_ns, 502000);
    cr_assert_eq(logp_now(vp), s.arrival_ns + 2000); /* o_recv */
    OK(logp_recv(vp, src, 3, &x, sizeof(x), &s));
    before = logp_now(vp);
    OK(logp_recv(vp, src, 3, &x, sizeof(x), &s));
    cr_assert_eq(logp_now(vp), before + 4000); /* the gap */
    return 0;
}

/* ---- a model of one's own is told of ranks only ---- */

static void own_start(void *model, const struct logp_port *port, struct logp_transfer *t)
{
    t->start = t->done = t->ready;
}

static void own_send(void *model, struct logp_port *port, struct logp_transfer *t)
{
    t->arrival = t->done;
}

static void own_recv(void *model, struct logp_port *port, struct logp_transfer *t)
{
    cr_assert_eq(t->src, 1); /* as if the vp had sent it to itself */
    cr_assert_eq(t->dst, 1);
    t->start = t->done = t->ready;
}

static int injects_for_1(struct logp_vp *vp, void *arg)
{
    if (logp_vp_rank(vp) == 0)
        return logp_machine_inject(logp_vp_machine(vp), 1, 0, NULL, 0);
    return logp_recv(vp, LOGP_OUTSIDE, 0, NULL, 0, NULL);
}

Test(inject, a_model_is_told_that_the_vp_sent_to_itself)
{
    static const struct logp_delay_ops ops = {
        .size = sizeof(ops), .start = own_start, .send = own_send, .recv = own_recv};
    struct logp_machine *m = test_machine_of(2, LOGP_CLOCK_WALL, (struct logp_delay){.ops = &ops});

    logp_machine_expect(m, true);
    test_run(m, injects_for_1, NULL);
}

/* What comes from outside is nobody's: not a rank's, and in no other context. */
TestProgram(inject, only_a_receive_from_outside_or_anyone_takes_it,
            test_run(test_machine(1, LOGP_CLOCK_WALL, NULL), program, NULL);
            test_run(test_machine(1, LOGP_CLOCK_WALL, &test_6us), program, NULL))
{
    struct logp_vp *group;
    bool found = false;
    int x = 0;

    OK(logp_group_create(vp, 5, NULL, 0, &group));
    cr_assert_eq(logp_machine_inject(logp_vp_machine(vp), 0, 0, &x, sizeof(x)), 0);
    OK(logp_probe_until(vp, LOGP_OUTSIDE, 0, LOGP_FOREVER, NULL));
    OK(logp_probe(vp, 0, 0, &found, NULL));
    cr_assert(!found);
    OK(logp_probe(group, LOGP_ANY_SOURCE, 0, &found, NULL));
    cr_assert(!found);
    logp_group_destroy(group);
    return logp_recv(vp, LOGP_OUTSIDE, 0, &x, sizeof(x), NULL);
}

static int wait_for_outside(struct logp_vp *vp, void *arg)
{
    int x;

    if (arg != NULL)
        atomic_store((atomic_bool *)arg, true);
    return logp_recv(vp, logp_vp_rank(vp) == 0 ? LOGP_OUTSIDE : 0, 0, &x, sizeof(x), NULL);
}

/* Long after a deadlock would have been found; then nothing comes any more. */
static void *late_server(void *arg)
{
    struct logp_machine *m = arg;
    int x = 0;

    usleep(30000);
    cr_assert_eq(inject(m, 0, 0, &x, sizeof(x)), 0);
    usleep(30000);
    logp_machine_expect(m, false);
    return NULL;
}

Test(inject, a_machine_that_expects_something_is_not_deadlocked)
{
    for (int P = 1; P <= 4; P++) {
        TEST_MACHINE m = test_machine(P, LOGP_CLOCK_WALL, NULL);
        const struct logp_report *r = logp_machine_report(m);
        pthread_t thread;

        cr_assert_eq(logp_machine_run(m, wait_for_outside, NULL, test_timeout_ns), -EDEADLK);
        cr_assert_eq(r->waits[0].source, LOGP_OUTSIDE);
        logp_machine_expect(m, true);
        cr_assert_eq(pthread_create(&thread, NULL, late_server, m), 0);
        /* rank 0 gets what it waits for; nobody sends to the others */
        cr_assert_eq(logp_machine_run(m, wait_for_outside, NULL, test_timeout_ns),
                     P == 1 ? 0 : -EDEADLK);
        cr_assert_eq(r->n_waits, P - 1);
        pthread_join(thread, NULL);
    }
}

Test(inject, a_timeout_ends_a_machine_that_expects_in_vain)
{
    TEST_MACHINE m = test_machine(3, LOGP_CLOCK_WALL, NULL);
    atomic_bool begun = false;

    logp_machine_expect(m, true);
    do /* on a busy host the timeout may come before the vps do */
        cr_assert_eq(logp_machine_run(m, wait_for_outside, &begun, 20000000), -ETIMEDOUT);
    while (!atomic_load(&begun));
}

TestProgram(inject, the_queue_limit_holds,
            for (int i = 0; i < 2; i++)
                test_run(limited_machine(2, LOGP_CLOCK_WALL, i > 0), program, NULL))
{
    static char buf[LIMIT + 1];
    struct logp_machine *m = logp_vp_machine(vp);
    int n, rc;

    if (logp_vp_rank(vp) > 0)
        return 0;
    cr_expect_eq(logp_machine_inject(m, 1, 0, buf, LIMIT + 1), -EMSGSIZE);
    cr_expect_eq(logp_machine_inject(m, 1, 0, buf, LIMIT),
                 -EMSGSIZE); /* with what it needs itself */
    for (int turn = 0; turn < 3; turn++) {
        for (n = 1; (rc = logp_machine_inject(m, 0, 0, buf, 1000)) == 0; n++)
            ;
        cr_assert_eq(rc, -ENOBUFS);
        cr_assert(n > LIMIT / 1300 && n < LIMIT / 1000);
        for (int i = 1; i < n; i++)
            OK(logp_recv(vp, LOGP_OUTSIDE, 0, buf, 1000, NULL));
    }
    return 0;
}

static int leaves_it(struct logp_vp *vp, void *arg)
{
    const int to = (logp_vp_rank(vp) + 1) % logp_vp_size(vp);

    return logp_machine_inject(logp_vp_machine(vp), to, 0, NULL, 0);
}

Test(inject, what_nobody_receives_is_counted_and_gone)
{
    TEST_MACHINE m = test_machine(4, LOGP_CLOCK_WALL, NULL);

    for (int run = 0; run < 5; run++) {
        cr_assert_eq(logp_machine_inject(m, 0, 0, NULL, 0),
                     -ESRCH); /* before, between and after runs */
        cr_assert_eq(logp_machine_run(m, leaves_it, NULL, test_timeout_ns), 0);
        cr_assert_eq(logp_machine_report(m)->unreceived, 4);
        cr_assert_eq(logp_machine_report(m)->messages, 4);
    }
    cr_assert_eq(logp_machine_inject(m, 0, 0, NULL, 0), -ESRCH);
}

static int is_refused(struct logp_vp *vp, void *arg)
{
    struct logp_machine *m = logp_vp_machine(vp);
    char c = 0;

    if (logp_machine_clock(m) == LOGP_CLOCK_VIRTUAL)
        cr_expect_eq(logp_machine_inject(m, 0, 0, &c, 1), -ENOTSUP);
    cr_expect_eq(logp_machine_inject(m, -1, 0, &c, 1), -EINVAL);
    cr_expect_eq(logp_machine_inject(m, 2, 0, &c, 1), -EINVAL);
    cr_expect_eq(logp_machine_inject(m, 0, -1, &c, 1), -EINVAL);
    cr_expect_eq(logp_machine_inject(m, 0, 0, NULL, 1), -EINVAL);
    cr_expect_eq(logp_send(vp, LOGP_OUTSIDE, 0, &c, 1), -EINVAL);
    return 0;
}

Test(inject, wrong_arguments_and_the_virtual_clock_are_refused)
{
    struct logp_machine *m = test_machine(2, LOGP_CLOCK_VIRTUAL, NULL);

    logp_machine_expect(m, true); /* says nothing there: */
    cr_assert_eq(logp_machine_run(m, wait_for_outside, NULL, test_timeout_ns), -EDEADLK);
    test_run(m, is_refused, NULL);
    test_run(test_machine(2, LOGP_CLOCK_WALL, NULL), is_refused, NULL);
}

/* Runs begin and end while threads inject without a pause. */
static int ends_soon(struct logp_vp *vp, void *arg)
{
    int x, rc = 0;

    for (int i = 0; rc == 0 && i < 3; i++)
        rc = logp_recv(vp, LOGP_OUTSIDE, 0, &x, sizeof(x), NULL);
    return logp_vp_rank(vp) == 1 && rc == 0 ? *(int *)arg : rc;
}

struct flood {
    struct logp_machine *m;
    atomic_bool over;
};

static void *flood(void *arg)
{
    struct flood *f = arg;
    int x = 0;

    for (int i = 0; !atomic_load(&f->over); i++) {
        const int rc = logp_machine_inject(f->m, i % 4, 0, &x, sizeof(x));

        cr_assert(rc == 0 || rc == -ESRCH || rc == -ENOBUFS);
        if (rc != 0)
            usleep(50);
    }
    return NULL;
}

Test(inject, runs_may_begin_and_end_meanwhile)
{
    struct flood f = {limited_machine(4, LOGP_CLOCK_WALL, false), false};
    pthread_t threads[2];

    logp_machine_expect(f.m, true);
    for (int i = 0; i < 2; i++)
        cr_assert_eq(pthread_create(&threads[i], NULL, flood, &f), 0);
    for (int run = 0; run < 20 / TEST_SCALE + 4; run++) {
        int rc = run % 3 == 0 ? -EIO : 0;

        cr_assert_eq(logp_machine_run(f.m, ends_soon, &rc, test_timeout_ns), rc);
    }
    atomic_store(&f.over, true);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    cr_assert_eq(logp_machine_destroy(f.m), 0);
}
