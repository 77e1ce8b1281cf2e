/* SPDX-License-Identifier: MIT */
/*
 * The collectives as a program calls them: data made and looked at here, on all machines, in a
 * group of some processors too, next to messages of the program's own; and what is refused. That
 * they take the time of the best algorithm: test_choice.c; started: test_nonblocking.c; with blocks
 * of different sizes: test_vector_variants.c.
 */
#include "calls.h"

static const struct logp_params params = {
    .L_ns = 600, .o_send_ns = 200, .o_recv_ns = 250, .g_ns = 400, .G_ps = 300};

enum { MOST_P = 19, MOST_N = 64, MOST_BYTES = 1000 };

/* Byte i of what `from` has for `to` in a round. */
static unsigned char byte(int round, int from, int to, size_t i)
{
    return (unsigned char)(round * 101 + from * 37 + to * 11 + (int)i % 251);
}

/* ---- bytes ---- */

/* What is sent stays, what comes is in its place, nothing is written behind. */
static int exchange(struct logp_vp *vp, size_t n, int round)
{
    const int P = logp_vp_size(vp), me = logp_vp_rank(vp);
    const size_t all = (size_t)P * n;
    unsigned char *out = malloc(all + 8), *in = malloc(all + 8);

    for (size_t i = 0; i < all + 8; i++) {
        out[i] = i < all ? byte(round, me, (int)(i / n), i % n) : 0xee;
        in[i] = 0xee;
    }
    OK(logp_alltoall(vp, out, in, n));
    for (size_t i = 0; i < all; i++) {
        cr_assert_eq(in[i], byte(round, (int)(i / n), me, i % n), "rank %d of %d, byte %zu of %zu",
                     me, P, i, n);
        cr_assert_eq(out[i], byte(round, me, (int)(i / n), i % n));
    }
    for (size_t i = all; i < all + 8; i++)
        cr_assert_eq(in[i], 0xee);
    free(out);
    free(in);
    return 0;
}

/* Items of any number of bytes. */
static int move_bytes(struct logp_vp *vp, void *size)
{
    const int me = logp_vp_rank(vp), root = logp_vp_size(vp) / 2;
    const size_t n = *(const size_t *)size;
    unsigned char item[MOST_BYTES + 8];

    for (int round = 1; round < 3; round++) {
        OK(exchange(vp, n, round));
        for (size_t i = 0; i < sizeof(item); i++)
            item[i] = me == root && i < n ? byte(round, me, 0, i) : 0xee;
        OK(logp_broadcast(vp, item, n, root));
        for (size_t i = 0; i < sizeof(item); i++)
            cr_assert_eq(item[i], i < n ? byte(round, root, 0, i) : 0xee);
    }
    return 0;
}

Test(calls, items_of_any_size_arrive)
{
    static size_t sizes[] = {0, 1, 13, MOST_BYTES};

    for (int P = 1; P <= 9; P += 4)
        for (int i = 0; i < 4; i++)
            test_run_all(P, &params, move_bytes, &sizes[i]);
}

/* ---- each call ---- */

static int call_all(struct logp_vp *vp, void *arg)
{
    int64_t in[MOST_P * MOST_N + 1], out[MOST_P * MOST_N + 1], n = *(const int64_t *)arg;

    for (int which = 0; which < N_CALLS; which++)
        for (int root = 0; root < logp_vp_size(vp); root += 2) {
            test_call_fill(vp, (enum test_call)which, n, root, root, in, out);
            OK(test_call_numbers(vp, (enum test_call)which, n, root, in, out, NULL));
            test_call_check(vp, (enum test_call)which, n, root, root, in, out);
        }
    return 0;
}

Test(calls, each_does_what_it_promises)
{
    static int64_t counts[] = {0, 1, 5, MOST_N};

    for (int P = 1; P <= MOST_P; P += 3)
        for (int i = 0; i < 4; i++)
            test_run_all(P, &params, call_all, &counts[i]);
}

/* ---- in a group, and next to the program's own messages ---- */

TestProgram(calls, a_group_is_enough, test_run_all(8, &params, program, NULL))
{
    static const int members[] = {6, 1, 4};
    const int me = logp_vp_rank(vp);
    struct logp_vp *group;
    int item;

    if (me != 6 && me != 1 && me != 4)
        return 0;
    OK(logp_group_create(vp, 7, members, 3, &group));
    item = logp_vp_rank(group) == 2 ? 4711 : 0;
    cr_assert_eq(members[logp_vp_rank(group)], me);
    OK(exchange(group, 5, 3));
    OK(logp_barrier(group));
    OK(logp_broadcast(group, &item, sizeof(item), 2));
    cr_assert(item == 4711);
    logp_group_destroy(group);
    return 0;
}

/* A message of the program's, with the tag of the collectives, waits while they run. */
TestProgram(calls, messages_of_the_program_are_left_alone, test_run_all(5, &params, program, NULL))
{
    const int P = logp_vp_size(vp), me = logp_vp_rank(vp);
    int own = 1000 + me, got = 0, item = me == 0 ? 5 : 0;

    OK(logp_send(vp, (me + 1) % P, 0, &own, sizeof(own)));
    OK(exchange(vp, sizeof(int), 4));
    OK(logp_barrier(vp));
    OK(logp_broadcast(vp, &item, sizeof(item), 0));
    OK(logp_recv(vp, LOGP_ANY_SOURCE, LOGP_ANY_TAG, &got, sizeof(got), NULL));
    cr_assert(got == 1000 + (me + P - 1) % P && item == 5);
    return 0;
}

/* ---- what is refused ---- */

static int refused(struct logp_vp *vp, void *arg)
{
    const struct logp_op *sum = logp_op_find("sum", "int64"), none = {.element_bytes = 8};
    const int P = logp_vp_size(vp), me = logp_vp_rank(vp);
    struct logp_op empty = *sum;
    int64_t x[MOST_P], y[MOST_P];

    empty.element_bytes = 0;
    for (int root = -1; root <= P; root += P + 1) {
        cr_assert_eq(logp_broadcast(vp, x, 1, root), -EINVAL);
        cr_assert_eq(logp_reduce(vp, x, y, 1, sum, root), -EINVAL);
        cr_assert_eq(logp_scatter(vp, x, y, 1, root), -EINVAL);
        cr_assert_eq(logp_gather(vp, x, y, 1, root), -EINVAL);
    }
    cr_assert_eq(logp_broadcast(vp, NULL, 1, 0), -EINVAL);
    cr_assert_eq(logp_alltoall(vp, NULL, x, 1), -EINVAL);
    cr_assert_eq(logp_alltoall(vp, x, NULL, 1), -EINVAL);
    cr_assert_eq(logp_allgather(vp, NULL, x, 1), -EINVAL);
    cr_assert_eq(logp_allgather(vp, x, NULL, 1), -EINVAL);
    cr_assert_eq(logp_scatter(vp, x, NULL, 1, 0), -EINVAL);
    cr_assert_eq(logp_scatter(vp, NULL, x, 1, me), -EINVAL);
    cr_assert_eq(logp_gather(vp, NULL, x, 1, 0), -EINVAL);
    cr_assert_eq(logp_gather(vp, x, NULL, 1, me), -EINVAL);
    cr_assert_eq(logp_reduce(vp, NULL, x, 1, sum, me), -EINVAL);
    cr_assert_eq(logp_reduce(vp, x, NULL, 1, sum, me), -EINVAL);
    cr_assert_eq(logp_reduce(vp, x, y, 1, NULL, 0), -EINVAL);
    cr_assert_eq(logp_reduce(vp, x, y, 1, &none, me), -EINVAL);
    cr_assert_eq(logp_reduce(vp, x, y, 1, &empty, me), -EINVAL);
    cr_assert_eq(logp_reduce(vp, x, y, -1, sum, 0), -EINVAL);
    cr_assert_eq(logp_reduce(vp, x, y, INT64_MAX, sum, 0), -EINVAL);
    cr_assert_eq(logp_allreduce(vp, NULL, x, 1, sum), -EINVAL);
    cr_assert_eq(logp_allreduce(vp, x, NULL, 1, sum), -EINVAL);
    cr_assert_eq(logp_allreduce(vp, x, y, -1, sum), -EINVAL);
    cr_assert_eq(logp_allreduce(vp, x, y, 1, NULL), -EINVAL);
    cr_assert_eq(logp_allreduce(vp, x, y, 1, &none), -EINVAL);
    cr_assert_eq(logp_reduce_scatter(vp, x, NULL, 1, sum), -EINVAL);
    cr_assert_eq(logp_scan(vp, NULL, x, 1, sum), -EINVAL);
    cr_assert_eq(logp_exscan(vp, x, y, 1, NULL), -EINVAL);
    cr_assert_eq(logp_transpose(vp, NULL, x, P, P, 1), -EINVAL);
    cr_assert_eq(logp_transpose(vp, x, NULL, P, P, 1), -EINVAL);
    for (int64_t wrong = -1; wrong <= 0; wrong++) {
        cr_assert_eq(logp_transpose(vp, x, y, wrong, P, 1), -EINVAL);
        cr_assert_eq(logp_transpose(vp, x, y, P, wrong, 1), -EINVAL);
        cr_assert_eq(logp_transpose(vp, x, y, INT64_MAX + wrong * (P - 1), 1, 1), -EINVAL);
        cr_assert_eq(logp_transpose(vp, x, y, 1, INT64_MAX + wrong * (P - 1), 1), -EINVAL);
    }
    /* nothing to send or to hold: nothing is needed */
    OK(logp_alltoall(vp, NULL, NULL, 0));
    OK(logp_broadcast(vp, NULL, 0, 0));
    OK(logp_reduce(vp, NULL, NULL, 0, sum, 0));
    OK(logp_transpose(vp, NULL, NULL, P, P, 0));
    return 0;
}

Test(calls, plans_without_an_operation_are_refused)
{
    const char *const names[][2] = {
        {"reduce", "flat"}, {"reduce", "binomial"}, {"matvec", "doubling"}};

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        struct logp_invocation c = {.args.count = 4, .model.params = params};

        cr_assert_eq(test_plan(logp_algorithm_find(names[i][0], names[i][1]), 4, 1, &c), -EINVAL,
                     "%s %s", names[i][0], names[i][1]);
    }
}

Test(calls, bad_arguments_are_refused)
{
    test_run_all(3, &params, refused, NULL);
    test_run_all(1, &params, refused, NULL);
}
