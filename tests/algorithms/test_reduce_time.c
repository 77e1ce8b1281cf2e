/* SPDX-License-Identifier: MIT */
/* The predictions of reductions: printed values, the best number of chains, the best algorithm, and
 * who applies when. That they hold is tested in test_reduce.c. */
#include "reduce.h"
#include <logp/paper.h>

/* L, o, g = 6, 2, 4, and gamma; one element. */
static struct logp_invocation usual(int64_t gamma)
{
    struct logp_invocation c = {.args.count = 1, .model.params = test_params(6, 2, 4)};

    c.model.params.gamma_ps = gamma * 1000;
    return c;
}

/* One with these a and B: L = a, g = B. */
static struct logp_invocation costing(int64_t a, int64_t B)
{
    return (struct logp_invocation){.args.count = 1, .model.params = test_params(a, 0, B)};
}

static int64_t predicted(const char *name, int64_t P, const struct logp_invocation *c)
{
    const struct logp_prediction p = test_predict(algorithm(name), P, c);

    cr_assert_eq(p.certainty, LOGP_PREDICTION_EXACT, "%s P %ld", name, (long)P);
    return p.ns;
}

static int64_t with_k(const char *name, int64_t P, struct logp_invocation c, int64_t k)
{
    c.args.k = k;
    return predicted(name, P, &c);
}

/* The least over all k, the smallest of equals. */
static int64_t try_all(const char *name, int64_t P, const struct logp_invocation *c,
                       int64_t *best_k)
{
    int64_t least = INT64_MAX;

    for (int64_t k = 1; k < P; k++) {
        const int64_t T = with_k(name, P, *c, k);

        if (T < least) {
            least = T;
            *best_k = k;
        }
    }
    return least;
}

static void check_best_k(int64_t P, int64_t a, int64_t B)
{
    const struct logp_invocation c = costing(a, B);
    int64_t k = 0;
    const int64_t least = try_all("kchain", P, &c, &k);

    cr_assert_eq(predicted("kchain-opt", P, &c), least, "P %ld a %ld B %ld", (long)P, (long)a,
                 (long)B);
    cr_assert_eq(test_knob(algorithm("kchain-opt"), "k", P, &c), k, "P %ld a %ld B %ld: k %ld",
                 (long)P, (long)a, (long)B, (long)k);
}

Test(reduce_time, kchain_opt_takes_the_best_number_of_chains)
{
    uint64_t random = 21;

    cr_log_info("seed %d", 21);
    for (int64_t a = 0; a <= 12; a++)
        for (int64_t B = 0; B <= 12; B++)
            for (int64_t P = 2; P <= 60; P += 1 + (TEST_SCALE > 1 ? 12 : 0))
                check_best_k(P, a, B);
    for (int i = 0; i < 2000 / TEST_SCALE; i++) {
        const int64_t P = 2 + (int64_t)below(&random, 1000);
        const int64_t a = (int64_t)below(&random, UINT64_C(1) << below(&random, 24));
        const int64_t B = (int64_t)below(&random, UINT64_C(1) << below(&random, 24));

        check_best_k(P, a, B);
    }
}

/* No k near the one taken, nor with a length near its, is better. */
Test(reduce_time, kchain_opt_takes_the_best_number_of_chains_of_huge_machines)
{
    uint64_t random = 22;

    cr_log_info("seed %d", 22);
    for (int i = 0; i < 500 / TEST_SCALE; i++) {
        const int64_t P = 2 + (int64_t)below(&random, UINT64_C(1) << (2 + below(&random, 60)));
        const struct logp_invocation c =
            costing((int64_t)below(&random, UINT64_C(1) << below(&random, 32)),
                    (int64_t)below(&random, UINT64_C(1) << below(&random, 32)));
        const int64_t k = test_knob(algorithm("kchain-opt"), "k", P, &c);
        const struct logp_prediction best = test_predict(algorithm("kchain-opt"), P, &c);
        const int64_t q = (P - 2) / k + 1;

        cr_assert(k >= 1 && k < P);
        for (int64_t d = -1000; d <= 1000; d++) {
            const int64_t tries[] = {k + d, q + d > 0 ? (P - 2) / (q + d) + 1 : 0};

            for (int t = 0; t < 2; t++) {
                struct logp_invocation other = c;
                struct logp_prediction p;

                other.args.k = tries[t];
                if (tries[t] < 1 || tries[t] >= P)
                    continue;
                p = test_predict(algorithm("kchain"), P, &other);
                cr_assert(best.certainty == LOGP_PREDICTION_EXACT
                              ? p.certainty == LOGP_PREDICTION_NONE || p.ns > best.ns ||
                                    (p.ns == best.ns && tries[t] >= k)
                              : p.certainty == LOGP_PREDICTION_NONE,
                          "P %ld a %ld B %ld: k %ld, but %ld", (long)P, (long)c.model.params.L_ns,
                          (long)c.model.params.g_ns, (long)k, (long)tries[t]);
            }
        }
    }
}

Test(reduce_time, huge_machines_have_predictions_while_the_clock_lasts)
{
    const int64_t P = LOGP_TREE_MAX;
    struct logp_invocation c = usual(1);

    cr_expect_eq(predicted("binomial", P, &c), 11 + 60 * 11);
    cr_expect_eq(predicted("binary", P - 1, &c), 60 * (11 + 4));
    cr_expect_leq(predicted("optimal", P, &c), predicted("binomial", P, &c));
    /* 1 + 2 + ... + k <= 2^61 - 1 for k = 2^31 - 1, and 2^30 - ... are left */
    cr_expect_eq(test_knob(algorithm("kchain-adaptive"), "k", P, &c), (INT64_C(1) << 31) - 1);
    cr_expect_eq(predicted("kchain-adaptive", P, &c), 11 * ((INT64_C(1) << 31) - 1) + 4);
    cr_expect_leq(predicted("kchain-adaptive-sorted", P, &c), predicted("kchain-adaptive", P, &c));
    cr_expect_eq(test_predict(algorithm("flat"), P, &c).certainty, LOGP_PREDICTION_NONE);
    cr_expect_eq(test_predict(algorithm("chain"), P, &c).certainty, LOGP_PREDICTION_NONE);
    c.args.k = LOGP_K_SQRT;
    cr_expect_eq(test_knob(algorithm("kchain"), "k", P, &c),
                 INT64_C(1518500250)); /* ceil(sqrt(2^61 - 1)) */
    cr_expect_eq(test_knob(algorithm("kchain"), "k", 10, &c), 3);
    cr_expect_eq(test_knob(algorithm("kchain"), "k", 11, &c), 4);
    c = costing(LOGP_PARAM_MAX_NS, LOGP_PARAM_MAX_NS);
    for (int i = 0; i < N_NAMES; i++) /* no overflow */
        cr_assert(test_predict(algorithm(names[i]), P, &c).ns >= 0);
    c.model.params.gamma_ps = INT64_MAX;
    c.model.params.G_ps = INT64_MAX;
    c.args.count = INT64_C(1) << 60;
    for (int i = 0; i < N_NAMES; i++)
        cr_assert(test_predict(algorithm(names[i]), P, &c).ns >= 0);
}

Test(reduce_time, a_k_that_is_too_large_is_refused)
{
    struct logp_invocation c = usual(1);
    static const int64_t wrong[] = {8, 1000, -2};

    for (int i = 0; i < 3; i++) {
        c.args.k = wrong[i];
        c.args.root = 1;
        cr_expect_str_eq(test_needs(algorithm("kchain"), 8, &c), "a k of 1 .. P-1");
        cr_expect_str_eq(test_needs(algorithm("kchain-short-first"), 8, &c), "a k of 1 .. P-1");
        cr_expect_eq(test_plan(algorithm("kchain"), 8, 0, &c), -ENOTSUP);
        cr_expect_null(test_needs(algorithm("kchain-opt"), 8, &c));
    }
    c.args.k = 7;
    cr_expect_null(test_needs(algorithm("kchain"), 8, &c));
    c.args.k = LOGP_K_SQRT;
    for (int P = 1; P < 40; P++)
        cr_expect_null(test_needs(algorithm("kchain"), P, &c));
}
