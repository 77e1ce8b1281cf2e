/* SPDX-License-Identifier: MIT */
/* Programs that leave the runtime for a while: mutexes, conditions, input. */
#include "support.h"

#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

/* P vps on one core: what one of them blocks, the others feel. */
static struct logp_machine *one_core(int P, enum logp_clock clock, const struct logp_params *p)
{
    return test_machine_with(
        (struct logp_config){
            .n_processors = P, .delay = logp_delay_none(), .clock = clock, .n_cores = 1},
        p);
}

struct shared {
    pthread_mutex_t mutex;
    pthread_cond_t cond;
    int count, rounds;
    int pipe[2];
    atomic_bool begun, go;
};

static struct shared shared_of(int rounds)
{
    return (struct shared){.mutex = PTHREAD_MUTEX_INITIALIZER,
                           .cond = PTHREAD_COND_INITIALIZER,
                           .rounds = rounds / TEST_SCALE + 1};
}

static int lock_outside(struct logp_vp *vp, pthread_mutex_t *mutex)
{
    int rc = logp_blocking_begin(vp);

    cr_assert_eq(rc, 0);
    pthread_mutex_lock(mutex);
    rc = logp_blocking_end(vp);
    if (rc != 0)
        pthread_mutex_unlock(mutex);
    return rc;
}

/* Whoever has the mutex waits for a message, while all others of its core want the mutex. */
static int hold_and_wait(struct logp_vp *vp, void *arg)
{
    struct shared *s = arg;
    const int P = logp_vp_size(vp), me = logp_vp_rank(vp);
    char c = 0;

    for (int i = 0; i < s->rounds; i++) {
        OK(lock_outside(vp, &s->mutex));
        s->count++;
        OK(logp_send(vp, me, i, &c, 1));
        OK(logp_compute(vp, 3000, NULL, NULL));
        OK(logp_recv(vp, me, i, &c, 1, NULL));
        pthread_mutex_unlock(&s->mutex);
    }
    OK(logp_send(vp, (me + 1) % P, 99999, &c, 1));
    return logp_recv(vp, (me + P - 1) % P, 99999, &c, 1, NULL);
}

Test(blocking, a_mutex_that_another_vp_of_the_core_holds_is_no_deadlock)
{
    for (int i = 0; test_on_threads() && i < 4; i++) {
        struct shared s = shared_of(50);
        const struct logp_params *p = i % 2 == 0 ? NULL : &test_6us;

        test_run(i < 2 ? one_core(5, LOGP_CLOCK_WALL, p) : test_machine(5, LOGP_CLOCK_WALL, p),
                 hold_and_wait, &s);
        cr_assert_eq(s.count, 5 * s.rounds);
    }
}

/* All but rank 0 wait on a condition at once: nobody holds their cores. */
static int all_outside(struct logp_vp *vp, void *arg)
{
    struct shared *s = arg;
    const int P = logp_vp_size(vp);

    for (int i = 1; i <= s->rounds; i++) {
        OK(logp_blocking_begin(vp));
        pthread_mutex_lock(&s->mutex);
        if (++s->count == i * P)
            pthread_cond_broadcast(&s->cond);
        while (s->count < i * P)
            pthread_cond_wait(&s->cond, &s->mutex);
        pthread_mutex_unlock(&s->mutex);
        OK(logp_blocking_end(vp));
        if (i % 4 == 0)
            OK(logp_barrier(vp));
    }
    return 0;
}

Test(blocking, all_vps_of_a_core_may_be_outside_at_once)
{
    for (int P = 1; test_on_threads() && P <= 7; P += 2)
        for (int i = 0; i < 2; i++) {
            struct shared s = shared_of(100);

            test_run(test_machine(P, LOGP_CLOCK_WALL, i == 0 ? NULL : &test_6us), all_outside, &s);
            cr_assert_eq(s.count, P * s.rounds);
        }
}

/* Rank 0 reads what rank 1 of its core writes; what others are sent meanwhile goes on. */
static int reads(struct logp_vp *vp, void *arg)
{
    struct shared *s = arg;
    const int P = logp_vp_size(vp), me = logp_vp_rank(vp);
    const int64_t before = logp_now(vp);
    char c = 0;

    if (me == 0) {
        cr_assert_eq(logp_blocking_begin(vp), 0);
        cr_assert_eq(read(s->pipe[0], &c, 1), 1);
        usleep(2000);
        OK(logp_blocking_end(vp));
        cr_assert(logp_now(vp) >= before + 2000000); /* it counts as the program's own */
    }
    for (int i = 0; me > 0 && i < 100; i++) {
        OK(logp_send(vp, me % (P - 1) + 1, 1, &c, 1));
        OK(logp_recv(vp, LOGP_ANY_SOURCE, 1, &c, 1, NULL));
    }
    if (me == 1)
        cr_assert_eq(write(s->pipe[1], &c, 1), 1);
    return logp_barrier(vp);
}

Test(blocking, others_go_on_while_one_waits_for_input_and_its_time_counts)
{
    for (int i = 0; test_on_threads() && i < 4; i++) {
        struct shared s = shared_of(1);
        const struct logp_params *p = i % 2 == 0 ? NULL : &test_6us;

        cr_assert_eq(pipe(s.pipe), 0);
        test_run(i < 2 ? one_core(4, LOGP_CLOCK_WALL, p) : test_machine(4, LOGP_CLOCK_WALL, p),
                 reads, &s);
        close(s.pipe[0]);
        close(s.pipe[1]);
    }
}

/* All others wait for rank 0, which is outside for much longer than a deadlock takes to be found.
 */
TestProgram(blocking, nobody_is_deadlocked_who_waits_for_a_vp_outside,
            for (int P = 2; test_on_threads() && P <= 4; P++)
                test_run(test_machine(P, LOGP_CLOCK_WALL, NULL), program,
                         (struct shared[]){shared_of(1)}))
{
    struct shared *s = arg;
    char c = 0;

    if (logp_vp_rank(vp) > 0) {
        atomic_store(&s->go, true);
        return logp_recv(vp, 0, 0, &c, 1, NULL);
    }
    cr_assert_eq(logp_blocking_begin(vp), 0);
    while (!atomic_load(&s->go))
        usleep(1000);
    usleep(20000);
    OK(logp_blocking_end(vp));
    for (int i = 1; i < logp_vp_size(vp); i++)
        OK(logp_send(vp, i, 0, &c, 1));
    return 0;
}

TestProgram(
    blocking, a_deadlock_after_all_have_come_back_is_found,
    for (int P = 1; test_on_threads() && P <= 4; P++) cr_assert_eq(
        test_report(test_machine(P, LOGP_CLOCK_WALL, NULL), program, NULL, -EDEADLK).n_waits, P))
{
    char c;
    int rc = logp_blocking_begin(vp);

    rc = rc != 0 ? rc : logp_blocking_end(vp);
    return rc != 0 ? rc : logp_recv(vp, 0, 0, &c, 1, NULL);
}

/* Rank 0 ends with an error only once rank 1 waits for the mutex that it holds. */
static int fails_with_the_mutex(struct logp_vp *vp, void *arg)
{
    struct shared *s = arg;
    char c;
    int rc;

    if (logp_vp_rank(vp) == 0) {
        pthread_mutex_lock(&s->mutex);
        rc = logp_recv(vp, 1, 0, &c, 1, NULL);
        cr_assert_neq(rc, 0);
        pthread_mutex_unlock(&s->mutex);
        return rc;
    }
    if (logp_vp_rank(vp) == 2) {
        while (!atomic_load(&s->begun))
            logp_compute(vp, 1000, NULL, NULL);
        return -EIO;
    }
    cr_assert_eq(logp_blocking_begin(vp), 0);
    atomic_store(&s->begun, true);
    pthread_mutex_lock(&s->mutex);
    pthread_mutex_unlock(&s->mutex);
    rc = logp_blocking_end(vp);
    cr_assert_eq(rc, -ECANCELED);
    return rc;
}

Test(blocking, a_stop_lets_the_others_of_the_core_end_first)
{
    for (int i = 0; test_on_threads() && i < 20; i++) {
        struct shared s = shared_of(1);
        const struct logp_report r =
            test_report(one_core(3, LOGP_CLOCK_WALL, i % 2 == 0 ? NULL : &test_6us),
                        fails_with_the_mutex, &s, -EIO);

        cr_assert_eq(r.error_rank, 2);
    }
}

static int stays_outside(struct logp_vp *vp, void *arg)
{
    struct shared *s = arg;

    if (logp_vp_rank(vp) == 1) {
        cr_assert_eq(logp_blocking_begin(vp), 0);
        atomic_store(&s->begun, true);
        while (!atomic_load(&s->go))
            usleep(1000);
        return 0; /* without coming back: so it must be */
    }
    return logp_recv(vp, 1, 0, NULL, 0, NULL);
}

Test(blocking, who_stays_outside_is_named_by_the_timeout)
{
    struct logp_machine *m = one_core(2, LOGP_CLOCK_WALL, NULL);
    struct shared s = shared_of(1);

    if (test_on_threads()) {
        do /* on a busy host the timeout may come before the vp does */
            cr_assert_eq(logp_machine_run(m, stays_outside, &s, 20000000), -ETIMEDOUT);
        while (!atomic_load(&s.begun));
        cr_assert_eq(logp_machine_report(m)->n_waits, 1);
        cr_assert_eq(logp_machine_report(m)->waits[0].rank, 1);
        cr_assert_eq(logp_machine_report(m)->waits[0].kind, LOGP_WAIT_RUNNING);
        cr_assert_eq(logp_machine_run(m, test_barrier, NULL, 0), -EBUSY);
        atomic_store(&s.go, true);
        while (logp_machine_busy(m))
            usleep(1000);
    }
    test_run(m, test_barrier, NULL);
}

static int forgets_to_come_back(struct logp_vp *vp, void *arg)
{
    return logp_vp_rank(vp) == 1 ? logp_blocking_begin(vp) : logp_recv(vp, 1, 0, NULL, 0, NULL);
}

Test(blocking, who_ends_outside_has_ended)
{
    for (int P = 2; test_on_threads() && P <= 3; P++) {
        struct logp_machine *m = one_core(P, LOGP_CLOCK_WALL, NULL);

        cr_assert_eq(logp_machine_run(m, forgets_to_come_back, NULL, test_timeout_ns), -EDEADLK);
        cr_assert_eq(logp_machine_report(m)->n_waits, P - 1);
        test_run(m, test_barrier, NULL);
    }
}

/*
 * Rank 1 hands the core straight to rank 0, which its message has made ready, and has it back when
 * rank 0 goes outside: but what it waits for comes later.
 */
TestProgram(blocking, who_has_the_core_meanwhile_waits_on,
            if (test_on_threads()) test_run(one_core(3, LOGP_CLOCK_WALL, NULL), program, NULL))
{
    const int rounds = 10, me = logp_vp_rank(vp);

    for (int i = 0; i < rounds; i++) {
        int got = -1;

        if (me == 0) {
            OK(logp_recv(vp, 1, 0, NULL, 0, NULL));
            OK(logp_blocking_begin(vp));
            OK(logp_blocking_end(vp));
            OK(logp_send(vp, 2, 0, NULL, 0));
        } else if (me == 1) {
            OK(logp_recv(vp, 2, 0, NULL, 0, NULL));
            OK(logp_send(vp, 0, 0, NULL, 0));
            OK(logp_recv(vp, 2, 1, &got, sizeof(got), NULL));
            cr_assert(got == i);
        } else {
            OK(logp_send(vp, 1, 0, NULL, 0));
            OK(logp_recv(vp, 0, 0, NULL, 0, NULL));
            OK(logp_send(vp, 1, 1, &i, sizeof(i)));
        }
    }
    return 0;
}

static void *interrupt(void *machine)
{
    logp_machine_stop(machine, -EINTR);
    return NULL;
}

/* The machine is stopped by another thread, while one is outside and the others wait. */
TestProgram(blocking, a_stop_reaches_who_comes_back,
            for (int P = 1; test_on_threads() && P <= 4; P++)
                test_run_fails(test_machine(P, LOGP_CLOCK_WALL, NULL), program, NULL, -EINTR))
{
    pthread_t thread;
    int rc;

    if (logp_vp_rank(vp) != 0)
        return logp_recv(vp, 0, 0, NULL, 0, NULL);
    cr_assert_eq(logp_blocking_begin(vp), 0);
    cr_assert_eq(pthread_create(&thread, NULL, interrupt, logp_vp_machine(vp)), 0);
    pthread_join(thread, NULL);
    rc = logp_blocking_end(vp);
    cr_assert_eq(rc, -EINTR);
    cr_assert_eq(logp_blocking_begin(vp), -EINTR);
    return rc;
}

static int wrong_order(struct logp_vp *vp, void *arg)
{
    cr_expect_eq(logp_blocking_end(vp), -EINVAL);
    cr_expect_eq(logp_blocking_begin(vp), 0);
    cr_expect_eq(logp_blocking_begin(vp), -EINVAL);
    cr_expect_eq(logp_blocking_end(vp), 0);
    cr_expect_eq(logp_blocking_end(vp), -EINVAL);
    return logp_barrier(vp);
}

static int is_refused(struct logp_vp *vp, void *arg)
{
    const int64_t before = logp_now(vp);

    cr_expect_eq(logp_blocking_begin(vp), -ENOTSUP);
    cr_expect_eq(logp_blocking_end(vp), -EINVAL);
    cr_expect(arg == NULL || logp_now(vp) == before);
    return logp_barrier(vp);
}

Test(blocking, it_takes_a_thread_and_the_wall_clock)
{
    int is_virtual = 1;

    test_run(test_machine(3, LOGP_CLOCK_WALL, NULL), test_on_threads() ? wrong_order : is_refused,
             NULL);
    test_run(test_machine(3, LOGP_CLOCK_VIRTUAL, &test_6us), is_refused, &is_virtual);
}
