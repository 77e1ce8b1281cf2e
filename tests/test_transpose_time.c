/* SPDX-License-Identifier: MIT */
/* The predictions of transposes: printed values, formulas, the best window, what packing saves, and
 * who applies when. That they hold is tested in test_transpose.c. */
#include "transpose.h"

Test(transpose_time, its_own_window_is_the_smallest_of_the_best)
{
    uint64_t state = 36;

    cr_log_info("seed %llu", (unsigned long long)state);
    for (int i = 0; i < 5000 / TEST_SCALE; i++) {
        const int64_t P = 2 + test_below(&state, i % 8 == 0 ? 200 : 20);
        struct logp_invocation c = random_matrix(&state, P);
        int64_t best = INT64_MAX, smallest = 0, own;

        c.args.rows = (c.args.rows + P - 1) / P * P;
        c.args.cols = (c.args.cols + P - 1) / P * P;
        c.args.window = 0;
        own = test_knob(algorithm("ring-window"), "window", P, &c);
        for (c.args.window = 1; c.args.window < P; c.args.window++) {
            const int64_t ns = predicted("ring-window", P, &c);

            smallest = ns < best ? c.args.window : smallest;
            best = ns < best ? ns : best;
        }
        cr_assert_eq(own, smallest);
        c.args.window = 0;
        cr_assert_eq(predicted("ring-window", P, &c), best);
    }
}

Test(transpose_time, any_number_of_processors_has_a_prediction)
{
    const struct logp_params params = {.L_ns = 6, .o_send_ns = 2, .o_recv_ns = 2, .g_ns = 1};
    const int64_t P = INT64_C(1) << 55;
    struct logp_invocation c = even(P, 1, 1, &params);

    cr_expect_eq(predicted("ring", P, &c), P * 10 - 10);
    cr_expect_eq(predicted("ring-window", P, &c), 2 * 2 * (P - 1)); /* never idle */
    cr_expect_eq(test_knob(algorithm("ring-window"), "window", P, &c), 4);
    cr_expect_eq(predicted("butterfly", P, &c), 550);
    c.args.rows++; /* a byte costs nothing: one more does not matter */
    cr_expect_eq(predicted("ring", P, &c), P * 10 - 10);
    c.model.params.g_ns = 1000;
    cr_expect_eq(test_predict(algorithm("ring"), P, &c).certainty, LOGP_PREDICTION_NONE);
    c.model.params = (struct logp_params){.g_ns = 1};
    c.args.rows = c.args.cols = INT64_MAX;
    c.args.packing = LOGP_PACKING_NONE;
    for (int i = 0; i < 4; i++)
        cr_expect_eq(test_predict(algorithm(names[i]), P, &c).certainty, LOGP_PREDICTION_NONE);
}

Test(transpose_time, the_largest_block_is_a_bound)
{
    uint64_t state = 257;

    cr_log_info("seed %llu", (unsigned long long)state);
    for (int i = 0; i < 3000 / TEST_SCALE; i++) {
        const int64_t P =
            i % 2 == 0 ? 1 + test_below(&state, 40) : INT64_C(1) << test_below(&state, 6);
        const struct logp_invocation c = random_matrix(&state, P);
        struct logp_invocation largest = c;

        largest.args.rows = (c.args.rows + P - 1) / P * P;
        largest.args.cols = (c.args.cols + P - 1) / P * P;
        for (int k = 0; k < 4; k++)
            if (test_needs(algorithm(names[k]), P, &c) == NULL)
                cr_assert_leq(predicted(names[k], P, &c), predicted(names[k], P, &largest));
    }
}

Test(transpose_time, an_algorithm_says_what_it_needs)
{
    const struct logp_params params = test_params(6, 2, 4);
    struct logp_invocation c = even(6, 1, 1, &params);

    cr_expect_str_eq(test_needs(algorithm("butterfly"), 6, &c),
                     "a power of two as the number of processors");
    cr_expect_null(test_needs(algorithm("butterfly"), 4, &c));
    cr_expect_null(test_needs(algorithm("ring"), 6, &c));
    c.args.rows = 0;
    for (int k = 0; k < 4; k++)
        cr_expect_str_eq(test_needs(algorithm(names[k]), 4, &c), "at least one row and one column");
    cr_expect_null(test_best("transpose", 4, &c));
    c.args.rows = 1;
    c.args.pack_ns = -1;
    cr_expect_str_eq(test_needs(algorithm("ring"), 6, &c), "a time to pack of at least 0");
}
