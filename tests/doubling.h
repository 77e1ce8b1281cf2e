/* SPDX-License-Identifier: MIT */
/* What the suites of recursive doubling and of trees on links share. */
#ifndef LOGP_TESTS_DOUBLING_H
#define LOGP_TESTS_DOUBLING_H

#include "support.h"

/* 0 .. n */
static inline int64_t up_to(uint64_t *state, int64_t n)
{
    return (int64_t)(test_random(state) % (uint64_t)(n + 1));
}

/* Small times, zeros among them, equal and other overheads, sometimes the shared gap. */
static inline struct logp_params random_params(uint64_t *state)
{
    static const int64_t scale[] = {0, 3, 10, 40};
    struct logp_params p = {0};

    p.L_ns = up_to(state, scale[test_random(state) % 4]);
    p.o_send_ns = up_to(state, scale[test_random(state) % 3]);
    p.o_recv_ns = test_random(state) % 2 == 0 ? p.o_send_ns : up_to(state, 10);
    p.g_ns = up_to(state, scale[test_random(state) % 4]);
    p.G_ps = test_random(state) % 2 == 0 ? 0 : up_to(state, 2500);
    p.gamma_ps = test_random(state) % 2 == 0 ? 0 : up_to(state, 5000);
    p.gap_shared = test_random(state) % 8 == 0;
    return p;
}

#endif
