/* SPDX-License-Identifier: MIT */
/*
 * Cost of a hand-over, and of many vps on few cores, with no delays: two vps of one core that probe
 * in vain and so yield to each other, a dissemination barrier of 8 to 1024 vps, and a broadcast of
 * 8 bytes, each from the next root. The references are bare fibers (raw.h), measured alternately
 * with the vps, and, for barriers next to a busy process, the same barriers without that process.
 *
 *     bench_switch            all measurements
 *     bench_switch long       10^8 hand-overs, and the growth of the process
 */
#define _GNU_SOURCE
#include "raw.h"
#include "bench.h"

#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ROUNDS = 15, MIN_MS = 100 };

/* n_cores: 0: all */
static struct logp_machine *make_machine(const char *executor, int P, int n_cores)
{
    const struct logp_config config = {.n_processors = P, .n_cores = n_cores, .executor = executor};

    return bench_machine(config, NULL, NULL);
}

/* ---- yielding: every failed probe hands the core over ---- */

struct yields {
    int n;
    double switch_ns;
};

static int yield_program(struct logp_vp *vp, void *arg)
{
    struct yields *y = arg;
    const int64_t start = bench_now_ns();
    bool found;
    int rc = 0;

    for (int i = 0; rc == 0 && i < y->n; i++)
        rc = logp_probe(vp, 0, 0, &found, NULL);
    if (logp_vp_rank(vp) == 1) /* the last to end */
        y->switch_ns = (double)(bench_now_ns() - start) / 2 / y->n;
    return rc;
}

static void measure_switch(const char *executor, int n)
{
    struct logp_machine *m = make_machine(executor, 2, 1);
    struct yields y = {.n = n};
    double ns[ROUNDS];

    for (int i = 0; i < ROUNDS; i++) {
        bench_check(logp_machine_run(m, yield_program, &y, 0), "run");
        ns[i] = y.switch_ns;
    }
    logp_machine_destroy(m);
    printf("%-7s a probe that finds nothing and hands the core over: %.1f ns\n", executor,
           bench_median(ns, ROUNDS));
}

/* ---- collectives, back to back ---- */

struct collective {
    const char *name;
    int (*once)(struct logp_vp *vp, int i);
    double (*raw_ns)(int P, int n);
};

static int barrier_once(struct logp_vp *vp, int i)
{
    (void)i;
    return logp_barrier(vp);
}

static int broadcast_once(struct logp_vp *vp, int i)
{
    const int root = i % logp_vp_size(vp);
    int64_t item = logp_vp_rank(vp) == root ? i : -1;
    const int rc = logp_broadcast(vp, &item, sizeof(item), root);

    return rc == 0 && item != i ? -EIO : rc;
}

static const struct collective barrier = {"dissemination barrier", barrier_once, raw_barrier_ns};
static const struct collective broadcast = {"broadcast of 8 bytes", broadcast_once,
                                            raw_broadcast_ns};

struct series {
    const struct collective *collective;
    int n;
    double each_ns;
};

static int series_program(struct logp_vp *vp, void *arg)
{
    struct series *s = arg;
    int64_t start = 0;
    int rc = 0;

    for (int i = 0; rc == 0 && i < s->n + s->n / 10; i++) {
        if (i == s->n / 10)
            start = bench_now_ns();
        rc = s->collective->once(vp, i);
    }
    if (logp_vp_rank(vp) == 0)
        s->each_ns = (double)(bench_now_ns() - start) / s->n;
    return rc;
}

static double run_series(struct logp_machine *m, struct series *s)
{
    bench_check(logp_machine_run(m, series_program, s, 0), s->collective->name);
    return s->each_ns;
}

static void measure_collective(const struct collective *c, const char *executor, int P, int n)
{
    struct logp_machine *m = make_machine(executor, P, 0);
    struct series s = {.collective = c, .n = n};
    double ns[ROUNDS], raw[ROUNDS], ratio[ROUNDS];

    for (int i = 0; i < ROUNDS; i++) {
        raw[i] = c->raw_ns(P, n);
        ns[i] = run_series(m, &s);
        ratio[i] = ns[i] / raw[i];
    }
    logp_machine_destroy(m);
    printf("%-7s %s, P = %4d, no delays: %9.3f us; bare fibers %8.3f us; ratio %.2f\n", executor,
           c->name, P, bench_median(ns, ROUNDS) / 1000, bench_median(raw, ROUNDS) / 1000,
           bench_median(ratio, ROUNDS));
    fflush(stdout);
}

/* ---- next to a busy process: an unrelated one that computes now and then on one of our cores. The
 * kernel kills it when this process ends, however it ends. ---- */

static void compute_for_ever(pid_t parent)
{
    cpu_set_t allowed, one;
    int cpu = CPU_SETSIZE - 1;

    if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || getppid() != parent) /* it ended before this */
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

/* Fork the busy process, stopped, and pinned to the last core that this process may use. Call it
 * before there are machines, on the thread that lives longest. */
static pid_t busy_create(void)
{
    const pid_t parent = getpid(), busy = fork();

    if (busy == 0)
        compute_for_ever(parent);
    bench_check(busy > 0 ? 0 : -errno, "fork");
    await_stop(busy);
    return busy;
}

/* Let the busy process compute, or stop it: it has then stopped when this returns. */
static void busy_set(pid_t busy, bool computes)
{
    kill(busy, computes ? SIGCONT : SIGSTOP);
    if (!computes)
        await_stop(busy);
}

static void busy_destroy(pid_t busy)
{
    kill(busy, SIGKILL);
    waitpid(busy, NULL, 0);
}

/* A series of at least MIN_MS, because the host gives each process the core for some ms. */
static struct series long_series(struct logp_machine *m)
{
    struct series s = {.collective = &barrier, .n = 50};

    while (run_series(m, &s) * s.n < MIN_MS * 1e6)
        s.n *= 2;
    return s;
}

static void measure_beside(pid_t busy, const char *executor, int P)
{
    struct logp_machine *m = make_machine(executor, P, 0);
    struct series alone = long_series(m), beside;
    double idle[ROUNDS], ns[ROUNDS], ratio[ROUNDS];

    busy_set(busy, true);
    beside = long_series(m);
    for (int i = 0; i < ROUNDS; i++) {
        busy_set(busy, false);
        idle[i] = run_series(m, &alone);
        busy_set(busy, true);
        ns[i] = run_series(m, &beside);
        ratio[i] = ns[i] / idle[i];
    }
    busy_set(busy, false);
    logp_machine_destroy(m);
    printf("%-7s %s, P = %4d, beside a busy process: %9.3f us; without it %8.3f us; ratio %.2f\n",
           executor, barrier.name, P, bench_median(ns, ROUNDS) / 1000,
           bench_median(idle, ROUNDS) / 1000, bench_median(ratio, ROUNDS));
    fflush(stdout);
}

/* ---- many hand-overs: nothing grows ---- */

static long resident_kib(void)
{
    struct rusage use;

    getrusage(RUSAGE_SELF, &use);
    return use.ru_maxrss;
}

static int measure_long(void)
{
    const int each = 500000, runs = 100; /* two vps: 10^8 hand-overs */
    struct logp_machine *m = make_machine("fiber", 2, 1);
    struct yields y = {.n = each};
    long before;

    bench_check(logp_machine_run(m, yield_program, &y, 0), "run");
    before = resident_kib();
    for (int i = 0; i < runs; i++)
        bench_check(logp_machine_run(m, yield_program, &y, 0), "run");
    printf("fiber   %d hand-overs, %.1f ns each; the process has grown by %ld KiB\n",
           2 * each * runs, y.switch_ns, resident_kib() - before);
    logp_machine_destroy(m);
    return 0;
}

int main(int argc, char **argv)
{
    double raw[ROUNDS];
    pid_t busy;

    if (argc > 1 && strcmp(argv[1], "long") == 0)
        return measure_long();
    busy = busy_create();
    for (int i = 0; i < ROUNDS; i++)
        raw[i] = raw_switch_ns(1000000);
    printf("bare    a jump from fiber to fiber: %.1f ns\n", bench_median(raw, ROUNDS));
    measure_switch("fiber", 900000); /* a million failed probes would count as a deadlock */
    measure_switch("thread", 20000);
    measure_collective(&barrier, "fiber", 8, 10000);
    measure_collective(&barrier, "fiber", 64, 1000);
    measure_collective(&barrier, "fiber", 1024, 60);
    measure_collective(&barrier, "thread", 8, 500);
    measure_collective(&barrier, "thread", 64, 50);
    measure_collective(&broadcast, "fiber", 8, 10000);
    measure_collective(&broadcast, "fiber", 64, 1000);
    measure_collective(&broadcast, "thread", 8, 2000);
    measure_collective(&broadcast, "thread", 64, 500);
    measure_beside(busy, "thread", 8);
    measure_beside(busy, "thread", 64);
    busy_destroy(busy);
    return 0;
}
