/* SPDX-License-Identifier: MIT */
/*
 * Recursive doubling: broadcasts and reductions farthest first, nearest first and on a mesh, their
 * predictions, and the product of matrix and vector made of them.
 */
#include "doubling.h"
#include <logp/paper.h>

static int64_t predicted(const char *collective, const char *name, int64_t P,
                         const struct logp_params *params)
{
    const struct logp_invocation c = {.args.n_bytes = 8,
                                      .args.count = 1,
                                      .args.op = logp_op_find("sum", "double"),
                                      .model.params = *params};
    const struct logp_prediction p = test_predict(logp_algorithm_find(collective, name), P, &c);

    return p.certainty == LOGP_PREDICTION_EXACT ? p.ns : -1;
}

static int64_t most(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* ---- shapes ---- */

static void children_are(const char *name, int P, int root, int rank, const int *expected, int n)
{
    struct logp_invocation c = {.args.root = root, .args.n_bytes = 8};

    cr_assert_eq(test_plan(logp_algorithm_find("broadcast", name), P, rank, &c), 0);
    cr_assert_eq(c.plan.n_children, n);
    for (int i = 0; i < n; i++)
        cr_assert_eq(c.plan.children[i], expected[i]);
    test_unplan(&c);
}

#define CHILDREN(name, P, root, rank, ...)                                                         \
    children_are(name, P, root, rank, (const int[]){__VA_ARGS__},                                  \
                 sizeof((const int[]){__VA_ARGS__}) / sizeof(int))

Test(doubling, trees_have_the_golden_children)
{
    CHILDREN("mesh", 16, 9, 9, 11, 8, 1, 13);
    CHILDREN("mesh", 16, 9, 11, 10, 3, 15);
    CHILDREN("mesh", 16, 9, 8, 0, 12);
    CHILDREN("binomial-nearest", 8, 0, 0, 1, 2, 4);
    CHILDREN("binomial-nearest", 8, 0, 1, 3, 5);
    CHILDREN("binomial-nearest", 8, 6, 6, 7, 4, 2);
    CHILDREN("binomial-nearest", 6, 4, 4, 5, 0, 2);
}

/* Every rank has one parent, whose child it is, and is reached from the root. */
static void check_tree(const struct logp_algorithm *a, int P, int root)
{
    int *parent = malloc((size_t)P * sizeof(int)), *found = calloc((size_t)P, sizeof(int));
    int edges = 0;

    for (int rank = 0; rank < P; rank++) {
        struct logp_invocation c = {
            .args.root = root, .args.count = 1, .args.op = logp_op_find("sum", "double")};

        cr_assert_eq(test_plan(a, P, rank, &c), 0);
        parent[rank] = c.plan.parent;
        for (int i = 0; i < c.plan.n_children; i++)
            found[c.plan.children[i]] = rank;
        edges += c.plan.n_children;
        test_unplan(&c);
    }
    cr_assert_eq(edges, P - 1);
    for (int rank = 0; rank < P; rank++) {
        int steps = 0;

        cr_assert(rank == root ? parent[rank] == -1 : found[rank] == parent[rank]);
        for (int v = rank; v != root; v = parent[v])
            cr_assert_leq(++steps, P);
    }
    free(parent);
    free(found);
}

Test(doubling, every_rank_has_its_place_in_the_tree)
{
    static const char *const names[] = {"binomial-nearest", "mesh"};
    const struct logp_invocation c = {.args.count = 1, .args.op = logp_op_find("sum", "double")};

    for (int i = 0; i < 4; i++)
        for (int P = 1; P <= 49; P++) {
            const struct logp_algorithm *a =
                logp_algorithm_find(i < 2 ? "broadcast" : "reduce", names[i % 2]);

            if (test_needs(a, P, &c) == NULL)
                for (int root = 0; root < P; root += 1 + P / 7)
                    check_tree(a, P, root);
        }
}

/* ---- predictions without a topology ---- */

Test(doubling, predictions_have_the_golden_values)
{
    const struct logp_params params = test_params(6, 2, 4);
    static const int64_t P[] = {3, 6, 8, 16}, doubling[] = {14, 24, 30, 40};

    for (int i = 0; i < 4; i++) {
        cr_expect_eq(predicted("broadcast", "binomial", P[i], &params), doubling[i]);
        cr_expect_eq(predicted("reduce", "binomial", P[i], &params), doubling[i]);
    }
    cr_expect_eq(predicted("broadcast", "mesh", 25, &params), 48);
    cr_expect_eq(predicted("reduce", "mesh", 25, &params), 48);
    cr_expect_eq(predicted("broadcast", "mesh", 16, &params), 40);
    cr_expect_eq(predicted("broadcast", "binomial-nearest", 8, &params), 30);
    cr_expect_eq(predicted("broadcast", "mesh", 8, &params), -1);
    for (int i = 0; i < 4; i++) {
        static const char *const names[] = {"binomial-nearest", "mesh"};

        cr_expect_eq(predicted(i < 2 ? "broadcast" : "reduce", names[i % 2], 1, &params), 0);
    }
}

/* The latest of all nodes, one by one. */
static int64_t nearest_by_fold(int64_t P, int64_t D, int64_t E)
{
    int64_t *label = calloc((size_t)P, sizeof(*label)), last = 0;

    for (int64_t step = 1, n = 0; step < P; step *= 2, n++)
        for (int64_t v = 0; v < step && v + step < P; v++) {
            int64_t sent = 0; /* steps that v has taken since it had the item */

            for (int64_t s = step / 2; s > v; s /= 2)
                sent++;
            if (v == 0)
                sent = n;
            label[v + step] = label[v] + D + sent * E;
            last = most(last, label[v + step]);
        }
    free(label);
    return last;
}

Test(doubling, the_nearest_first_is_its_fold_at_any_size)
{
    uint64_t state = 405;

    cr_log_info("seed %llu", (unsigned long long)state);
    for (int i = 0; i < 3000 / TEST_SCALE; i++) {
        const int64_t P = 1 + (int64_t)(test_random(&state) % (i % 10 == 0 ? 5000 : 70));
        const int64_t L = (int64_t)(test_random(&state) % 30);
        const int64_t o = (int64_t)(test_random(&state) % 10);
        const int64_t g = (int64_t)(test_random(&state) % 60);
        const struct logp_params params = test_params(L, o, g);

        cr_assert_eq(predicted("broadcast", "binomial-nearest", P, &params),
                     nearest_by_fold(P, L + 2 * o, most(o, g)), "P %ld L %ld o %ld g %ld", (long)P,
                     (long)L, (long)o, (long)g);
    }
}

Test(doubling, there_is_a_prediction_for_2_to_the_60)
{
    const struct logp_params params = test_params(6, 2, 4), slow = test_params(1, 0, 9);
    const int64_t P = INT64_C(1) << 60;

    cr_expect_eq(predicted("broadcast", "binomial-nearest", P, &params), 600);
    cr_expect_eq(predicted("broadcast", "mesh", P, &params), 600);
    cr_expect_eq(predicted("reduce", "mesh", P, &params), 600);
    cr_expect_eq(predicted("broadcast", "binomial-nearest", P, &slow), 1 + 59 * 9);
    cr_expect_eq(predicted("broadcast", "mesh", P, &slow), 1 + 59 * 9);
}

Test(doubling, the_textbook_is_right_for_powers_of_two_and_short_gaps)
{
    uint64_t state = 31;
    int agree = 0, differ = 0;

    cr_log_info("seed %llu", (unsigned long long)state);
    for (int i = 0; i < 5000 / TEST_SCALE; i++) {
        struct logp_params p =
            test_params((int64_t)(test_random(&state) % 20), (int64_t)(test_random(&state) % 10),
                        (int64_t)(test_random(&state) % 40));
        const int64_t P = 2 + (int64_t)(test_random(&state) % 40);
        int64_t D, E, ours, textbook;

        p.G_ps = test_random(&state) % 2 == 0 ? 0 : 1500;
        D = p.L_ns + 2 * p.o_send_ns + logp_params_stream_ns(&p, 8);
        E = most(p.o_send_ns, p.g_ns + logp_params_stream_ns(&p, 8));
        ours = predicted("broadcast", "binomial", P, &p);
        textbook = logp_textbook_cost(P, &p, 8);
        if ((P & (P - 1)) == 0 && (E <= D || P == 2)) {
            cr_assert_eq(ours, textbook);
            if (__builtin_ctz((unsigned)P) % 2 == 0)
                cr_assert_eq(predicted("broadcast", "mesh", P, &p), textbook);
            agree++;
        } else if ((P & (P - 1)) == 0) {
            cr_assert_gt(ours, textbook);
            differ++;
        } else if (E < D) {
            cr_assert_leq(ours, textbook);
        }
    }
    cr_expect(agree > 0 && differ > 0);
    cr_expect_eq(logp_textbook_cost(1, &(struct logp_params){.L_ns = 5}, 1), 0);
    cr_expect_eq(
        logp_textbook_cost(LOGP_TREE_MAX, &(struct logp_params){.G_ps = 1000000}, SIZE_MAX), -1);
}

/* All neighbours: the virtual clock equals the prediction to the nanosecond. */
static void check_exact(struct logp_machine *m, const struct logp_algorithm *a, uint64_t *state)
{
    const int P = logp_machine_size(m);
    const struct logp_network network = {.params = random_params(state)};
    const struct logp_experiment x = {.size = sizeof(x),
                                      .algorithm = a,
                                      .args = {.root = (int)up_to(state, P - 1),
                                               .n_bytes = (size_t)up_to(state, 12),
                                               .count = up_to(state, 4),
                                               .op = logp_op_find("min", "int32")},
                                      .reps = 1,
                                      .timeout_ns = test_timeout_ns};
    struct logp_record r;

    if (logp_algorithm_needs(a, P, &x.args, &network) != NULL)
        return;
    test_set_params(m, &network.params);
    cr_assert_eq(logp_experiment_run(m, &x, &r), 0);
    cr_assert(r.verified);
    if (r.prediction.certainty == LOGP_PREDICTION_NONE) {
        cr_assert(network.params.gap_shared && strcmp(a->collective, "reduce") == 0);
        return;
    }
    cr_assert_eq(r.prediction.certainty, LOGP_PREDICTION_EXACT);
    cr_assert_eq(r.emulated.median_ns, r.prediction.ns, "%s %s P %d: %ld predicted %ld",
                 a->collective, a->name, P, (long)r.emulated.median_ns, (long)r.prediction.ns);
}

Test(doubling, virtual_time_equals_the_prediction)
{
    static const char *const names[] = {"binomial", "binomial-nearest", "mesh"};
    uint64_t state = 2718;

    cr_log_info("seed %llu", (unsigned long long)state);
    for (int P = 1; P <= 81; P += TEST_SCALE > 1 ? 8 : 2) {
        TEST_MACHINE m = test_machine(P, LOGP_CLOCK_VIRTUAL, NULL);

        for (int i = 0; i < 240 / test_divisor(); i++)
            check_exact(m, logp_algorithm_find(i % 2 == 0 ? "broadcast" : "reduce", names[i % 3]),
                        &state);
    }
}

/* ---- matrix times vector ---- */

static struct logp_record matvec(struct logp_machine *m, const struct logp_op *op, int64_t count,
                                 const struct logp_params *params)
{
    const struct logp_experiment x = {
        .size = sizeof(x),
        .algorithm = logp_algorithm_find("matvec", "doubling"),
        .args = {.count = count, .op = op},
        .reps = 1,
        .timeout_ns = test_timeout_ns,
        .seed = (uint64_t)count,
    };
    struct logp_record r;

    test_set_params(m, params);
    cr_assert_eq(logp_experiment_run(m, &x, &r), 0);
    cr_assert(r.verified, "%s of %s, count %ld", op->name, op->type, (long)count);
    return r;
}

Test(doubling, matrix_times_vector_is_predicted_and_right)
{
    const size_t n_ops = test_n_ops();
    uint64_t state = 41;
    int exact = 0, bounds = 0;

    cr_log_info("seed %llu", (unsigned long long)state);
    for (int side = 1; side <= 7; side++) {
        struct logp_machine *m = test_machine(side * side, LOGP_CLOCK_VIRTUAL, NULL);

        for (int i = 0; i < 100 / test_divisor() + 1; i++) {
            const struct logp_params params = random_params(&state);
            const struct logp_record r =
                matvec(m, logp_op_at(test_random(&state) % n_ops), 1 + up_to(&state, 6), &params);

            switch (r.prediction.certainty) {
            case LOGP_PREDICTION_EXACT:
                cr_assert_eq(r.emulated.median_ns, r.prediction.ns);
                exact++;
                break;
            case LOGP_PREDICTION_BOUND:
                cr_assert_leq(r.emulated.median_ns, r.prediction.ns);
                bounds++;
                break;
            default:
                cr_assert(params.gap_shared);
            }
        }
        cr_assert_eq(logp_machine_destroy(m), 0);
    }
    cr_log_info("%d exact, %d bounds", exact, bounds);
    cr_expect(exact > 200 / test_divisor() && bounds > 50 / test_divisor());
}

/* n = 4, blocks of one element, c = 1: 20 down, 1 to multiply, 22 along the row. */
Test(doubling, matrix_times_vector_is_broadcast_product_and_reduction)
{
    struct logp_params params = test_params(6, 2, 4);
    struct logp_invocation c = {
        .args.count = 1, .args.op = logp_op_find("sum", "double"), .model.params = params};
    const struct logp_algorithm *a = logp_algorithm_find("matvec", "doubling");

    c.model.params.gamma_ps = 1000;
    cr_expect_eq(test_predict(a, 16, &c).ns, 20 + 1 + 22);
    c.args.count = 5; /* 25 multiplications */
    cr_expect_eq(test_predict(a, 16, &c).ns, 20 + 25 + 30);
    cr_expect_eq(test_predict(a, 1, &c).ns, 25);
    cr_expect_str_eq(test_needs(a, 8, &c), "a square number of processors");
    c.args.count = 0;
    cr_expect(test_needs(a, 16, &c) != NULL);
    c.args.count = 1;
    c.args.op = &(struct logp_op){.name = "own", .type = "own", .element_bytes = 4};
    cr_expect_str_eq(test_needs(a, 16, &c), "elements of a built-in type");
}
