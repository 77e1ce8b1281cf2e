/* SPDX-License-Identifier: MIT */
/*
 * Messages per second that the fold of a schedule follows on one core. usage: bench_fold
 * [COLLECTIVE ...]
 */
#include "bench.h"

enum { ROUNDS = 5 };

static void measure(const char *collective, const char *name, int64_t P,
                    const struct logp_params *params)
{
    const struct logp_algorithm *a = logp_algorithm_find(collective, name);
    const struct logp_args args = {
        .n_bytes = 8, .count = 8, .op = logp_op_find("sum", "double"), .rows = P, .cols = P};
    const struct logp_network model = {.params = *params};
    const struct logp_schedule s = logp_schedule_of(a, P, &args, &model);
    struct logp_delay delay;
    struct logp_fold fold;
    double seconds[ROUNDS];

    bench_check(logp_delay_create("loggp", params, &delay), "delay");
    for (int i = 0; i < ROUNDS; i++) {
        /* other load on the host does not count */
        const int64_t start = bench_clock_ns(CLOCK_THREAD_CPUTIME_ID);

        bench_check(logp_schedule_fold(&s, &delay, 0, &fold), "fold");
        seconds[i] = (double)(bench_clock_ns(CLOCK_THREAD_CPUTIME_ID) - start) / 1e9;
    }
    logp_delay_destroy(&delay);
    printf("%-10s %-14s %9lld %9llu %10.4f %10.1f\n", collective, name, (long long)P,
           (unsigned long long)fold.messages, bench_median(seconds, ROUNDS),
           (double)fold.messages / bench_median(seconds, ROUNDS) / 1e6);
}

int main(int argc, char **argv)
{
    static const struct {
        const char *collective, *name;
        int64_t P;
        bool capacity; /* with it, sends are followed in the order of time */
    } sets[] = {
        {"barrier", "dissemination", 1 << 20, false}, {"barrier", "dissemination", 1 << 10, false},
        {"alltoall", "linear", 1 << 11, false},       {"broadcast", "binomial", 1 << 20, false},
        {"broadcast", "optimal", 1 << 16, false},     {"broadcast", "flat", 1 << 20, false},
        {"barrier", "dissemination", 1 << 16, true},
    };

    printf("%-10s %-14s %9s %9s %10s %10s\n", "fold", "", "P", "messages", "s", "million/s");
    for (size_t i = 0; i < sizeof(sets) / sizeof(sets[0]); i++) {
        const struct logp_params params = {.L_ns = 60000,
                                           .o_send_ns = 20000,
                                           .o_recv_ns = 20000,
                                           .g_ns = 40000,
                                           .capacity = sets[i].capacity ? 2 : 0};

        if (bench_selected(argc - 1, argv + 1, sets[i].collective))
            measure(sets[i].collective, sets[i].name, sets[i].P, &params);
    }
    return 0;
}
