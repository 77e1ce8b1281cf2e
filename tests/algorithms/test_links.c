/* SPDX-License-Identifier: MIT */
/* What topologies do to trees: the load that collectives put on links, and which predictions there are. */
#include "support.h"

/* ---- loads ---- */

static void loads_are(const char *collective, const char *name, const char *spec, int P, int root,
                      const int *expected, int n)
{
    TEST_TOPOLOGY t = test_topology(spec, P);
    struct logp_invocation c = {.args.root = root,
                                .args.n_bytes = 8,
                                .args.count = 1,
                                .args.op = logp_op_find("sum", "double"),
                                .model.topology = t};
    struct logp_link_load load;
    int64_t hops = 0, in_all = 0;

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

static struct logp_prediction on_ring(const char *collective, const char *name, int64_t P, int ring)
{
    TEST_TOPOLOGY t = test_topology("ring", ring);
    struct logp_invocation c = {.args.n_bytes = 8,
                                .args.count = 1,
                                .args.op = logp_op_find("sum", "double"),
                                .model.params = test_params(6, 2, 4),
                                .model.topology = t};
    struct logp_prediction p;

    p = test_predict(logp_algorithm_find(collective, name), P, &c);
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
    TEST_TOPOLOGY t = test_topology("line", 4096);
    struct logp_invocation c = {
        .args.n_bytes = 8, .model.params = {.L_ns = LOGP_PARAM_MAX_NS}, .model.topology = t};
    const struct logp_algorithm *chain = logp_algorithm_find("broadcast", "chain");

    cr_expect_eq(test_predict(chain, 4096, &c).certainty, LOGP_PREDICTION_NONE);
    c.model.params.L_ns /= 2; /* the clock ends at INT64_MAX / 8 */
    cr_expect_eq(test_predict(chain, 4096, &c).certainty, LOGP_PREDICTION_NONE);
    c.model.params.L_ns /= 2;
    cr_expect_eq(test_predict(chain, 4096, &c).certainty, LOGP_PREDICTION_EXACT);
    cr_expect_eq(test_predict(chain, 4096, &c).ns, 4095 * (LOGP_PARAM_MAX_NS / 4));
}

/* By their formulas others are as fast, but these are lower bounds only: all are folded. */
Test(links, auto_prefers_what_is_certain)
{
    TEST_TOPOLOGY t = test_topology("line", 16);
    struct logp_invocation c = {
        .args.n_bytes = 8, .model.params = test_params(6, 2, 4), .model.topology = t};

    cr_expect_str_eq(test_best("broadcast", 16, &c)->name, "knomial");
    cr_expect_eq(test_predict(test_best("broadcast", 16, &c), 16, &c).ns, 104);
    cr_expect_eq(test_predict(test_best("alltoall", 16, &c), 16, &c).certainty,
                 LOGP_PREDICTION_EXACT);
}
