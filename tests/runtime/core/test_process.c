/* SPDX-License-Identifier: MIT */
/* Several machines of one process, and what a fork leaves of them. */
#define _GNU_SOURCE
#include "support.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static int where(struct logp_vp *vp, void *arg)
{
    *(int *)arg = sched_getcpu();
    return 0;
}

static int core_of(struct logp_machine *m)
{
    int cpu = -1;

    cr_assert_eq(logp_machine_run(m, where, &cpu, test_timeout_ns), 0);
    return cpu;
}

/* ---- the registry of cores in use ---- */

enum { MACHINES = 16, VPS = 4 };

static char registry[64];

static void registry_begin(const char *cores)
{
    snprintf(registry, sizeof(registry), "/tmp/logp-test-registry-%d", (int)getpid());
    setenv("LOGP_TEST_REGISTRY", registry, 1);
    setenv("LOGP_TEST_CORES", cores, 1);
}

static void registry_end(void)
{
    unlink(registry);
    setenv("LOGP_TEST_REGISTRY", "", 1);
    unsetenv("LOGP_TEST_CORES");
}

static struct logp_core_use use_of(struct logp_machine *m)
{
    struct logp_core_use use;

    logp_machine_core_use(m, &use);
    cr_assert_eq(use.n_cores, logp_machine_cores(m));
    return use;
}

/* Machines of one process: those that are destroyed give their cores back. */
Test(process, machines_take_free_cores_first)
{
    struct logp_machine *m[4];
    const int wanted[] = {4, 4, 3, 4}; /* the last one shares */

    registry_begin("11");
    for (int turn = 0; turn < 2; turn++) {
        for (int i = 0; i < 4; i++) {
            m[i] = test_machine(VPS, LOGP_CLOCK_WALL, NULL);
            cr_assert_eq(use_of(m[i]).n_cores, wanted[i]);
            cr_assert_eq(use_of(m[i]).is_shared, i == 3);
        }
        for (int i = 0; i < 4; i++)
            cr_assert_eq(logp_machine_destroy(m[i]), 0);
    }
    registry_end();
}

Test(process, the_virtual_clock_holds_no_cores)
{
    registry_begin("4");
    for (int i = 0; i < 2; i++) {
        TEST_MACHINE one = test_machine_with((struct logp_config){.n_processors = VPS,
                                                                  .clock = LOGP_CLOCK_VIRTUAL,
                                                                  .delay = logp_delay_none()},
                                             NULL);
        TEST_MACHINE m = test_machine(VPS, LOGP_CLOCK_WALL, NULL);

        cr_assert_eq(use_of(one).n_cores, 1);
        cr_assert_eq(use_of(m).n_cores, 4);
        cr_assert(!use_of(m).is_shared);
    }
    registry_end();
}

/* Cores that are named are taken in any case, and others avoid them. */
Test(process, named_cores_are_registered)
{
    const int cores[] = {0, 2};
    const struct logp_config config = {
        .n_processors = VPS, .cores = cores, .n_cores = 2, .delay = logp_delay_none()};

    registry_begin("4");
    {
        TEST_MACHINE a = test_machine_with(config, NULL);
        TEST_MACHINE b = test_machine(VPS, LOGP_CLOCK_WALL, NULL);
        TEST_MACHINE c = test_machine_with(config, NULL);

        cr_assert_eq(use_of(a).n_cores, 2);
        cr_assert(!use_of(a).is_shared);
        cr_assert_eq(use_of(b).n_cores, 2);
        cr_assert(!use_of(b).is_shared);
        cr_assert_eq(use_of(c).n_cores, 2);
        cr_assert(use_of(c).is_shared);
    }
    registry_end();
}

/* Make a machine, write what it has, and live until the parent closes its end. */
static void hold_cores(int out, int in)
{
    struct logp_machine *m = test_machine(VPS, LOGP_CLOCK_WALL, NULL);
    const struct logp_core_use use = use_of(m);
    char any;

    cr_assert_eq(write(out, &use, sizeof(use)), (ssize_t)sizeof(use));
    cr_assert_eq(read(in, &any, 1), 0);
}

/* Sixteen processes at once have 64 different cores. They die without giving them back, which the
 * kernel does. */
Test(process, processes_have_different_cores)
{
    registry_begin("64");
    for (int turn = 0; turn < 5; turn++) {
        int up[2], down[2];
        pid_t pids[MACHINES];

        cr_assert(pipe(up) == 0 && pipe(down) == 0);
        for (int i = 0; i < MACHINES; i++) {
            pids[i] = fork();
            cr_assert_geq(pids[i], 0);
            if (pids[i] == 0) {
                close(down[1]);
                hold_cores(up[1], down[0]);
                _exit(0);
            }
        }
        for (int i = 0; i < MACHINES; i++) {
            struct logp_core_use use;

            cr_assert_eq(read(up[0], &use, sizeof(use)), (ssize_t)sizeof(use));
            cr_assert_eq(use.n_cores, VPS);
            cr_assert(!use.is_shared);
        }
        for (int i = 0; i < 2; i++) {
            close(down[1 - i]);
            close(up[i]);
        }
        for (int i = 0; i < MACHINES; i++)
            cr_assert_eq(waitpid(pids[i], NULL, 0), pids[i]);
    }
    registry_end();
}

static int seconds_long(struct logp_machine *m)
{
    (void)m;
    alarm(0);
    pause();
    return 0;
}

/* A child that outlives the machine of its parent holds none of its cores. */
Test(process, a_child_of_a_fork_holds_no_cores)
{
    pid_t pid;

    registry_begin("4");
    {
        TEST_MACHINE m = test_machine(VPS, LOGP_CLOCK_WALL, NULL);

        pid = fork();
        if (pid == 0)
            _exit(seconds_long(m));
        cr_assert_gt(pid, 0);
    }
    {
        TEST_MACHINE m = test_machine(VPS, LOGP_CLOCK_WALL, NULL);

        cr_assert_eq(use_of(m).n_cores, 4);
        cr_assert(!use_of(m).is_shared);
    }
    cr_assert_eq(kill(pid, SIGKILL), 0);
    cr_assert_eq(waitpid(pid, NULL, 0), pid);
    registry_end();
}

/* A file that others may write to, or a link, is no registry: everything is as without one. */
Test(process, a_registry_that_is_not_the_users_own_is_ignored)
{
    char target[80];

    for (int kind = 0; kind < 3; kind++) {
        registry_begin("4");
        snprintf(target, sizeof(target), "%s-target", registry);
        if (kind == 0)
            cr_assert_eq(close(open(registry, O_CREAT | O_RDWR, 0600)) + chmod(registry, 0622), 0);
        else if (kind == 1)
            cr_assert_eq(close(open(target, O_CREAT | O_RDWR, 0600)) + symlink(target, registry),
                         0);
        else
            cr_assert_eq(mkdir(registry, 0700), 0);
        {
            TEST_MACHINE a = test_machine(VPS, LOGP_CLOCK_WALL, NULL);
            TEST_MACHINE b = test_machine(VPS, LOGP_CLOCK_WALL, NULL);

            cr_assert_eq(use_of(a).n_cores, 4);
            cr_assert_eq(use_of(b).n_cores, 4);
            cr_assert(!use_of(b).is_shared);
        }
        unlink(target);
        if (kind == 2)
            rmdir(registry);
        registry_end();
    }
}

Test(process, a_number_of_feigned_cores_is_checked)
{
    const char *const wrong[] = {"0", "-1", "x", "4x", "4097"};
    const struct logp_config config = {
        .size = sizeof(config), .n_processors = 2, .delay = logp_delay_none()};
    struct logp_host host;
    struct logp_machine *m;

    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        setenv("LOGP_TEST_CORES", wrong[i], 1);
        cr_assert_eq(logp_machine_create(&config, &m), -EINVAL, "%s", wrong[i]);
        cr_assert_eq(logp_host_info(&host), -EINVAL);
    }
    setenv("LOGP_TEST_CORES", "300", 1);
    cr_assert_eq(logp_host_info(&host), 0);
    cr_assert_eq(host.n_cores, 300);
    unsetenv("LOGP_TEST_CORES");
}

/* ---- */

/* The cores for threads that a program makes itself: allowed cores by ranks, of which one is its own. */
Test(process, a_rank_has_its_share_of_the_cores)
{
    static const struct {
        const char *cores;
        int P, n_given, n_on_wall, n_on_virtual;
    } rows[] = {{"4", 1, 0, 4, 4}, {"4", 2, 0, 2, 4}, {"4", 3, 0, 1, 0}, {"4", 4, 0, 1, 0},
                {"4", 9, 0, 1, 0}, {"5", 2, 0, 2, 5}, {"9", 2, 0, 4, 9}, {"9", 1, 3, 3, 3},
                {"9", 2, 4, 2, 4}, {"9", 2, 1, 1, 1}};
    static const int given[] = {1, 3, 5, 7};

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        for (int clock = LOGP_CLOCK_WALL; clock <= LOGP_CLOCK_VIRTUAL; clock++) {
            const int n_wanted =
                clock == LOGP_CLOCK_WALL ? rows[i].n_on_wall : rows[i].n_on_virtual;
            const struct logp_config config = {.size = sizeof(config),
                                               .n_processors = rows[i].P,
                                               .clock = (enum logp_clock)clock,
                                               .n_cores = rows[i].n_given,
                                               .cores = rows[i].n_given > 0 ? given : NULL,
                                               .delay = logp_delay_none()};
            struct logp_machine *m;
            cpu_set_t all;
            int cpus[16];

            setenv("LOGP_TEST_CORES", rows[i].cores, 1);
            cr_assert_eq(sched_getaffinity(0, sizeof(all), &all), 0);
            cr_assert_eq(logp_machine_create(&config, &m), 0);
            for (int rank = 0; rank < rows[i].P; rank++) {
                cr_assert_eq(logp_machine_share(m, rank, cpus, 16), n_wanted,
                             "row %d, clock %d: %d", (int)i, clock,
                             logp_machine_share(m, rank, NULL, 0));
                for (int k = 0; k < n_wanted; k++)
                    cr_assert(CPU_ISSET((size_t)cpus[k], &all));
            }
            cr_assert_eq(logp_machine_share(m, rows[i].P, cpus, 16), 0);
            if (clock == LOGP_CLOCK_WALL) { /* the own core is the first */
                int cpu = core_of(m);

                cr_assert_eq(logp_machine_share(m, rows[i].P - 1, cpus, 1), n_wanted);
                cr_assert_eq(rows[i].P > 1 ? cpu : cpus[0], cpu);
            }
            logp_machine_destroy(m);
        }
    unsetenv("LOGP_TEST_CORES");
}

/* What the caller may run on is asked anew for each machine. */
Test(process, a_machine_uses_the_cores_of_now)
{
    cpu_set_t all, one;

    cr_assert_eq(sched_getaffinity(0, sizeof(all), &all), 0);
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
        struct logp_machine *m;

        if (!CPU_ISSET((size_t)cpu, &all))
            continue;
        CPU_ZERO(&one);
        CPU_SET((size_t)cpu, &one);
        cr_assert_eq(sched_setaffinity(0, sizeof(one), &one), 0);
        m = test_machine(2, LOGP_CLOCK_WALL, NULL);
        cr_assert_eq(logp_machine_cores(m), 1);
        cr_assert_eq(core_of(m), cpu);
        logp_machine_destroy(m);
        cr_assert_eq(sched_setaffinity(0, sizeof(all), &all), 0);
        m = test_machine(2, LOGP_CLOCK_WALL, NULL);
        cr_assert_eq(logp_machine_cores(m), CPU_COUNT(&all) < 2 ? 1 : 2);
        logp_machine_destroy(m);
    }
}

/* The exit code of a child that runs f, which has a while for it. */
static int in_child(int (*f)(struct logp_machine *m), struct logp_machine *m)
{
    int status = 0;
    const pid_t pid = fork();

    if (pid == 0) {
        alarm(60); /* it must not hang */
        _exit(f(m));
    }
    cr_assert_gt(pid, 0);
    cr_assert_eq(waitpid(pid, &status, 0), pid);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

/* 0: all is refused, and nothing hangs */
static int uses_the_parents(struct logp_machine *m)
{
    struct logp_config config = {.size = sizeof(config),
                                 .n_processors = 2,
                                 .delay = logp_delay_none(),
                                 .clock = LOGP_CLOCK_VIRTUAL};
    struct logp_machine *own;
    struct logp_delay delay;
    int rc;

    if (logp_machine_run(m, test_barrier, NULL, 0) != -ENOTSUP)
        return 1;
    if (logp_machine_create(&config, &own) != -ENOTSUP)
        return 2;
    if (logp_machine_busy(m))
        return 3;
    if (logp_machine_clock(m) == LOGP_CLOCK_WALL &&
        logp_machine_inject(m, 0, 0, NULL, 0) != -ENOTSUP)
        return 7;
    if (logp_delay_create("logp", &test_6ns, &delay) != 0)
        return 4;
    rc = logp_machine_set_delay(m, delay, 0);
    logp_delay_destroy(&delay);
    return rc != -ENOTSUP ? 5 : logp_machine_destroy(m) != 0 ? 6 : 0;
}

static int makes_its_own(struct logp_machine *m)
{
    for (int i = 0; i < 2; i++) {
        struct logp_config config = {.size = sizeof(config),
                                     .n_processors = 4,
                                     .clock = (enum logp_clock)i,
                                     .executor = test_executor(),
                                     .stacks = test_stacks()};
        int rc;

        if (logp_delay_create("logp", &test_6ns, &config.delay) != 0 ||
            logp_machine_create(&config, &m) != 0)
            return 1;
        rc = logp_machine_run(m, test_barrier, NULL, 0);
        if (logp_machine_destroy(m) != 0 || rc != 0)
            return 2;
    }
    return 0;
}

Test(process, a_machine_of_the_parent_is_refused_in_the_child)
{
    for (int i = 0; i < 2; i++) {
        TEST_MACHINE m = test_machine(4, (enum logp_clock)i, &test_6ns);

        cr_assert_eq(logp_machine_run(m, test_barrier, NULL, test_timeout_ns), 0);
        cr_assert_eq(in_child(uses_the_parents, m), 0);
        cr_assert_eq(logp_machine_run(m, test_barrier, NULL, test_timeout_ns), 0,
                     "the parent's lives on");
    }
}

Test(process, a_child_makes_its_own_where_the_parent_has_none)
{
    struct logp_machine *m = test_machine(4, LOGP_CLOCK_WALL, &test_6ns);

    test_run(m, test_barrier, NULL);
    cr_assert_eq(in_child(makes_its_own, NULL), 0);
    cr_assert_eq(makes_its_own(NULL), 0);
}

/* ---- what a program may rely on ---- */

/* All on one core: threads have a variable each, fibers one for all; nobody moves. */
static int counts_itself(struct logp_vp *vp, void *arg)
{
    static _Thread_local int counter;
    const int *run = arg, *before = &counter, P = logp_vp_size(vp);
    const pid_t thread = gettid();

    OK(logp_barrier(vp));
    counter++;
    OK(logp_barrier(vp));
    cr_assert_eq(counter, (*run + 1) * (test_on_threads() ? 1 : P));
    cr_assert_eq(before, &counter);
    cr_assert_eq(thread, gettid());
    return 0;
}

Test(process, thread_local_variables_are_a_vps_own_on_threads_and_the_cores_on_fibers)
{
    struct logp_config config = {.size = sizeof(config),
                                 .n_processors = 4,
                                 .delay = logp_delay_none(),
                                 .executor = test_executor(),
                                 .n_cores = 1};
    TEST_MACHINE m = NULL;

    cr_assert_eq(logp_machine_create(&config, &m), 0);
    for (int run = 0; run < 3; run++)
        cr_assert_eq(logp_machine_run(m, counts_itself, &run, test_timeout_ns), 0);
}

TestProgram(process, a_vp_may_fork,
            for (int i = 0; i < 2; i++)
                test_run(test_machine(3, (enum logp_clock)i, &test_6ns), program, NULL))
{
    const int me = logp_vp_rank(vp);
    const pid_t pid = fork();
    int status = 0;

    if (pid == 0)
        _exit(me + 1);
    cr_assert_eq(waitpid(pid, &status, 0), pid);
    cr_assert(WIFEXITED(status) && WEXITSTATUS(status) == me + 1);
    return logp_barrier(vp);
}
