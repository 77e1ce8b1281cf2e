/* SPDX-License-Identifier: MIT */
/*
 * Cost of a reduction of long vectors when nothing is emulated: 2^20 doubles on each of 8
 * processors, every algorithm of the table, with both executors. P-1 vectors have to be combined
 * with another, so (P-1) vectors / time is compared with memcpy of one vector, measured just before
 * it, and with gamma, the time of the combinations alone on one core.
 */
#include "bench.h"

#include <errno.h>

enum { P = 8, COUNT = 1 << 20, REPS = 25 };

static const size_t vector_bytes = COUNT * sizeof(double);

/* Nanoseconds to copy one vector. */
static double copy_ns(void)
{
    char *from = malloc(vector_bytes), *to = malloc(vector_bytes);
    double ns[REPS];

    if (from == NULL || to == NULL)
        bench_check(-ENOMEM, "memcpy");
    memset(from, 1, vector_bytes);
    memset(to, 2, vector_bytes);
    for (int i = 0; i < REPS; i++) {
        const int64_t start = bench_now_ns();

        memcpy(to, from, vector_bytes);
        __asm__ volatile("" : : "r"(to) : "memory"); /* keep the copy */
        ns[i] = (double)(bench_now_ns() - start);
    }
    free(from);
    free(to);
    return bench_median(ns, REPS);
}

static void measure(const char *executor, const struct logp_algorithm *a, const struct logp_op *op)
{
    const struct logp_config config = {.n_processors = P, .executor = executor};
    const struct logp_experiment x = {.size = sizeof(x),
                                      .algorithm = a,
                                      .reps = REPS,
                                      .warmup = 3,
                                      .args = {.count = COUNT, .op = op}};
    const double copy = copy_ns();
    const double gamma = (double)logp_op_measure(op, COUNT) / 1000;
    struct logp_machine *m = bench_machine(config, NULL, NULL);
    struct logp_record r;
    double ns;

    bench_check(logp_experiment_run(m, &x, &r), a->name);
    ns = (double)r.measured.median_ns;
    printf("%-7s %-22s %10.2f %10.2f %10.2f %10.2f %10.2f %10.3f %s\n", executor, a->name,
           (double)r.measured.min_ns / 1e6, ns / 1e6, (P - 1) * (double)vector_bytes / ns,
           (double)vector_bytes / copy, (P - 1) * copy / ns, gamma, r.verified ? "ok" : "WRONG");
    fflush(stdout);
    logp_machine_destroy(m);
}

int main(void)
{
    static const char *const executors[] = {"thread", "fiber"};
    const struct logp_op *sum = logp_op_find("sum", "double");
    const struct logp_args args = {.op = sum};
    const struct logp_algorithm *a;

    printf("%-7s %-22s %10s %10s %10s %10s %10s %10s\n", "carrier", "reduce, P = 8, 8 MiB",
           "least, ms", "median, ms", "GB/s", "memcpy", "ratio", "gamma, ns");
    for (int e = 0; e < 2; e++)
        for (size_t i = 0; (a = logp_algorithm_at("reduce", i)) != NULL; i++)
            if (logp_algorithm_needs(a, P, &args, NULL) == NULL)
                measure(executors[e], a, sum);
    return 0;
}
