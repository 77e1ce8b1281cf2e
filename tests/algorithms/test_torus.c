/* SPDX-License-Identifier: MIT */
/*
 * Broadcast on a torus: the routing goes from neighbour to neighbour, no prediction exceeds the
 * paper's bound; presets of machines.
 */
#include "support.h"
#include <logp/paper.h>

static const uint64_t first_seed = UINT64_C(20240611);

static const struct logp_algorithm *torus(bool pipelined)
{
    return logp_algorithm_find("broadcast", pipelined ? "torus-pipelined" : "torus");
}

/* ---- the routing ---- */

static int apart(int n, int a, int b)
{
    const int d = abs(a - b);

    return d < n - d ? d : n - d;
}

/* Follow the plans from the root: parents and children agree, are neighbours, and nobody is met
 * twice. */
static int reached(const struct logp_invocation *plans, int n, int rank)
{
    const struct logp_rank_plan *plan = &plans[rank].plan;
    int all = 1;

    for (int k = 0; k < plan->n_children; k++) {
        const int child = plan->children[k];

        cr_assert_eq(plans[child].plan.parent, rank);
        cr_assert_eq(apart(n, rank / n, child / n) + apart(n, rank % n, child % n), 1);
        all += reached(plans, n, child);
    }
    return all;
}

static void check_routing(int n, int root)
{
    const int P = n * n;
    struct logp_invocation *plans = calloc((size_t)P, sizeof(*plans));

    for (int rank = 0; rank < P; rank++) {
        plans[rank].args.root = root;
        cr_assert_eq(test_plan(torus(false), P, rank, &plans[rank]), 0);
    }
    cr_assert_eq(plans[root].plan.parent, -1);
    cr_assert_eq(plans[root].plan.n_children, n > 2 ? 4 : 2);
    cr_assert_eq(reached(plans, n, root), P, "n %d root %d", n, root);
    for (int rank = 0; rank < P; rank++)
        test_unplan(&plans[rank]);
    free(plans);
}

Test(torus, everyone_has_one_parent_next_to_it_from_any_root)
{
    for (int n = 2; n <= 12; n++)
        for (int root = 0; root < n * n; root++)
            check_routing(n, root);
}

Test(torus, only_a_square_of_processors_is_a_torus)
{
    struct logp_invocation c = {.args.n_bytes = 8, .model.params = test_params(6, 2, 4)};
    const int64_t most = INT64_C(1518500249); /* its square is just below 2^61 */

    for (int pipelined = 0; pipelined < 2; pipelined++) {
        for (int P = 1; P < 50; P++)
            cr_expect_eq(test_needs(torus(pipelined), P, &c) == NULL,
                         P == 4 || P == 9 || P == 16 || P == 25 || P == 36 || P == 49);
        cr_expect_null(test_needs(torus(pipelined), most * most, &c));
        cr_expect_eq(test_predict(torus(pipelined), most * most, &c).certainty,
                     LOGP_PREDICTION_EXACT);
        cr_expect_eq(test_predict(torus(pipelined), most * most - 1, &c).certainty,
                     LOGP_PREDICTION_NONE);
        cr_expect_eq(test_plan(torus(pipelined), 8, 0, &c), -ENOTSUP);
        cr_expect_eq(test_plan(torus(pipelined), 9, 9, &c), -EINVAL);
    }
}

/* Small numbers meet often: o = 0, g = 0, g < o, g > 2o + L, and all the others. */
static struct logp_params random_params(uint64_t *random)
{
    static const int64_t most[] = {1, 2, 10, 100, 1000};
    const int64_t scale = most[test_below(random, 5)];
    struct logp_params p = {.L_ns = test_below(random, 2 * scale),
                            .o_send_ns = test_below(random, scale),
                            .g_ns = test_below(random, 3 * scale),
                            .G_ps = test_below(random, 3) * test_below(random, 20 * scale),
                            .gap_shared = test_below(random, 4) == 0};

    logp_delay_params(test_below(random, 2) == 0 ? "store-forward" : "loggp", &p, &p);
    p.o_recv_ns = test_below(random, 2) == 0 ? p.o_send_ns : test_below(random, scale);
    return p;
}

static struct logp_invocation random_invocation(uint64_t *random, int P)
{
    struct logp_invocation c = {.args.root = (int)test_below(random, P),
                                .args.n_bytes = (size_t)test_below(random, 200),
                                .args.work_ns = test_below(random, 3) * test_below(random, 2000),
                                .args.no_overlap = test_below(random, 2) == 0,
                                .model.params = random_params(random)};

    c.args.block_bytes =
        test_below(random, 3) > 0 ? 1 + (int64_t)c.args.n_bytes / (1 + test_below(random, 12)) : 0;
    return c;
}

/* ---- the paper's formulas ---- */

/* Formulas are for equal overheads, and separate gaps. */
static struct logp_invocation paper_invocation(uint64_t *random)
{
    struct logp_invocation c = random_invocation(random, 1);

    c.model.params.gap_shared = false;
    logp_delay_params("store-forward", &c.model.params, &c.model.params);
    c.model.params.o_recv_ns = c.model.params.o_send_ns;
    c.args.n_bytes = (size_t)(1 + test_below(random, 300));
    c.args.block_bytes = 1 + test_below(random, (int64_t)c.args.n_bytes);
    return c;
}

/* Equation (6) in ns and bytes, D and w of a whole block. */
static int64_t equation_6(const struct logp_invocation *c, int64_t n)
{
    const int64_t o = c->model.params.o_send_ns, m = c->args.block_bytes,
                  M = (int64_t)c->args.n_bytes;
    const int64_t D =
        2 * o + c->model.params.L_ns + logp_params_stream_ns(&c->model.params, (size_t)m);
    const int64_t w = (c->args.work_ns * m + M - 1) / M;

    return n * D + ((M + m - 1) / m - 1) * test_max(4 * c->model.params.g_ns, 4 * o + w) + w;
}

Test(torus, equation_6_is_never_exceeded)
{
    uint64_t random = first_seed + 3;

    cr_log_info("seed %llu", (unsigned long long)random);
    for (int i = 0; i < 20000 / TEST_SCALE; i++) {
        struct logp_invocation c = paper_invocation(&random);
        const int64_t n = 4 + 2 * test_below(&random, 20);
        const int64_t hop = 2 * c.model.params.o_send_ns + c.model.params.L_ns +
                            logp_params_stream_ns(&c.model.params, (size_t)c.args.block_bytes);

        c.args.no_overlap = false;
        if (hop < c.model.params.g_ns)
            c.model.params.g_ns = hop;
        cr_assert_leq(test_predict(torus(true), n * n, &c).ns, equation_6(&c, n));
    }
}

/* A torus of the machine itself takes what the formula in cycles says. */
Test(torus, cycles_and_nanoseconds_agree)
{
    const struct logp_preset *machine;

    for (size_t i = 0; (machine = logp_preset_at(i)) != NULL; i++) {
        const struct logp_torus t = {machine, 8, 1024, 1024};
        const struct logp_invocation c = {.args.n_bytes = 128,
                                          .args.work_ns = 1024 * machine->cycle_ns,
                                          .model.params = logp_preset_params(machine)};
        const int64_t cycles = logp_torus_plain(&t);

        if (2 * c.model.params.o_send_ns + c.model.params.L_ns +
                logp_params_stream_ns(&c.model.params, 128) >=
            c.model.params.g_ns)
            cr_assert_eq(test_predict(torus(false), 64, &c).ns, cycles * machine->cycle_ns);
    }
}

/* ---- presets of machines, in the cycles and bits of the paper ---- */

Test(torus, presets_convert_exactly)
{
    static const struct {
        const char *name;
        int64_t L, o, g, G_ps;
    } expected[] = {
        {"ncube2", 1000, 80000, 160000, 200000}, {"cm5", 200, 45000, 90000, 50000},
        {"dash", 60, 450, 1200, 15000},          {"jmachine", 62, 248, 1240, 31000},
        {"monsoon", 40, 100, 200, 10000},
    };
    const struct logp_preset odd = {"odd", "odd", 3, 7, 5, 2, 1};
    const size_t n = sizeof(expected) / sizeof(expected[0]);

    cr_assert(logp_preset_at(n - 1) != NULL && logp_preset_at(n) == NULL);
    for (size_t i = 0; i < n; i++) {
        const struct logp_params p = logp_preset_params(logp_preset_find(expected[i].name));

        cr_expect_eq(p.L_ns, expected[i].L);
        cr_expect_eq(p.o_send_ns, expected[i].o);
        cr_expect_eq(p.o_recv_ns, expected[i].o);
        cr_expect_eq(p.g_ns, expected[i].g);
        cr_expect_eq(p.G_ps, expected[i].G_ps);
        cr_expect(p.store_forward);
    }
    cr_expect_null(logp_preset_find("cray"));
    cr_expect_eq(logp_preset_params(&odd).o_send_ns, 6);
    cr_expect_eq(logp_preset_params(&odd).o_recv_ns, 9);
    cr_expect_eq(logp_preset_params(&odd).G_ps, 3429);
}

static struct logp_torus of_paper(const char *machine, int64_t size)
{
    return (struct logp_torus){logp_preset_find(machine), 16, size, size};
}

Test(torus, the_paper_s_formulas_have_the_golden_values)
{
    const struct logp_torus dash = of_paper("dash", 1024), cm5 = of_paper("cm5", 1024);
    const struct logp_torus small = of_paper("monsoon", 1024), large = of_paper("monsoon", 2048);

    cr_expect_eq(logp_torus_plain(&dash), 2560);
    cr_expect_eq(logp_torus_pipelined(&dash, 248), 2240);
    cr_expect_eq(logp_torus_pipelined(&dash, 256), 1972);
    cr_expect_eq(logp_torus_plain(&small), 2240);
    cr_expect_eq(logp_torus_pipelined(&small, 144), 1628);
    cr_expect_eq(logp_torus_plain(&large), 4288);
    cr_expect_eq(logp_torus_pipelined(&large, 203), 2828);
    cr_expect_eq(logp_torus_block_by_work(&dash), 248);
    cr_expect_eq(logp_torus_block_by_work(&small), 144);
    cr_expect_eq(logp_torus_block_by_work(&large), 203);
    cr_expect_eq(logp_torus_block_by_gap(&dash), 287); /* sqrt(81920) */
    cr_expect(logp_torus_pipelining_helps(&dash));
    cr_expect(logp_torus_pipelining_helps(&small));
    cr_expect(!logp_torus_pipelining_helps(&cm5));
}

Test(torus, the_paper_s_best_block_is_the_best_of_all)
{
    uint64_t random = UINT64_C(20240618);
    size_t n = 0;

    while (logp_preset_at(n) != NULL)
        n++;
    cr_log_info("seed %llu", (unsigned long long)random);
    for (int i = 0; i < 500 / TEST_SCALE; i++) {
        const struct logp_torus t = {
            logp_preset_at(test_random(&random) % n), 2 + (int64_t)(test_random(&random) % 40),
            1 + (int64_t)(test_random(&random) % 4000), (int64_t)(test_random(&random) % 4000)};
        int64_t least = INT64_MAX;

        for (int64_t m = 1; m <= t.M; m++)
            least = least < logp_torus_pipelined(&t, m) ? least : logp_torus_pipelined(&t, m);
        cr_assert_eq(logp_torus_pipelined(&t, logp_torus_best_block(&t)), least);
    }
}
