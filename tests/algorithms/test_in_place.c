/* SPDX-License-Identifier: MIT */
/* In place: every algorithm of every collective that can be, and the calls of a program. */
#include "support.h"

enum { MOST_P = 33 };

/* ---- every algorithm, with a plan ---- */

static int start_and_wait(struct logp_vp *vp, const struct logp_plan *plan, void *buf,
                          void *recv_buf)
{
    struct logp_request *pending;
    const int rc = logp_plan_start(vp, plan, buf, recv_buf, &pending);

    return rc != 0 ? rc : logp_wait(vp, pending, NULL);
}

/* Run it twice, and start it once, with the operands where the result will be. `buf` and `recv_buf`
 * are large enough for any. */
static int run_planned(struct logp_vp *vp, const struct logp_algorithm *a,
                       const struct logp_invocation *c, char *buf, char *recv_buf)
{
    const struct logp_collective *collective = logp_collective_find(a->collective);
    const int P = logp_vp_size(vp), me = logp_vp_rank(vp);
    struct logp_buffer_ref at = {LOGP_RECV_BUF, 0};
    const bool one = collective->in_place(P, me, c, &at);
    const bool in_recv_buf = one && at.buffer == LOGP_RECV_BUF, in_buf = one && !in_recv_buf;
    const void *result = in_buf ? buf + at.offset : recv_buf;
    struct logp_plan *plan;
    size_t bytes, unused;
    int rc = logp_plan_create(a, P, me, &c->args, &c->model, &plan);

    cr_assert_eq(rc, 0, "%s %s, P %d", a->collective, a->name, P);
    collective->sizes(P, me, c, &bytes, &unused);
    for (uint64_t seed = 1; rc == 0 && seed <= 3; seed++) {
        logp_collective_fill(collective, P, me, seed, c, buf, recv_buf);
        if (in_recv_buf)
            memcpy(recv_buf + at.offset, buf, bytes);
        rc = (seed == 2 && a->steps != NULL ? start_and_wait : logp_plan_run)(
            vp, plan, in_recv_buf ? LOGP_IN_PLACE : buf, in_buf ? LOGP_IN_PLACE : recv_buf);
        cr_assert(rc != 0 || logp_collective_check(collective, P, me, seed, c, buf, result) == 1,
                  "%s %s, P %d, root %d, rank %d", a->collective, a->name, P, c->args.root, me);
    }
    logp_plan_destroy(plan);
    return rc;
}

static int run_rows(struct logp_vp *vp, void *arg)
{
    static const int64_t counts[] = {0, 1, 5, 32};
    const struct logp_op *const ops[] = {logp_op_find("sum", "int64"), &maps};
    const int P = logp_vp_size(vp);
    char *buf = malloc((size_t)P * 512), *recv_buf = malloc((size_t)P * 512);
    size_t n;
    const struct logp_algorithm *const *rows = arg;

    for (n = 0; rows[n] != NULL; n++)
        for (int i = 0; i < 8; i++) {
            const struct logp_invocation c = {.args = {.root = i % P,
                                                       .n_bytes = (size_t)counts[i % 4] * 7,
                                                       .count = counts[i % 4],
                                                       .op = ops[i / 4],
                                                       .in_place = true}};

            if (logp_collective_find(rows[n]->collective)->in_place != NULL &&
                test_needs(rows[n], P, &c) == NULL)
                OK(run_planned(vp, rows[n], &c, buf, recv_buf));
        }
    free(buf);
    free(recv_buf);
    return 0;
}

Test(in_place, every_algorithm_can_be)
{
    size_t n;
    const struct logp_algorithm *const *rows = test_rows(&n);

    for (int P = 1; P <= MOST_P; P += test_divisor() > 1 ? 4 : 1) {
        test_run(test_machine(P, LOGP_CLOCK_VIRTUAL, NULL), run_rows, (void *)rows);
        if (P % 8 == 1)
            test_run(test_machine(P, LOGP_CLOCK_WALL, NULL), run_rows, (void *)rows);
    }
}

/* ---- calls ---- */

enum { COUNT = 3 };

static void set(int64_t *x, int rank, int64_t from, int64_t n)
{
    for (int64_t i = from; i < from + n; i++)
        x[i] = test_element(rank, i);
}

static void expect_sums(const int64_t *x, int ranks, int64_t from)
{
    for (int64_t i = 0; i < COUNT; i++)
        cr_assert_eq(x[i], test_sum_of(0, ranks, from + i));
}

static int combine(struct logp_vp *vp, void *arg)
{
    const struct logp_op *sum = logp_op_find("sum", "int64");
    const int P = logp_vp_size(vp), me = logp_vp_rank(vp), root = P / 2;
    int64_t x[MOST_P * COUNT];

    set(x, me, 0, COUNT);
    OK(logp_allreduce(vp, LOGP_IN_PLACE, x, COUNT, sum));
    expect_sums(x, P, 0);
    set(x, me, 0, COUNT);
    OK(logp_reduce(vp, me == root ? LOGP_IN_PLACE : x, me == root ? x : NULL, COUNT, sum, root));
    if (me == root)
        expect_sums(x, P, 0);
    set(x, me, 0, COUNT);
    OK(logp_scan(vp, LOGP_IN_PLACE, x, COUNT, sum));
    expect_sums(x, me + 1, 0);
    set(x, me, 0, COUNT);
    OK(logp_exscan(vp, LOGP_IN_PLACE, x, COUNT, sum));
    if (me > 0)
        expect_sums(x, me, 0);
    set(x, me, 0, P * COUNT);
    OK(logp_reduce_scatter(vp, LOGP_IN_PLACE, x, COUNT, sum));
    expect_sums(x, P, me * COUNT);
    return 0;
}

/* Two at once. */
static int combine_meanwhile(struct logp_vp *vp, void *arg)
{
    const struct logp_op *sum = logp_op_find("sum", "int64");
    const int P = logp_vp_size(vp), me = logp_vp_rank(vp);
    struct logp_request *pending[2];
    int64_t x[COUNT], y[COUNT];

    set(x, me, 0, COUNT);
    set(y, me, 0, COUNT);
    OK(logp_iallreduce(vp, LOGP_IN_PLACE, x, COUNT, sum, &pending[0]));
    OK(logp_iscan(vp, LOGP_IN_PLACE, y, COUNT, sum, &pending[1]));
    OK(logp_waitall(vp, pending, 2, NULL));
    expect_sums(x, P, 0);
    expect_sums(y, me + 1, 0);
    return 0;
}

static int move(struct logp_vp *vp, void *arg)
{
    const int P = logp_vp_size(vp), me = logp_vp_rank(vp), root = P / 3;
    const size_t n_bytes = COUNT * sizeof(int64_t);
    int64_t x[MOST_P * COUNT], item[COUNT];

    set(x, me, 0, P * COUNT);
    TRY(logp_alltoall(vp, LOGP_IN_PLACE, x, n_bytes));
    for (int i = 0; i < P * COUNT; i++)
        cr_assert_eq(x[i], test_element(i / COUNT, me * COUNT + i % COUNT));
    set(x, root, 0, P * COUNT);
    TRY(logp_scatter(vp, x, me == root ? LOGP_IN_PLACE : item, n_bytes, root));
    for (int i = 0; i < COUNT; i++)
        cr_assert_eq(me == root ? x[me * COUNT + i] : item[i], test_element(root, me * COUNT + i));
    memcpy(item, x + me * COUNT, n_bytes); /* it was set everywhere */
    memset(x, 0, (size_t)P * n_bytes);
    if (me == root)
        memcpy(x + me * COUNT, item, n_bytes);
    TRY(logp_gather(vp, me == root ? LOGP_IN_PLACE : item, x, n_bytes, root));
    for (int i = 0; i < P * COUNT; i++)
        cr_assert_eq(x[i], me == root ? test_element(root, i) : 0);
    memset(x, 0, (size_t)P * n_bytes);
    memcpy(x + me * COUNT, item, n_bytes);
    TRY(logp_allgather(vp, LOGP_IN_PLACE, x, n_bytes));
    for (int i = 0; i < P * COUNT; i++)
        cr_assert_eq(x[i], test_element(root, i));
    return 0;
}

Test(in_place, calls_of_a_program)
{
    for (int P = 1; P <= MOST_P; P += P < 9 ? 1 : 4) {
        test_run_all(P, &test_bytes, combine, NULL);
        test_run_all(P, &test_bytes, combine_meanwhile, NULL);
        test_run_all(P, &test_bytes, move, NULL);
    }
}

/* ---- what is refused ---- */

static int refused(struct logp_vp *vp, void *arg)
{
    const struct logp_op *sum = logp_op_find("sum", "int64");
    const struct logp_args separate = {.count = 1, .op = sum}, one = {.in_place = true};
    const int P = logp_vp_size(vp), me = logp_vp_rank(vp), other = (me + 1) % P;
    struct logp_plan *plan;
    int64_t x[8] = {0};

    cr_assert_eq(logp_reduce(vp, LOGP_IN_PLACE, x, 1, sum, other), -EINVAL);
    cr_assert_eq(logp_gather(vp, LOGP_IN_PLACE, x, 8, other), -EINVAL);
    cr_assert_eq(logp_scatter(vp, x, LOGP_IN_PLACE, 8, other), -EINVAL);
    cr_assert_eq(logp_allreduce(vp, LOGP_IN_PLACE, NULL, 1, sum), -EINVAL);
    cr_assert_eq(logp_allreduce(vp, x, LOGP_IN_PLACE, 1, sum), -EINVAL);
    cr_assert_eq(logp_broadcast(vp, LOGP_IN_PLACE, 8, 0), -EINVAL);
    cr_assert_eq(
        logp_plan_create(logp_algorithm_find("broadcast", "flat"), P, me, &one, NULL, &plan),
        -EINVAL);
    cr_assert_eq(
        logp_plan_create(logp_algorithm_find("allreduce", "ring"), P, me, &separate, NULL, &plan),
        0);
    cr_assert_eq(logp_plan_run(vp, plan, LOGP_IN_PLACE, x), -EINVAL);
    cr_assert_eq(logp_plan_run(vp, plan, x, LOGP_IN_PLACE), -EINVAL);
    logp_plan_destroy(plan);
    return 0;
}

Test(in_place, only_where_there_is_something_in_common)
{
    test_run(test_machine(3, LOGP_CLOCK_WALL, NULL), refused, NULL);
}
