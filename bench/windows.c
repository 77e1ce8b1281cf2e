/* SPDX-License-Identifier: MIT */
/*
 * What several cores gain or lose under the virtual clock: programs on the machine's cores and on one.
 *
 *     bench_windows [-n CORES] [-p PASSES] [COLLECTIVE ...]
 *
 * Each program runs on both machines in alternation, PASSES times. The table has the least times of a
 * run, and their ratio, which is wanted to be at most 1.2. L, o, g = 6, 2, 4.
 */
#include "bench.h"

#include <unistd.h>

static const struct program {
    const char *collective, *algorithm;
    int most; /* P */
} programs[] = {
    {"broadcast", "flat", 4096},     {"broadcast", "chain", 4096},
    {"broadcast", "binomial", 4096}, {"barrier", "dissemination", 4096},
    {"allgather", "ring", 1024},     {"alltoall", "linear", 1024},
};

static const int sizes[] = {256, 1024, 4096};

enum { N_PROGRAMS = sizeof(programs) / sizeof(programs[0]), N_SIZES = 3 };

static const struct logp_params params = {
    .L_ns = 6000, .o_send_ns = 2000, .o_recv_ns = 2000, .g_ns = 4000, .gamma_ps = 1000000};

static struct logp_machine *machine_of(int P, int n_cores)
{
    return bench_machine((struct logp_config){.n_processors = P,
                                              .clock = LOGP_CLOCK_VIRTUAL,
                                              .executor = "fiber",
                                              .parallel = n_cores != 1,
                                              .n_cores = n_cores},
                         "logp", &params);
}

static double run_ms(struct logp_machine *m, const struct program *p)
{
    const struct logp_experiment x = {.size = sizeof(x),
                                      .algorithm = logp_algorithm_find(p->collective, p->algorithm),
                                      .args = {.n_bytes = 8, .count = 1},
                                      .reps = 1};
    const int64_t start = bench_clock_ns(CLOCK_MONOTONIC);
    struct logp_record r;

    bench_check(x.algorithm != NULL ? 0 : -ENOENT, p->algorithm);
    bench_check(logp_experiment_run(m, &x, &r), p->algorithm);
    return (double)(bench_clock_ns(CLOCK_MONOTONIC) - start) / 1e6;
}

/* Run it in alternation on both machines. */
static void compare(const struct program *p, int P, int n_cores, int passes)
{
    struct logp_machine *m[2];
    double least[2] = {0};

    if (n_cores == 0 || n_cores > P / 64)
        n_cores = P / 64;
    m[0] = machine_of(P, 1);
    m[1] = machine_of(P, n_cores);
    for (int i = 0; i < 2 * passes; i++) {
        const double ms = run_ms(m[i % 2], p);

        least[i % 2] = i < 2 || ms < least[i % 2] ? ms : least[i % 2];
    }
    printf("%-12s %-14s %5d %6d %10.3f %10.3f %6.2f\n", p->collective, p->algorithm, P,
           logp_machine_cores(m[1]), least[0], least[1], least[1] / least[0]);
    fflush(stdout);
    logp_machine_destroy(m[0]);
    logp_machine_destroy(m[1]);
}

int main(int argc, char **argv)
{
    int n_cores = 0, passes = 5, c;

    while ((c = getopt(argc, argv, "n:p:")) != -1) {
        if (c == '?')
            return 2;
        *(c == 'n' ? &n_cores : &passes) = atoi(optarg);
    }
    printf("%-12s %-14s %5s %6s %10s %10s %6s\n", "collective", "algorithm", "P", "cores",
           "one, ms", "these, ms", "ratio");
    for (int i = 0; i < N_PROGRAMS; i++)
        for (int k = 0; k < N_SIZES; k++)
            if (sizes[k] <= programs[i].most &&
                bench_selected(argc - optind, argv + optind, programs[i].collective))
                compare(&programs[i], sizes[k], n_cores, passes);
    return 0;
}
