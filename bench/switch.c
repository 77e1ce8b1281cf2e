/* SPDX-License-Identifier: MIT */
/*
 * What a hand-over costs, and what many vps on few cores cost with no delays: two vps of one core
 * that probe in vain and so yield to each other, and a dissemination barrier of 8 to 1024 vps. The
 * references are bare fibers (bare.h), measured in turn with ours.
 *
 *     bench_switch            all of it
 *     bench_switch long       10^8 hand-overs, and what the process has grown by
 */
#include "bare.h"
#include "bench.h"

#include <sys/resource.h>

enum { ROUNDS = 15 };

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
    struct logp_config config = {.n_processors = 2, .n_cores = 1, .executor = executor};
    struct yields y = {.n = n};
    struct logp_machine *m;
    double ns[ROUNDS];

    bench_check(logp_machine_create(&config, &m), "create");
    for (int i = 0; i < ROUNDS; i++) {
        bench_check(logp_machine_run(m, yield_program, &y, 0), "run");
        ns[i] = y.switch_ns;
    }
    logp_machine_destroy(m);
    printf("%-7s a probe that finds nothing and hands the core over: %.1f ns\n", executor,
           bench_median(ns, ROUNDS));
}

/* ---- barriers ---- */

struct barriers {
    int n;
    double barrier_ns;
};

static int barrier_program(struct logp_vp *vp, void *arg)
{
    struct barriers *b = arg;
    int64_t start = 0;
    int rc = 0;

    for (int i = 0; rc == 0 && i < b->n + b->n / 10; i++) {
        if (i == b->n / 10)
            start = bench_now_ns();
        rc = logp_barrier(vp);
    }
    if (logp_vp_rank(vp) == 0)
        b->barrier_ns = (double)(bench_now_ns() - start) / b->n;
    return rc;
}

static void measure_barrier(const char *executor, int P, int n)
{
    struct logp_config config = {.n_processors = P, .executor = executor};
    struct barriers b = {.n = n};
    struct logp_machine *m;
    double ns[ROUNDS], bare[ROUNDS], ratio[ROUNDS];

    bench_check(logp_machine_create(&config, &m), "create");
    for (int i = 0; i < ROUNDS; i++) {
        bare[i] = bare_barrier_ns(P, n);
        bench_check(logp_machine_run(m, barrier_program, &b, 0), "run");
        ns[i] = b.barrier_ns;
        ratio[i] = ns[i] / bare[i];
    }
    logp_machine_destroy(m);
    printf("%-7s dissemination barrier, P = %4d, no delays: %9.3f us; bare fibers %8.3f us; ratio "
           "%.2f\n",
           executor, P, bench_median(ns, ROUNDS) / 1000, bench_median(bare, ROUNDS) / 1000,
           bench_median(ratio, ROUNDS));
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
    struct logp_config config = {.n_processors = 2, .n_cores = 1, .executor = "fiber"};
    struct yields y = {.n = each};
    struct logp_machine *m;
    long before;

    bench_check(logp_machine_create(&config, &m), "create");
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
    double bare[ROUNDS];

    if (argc > 1 && strcmp(argv[1], "long") == 0)
        return measure_long();
    for (int i = 0; i < ROUNDS; i++)
        bare[i] = bare_switch_ns(1000000);
    printf("bare    a jump from fiber to fiber: %.1f ns\n", bench_median(bare, ROUNDS));
    measure_switch("fiber", 900000); /* a million in vain would count as a deadlock */
    measure_switch("thread", 20000);
    measure_barrier("fiber", 8, 10000);
    measure_barrier("fiber", 64, 1000);
    measure_barrier("fiber", 1024, 60);
    measure_barrier("thread", 8, 500);
    measure_barrier("thread", 64, 50);
    return 0;
}
