/* SPDX-License-Identifier: MIT */
/*
 * Time to choose an algorithm: logp_algorithm_best() for every collective, with random parameters
 * and operands, small and large, even and uneven. The first call computes the answer, the second
 * one finds it in the cache. usage: bench_auto [COLLECTIVE ...]
 */
#include "bench.h"

#include <sys/wait.h>
#include <unistd.h>

enum { ROUNDS = 201, AGAIN = 3 };

static int64_t below(uint64_t *random, int64_t n)
{
    *random ^= *random >> 12;
    *random ^= *random << 25;
    *random ^= *random >> 27;
    return (int64_t)((*random * UINT64_C(0x2545f4914f6cdd1d) >> 1) % (uint64_t)n);
}

/* Draw a number 1 .. 2^bits, short ones as often as long ones. */
static int64_t some(uint64_t *random, int bits)
{
    return 1 + below(random, INT64_C(1) << below(random, bits + 1));
}

static struct logp_invocation draw(uint64_t *random, int64_t P)
{
    const int64_t o = some(random, 20), elements = some(random, 10);
    const bool even = below(random, 2) == 0;

    return (struct logp_invocation){
        .args.n_bytes = (size_t)some(random, 24),
        .args.count = some(random, 30),
        .args.op = logp_op_find("sum", "double"),
        .args.rows = even ? P * elements : some(random, 30),
        .args.cols = even ? P * elements : some(random, 30),
        .args.packing = below(random, 2) == 0 ? LOGP_PACKING_NONE : LOGP_PACKING_STRUCTURED,
        .args.work_ns = below(random, 2) * some(random, 20),
        .model.params = {.L_ns = some(random, 20),
                         .o_send_ns = o,
                         .o_recv_ns = below(random, 2) == 0 ? o : some(random, 20),
                         .g_ns = some(random, 20),
                         .G_ps = below(random, 2) * some(random, 12),
                         .gamma_ps = 1000 * some(random, 12)},
    };
}

static double best_us(const char *collective, int64_t P, const struct logp_invocation *c,
                      const struct logp_algorithm **taken)
{
    const int64_t start = bench_now_ns();

    *taken = logp_algorithm_best(collective, P, &c->args, &c->model);
    return (double)(bench_now_ns() - start) / 1000;
}

static void measure(const char *collective, int64_t P)
{
    uint64_t random = 88172645463325252;
    double first[ROUNDS], again[ROUNDS];
    const struct logp_algorithm *taken = NULL;
    struct logp_invocation slowest = {0};
    double most = -1;

    for (int i = 0; i < ROUNDS; i++) {
        struct logp_invocation c = draw(&random, P);

        first[i] = again[i] = 1e9;
        for (int k = 0; k < AGAIN; k++) { /* the least: other load on the host only adds */
            double took;

            c.model.params.L_ns++; /* new parameters, so no answer is cached */
            bench_forget_trees();
            took = best_us(collective, P, &c, &taken);
            first[i] = took < first[i] ? took : first[i];
            took = best_us(collective, P, &c, &taken);
            again[i] = took < again[i] ? took : again[i];
        }
        if (taken == NULL)
            break;
        if (first[i] > most) {
            most = first[i];
            slowest = c;
        }
    }
    if (taken == NULL)
        printf("%-15s %12lld %10s\n", collective, (long long)P, "none applies");
    else
        printf("%-15s %12lld %10.1f %10.1f %10.2f   %zu bytes, %lld x %lld, count %lld\n",
               collective, (long long)P, bench_median(first, ROUNDS), most,
               bench_median(again, ROUNDS), slowest.args.n_bytes, (long long)slowest.args.rows,
               (long long)slowest.args.cols, (long long)slowest.args.count);
}

/* Measure in a child process, whose cache has space for all answers. @return 0; not 0: an error */
static int measure_alone(const char *collective, int64_t P)
{
    int status = 1;
    const pid_t child = fork();

    if (child == 0) {
        measure(collective, P);
        exit(fflush(stdout) != 0);
    }
    return child > 0 && waitpid(child, &status, 0) == child ? status : 1;
}

int main(int argc, char **argv)
{
    static const int64_t P[] = {8, 64, 256, 1000, 1 << 20, 1000000000};
    const struct logp_collective *c;
    int rc = 0;

    printf("%-15s %12s %10s %10s %10s   %s\n", "auto", "P", "first, us", "most, us", "kept, us",
           "the slowest first choice");
    fflush(stdout);
    for (size_t i = 0; (c = logp_collective_at(i)) != NULL; i++)
        for (size_t k = 0;
             bench_selected(argc - 1, argv + 1, c->name) && k < sizeof(P) / sizeof(P[0]); k++)
            rc |= measure_alone(c->name, P[k]);
    return rc != 0;
}
