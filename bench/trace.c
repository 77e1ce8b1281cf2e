/* SPDX-License-Identifier: MIT */
/*
 * Cost of tracing: host time for each recorded event under the virtual clock, where no vp waits;
 * and the change of the ratio of a collective's wall-clock time to its prediction. Runs with and
 * without tracing alternate. usage: bench_trace [event | ratio]
 */
#include "bench.h"

enum { MESSAGES = 100000, ROUNDS = 15, PAIRS = 8, REPS = 200 };

/* ---- events ---- */

static int to_and_fro(struct logp_vp *vp, void *arg)
{
    const int other = 1 - logp_vp_rank(vp);
    int rc = 0;

    (void)arg;
    for (int i = 0; rc == 0 && i < MESSAGES / 2; i++) {
        rc = logp_vp_rank(vp) == 0 ? logp_send(vp, other, 0, NULL, 0)
                                   : logp_recv(vp, other, 0, NULL, 0, NULL);
        if (rc == 0)
            rc = logp_vp_rank(vp) == 1 ? logp_send(vp, other, 0, NULL, 0)
                                       : logp_recv(vp, other, 0, NULL, 0, NULL);
    }
    return rc;
}

/* Compute only, so that the events take nearly all of the time. */
static int alone(struct logp_vp *vp, void *arg)
{
    int rc = 0;

    (void)arg;
    for (int i = 0; rc == 0 && i < 3 * MESSAGES; i++)
        rc = logp_compute(vp, 1, NULL, NULL);
    return rc;
}

/* @return the CPU time of this process for a run, whose one core is busy all the time */
static double run_ns(struct logp_machine *m, logp_program program)
{
    const int64_t start = bench_clock_ns(CLOCK_PROCESS_CPUTIME_ID);

    bench_check(logp_machine_run(m, program, NULL, 0), "run");
    return (double)(bench_clock_ns(CLOCK_PROCESS_CPUTIME_ID) - start);
}

static uint64_t recorded(struct logp_machine *m)
{
    struct logp_trace *t;
    uint64_t n;

    bench_check(logp_machine_take_trace(m, &t), "trace");
    n = logp_trace_info(t)->n_events;
    if (logp_trace_info(t)->dropped > 0)
        bench_check(-ENOMEM, "events");
    logp_trace_free(t);
    return n;
}

static void measure_events(const char *what, logp_program program)
{
    const struct logp_params params = {.L_ns = 60, .o_send_ns = 20, .o_recv_ns = 20, .g_ns = 40};
    const struct logp_trace_config on = {.size = sizeof(on)};
    const struct logp_config config = {
        .n_processors = 2, .clock = LOGP_CLOCK_VIRTUAL, .executor = "fiber"};
    double with[ROUNDS], without[ROUNDS];
    struct logp_machine *machines[2];
    uint64_t n = 0;

    for (int traced = 0; traced < 2; traced++) {
        machines[traced] = bench_machine(config, "loggp", &params);
        if (traced)
            bench_check(logp_machine_trace(machines[traced], &on), "trace");
        run_ns(machines[traced], program);
    }
    for (int i = 0; i < ROUNDS; i++) {
        without[i] = run_ns(machines[0], program);
        with[i] = run_ns(machines[1], program);
        n = recorded(machines[1]);
    }
    bench_median(without, ROUNDS); /* the least of each: other load only adds */
    bench_median(with, ROUNDS);
    printf("%-18s %9llu %10.1f %10.1f %10.1f\n", what, (unsigned long long)n,
           without[0] / (double)n, with[0] / (double)n, (with[0] - without[0]) / (double)n);
    bench_check(logp_machine_destroy(machines[0]), "destroy");
    bench_check(logp_machine_destroy(machines[1]), "destroy");
}

/* ---- the wall clock ---- */

static void measure_ratio(const char *collective, const char *executor)
{
    const struct logp_params params = {
        .L_ns = 60000, .o_send_ns = 20000, .o_recv_ns = 20000, .g_ns = 40000};
    const struct logp_network network = {.params = params};
    const struct logp_trace_config on = {.size = sizeof(on)};
    struct logp_experiment x = {
        .size = sizeof(x),
        .reps = REPS,
        .warmup = 5,
        .args = {.n_bytes = 8, .count = 1, .op = logp_op_find("sum", "double")}};
    const struct logp_config config = {
        .size = sizeof(config), .n_processors = 16, .executor = executor, .network = &network};
    double ratio[2][PAIRS], median[2];
    struct logp_machine *m;

    x.algorithm = logp_algorithm_best(collective, 16, &x.args, &network);
    bench_check(logp_machine_create(&config, &m), "machine");
    for (int i = 0; i < 2 * PAIRS; i++) {
        struct logp_record r;

        bench_check(logp_machine_trace(m, i % 2 == 1 ? &on : NULL), "trace");
        bench_check(logp_experiment_run(m, &x, &r), "run");
        ratio[i % 2][i / 2] = logp_record_ratio(&r);
    }
    for (int k = 0; k < 2; k++)
        median[k] = bench_median(ratio[k], PAIRS);
    printf("%-10s %-8s %12.5f %12.5f %12.5f\n", collective, executor, median[0], median[1],
           median[1] - median[0]);
    bench_check(logp_machine_destroy(m), "destroy");
}

int main(int argc, char **argv)
{
    if (bench_selected(argc - 1, argv + 1, "event")) {
        printf("%-18s %9s %10s %10s %10s\n", "ns per event", "events", "off", "on", "tracing");
        measure_events("ping-pong", to_and_fro);
        measure_events("compute", alone);
    }
    if (bench_selected(argc - 1, argv + 1, "ratio")) {
        printf("%-10s %-8s %12s %12s %12s\n", "P = 16", "10 us", "off", "on", "difference");
        measure_ratio("broadcast", "thread");
        measure_ratio("broadcast", "fiber");
        measure_ratio("allreduce", "thread");
        measure_ratio("allreduce", "fiber");
    }
    return 0;
}
