/* SPDX-License-Identifier: MIT */
/*
 * What topologies do to trees: the load that collectives put on links, and their predictions there,
 * which are exact where no message waits for a link.
 */
#include "doubling.h"

/* ---- loads ---- */

static void loads_are(const char *collective, const char *name, const char *spec, int P, int root,
                      const int *expected, int n)
{
    struct logp_topology *t;
    struct logp_invocation c = {.args.root = root,
                                .args.n_bytes = 8,
                                .args.count = 1,
                                .args.op = logp_op_find("sum", "double")};
    struct logp_link_load load;
    int64_t hops = 0, in_all = 0;

    cr_assert_eq(logp_topology_create(spec, P, &t), 0);
    c.model.topology = t;
    cr_assert_eq(
        logp_link_load_init(&load, logp_algorithm_find(collective, name), &c.args, &c.model), 0);
    cr_assert_eq(load.n_steps, n, "%s %s: %d", name, spec, load.n_steps);
    for (int i = 0; i < n; i++)
        cr_assert_eq(load.step_most[i], expected[i], "%s %s: %d in round %d", name, spec,
                     load.step_most[i], i);
    for (int i = 0; i < load.n_links; i++)
        in_all += load.messages[i];
    for (int rank = 0; rank < P; rank++) {
        cr_assert_eq(test_plan(logp_algorithm_find(collective, name), P, rank, &c), 0);
        if (c.plan.parent >= 0)
            hops += logp_topology_hops(t, rank, c.plan.parent);
        test_unplan(&c);
    }
    cr_assert_eq(in_all, hops);
    logp_link_load_fini(&load);
    logp_topology_destroy(t);
}

#define LOADS(collective, name, spec, P, root, ...)                                                \
    loads_are(collective, name, spec, P, root, (const int[]){__VA_ARGS__},                         \
              sizeof((const int[]){__VA_ARGS__}) / sizeof(int))

Test(links, links_have_the_golden_loads)
{
    LOADS("broadcast", "binomial", "tree", 8, 0, 1, 1, 1);
    LOADS("broadcast", "binomial-nearest", "tree", 8, 0, 1, 2, 4);
    LOADS("reduce", "binomial", "tree", 8, 0, 1, 1, 1);
    LOADS("reduce", "binomial-nearest", "tree", 8, 0, 4, 2, 1);
}

Test(links, on_a_line_the_farthest_first_never_share_a_link)
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

Test(links, on_the_switch_tree_the_farthest_is_six_hops_away)
{
    struct logp_topology *t;

    cr_assert_eq(logp_topology_create("tree", 8, &t), 0);
    cr_expect_eq(logp_topology_hops(t, 0, 4), 6);
    cr_expect_eq(logp_topology_hops(t, 0, 2), 4);
    cr_expect_eq(logp_topology_hops(t, 0, 1), 2);
    logp_topology_destroy(t);
}

Test(links, only_trees_have_a_load)
{
    struct logp_invocation c = {.args.n_bytes = 8};
    struct logp_link_load load;
    struct logp_topology *t;
    const struct logp_algorithm *flat = logp_algorithm_find("broadcast", "flat");

    cr_expect_eq(logp_link_load_init(&load, flat, &c.args, &c.model), -EINVAL);
    cr_assert_eq(logp_topology_create("ring", 6, &t), 0);
    c.model.topology = t;
    cr_expect_eq(
        logp_link_load_init(&load, logp_algorithm_find("alltoall", "linear"), &c.args, &c.model),
        -ENOTSUP);
    cr_expect_eq(
        logp_link_load_init(&load, logp_algorithm_find("broadcast", "mesh"), &c.args, &c.model),
        -ENOTSUP);
    c.args.root = 6;
    cr_expect_eq(logp_link_load_init(&load, flat, &c.args, &c.model), -EINVAL);
    logp_topology_destroy(t);
}

/* ---- predictions on a topology ---- */

struct counts {
    int exact, contended;
};

/* Exact if and only if nobody waited for a link; otherwise nothing is faster than predicted. */
static void check_on(struct logp_machine *m, const struct logp_algorithm *a,
                     const struct logp_invocation *c, struct counts *counts)
{
    const struct logp_experiment x = test_experiment(a, &c->args, 1, 0);
    const struct logp_delay delay = test_on_links(c->model.topology, &c->model.params);
    struct logp_link_use use;
    struct logp_record r;

    cr_assert_eq(logp_machine_set_delay(m, delay, 0), 0);
    cr_assert_eq(logp_experiment_run(m, &x, &r), 0);
    cr_assert(r.verified);
    cr_assert_eq(logp_link_use(m, -1, &use), 0);
    cr_assert_eq(r.prediction.certainty, LOGP_PREDICTION_EXACT);
    cr_assert_eq(r.emulated.median_ns, r.prediction.ns);
    r.prediction = test_predict_by(a, r.P, c, LOGP_BY_FORMULA);
    if (r.prediction.certainty == LOGP_PREDICTION_NONE) {
        cr_assert(c->model.params.gap_shared && strcmp(a->collective, "broadcast") != 0);
        return;
    }
    if (use.waited_ns == 0 || r.P == 1) {
        cr_assert_eq(r.prediction.certainty, LOGP_PREDICTION_EXACT);
        cr_assert_eq(r.emulated.median_ns, r.prediction.ns, "%s %s on %s: %ld predicted %ld",
                     a->collective, a->name, logp_topology_spec(c->model.topology),
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
    struct logp_config config = {.size = sizeof(config),
                                 .n_processors = P,
                                 .delay = logp_delay_none(),
                                 .clock = LOGP_CLOCK_VIRTUAL,
                                 .executor = test_executor(),
                                 .stacks = test_stacks()};
    const struct logp_params params = random_params(state);
    struct logp_machine *m;
    struct logp_topology *t;
    struct logp_invocation c = {.args.root = (int)up_to(state, P - 1),
                                .args.n_bytes = (size_t)up_to(state, 12),
                                .args.count = up_to(state, 4),
                                .args.op = logp_op_find("sum", "int32"),
                                .args.work_ns = up_to(state, 20),
                                .model.params = params};
    size_t n;
    const struct logp_algorithm *const *a = test_rows(&n);

    cr_assert_eq(logp_topology_create(spec, P, &t), 0);
    cr_assert_eq(logp_machine_create(&config, &m), 0);
    c.model.topology = t;
    for (size_t i = 0; i < n; i++) {
        struct logp_link_load load;

        if (logp_link_load_init(&load, a[i], &c.args, &c.model) == 0) { /* a tree that applies */
            check_on(m, a[i], &c, counts);
            logp_link_load_fini(&load);
        }
    }
    cr_assert_eq(logp_machine_destroy(m), 0);
    logp_topology_destroy(t);
}

Test(links, on_topologies_predictions_are_exact_where_nobody_waits)
{
    static const struct {
        const char *spec;
        int P;
    } on[] = {
        {"line", 2},        {"line", 7},         {"line", 16},       {"ring", 2},
        {"ring", 9},        {"ring", 16},        {"mesh", 16},       {"mesh:2x3", 6},
        {"mesh", 25},       {"mesh:4x5", 20},    {"torus", 16},      {"torus:3x4", 12},
        {"torus", 25},      {"hypercube", 8},    {"hypercube", 16},  {"hypercube", 32},
        {"tree", 4},        {"tree", 8},         {"tree", 16},       {"hypercube", 1},
        {"mesh:2x3x4", 24}, {"torus:2x3x4", 24}, {"mesh:4x2x2", 16}, {"torus:3x3x3", 27},
        {"torus:5x3", 15},  {"torus:2x6", 12},   {"mesh:2x2", 4},    {"mesh:2x1x2x3", 12},
        {"torus:8", 8},     {"mesh:8", 8},
    };
    struct counts counts = {0};
    uint64_t state = 1994;

    cr_log_info("seed %llu", (unsigned long long)state);
    for (int i = 0; i < 600 / test_divisor(); i++) {
        const size_t k = (size_t)up_to(&state, sizeof(on) / sizeof(on[0]) - 1);

        check_everywhere(on[k].spec, on[k].P, &state, &counts);
    }
    cr_log_info("%d exact, %d contended", counts.exact, counts.contended);
    cr_expect_gt(counts.exact, 1000 / test_divisor());
    cr_expect_gt(counts.contended, 1000 / test_divisor());
}

static struct logp_prediction on_ring(const char *collective, const char *name, int64_t P, int ring)
{
    struct logp_invocation c = {.args.n_bytes = 8,
                                .args.count = 1,
                                .args.op = logp_op_find("sum", "double"),
                                .model.params = test_params(6, 2, 4)};
    struct logp_prediction p;
    struct logp_topology *t;

    cr_assert_eq(logp_topology_create("ring", ring, &t), 0);
    c.model.topology = t;
    p = test_predict(logp_algorithm_find(collective, name), P, &c);
    logp_topology_destroy(t);
    return p;
}

Test(links, on_a_topology_what_is_no_tree_is_predicted_by_its_schedule)
{
    cr_expect_eq(on_ring("broadcast", "chain", 8, 8).ns, 70);
    cr_expect_eq(on_ring("broadcast", "chain", 8, 8).certainty, LOGP_PREDICTION_EXACT);
    cr_expect_eq(on_ring("broadcast", "chain", 8, 9).certainty, LOGP_PREDICTION_NONE);
    cr_expect_eq(on_ring("alltoall", "linear", 8, 8).by, LOGP_BY_SCHEDULE);
    cr_expect_eq(on_ring("barrier", "dissemination", 8, 8).certainty, LOGP_PREDICTION_EXACT);
    cr_expect_eq(on_ring("broadcast", "chain", 8, 8).by, LOGP_BY_FORMULA);
    cr_expect_eq(on_ring("barrier", "dissemination", 1, 1).certainty, LOGP_PREDICTION_EXACT);
    cr_expect_eq(on_ring("broadcast", "chain", 100000, 100000).certainty, LOGP_PREDICTION_NONE);
    /* 65535 messages over 16384 links each: too many to look at */
    cr_expect_eq(on_ring("broadcast", "flat", 65536, 65536).certainty, LOGP_PREDICTION_LOWER_BOUND);
}

/* A chain of 4096, each message as long as one can be: 4095 of them are too many for the clock. */
Test(links, on_a_topology_there_is_no_prediction_beyond_the_clock)
{
    struct logp_invocation c = {.args.n_bytes = 8, .model.params = {.L_ns = LOGP_PARAM_MAX_NS}};
    struct logp_topology *t;
    const struct logp_algorithm *chain = logp_algorithm_find("broadcast", "chain");

    cr_assert_eq(logp_topology_create("line", 4096, &t), 0);
    c.model.topology = t;
    cr_expect_eq(test_predict(chain, 4096, &c).certainty, LOGP_PREDICTION_NONE);
    c.model.params.L_ns /= 2; /* the clock ends at INT64_MAX / 8 */
    cr_expect_eq(test_predict(chain, 4096, &c).certainty, LOGP_PREDICTION_NONE);
    c.model.params.L_ns /= 2;
    cr_expect_eq(test_predict(chain, 4096, &c).certainty, LOGP_PREDICTION_EXACT);
    cr_expect_eq(test_predict(chain, 4096, &c).ns, 4095 * (LOGP_PARAM_MAX_NS / 4));
    logp_topology_destroy(t);
}

/* By their formulas others are as fast, but these are lower bounds only: all are folded. */
Test(links, auto_prefers_what_is_certain)
{
    struct logp_invocation c = {.args.n_bytes = 8, .model.params = test_params(6, 2, 4)};
    struct logp_topology *t;

    cr_assert_eq(logp_topology_create("line", 16, &t), 0);
    c.model.topology = t;
    cr_expect_str_eq(test_best("broadcast", 16, &c)->name, "knomial");
    cr_expect_eq(test_predict(test_best("broadcast", 16, &c), 16, &c).ns, 104);
    cr_expect_eq(test_predict(test_best("alltoall", 16, &c), 16, &c).certainty,
                 LOGP_PREDICTION_EXACT);
    logp_topology_destroy(t);
}
