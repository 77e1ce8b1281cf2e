/* SPDX-License-Identifier: MIT */
/*
 * Recursive doubling, and what topologies do to trees: broadcasts and reductions farthest first,
 * nearest first and on a mesh, their predictions with and without a topology, the load that they
 * put on links, and the product of matrix and vector made of them.
 */
#include "support.h"

static int64_t predicted(const char *collective, const char *name, int64_t P,
                         const struct logp_params *params)
{
    const struct logp_coll c = {
        .n_bytes = 8, .count = 1, .op = logp_op_find("sum", "double"), .params = *params};
    const struct logp_prediction p = logp_predict(logp_algorithm_find(collective, name), P, &c);

    return p.certainty == LOGP_PREDICTION_EXACT ? p.ns : -1;
}

static int64_t most(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* ---- shapes ---- */

static void children_are(const char *name, int P, int root, int rank, const int *expected, int n)
{
    struct logp_coll c = {.root = root, .n_bytes = 8};

    cr_assert_eq(logp_coll_plan(logp_algorithm_find("broadcast", name), P, rank, &c), 0);
    cr_assert_eq(c.plan.n_children, n);
    for (int i = 0; i < n; i++)
        cr_assert_eq(c.plan.children[i], expected[i]);
    logp_coll_unplan(&c);
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
        struct logp_coll c = {.root = root, .count = 1, .op = logp_op_find("sum", "double")};

        cr_assert_eq(logp_coll_plan(a, P, rank, &c), 0);
        parent[rank] = c.plan.parent;
        for (int i = 0; i < c.plan.n_children; i++)
            found[c.plan.children[i]] = rank;
        edges += c.plan.n_children;
        logp_coll_unplan(&c);
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
    const struct logp_coll c = {.count = 1, .op = logp_op_find("sum", "double")};

    for (int i = 0; i < 4; i++)
        for (int P = 1; P <= 49; P++) {
            const struct logp_algorithm *a =
                logp_algorithm_find(i < 2 ? "broadcast" : "reduce", names[i % 2]);

            if (logp_algorithm_needs(a, P, &c) == NULL)
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
        D = p.L_ns + 2 * p.o_send_ns + logp_stream_ns(&p, 8);
        E = most(p.o_send_ns, p.g_ns + logp_stream_ns(&p, 8));
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

static int64_t up_to(uint64_t *state, int64_t n)
{
    return (int64_t)(test_random(state) % (uint64_t)(n + 1));
}

static struct logp_params random_params(uint64_t *state)
{
    static const int64_t scale[] = {0, 3, 10, 40};
    struct logp_params p = {0};

    p.L_ns = up_to(state, scale[test_random(state) % 4]);
    p.o_send_ns = up_to(state, scale[test_random(state) % 3]);
    p.o_recv_ns = test_random(state) % 2 == 0 ? p.o_send_ns : up_to(state, 10);
    p.g_ns = up_to(state, scale[test_random(state) % 4]);
    p.G_ps = test_random(state) % 2 == 0 ? 0 : up_to(state, 2500);
    p.gamma_ps = test_random(state) % 2 == 0 ? 0 : up_to(state, 5000);
    p.gap_shared = test_random(state) % 8 == 0;
    return p;
}

/* All neighbours: the virtual clock equals the prediction to the nanosecond. */
static void check_exact(struct logp_machine *m, const struct logp_algorithm *a, uint64_t *state)
{
    const int P = logp_machine_size(m);
    const struct logp_experiment x = {.algorithm = a,
                                      .coll = {.root = (int)up_to(state, P - 1),
                                               .n_bytes = (size_t)up_to(state, 12),
                                               .count = up_to(state, 4),
                                               .op = logp_op_find("min", "int32"),
                                               .params = random_params(state)},
                                      .reps = 1,
                                      .timeout_ns = test_timeout_ns};
    struct logp_delay delay;
    struct logp_record r;

    if (logp_algorithm_needs(a, P, &x.coll) != NULL)
        return;
    cr_assert_eq(logp_delay_create("loggp", &x.coll.params, &delay), 0);
    cr_assert_eq(logp_machine_set_delay(m, delay, 0), 0);
    cr_assert_eq(logp_experiment_run(m, &x, &r), 0);
    cr_assert(r.verified);
    if (r.prediction.certainty == LOGP_PREDICTION_NONE) {
        cr_assert(x.coll.params.gap_shared && strcmp(a->collective, "reduce") == 0);
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
        struct logp_machine *m = test_machine(P, LOGP_CLOCK_VIRTUAL, NULL);

        for (int i = 0; i < 240 / TEST_SCALE; i++)
            check_exact(m, logp_algorithm_find(i % 2 == 0 ? "broadcast" : "reduce", names[i % 3]),
                        &state);
        cr_assert_eq(logp_machine_destroy(m), 0);
    }
}

/* ---- loads ---- */

static void loads_are(const char *collective, const char *name, const char *spec, int P, int root,
                      const int *expected, int n)
{
    struct logp_topology *t;
    struct logp_coll c = {
        .root = root, .n_bytes = 8, .count = 1, .op = logp_op_find("sum", "double")};
    struct logp_link_load load;
    int64_t hops = 0, in_all = 0;

    cr_assert_eq(logp_topology_create(spec, P, &t), 0);
    c.topology = t;
    cr_assert_eq(logp_link_load_init(&load, logp_algorithm_find(collective, name), &c), 0);
    cr_assert_eq(load.n_steps, n, "%s %s: %d", name, spec, load.n_steps);
    for (int i = 0; i < n; i++)
        cr_assert_eq(load.step_most[i], expected[i], "%s %s: %d in round %d", name, spec,
                     load.step_most[i], i);
    for (int i = 0; i < load.n_links; i++)
        in_all += load.messages[i];
    for (int rank = 0; rank < P; rank++) {
        cr_assert_eq(logp_coll_plan(logp_algorithm_find(collective, name), P, rank, &c), 0);
        if (c.plan.parent >= 0)
            hops += logp_topology_hops(t, rank, c.plan.parent);
        logp_coll_unplan(&c);
    }
    cr_assert_eq(in_all, hops);
    logp_link_load_fini(&load);
    logp_topology_destroy(t);
}

#define LOADS(collective, name, spec, P, root, ...)                                                \
    loads_are(collective, name, spec, P, root, (const int[]){__VA_ARGS__},                         \
              sizeof((const int[]){__VA_ARGS__}) / sizeof(int))

Test(doubling, links_have_the_golden_loads)
{
    LOADS("broadcast", "binomial", "tree", 8, 0, 1, 1, 1);
    LOADS("broadcast", "binomial-nearest", "tree", 8, 0, 1, 2, 4);
    LOADS("reduce", "binomial", "tree", 8, 0, 1, 1, 1);
    LOADS("reduce", "binomial-nearest", "tree", 8, 0, 4, 2, 1);
}

Test(doubling, on_a_line_the_farthest_first_never_share_a_link)
{
    for (int P = 2; P <= 40; P++) {
        int one[8], many[8], n = 0;

        for (; 1 << n < P; n++) {
            one[n] = 1;
            many[n] = 1 << n < P - (1 << n) ? 1 << n : P - (1 << n);
        }
        loads_are("broadcast", "binomial", "line", P, 0, one, n);
        loads_are("reduce", "binomial", "line", P, 0, one, n);
        loads_are("broadcast", "binomial-nearest", "line", P, 0, many, n);
    }
}

Test(doubling, on_the_switch_tree_the_farthest_is_six_hops_away)
{
    struct logp_topology *t;

    cr_assert_eq(logp_topology_create("tree", 8, &t), 0);
    cr_expect_eq(logp_topology_hops(t, 0, 4), 6);
    cr_expect_eq(logp_topology_hops(t, 0, 2), 4);
    cr_expect_eq(logp_topology_hops(t, 0, 1), 2);
    logp_topology_destroy(t);
}

Test(doubling, only_trees_have_a_load)
{
    struct logp_coll c = {.n_bytes = 8};
    struct logp_link_load load;
    struct logp_topology *t;
    const struct logp_algorithm *flat = logp_algorithm_find("broadcast", "flat");

    cr_expect_eq(logp_link_load_init(&load, flat, &c), -EINVAL);
    cr_assert_eq(logp_topology_create("ring", 6, &t), 0);
    c.topology = t;
    cr_expect_eq(logp_link_load_init(&load, logp_algorithm_find("alltoall", "linear"), &c),
                 -ENOTSUP);
    cr_expect_eq(logp_link_load_init(&load, logp_algorithm_find("broadcast", "mesh"), &c),
                 -ENOTSUP);
    c.root = 6;
    cr_expect_eq(logp_link_load_init(&load, flat, &c), -EINVAL);
    logp_topology_destroy(t);
}

/* ---- predictions on a topology ---- */

struct counts {
    int exact, contended;
};

static struct logp_delay on_links(const struct logp_topology *t, const struct logp_params *params)
{
    struct logp_delay ends, delay;

    cr_assert_eq(logp_delay_create("loggp", params, &ends), 0);
    cr_assert_eq(logp_topology_delay(t, ends, &delay), 0);
    return delay;
}

/* Exact if and only if nobody waited for a link; otherwise nothing is faster than predicted. */
static void check_on(struct logp_machine *m, const struct logp_algorithm *a,
                     const struct logp_coll *c, struct counts *counts)
{
    const struct logp_experiment x = {
        .algorithm = a, .coll = *c, .reps = 1, .timeout_ns = test_timeout_ns};
    const struct logp_delay delay = on_links(c->topology, &c->params);
    struct logp_link_use use;
    struct logp_record r;

    cr_assert_eq(logp_machine_set_delay(m, delay, 0), 0);
    cr_assert_eq(logp_experiment_run(m, &x, &r), 0);
    cr_assert(r.verified);
    cr_assert_eq(logp_link_use(&delay, -1, &use), 0);
    if (r.prediction.certainty == LOGP_PREDICTION_NONE) {
        cr_assert(c->params.gap_shared && strcmp(a->collective, "broadcast") != 0);
        return;
    }
    if (use.waited_ns == 0 || r.P == 1) {
        cr_assert_eq(r.prediction.certainty, LOGP_PREDICTION_EXACT);
        cr_assert_eq(r.emulated.median_ns, r.prediction.ns, "%s %s on %s: %ld predicted %ld",
                     a->collective, a->name, logp_topology_spec(c->topology),
                     (long)r.emulated.median_ns, (long)r.prediction.ns);
        counts->exact++;
    } else {
        cr_assert_eq(r.prediction.certainty, LOGP_PREDICTION_LOWER_BOUND);
        cr_assert_geq(r.emulated.median_ns, r.prediction.ns);
        counts->contended++;
    }
}

static void check_everywhere(const char *spec, int P, uint64_t *state, struct counts *counts)
{
    struct logp_config config = {.n_processors = P,
                                 .clock = LOGP_CLOCK_VIRTUAL,
                                 .executor = test_executor(),
                                 .stacks = test_stacks()};
    const struct logp_params params = random_params(state);
    struct logp_machine *m;
    struct logp_topology *t;
    struct logp_coll c = {.root = (int)up_to(state, P - 1),
                          .n_bytes = (size_t)up_to(state, 12),
                          .count = up_to(state, 4),
                          .op = logp_op_find("sum", "int32"),
                          .work_ns = up_to(state, 20),
                          .params = params};
    size_t n;
    const struct logp_algorithm *a = logp_algorithms(&n);

    cr_assert_eq(logp_topology_create(spec, P, &t), 0);
    cr_assert_eq(logp_machine_create(&config, &m), 0);
    c.topology = t;
    for (size_t i = 0; i < n; i++) {
        struct logp_link_load load;

        if (logp_link_load_init(&load, &a[i], &c) == 0) { /* a tree that applies */
            check_on(m, &a[i], &c, counts);
            logp_link_load_fini(&load);
        }
    }
    cr_assert_eq(logp_machine_destroy(m), 0);
    logp_topology_destroy(t);
}

Test(doubling, on_topologies_predictions_are_exact_where_nobody_waits)
{
    static const struct {
        const char *spec;
        int P;
    } on[] = {
        {"line", 2},       {"line", 7},       {"line", 16},    {"ring", 2},      {"ring", 9},
        {"ring", 16},      {"mesh", 16},      {"mesh:2x3", 6}, {"mesh", 25},     {"mesh:4x5", 20},
        {"torus", 16},     {"torus:3x4", 12}, {"torus", 25},   {"hypercube", 8}, {"hypercube", 16},
        {"hypercube", 32}, {"tree", 4},       {"tree", 8},     {"tree", 16},     {"hypercube", 1},
    };
    struct counts counts = {0};
    uint64_t state = 1994;

    cr_log_info("seed %llu", (unsigned long long)state);
    for (int i = 0; i < 600 / TEST_SCALE; i++) {
        const size_t k = (size_t)up_to(&state, sizeof(on) / sizeof(on[0]) - 1);

        check_everywhere(on[k].spec, on[k].P, &state, &counts);
    }
    cr_log_info("%d exact, %d contended", counts.exact, counts.contended);
    cr_expect_gt(counts.exact, 1000 / TEST_SCALE);
    cr_expect_gt(counts.contended, 1000 / TEST_SCALE);
}

static struct logp_prediction on_ring(const char *collective, const char *name, int64_t P, int ring)
{
    struct logp_coll c = {.n_bytes = 8,
                          .count = 1,
                          .op = logp_op_find("sum", "double"),
                          .params = test_params(6, 2, 4)};
    struct logp_prediction p;
    struct logp_topology *t;

    cr_assert_eq(logp_topology_create("ring", ring, &t), 0);
    c.topology = t;
    p = logp_predict(logp_algorithm_find(collective, name), P, &c);
    logp_topology_destroy(t);
    return p;
}

Test(doubling, on_a_topology_what_is_no_tree_has_no_prediction)
{
    cr_expect_eq(on_ring("broadcast", "chain", 8, 8).ns, 70);
    cr_expect_eq(on_ring("broadcast", "chain", 8, 8).certainty, LOGP_PREDICTION_EXACT);
    cr_expect_eq(on_ring("broadcast", "chain", 8, 9).certainty, LOGP_PREDICTION_NONE);
    cr_expect_eq(on_ring("alltoall", "linear", 8, 8).certainty, LOGP_PREDICTION_NONE);
    cr_expect_eq(on_ring("barrier", "dissemination", 8, 8).certainty, LOGP_PREDICTION_NONE);
    cr_expect_eq(on_ring("barrier", "dissemination", 1, 1).certainty, LOGP_PREDICTION_EXACT);
    cr_expect_eq(on_ring("broadcast", "chain", 100000, 100000).certainty, LOGP_PREDICTION_NONE);
    /* 65535 messages over 16384 links each: too many to look at */
    cr_expect_eq(on_ring("broadcast", "flat", 65536, 65536).certainty, LOGP_PREDICTION_LOWER_BOUND);
}

/* Nearest first is predicted as fast as farthest first, but that is a lower bound only. */
Test(doubling, auto_prefers_what_is_certain)
{
    struct logp_coll c = {.n_bytes = 8, .params = test_params(6, 2, 4)};
    struct logp_topology *t;

    cr_assert_eq(logp_topology_create("line", 16, &t), 0);
    c.topology = t;
    cr_expect_str_eq(logp_algorithm_best("broadcast", 16, &c)->name, "binomial");
    cr_expect_str_eq(logp_algorithm_best("alltoall", 16, &c)->name, "linear");
    logp_topology_destroy(t);
}

/* ---- matrix times vector ---- */

static struct logp_record matvec(struct logp_machine *m, const struct logp_op *op, int64_t count,
                                 const struct logp_params *params)
{
    const struct logp_experiment x = {
        .algorithm = logp_algorithm_find("matvec", "doubling"),
        .coll = {.count = count, .op = op, .params = *params},
        .reps = 1,
        .timeout_ns = test_timeout_ns,
        .seed = (uint64_t)count,
    };
    struct logp_delay delay;
    struct logp_record r;

    cr_assert_eq(logp_delay_create("loggp", params, &delay), 0);
    cr_assert_eq(logp_machine_set_delay(m, delay, 0), 0);
    cr_assert_eq(logp_experiment_run(m, &x, &r), 0);
    cr_assert(r.verified, "%s of %s, count %ld", op->name, op->type, (long)count);
    return r;
}

Test(doubling, matrix_times_vector_is_predicted_and_right)
{
    size_t n_ops;
    const struct logp_op *ops = logp_ops(&n_ops);
    uint64_t state = 41;
    int exact = 0, bounds = 0;

    cr_log_info("seed %llu", (unsigned long long)state);
    for (int side = 1; side <= 7; side++) {
        struct logp_machine *m = test_machine(side * side, LOGP_CLOCK_VIRTUAL, NULL);

        for (int i = 0; i < 100 / TEST_SCALE + 1; i++) {
            const struct logp_params params = random_params(&state);
            const struct logp_record r =
                matvec(m, &ops[test_random(&state) % n_ops], 1 + up_to(&state, 6), &params);

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
    cr_expect(exact > 200 / TEST_SCALE && bounds > 50 / TEST_SCALE);
}

/* n = 4, blocks of one element, c = 1: 20 down, 1 to multiply, 22 along the row. */
Test(doubling, matrix_times_vector_is_broadcast_product_and_reduction)
{
    struct logp_params params = test_params(6, 2, 4);
    struct logp_coll c = {.count = 1, .op = logp_op_find("sum", "double"), .params = params};
    const struct logp_algorithm *a = logp_algorithm_find("matvec", "doubling");

    c.params.gamma_ps = 1000;
    cr_expect_eq(logp_predict(a, 16, &c).ns, 20 + 1 + 22);
    c.count = 5; /* 25 multiplications */
    cr_expect_eq(logp_predict(a, 16, &c).ns, 20 + 25 + 30);
    cr_expect_eq(logp_predict(a, 1, &c).ns, 25);
    cr_expect_str_eq(logp_algorithm_needs(a, 8, &c), "a square number of processors");
    c.count = 0;
    cr_expect(logp_algorithm_needs(a, 16, &c) != NULL);
    c.count = 1;
    c.op = &(struct logp_op){.name = "own", .type = "own", .element_bytes = 4};
    cr_expect_str_eq(logp_algorithm_needs(a, 16, &c), "elements of a built-in type");
}
