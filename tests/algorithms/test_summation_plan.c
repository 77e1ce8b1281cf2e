/* SPDX-License-Identifier: MIT */
/*
 * The plans and predictions of summations: printed values, the optimum against an exhaustive search
 * over all trees, what every plan must hold, huge machines. Nothing is run.
 */
#include "summation.h"
#include <logp/paper.h>

/* ---- printed values ---- */

Test(summation_plan, seven_processors_are_those_of_figure_2)
{
    static const int64_t A[] = {16, 9, 5, 1, 8, 1, 7}, N[] = {21, 14, 10, 6, 13, 6, 12};
    static const int64_t parent[] = {-1, 0, 1, 1, 0, 4, 0}, ready[] = {29, 19, 9, 5, 15, 5, 11};
    struct logp_invocation c = invocation_of(82, 5, 2, 4, 1);
    struct logp_summation s;

    cr_assert_eq(logp_summation_paper(&s, 7, 82, &c.model.params, 8), 0);
    cr_expect_eq(s.time, 29);
    cr_expect_eq(s.tree.T, 24);
    for (int id = 0; id < 7; id++) {
        const struct logp_summation_node node = logp_summation_node(&s, id);

        cr_expect_eq(node.own, A[id]);
        cr_expect_eq(node.own + node.shared, N[id]);
        cr_expect_eq(node.place.parent, parent[id]);
        cr_expect_eq(node.ready, ready[id]);
        c.args.root = 5;
        cr_assert_eq(test_plan(algorithm(PAPER), 7, (id + 5) % 7, &c), 0);
        cr_expect_eq(c.plan.own, N[id]);
        cr_expect_eq(c.plan.parent, parent[id] < 0 ? -1 : (parent[id] + 5) % 7);
        test_unplan(&c);
    }
}

/* ---- optimality ---- */

/* What one processor can do with `values` operands, and children whose sums arrive in this order.
 */
struct local {
    const int64_t *arrivals;
    int n;
    int64_t o, g; /* of a receive; max(o, g) */
};

/* The least time at which one value is left and all children are received: add, or receive. */
static int64_t finish(const struct local *l, int64_t now, int64_t values, int received,
                      int64_t next_start)
{
    int64_t best = INT64_MAX;

    if (received == l->n && values == 1)
        return now;
    if (values > 1)
        best = finish(l, now + 1, values - 1, received, next_start);
    if (received < l->n) {
        int64_t start = now > next_start ? now : next_start, then;

        start = start > l->arrivals[received] ? start : l->arrivals[received];
        then = finish(l, start + l->o, values + 1, received + 1, start + l->g);
        best = then < best ? then : best;
    }
    return best;
}

enum { MOST_P = 6, MOST_N = 13 };

/* The least time in which p processors, all of them used, have the sum of n operands in one. */
struct search {
    int64_t o, g, wire; /* wire: from the start of a send to the arrival */
    int64_t ready[MOST_P + 1][MOST_N + 1];
};

/* Add children, in a fixed order of (processors, operands), until p processors and n operands are
 * used up; what is left of n is the node's own. */
static int64_t grow(const struct search *s, int p, int n, int last_p, int last_n, int64_t *arrivals,
                    int n_children)
{
    int64_t best = INT64_MAX, sorted[MOST_P];

    for (int q = 1; q <= p && q <= last_p; q++)
        for (int k = 1; k <= n && (q < last_p || k <= last_n); k++)
            if (s->ready[q][k] < INT64_MAX) {
                int64_t then;

                arrivals[n_children] = s->ready[q][k] + s->wire;
                then = grow(s, p - q, n - k, q, k, arrivals, n_children + 1);
                best = then < best ? then : best;
            }
    if (p > 0 || (n == 0 && n_children == 0))
        return best;
    for (int i = 0; i < n_children; i++) {
        int k = i;

        for (; k > 0 && sorted[k - 1] > arrivals[i]; k--)
            sorted[k] = sorted[k - 1];
        sorted[k] = arrivals[i];
    }
    return finish(&(struct local){sorted, n_children, s->o, s->g}, 0, n, 0, 0);
}

static void check_optimum(int64_t L, int64_t o_send, int64_t o_recv, int64_t g)
{
    struct search s = {.o = o_recv, .g = o_recv > g ? o_recv : g, .wire = o_send + L};
    struct logp_invocation c = invocation_of(1, L, o_send, g, 1);

    c.model.params.o_recv_ns = o_recv;
    for (int n = 0; n <= MOST_N; n++)
        for (int p = 1; p <= MOST_P; p++) {
            int64_t arrivals[MOST_P];

            s.ready[p][n] = n == 0 ? INT64_MAX : grow(&s, p - 1, n, MOST_P, MOST_N, arrivals, 0);
        }
    for (int n = 1; n <= MOST_N; n++) {
        int64_t best = INT64_MAX;

        c.args.count = n;
        for (int p = 1; p <= MOST_P; p++) {
            best = s.ready[p][n] < best ? s.ready[p][n] : best;
            cr_assert_eq(predicted(OPTIMAL, p, &c), best, "P %d N %d L %ld o %ld %ld g %ld", p, n,
                         (long)L, (long)o_send, (long)o_recv, (long)g);
        }
    }
}

Test(summation_plan, no_tree_is_faster_than_the_optimal_one)
{
    /* L below 4, o of a send below 2, of a receive below 3, g below 6 */
    for (int i = 0; i < 4 * 2 * 3 * 6; i += TEST_SCALE)
        check_optimum(i % 4, i / 4 % 2, i / 8 % 3, i / 24);
}

Test(summation_plan, optimal_is_never_slower_than_any_other)
{
    uint64_t state = 20260104;
    int better = 0;

    cr_log_info("seed %llu", (unsigned long long)state);
    for (int i = 0; i < 20000 / TEST_SCALE; i++) {
        const int64_t P = 1 + test_below(&state, i % 2 == 0 ? 40 : 100000);
        struct logp_invocation c =
            invocation_of(1 + test_below(&state, 1 + P * (1 + test_below(&state, 30))),
                          some_time(&state), some_time(&state), some_time(&state), 1);
        int64_t best;

        if (i % 3 == 0)
            c.model.params.o_recv_ns = some_time(&state);
        best = predicted(OPTIMAL, P, &c);
        for (int a = 0; a < OPTIMAL; a++)
            cr_assert_leq(best, predicted(a, P, &c));
        cr_assert_leq(best, c.args.count - 1);
        better += best < predicted(PAPER, P, &c);
    }
    cr_log_info("better than the paper's plan %d times", better);
    cr_assert_gt(better, 0);
}

/* ---- the plans ---- */

/* Every processor is in the tree once, all operands are given out, nobody waits for a child. */
static void check_plan(const struct logp_summation *s, int64_t N, int64_t d, int64_t o)
{
    const int64_t e = s->tree.e * s->tree.scale;
    int64_t operands = 0, seen = 1, labels = 0;

    for (int64_t id = 0; id < s->tree.P; id++) {
        const struct logp_summation_node node = logp_summation_node(s, id);
        struct logp_tree_node child;
        int64_t k = 0;

        cr_assert_eq(node.place.id, id);
        cr_assert_geq(node.own, 1);
        cr_assert_geq(node.shared, 0);
        cr_assert_geq(node.first, 0);
        cr_assert_geq(node.between, 0);
        for (; logp_tree_child(&s->tree, &node.place, k, &child); k++) {
            const struct logp_summation_node below_it = logp_summation_node(s, child.id);

            cr_assert_eq(below_it.place.parent, id);
            cr_assert_eq(below_it.place.time, child.time);
            cr_assert_leq(below_it.ready + d, node.ready - k * e);
        }
        cr_assert_eq(k, node.children);
        cr_assert_eq(node.first + (k > 0 ? k - 1 : 0) * node.between + k * (o + 1), node.ready);
        seen += k;
        operands += node.own + node.shared;
        labels = s->tree.T - node.place.time > labels ? s->tree.T - node.place.time : labels;
    }
    cr_assert_eq(seen, s->tree.P);
    cr_assert_eq(operands, N);
    cr_assert_leq(labels, s->tree.T);
    cr_assert_eq(logp_summation_node(s, 0).ready, s->time);
}

Test(summation_plan, plans_give_out_every_operand_and_nobody_waits)
{
    uint64_t state = 20260105;

    cr_log_info("seed %llu", (unsigned long long)state);
    for (int i = 0; i < 2000 / TEST_SCALE; i++) {
        const int64_t P = 1 + test_below(&state, 1 + test_below(&state, 300));
        const int64_t N = 1 + test_below(&state, 1 + P * (1 + test_below(&state, 30)));
        struct logp_invocation c =
            invocation_of(N, some_time(&state), some_time(&state), some_time(&state), 1);
        const int64_t d = c.model.params.L_ns + 2 * c.model.params.o_send_ns + 1,
                      o = c.model.params.o_recv_ns;
        struct logp_summation s;

        cr_assert_eq(logp_summation_paper(&s, P, N, &c.model.params, 8), 0);
        check_plan(&s, N, d, o);
        cr_assert_eq(logp_summation_optimal(&s, P, N, &c.model.params, 8), 0);
        check_plan(&s, N, d, o);
        cr_assert(s.tree.P == 1 || s.time > o + s.tree.T); /* each message brings a gain */
    }
}

/* The labels of the tree are the P smallest ones there are, by counting. */
Test(summation_plan, earliest_tree_has_the_earliest_labels)
{
    for (int64_t d = 1; d <= 9; d += 2)
        for (int64_t e = 1; e <= 9; e++)
            for (int64_t P = 1; P <= 120; P += TEST_SCALE) {
                struct logp_tree tree;
                int64_t at[64] = {0};

                cr_assert_eq(logp_tree_init_earliest(&tree, P, d, e), 0);
                for (int64_t id = 0; id < P; id++)
                    at[tree.T - logp_tree_find(&tree, id).time]++;
                for (int64_t x = 0, sum = 0; x <= tree.T; x++) {
                    const int64_t f = logp_tree_count(x, d, e);

                    sum += at[x];
                    cr_assert_eq(sum, f < P ? f : P, "d %ld e %ld P %ld", (long)d, (long)e,
                                 (long)P);
                }
            }
}

Test(summation_plan, free_additions_are_all_done_by_the_root)
{
    struct logp_invocation c = invocation_of(1000, 5, 2, 4, 1);
    struct logp_summation s;

    c.model.params.gamma_ps = 0;
    cr_assert_eq(logp_summation_optimal(&s, 7, 1000, &c.model.params, 8), 0);
    cr_expect_eq(s.tree.P, 1);
    cr_expect_eq(logp_summation_node(&s, 0).shared, 999);
    cr_expect_eq(predicted(OPTIMAL, 7, &c), 0);
    cr_expect_eq(predicted(PAPER, 7, &c), 0);
    cr_expect_eq(predicted(FLAT, 7, &c), 29);     /* 5 g + 2o + L */
    cr_expect_eq(predicted(BINOMIAL, 8, &c), 27); /* three messages, one after the other */
}

/* ---- huge machines, long times ---- */

Test(summation_plan, huge_machines_are_predicted)
{
    static const int64_t P = LOGP_TREE_MAX, N = INT64_C(1) << 40;
    const struct logp_invocation c = invocation_of(N, 5, 2, 4, 1);
    const int64_t T = predicted(OPTIMAL, P, &c);

    cr_expect_leq(T, predicted(PAPER, P, &c));
    cr_expect_leq(T, predicted(BINOMIAL, P, &c));
    cr_expect_eq(predicted(BINOMIAL, P, &c), 10 + 39 * 10); /* 2^40 processors, a message a step */
    cr_expect_eq(predicted(FLAT, P, &c), 10 + (N - 2) * 4);
    for (int64_t p = 2; p <= N; p *= 2)
        cr_expect_leq(predicted(OPTIMAL, p, &c), predicted(OPTIMAL, p / 2, &c));
    for (int64_t n = 2; n <= N; n *= 2) {
        const struct logp_invocation fewer = invocation_of(n, 5, 2, 4, 1);

        cr_expect_leq(predicted(OPTIMAL, P, &fewer), T);
    }
}

Test(summation_plan, long_times_are_predicted_or_not_at_all)
{
    uint64_t state = 20260106;

    cr_log_info("seed %llu", (unsigned long long)state);
    for (int i = 0; i < 3000 / TEST_SCALE; i++) {
        struct logp_invocation c =
            invocation_of(1 + test_below(&state, LOGP_SUMMATION_MAX), 0, 0, 0, 1);
        const int64_t P = 1 + test_below(&state, LOGP_TREE_MAX);

        c.model.params.L_ns = test_below(&state, LOGP_PARAM_MAX_NS + 1);
        c.model.params.o_send_ns = test_below(&state, LOGP_PARAM_MAX_NS + 1);
        c.model.params.o_recv_ns = test_below(&state, i % 2 ? 3 : LOGP_PARAM_MAX_NS + 1);
        c.model.params.g_ns = test_below(&state, i % 3 ? 3 : LOGP_PARAM_MAX_NS + 1);
        c.model.params.gamma_ps = test_below(&state, i % 5 ? 2000 : LOGP_PARAM_MAX_NS * 1000);
        for (int a = 0; a < N_NAMES; a++) {
            const struct logp_prediction p = test_predict(algorithm(a), P, &c);

            cr_assert(p.certainty == LOGP_PREDICTION_NONE || p.ns >= 0);
        }
    }
}

/* Whoever adds that fast does it all alone: no message takes longer than a tree may wait. */
Test(summation_plan, the_longest_times_are_planned)
{
    const struct logp_params params = {.L_ns = LOGP_PARAM_MAX_NS,
                                       .o_send_ns = LOGP_PARAM_MAX_NS,
                                       .o_recv_ns = LOGP_PARAM_MAX_NS,
                                       .g_ns = LOGP_PARAM_MAX_NS,
                                       .gamma_ps = 1};
    struct logp_summation s;

    for (int64_t N = 2; N <= 1000; N *= 10) {
        cr_assert_eq(logp_summation_optimal(&s, 4, N, &params, 8), 0);
        cr_expect_eq(s.time, N - 1);
        cr_assert_eq(logp_summation_paper(&s, 4, N, &params, 8), 0);
        cr_expect_eq(s.time, N - 1);
    }
}

Test(summation_plan, what_is_no_summation_is_refused)
{
    static const struct {
        int64_t P, N;
        struct logp_params params;
    } bad[] = {{0, 9, {.gamma_ps = 1000}},
               {LOGP_TREE_MAX + 1, 9, {.gamma_ps = 1000}},
               {4, 0, {.gamma_ps = 1000}},
               {4, LOGP_SUMMATION_MAX + 1, {.gamma_ps = 1000}},
               {4, 9, {.gamma_ps = 1000, .L_ns = -1000000}}};
    struct logp_summation s;

    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        cr_expect_eq(logp_summation_optimal(&s, bad[i].P, bad[i].N, &bad[i].params, 8), -EINVAL);
        cr_expect_eq(logp_summation_paper(&s, bad[i].P, bad[i].N, &bad[i].params, 8), -EINVAL);
    }
}
