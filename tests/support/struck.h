/* SPDX-License-Identifier: MIT */
/* The model that tests of faults are run with. */
#ifndef LOGP_TESTS_STRUCK_H
#define LOGP_TESTS_STRUCK_H

#include "support.h"

static const struct logp_params params = {
    .L_ns = 6000, .o_send_ns = 2000, .o_recv_ns = 3000, .g_ns = 4000, .G_ps = 10};

/* loggp with these parameters, struck. */
static inline struct logp_delay struck_with(const struct logp_params *p, int P, const char *faults,
                                            const char *noise, uint64_t seed)
{
    struct logp_network network = {.params = *p, .faults = faults, .noise = noise, .unit_ns = 1000};
    struct logp_delay delay;
    char why[LOGP_NETWORK_WHY];

    network.params.seed = seed;
    cr_assert_eq(logp_network_delay(&network, P, NULL, &delay, why), 0, "%s", why);
    return delay;
}

static inline struct logp_delay struck(int P, const char *faults, const char *noise, uint64_t seed)
{
    return struck_with(&params, P, faults, noise, seed);
}

static inline struct logp_machine *struck_machine(int P, enum logp_clock clock, const char *faults,
                                                  const char *noise)
{
    return test_machine_of(P, clock, struck(P, faults, noise, 1));
}

static inline struct logp_experiment experiment(const char *collective, const char *algorithm,
                                                int reps)
{
    struct logp_experiment x = {.size = sizeof(x),
                                .algorithm = logp_algorithm_find(collective, algorithm),
                                .reps = reps,
                                .timeout_ns = test_timeout_ns,
                                .seed = 11,
                                .args = {.n_bytes = 64, .count = 5}};

    cr_assert(x.algorithm != NULL);
    x.args.op = logp_op_find("sum", "int64");
    return x;
}

#endif
