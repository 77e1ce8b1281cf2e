/* SPDX-License-Identifier: MIT */
/* The stacks of vps: what their owners keep there stays, and costs no more memory than it must. */
#define _GNU_SOURCE
#include "support.h"

#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static long resident_kib(void)
{
    long pages = 0;
    FILE *f = fopen("/proc/self/statm", "re");

    cr_assert(f != NULL && fscanf(f, "%*s %ld", &pages) == 1);
    fclose(f);
    return pages * (sysconf(_SC_PAGESIZE) / 1024);
}

/* Frames of half a KiB, a wait in each; what was written before is there afterwards. */
static int descend(struct logp_vp *vp, int depth, int most)
{
    volatile unsigned char frame[512];

    for (size_t i = 0; i < sizeof(frame); i++)
        frame[i] = (unsigned char)(depth * 7 + logp_vp_rank(vp) + (int)i);
    OK(logp_barrier(vp));
    if (depth < most)
        OK(descend(vp, depth + 1, most));
    for (size_t i = 0; i < sizeof(frame); i++)
        cr_assert_eq(frame[i], (unsigned char)(depth * 7 + logp_vp_rank(vp) + (int)i));
    return 0;
}

static int go_down(struct logp_vp *vp, void *arg)
{
    return descend(vp, 1, *(const int *)arg);
}

static struct logp_machine *deep_machine(int P)
{
    return test_machine_with((struct logp_config){.n_processors = P,
                                                  .clock = LOGP_CLOCK_VIRTUAL,
                                                  .stack_bytes = 1 << 20},
                             &test_6ns);
}

/* 20 stacks of 240 KiB are 5 MiB; kept at every depth they were passed at they would be 750. */
Test(stacks, memory_is_that_of_the_deepest)
{
    struct logp_machine *m = deep_machine(20);
    int most = 300;
    const long before = resident_kib();

    for (int i = 0; i < 3; i++)
        cr_assert_eq(logp_machine_run(m, go_down, &most, test_timeout_ns), 0);
    if (TEST_SCALE == 1) /* sanitizers have a memory of their own */
        cr_expect_leq(resident_kib() - before, 100 * 1024);
    most = 3;
    test_run(m, go_down, &most);
}

/* 2 KiB that are the same in all. */
static int like_the_others(struct logp_vp *vp, void *arg)
{
    volatile unsigned char frame[2048];

    for (size_t i = 0; i < sizeof(frame); i++)
        frame[i] = (unsigned char)i;
    OK(logp_barrier(vp));
    for (size_t i = 0; i < sizeof(frame); i++)
        cr_assert_eq(frame[i], (unsigned char)i);
    return 0;
}

/* Of stacks set aside only the differences are kept: less than 2 KiB for a whole vp, which has
 * more than 4 KiB with its stack. */
Test(stacks, what_is_the_same_in_all_is_kept_once)
{
    const long before = resident_kib();
    TEST_MACHINE m = NULL;

    if (!test_shares_stack() || TEST_SCALE > 1) /* sanitizers have a memory of their own */
        return;
    m = deep_machine(10000);
    cr_assert_eq(logp_machine_run(m, like_the_others, NULL, test_timeout_ns), 0);
    cr_expect_leq(resident_kib() - before, 10000 * 2, "%ld KiB", resident_kib() - before);
}

/* A message of 8 bytes from rank to rank, for which all others wait at first. */
static int pass_on(struct logp_vp *vp, void *arg)
{
    const int me = logp_vp_rank(vp);
    int64_t word = me;

    if (me > 0)
        OK(logp_recv(vp, me - 1, 0, &word, sizeof(word), NULL));
    return me + 1 < logp_vp_size(vp) ? logp_send(vp, me + 1, 0, &word, sizeof(word)) : 0;
}

/* A vp with its timer, its posted receive and its stack set aside; huge pages are rounded up. */
Test(stacks, one_of_very_many_takes_at_most_350_bytes)
{
    enum { P = 1 << 19 };
    const long before = resident_kib();
    TEST_MACHINE m = NULL;

    if (!test_shares_stack() || TEST_SCALE > 1)
        return;
    m = deep_machine(P);
    cr_assert_eq(logp_machine_run(m, pass_on, NULL, test_timeout_ns), 0);
    cr_expect_leq((resident_kib() - before) * 1024 / P, 350, "%ld bytes",
                  (resident_kib() - before) * 1024 / P);
}

/* A word of a frame: in some rounds all are alike, in others they go with the rank, or some ranks have
 * others, or all are drawn. */
static uint32_t word_of(int me, int round, uint32_t i)
{
    uint32_t x = (uint32_t)me * 2654435761u + (uint32_t)round * 40503u + i * 2246822519u;

    x = (x ^ x >> 15) * 2246822519u;
    switch ((i / 16 + (uint32_t)round) % 6) {
    case 0:
        return i;
    case 1:
        return (uint32_t)me;
    case 2:
        return i + (uint32_t)me * 256;
    case 3:
        return me % 3 == 0 ? (uint32_t)me * i : 7;
    case 4:
        return me == (int)(i % 50) ? x : i;
    default:
        return round % 4 == 3 ? x : (uint32_t)round;
    }
}

/* What differs between stacks comes back as it was, wherever it differs and by how much. */
TestProgram(stacks, what_differs_comes_back, test_run(deep_machine(50), program, NULL))
{
    const int me = logp_vp_rank(vp);

    for (int round = 0; round < 24; round++) {
        const uint32_t n = 40 + (uint32_t)(me + round) % 3 * 400;
        volatile uint32_t frame[n];

        for (uint32_t i = 0; i < n; i++)
            frame[i] = word_of(me, round, i);
        OK(logp_compute(vp, me * 5 % 7, NULL, NULL));
        for (uint32_t i = 0; i < n; i++)
            cr_assert_eq(frame[i], word_of(me, round, i));
        for (uint32_t i = 0; i < n; i += 5)
            frame[i] = (uint32_t)me;
        OK(logp_barrier(vp));
        for (uint32_t i = 0; i < n; i++)
            cr_assert_eq(frame[i], i % 5 == 0 ? (uint32_t)me : word_of(me, round, i));
    }
    return 0;
}

/* ---- what a thread has of its own ---- */

/* A C++ runtime, as far as this is concerned: the exceptions that the calling thread handles. */
void *__cxa_get_globals(void);
__attribute__((visibility("default"))) void *__cxa_get_globals(void)
{
    static _Thread_local void *handled[2];

    return handled;
}

/* Each has its own errno, and its own exceptions, whoever runs in between. */
TestProgram(stacks, errno_and_exceptions_are_each_vps_own,
            for (int i = 0; i < 2; i++)
                test_run(test_machine(6, (enum logp_clock)i, &test_6ns), program, NULL))
{
    const int me = logp_vp_rank(vp);
    void **handled = __cxa_get_globals();

    cr_assert_eq(handled[0], NULL);
    cr_assert_eq(handled[1], NULL);
    for (int i = 0; i < 20; i++) {
        errno = 1000 + me;
        handled[0] = (void *)(intptr_t)(me + 1);
        handled[1] = (void *)(intptr_t)(me + i);
        OK(i % 2 == 0 ? logp_barrier(vp) : logp_compute(vp, 100, NULL, NULL));
        cr_assert_eq(errno, 1000 + me);
        cr_assert_eq(__cxa_get_globals(), handled);
        cr_assert_eq((intptr_t)handled[0], me + 1);
        cr_assert_eq((intptr_t)handled[1], me + i);
    }
    handled[0] = handled[1] = NULL; /* as when the handlers are over */
    return 0;
}

/* ---- off the stack ---- */

#if TEST_SCALE == 1 /* sanitizers have reports of their own */

static int dig(volatile char *above, int depth)
{
    volatile char page[4096];

    page[0] = above != NULL ? above[0] : 0;
    return depth == 0 ? page[0] : dig(page, depth - 1) + page[0];
}

static int digs(struct logp_vp *vp, void *arg)
{
    const int rc = logp_barrier(vp);

    return rc == 0 && logp_vp_rank(vp) == 2 ? dig(NULL, 1000) : rc; /* 4 MB */
}

/* A frame that is larger than the stack, and touched only at its far end. */
static __attribute__((noinline)) int leap(void)
{
    volatile char frame[(256 << 10) + (200 << 10)];

    frame[0] = 1;
    return frame[0];
}

static int leaps(struct logp_vp *vp, void *arg)
{
    const int rc = logp_barrier(vp);

    return rc == 0 && logp_vp_rank(vp) == 2 ? leap() : rc;
}

/* What was asked for is there, also where it is no whole number of pages: the last is whole, and
 * more than what is above this frame. */
static __attribute__((noinline)) int fill_frame(void)
{
    volatile char frame[256 << 10];

    for (size_t i = 0; i < sizeof(frame); i += 512)
        frame[i] = 1;
    return frame[0] - 1;
}

static int needs_all(struct logp_vp *vp, void *arg)
{
    return fill_frame();
}

Test(stacks, there_is_as_much_as_was_asked_for)
{
    const bool fibers = !test_on_threads();

    for (int i = 0; fibers && i < 2; i++) { /* a thread keeps things of its own there */
        const struct logp_config config = {.n_processors = 2,
                                           .delay = logp_delay_none(),
                                           .clock = (enum logp_clock)i,
                                           .stack_bytes = (256 << 10) + 1};

        test_run(test_machine_with(config, NULL), needs_all, NULL);
    }
}

/* What a child that ends by SIGSEGV says on stderr, into text. */
static void dying_words(logp_program program, enum logp_clock clock, char *text, size_t size)
{
    int ends[2], status = 0;
    ssize_t n, all = 0;
    pid_t pid;

    cr_assert_eq(pipe(ends), 0);
    pid = fork();
    if (pid == 0) {
        const struct rlimit no_core = {0, 0};

        setrlimit(RLIMIT_CORE, &no_core);
        signal(SIGSEGV, SIG_DFL); /* not the test runner's */
        dup2(ends[1], STDERR_FILENO);
        logp_machine_run(test_machine(3, clock, NULL), program, NULL, 0);
        _exit(0);
    }
    close(ends[1]);
    while ((n = read(ends[0], text + all, size - 1 - (size_t)all)) > 0)
        all += n;
    text[all] = '\0';
    close(ends[0]);
    cr_assert_eq(waitpid(pid, &status, 0), pid);
    cr_assert(WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV);
}

Test(stacks, who_runs_off_the_stack_is_named)
{
    static const logp_program programs[] = {digs, leaps};
    const bool fibers = !test_on_threads();
    char text[256];

    for (int i = 0; i < 4; i++) {
        dying_words(programs[i / 2], (enum logp_clock)(i % 2), text, sizeof(text));
        cr_expect_str_eq(text,
                         fibers ? "logp: rank 2 has exceeded its stack of 262144 bytes "
                                  "(logp_config.stack_bytes)\n"
                                : "",
                         "program %d: %s", i, text);
    }
}

static void not_ours(int number)
{
    _exit(7);
}

static int points_nowhere(struct logp_vp *vp, void *arg)
{
    volatile int *nowhere = arg;

    return *nowhere;
}

/* Other faults are the program's own affair, and so is the signal once there are no fibers. */
Test(stacks, other_faults_go_where_they_went)
{
    int status = 0;
    const pid_t pid = fork();

    if (pid == 0) {
        struct sigaction now;

        signal(SIGSEGV, not_ours);
        for (int i = 0; i < 2; i++)
            logp_machine_destroy(test_machine(2, LOGP_CLOCK_VIRTUAL, NULL));
        if (sigaction(SIGSEGV, NULL, &now) != 0 || now.sa_handler != not_ours)
            _exit(1);
        logp_machine_run(test_machine(2, LOGP_CLOCK_VIRTUAL, NULL), points_nowhere, NULL, 0);
        _exit(2);
    }
    cr_assert_eq(waitpid(pid, &status, 0), pid);
    cr_assert(WIFEXITED(status) && WEXITSTATUS(status) == 7);
}

/* ---- the stack of a signal handler ---- */

struct thread_start {
    void *(*main)(void *arg);
    void *arg;
};

static atomic_bool gives_stacks; /* every new thread has one for its signals, as under sanitizers */
static atomic_int n_given, n_kept;

static void *on_given_stack(void *arg)
{
    const struct thread_start start = *(struct thread_start *)arg;
    const stack_t none = {.ss_flags = SS_DISABLE};
    stack_t given = {.ss_sp = malloc(1 << 16), .ss_size = 1 << 16}, now;
    void *result;

    free(arg);
    cr_assert_eq(sigaltstack(&given, NULL), 0);
    atomic_fetch_add(&n_given, 1);
    result = start.main(start.arg);
    cr_assert_eq(sigaltstack(NULL, &now), 0);
    atomic_fetch_add(&n_kept, now.ss_sp == given.ss_sp && (now.ss_flags & SS_DISABLE) == 0);
    sigaltstack(&none, NULL);
    free(given.ss_sp);
    return result;
}

/* The library's calls come here. */
__attribute__((visibility("default"))) int
pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*main)(void *), void *arg);
int pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*main)(void *), void *arg)
{
    static int (*real)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
    struct thread_start *start;

    if (real == NULL)
        *(void **)&real = dlsym(RTLD_NEXT, "pthread_create");
    if (!atomic_load(&gives_stacks))
        return real(thread, attr, main, arg);
    start = malloc(sizeof(*start));
    *start = (struct thread_start){main, arg};
    return real(thread, attr, on_given_stack, start);
}

static int looks_at_its_stack(struct logp_vp *vp, void *arg)
{
    stack_t now;

    cr_assert_eq(sigaltstack(NULL, &now), 0);
    cr_assert_eq(now.ss_size, 1 << 16);
    return logp_barrier(vp);
}

Test(stacks, a_thread_that_has_a_stack_for_its_signals_keeps_it)
{
    struct logp_machine *m;

    atomic_store(&gives_stacks, true);
    m = test_machine(3, LOGP_CLOCK_VIRTUAL, NULL);
    test_run(m, looks_at_its_stack, NULL);
    cr_assert_geq(atomic_load(&n_given), 1);
    cr_assert_eq(atomic_load(&n_kept), atomic_load(&n_given));
}

#endif
