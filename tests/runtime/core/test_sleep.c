/* SPDX-License-Identifier: MIT */
/*
 * A core that has nothing to do sleeps, and each way of giving it work wakes it.
 *
 * Rank 1, alone on its core, is about to wait. Rank 0 looks at the state of its thread until that
 * certainly sleeps, and then gives it what it waits for. If that did not wake it, the run would end by the
 * time limit.
 */
#define _GNU_SOURCE
#include "support.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { LONG = 8192, LIMIT = 10000, LOOKS = 3 };

/* The thread that waits; 0: it does not yet. */
struct sleeper {
    atomic_int thread;
};

static void about_to_wait(struct sleeper *s)
{
    atomic_store(&s->thread, (int)syscall(SYS_gettid));
}

static bool sleeps(int thread)
{
    char path[64], line[512] = "";
    const char *end;
    FILE *f;

    snprintf(path, sizeof(path), "/proc/self/task/%d/stat", thread);
    f = fopen(path, "r");
    cr_assert(f != NULL);
    cr_assert(fgets(line, sizeof(line), f) != NULL);
    fclose(f);
    end = strrchr(line, ')'); /* the name of the thread may have blanks */
    return end != NULL && end[2] == 'S';
}

/* Until it sleeps, so many times in a row. */
static void await_sleep_again(struct sleeper *s)
{
    for (int seen = 0; seen < LOOKS; usleep(1000)) {
        const int thread = atomic_load(&s->thread);

        seen = thread != 0 && sleeps(thread) ? seen + 1 : 0;
    }
}

static void await_sleep(struct sleeper *s)
{
    await_sleep_again(s);
    atomic_store(&s->thread, 0);
}

static struct logp_machine *two_cores(int P, struct logp_config config,
                                      const struct logp_params *params)
{
    config.n_processors = P;
    config.n_cores = 2;
    config.delay = logp_delay_none();
    return test_machine_with(config, params);
}

/* Ends with `expected`. A machine of one core, as on a host of one, has no core that waits for another. */
static void run_to(struct logp_machine *m, logp_program program, int64_t timeout_ns, int expected)
{
    struct sleeper s = {0};

    if (logp_machine_cores(m) == 2)
        cr_assert_eq(logp_machine_run(m, program, &s, timeout_ns), expected);
    cr_assert_eq(logp_machine_destroy(m), 0);
}

#define PLAIN                                                                                      \
    (struct logp_config)                                                                           \
    {                                                                                              \
        0                                                                                          \
    }

static int64_t patience_ns(void)
{
    return INT64_C(20000000000) * TEST_SCALE;
}

#define TestSleep(name, P, config, params, timeout_ns, expected)                                   \
    TestProgram(sleep, name, run_to(two_cores(P, config, params), program, timeout_ns, expected))

/* ---- messages ---- */

/* The first takes the mailbox, the others the lane, in each kind of entry. */
TestSleep(messages_wake_it, 2, PLAIN, NULL, patience_ns(), 0)
{
    static const size_t sizes[] = {1, 1, 8, 20, 32, 1000, LONG, 0};
    static char out[LONG], in[LONG];

    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        if (logp_vp_rank(vp) == 0) {
            await_sleep(arg);
            OK(logp_send(vp, 1, 7, out, sizes[i]));
            OK(logp_recv(vp, 1, 7, in, 1, NULL));
        } else { /* a buffer of this length is exposed: the last but one is copied into it */
            about_to_wait(arg);
            OK(logp_recv(vp, 0, 7, in, sizeof(in), NULL));
            OK(logp_send(vp, 0, 7, out, 1));
        }
    }
    return 0;
}

TestSleep(bits_beside_a_payload_wake_it, 2, PLAIN, NULL, patience_ns(), 0)
{
    char x = 0;
    const struct logp_send_options options = {
        .size = sizeof(options), .buf = &x, .n_bytes = 1, .bits = 5};

    for (int i = 0; i < 2; i++) {
        if (logp_vp_rank(vp) == 0) {
            await_sleep(arg);
            OK(logp_send_with(vp, 1, 7, &options));
        } else {
            about_to_wait(arg);
            OK(logp_recv(vp, 0, 7, &x, 1, NULL));
        }
    }
    return 0;
}

/* ---- starts ---- */

TestSleep(a_common_start_wakes_it, 2, PLAIN, NULL, patience_ns(), 0)
{
    for (int i = 0; i < 2; i++) {
        if (logp_vp_rank(vp) == 0)
            await_sleep(arg);
        else
            about_to_wait(arg);
        OK(logp_sync(vp, NULL));
    }
    return 0;
}

TestSleep(a_comparison_wakes_it, 2, PLAIN, NULL, patience_ns(), 0)
{
    int first;

    if (logp_vp_rank(vp) == 0)
        await_sleep(arg);
    else
        about_to_wait(arg);
    return logp_compare(vp, 1, &first);
}

/* ---- words, space, blocking sections ---- */

TestSleep(a_word_wakes_it, 2, PLAIN, NULL, patience_ns(), 0)
{
    static const char key;
    uint64_t *word;
    void *memory;

    OK(logp_shared(vp, &key, 2 * sizeof(*word), &memory));
    word = memory;
    for (uint64_t i = 1; i < 4; i++) {
        if (logp_vp_rank(vp) == 0) {
            await_sleep(arg);
            logp_shared_set(&word[1], i); /* it waits for another one */
            logp_shared_set(&word[0], i);
            OK(logp_shared_wait(vp, &word[1], i + 1, 1));
        } else {
            about_to_wait(arg);
            OK(logp_shared_wait(vp, &word[0], i, 0));
            logp_shared_set(&word[1], i + 1);
        }
    }
    return 0;
}

TestSleep(queue_space_wakes_it, 2,
          ((struct logp_config){.queue_limit = LIMIT, .wait_for_space = true}), NULL, patience_ns(),
          0)
{
    static char out[LONG], in[LONG];

    if (logp_vp_rank(vp) == 0) {
        OK(logp_recv(vp, 1, 2, in, 0, NULL));
        await_sleep(arg);
        for (int i = 0; i < 2; i++)
            OK(logp_recv(vp, 1, 1, in, LONG, NULL));
        return 0;
    }
    OK(logp_send(vp, 0, 1, out, LONG));
    OK(logp_send(vp, 0, 2, out, 0));
    about_to_wait(arg);
    return logp_send(vp, 0, 1, out, LONG);
}

/* The section of rank 2 ends while rank 1, which holds their core, sleeps. */
TestSleep(the_end_of_a_blocking_section_wakes_it, 3,
          ((struct logp_config){.core_of = (int[]){0, 1, 1}}), NULL, patience_ns(), 0)
{
    char x = 0;
    int rc;

    if (logp_vp_rank(vp) == 0)
        return logp_recv(vp, 1, 9, &x, 1, NULL);
    if (logp_vp_rank(vp) == 1) {
        about_to_wait(arg);
        OK(logp_recv(vp, 2, 9, &x, 1, NULL));
        return logp_send(vp, 0, 9, &x, 1);
    }
    rc = logp_blocking_begin(vp);
    if (rc == 0) {
        await_sleep(arg);
        OK(logp_blocking_end(vp));
    }
    return logp_send(vp, 1, 9, &x, 1);
}

/* ---- deadlines ---- */

TestSleep(a_message_wakes_it_long_before_its_deadline, 2, PLAIN, NULL, patience_ns(), 0)
{
    char x = 0;

    if (logp_vp_rank(vp) == 1) {
        about_to_wait(arg);
        return logp_probe_until(vp, 0, 9, logp_now(vp) + 2 * patience_ns(), NULL);
    }
    await_sleep(arg);
    return logp_send(vp, 1, 9, &x, 1);
}

TestSleep(a_stop_wakes_it_long_before_its_deadline, 2, PLAIN, NULL, patience_ns(), -EINTR)
{
    if (logp_vp_rank(vp) == 1) {
        about_to_wait(arg);
        return logp_sleep_until(vp, logp_now(vp) + 2 * patience_ns());
    }
    await_sleep(arg);
    logp_machine_stop(logp_vp_machine(vp), -EINTR);
    return 0;
}

/* How often the calling thread has slept. */
static long sleeps_of_thread(void)
{
    struct rusage usage;

    cr_assert_eq(getrusage(RUSAGE_THREAD, &usage), 0);
    return usage.ru_nvcsw;
}

static int sleep_alone(struct logp_vp *vp, void *arg)
{
    const long before = sleeps_of_thread();
    const int64_t until = logp_now(vp) + 50000000;

    OK(logp_sleep_until(vp, until));
    cr_assert_geq(logp_now(vp), until);
    *(bool *)arg = sleeps_of_thread() > before;
    return 0;
}

static int64_t another_clock(void *arg)
{
    struct timespec t;

    (void)arg;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 2 * (t.tv_sec * INT64_C(1000000000) + t.tv_nsec);
}

Test(sleep, it_sleeps_until_its_deadline_by_the_clock_of_the_host)
{
    const struct logp_config configs[] = {{0}, {.time_ns = another_clock}};
    bool slept;

    for (int i = 0; i < 4; i++) {
        struct logp_machine *m = two_cores(1, configs[i % 2], i < 2 ? NULL : &test_6us);

        cr_assert_eq(logp_machine_run(m, sleep_alone, &slept, patience_ns()), 0);
        cr_assert_eq(logp_machine_destroy(m), 0);
        cr_assert_eq(slept, i == 0); /* nothing is emulated */
    }
}

/* ---- what ends a run ---- */

TestSleep(a_stop_wakes_it, 2, PLAIN, NULL, patience_ns(), -EINTR)
{
    char x;

    if (logp_vp_rank(vp) == 1) {
        about_to_wait(arg);
        return logp_recv(vp, 0, 9, &x, 1, NULL);
    }
    await_sleep(arg);
    logp_machine_stop(logp_vp_machine(vp), -EINTR);
    return 0;
}

TestSleep(the_last_to_sleep_finds_a_deadlock, 2, PLAIN, NULL, patience_ns(), -EDEADLK)
{
    char x;

    if (logp_vp_rank(vp) == 1)
        about_to_wait(arg);
    else
        await_sleep(arg);
    return logp_recv(vp, 1 - logp_vp_rank(vp), 9, &x, 1, NULL);
}

/* Rank 1 has ended, and its core sleeps. */
static int end_later(struct logp_vp *vp, void *arg)
{
    char x = 0;

    if (logp_vp_rank(vp) == 1) {
        about_to_wait(arg);
        return 0;
    }
    await_sleep_again(arg);
    OK(logp_send(vp, 1, 9, &x, 1));
    await_sleep_again(arg);
    return 0;
}

Test(sleep, the_end_of_all_wakes_it)
{
    run_to(two_cores(2, PLAIN, NULL), end_later, patience_ns(), 0);
    run_to(two_cores(2, PLAIN, &test_6us), end_later, patience_ns(), 0);
}

/* ---- from outside ---- */

static void run_expecting(logp_program program, int64_t timeout_ns, int expected)
{
    struct logp_machine *m = two_cores(2, PLAIN, NULL);

    logp_machine_expect(m, true);
    run_to(m, program, timeout_ns, expected);
}

TestProgram(sleep, an_injection_wakes_it, run_expecting(program, patience_ns(), 0))
{
    char x = 0;

    if (logp_vp_rank(vp) == 1) {
        about_to_wait(arg);
        return logp_recv(vp, LOGP_OUTSIDE, 9, &x, 1, NULL);
    }
    await_sleep(arg);
    return logp_machine_inject(logp_vp_machine(vp), 1, 9, &x, 1);
}

TestProgram(sleep, the_time_limit_wakes_it, run_expecting(program, 200000000, -ETIMEDOUT))
{
    char x;

    return logp_recv(vp, LOGP_OUTSIDE, 9, &x, 1, NULL);
}

struct expectation {
    struct sleeper sleeper;
    struct logp_machine *m;
};

/* Both ranks sleep when nothing is expected any more. */
static void *expect_nothing(void *arg)
{
    struct expectation *e = arg;

    await_sleep(&e->sleeper);
    logp_machine_expect(e->m, false);
    return NULL;
}

static int wait_for_injection(struct logp_vp *vp, void *arg)
{
    struct expectation *e = arg;
    char x;

    if (logp_vp_rank(vp) == 1)
        about_to_wait(&e->sleeper);
    return logp_recv(vp, LOGP_OUTSIDE, 9, &x, 1, NULL);
}

Test(sleep, a_deadlock_is_found_when_nothing_is_expected_any_more)
{
    struct expectation e = {.m = two_cores(2, PLAIN, NULL)};
    pthread_t thread;

    logp_machine_expect(e.m, true);
    cr_assert_eq(pthread_create(&thread, NULL, expect_nothing, &e), 0);
    cr_assert_eq(logp_machine_run(e.m, wait_for_injection, &e, patience_ns()), -EDEADLK);
    pthread_join(thread, NULL);
    cr_assert_eq(logp_machine_destroy(e.m), 0);
}
