/* SPDX-License-Identifier: MIT */
/*
 * How close the wall clock comes to the predictions: every algorithm of the table, for the numbers
 * of processors and the units given, L, o, g = 6, 2, 4.
 */
#include "bench.h"

struct setting {
    const char *executor;
    int P;
    int64_t unit_ns;
    int reps;
};

static void measure(const struct setting *s)
{
    const struct logp_params params = {.L_ns = 6 * s->unit_ns,
                                       .o_send_ns = 2 * s->unit_ns,
                                       .o_recv_ns = 2 * s->unit_ns,
                                       .g_ns = 4 * s->unit_ns};
    struct logp_config config = {.n_processors = s->P, .executor = s->executor};
    struct logp_machine *m;
    size_t n;
    const struct logp_algorithm *a = logp_algorithms(&n);

    bench_check(logp_delay_create("logp", &params, &config.delay), "delay");
    bench_check(logp_machine_create(&config, &m), "create");
    for (size_t i = 0; i < n; i++) {
        /* a megabyte of messages for each processor and more: not what is measured here */
        if (s->P > 256 && strcmp(a[i].collective, "alltoall") == 0)
            continue;
        const struct logp_experiment x = {
            .algorithm = &a[i],
            .coll = {.n_bytes = 8,
                     .count = 1,
                     .op = logp_op_find("sum", "double"),
                     .params = params},
            .reps = s->reps,
            .warmup = 10,
        };
        struct logp_record r;

        if (logp_algorithm_needs(&a[i], s->P, &x.coll) != NULL)
            continue;
        bench_check(logp_experiment_run(m, &x, &r), a[i].name);
        printf("%-7s %5d %6.1f  %-10s %-14s %11.3f %11.3f %11.3f %8.4f %8.3f %8.3f %4d %s\n",
               s->executor, s->P, (double)s->unit_ns / 1000, a[i].collective, a[i].name,
               (double)r.prediction.ns / 1000, (double)r.measured.median_ns / 1000,
               (double)r.measured.p99_ns / 1000, logp_record_ratio(&r),
               (double)r.lag.median_ns / 1000, (double)r.lag.p99_ns / 1000, r.restarts,
               r.verified ? "ok" : "WRONG");
        fflush(stdout);
    }
    logp_machine_destroy(m);
}

int main(void)
{
    static const struct setting settings[] = {
        {"thread", 2, 10000, 500}, {"thread", 8, 10000, 500}, {"thread", 16, 10000, 500},
        {"thread", 8, 1000, 1000}, {"fiber", 8, 10000, 200},  {"fiber", 64, 10000, 100},
        {"fiber", 64, 1000, 500},  {"fiber", 8, 100, 2000},   {"fiber", 1024, 10000, 20},
    };

    printf("%-7s %5s %6s  %-10s %-14s %11s %11s %11s %8s %8s %8s %4s\n", "carrier", "P", "unit",
           "collective", "algorithm", "predicted", "measured", "p99", "ratio", "lag", "lag p99",
           "rep.");
    for (size_t i = 0; i < sizeof(settings) / sizeof(settings[0]); i++)
        measure(&settings[i]);
    return 0;
}
