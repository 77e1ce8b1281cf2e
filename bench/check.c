/* SPDX-License-Identifier: MIT */
/*
 * Runs per second of the test kit, with each strategy and with random latencies. Eight processors
 * pass 104 messages around a ring and receive them from any source. An exhaustive check needs one
 * run for these, so its processors send to both sides, 96 messages.
 */
#define _GNU_SOURCE
#include "bench.h"

#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

enum { P = 8, ROUNDS = 13, RUNS = 20000 };

static int ring(struct logp_vp *vp, void *arg)
{
    const int right = (logp_vp_rank(vp) + 1) % P;
    int x = 0, rc = 0;

    (void)arg;
    for (int i = 0; rc == 0 && i < ROUNDS; i++) {
        rc = logp_send(vp, right, 0, &x, sizeof(x));
        if (rc == 0)
            rc = logp_recv(vp, LOGP_ANY_SOURCE, 0, &x, sizeof(x), NULL);
    }
    return rc;
}

static int both_sides(struct logp_vp *vp, void *arg)
{
    const int me = logp_vp_rank(vp);
    int x = 0, rc = 0;

    (void)arg;
    for (int i = 0; rc == 0 && i < ROUNDS / 2; i++) {
        rc = logp_send(vp, (me + 1) % P, 0, &x, sizeof(x));
        if (rc == 0)
            rc = logp_send(vp, (me + P - 1) % P, 0, &x, sizeof(x));
        for (int k = 0; rc == 0 && k < 2; k++)
            rc = logp_recv(vp, LOGP_ANY_SOURCE, 0, &x, sizeof(x), NULL);
    }
    return rc;
}

/* Make the runs; check->checked has their numbers afterwards. @return seconds */
static double run(const char *name, struct logp_check *check)
{
    const int64_t start = bench_now_ns();

    bench_check(logp_check(check->strategy == LOGP_STRATEGY_EXHAUSTIVE ? both_sides : ring, NULL,
                           check, NULL),
                name);
    return (double)(bench_now_ns() - start) * 1e-9;
}

static void print(const char *name, double runs, double seconds, const struct logp_check *check)
{
    printf("%-34s %8.0f runs a second, up to %llu choices a run\n", name, runs / seconds,
           (unsigned long long)check->checked.choices);
}

static double least(double a, double b)
{
    return a < b ? a : b;
}

/* Print the fastest of three checks. */
static void measure(const char *name, struct logp_check check)
{
    double seconds = run(name, &check);

    for (int i = 1; i < 3; i++)
        seconds = least(seconds, run(name, &check));
    print(name, (double)check.checked.runs, seconds, &check);
}

/* Run a copy of the check on each of two cores, in independent processes. @return seconds */
static double run_apart(const char *name, struct logp_check check)
{
    const int64_t start = bench_now_ns();
    cpu_set_t all;
    size_t cpu = 0;

    bench_check(sched_getaffinity(0, sizeof(all), &all) != 0 ? -errno : 0, name);
    for (int i = 0; i < 2; i++) {
        pid_t child;

        while (cpu < CPU_SETSIZE && !CPU_ISSET(cpu, &all))
            cpu++;
        bench_check(cpu == CPU_SETSIZE ? -ENODEV : (child = fork()) < 0 ? -errno : 0, name);
        if (child == 0) {
            CPU_ZERO(&all);
            CPU_SET(cpu, &all);
            bench_check(sched_setaffinity(0, sizeof(all), &all) != 0 ? -errno : 0, name);
            run(name, &check);
            _exit(0);
        }
        cpu++;
    }
    for (int i = 0; i < 2; i++) {
        int status;

        bench_check(wait(&status) < 0 ? -errno : status != 0 ? -ECHILD : 0, name);
    }
    return (double)(bench_now_ns() - start) * 1e-9;
}

/* Compare a check on one core, on both, and two independent checks: the most that the host does. */
static void measure_cores(const char *name, struct logp_check check)
{
    double one = 1e9, both = 1e9, apart = 1e9;

    for (int i = 0; i < 5; i++) {
        check.cores = 1;
        one = least(one, run(name, &check));
        check.cores = 2;
        both = least(both, run(name, &check));
        check.cores = 1;
        apart = least(apart, run_apart(name, check));
    }
    print(name, RUNS, one, &check);
    print("two processes of one check", RUNS, both, &check);
    print("two checks at once, a core each", 2 * RUNS, apart, &check);
    printf("one check: %.2f times as fast as one core; two checks: %.2f\n", one / both,
           2 * one / apart);
}

int main(void)
{
    const struct logp_network bare = {.undelayed = true};
    const struct logp_latency uniform = {.kind = LOGP_LATENCY_UNIFORM};
    const struct logp_network delayed = {
        .params = {.L_ns = 6000, .o_send_ns = 2000, .o_recv_ns = 2000, .g_ns = 4000},
        .latency = &uniform};
    struct logp_check check = {.size = sizeof(check),
                               .sizes = (int[]){P},
                               .n_sizes = 1,
                               .runs = RUNS,
                               .seed = 1,
                               .strategy = LOGP_STRATEGY_RANDOM,
                               .network = &bare,
                               .cores = 1};

    printf(
        "%d processors, %d messages a run (exhaustive: %d); the best of three (cores: of five)\n",
        P, P * ROUNDS, 2 * P * (ROUNDS / 2));
    measure_cores("random", check);
    check.fixed_order = true;
    measure("random, messages alone", check);
    check.fixed_order = false;
    check.strategy = LOGP_STRATEGY_PCT;
    measure("pct", check);
    check.strategy = LOGP_STRATEGY_EXHAUSTIVE;
    measure("exhaustive", check);
    check.strategy = LOGP_STRATEGY_RANDOM;
    check.network = &delayed;
    measure("random, L o g, uniform latencies", check);
    return 0;
}
