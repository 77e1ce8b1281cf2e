/* SPDX-License-Identifier: MIT */
/* A busy process: see busy.h. */
#define _GNU_SOURCE
#include "busy.h"

#include "bench.h"

#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static void compute_for_ever(pid_t parent)
{
    cpu_set_t allowed, one;
    int cpu = CPU_SETSIZE - 1;

    if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || getppid() != parent) /* it ended before that */
        _exit(1);
    sched_getaffinity(0, sizeof(allowed), &allowed);
    while (cpu > 0 && !CPU_ISSET((size_t)cpu, &allowed))
        cpu--;
    CPU_ZERO(&one);
    CPU_SET((size_t)cpu, &one);
    sched_setaffinity(0, sizeof(one), &one);
    raise(SIGSTOP);
    for (volatile unsigned n = 0;;)
        n = n + 1;
}

static void await_stop(pid_t busy)
{
    int status = 0;

    if (waitpid(busy, &status, WUNTRACED) != busy || !WIFSTOPPED(status))
        bench_check(-ECHILD, "the busy process");
}

pid_t busy_create(void)
{
    const pid_t parent = getpid(), busy = fork();

    if (busy == 0)
        compute_for_ever(parent);
    bench_check(busy > 0 ? 0 : -errno, "fork");
    await_stop(busy);
    return busy;
}

void busy_set(pid_t busy, bool computes)
{
    kill(busy, computes ? SIGCONT : SIGSTOP);
    if (!computes)
        await_stop(busy);
}

void busy_destroy(pid_t busy)
{
    kill(busy, SIGKILL);
    waitpid(busy, NULL, 0);
}
