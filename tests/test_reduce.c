/* SPDX-License-Identifier: MIT */
/*
 * Reduce: every algorithm's virtual time equals its prediction and its result is the fold of all
 * operands, for any processors, parameters, roots, lengths, types and operations.
 */
#include "maps.h"
#include "reduce.h"

#include <stdio.h>

/* Elements of an odd size, and no operands of its own. */
static void exclusive_or(void *acc, const void *in, size_t n, void *arg)
{
    unsigned char *x = acc;
    const unsigned char *y = in;

    for (size_t i = 0; i < n * *(const size_t *)arg; i++)
        x[i] ^= y[i];
}

static size_t three = 3;
static const struct logp_op triples = {.name = "xor",
                                       .type = "triple",
                                       .element_bytes = 3,
                                       .commutative = true,
                                       .combine = exclusive_or,
                                       .arg = &three};

/* ---- the virtual clock ---- */

/* a run of one algorithm: right, and on time. */
static void check(struct logp_machine *m, const struct logp_algorithm *a,
                  const struct logp_invocation *c, int reps)
{
    const struct logp_params *p = &c->model.params;
    const struct logp_experiment x = test_experiment(a, &c->args, reps, (uint64_t)c->args.count);
    struct logp_record r;
    char what[256];

    snprintf(what, sizeof(what),
             "%s P %d root %d k %ld, %ld x %s %s, L %ld o %ld %ld g %ld G %ld gamma %ld", a->name,
             logp_machine_size(m), c->args.root, (long)c->args.k, (long)c->args.count,
             c->args.op->name, c->args.op->type, (long)p->L_ns, (long)p->o_send_ns,
             (long)p->o_recv_ns, (long)p->g_ns, (long)p->G_ps, (long)p->gamma_ps);
    cr_assert_eq(logp_experiment_run(m, &x, &r), 0, "%s", what);
    cr_assert(r.verified, "%s", what);
    cr_assert_eq(r.messages, (uint64_t)logp_machine_size(m) - 1, "%s", what);
    if (!r.has_emulated || p->gap_shared)
        return;
    cr_assert_eq(r.prediction.certainty, LOGP_PREDICTION_EXACT, "%s", what);
    cr_assert_eq(r.emulated.median_ns, r.prediction.ns, "%s: virtual %ld predicted %ld", what,
                 (long)r.emulated.median_ns, (long)r.prediction.ns);
}

static int check_all(struct logp_machine *m, const struct logp_invocation *c)
{
    int n = 0;

    for (int i = 0; i < N_NAMES; i++)
        if (test_needs(algorithm(names[i]), logp_machine_size(m), c) == NULL) {
            check(m, algorithm(names[i]), c, 1);
            n++;
        }
    return n;
}

static void use_params(struct logp_machine *m, const struct logp_params *params)
{

    test_set_params(m, params);
}

/* 0 in one case of four, else up to most, small ones as often as large ones. */
static int64_t some(uint64_t *random, int bits)
{
    return below(random, 4) == 0
               ? 0
               : (int64_t)below(random, UINT64_C(2) << below(random, (uint64_t)bits));
}

static struct logp_params random_params(uint64_t *random)
{
    const int64_t o = some(random, 7);

    return (struct logp_params){.L_ns = some(random, 10),
                                .o_send_ns = o,
                                .o_recv_ns = below(random, 2) == 0 ? o : some(random, 7),
                                .g_ns = some(random, 9),
                                .G_ps = below(random, 2) == 0 ? 0 : some(random, 12),
                                .gamma_ps = below(random, 4) == 0 ? 0 : some(random, 18)};
}

/* Any operation, the two above among them. */
static const struct logp_op *random_op(uint64_t *random)
{
    const size_t n = test_n_ops(), i = below(random, n + 2);

    return i < n ? logp_op_at(i) : i == n ? &maps : &triples;
}

static void check_random(int P, int rounds, uint64_t *random)
{
    struct logp_machine *m = test_machine(P, LOGP_CLOCK_VIRTUAL, &(struct logp_params){0});
    int runs = 0;

    for (int i = 0; i < rounds; i++) {
        const struct logp_invocation c = {
            .args.root = below(random, 3) == 0 ? 0 : (int)below(random, (uint64_t)P),
            .args.op = random_op(random),
            .args.count = (int64_t)below(random, below(random, 3) == 0 ? 100 : 5),
            .args.k =
                P < 2 || below(random, 2) == 0 ? 0 : (int64_t)(1 + below(random, (uint64_t)P - 1)),
            .model.params = random_params(random)};

        use_params(m, &c.model.params);
        runs += check_all(m, &c);
    }
    cr_assert_geq(runs, rounds); /* flat always applies */
    cr_assert_eq(logp_machine_destroy(m), 0);
}

Test(reduce, virtual_time_equals_the_prediction)
{
    uint64_t random = 23;

    cr_log_info("seed %d", 23);
    for (int P = 1; P <= 40; P += TEST_SCALE > 1 ? 6 : 1)
        check_random(P, TEST_SCALE > 10 ? 3 : 25, &random);
    for (int i = 0; i < (TEST_SCALE > 1 ? 1 : 6); i++)
        check_random(41 + (int)below(&random, 260), TEST_SCALE > 1 ? 1 : 4, &random);
}

Test(reduce, every_number_of_chains_and_every_root_is_on_time)
{
    struct logp_invocation c = {.args.count = 3, .args.op = logp_op_find("sum", "int32")};
    static const int Ps[] = {2, 3, 8, 13, 16};

    for (size_t i = 0; i < (TEST_SCALE > 1 ? 3 : sizeof(Ps) / sizeof(Ps[0])); i++) {
        struct logp_machine *m = test_machine(Ps[i], LOGP_CLOCK_VIRTUAL, &(struct logp_params){0});

        for (int set = 0; set < 3; set++) {
            static const int64_t L[] = {6, 1, 300}, g[] = {4, 90, 2};

            c.model.params = test_params(L[set], 2, g[set]);
            c.model.params.gamma_ps = 1500;
            use_params(m, &c.model.params);
            for (c.args.root = 0; c.args.root < Ps[i]; c.args.root++)
                for (c.args.k = 1; c.args.k < Ps[i]; c.args.k++) {
                    check(m, algorithm("kchain"), &c, 1);
                    check(m, algorithm("kchain-short-first"), &c, 1);
                }
            c.args.k = 0;
            for (c.args.root = 0; c.args.root < Ps[i]; c.args.root++)
                check_all(m, &c);
        }
        cr_assert_eq(logp_machine_destroy(m), 0);
    }
}

/* ---- results ---- */

Test(reduce, every_operation_on_every_type)
{
    const size_t n = test_n_ops();
    const struct logp_params params = test_params(60, 20, 40);
    struct logp_machine *m = test_machine(9, LOGP_CLOCK_VIRTUAL, &params);

    cr_assert_eq(n, 16);
    for (size_t i = 0; i < n; i++)
        for (int64_t count = 0; count <= 33; count += 11)
            cr_assert_eq(check_all(m, &(struct logp_invocation){.args.root = (int)i % 9,
                                                                .args.op = logp_op_at(i),
                                                                .args.count = count,
                                                                .model.params = params}),
                         N_NAMES);
    cr_assert_eq(logp_machine_destroy(m), 0);
}

Test(reduce, all_algorithms_are_right_on_the_wall_clock_with_no_delay)
{
    struct logp_machine *m = test_machine(8, LOGP_CLOCK_WALL, NULL);

    for (int i = 0; i < N_NAMES; i++) {
        check(m, algorithm(names[i]),
              &(struct logp_invocation){
                  .args.root = i % 8, .args.op = logp_op_find("sum", "double"), .args.count = 5000},
              TEST_SCALE > 10 ? 3 : 20);
        check(m, algorithm(names[i]),
              &(struct logp_invocation){
                  .args.root = i % 8, .args.op = logp_op_find("max", "int64"), .args.count = 1},
              5);
    }
    cr_assert_eq(logp_machine_destroy(m), 0);
}

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
    cr_expect_str_eq(test_best("reduce", 8, &other)->name, "flat");
}

Test(reduce, the_order_of_ranks_is_kept)
{
    for (int P = 1; P <= 33; P += TEST_SCALE > 1 ? 8 : 1) {
        const struct logp_params params = test_params(60, 20, 40);
        struct logp_machine *m = test_machine(P, LOGP_CLOCK_VIRTUAL, &params);
        struct logp_invocation c = {.args.op = &maps, .args.count = 5, .model.params = params};

        for (c.args.root = 0; c.args.root < P; c.args.root++)
            cr_assert_eq(check_all(m, &c), c.args.root == 0 ? N_NAMES - 3 : 1);
        cr_assert_eq(logp_machine_destroy(m), 0);
    }
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
    int rc;

    for (int i = 0; i < MOST; i++) {
        own[i] = (struct map){(uint32_t)(me * 2 + 3 + i), (uint32_t)(me * 7919 + i)};
        result[i] = (struct map){0, 0};
    }
    rc = logp_reduce(vp, own, me == x->root ? result : NULL, x->count, x->op, x->root);
    for (int i = 0; i < MOST; i++) {
        cr_assert_eq(own[i].m, (uint32_t)(me * 2 + 3 + i));
        cr_assert_eq(own[i].t, (uint32_t)(me * 7919 + i));
    }
    for (int i = 0; rc == 0 && i < MOST && me == x->root; i++) {
        expected = (struct map){3 + (uint32_t)i, (uint32_t)i};
        for (int r = 1; r < P; r++) {
            const struct map next = {(uint32_t)(r * 2 + 3 + i), (uint32_t)(r * 7919 + i)};

            expected = (struct map){next.m * expected.m, next.m * expected.t + next.t};
        }
        cr_assert_eq(result[i].m, i < x->count ? expected.m : 0);
        cr_assert_eq(result[i].t, i < x->count ? expected.t : 0);
    }
    return rc;
}

Test(reduce, the_call_reduces_under_any_model)
{
    const struct logp_params params = test_params(600, 200, 400);
    struct logp_params shared = params;

    shared.gap_shared = true;
    for (int P = 1; P <= 9; P += 2)
        for (int root = 0; root < P; root += 2)
            for (int count = 0; count <= 100; count += 50) {
                struct call x = {&maps, root, count};

                test_run(test_machine(P, LOGP_CLOCK_VIRTUAL, &params), calls, &x);
                test_run(test_machine(P, LOGP_CLOCK_VIRTUAL, &shared), calls, &x);
                if (count == 100)
                    test_run(test_machine(P, LOGP_CLOCK_WALL, NULL), calls, &x);
            }
}

/* A sum of long vectors with the call takes as long as the best prediction. */
static int timed(struct logp_vp *vp, void *arg)
{
    double own[20], sum[20];
    int64_t *end = arg;
    int rc;

    for (int i = 0; i < 20; i++)
        own[i] = logp_vp_rank(vp) + i;
    rc = logp_reduce(vp, own, sum, 20, logp_op_find("sum", "double"), 4);
    if (logp_vp_rank(vp) != 4)
        return rc;
    for (int i = 0; i < 20; i++)
        cr_assert_eq(sum[i], 66 + 12 * i);
    *end = logp_now(vp);
    return rc;
}

Test(reduce, the_call_takes_the_time_of_the_best_algorithm)
{
    struct logp_invocation c = {.args.root = 4,
                                .args.count = 20,
                                .args.op = logp_op_find("sum", "double"),
                                .model.params = test_params(600, 200, 400)};
    int64_t end = 0;

    c.model.params.G_ps = 2500;
    c.model.params.gamma_ps = 12345;
    test_run(test_machine(12, LOGP_CLOCK_VIRTUAL, &c.model.params), timed, &end);
    cr_expect_eq(end, test_predict(test_best("reduce", 12, &c), 12, &c).ns);
}

/* ---- wrong arguments ---- */

static int wrong_calls(struct logp_vp *vp, void *arg)
{
    const struct logp_op *sum = logp_op_find("sum", "double");
    double x = 1, y = 0;

    (void)arg;
    cr_assert_eq(logp_reduce(vp, &x, &y, 1, NULL, 0), -EINVAL);
    cr_assert_eq(logp_reduce(vp, &x, &y, -1, sum, 0), -EINVAL);
    cr_assert_eq(logp_reduce(vp, &x, &y, 1, sum, -1), -EINVAL);
    cr_assert_eq(logp_reduce(vp, &x, &y, 1, sum, logp_vp_size(vp)), -EINVAL);
    cr_assert_eq(logp_reduce(vp, &x, &y, INT64_MAX, sum, 0), -EINVAL);
    return 0;
}

Test(reduce, wrong_arguments_are_refused)
{
    const struct logp_params params = test_params(6, 2, 4);

    test_run(test_machine(3, LOGP_CLOCK_VIRTUAL, &params), wrong_calls, NULL);
    test_run(test_machine(3, LOGP_CLOCK_WALL, NULL), wrong_calls, NULL);
}

Test(reduce, an_experiment_needs_an_operation)
{
    const struct logp_params params = test_params(6, 2, 4);
    struct logp_machine *m = test_machine(3, LOGP_CLOCK_VIRTUAL, &params);
    const struct logp_experiment x = {.size = sizeof(x),
                                      .algorithm = algorithm("flat"),
                                      .args = {.count = 1},
                                      .reps = 1,
                                      .timeout_ns = test_timeout_ns};
    struct logp_record r;

    cr_expect_eq(logp_experiment_run(m, &x, &r), -EINVAL);
    cr_assert_eq(logp_machine_destroy(m), 0);
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
    (void)arg;
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

    (void)arg;
    cr_assert(rc != 0 || all == (me == root ? 0xff : 0));
    return rc;
}

Test(reduce, a_single_byte_is_a_vector_too)
{
    const struct logp_params params = test_params(60, 20, 40);
    size_t n;
    const struct logp_algorithm *const *all = test_rows(&n);
    const struct logp_network network = {.params = params};
    struct logp_machine *m = test_machine(8, LOGP_CLOCK_VIRTUAL, &params);

    cr_assert_eq(logp_machine_run(m, one_byte, NULL, test_timeout_ns), 0);
    for (size_t i = 0; i < n; i++) {
        const struct logp_experiment x = {.size = sizeof(x),
                                          .algorithm = all[i],
                                          .reps = 1,
                                          .args = {.op = &bits, .count = 1, .root = 2}};
        struct logp_record r;

        if (strcmp(all[i]->collective, "reduce") != 0 ||
            logp_algorithm_needs(all[i], 8, &x.args, &network) != NULL)
            continue;
        cr_assert_eq(logp_experiment_run(m, &x, &r), 0);
        cr_assert(r.verified, "%s", all[i]->name);
    }
    cr_assert_eq(logp_machine_destroy(m), 0);
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
