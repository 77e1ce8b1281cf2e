/* SPDX-License-Identifier: MIT */
/* Recursive doubling, and what the textbook says of it. */
#include "support.h"

static int64_t predicted(const char *collective, const char *name, int64_t P,
                         const struct logp_params *params)
{
    const struct logp_invocation c = {.args.n_bytes = 8,
                                      .args.count = 1,
                                      .args.op = logp_op_find("sum", "double"),
                                      .model.params = *params};
    const struct logp_prediction p = test_predict(logp_algorithm_find(collective, name), P, &c);

    return p.certainty == LOGP_PREDICTION_EXACT ? p.ns : -1;
}

Test(doubling, the_textbook_is_right_for_powers_of_two_and_short_gaps)
{
    uint64_t state = 31;
    int agree = 0, differ = 0;

    cr_log_info("seed %llu", (unsigned long long)state);
    for (int i = 0; i < 5000 / TEST_SCALE; i++) {
        struct logp_params p =
            test_params((int64_t)(test_random(&state) % 20), (int64_t)(test_random(&state) % 10),
                        (int64_t)(test_random(&state) % 40));
        const int64_t P = 2 + (int64_t)(test_random(&state) % 40);
        int64_t D, E, ours, textbook;

        p.G_ps = test_random(&state) % 2 == 0 ? 0 : 1500;
        D = p.L_ns + 2 * p.o_send_ns + logp_params_stream_ns(&p, 8);
        E = test_max(p.o_send_ns, p.g_ns + logp_params_stream_ns(&p, 8));
        ours = predicted("broadcast", "binomial", P, &p);
        textbook = logp_textbook_cost(P, &p, 8);
        if ((P & (P - 1)) == 0 && (E <= D || P == 2)) {
            cr_assert_eq(ours, textbook);
            if (__builtin_ctz((unsigned)P) % 2 == 0)
                cr_assert_eq(predicted("broadcast", "mesh", P, &p), textbook);
            agree++;
        } else if ((P & (P - 1)) == 0) {
            cr_assert_gt(ours, textbook);
            differ++;
        } else if (E < D) {
            cr_assert_leq(ours, textbook);
        }
    }
    cr_expect(agree > 0 && differ > 0);
    cr_expect_eq(logp_textbook_cost(1, &(struct logp_params){.L_ns = 5}, 1), 0);
    cr_expect_eq(
        logp_textbook_cost(LOGP_TREE_MAX, &(struct logp_params){.G_ps = 1000000}, SIZE_MAX), -1);
}

Test(doubling, matrix_times_vector_needs_a_square_and_a_type)
{
    struct logp_invocation c = {.args.count = 5,
                                .args.op = logp_op_find("sum", "double"),
                                .model.params = test_params(6, 2, 4)};
    const struct logp_algorithm *a = logp_algorithm_find("matvec", "doubling");

    cr_expect_str_eq(test_needs(a, 8, &c), "a square number of processors");
    c.args.count = 0;
    cr_expect(test_needs(a, 16, &c) != NULL);
    c.args.count = 1;
    c.args.op = &(struct logp_op){.name = "own", .type = "own", .element_bytes = 4};
    cr_expect_str_eq(test_needs(a, 16, &c), "elements of a built-in type");
}
