/* SPDX-License-Identifier: MIT */
/*
 * What a message costs the host: an all-to-all of 8 bytes, its wall time x cores / messages, with
 * nothing emulated and under models that are faster than the host. The model's own share is what
 * would be left on an infinitely fast one. The delays are measured in turn, round after round;
 * medians of the times, and of the ratios to delay none.
 */
#include "bench.h"

enum { ROUNDS = 15, N_DELAYS = 5 };

/* L = o = g, in ns; the first: delay none. */
static const int64_t delays_ns[N_DELAYS] = {-1, 0, 1, 10, 100};

static struct logp_params equal_params(int64_t ns)
{
    return (struct logp_params){.L_ns = ns, .o_send_ns = ns, .o_recv_ns = ns, .g_ns = ns};
}

static struct logp_machine *make_machine(const char *executor, int P, int64_t ns)
{
    struct logp_config config = {.size = sizeof(config),
                                 .n_processors = P,
                                 .delay = logp_delay_none(),
                                 .executor = executor};
    const struct logp_params params = equal_params(ns);
    struct logp_machine *m;

    if (ns >= 0)
        bench_check(logp_delay_create("logp", &params, &config.delay), "delay");
    bench_check(logp_machine_create(&config, &m), "create");
    return m;
}

static double cost_ns(struct logp_machine *m, const struct logp_experiment *x)
{
    struct logp_record r;

    bench_check(logp_experiment_run(m, x, &r), "run");
    bench_check(r.verified ? 0 : -EIO, "a wrong result");
    return (double)r.measured.median_ns * logp_machine_cores(m) / (double)r.messages;
}

/* @return the part of cost_ns() that is the model's */
static double own_ns(const struct logp_experiment *x, int P, int n_cores, int64_t ns)
{
    const struct logp_network model = {.params = equal_params(ns)};

    if (ns < 0)
        return 0;
    return (double)logp_algorithm_predict(x->algorithm, P, &x->args, &model).ns * n_cores /
           ((double)P * (P - 1));
}

static void measure(const char *executor, int P, int reps)
{
    const struct logp_experiment x = {.size = sizeof(x),
                                      .algorithm = logp_algorithm_find("alltoall", "linear"),
                                      .args = {.n_bytes = 8},
                                      .reps = reps,
                                      .warmup = 10};
    struct logp_machine *machines[N_DELAYS];
    double ns[N_DELAYS][ROUNDS], ratio[N_DELAYS][ROUNDS];

    for (int k = 0; k < N_DELAYS; k++)
        machines[k] = make_machine(executor, P, delays_ns[k]);
    for (int i = 0; i < ROUNDS; i++)
        for (int k = 0; k < N_DELAYS; k++) {
            ns[k][i] = cost_ns(machines[k], &x);
            ratio[k][i] = ns[k][i] / ns[0][i];
        }
    for (int k = 0; k < N_DELAYS; k++) {
        char delay[32] = "none";

        if (delays_ns[k] >= 0)
            snprintf(delay, sizeof(delay), "L = o = g = %lld", (long long)delays_ns[k]);
        printf("%-7s %5d  %-15s %10.1f %10.1f %8.2f\n", executor, P, delay,
               own_ns(&x, P, logp_machine_cores(machines[k]), delays_ns[k]),
               bench_median(ns[k], ROUNDS), bench_median(ratio[k], ROUNDS));
        logp_machine_destroy(machines[k]);
    }
    fflush(stdout);
}

int main(void)
{
    printf("%-7s %5s  %-15s %10s %10s %8s\n", "carrier", "P", "delay, ns", "model's", "ns/message",
           "ratio");
    measure("fiber", 64, 50);
    measure("thread", 8, 500);
    return 0;
}
