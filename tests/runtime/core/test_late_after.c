/* SPDX-License-Identifier: MIT */
/* A run that is given up: what is known of it, what is for the next, and whom it asks no more. */
#include "late.h"

#include <pthread.h>

/* ---- what a run that is over leaves ---- */

static atomic_int n_begun;

static int counted_late(struct logp_vp *vp, void *arg)
{
    atomic_fetch_add(&n_begun, 1);
    if (logp_vp_rank(vp) == 0)
        be_late();
    return 0;
}

static bool once(void *arg, const struct logp_report *report)
{
    atomic_int *const asked = arg;

    atomic_fetch_add(asked, 1);
    return false;
}

/* The late one comes home while the owner asks for runs that are repeated. */
Test(late_after, a_run_that_is_over_is_not_repeated)
{
    TEST_MACHINE m = test_machine(P, LOGP_CLOCK_VIRTUAL, &test_6ns);
    atomic_int asked = 0;
    int rc;

    atomic_store(&n_begun, 0);
    run_late(m, counted_late, NULL);
    cr_assert_eq(atomic_load(&n_begun) % P, test_parallel() ? atomic_load(&n_begun) % P : 1);
    atomic_store(&n_begun, 0);
    atomic_store(&lateness.may_go_on, true);
    do
        rc = logp_machine_repeat(m, begin_clean, NULL, test_timeout_ns, once, &asked);
    while (rc == -EBUSY);
    cr_assert_eq(rc, 0);
    cr_assert_eq(atomic_load(&asked), 1);
    cr_assert_eq(atomic_load(&n_begun), 0, "a vp began what is over");
    run_clean(m);
}

static int64_t read_ns(clockid_t id)
{
    struct timespec t;

    clock_gettime(id, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* It may never come home: meanwhile other cores have something better to do than to spin. */
Test(late_after, nobody_spins_for_who_is_away)
{
    for (int clock = 0; clock < 2; clock++) {
        TEST_MACHINE m = test_machine(P, clock ? LOGP_CLOCK_VIRTUAL : LOGP_CLOCK_WALL, &test_6ns);
        int64_t cpu, wall;

        run_late(m, late_rank_0, NULL);
        cpu = read_ns(CLOCK_PROCESS_CPUTIME_ID);
        wall = read_ns(CLOCK_MONOTONIC);
        while (read_ns(CLOCK_MONOTONIC) < wall + 100000000)
            late_pause();
        cpu = read_ns(CLOCK_PROCESS_CPUTIME_ID) - cpu;
        wall = read_ns(CLOCK_MONOTONIC) - wall;
        cr_assert_lt(cpu, wall / 2);
        await_late(m);
    }
}
/* One fails, or finds something wrong, and another of the same core is late: what is said of the
 * run is written by the one, and read by who waits for the other. */
static int failing(struct logp_vp *vp, void *arg)
{
    const bool *const asserts = arg;

    if (logp_vp_rank(vp) == 2) {
        TRY(logp_recv(vp, 1, 0, NULL, 0, NULL));
        return *asserts ? logp_check_holds(vp, false, "true", "file", 77) : -EIO;
    }
    if (logp_vp_rank(vp) == 1) {
        int rc = logp_send(vp, 2, 0, NULL, 0);

        rc = rc == 0 ? logp_recv(vp, 2, 0, NULL, 0, NULL) : rc;
        be_late(); /* after the error, too */
        return rc;
    }
    return logp_recv(vp, 1, 0, NULL, 0, NULL);
}

Test(late_after, a_report_says_what_is_known)
{
    static const char *const executors[] = {"thread", "fiber"};

    for (int i = 0; i < 4; i++) {
        TEST_MACHINE m =
            late_on_one_core(i < 2 ? LOGP_CLOCK_WALL : LOGP_CLOCK_VIRTUAL, executors[i % 2]);
        const struct logp_report *r = logp_machine_report(m);
        bool asserts = i % 3 == 0;

        run_late(m, failing, &asserts);
        cr_assert_eq(r->error, -ETIMEDOUT);
        cr_assert_eq(r->asserted.file != NULL, asserts);
        if (asserts)
            cr_assert_eq(r->asserted.line, 77);
        await_late(m);
        cr_assert_eq(r->error, -ETIMEDOUT);
        cr_assert_eq(r->asserted.file != NULL, asserts);
        run_clean(m);
    }
}

/* A stop when the run is given up is for the next, whether the late one has come home or not. */
Test(late_after, no_stop_is_lost)
{
    TEST_MACHINE m = test_machine(P, LOGP_CLOCK_VIRTUAL, &test_6ns);

    for (int home = 0; home < 2; home++) {
        run_late(m, counted_late, NULL);
        if (home)
            await_late(m);
        logp_machine_stop(m, -EINTR);
        logp_machine_stop(m, -EIO);
        await_late(m);
        cr_assert_eq(logp_machine_run(m, late_never, NULL, test_timeout_ns), -EINTR);
        run_clean(m);
    }
}

/* ---- who is not asked any more ---- */

static atomic_int n_asked; /* a model */

static int64_t work(void *model, int rank, int64_t from, int64_t ns)
{
    atomic_fetch_add(&n_asked, 1);
    return from + ns;
}

static void start(void *model, const struct logp_port *port, struct logp_transfer *t)
{
    atomic_fetch_add(&n_asked, 1);
    t->start = t->ready;
    t->done = t->ready + 1;
}

static void send(void *model, struct logp_port *port, struct logp_transfer *t)
{
    atomic_fetch_add(&n_asked, 1);
    t->done = t->start + 1;
    t->arrival = t->done + 1;
}

static void recv(void *model, struct logp_port *port, struct logp_transfer *t)
{
    atomic_fetch_add(&n_asked, 1);
    t->start = t->ready;
    t->done = t->start + 1;
}

static void restart(void *model, bool new_run)
{
    atomic_fetch_add(&n_asked, 1);
}

static int64_t lookahead(void *model)
{
    return 2;
}

static void late_inside(void *arg)
{
    be_late();
}

/* Late within a call: in what logp_compute() computes. */
static int late_in_compute(struct logp_vp *vp, void *arg)
{
    if (logp_vp_rank(vp) != 0)
        return logp_sync(vp, NULL);
    cr_assert_eq(logp_compute(vp, 10, late_inside, NULL), -ETIMEDOUT);
    late_calls(vp);
    return 0;
}

Test(late_after, a_model_is_asked_nothing_after_the_run)
{
    static const struct logp_delay_ops ops = {.size = sizeof(ops),
                                              .name = "counting",
                                              .start = start,
                                              .send = send,
                                              .recv = recv,
                                              .restart = restart,
                                              .lookahead = lookahead,
                                              .work = work};

    for (int clock = 0; clock < 2; clock++) {
        TEST_MACHINE m = test_machine_of(P, clock ? LOGP_CLOCK_VIRTUAL : LOGP_CLOCK_WALL,
                                         (struct logp_delay){&ops, NULL});
        int asked;

        run_late(m, late_in_compute, NULL);
        asked = atomic_load(&n_asked);
        await_late(m);
        cr_assert_eq(atomic_load(&n_asked), asked);
        run_clean(m);
    }
}

/* A late vp does not change what the owner has set meanwhile. */
static int sets_delay(struct logp_vp *vp, void *arg)
{
    struct logp_delay delay;

    if (logp_vp_rank(vp) != 0)
        return logp_recv(vp, 0, 0, NULL, 0, NULL);
    be_late();
    cr_assert_eq(logp_delay_create("loggp", &test_6ns, &delay), 0);
    cr_assert_neq(logp_machine_set_delay(logp_vp_machine(vp), delay, 0), 0);
    logp_delay_destroy(&delay);
    return 0;
}

Test(late_after, a_model_is_not_replaced_after_the_run)
{
    for (int clock = 0; clock < 2; clock++) {
        struct logp_machine *m =
            test_machine(P, clock ? LOGP_CLOCK_VIRTUAL : LOGP_CLOCK_WALL, NULL);

        if (test_parallel() && clock) { /* which does not run without a model */
            cr_assert_eq(logp_machine_destroy(m), 0);
            continue;
        }
        run_late(m, sets_delay, NULL);
        await_late(m);
        cr_assert(!logp_machine_delayed(m));
        run_clean(m);
        cr_assert_eq(logp_machine_destroy(m), 0);
    }
}

/* ---- messages from outside ---- */

/* The first start of a run is late, as the clock is: it is read by the vps, and by the owner. */
static struct {
    pthread_t owner;
    atomic_bool stands_still;
} clock_of;

static int64_t read_clock(void *arg)
{
    static _Atomic int64_t now;

    if (atomic_load(&clock_of.stands_still) && !pthread_equal(pthread_self(), clock_of.owner))
        be_late();
    return atomic_fetch_add(&now, 100);
}

static int ends(struct logp_vp *vp, void *arg)
{
    return 0;
}

Test(late_after, nothing_comes_from_outside_before_the_next_run)
{
    const struct logp_config config = {.size = sizeof(config),
                                       .n_processors = P,
                                       .delay = logp_delay_none(),
                                       .executor = test_executor(),
                                       .time_ns = read_clock};
    struct logp_machine *m;

    clock_of.owner = pthread_self();
    cr_assert_eq(logp_machine_create(&config, &m), 0);
    atomic_store(&clock_of.stands_still, true);
    run_late(m, ends, NULL);
    cr_assert_eq(logp_machine_inject(m, 0, 1, NULL, 0), -ESRCH);
    atomic_store(&clock_of.stands_still, false);
    atomic_store(&lateness.may_go_on, true);
    while (logp_machine_busy(m))
        cr_assert_eq(logp_machine_inject(m, 0, 1, NULL, 0), -ESRCH);
    cr_assert_eq(logp_machine_inject(m, 0, 1, NULL, 0), -ESRCH);
    run_clean(m);
    cr_assert_eq(logp_machine_destroy(m), 0);
}
