/* SPDX-License-Identifier: MIT */
/*
 * How many runs a second the test kit does: eight processors that pass messages around a ring, 104
 * of them, received from any source; with each strategy, and with latencies by chance. An exhaustive
 * check needs one run for them, so its processors send to both sides, 96 messages.
 */
#include "bench.h"

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

static double measure(const char *name, enum logp_strategy strategy,
                      const struct logp_params *params, enum logp_latency_kind kind,
                      bool fixed_order, int cores)
{
    const struct logp_latency latency = {.kind = kind};
    const struct logp_network network = {.params =
                                             params != NULL ? *params : (struct logp_params){0},
                                         .undelayed = params == NULL,
                                         .latency = params != NULL ? &latency : NULL};
    struct logp_check check = {.size = sizeof(check),
                               .sizes = (int[]){P},
                               .n_sizes = 1,
                               .runs = RUNS,
                               .seed = 1,
                               .strategy = strategy,
                               .network = &network,
                               .fixed_order = fixed_order,
                               .cores = cores};
    double seconds = 1e9;

    for (int i = 0; i < 3; i++) {
        const int64_t start = bench_now_ns();
        double took;

        bench_check(logp_check(strategy == LOGP_STRATEGY_EXHAUSTIVE ? both_sides : ring, NULL,
                               &check, NULL),
                    name);
        took = (double)(bench_now_ns() - start) * 1e-9;
        seconds = took < seconds ? took : seconds;
    }
    printf("%-34s %8.0f runs a second, up to %llu choices a run\n", name,
           (double)check.checked.runs / seconds, (unsigned long long)check.checked.choices);
    return seconds;
}

int main(void)
{
    const struct logp_params params = {
        .L_ns = 6000, .o_send_ns = 2000, .o_recv_ns = 2000, .g_ns = 4000};
    double alone, shared;

    printf("%d processors, %d messages a run (exhaustive: %d), one core; the best of three\n", P,
           P * ROUNDS, 2 * P * (ROUNDS / 2));
    alone = measure("random", LOGP_STRATEGY_RANDOM, NULL, LOGP_LATENCY_AS_IS, false, 1);
    shared =
        measure("random, two processes", LOGP_STRATEGY_RANDOM, NULL, LOGP_LATENCY_AS_IS, false, 2);
    printf("two processes are %.2f times as fast as one\n", alone / shared);
    measure("random, messages alone", LOGP_STRATEGY_RANDOM, NULL, LOGP_LATENCY_AS_IS, true, 1);
    measure("pct", LOGP_STRATEGY_PCT, NULL, LOGP_LATENCY_AS_IS, false, 1);
    measure("exhaustive", LOGP_STRATEGY_EXHAUSTIVE, NULL, LOGP_LATENCY_AS_IS, false, 1);
    measure("random, L o g, uniform latencies", LOGP_STRATEGY_RANDOM, &params, LOGP_LATENCY_UNIFORM,
            false, 1);
    return 0;
}
