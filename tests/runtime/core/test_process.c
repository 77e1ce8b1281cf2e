/* SPDX-License-Identifier: MIT */
/* Several machines of one process, and what a fork leaves of them. */
#define _GNU_SOURCE
#include "support.h"

#include <sched.h>
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

/* As many machines as this process has cores have one each; what is destroyed is free again. */
Test(process, machines_of_the_virtual_clock_take_different_cores)
{
    struct logp_machine *m[8];
    int core[8], n;
    cpu_set_t set;

    cr_assert_eq(sched_getaffinity(0, sizeof(set), &set), 0);
    n = CPU_COUNT(&set) < 8 ? CPU_COUNT(&set) : 8;
    for (int turn = 0; turn < 3; turn++) {
        for (int i = 0; i < n; i++) {
            m[i] = test_machine(2, LOGP_CLOCK_VIRTUAL, NULL);
            core[i] = core_of(m[i]);
            for (int k = 0; k < i; k++)
                cr_assert_neq(core[i], core[k]);
        }
        for (int i = 0; i < n; i++)
            cr_assert_eq(logp_machine_destroy(m[i]), 0);
    }
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
