/* SPDX-License-Identifier: MIT */
/* What the suites of the summation share. */
#ifndef LOGP_TESTS_SUMMATION_H
#define LOGP_TESTS_SUMMATION_H

#include "support.h"

static const char *const names[] = {"flat", "binomial", "optimal-paper", "optimal"};

enum { FLAT, BINOMIAL, PAPER, OPTIMAL, N_NAMES };

static inline const struct logp_algorithm *algorithm(int which)
{
    return logp_algorithm_find("summation", names[which]);
}

/* An addition takes a unit of `unit` ns, like L, o, g. */
static inline struct logp_invocation invocation_of(int64_t N, int64_t L, int64_t o, int64_t g,
                                                   int64_t unit)
{
    struct logp_invocation c = {.args.count = N, .args.op = logp_op_find("sum", "int64")};

    c.model.params = test_params(L * unit, o * unit, g * unit);
    c.model.params.gamma_ps = unit * 1000;
    return c;
}

static inline int64_t predicted(int which, int64_t P, const struct logp_invocation *c)
{
    const struct logp_prediction p = test_predict(algorithm(which), P, c);

    cr_assert_eq(p.certainty, LOGP_PREDICTION_EXACT);
    return p.ns;
}

/* Often 0, mostly small, sometimes large. */
static inline int64_t some_time(uint64_t *state)
{
    static const int64_t most[] = {1, 3, 8, 8, 20, 100};

    return test_below(state, most[test_below(state, 6)]);
}

#endif
