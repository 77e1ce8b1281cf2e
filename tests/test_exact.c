/* SPDX-License-Identifier: MIT */
/*
 * Every algorithm of the table, on a grid of processors, parameters and roots: the virtual clock
 * equals the prediction to the nanosecond, and every payload is right.
 */
#include "support.h"

struct set {
    int64_t L, o_send, o_recv, g, G_ps;
    bool shared;
};

/* o = 0, g = 0, L = 0, g < o, g > L + 2o, o_send != o_recv, G > 0, shared gaps, all zero. */
static const struct set sets[] = {
    {6, 2, 2, 4, 0, false},
    {6, 2, 2, 4, 0, true},
    {5, 2, 2, 4, 0, false},
    {10, 5, 5, 2, 0, false},
    {3, 0, 0, 1, 0, false},
    {1, 0, 0, 9, 0, false},
    {0, 0, 0, 0, 0, false},
    {0, 0, 0, 7, 0, false},
    {0, 3, 3, 0, 0, false},
    {9, 0, 0, 0, 0, false},
    {0, 2, 2, 5, 0, false},
    {1, 1, 1, 1, 0, false},
    {0, 1, 1, 40, 0, false},
    {2, 3, 3, 100, 0, false},
    {7, 5, 5, 1, 0, false},
    {1000, 1, 1, 1, 0, false},
    {1, 1000, 1000, 1, 0, false},
    {1, 1, 1, 1000, 0, false},
    {60000, 20000, 20000, 40000, 0, false},
    {6, 4, 1, 3, 0, false},
    {6, 1, 4, 3, 0, false},
    {0, 0, 5, 0, 0, false},
    {0, 5, 0, 0, 0, false},
    {3, 7, 2, 5, 0, false},
    {3, 2, 7, 5, 0, false},
    {6, 2, 2, 4, 3000, false},
    {6, 2, 2, 4, 1, false},
    {0, 0, 0, 0, 1500, false},
    {5, 1, 3, 0, 777, false},
    {13, 4, 4, 4, 250, false},
    {6, 4, 1, 3, 0, true},
    {6, 1, 4, 3, 0, true},
    {1, 0, 0, 9, 0, true},
    {0, 3, 3, 1, 0, true},
    {2, 5, 5, 2, 0, true},
    {6, 2, 2, 4, 3000, true},
    {17, 3, 3, 11, 0, false},
    {23, 8, 5, 2, 123, false},
    {4, 4, 4, 4, 0, true},
    {100, 7, 7, 31, 0, false},
    {2, 9, 9, 29, 999, false},
    {0, 0, 0, 3, 2000, true},
};

static struct logp_params params_of(const struct set *s)
{
    return (struct logp_params){.L_ns = s->L,
                                .o_send_ns = s->o_send,
                                .o_recv_ns = s->o_recv,
                                .g_ns = s->g,
                                .G_ps = s->G_ps,
                                .gap_shared = s->shared};
}

/* n^2 messages: many processors are for the collective's own suite. */
static bool too_many(const struct logp_algorithm *a, int P)
{
    return strcmp(a->collective, "transpose") == 0 && P > 20;
}

/* In how many messages an item or a vector travels. */
static uint64_t blocks_of(const struct logp_algorithm *a, int P, const struct logp_invocation *c)
{
    const bool vector = logp_collective_find(a->collective)->operands == LOGP_OPERANDS_VECTOR;
    const uint64_t bytes =
        vector ? (uint64_t)c->args.count * c->args.op->element_bytes : c->args.n_bytes;
    const uint64_t block =
        test_has_knob(a, "block") ? (uint64_t)test_knob(a, "block", P, c) : bytes;

    return block > 0 ? (bytes + block - 1) / block : 1;
}

/* Do its messages go along the edges of one tree? */
static bool is_one_tree(const struct logp_algorithm *a)
{
    return a->along == LOGP_FROM_ROOT ||
           (logp_collective_find(a->collective)->rooted && test_has_knob(a, "block") &&
            strcmp(a->name, "two-tree") != 0 && strcmp(a->name, "split-binary") != 0);
}

/* Operands in all, or elements of a vector on each processor. */
static int64_t count_of(const struct logp_algorithm *a, int P)
{
    return logp_collective_find(a->collective)->operands == LOGP_OPERANDS_TOTAL ? 10 * P : 7;
}

static void check(struct logp_machine *m, const struct logp_algorithm *a, int root, int P,
                  const struct logp_params *params, size_t n_bytes)
{
    const struct logp_network network = {.params = *params};
    const struct logp_experiment x = {
        .size = sizeof(x),
        .algorithm = a,
        .args = {.root = root,
                 .n_bytes = n_bytes,
                 .op = logp_op_find("sum", "double"),
                 .count = count_of(a, P),
                 .rows = P,
                 .cols = P},
        .reps = 1,
        .timeout_ns = test_timeout_ns,
    };
    struct logp_record r;

    if (too_many(a, P))
        return;
    if (logp_algorithm_needs(a, P, &x.args, &network) != NULL) {
        cr_assert_eq(logp_experiment_run(m, &x, &r), -ENOTSUP);
        return;
    }
    cr_assert_eq(logp_experiment_run(m, &x, &r), 0);
    cr_assert(r.verified, "%s %s P %d root %d", a->collective, a->name, P, root);
    if (r.prediction.certainty == LOGP_PREDICTION_NONE) {
        /* only broadcasts have a formula for the shared gap */
        cr_assert(params->gap_shared && strcmp(a->collective, "broadcast") != 0);
        return;
    }
    if (r.prediction.certainty == LOGP_PREDICTION_BOUND) {
        cr_assert_leq(r.emulated.median_ns, r.prediction.ns);
        return;
    }
    cr_assert_eq(r.prediction.certainty, LOGP_PREDICTION_EXACT);
    cr_assert_eq(
        r.emulated.median_ns, r.prediction.ns,
        "%s %s P %d root %d L %ld o %ld %ld g %ld G %ld %zu bytes: virtual %ld predicted %ld",
        a->collective, a->name, P, root, (long)params->L_ns, (long)params->o_send_ns,
        (long)params->o_recv_ns, (long)params->g_ns, (long)params->G_ps, n_bytes,
        (long)r.emulated.median_ns, (long)r.prediction.ns);
    if (is_one_tree(a))
        cr_assert_eq(
            r.messages,
            ((uint64_t)P - 1) *
                blocks_of(a, P, &(struct logp_invocation){.args = x.args, .model = network}));
}

/* Of the sets of parameters fewer where each takes longer: all go through the same decisions. */
static size_t set_step(void)
{
    const char *executor = test_executor();
    const bool threads = executor == NULL || strcmp(executor, "thread") == 0;

    return TEST_SCALE > 1 ? 5 : threads ? 4 : test_shares_stack() ? 2 : 1;
}

static void check_grid(int P, const char *executor, const char *delay_name)
{
    struct logp_config config = {.size = sizeof(config),
                                 .n_processors = P,
                                 .delay = logp_delay_none(),
                                 .clock = LOGP_CLOCK_VIRTUAL,
                                 .executor = executor,
                                 .stacks = test_stacks(),
                                 .parallel = test_parallel()};
    struct logp_machine *m;
    size_t n;
    const struct logp_algorithm *const *a = test_rows(&n);
    const int roots[] = {0, P / 3, P - 1};

    cr_assert_eq(logp_machine_create(&config, &m), 0);
    for (size_t i = 0; i < sizeof(sets) / sizeof(sets[0]); i += set_step()) {
        struct logp_params params = params_of(&sets[i]);
        struct logp_delay delay;

        if (logp_machine_cores(m) > 1 && params.L_ns + params.o_send_ns == 0)
            continue; /* without a lookahead it does not run */
        cr_assert_eq(logp_delay_params(delay_name, &params, &params), 0);
        if (params.store_forward && params.G_ps == 0) /* the same as loggp */
            continue;
        cr_assert_eq(logp_delay_create(delay_name, &params, &delay), 0);
        cr_assert_eq(logp_machine_set_delay(m, delay, 0), 0);
        for (size_t k = 0; k < n; k++) {
            const bool rooted = logp_collective_find(a[k]->collective)->rooted;

            check(m, a[k], rooted ? roots[((size_t)P + i) % 3] : 0, P, &params,
                  sets[i].G_ps > 0 ? 37 : 8);
        }
    }
    cr_assert_eq(logp_machine_destroy(m), 0);
}

/* All up to 33 and some beyond. Threads take the same times, slowly: for them fewer of the many. */
static int next_size(int P)
{
    const char *executor = test_executor();
    const bool threads = executor == NULL || strcmp(executor, "thread") == 0;

    if (TEST_SCALE > 1)
        return P + 9;
    return P + (threads && P >= 9 ? 11 : P < 34 ? 1 : 5);
}

Test(exact, virtual_time_equals_the_prediction)
{
    for (int P = 1; P <= 64; P = next_size(P))
        check_grid(P, test_executor(), "loggp");
}

Test(exact, virtual_time_equals_the_prediction_under_store_and_forward)
{
    for (int P = 1; P <= 64; P = next_size(next_size(next_size(P))))
        check_grid(P, test_executor(), "store-forward");
}

static int64_t predicted_of(const char *collective, const char *name, int64_t P,
                            const struct logp_params *params)
{
    const struct logp_invocation c = {.args.n_bytes = 1, .model.params = *params};

    return test_predict(logp_algorithm_find(collective, name), P, &c).ns;
}

static int64_t predicted(const char *name, int64_t P, const struct logp_params *params)
{
    return predicted_of("broadcast", name, P, params);
}

Test(exact, predictions_have_the_golden_values)
{
    const struct logp_params params = test_params(6, 2, 4);
    static const int64_t P_barrier[] = {2, 5, 8, 9}, barrier[] = {10, 30, 30, 40};

    for (int i = 0; i < 4; i++)
        cr_expect_eq(predicted_of("barrier", "dissemination", P_barrier[i], &params), barrier[i]);
    cr_expect_eq(predicted_of("alltoall", "linear", 8, &params), 52); /* as the eager ring */
    cr_expect_eq(predicted("flat", 8, &params), 34);
    cr_expect_eq(predicted("chain", 8, &params), 70);
    cr_expect_eq(predicted("optimal", 8, &params), 24);
    cr_expect_eq(predicted("optimal", 100, &params), 50);
}

/* Vectors are of one double. */
static int64_t time_of(const char *collective, const char *name, int64_t P,
                       struct logp_params params, size_t n_bytes)
{
    const struct logp_invocation c = {
        .args = {.n_bytes = n_bytes, .count = 1, .op = logp_op_find("sum", "double")},
        .model = {.params = params}};

    return test_predict(logp_algorithm_find(collective, name), P, &c).ns;
}

static int64_t census(const char *collective, int64_t P, struct logp_params params, size_t n_bytes)
{
    return time_of(collective, "census", P, params, n_bytes);
}

Test(exact, symmetric_schedules_have_the_golden_times)
{
    static const struct {
        int64_t L, o, g, ns[4]; /* P = 8, 16, 32, 64 */
    } barriers[] = {
        {6, 2, 4, {24, 34, 40, 48}}, {20, 1, 4, {44, 54, 64, 76}}, {10, 1, 1, {18, 26, 30, 36}}};
    struct logp_params params;

    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 4; k++) {
            params = test_params(barriers[i].L, barriers[i].o, barriers[i].g);
            cr_expect_eq(predicted_of("barrier", "census", 8 << k, &params), barriers[i].ns[k]);
        }
    params = test_params(10, 1, 1);
    cr_expect_eq(census("scan", 8, params, 0), 18);
    cr_expect_eq(census("scan", 64, params, 0), 36);
    cr_expect_eq(census("allreduce", 13, test_params(6, 2, 4), 0), 30);
    params = test_params(20, 1, 4);
    params.gamma_ps = 1000;
    cr_expect_eq(census("scan", 16, params, 0), 55);
    cr_expect_eq(census("allreduce", 13, params, 0), 54);
    params = test_params(6000, 2000, 4000);
    params.G_ps = 10000;
    cr_expect_eq(census("allgather", 13, params, 8), 30610);
    cr_expect_eq(census("allgather", 13, params, 512), 87390);
    cr_expect_eq(census("reduce-scatter", 64, params, 8), 52260);
    for (int64_t P = 2; P < 40; P++) /* backwards, where combining takes no time */
        cr_expect_eq(census("reduce-scatter", P, params, 8), census("allgather", P, params, 8));
    params.gamma_ps = 5000;
    cr_expect_eq(census("reduce-scatter", 64, params, 8), 52395);
}

Test(exact, the_best_trees_of_scatter_and_gather_have_the_golden_times)
{
    struct logp_params params = test_params(100000, 2000, 4000);

    params.G_ps = 10000;
    for (int i = 0; i < 2; i++) {
        const char *collective = i == 0 ? "scatter" : "gather";

        cr_expect_eq(time_of(collective, "optimal", 64, params, 8), 237830);
        cr_expect_eq(time_of(collective, "optimal", 64, params, 100), 274920);
    }
}

Test(exact, auto_takes_the_best_prediction_and_the_first_of_equals)
{
    struct logp_invocation c = {.args.n_bytes = 1, .model.params = test_params(6, 2, 4)};

    cr_expect_str_eq(test_best("broadcast", 8, &c)->name, "optimal");
    cr_expect_str_eq(test_best("broadcast", 2, &c)->name, "flat");
    cr_expect_null(test_best("nonsense", 2, &c));
}

Test(exact, no_formula_knows_a_capacity_and_there_is_no_prediction_beyond_the_clock)
{
    struct logp_invocation c = {.args.n_bytes = 1, .model.params = test_params(6, 2, 4)};
    const struct logp_algorithm *flat = logp_algorithm_find("broadcast", "flat");

    c.model.params.capacity = 1;
    cr_expect_eq(test_predict_by(flat, 8, &c, LOGP_BY_FORMULA).certainty, LOGP_PREDICTION_NONE);
    cr_expect_eq(test_predict(flat, 8, &c).by, LOGP_BY_SCHEDULE);
    cr_expect_eq(test_predict(flat, 8, &c).ns, 6 * 6 + 10); /* L apart: the wire holds one */
    cr_expect_eq(test_predict(flat, 1 << 17, &c).certainty, LOGP_PREDICTION_NONE);
    c.model.params.capacity = 0;
    c.model.params.g_ns = 1000000;
    cr_expect_eq(test_predict(flat, INT64_C(1) << 60, &c).certainty, LOGP_PREDICTION_NONE);
}

/* Everyone comes at another time; nobody leaves before the last has come. */
static int staggered(struct logp_vp *vp, void *arg)
{
    int64_t *came = arg;
    const int me = logp_vp_rank(vp), P = logp_vp_size(vp);
    int rc = 0;

    for (int round = 0; rc == 0 && round < 5; round++) {
        rc = logp_compute(vp, (me * 7919 + round * 104729) % 5000, NULL, NULL);
        came[round * P + me] = logp_now(vp);
        if (rc == 0)
            rc = logp_barrier(vp);
        for (int i = 0; rc == 0 && i < P; i++)
            cr_assert_geq(logp_now(vp), came[round * P + i]);
    }
    return rc;
}

Test(exact, a_barrier_holds_everyone_back)
{
    const struct logp_params params = test_params(600, 200, 400);

    for (int P = 1; P <= 33; P += 4) {
        int64_t *came = calloc((size_t)P * 5, sizeof(*came));

        test_run(test_machine(P, LOGP_CLOCK_VIRTUAL, &params), staggered, came);
        free(came);
    }
}
