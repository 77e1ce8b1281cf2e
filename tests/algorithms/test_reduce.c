/* SPDX-License-Identifier: MIT */
/* Reduce: orders of ranks, the call of a program, the smallest operands. That all algorithms are right:
 * test_cases.c, on the wall clock test_processes.c. */
#include "reduce.h"

Test(reduce, an_operation_that_does_not_commute_needs_the_order_of_ranks)
{
    const struct logp_invocation zero = {
        .args.op = &maps, .args.count = 5, .model.params = test_params(6, 2, 4)};
    struct logp_invocation other = zero;

    other.args.root = 3;
    for (int i = 0; i < N_NAMES; i++) {
        const struct logp_algorithm *a = algorithm(names[i]);
        const bool never = strcmp(a->name, "binary") == 0 || strcmp(a->name, "optimal") == 0 ||
                           strcmp(a->name, "kchain-adaptive-sorted") == 0;

        if (never)
            cr_expect_str_eq(test_needs(a, 8, &zero), "a commutative operation");
        else
            cr_expect_null(test_needs(a, 8, &zero));
        if (strcmp(a->name, "flat") == 0)
            cr_expect_null(test_needs(a, 8, &other));
        else if (!never)
            cr_expect_str_eq(test_needs(a, 8, &other), "a commutative operation, or root 0");
    }
    cr_expect_str_eq(test_best("reduce", 8, &other)->name, "by-allreduce");
}

/* ---- the call ---- */

struct call {
    const struct logp_op *op;
    int root, count;
};

/* Operands made here, folded here: nothing of the library but the reduction itself. */
static int calls(struct logp_vp *vp, void *arg)
{
    enum { MOST = 100 };
    const struct call *x = arg;
    const int me = logp_vp_rank(vp), P = logp_vp_size(vp);
    struct map own[MOST], result[MOST], expected;

    for (int i = 0; i < MOST; i++) {
        own[i] = (struct map){(uint32_t)(me * 2 + 3 + i), (uint32_t)(me * 7919 + i)};
        result[i] = (struct map){0, 0};
    }
    TRY(logp_reduce(vp, own, me == x->root ? result : NULL, x->count, x->op, x->root));
    for (int i = 0; i < MOST; i++) {
        cr_assert_eq(own[i].m, (uint32_t)(me * 2 + 3 + i));
        cr_assert_eq(own[i].t, (uint32_t)(me * 7919 + i));
    }
    for (int i = 0; i < MOST && me == x->root; i++) {
        expected = (struct map){3 + (uint32_t)i, (uint32_t)i};
        for (int r = 1; r < P; r++) {
            const struct map next = {(uint32_t)(r * 2 + 3 + i), (uint32_t)(r * 7919 + i)};

            expected = (struct map){next.m * expected.m, next.m * expected.t + next.t};
        }
        cr_assert_eq(result[i].m, i < x->count ? expected.m : 0);
        cr_assert_eq(result[i].t, i < x->count ? expected.t : 0);
    }
    return 0;
}

Test(reduce, the_call_reduces_under_any_model)
{
    struct logp_params shared = test_600ns;

    shared.gap_shared = true;
    for (int P = 1; P <= 9; P += 2)
        for (int root = 0; root < P; root += 2)
            for (int count = 0; count <= 100; count += 50) {
                struct call x = {&maps, root, count};

                test_run(test_machine(P, LOGP_CLOCK_VIRTUAL, &test_600ns), calls, &x);
                test_run(test_machine(P, LOGP_CLOCK_VIRTUAL, &shared), calls, &x);
                if (count == 100)
                    test_run(test_machine(P, LOGP_CLOCK_WALL, NULL), calls, &x);
            }
}

Test(reduce, an_experiment_needs_an_operation)
{
    TEST_MACHINE m = test_machine(3, LOGP_CLOCK_VIRTUAL, &test_6ns);
    const struct logp_experiment x =
        test_experiment(algorithm("flat"), &(struct logp_args){.count = 1}, 1, 0);
    struct logp_record r;

    cr_expect_eq(logp_experiment_run(m, &x, &r), -EINVAL);
}

Test(reduce, a_combination_is_measured_on_this_host)
{
    const size_t n = test_n_ops();

    for (size_t i = 0; i<n; i += TEST_SCALE> 1 ? 5 : 1)
        cr_expect_geq(logp_op_measure(logp_op_at(i), 100), 1);
}

/* ---- the smallest ---- */

static void or_bytes(void *acc, const void *in, size_t n, void *arg)
{
    for (size_t i = 0; i < n; i++)
        ((unsigned char *)acc)[i] |= ((const unsigned char *)in)[i];
}

static const struct logp_op bits = {
    .name = "or", .type = "byte", .element_bytes = 1, .commutative = true, .combine = or_bytes};

static int one_byte(struct logp_vp *vp, void *arg)
{
    const int me = logp_vp_rank(vp), root = 3;
    const unsigned char mine = (unsigned char)(1 << me);
    unsigned char all = 0;
    const int rc = logp_reduce(vp, &mine, &all, 1, &bits, root);

    cr_assert(rc != 0 || all == (me == root ? 0xff : 0));
    return rc;
}

Test(reduce, a_single_byte_is_a_vector_too)
{
    const struct logp_params params = test_params(60, 20, 40);
    const struct logp_invocation c = {.args = {.op = &bits, .count = 1, .root = 2},
                                      .model.params = params};
    TEST_MACHINE m = test_machine(8, LOGP_CLOCK_VIRTUAL, &params);

    cr_assert_eq(logp_machine_run(m, one_byte, NULL, test_timeout_ns), 0);
    for (const struct logp_algorithm *const *all = test_rows(NULL); *all != NULL; all++) {
        const struct logp_experiment x = test_experiment(*all, &c.args, 1, 0);
        struct logp_record r;

        if (strcmp((*all)->collective, "reduce") != 0 || test_needs(*all, 8, &c) != NULL)
            continue;
        cr_assert_eq(logp_experiment_run(m, &x, &r), 0);
        cr_assert(r.verified, "%s", (*all)->name);
    }
}

Test(reduce, only_the_root_needs_room_for_the_result)
{
    const struct logp_invocation c = {.args.op = &bits, .args.count = 5, .args.root = 2};
    size_t buf, recv_buf;

    for (int rank = 0; rank < 4; rank++) {
        logp_collective_find("reduce")->sizes(4, rank, &c, &buf, &recv_buf);
        cr_expect_eq(buf, 5);
        cr_expect_eq(recv_buf, rank == 2 ? 5 : 0);
    }
}
