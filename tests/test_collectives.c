/* SPDX-License-Identifier: MIT */
/* The calls of a program that combine vectors and move items, each against what it promises. */
#include "support.h"

enum { MOST_P = 19 };

static int combine_on_all(struct logp_vp *vp, void *arg)
{
    const struct logp_op *sum = logp_op_find("sum", "int64");
    const int P = logp_vp_size(vp), me = logp_vp_rank(vp), count = *(const int *)arg;
    int64_t *in = calloc((size_t)(P * count + 1), sizeof(*in));
    int64_t *out = calloc((size_t)(P * count + 1), sizeof(*out));

    for (int i = 0; i < P * count; i++)
        in[i] = test_element(me, i);
    OK(logp_allreduce(vp, in, out, count, sum));
    for (int i = 0; i < count; i++)
        cr_assert_eq(out[i], test_sum_of(0, P, i));
    OK(logp_reduce_scatter(vp, in, out, count, sum));
    for (int i = 0; i < count; i++)
        cr_assert_eq(out[i], test_sum_of(0, P, me * count + i));
    OK(logp_scan(vp, in, out, count, sum));
    for (int i = 0; i < count; i++)
        cr_assert_eq(out[i], test_sum_of(0, me + 1, i));
    if (count > 0)
        out[0] = -5;
    OK(logp_exscan(vp, in, out, count, sum));
    for (int i = 0; i < count; i++)
        cr_assert_eq(out[i], me > 0 ? test_sum_of(0, me, i) : i == 0 ? -5 : out[i]);
    for (int i = 0; i < P * count; i++)
        cr_assert_eq(in[i], test_element(me, i)); /* is only read */
    free(in);
    free(out);
    return 0;
}

Test(collectives, vectors_are_combined_on_all)
{
    static int counts[] = {0, 1, 5, 64};

    for (int P = 1; P <= MOST_P; P += 3)
        for (int i = 0; i < 4; i++)
            test_run_all(P, &test_bytes, combine_on_all, &counts[i]);
}

static int move_items(struct logp_vp *vp, void *arg)
{
    const int P = logp_vp_size(vp), me = logp_vp_rank(vp), count = *(const int *)arg;
    const size_t n_bytes = (size_t)count * sizeof(int64_t);
    int64_t *all = calloc((size_t)(P * count + 1), sizeof(*all));
    int64_t *one = calloc((size_t)(count + 1), sizeof(*one));

    for (int root = 0; root < P; root += 2) {
        for (int i = 0; i < P * count; i++)
            all[i] = me == root ? test_element(root, i) : -1;
        OK(logp_scatter(vp, me == root ? all : NULL, one, n_bytes, root));
        for (int i = 0; i < count; i++)
            cr_assert_eq(one[i], test_element(root, me * count + i));
        memset(all, 0, (size_t)P * n_bytes);
        OK(logp_gather(vp, one, me == root ? all : NULL, n_bytes, root));
        for (int i = 0; i < P * count; i++)
            cr_assert_eq(all[i], me == root ? test_element(root, i) : 0);
        OK(logp_allgather(vp, one, all, n_bytes));
        for (int i = 0; i < P * count; i++)
            cr_assert_eq(all[i], test_element(root, i));
    }
    free(all);
    free(one);
    return 0;
}

Test(collectives, items_are_handed_out_and_brought_together)
{
    static int counts[] = {0, 1, 5, 64};

    for (int P = 1; P <= MOST_P; P += 3)
        for (int i = 0; i < 4; i++)
            test_run_all(P, &test_bytes, move_items, &counts[i]);
}

/* Without a buffer, an operation, or a root that is there. */
static int refused(struct logp_vp *vp, void *arg)
{
    const struct logp_op *sum = logp_op_find("sum", "int64");
    const struct logp_op none = {.element_bytes = 8};
    int64_t x[2] = {0};

    cr_assert_eq(logp_allreduce(vp, NULL, x, 1, sum), -EINVAL);
    cr_assert_eq(logp_allreduce(vp, x, NULL, 1, sum), -EINVAL);
    cr_assert_eq(logp_allreduce(vp, x, x + 1, -1, sum), -EINVAL);
    cr_assert_eq(logp_allreduce(vp, x, x + 1, 1, NULL), -EINVAL);
    cr_assert_eq(logp_allreduce(vp, x, x + 1, 1, &none), -EINVAL);
    cr_assert_eq(logp_reduce_scatter(vp, x, NULL, 1, sum), -EINVAL);
    cr_assert_eq(logp_scan(vp, NULL, x, 1, sum), -EINVAL);
    cr_assert_eq(logp_exscan(vp, x, x + 1, 1, NULL), -EINVAL);
    cr_assert_eq(logp_allgather(vp, NULL, x, 1), -EINVAL);
    cr_assert_eq(logp_allgather(vp, x, NULL, 1), -EINVAL);
    cr_assert_eq(logp_scatter(vp, x, NULL, 1, 0), -EINVAL);
    cr_assert_eq(logp_gather(vp, NULL, x, 1, 0), -EINVAL);
    cr_assert_eq(logp_scatter(vp, x, x + 1, 1, logp_vp_size(vp)), -EINVAL);
    cr_assert_eq(logp_gather(vp, x, x + 1, 1, -1), -EINVAL);
    if (logp_vp_rank(vp) == 0) {
        cr_assert_eq(logp_scatter(vp, NULL, x, 1, 0), -EINVAL);
        cr_assert_eq(logp_gather(vp, x, NULL, 1, 0), -EINVAL);
    }
    return 0;
}

Test(collectives, what_is_missing_is_said)
{
    test_run_all(3, &test_bytes, refused, NULL);
}
