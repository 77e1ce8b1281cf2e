/* SPDX-License-Identifier: MIT */
/* The predictions of transposes: printed values, formulas, the best window, what packing saves, and
 * who applies when. That they hold is tested in test_transpose.c. */
#include "transpose.h"

static int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* o_send = o_recv: from the start of a send to that of the next, and to the end of the receipt. */
static int64_t E_of(const struct logp_params *p, int64_t n_bytes)
{
    return larger(p->o_send_ns, p->g_ns + logp_params_stream_ns(p, (size_t)n_bytes));
}

static int64_t D_of(const struct logp_params *p, int64_t n_bytes)
{
    return 2 * p->o_send_ns + p->L_ns + logp_params_stream_ns(p, (size_t)n_bytes);
}

Test(transpose_time, golden_times)
{
    const struct logp_params params = test_params(6, 2, 4);
    struct logp_invocation c = even(8, 1, 1, &params);

    cr_expect_eq(predicted("ring", 8, &c), 70);
    cr_expect_eq(predicted("ring-eager", 8, &c), 52);
    cr_expect_eq(predicted("ring-window", 8, &c), 36);
    cr_expect_eq(test_knob(algorithm("ring-window"), "window", 8, &c), 3);
    cr_expect_eq(predicted("butterfly", 8, &c), 30);
    cr_expect_str_eq(test_best("transpose", 8, &c)->name, "butterfly");
    c = even(7, 1, 1, &params);
    cr_expect_str_eq(test_best("transpose", 7, &c)->name, "ring-window");
    c = even(2, 1, 1, &params); /* all are the same: one message each way */
    cr_expect_str_eq(test_best("transpose", 2, &c)->name, "ring");
    for (int i = 0; i < 4; i++) {
        cr_expect_eq(predicted(names[i], 2, &c), 10);
        cr_expect_eq(predicted(names[i], 1, &c), 0);
    }
}

Test(transpose_time, times_are_those_of_the_formulas)
{
    uint64_t state = 5;

    cr_log_info("seed %llu", (unsigned long long)state);
    for (int i = 0; i < 20000 / TEST_SCALE; i++) {
        struct logp_params p = random_params(&state);
        const int64_t lg = 1 + test_below(&state, 6), P = INT64_C(1) << lg,
                      n = 2 + test_below(&state, 60);
        struct logp_invocation c;
        int64_t E, D, o, w;

        p.o_recv_ns = p.o_send_ns;
        c = even(n, 1 + test_below(&state, 4), 1 + test_below(&state, 4), &p);
        E = E_of(&p, c.args.rows / n * (c.args.cols / n) * 8);
        D = D_of(&p, c.args.rows / n * (c.args.cols / n) * 8);
        o = p.o_send_ns;
        cr_assert_eq(predicted("ring", n, &c), (n - 2) * larger(D, E) + D);
        cr_assert_eq(predicted("ring-eager", n, &c),
                     larger(D - 2 * o, (n - 2) * E) + (n - 2) * E + 2 * o);

        /* w messages of a word a stage */
        p.G_ps = 0;
        c = even(P, 1, 1 + test_below(&state, 4), &p);
        c.args.packing = LOGP_PACKING_NONE;
        w = P / 2 * (c.args.cols / P);
        E = E_of(&p, 8);
        if (w >= 2)
            cr_assert_eq(predicted("butterfly", P, &c),
                         lg * ((w - 1) * E + larger(p.L_ns, (w - 1) * E) + 2 * o));
    }
}

Test(transpose_time, no_order_of_a_ring_beats_the_lower_bound)
{
    uint64_t state = 70;

    cr_log_info("seed %llu", (unsigned long long)state);
    for (int i = 0; i < 3000 / TEST_SCALE; i++) {
        struct logp_params p = random_params(&state);
        const int64_t n = 2 + test_below(&state, 30), o = p.o_recv_ns = p.o_send_ns;
        struct logp_invocation c = even(n, 1, 1, &p);
        for (c.args.window = 0; c.args.window < n; c.args.window++) {
            cr_assert_geq(predicted("ring-window", n, &c), (n - 2) * E_of(&p, 8) + D_of(&p, 8));
            cr_assert_geq(predicted("ring-window", n, &c), 2 * o * (n - 1));
        }
    }
}

Test(transpose_time, a_window_of_one_alternates_and_the_largest_is_eager)
{
    uint64_t state = 1;

    cr_log_info("seed %llu", (unsigned long long)state);
    for (int i = 0; i < 2000 / TEST_SCALE; i++) {
        const int64_t P = 1 + test_below(&state, 40);
        struct logp_invocation c = random_matrix(&state, P);

        c.args.window = 1;
        cr_assert_eq(predicted("ring-window", P, &c), predicted("ring", P, &c));
        c.args.window = P + test_below(&state, 3);
        cr_assert_eq(predicted("ring-window", P, &c), predicted("ring-eager", P, &c));
    }
}

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

/* A matrix of one row: only rank 0 gets anything. */
Test(transpose_time, packing_joins_the_columns_for_one_destination)
{
    uint64_t state = 9;

    cr_log_info("seed %llu", (unsigned long long)state);
    for (int i = 0; i < 2000 / TEST_SCALE; i++) {
        struct logp_params p = random_params(&state);
        const int64_t s = 1 + test_below(&state, 30), t = 1 + test_below(&state, 30);
        struct logp_invocation c = {
            .args.rows = 1, .args.cols = 2 * s, .args.n_bytes = (size_t)t * 8};

        p.o_recv_ns = p.o_send_ns;
        c.model.params = p;
        c.args.pack_ns = test_below(&state, 20);
        cr_assert_eq(predicted("ring", 2, &c), s * c.args.pack_ns + D_of(&p, s * t * 8));
        c.args.packing = LOGP_PACKING_NONE;
        cr_assert_eq(predicted("ring", 2, &c), (s - 1) * E_of(&p, t * 8) + D_of(&p, t * 8));
    }
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
