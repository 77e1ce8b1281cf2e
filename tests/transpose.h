/* SPDX-License-Identifier: MIT */
/* What the suites of the transpose share. */
#ifndef LOGP_TESTS_TRANSPOSE_H
#define LOGP_TESTS_TRANSPOSE_H

#include "support.h"

static const char *const names[] = {"ring", "ring-eager", "ring-window", "butterfly"};

static inline const struct logp_algorithm *algorithm(const char *name)
{
    return logp_algorithm_find("transpose", name);
}

static inline int64_t predicted(const char *name, int64_t P, const struct logp_invocation *c)
{
    const struct logp_prediction p = test_predict(algorithm(name), P, c);

    cr_assert_eq(p.certainty, LOGP_PREDICTION_EXACT);
    return p.ns;
}

/* A matrix that each processor has `s` columns of, in blocks of `t` rows. */
static inline struct logp_invocation even(int64_t P, int64_t t, int64_t s,
                                          const struct logp_params *params)
{
    return (struct logp_invocation){
        .args.rows = P * t, .args.cols = P * s, .args.n_bytes = 8, .model.params = *params};
}

/* L, o, g and G of very different sizes, zeros among them. */
static inline struct logp_params random_params(uint64_t *state)
{
    static const int64_t most[] = {1, 2, 8, 8, 30, 300};
    struct logp_params p = {0};

    p.L_ns = test_below(state, most[test_below(state, 6)]);
    p.o_send_ns = test_below(state, most[test_below(state, 6)]);
    p.o_recv_ns =
        test_below(state, 3) > 0 ? p.o_send_ns : test_below(state, most[test_below(state, 6)]);
    p.g_ns = test_below(state, most[test_below(state, 6)]);
    if (test_below(state, 2) == 0)
        p.G_ps = test_below(state, 2) == 0 ? test_below(state, 5000) : 1 + test_below(state, 20);
    return p;
}

/* Of P processors; even in one case of three, fewer columns or rows than processors in another. */
static inline struct logp_invocation random_matrix(uint64_t *state, int64_t P)
{
    static const size_t sizes[] = {1, 4, 8, 13};
    struct logp_invocation c = {.args.n_bytes = sizes[test_below(state, 4)],
                                .model.params = random_params(state)};
    const int kind = (int)test_below(state, 3);

    c.args.rows =
        kind == 0 ? P * (1 + test_below(state, 3)) : 1 + test_below(state, kind == 1 ? P : 3 * P);
    c.args.cols = kind == 0 ? P * (1 + test_below(state, 3))
                            : 1 + test_below(state, kind == 1 ? 3 * P : P + 2);
    c.args.packing = test_below(state, 2) == 0 ? LOGP_PACKING_NONE : LOGP_PACKING_STRUCTURED;
    c.args.pack_ns = test_below(state, 2) == 0 ? test_below(state, 40) : 0;
    c.args.window = test_below(state, 2) == 0 ? 1 + test_below(state, P + 1) : 0;
    return c;
}

#endif
