/* SPDX-License-Identifier: MIT */
/*
 * The collectives as a program calls them: data made and looked at here, on all machines, in a
 * group of some processors too, next to messages of the program's own. Reductions and transposition
 * have their calls in their suites.
 */
#include "support.h"

static const struct logp_params params = {
    .L_ns = 600, .o_send_ns = 200, .o_recv_ns = 250, .g_ns = 400, .G_ps = 300};

enum { MOST_P = 9, MOST_BYTES = 1000 };

struct call {
    size_t n_bytes;
    int root;
    int64_t end[MOST_P]; /* by rank: its clock */
};

/* Byte i of what `from` has for `to` in a round. */
static unsigned char byte(int round, int from, int to, size_t i)
{
    return (unsigned char)(round * 101 + from * 37 + to * 11 + (int)i % 251);
}

/* ---- all to all ---- */

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

static int all_to_all(struct logp_vp *vp, void *arg)
{
    struct call *x = arg;

    OK(exchange(vp, x->n_bytes, 1));
    x->end[logp_vp_rank(vp)] = logp_now(vp);
    return exchange(vp, x->n_bytes, 2);
}

static const size_t sizes[] = {0, 1, 13, MOST_BYTES};

static int64_t latest(const struct call *x, int P)
{
    int64_t end = 0;

    for (int i = 0; i < P; i++)
        end = x->end[i] > end ? x->end[i] : end;
    return end;
}

/* What the best algorithm takes, by its formula or, without one, its steps. */
static int64_t least(const char *collective, int P, const struct logp_invocation *c)
{
    const struct logp_algorithm *a;
    int64_t ns = INT64_MAX;

    for (size_t i = 0; (a = logp_algorithm_at(collective, i)) != NULL; i++) {
        const struct logp_prediction p = test_predict_by(a, P, c, LOGP_BY_EITHER);

        if (p.certainty == LOGP_PREDICTION_EXACT && p.ns < ns)
            ns = p.ns;
    }
    return ns;
}

Test(calls, alltoall_exchanges_everything)
{
    for (int P = 1; P <= MOST_P; P += 4)
        for (int i = 0; i < 4; i++) {
            struct call x = {.n_bytes = sizes[i]};
            const struct logp_invocation c = {.args.n_bytes = sizes[i], .model.params = params};

            test_run_all(P, &params, all_to_all, &x); /* the last run's end stays */
            cr_expect_eq(latest(&x, P), least("alltoall", P, &c));
        }
}

/* ---- broadcast ---- */

static int broadcast(struct logp_vp *vp, void *arg)
{
    struct call *x = arg;
    const int me = logp_vp_rank(vp);
    unsigned char item[MOST_BYTES + 8];

    for (int round = 1; round < 3; round++) {
        for (size_t i = 0; i < sizeof(item); i++)
            item[i] = me == x->root && i < x->n_bytes ? byte(round, me, 0, i) : 0xee;
        OK(logp_broadcast(vp, item, x->n_bytes, x->root));
        if (round == 1)
            x->end[me] = logp_now(vp);
        for (size_t i = 0; i < sizeof(item); i++)
            cr_assert_eq(item[i], i < x->n_bytes ? byte(round, x->root, 0, i) : 0xee);
    }
    return 0;
}

/* In the time of the best algorithm for the model in force. */
Test(calls, broadcast_reaches_all_in_the_time_of_the_best)
{
    for (int P = 1; P <= MOST_P; P += 4)
        for (int i = 0; i < 4; i++) {
            struct call x = {.n_bytes = sizes[i], .root = P / 2};
            const struct logp_invocation c = {
                .args.root = x.root, .args.n_bytes = sizes[i], .model.params = params};

            test_run_all(P, &params, broadcast, &x);
            cr_expect_eq(latest(&x, P), test_predict(test_best("broadcast", P, &c), P, &c).ns);
        }
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
    const struct logp_op *sum = logp_op_find("sum", "int32");
    const int P = logp_vp_size(vp), me = logp_vp_rank(vp);
    char x[8 * MOST_P];
    struct logp_op incomplete = *sum;

    cr_assert_eq(logp_alltoall(vp, NULL, x, 1), -EINVAL);
    cr_assert_eq(logp_alltoall(vp, x, NULL, 1), -EINVAL);
    cr_assert_eq(logp_broadcast(vp, x, 1, -1), -EINVAL);
    cr_assert_eq(logp_broadcast(vp, x, 1, P), -EINVAL);
    cr_assert_eq(logp_broadcast(vp, NULL, 1, 0), -EINVAL);
    cr_assert_eq(logp_reduce(vp, NULL, x, 1, sum, me), -EINVAL);
    cr_assert_eq(logp_reduce(vp, x, NULL, 1, sum, me), -EINVAL);
    incomplete.combine = NULL;
    cr_assert_eq(logp_reduce(vp, x, x + 8, 1, &incomplete, me), -EINVAL);
    incomplete = *sum;
    incomplete.element_bytes = 0;
    cr_assert_eq(logp_reduce(vp, x, x + 8, 1, &incomplete, me), -EINVAL);
    cr_assert_eq(logp_transpose(vp, NULL, x, P, P, 1), -EINVAL);
    cr_assert_eq(logp_transpose(vp, x, NULL, P, P, 1), -EINVAL);
    cr_assert_eq(logp_transpose(vp, x, x + 8, 0, P, 1), -EINVAL);
    cr_assert_eq(logp_transpose(vp, x, x + 8, P, 0, 1), -EINVAL);
    cr_assert_eq(logp_transpose(vp, x, x + 8, INT64_MAX, P, 1), -EINVAL);
    cr_assert_eq(logp_transpose(vp, x, x + 8, P, INT64_MAX, 1), -EINVAL);
    /* nothing to send or to hold: nothing is needed */
    cr_assert_eq(logp_alltoall(vp, NULL, NULL, 0), 0);
    cr_assert_eq(logp_broadcast(vp, NULL, 0, 0), 0);
    cr_assert_eq(logp_reduce(vp, NULL, NULL, 0, sum, 0), 0);
    return logp_transpose(vp, NULL, NULL, P, P, 0);
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
