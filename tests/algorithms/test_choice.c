/* SPDX-License-Identifier: MIT */
/*
 * The calls of a program, logp_broadcast() and so on: each takes what the best algorithm is
 * predicted to take. Planning and predicting at their edges.
 */
#include "calls.h"

#include <pthread.h>
#include <logp/paper.h>

enum { MOST_P = 16 };

struct call {
    const char *collective;
    struct logp_invocation call; /* what it stands for */
    int64_t ends[MOST_P];
};

static int call(struct logp_vp *vp, void *arg)
{
    struct call *x = arg;
    const int me = logp_vp_rank(vp), P = logp_vp_size(vp);
    const size_t most = 1 + (size_t)((x->call.args.rows + P) * (x->call.args.cols + P)) +
                        (size_t)P * x->call.args.n_bytes + (size_t)x->call.args.count * 8;
    char *in = calloc(most, 1), *out = calloc(most, 1);
    const int rc = test_call(vp, x->collective, &x->call.args, in, out, NULL);

    x->ends[me] = logp_now(vp);
    free(in);
    free(out);
    return rc;
}

static struct call random_call(uint64_t *random, const char *collective, int P)
{
    struct call x = {.collective = collective,
                     .call.args = {.root = (int)test_below(random, P),
                                   .rows = P * (1 + test_below(random, 3)),
                                   .cols = P * (1 + test_below(random, 3)),
                                   .n_bytes = (size_t)(1 + test_below(random, 20)),
                                   .count = 1 + test_below(random, 20),
                                   .op = logp_op_find("sum", "double")}};
    struct logp_params *p = &x.call.model.params;

    if (strcmp(collective, "transpose") == 0)
        x.call.args.n_bytes = 1;
    *p = test_params(test_below(random, 90), 1 + test_below(random, 9), test_below(random, 30));
    p->G_ps = test_below(random, 3) * test_below(random, 2000);
    p->gamma_ps = 1000 * test_below(random, 4);
    p->gap_shared = test_below(random, 3) == 0;
    if (test_below(random, 3) == 0)
        p->o_recv_ns = test_below(random, 9);
    if (test_below(random, 6) == 0)
        p->capacity = LOGP_CAPACITY_RULE;
    return x;
}

/* The row that is predicted to take the least, and what it takes. */
static struct logp_prediction best_row(const struct call *x, int P, const char **name)
{
    struct logp_prediction best = {.certainty = LOGP_PREDICTION_NONE};
    const struct logp_algorithm *a;

    for (size_t i = 0; (a = logp_algorithm_at(x->collective, i)) != NULL; i++) {
        const struct logp_prediction p = test_predict(a, P, &x->call);

        if ((p.certainty == LOGP_PREDICTION_EXACT || p.certainty == LOGP_PREDICTION_BOUND) &&
            (best.certainty == LOGP_PREDICTION_NONE || p.ns < best.ns)) {
            best = p;
            *name = a->name;
        }
    }
    return best;
}

static void check_call(struct logp_machine *m, struct call *x)
{
    const int P = logp_machine_size(m);
    const char *name = "none";
    const struct logp_prediction p = best_row(x, P, &name);
    int64_t last = 0;

    test_set_params(m, &x->call.model.params);
    cr_assert_eq(logp_machine_run(m, call, x, test_timeout_ns), 0);
    for (int i = 0; i < P; i++)
        last = x->ends[i] > last ? x->ends[i] : last;
    cr_assert_neq(p.certainty, LOGP_PREDICTION_NONE);
    cr_assert(p.certainty == LOGP_PREDICTION_EXACT ? last == p.ns : last <= p.ns,
              "%s, P = %d: %ld, not %ld (%s)", x->collective, P, (long)last, (long)p.ns, name);
}

Test(choice, take_what_the_best_algorithm_does)
{
    static const char *const collectives[] = {"broadcast", "reduce", "alltoall", "barrier",
                                              "transpose"};
    static const int sizes[] = {1, 2, 5, 8, 9, 16};
    uint64_t random = 4711;

    cr_log_info("seed %llu", (unsigned long long)random);
    for (int k = 0; k < 6; k++) {
        TEST_MACHINE m = test_machine(sizes[k], LOGP_CLOCK_VIRTUAL, NULL);

        for (int i = 0; i < 200 / TEST_SCALE + 5; i++) {
            struct call x = random_call(&random, collectives[i % 5], sizes[k]);

            check_call(m, &x);
        }
    }
}

/* ---- a network of unlike links ---- */

enum { FAR_P = 12 };

static const char *const of_far[] = {"broadcast", "reduce",    "allreduce", "scan",
                                     "gather",    "allgather", "alltoall",  "barrier"};

/* The same call by the processors themselves, by a group of all, and by one of half of them. */
static int call_in_groups(struct logp_vp *vp, void *arg)
{
    struct call *x = arg;
    const struct logp_args of_all = x->call.args;
    struct logp_vp *group = NULL;
    int rc = call(vp, x);

    if (rc == 0)
        rc = logp_group_dup(vp, &group);
    if (rc == 0)
        rc = logp_barrier(group);
    if (rc == 0)
        rc = call(group, x);
    logp_group_destroy(group);
    if (rc == 0 && of_all.root < FAR_P / 2)
        rc = logp_group_split(vp, logp_vp_rank(vp) % 2, 0, &group);
    if (rc == 0 && of_all.root < FAR_P / 2) {
        rc = call(group, &(struct call){.collective = x->collective, .call = x->call});
        logp_group_destroy(group);
    }
    return rc;
}

static void check_far_call(const struct logp_network *network, struct call *x)
{
    const struct logp_config config = {.size = sizeof(config),
                                       .n_processors = FAR_P,
                                       .clock = LOGP_CLOCK_VIRTUAL,
                                       .executor = test_executor(),
                                       .network = network};
    TEST_MACHINE m = NULL;
    struct logp_choice best;
    struct logp_prediction p;
    int64_t last = 0;

    cr_assert_eq(logp_machine_create(&config, &m), 0);
    x->call.model = *network;
    cr_assert_eq(logp_algorithm_choose(x->collective, FAR_P, &x->call.args, network, &best), 0);
    p = logp_algorithm_predict(best.algorithm, FAR_P, &x->call.args, network);
    cr_assert_eq(p.certainty, LOGP_PREDICTION_EXACT);
    cr_assert_eq(logp_machine_run(m, call, x, test_timeout_ns), 0);
    for (int i = 0; i < FAR_P; i++)
        last = x->ends[i] > last ? x->ends[i] : last;
    cr_assert_eq(last, p.ns, "%s: %ld, not %ld (%s)", x->collective, (long)last, (long)p.ns,
                 best.algorithm->name);
    cr_assert_eq(logp_machine_run(m, call_in_groups, x, test_timeout_ns), 0);
}

Test(choice, also_on_nodes_and_topologies_and_with_several_ports)
{
    const struct logp_link_costs between = {900, 50, 60, 80, 700};
    struct logp_network network[3] = {{.unit_ns = 1}, {.unit_ns = 1}, {.unit_ns = 1, .ports = 3}};
    struct logp_topology *torus;
    struct logp_links *links;
    uint64_t random = 815;

    cr_assert_eq(logp_links_create(FAR_P, &links), 0);
    cr_assert_eq(logp_links_nodes(links, 4, &between), 0);
    cr_assert_eq(logp_topology_create("torus:3x4", FAR_P, &torus), 0);
    network[0].links = links;
    network[1].topology = torus;
    for (int i = 0; i < 240 / TEST_SCALE; i++) {
        struct call x = random_call(&random, of_far[i % 8], FAR_P);
        struct logp_network *n = &network[i / 8 % 3];

        n->params = x.call.model.params;
        n->params.capacity = 0;
        check_far_call(n, &x);
    }
    logp_links_destroy(links);
    logp_topology_destroy(torus);
}

/* More questions than answers are kept of, and each of them again. */
Test(choice, however_many_different_calls_there_are)
{
    enum { CALLS = 6000 / TEST_SCALE };
    TEST_MACHINE m = test_machine(3, LOGP_CLOCK_VIRTUAL, NULL);

    for (int again = 0; again < 2; again++) {
        uint64_t random = 99;

        for (int i = 0; i < CALLS; i++) {
            struct call x = random_call(&random, i % 2 == 0 ? "broadcast" : "reduce", 3);

            check_call(m, &x);
        }
    }
}

/* Several machines ask the same at the same time. */
static void *ask(void *arg)
{
    TEST_MACHINE m = test_machine(5, LOGP_CLOCK_VIRTUAL, NULL);
    uint64_t random = 4812;

    for (int i = 0; i < 300 / TEST_SCALE + 5; i++) {
        struct call x = random_call(&random, i % 2 == 0 ? "alltoall" : "broadcast", 5);

        check_call(m, &x);
    }
    return NULL;
}

Test(choice, and_whoever_asks_at_the_same_time)
{
    pthread_t threads[4];

    for (int i = 0; i < 4; i++)
        cr_assert_eq(pthread_create(&threads[i], NULL, ask, NULL), 0);
    for (int i = 0; i < 4; i++)
        cr_assert_eq(pthread_join(threads[i], NULL), 0);
}

Test(choice, a_plan_is_for_a_rank_and_a_root_that_are_there)
{
    const struct logp_algorithm *flat = logp_algorithm_find("broadcast", "flat");
    struct logp_invocation c = {.args.n_bytes = 8};

    cr_expect_eq(test_plan(flat, 4, -1, &c), -EINVAL);
    cr_expect_eq(test_plan(flat, 4, 4, &c), -EINVAL);
    cr_assert_eq(test_plan(flat, 4, 3, &c), 0);
    cr_expect_eq(c.plan.parent, 0);
    test_unplan(&c);
    logp_plan_destroy(NULL);
    c.args.root = 3;
    cr_assert_eq(test_plan(flat, 4, 3, &c), 0);
    cr_expect_eq(c.plan.n_children, 3);
    test_unplan(&c);
    c.args.root = 4;
    cr_expect_eq(test_plan(flat, 4, 0, &c), -EINVAL);
    c.args.root = -1;
    cr_expect_eq(test_plan(flat, 4, 0, &c), -EINVAL);
}

Test(choice, predictions_are_for_1_to_2_to_the_61_processors)
{
    const struct logp_invocation c = {.args.n_bytes = 8, .model.params = test_params(6, 2, 4)};
    const struct logp_algorithm *binomial = logp_algorithm_find("broadcast", "binomial");

    cr_expect_eq(test_predict(binomial, 0, &c).certainty, LOGP_PREDICTION_NONE);
    cr_expect_eq(test_predict(binomial, -1, &c).certainty, LOGP_PREDICTION_NONE);
    cr_expect_eq(test_predict(binomial, 1, &c).ns, 0);
    cr_expect_eq(test_predict(binomial, LOGP_TREE_MAX, &c).ns, 610);
    cr_expect_eq(test_predict(binomial, LOGP_TREE_MAX + 1, &c).certainty, LOGP_PREDICTION_NONE);
}

/* log2 of P rounded up times one message; INT64_MAX is the most. */
Test(choice, the_textbook_counts_every_doubling)
{
    const struct logp_params p = {
        .L_ns = 60, .o_send_ns = 20, .o_recv_ns = 7, .g_ns = 40, .G_ps = 1500};
    const struct logp_params slow = {.L_ns = LOGP_PARAM_MAX_NS,
                                     .o_send_ns = LOGP_PARAM_MAX_NS,
                                     .o_recv_ns = LOGP_PARAM_MAX_NS,
                                     .G_ps = LOGP_PARAM_MAX_NS};
    static const int64_t P[] = {1, 2, 3, 4, 5, 8, 9, INT64_C(1) << 61};
    static const int64_t doublings[] = {0, 1, 2, 2, 3, 3, 4, 61};

    for (int i = 0; i < 8; i++) {
        cr_expect_eq(logp_textbook_cost(P[i], &p, 0), doublings[i] * 87);
        cr_expect_eq(logp_textbook_cost(P[i], &p, 5), doublings[i] * 93);
    }
    cr_expect_eq(logp_textbook_cost(1 << 3, &slow, SIZE_MAX),
                 3 * (3 * LOGP_PARAM_MAX_NS + INT64_MAX / 8));
    cr_expect_eq(logp_textbook_cost(1 << 8, &slow, SIZE_MAX), -1);
}

/* ---- recursive doubling, and what the textbook says of it ---- */

static int64_t exact(const char *collective, const char *name, int64_t P,
                     const struct logp_params *params)
{
    const struct logp_invocation c = {.args.n_bytes = 8,
                                      .args.count = 1,
                                      .args.op = logp_op_find("sum", "double"),
                                      .model.params = *params};
    const struct logp_prediction p = test_predict(logp_algorithm_find(collective, name), P, &c);

    return p.certainty == LOGP_PREDICTION_EXACT ? p.ns : -1;
}

Test(choice, the_textbook_is_right_for_powers_of_two_and_short_gaps)
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
        E = test_max(p.o_send_ns, p.g_ns + logp_params_stream_ns(&p, 8));
        ours = exact("broadcast", "binomial", P, &p);
        textbook = logp_textbook_cost(P, &p, 8);
        if ((P & (P - 1)) == 0 && (E <= D || P == 2)) {
            cr_assert_eq(ours, textbook);
            if (__builtin_ctz((unsigned)P) % 2 == 0)
                cr_assert_eq(exact("broadcast", "mesh", P, &p), textbook);
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

Test(choice, matrix_times_vector_needs_a_square_and_a_type)
{
    struct logp_invocation c = {.args.count = 5,
                                .args.op = logp_op_find("sum", "double"),
                                .model.params = test_params(6, 2, 4)};
    const struct logp_algorithm *a = logp_algorithm_find("matvec", "doubling");

    cr_expect_str_eq(test_needs(a, 8, &c), "a square number of processors");
    c.args.count = 0;
    cr_expect(test_needs(a, 16, &c) != NULL);
    c.args.count = 1;
    c.args.op = &(struct logp_op){.name = "own", .type = "own", .element_bytes = 4};
    cr_expect_str_eq(test_needs(a, 16, &c), "elements of a built-in type");
}
