/* SPDX-License-Identifier: MIT */
/*
 * What goes in blocks or in segments, or in halves: along chains and trees, along two trees, or cut
 * and gathered. Results are right for any root and size; the block that is chosen is the best; and
 * the schedules are what they are said to be.
 */
#include "maps.h"
#include "support.h"

static const struct logp_algorithm *broadcast(const char *name)
{
    return logp_algorithm_find("broadcast", name);
}

static const struct logp_algorithm *reduce(const char *name)
{
    return logp_algorithm_find("reduce", name);
}

static const struct logp_algorithm *scan(int exclusive)
{
    return logp_algorithm_find(exclusive ? "exscan" : "scan", "chain-pipelined");
}

/* ---- results ---- */

static const char *const broadcasts[] = {"chain-pipelined", "binary-pipelined",
                                         "binomial-pipelined", "two-tree", "split-binary"};
static const char *const reductions[] = {"chain-pipelined",    "binary-pipelined",
                                         "binomial-pipelined", "in-order-binary",
                                         "two-tree",           "rabenseifner"};
enum {
    BROADCASTS = sizeof(broadcasts) / sizeof(broadcasts[0]),
    REDUCTIONS = sizeof(reductions) / sizeof(reductions[0])
};

static bool is_right(struct logp_machine *m, int P, const struct logp_algorithm *a,
                     const struct logp_args *args, const struct logp_params *params)
{
    const struct logp_network network = {.params = *params};
    const struct logp_experiment x = test_experiment(a, args, 1, 5);
    struct logp_record r;

    if (logp_algorithm_needs(a, P, args, &network) != NULL)
        return false;
    cr_assert_eq(logp_experiment_run(m, &x, &r), 0);
    cr_assert(r.verified, "%s %s P %d root %d bytes %zu count %ld block %ld", a->collective,
              a->name, P, args->root, args->n_bytes, (long)args->count, (long)args->block_bytes);
    cr_assert(!r.has_emulated || r.prediction.ns == r.emulated.median_ns, "%s %s P %d",
              a->collective, a->name, P);
    return true;
}

/* Sizes around the block, which may be larger than all. */
static void check_all(struct logp_machine *m, int P, int root, const struct logp_params *params)
{
    static const int64_t sizes[] = {0, 1, 2, 7, 61, 200}, blocks[] = {0, 1, 24, 1000};

    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        struct logp_args args = {.root = root,
                                 .n_bytes = (size_t)sizes[i],
                                 .count = sizes[i],
                                 .block_bytes = blocks[(i + (size_t)P) % 4]};

        for (int k = 0; k < BROADCASTS; k++)
            cr_assert(is_right(m, P, broadcast(broadcasts[k]), &args, params));
        for (int k = 0; k < REDUCTIONS; k++) {
            args.op = logp_op_find("sum", "double");
            cr_assert(is_right(m, P, reduce(reductions[k]), &args, params));
            args.op = &maps;
            cr_assert_eq(is_right(m, P, reduce(reductions[k]), &args, params),
                         k == 3 || (root == 0 && k != 1 && k < 4), "%s", reductions[k]);
        }
        args.root = 0;
        for (int k = 0; k < 2; k++) {
            args.op = logp_op_find("sum", "double");
            cr_assert(is_right(m, P, scan(k), &args, params));
            args.op = &maps;
            cr_assert(is_right(m, P, scan(k), &args, params));
        }
    }
}

Test(pipelined, every_item_and_vector_arrives, .timeout = 600)
{
    const struct logp_params params = {.L_ns = 600,
                                       .o_send_ns = 200,
                                       .o_recv_ns = 150,
                                       .g_ns = 400,
                                       .G_ps = 90000,
                                       .gamma_ps = 70000};

    for (int P = 1; P <= 33; P += TEST_SCALE > 1 ? 8 : 1) {
        TEST_MACHINE m = test_machine(P, LOGP_CLOCK_VIRTUAL, &params);

        check_all(m, P, 0, &params);
        check_all(m, P, P / 2, &params);
        check_all(m, P, P - 1, &params);
    }
}

/* ---- the chain ---- */

/* k items: (P-1) d + (k-1) max(g, 2o), for P = 2 d + (k-1) e; backwards the same, the combining
 * belonging to the receipt. */
Test(pipelined, a_chain_takes_one_period_for_each_further_block)
{
    struct logp_invocation c = {
        .args = {.n_bytes = 40, .count = 40, .op = logp_op_find("sum", "int64")},
        .model.params = test_params(6, 2, 4)};

    c.args.block_bytes = 8;
    cr_expect_eq(test_predict(broadcast("chain-pipelined"), 8, &c).ns, 7 * 10 + 4 * 4);
    cr_expect_eq(test_predict(broadcast("chain-pipelined"), 2, &c).ns, 10 + 4 * 4);
    c.model.params = test_params(6, 5, 4);
    cr_expect_eq(test_predict(broadcast("chain-pipelined"), 8, &c).ns, 7 * 16 + 4 * 10);
    cr_expect_eq(test_predict(broadcast("chain-pipelined"), 2, &c).ns, 16 + 4 * 5);
    c.model.params.gamma_ps = 1000;
    c.args.block_bytes = 8 * 8;
    cr_expect_eq(test_predict(reduce("chain-pipelined"), 8, &c).ns, 7 * 24 + 4 * 18);
    cr_expect_eq(test_predict(reduce("chain-pipelined"), 2, &c).ns, 24 + 4 * 13);
    cr_expect_eq(test_predict(scan(false), 8, &c).ns, 7 * 24 + 4 * 18);
    cr_expect_eq(test_predict(scan(false), 2, &c).ns, 24 + 4 * 13);
    cr_expect_eq(test_predict(scan(true), 8, &c).ns, 6 * 24 + 16 + 4 * 18);
    cr_expect_eq(test_predict(scan(true), 2, &c).ns, 16 + 4 * 5); /* nothing is combined */
}

/* The formula of the chain, also with a last segment that is smaller: it is exact. */
Test(pipelined, a_scan_along_the_chain_takes_what_its_schedule_takes)
{
    uint64_t random = 5;

    for (int i = 0; i < 2000 / TEST_SCALE; i++) {
        const int64_t P = 1 + test_below(&random, 12);
        struct logp_invocation c = {.args = {.count = 1 + test_below(&random, 40),
                                             .block_bytes = test_below(&random, 150),
                                             .op = logp_op_find("sum", "int64")},
                                    .model.params = {.L_ns = test_below(&random, 200),
                                                     .o_send_ns = test_below(&random, 60),
                                                     .o_recv_ns = test_below(&random, 60),
                                                     .g_ns = test_below(&random, 90),
                                                     .G_ps = test_below(&random, 900),
                                                     .gamma_ps = test_below(&random, 9000)}};

        for (int k = 0; k < 2; k++) {
            const struct logp_prediction formula = test_predict_by(scan(k), P, &c, LOGP_BY_FORMULA);

            cr_assert_eq(formula.certainty, LOGP_PREDICTION_EXACT);
            cr_assert_eq(formula.ns, test_predict_by(scan(k), P, &c, LOGP_BY_SCHEDULE).ns,
                         "case %d: %s P %ld count %ld block %ld", i, scan(k)->collective, (long)P,
                         (long)c.args.count, (long)c.args.block_bytes);
        }
    }
}

/* 64 KiB at 6, 2, 4, 0.01, gamma 0.005 us; recursive doubling takes 2119 and 4238 us. */
Test(pipelined, long_scans_have_the_golden_times)
{
    struct logp_invocation c = {.args = {.count = 8192, .op = logp_op_find("sum", "double")},
                                .model.params = test_params(6000, 2000, 4000)};

    c.model.params.G_ps = 10000;
    c.model.params.gamma_ps = 5000;
    cr_expect_eq(test_predict(scan(false), 8, &c).ns, 980820);
    cr_expect_eq(test_predict(scan(false), 64, &c).ns, 2112250);
    cr_expect_eq(test_predict(scan(true), 8, &c).ns, 979540);
    cr_expect_eq(test_predict(scan(true), 64, &c).ns, 2111880);
}

/* ---- the best block ---- */

static struct logp_params random_params(uint64_t *random)
{
    return (struct logp_params){.L_ns = test_below(random, 2000),
                                .o_send_ns = test_below(random, 300),
                                .o_recv_ns = test_below(random, 300),
                                .g_ns = test_below(random, 500),
                                .G_ps = test_below(random, 40000),
                                .gamma_ps = test_below(random, 90000)};
}

/* No other block of those that cut it evenly is predicted better. */
static void check_block(const struct logp_algorithm *a, int64_t P, struct logp_invocation *c,
                        int64_t whole, int64_t unit)
{
    const struct logp_prediction best = test_predict_by(a, P, c, LOGP_BY_FORMULA);
    const int64_t chosen = test_knob(a, "block", P, c);

    cr_assert(chosen >= unit && chosen <= whole * unit && chosen % unit == 0);
    for (int64_t n = 1; n <= whole; n++) {
        if (whole % n != 0)
            continue;
        c->args.block_bytes = whole / n * unit;
        cr_assert_geq(test_predict_by(a, P, c, LOGP_BY_FORMULA).ns, best.ns,
                      "%s %s P %ld: block %ld, chosen %ld", a->collective, a->name, (long)P,
                      (long)c->args.block_bytes, (long)chosen);
    }
    c->args.block_bytes = chosen; /* what is chosen is what may be asked for */
    cr_assert_eq(test_predict_by(a, P, c, LOGP_BY_FORMULA).ns, best.ns);
    cr_assert_eq(test_knob(a, "block", P, c), chosen);
    c->args.block_bytes = 0;
}

Test(pipelined, the_block_that_is_chosen_is_the_best)
{
    uint64_t random = 11;

    for (int i = 0; i < 300 / TEST_SCALE + 1; i++) {
        struct logp_invocation c = {.args = {.n_bytes = 720,
                                             .count = 360,
                                             .root = (int)test_below(&random, 40),
                                             .op = logp_op_find("sum", "float")},
                                    .model.params = random_params(&random)};
        const int64_t P = 41 + test_below(&random, 1000);

        for (int k = 0; k < 3; k++)
            check_block(broadcast(broadcasts[k]), P, &c, 720, 1);
        for (int k = 0; k < 4; k++)
            check_block(reduce(reductions[k]), P, &c, 360, 4);
        c.args.root = 0;
        for (int k = 0; k < 2; k++)
            check_block(scan(k), P, &c, 360, 4);
    }
}

/* Long items in many blocks: another one costs a period, which is short. */
Test(pipelined, blocks_pay_where_items_are_long)
{
    struct logp_invocation c = {
        .args = {.n_bytes = 100000, .count = 25000, .op = logp_op_find("sum", "float")},
        .model.params = {.L_ns = 1000,
                         .o_send_ns = 100,
                         .o_recv_ns = 100,
                         .g_ns = 200,
                         .G_ps = 1000,
                         .gamma_ps = 250}};

    for (int P = 31; P <= 100; P += 23) {
        const int64_t whole = test_predict(broadcast("binary"), P, &c).ns;
        const int64_t blocks = test_predict(broadcast("binary-pipelined"), P, &c).ns;
        const int64_t split = test_predict(broadcast("split-binary"), P, &c).ns;
        const int64_t two = test_predict(broadcast("two-tree"), P, &c).ns;

        cr_expect_lt(blocks, whole / 2);
        cr_expect_lt(split, blocks);
        cr_expect_lt(two, split);
        cr_expect_lt(two, blocks * 2 / 3); /* half of it, in the limit */
        cr_expect_lt(test_predict(reduce("two-tree"), P, &c).ns,
                     test_predict(reduce("in-order-binary"), P, &c).ns);
        cr_expect_lt(test_predict(reduce("rabenseifner"), P, &c).ns,
                     test_predict(reduce("binomial"), P, &c).ns);
    }
}

/* ---- two trees ---- */

/* What a rank does with the segments of an item of 2 n bytes, each of one. */
struct traffic {
    int sends[2], receives[2]; /* by half */
    int in_a_row;              /* at most so many sends, or receives, one after the other, when both
                                  are under way */
    int to[4], n_to;           /* whom it sends to */
};

static struct traffic traffic_of(const struct logp_schedule *s, int rank, int n)
{
    struct traffic t = {.n_to = 0};
    struct logp_invocation c;
    struct logp_step step;
    enum logp_step_kind before = LOGP_STEP_COPY;
    int row = 0;

    cr_assert_eq(logp_schedule_begin(s, rank, &c), 0);
    for (int64_t i = 0; s->steps(s->P, rank, &c, i, &step); i++) {
        const int half = step.at.offset >= (size_t)n;
        const int segment = (int)step.at.offset - half * n;
        int k = 0;

        cr_assert(step.n_bytes == 1 && segment < n);
        (step.kind == LOGP_STEP_SEND ? t.sends : t.receives)[half]++;
        row = step.kind == before ? row + 1 : 1;
        before = step.kind;
        if (segment > n / 3 && segment < 2 * n / 3 && row > t.in_a_row)
            t.in_a_row = row;
        while (k < t.n_to && t.to[k] != step.peer)
            k++;
        if (step.kind == LOGP_STEP_SEND && k == t.n_to) {
            cr_assert_lt(k, 2);
            t.to[t.n_to++] = (int)step.peer;
        }
    }
    logp_schedule_end(&c);
    return t;
}

/* All but the root receive each segment once, and pass on those of one half to at most two others;
 * who does so sends and receives in turn. */
Test(pipelined, in_two_trees_each_passes_on_one_half_and_sends_and_receives_in_turn)
{
    const int n = 300;
    const struct logp_args args = {.n_bytes = 600, .block_bytes = 1, .root = 1};
    const struct logp_network model = {.params = test_params(6, 2, 4)};

    for (int P = 3; P <= 70; P++) {
        const struct logp_schedule s = logp_schedule_of(broadcast("two-tree"), P, &args, &model);
        int passing = 0;

        for (int rank = 0; rank < P; rank++) {
            const struct traffic t = traffic_of(&s, rank, n);

            if (rank == args.root) {
                cr_assert(t.sends[0] == n && t.sends[1] == n && t.receives[0] == 0);
                continue;
            }
            cr_assert(t.receives[0] == n && t.receives[1] == n, "P %d rank %d", P, rank);
            cr_assert(t.sends[0] == 0 || t.sends[1] == 0, "P %d rank %d", P, rank);
            cr_assert_eq(t.sends[0] + t.sends[1], t.n_to * n);
            if (t.n_to == 2)
                cr_assert_eq(t.in_a_row, 1, "P %d rank %d: %d in a row", P, rank, t.in_a_row);
            passing += t.n_to;
        }
        cr_assert_eq(passing, 2 * (P - 1) - 2);
    }
}

/* ---- in-order binary ---- */

/* It is no deeper than it must be, and what comes from below comes first. */
Test(pipelined, the_in_order_tree_is_balanced_on_both_sides_of_the_root)
{
    for (int P = 1; P <= 64; P += 3)
        for (int root = 0; root < P; root++)
            for (int rank = 0; rank < P; rank++) {
                struct logp_invocation c = {.args = {.count = 1, .root = root, .op = &maps}};
                int depth = 0;

                for (int at = rank; at != root; depth++) {
                    c.args.root = root;
                    cr_assert_eq(test_plan(reduce("in-order-binary"), P, at, &c), 0);
                    cr_assert(c.plan.n_children <= 2);
                    cr_assert(c.plan.n_children < 2 ||
                              (c.plan.children[0] < at && c.plan.children[1] > at));
                    at = c.plan.parent;
                    test_unplan(&c);
                }
                cr_assert(1 << depth <= 2 * P, "P %d root %d rank %d", P, root, rank);
            }
}
