/* SPDX-License-Identifier: MIT */
/*
 * A storm of signals that hits every thread of the process at random times, those of the machine
 * and who waits for its run: nothing is lost, with system calls that are taken up again
 * (SA_RESTART) and without. And a machine is stopped from the handlers.
 */
#define _GNU_SOURCE
#include "stress.h"
#include "support.h"

#include <dirent.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static _Atomic(struct logp_machine *) to_stop; /* by every 64th signal; NULL: none */
static atomic_uint n_handled;
static atomic_bool over;

static void handle(int signal)
{
    struct logp_machine *m = atomic_load(&to_stop);
    const unsigned n = atomic_fetch_add(&n_handled, 1);

    if (m != NULL && n % 64 == 0)
        logp_machine_stop(m, -EINTR);
}

/* One to each thread but this one. */
static void hit_all(void)
{
    const pid_t me = (pid_t)syscall(SYS_gettid);
    DIR *threads = opendir("/proc/self/task");
    const struct dirent *entry;

    while (threads != NULL && (entry = readdir(threads)) != NULL) {
        const pid_t thread = atoi(entry->d_name);

        if (thread > 0 && thread != me)
            syscall(SYS_tgkill, getpid(), thread, SIGUSR1);
    }
    if (threads != NULL)
        closedir(threads);
}

static void *storm(void *arg)
{
    uint64_t random = (uint64_t)(uintptr_t)arg | 1;

    while (!atomic_load(&over)) {
        const struct timespec pause = {.tv_nsec = (long)test_below(&random, 300000)};

        hit_all();
        nanosleep(&pause, NULL);
    }
    return NULL;
}

/* While body(arg) runs, signals rain. */
static void in_storm(int flags, void (*body)(void *arg), void *arg)
{
    const struct sigaction action = {.sa_handler = handle, .sa_flags = flags};
    const struct sigaction none = {.sa_handler = SIG_IGN}; /* some may still be on their way */
    const unsigned had = atomic_load(&n_handled);
    pthread_t thread;

    atomic_store(&over, false);
    cr_assert_eq(sigaction(SIGUSR1, &action, NULL), 0);
    cr_assert_eq(pthread_create(&thread, NULL, storm, (void *)(uintptr_t)(flags + 1)), 0);
    body(arg);
    atomic_store(&over, true);
    pthread_join(thread, NULL);
    cr_assert_gt(atomic_load(&n_handled), had + 10);
    cr_assert_eq(sigaction(SIGUSR1, &none, NULL), 0);
}

static struct logp_machine *make(enum logp_clock clock, bool delays, int lane_slots)
{
    return test_machine_with((struct logp_config){.n_processors = 5,
                                                  .delay = logp_delay_none(),
                                                  .clock = clock,
                                                  .lane_slots = lane_slots},
                             delays ? &test_6us : NULL);
}

static void run_stress(struct logp_machine *m, uint64_t per_pair, size_t largest)
{
    struct stress s = {.P = 5, .per_pair = per_pair, .seed = 7, .largest = largest, .ends = true};

    cr_assert_eq(logp_machine_run(m, stress_program, &s, test_timeout_ns), 0, "%s", s.wrong);
    cr_assert_eq(logp_machine_report(m)->messages, 20 * per_pair);
    cr_assert_eq(logp_machine_report(m)->unreceived, 0);
    cr_assert_eq(logp_machine_destroy(m), 0);
}

static void messages(void *arg)
{
    run_stress(make(LOGP_CLOCK_WALL, false, 0), 20000 / TEST_SCALE, 0);
    run_stress(make(LOGP_CLOCK_WALL, false, 2), 2000 / TEST_SCALE, 20000);
    run_stress(make(LOGP_CLOCK_WALL, false, -1), 10000 / TEST_SCALE, 100);
    run_stress(make(LOGP_CLOCK_WALL, true, 0), 1000 / TEST_SCALE, 100);
    run_stress(make(LOGP_CLOCK_VIRTUAL, true, 0), 2000 / TEST_SCALE, 100);
}

Test(signals, lose_nothing, .timeout = 300)
{
    in_storm(0, messages, NULL);
}

Test(signals, lose_nothing_where_calls_are_taken_up_again, .timeout = 300)
{
    in_storm(SA_RESTART, messages, NULL);
}

/* Machines come and go, and their threads with them. */
static void lives(void *arg)
{
    for (int i = 0; i < 100 / TEST_SCALE + 1; i++)
        run_stress(make(i % 2 == 0 ? LOGP_CLOCK_WALL : LOGP_CLOCK_VIRTUAL, i % 3 == 0, 0), 5, 100);
}

Test(signals, do_not_disturb_the_beginning_and_the_end, .timeout = 300)
{
    in_storm(0, lives, NULL);
}

/* ---- a handler that stops the run ---- */

struct stops {
    enum logp_clock clock;
    int stopped;
    struct logp_machine *machine; /* out */
};

static void run_and_stop(void *arg)
{
    struct stops *stops = arg;
    struct logp_machine *m = make(stops->clock, stops->clock == LOGP_CLOCK_VIRTUAL, 0);
    struct stress s = {.P = 5, .per_pair = 5000 / TEST_SCALE, .largest = 100};

    atomic_store(&to_stop, m);
    for (int i = 0; i < 10000 && stops->stopped < 50 / TEST_SCALE + 1; i++) {
        int rc;

        s.seed = (uint64_t)i + 1;
        rc = logp_machine_run(m, stress_program, &s, test_timeout_ns);
        cr_assert(rc == 0 || rc == -EINTR, "run %d: %d, %s", i, rc, s.wrong);
        stops->stopped += rc == -EINTR;
    }
    atomic_store(&to_stop, NULL);
    stops->machine = m;
}

/* What is stopped says so, what is not has lost nothing; afterwards all is well. */
static void stopped_by_handlers(enum logp_clock clock)
{
    struct stops stops = {.clock = clock};

    struct stress s = {.P = 5, .per_pair = 100, .seed = 1};
    int rc;

    in_storm(SA_RESTART, run_and_stop, &stops); /* from here on no handler has the machine */
    cr_assert_gt(stops.stopped, 0);
    rc = logp_machine_run(stops.machine, stress_program, &s, test_timeout_ns);
    cr_assert(rc == 0 || rc == -EINTR); /* a stop between runs holds for the next */
    run_stress(stops.machine, 100, 0);
}

Test(signals, stop_runs_of_the_wall_clock, .timeout = 300)
{
    stopped_by_handlers(LOGP_CLOCK_WALL);
}

Test(signals, stop_runs_of_the_virtual_clock, .timeout = 300)
{
    stopped_by_handlers(LOGP_CLOCK_VIRTUAL);
}
