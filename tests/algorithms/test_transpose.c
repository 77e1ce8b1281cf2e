/* SPDX-License-Identifier: MIT */
/* Transposing: bounds hold, every element is in its place, and the best window is found. */
#include "support.h"

static const char *const names[] = {"ring", "ring-eager", "ring-window", "butterfly"};

static const struct logp_algorithm *algorithm(const char *name)
{
    return logp_algorithm_find("transpose", name);
}

static int64_t predicted(const char *name, int64_t P, const struct logp_invocation *c)
{
    const struct logp_prediction p = test_predict(algorithm(name), P, c);

    cr_assert_eq(p.certainty, LOGP_PREDICTION_EXACT);
    return p.ns;
}

/* A matrix that each processor has `s` columns of, in blocks of `t` rows. */
static struct logp_invocation even(int64_t P, int64_t t, int64_t s,
                                   const struct logp_params *params)
{
    return (struct logp_invocation){
        .args.rows = P * t, .args.cols = P * s, .args.n_bytes = 8, .model.params = *params};
}

/* L, o, g and G of very different sizes, zeros among them. */
static struct logp_params random_params(uint64_t *state)
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
static struct logp_invocation random_matrix(uint64_t *state, int64_t P)
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

static void expect_bound(struct logp_machine *m, const char *name, const struct logp_invocation *c)
{
    const struct logp_experiment x = test_experiment(algorithm(name), &c->args, 1, 0);
    struct logp_record r;

    cr_assert_eq(logp_experiment_run(m, &x, &r), 0);
    cr_assert(r.verified, "%s", name);
    cr_assert_eq(r.prediction.certainty, LOGP_PREDICTION_BOUND);
    cr_assert_leq(r.emulated.median_ns, r.prediction.ns);
}

Test(transpose, many_processors_with_unequal_blocks_have_a_bound)
{
    enum { MANY = 257, MORE = 512 };
    const struct logp_params params = {
        .L_ns = 60, .o_send_ns = 20, .o_recv_ns = 20, .g_ns = 40, .G_ps = 2000};
    struct logp_invocation c = {
        .args.rows = 300, .args.cols = 20, .args.n_bytes = 4, .model.params = params};
    struct logp_machine *m = test_machine(MANY, LOGP_CLOCK_VIRTUAL, &params);

    for (int k = 0; k < 3; k++)
        expect_bound(m, names[k], &c);
    cr_assert_eq(logp_machine_destroy(m), 0);
    m = test_machine(MORE, LOGP_CLOCK_VIRTUAL, &params);
    expect_bound(m, "butterfly", &c);
    c.args.packing = LOGP_PACKING_NONE;
    expect_bound(m, "butterfly", &c);
    cr_assert_eq(logp_machine_destroy(m), 0);
}

/* One element that is not what it should be is found, wherever it is. */
Test(transpose, every_element_is_checked)
{
    const struct logp_collective *what = logp_collective_find("transpose");
    const struct logp_invocation *c =
        &(struct logp_invocation){.args.rows = 7, .args.cols = 5, .args.n_bytes = 4};
    uint32_t matrix[35], result[35];

    for (int rank = 0; rank < 3; rank++) {
        const int first_row = rank * 2 + (rank > 0), n_rows = rank == 0 ? 3 : 2;
        size_t size, recv_size;

        what->sizes(3, rank, c, &size, &recv_size);
        cr_assert_eq(size, (rank < 2 ? 2u : 1u) * 7 * 4);
        cr_assert_eq(recv_size, (size_t)n_rows * 5 * 4);
        for (int from = 0; from < 3; from++) {
            logp_collective_fill(what, 3, from, 1, c, matrix + from * 2 * 7, result);
        }
        for (int i = 0; i < n_rows * 5; i++)
            result[i] = matrix[i % 5 * 7 + first_row + i / 5];
        cr_assert(logp_collective_check(what, 3, rank, 1, c, NULL, result));
        cr_assert(!logp_collective_check(what, 3, rank, 2, c, NULL, result));
        for (int i = 0; i < n_rows * 5; i++) {
            result[i] ^= 1u << i;
            cr_assert(!logp_collective_check(what, 3, rank, 1, c, NULL, result));
            result[i] ^= 1u << i;
        }
    }
}

struct shape {
    int64_t rows, cols;
    size_t n_bytes;
};

/* Twice, through the function that chooses by itself, with the columns of a matrix of numbers. */
static int transpose_twice(struct logp_vp *vp, void *arg)
{
    const struct shape *s = arg;
    const struct logp_collective *what = logp_collective_find("transpose");
    const int P = logp_vp_size(vp), me = logp_vp_rank(vp);
    const struct logp_invocation c = {
        .args = {.rows = s->rows, .cols = s->cols, .n_bytes = s->n_bytes}};
    size_t size, recv_size;
    char *in, *out, *back, *original;
    int rc;

    what->sizes(P, me, &c, &size, &recv_size);
    in = malloc(size + 1);
    out = malloc(recv_size + 1);
    back = malloc(size + 1);
    original = malloc(size + 1);
    logp_collective_fill(what, P, me, 3, &c, in, out);
    memcpy(original, in, size);
    if (size == 0) {
        free(in);
        in = NULL;
    }
    rc = logp_transpose(vp, in, out, s->rows, s->cols, s->n_bytes);
    if (rc == 0) {
        cr_assert(logp_collective_check(what, P, me, 3, &c, in, out));
        rc = logp_transpose(vp, out, back, s->cols, s->rows, s->n_bytes);
    }
    if (rc == 0)
        cr_assert_eq(memcmp(back, original, size), 0);
    free(in);
    free(out);
    free(back);
    free(original);
    return rc;
}

Test(transpose, twice_is_the_matrix_itself)
{
    static struct shape shapes[] = {{1, 1, 8}, {5, 3, 13}, {16, 16, 4}, {40, 7, 1}, {2, 9, 0}};

    for (int P = 1; P <= 17; P += P < 4 ? 1 : 4)
        for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++) {
            test_run(test_machine(P, LOGP_CLOCK_VIRTUAL, &test_600ns), transpose_twice, &shapes[i]);
            test_run(test_machine(P, LOGP_CLOCK_VIRTUAL, NULL), transpose_twice, &shapes[i]);
        }
}

/* ---- predictions ---- */

Test(transpose, its_own_window_is_the_smallest_of_the_best)
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

Test(transpose, any_number_of_processors_has_a_prediction)
{
    const struct logp_params params = test_params(6, 2, 1);
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

Test(transpose, the_largest_block_is_a_bound)
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

Test(transpose, an_algorithm_says_what_it_needs)
{
    struct logp_invocation c = even(6, 1, 1, &test_6ns);

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
