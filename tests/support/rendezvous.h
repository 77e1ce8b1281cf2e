/* SPDX-License-Identifier: MIT */
/* Machines whose sends wait for their receivers. */
#ifndef LOGP_TESTS_RENDEZVOUS_H
#define LOGP_TESTS_RENDEZVOUS_H

#include "support.h"

static const struct logp_params all_params[] = {
    {.L_ns = 600, .o_send_ns = 20, .o_recv_ns = 30, .g_ns = 40},
    {.L_ns = 60, .o_send_ns = 3, .o_recv_ns = 7, .g_ns = 40, .G_ps = 1500, .gamma_ps = 700},
    {.L_ns = 30, .o_send_ns = 5, .o_recv_ns = 2, .g_ns = 1, .G_ps = 300, .gap_shared = true},
    {.L_ns = 0, .o_send_ns = 0, .o_recv_ns = 1, .g_ns = 9},
    {.L_ns = 30, .o_send_ns = 5, .o_recv_ns = 2, .g_ns = 10, .capacity = LOGP_CAPACITY_RULE},
};

enum { N_PARAMS = sizeof(all_params) / sizeof(all_params[0]) };

static inline struct logp_machine *machine_of(int P, enum logp_clock clock,
                                              const struct logp_params *p, int64_t from)
{
    const struct logp_network network = {.params = p != NULL ? *p : (struct logp_params){0},
                                         .undelayed = p == NULL,
                                         .rendezvous_from = from};

    return test_machine_with(
        (struct logp_config){.n_processors = P, .clock = clock, .network = &network}, NULL);
}

#endif
