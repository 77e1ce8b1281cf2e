/* SPDX-License-Identifier: MIT */
/*
 * Transposing: on random matrices, processors and parameters the virtual clock equals the
 * prediction to the nanosecond; bounds hold; windows are the best; every element is in its place.
 */
#include "support.h"

static const char *const names[] = {"ring", "ring-eager", "ring-window", "butterfly"};

static const struct logp_algorithm *algorithm(const char *name)
{
    return logp_algorithm_find("transpose", name);
}

static int64_t predicted(const char *name, int64_t P, const struct logp_coll *c)
{
    const struct logp_prediction p = logp_predict(algorithm(name), P, c);

    cr_assert_eq(p.certainty, LOGP_PREDICTION_EXACT);
    return p.ns;
}

/* A matrix that each processor has `s` columns of, in blocks of `t` rows. */
static struct logp_coll even(int64_t P, int64_t t, int64_t s, const struct logp_params *params)
{
    return (struct logp_coll){.rows = P * t, .cols = P * s, .n_bytes = 8, .params = *params};
}

static int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* o_send = o_recv: from the start of a send to that of the next, and to the end of the receipt. */
static int64_t E_of(const struct logp_params *p, int64_t n_bytes)
{
    return larger(p->o_send_ns, p->g_ns + logp_stream_ns(p, (size_t)n_bytes));
}

static int64_t D_of(const struct logp_params *p, int64_t n_bytes)
{
    return 2 * p->o_send_ns + p->L_ns + logp_stream_ns(p, (size_t)n_bytes);
}

static int64_t below(uint64_t *state, int64_t n)
{
    return (int64_t)(test_random(state) >> 33) % n;
}

/* L, o, g and G of very different sizes, zeros among them. */
static struct logp_params random_params(uint64_t *state)
{
    static const int64_t most[] = {1, 2, 8, 8, 30, 300};
    struct logp_params p = {0};

    p.L_ns = below(state, most[below(state, 6)]);
    p.o_send_ns = below(state, most[below(state, 6)]);
    p.o_recv_ns = below(state, 3) > 0 ? p.o_send_ns : below(state, most[below(state, 6)]);
    p.g_ns = below(state, most[below(state, 6)]);
    if (below(state, 2) == 0)
        p.G_ps = below(state, 2) == 0 ? below(state, 5000) : 1 + below(state, 20);
    return p;
}

/* Of P processors; even in one case of three, fewer columns or rows than processors in another. */
static struct logp_coll random_matrix(uint64_t *state, int64_t P)
{
    static const size_t sizes[] = {1, 4, 8, 13};
    struct logp_coll c = {.n_bytes = sizes[below(state, 4)], .params = random_params(state)};
    const int kind = (int)below(state, 3);

    c.rows = kind == 0 ? P * (1 + below(state, 3)) : 1 + below(state, kind == 1 ? P : 3 * P);
    c.cols = kind == 0 ? P * (1 + below(state, 3)) : 1 + below(state, kind == 1 ? 3 * P : P + 2);
    c.packing = below(state, 2) == 0 ? LOGP_PACKING_NONE : LOGP_PACKING_STRUCTURED;
    c.pack_ns = below(state, 2) == 0 ? below(state, 40) : 0;
    c.window = below(state, 2) == 0 ? 1 + below(state, P + 1) : 0;
    return c;
}

static void expect_times(struct logp_machine *m, int P, const char *name, const struct logp_coll *c)
{
    const struct logp_experiment x = {
        .algorithm = algorithm(name), .coll = *c, .reps = 1, .timeout_ns = test_timeout_ns};
    const struct logp_params *p = &c->params;
    struct logp_record r;
    const int rc = logp_experiment_run(m, &x, &r);

    if (logp_algorithm_needs(x.algorithm, P, c) != NULL) {
        cr_assert_eq(rc, -ENOTSUP);
        return;
    }
    cr_assert_eq(rc, 0);
    cr_assert(r.verified, "%s P %d, %ld x %ld, %zu bytes, packing %d", name, P, (long)c->rows,
              (long)c->cols, c->n_bytes, (int)c->packing);
    cr_assert_eq(r.prediction.certainty,
                 p->gap_shared ? LOGP_PREDICTION_NONE : LOGP_PREDICTION_EXACT);
    if (!p->gap_shared)
        cr_assert_eq(r.emulated.median_ns, r.prediction.ns,
                     "%s P %d, %ld x %ld, %zu bytes, packing %d %ld, window %ld, "
                     "L %ld o %ld %ld g %ld G %ld: virtual %ld predicted %ld",
                     name, P, (long)c->rows, (long)c->cols, c->n_bytes, (int)c->packing,
                     (long)c->pack_ns, (long)c->window, (long)p->L_ns, (long)p->o_send_ns,
                     (long)p->o_recv_ns, (long)p->g_ns, (long)p->G_ps, (long)r.emulated.median_ns,
                     (long)r.prediction.ns);
}

static void use_params(struct logp_machine *m, const struct logp_params *params)
{
    struct logp_delay delay;

    cr_assert_eq(logp_delay_create("loggp", params, &delay), 0);
    cr_assert_eq(logp_machine_set_delay(m, delay, 0), 0);
}

static void expect_times_at_random(int P, int times, uint64_t *state)
{
    const struct logp_params any = test_params(6, 2, 4);
    struct logp_machine *m = test_machine(P, LOGP_CLOCK_VIRTUAL, &any);

    for (int i = 0; i < times; i++) {
        const struct logp_coll c = random_matrix(state, P);

        use_params(m, &c.params);
        for (int k = 0; k < 4; k++)
            expect_times(m, P, names[k], &c);
    }
    cr_assert_eq(logp_machine_destroy(m), 0);
}

Test(transpose, virtual_time_equals_the_prediction)
{
    uint64_t state = 2002;

    cr_log_info("seed %llu", (unsigned long long)state);
    for (int P = 1; P <= 12; P++)
        expect_times_at_random(P, (P < 5 ? 300 : 100) / TEST_SCALE + 1, &state);
    expect_times_at_random(16, 120 / TEST_SCALE + 1, &state);
    expect_times_at_random(32, 20 / TEST_SCALE + 1, &state);
    expect_times_at_random(37, 12 / TEST_SCALE + 1, &state);
}

Test(transpose, golden_times)
{
    const struct logp_params params = test_params(6, 2, 4);
    struct logp_coll c = even(8, 1, 1, &params);

    cr_expect_eq(predicted("ring", 8, &c), 70);
    cr_expect_eq(predicted("ring-eager", 8, &c), 52);
    cr_expect_eq(predicted("ring-window", 8, &c), 36);
    cr_expect_eq(algorithm("ring-window")->window(8, &c), 3);
    cr_expect_eq(predicted("butterfly", 8, &c), 30);
    cr_expect_str_eq(logp_algorithm_best("transpose", 8, &c)->name, "butterfly");
    c = even(7, 1, 1, &params);
    cr_expect_str_eq(logp_algorithm_best("transpose", 7, &c)->name, "ring-window");
    c = even(2, 1, 1, &params); /* all are the same: one message each way */
    cr_expect_str_eq(logp_algorithm_best("transpose", 2, &c)->name, "ring");
    for (int i = 0; i < 4; i++) {
        cr_expect_eq(predicted(names[i], 2, &c), 10);
        cr_expect_eq(predicted(names[i], 1, &c), 0);
    }
}

Test(transpose, times_are_those_of_the_formulas)
{
    uint64_t state = 5;

    cr_log_info("seed %llu", (unsigned long long)state);
    for (int i = 0; i < 20000 / TEST_SCALE; i++) {
        struct logp_params p = random_params(&state);
        const int64_t lg = 1 + below(&state, 6), P = INT64_C(1) << lg, n = 2 + below(&state, 60);
        struct logp_coll c;
        int64_t E, D, o, w;

        p.o_recv_ns = p.o_send_ns;
        c = even(n, 1 + below(&state, 4), 1 + below(&state, 4), &p);
        E = E_of(&p, c.rows / n * (c.cols / n) * 8);
        D = D_of(&p, c.rows / n * (c.cols / n) * 8);
        o = p.o_send_ns;
        cr_assert_eq(predicted("ring", n, &c), (n - 2) * larger(D, E) + D);
        cr_assert_eq(predicted("ring-eager", n, &c),
                     larger(D - 2 * o, (n - 2) * E) + (n - 2) * E + 2 * o);

        /* w messages of a word a stage */
        p.G_ps = 0;
        c = even(P, 1, 1 + below(&state, 4), &p);
        c.packing = LOGP_PACKING_NONE;
        w = P / 2 * (c.cols / P);
        E = E_of(&p, 8);
        if (w >= 2)
            cr_assert_eq(predicted("butterfly", P, &c),
                         lg * ((w - 1) * E + larger(p.L_ns, (w - 1) * E) + 2 * o));
    }
}

Test(transpose, no_order_of_a_ring_beats_the_lower_bound)
{
    uint64_t state = 70;

    cr_log_info("seed %llu", (unsigned long long)state);
    for (int i = 0; i < 3000 / TEST_SCALE; i++) {
        struct logp_params p = random_params(&state);
        const int64_t n = 2 + below(&state, 30), o = p.o_recv_ns = p.o_send_ns;
        struct logp_coll c = even(n, 1, 1, &p);
        for (c.window = 0; c.window < n; c.window++) {
            cr_assert_geq(predicted("ring-window", n, &c), (n - 2) * E_of(&p, 8) + D_of(&p, 8));
            cr_assert_geq(predicted("ring-window", n, &c), 2 * o * (n - 1));
        }
    }
}

Test(transpose, a_window_of_one_alternates_and_the_largest_is_eager)
{
    uint64_t state = 1;

    cr_log_info("seed %llu", (unsigned long long)state);
    for (int i = 0; i < 2000 / TEST_SCALE; i++) {
        const int64_t P = 1 + below(&state, 40);
        struct logp_coll c = random_matrix(&state, P);

        c.window = 1;
        cr_assert_eq(predicted("ring-window", P, &c), predicted("ring", P, &c));
        c.window = P + below(&state, 3);
        cr_assert_eq(predicted("ring-window", P, &c), predicted("ring-eager", P, &c));
    }
}

Test(transpose, its_own_window_is_the_smallest_of_the_best)
{
    uint64_t state = 36;

    cr_log_info("seed %llu", (unsigned long long)state);
    for (int i = 0; i < 5000 / TEST_SCALE; i++) {
        const int64_t P = 2 + below(&state, i % 8 == 0 ? 200 : 20);
        struct logp_coll c = random_matrix(&state, P);
        int64_t best = INT64_MAX, smallest = 0, own;

        c.rows = (c.rows + P - 1) / P * P;
        c.cols = (c.cols + P - 1) / P * P;
        c.window = 0;
        own = algorithm("ring-window")->window(P, &c);
        for (c.window = 1; c.window < P; c.window++) {
            const int64_t ns = predicted("ring-window", P, &c);

            smallest = ns < best ? c.window : smallest;
            best = ns < best ? ns : best;
        }
        cr_assert_eq(own, smallest);
        c.window = 0;
        cr_assert_eq(predicted("ring-window", P, &c), best);
    }
}

Test(transpose, any_number_of_processors_has_a_prediction)
{
    const struct logp_params params = {.L_ns = 6, .o_send_ns = 2, .o_recv_ns = 2, .g_ns = 1};
    const int64_t P = INT64_C(1) << 58;
    struct logp_coll c = even(P, 1, 1, &params);

    cr_expect_eq(predicted("ring", P, &c), P * 10 - 10);
    cr_expect_eq(predicted("ring-window", P, &c), 2 * 2 * (P - 1)); /* never idle */
    cr_expect_eq(algorithm("ring-window")->window(P, &c), 4);
    cr_expect_eq(predicted("butterfly", P, &c), 580);
    c.rows++; /* a byte costs nothing: one more does not matter */
    cr_expect_eq(predicted("ring", P, &c), P * 10 - 10);
    c.params.g_ns = 1000;
    cr_expect_eq(logp_predict(algorithm("ring"), P, &c).certainty, LOGP_PREDICTION_NONE);
    c.params = (struct logp_params){.g_ns = 1};
    c.rows = c.cols = INT64_MAX;
    c.packing = LOGP_PACKING_NONE;
    for (int i = 0; i < 4; i++)
        cr_expect_eq(logp_predict(algorithm(names[i]), P, &c).certainty, LOGP_PREDICTION_NONE);
}

/* A matrix of one row: only rank 0 gets anything. */
Test(transpose, packing_joins_the_columns_for_one_destination)
{
    uint64_t state = 9;

    cr_log_info("seed %llu", (unsigned long long)state);
    for (int i = 0; i < 2000 / TEST_SCALE; i++) {
        struct logp_params p = random_params(&state);
        const int64_t s = 1 + below(&state, 30), t = 1 + below(&state, 30);
        struct logp_coll c = {.rows = 1, .cols = 2 * s, .n_bytes = (size_t)t * 8};

        p.o_recv_ns = p.o_send_ns;
        c.params = p;
        c.pack_ns = below(&state, 20);
        cr_assert_eq(predicted("ring", 2, &c), s * c.pack_ns + D_of(&p, s * t * 8));
        c.packing = LOGP_PACKING_NONE;
        cr_assert_eq(predicted("ring", 2, &c), (s - 1) * E_of(&p, t * 8) + D_of(&p, t * 8));
    }
}

Test(transpose, the_largest_block_is_a_bound)
{
    uint64_t state = 257;

    cr_log_info("seed %llu", (unsigned long long)state);
    for (int i = 0; i < 3000 / TEST_SCALE; i++) {
        const int64_t P = i % 2 == 0 ? 1 + below(&state, 40) : INT64_C(1) << below(&state, 6);
        const struct logp_coll c = random_matrix(&state, P);
        struct logp_coll largest = c;

        largest.rows = (c.rows + P - 1) / P * P;
        largest.cols = (c.cols + P - 1) / P * P;
        for (int k = 0; k < 4; k++)
            if (logp_algorithm_needs(algorithm(names[k]), P, &c) == NULL)
                cr_assert_leq(predicted(names[k], P, &c), predicted(names[k], P, &largest));
    }
}

static void expect_bound(struct logp_machine *m, const char *name, const struct logp_coll *c)
{
    const struct logp_experiment x = {
        .algorithm = algorithm(name), .coll = *c, .reps = 1, .timeout_ns = test_timeout_ns};
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
    struct logp_coll c = {.rows = 300, .cols = 20, .n_bytes = 4, .params = params};
    struct logp_machine *m = test_machine(MANY, LOGP_CLOCK_VIRTUAL, &params);

    for (int k = 0; k < 3; k++)
        expect_bound(m, names[k], &c);
    cr_assert_eq(logp_machine_destroy(m), 0);
    m = test_machine(MORE, LOGP_CLOCK_VIRTUAL, &params);
    expect_bound(m, "butterfly", &c);
    c.packing = LOGP_PACKING_NONE;
    expect_bound(m, "butterfly", &c);
    cr_assert_eq(logp_machine_destroy(m), 0);
}

Test(transpose, a_shared_gap_has_no_prediction)
{
    struct logp_params params = test_params(6, 2, 4);
    struct logp_machine *m;

    params.gap_shared = true;
    m = test_machine(8, LOGP_CLOCK_VIRTUAL, &params);
    for (int k = 0; k < 4; k++) {
        const struct logp_coll c = even(8, 2, 3, &params);

        expect_times(m, 8, names[k], &c);
    }
    cr_assert_eq(logp_machine_destroy(m), 0);
}

Test(transpose, an_algorithm_says_what_it_needs)
{
    const struct logp_params params = test_params(6, 2, 4);
    struct logp_coll c = even(6, 1, 1, &params);

    cr_expect_str_eq(logp_algorithm_needs(algorithm("butterfly"), 6, &c),
                     "a power of two of processors");
    cr_expect_null(logp_algorithm_needs(algorithm("butterfly"), 4, &c));
    cr_expect_null(logp_algorithm_needs(algorithm("ring"), 6, &c));
    c.rows = 0;
    for (int k = 0; k < 4; k++)
        cr_expect_str_eq(logp_algorithm_needs(algorithm(names[k]), 4, &c),
                         "at least one row and one column");
    cr_expect_null(logp_algorithm_best("transpose", 4, &c));
    c.rows = 1;
    c.pack_ns = -1;
    cr_expect_str_eq(logp_algorithm_needs(algorithm("ring"), 6, &c),
                     "a time to pack of at least 0");
}

/* One element that is not what it should be is found, wherever it is. */
Test(transpose, every_element_is_checked)
{
    const struct logp_collective *what = logp_collective_find("transpose");
    const struct logp_coll *c = &(struct logp_coll){.rows = 7, .cols = 5, .n_bytes = 4};
    uint32_t matrix[35], result[35];

    for (int rank = 0; rank < 3; rank++) {
        struct logp_coll mine = *c;
        const int first_row = rank * 2 + (rank > 0), n_rows = rank == 0 ? 3 : 2;
        size_t size, recv_size;

        what->sizes(3, rank, c, &size, &recv_size);
        cr_assert_eq(size, (rank < 2 ? 2u : 1u) * 7 * 4);
        cr_assert_eq(recv_size, (size_t)n_rows * 5 * 4);
        for (int from = 0; from < 3; from++) {
            mine.buf = matrix + from * 2 * 7;
            mine.recv_buf = result;
            what->fill(3, from, 1, &mine);
        }
        for (int i = 0; i < n_rows * 5; i++)
            result[i] = matrix[i % 5 * 7 + first_row + i / 5];
        cr_assert(what->check(3, rank, 1, &mine));
        cr_assert(!what->check(3, rank, 2, &mine));
        for (int i = 0; i < n_rows * 5; i++) {
            result[i] ^= 1u << i;
            cr_assert(!what->check(3, rank, 1, &mine));
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
    struct logp_coll c = {.rows = s->rows, .cols = s->cols, .n_bytes = s->n_bytes};
    size_t size, recv_size;
    char *back, *original;
    int rc;

    what->sizes(P, me, &c, &size, &recv_size);
    c.buf = malloc(size + 1);
    c.recv_buf = malloc(recv_size + 1);
    back = malloc(size + 1);
    original = malloc(size + 1);
    what->fill(P, me, 3, &c);
    memcpy(original, c.buf, size);
    if (size == 0) {
        free(c.buf);
        c.buf = NULL;
    }
    rc = logp_transpose(vp, c.buf, s->rows, s->cols, s->n_bytes, c.recv_buf);
    if (rc == 0) {
        cr_assert(what->check(P, me, 3, &c));
        rc = logp_transpose(vp, c.recv_buf, s->cols, s->rows, s->n_bytes, back);
    }
    if (rc == 0)
        cr_assert_eq(memcmp(back, original, size), 0);
    cr_assert_eq(logp_transpose(vp, c.buf, 0, 1, 1, c.recv_buf), -EINVAL);
    cr_assert_eq(logp_transpose(vp, c.buf, 1, -1, 1, c.recv_buf), -EINVAL);
    cr_assert_eq(logp_transpose(vp, c.buf, INT64_MAX, 1, 1, c.recv_buf), -EINVAL);
    free(c.buf);
    free(c.recv_buf);
    free(back);
    free(original);
    return rc;
}

Test(transpose, twice_is_the_matrix_itself)
{
    static struct shape shapes[] = {{1, 1, 8}, {5, 3, 13}, {16, 16, 4}, {40, 7, 1}, {2, 9, 0}};
    const struct logp_params params = test_params(600, 200, 400);

    for (int P = 1; P <= 17; P += P < 4 ? 1 : 4)
        for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++) {
            test_run(test_machine(P, LOGP_CLOCK_VIRTUAL, &params), transpose_twice, &shapes[i]);
            test_run(test_machine(P, LOGP_CLOCK_VIRTUAL, NULL), transpose_twice, &shapes[i]);
        }
}
