/* SPDX-License-Identifier: MIT */
/* Transposing: bounds hold, and every element is in its place. The predictions: test_transpose_time.c. */
#include "transpose.h"

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
    cr_assert_eq(logp_transpose(vp, in, out, 0, 1, 1), -EINVAL);
    cr_assert_eq(logp_transpose(vp, in, out, 1, -1, 1), -EINVAL);
    cr_assert_eq(logp_transpose(vp, in, out, INT64_MAX, 1, 1), -EINVAL);
    free(in);
    free(out);
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
