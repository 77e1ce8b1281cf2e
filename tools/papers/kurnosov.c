/* SPDX-License-Identifier: MIT */
/*
 * Kurnosov: reduction along k chains; its curves, over the number of chains and over that of
 * processors. They have no printed values, but for the numbers of chains that are recommended.
 * Where its cluster had 48 processes we have 48 processors, and vectors of 1, 2^5 and 2^10 doubles
 * in place of 1, 2^10 and 2^20.
 */
#include "papers/paper.h"

#include <stdio.h>

enum { CLUSTER = 48, LONG = 1024 };

/* ---- numbers of chains ---- */

static int chosen_k(const struct paper_case *x)
{
    return (int)paper_knob(x, "k");
}

/* The predicted time of k chains, in units. */
static double predicted(const struct paper_case *x, int k)
{
    struct logp_invocation c = x->c;

    c.args.k = k;
    return (double)logp_algorithm_predict(logp_algorithm_find("reduce", "kchain"), x->P, &c.args,
                                          &c.model)
               .ns /
           (double)x->unit_ns;
}

/* The recommended k and ours, for kchain-opt's case x. advised: remains true if the printed one is
 * ceil(sqrt(P-1)) and ours is not less. @return ours */
static int recommended(struct paper_table *t, const struct paper_case *x, int printed,
                       const char *label, bool *advised)
{
    const struct kurnosov_costs costs = kurnosov_costs(x);
    const int ours = chosen_k(x);
    struct paper_row *row = paper_row(t, "%s", label);

    row->value[PRINTED] = printed;
    row->value[FORMULA] = kurnosov_best_k(&costs, (int)x->P);
    *advised = *advised && printed == (int)ceil(sqrt((double)(x->P - 1))) && ours >= printed;
    row->value[PREDICTED] = ours;
    paper_remark(row, "predicted: %.7g units with the printed k, %.7g with ours",
                 predicted(x, printed), predicted(x, ours));
    return ours;
}

/* ---- figures 4 and 5: the time over k ---- */

static void say_which(struct paper_row *row, int k, int printed, int best)
{
    if (k == printed || k == best)
        paper_remark(row, "%s%s%s", k == printed ? "the printed k*" : "",
                     k == printed && k == best ? ", " : "", k == best ? "the best k" : "");
}

static bool is_one_of(int k, const int *list, int n)
{
    for (int i = 0; i < n; i++)
        if (list[i] == k)
            return true;
    return false;
}

static size_t rows_that_agree(const struct paper_table *t)
{
    size_t n = 0;

    for (size_t i = 0; i < t->n_rows; i++)
        n += t->rows[i].value[FORMULA] == t->rows[i].value[EMULATED];
    return n;
}

static const int grid[] = {1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16, 20, 24, 32, 40};

enum { N_GRID = sizeof(grid) / sizeof(grid[0]) };

static void figure_4(struct paper *p, bool *advised)
{
    static const int printed[][2] = {{100, 10}, {200, 15}, {300, 18}, {400, 20}}; /* P, k* */
    static const struct paper_chart chart = {
        .x_axis = "k, chains", .y_axis = "time, units", .x = 1};
    static const struct paper_chart best_chart = {
        .x_axis = "P", .y_axis = "k, chains", .x = 0, .series = 0};
    struct paper_table *best =
        paper_table(p, "Figure 4", "P", "chains", "the best k for a = 3, b = 2");
    struct paper_table *t =
        paper_table(p, "Figure 4", "P|k", "units", "time over the number of chains, a = 3, b = 2");

    t->chart = &chart;
    best->chart = &best_chart;
    paper_note(best, "L, o, g, c = 0, 1, 2, 1. Printed: ceil(sqrt(P-1)), the least k that the "
                     "paper advises; its formula: sqrt(a(P-1)/b).");
    paper_note(t, "Its formula: t(k) = (floor((P-1)/k) + 1)a + (k-1)b, which takes an a too much "
                  "where k divides P-1.");
    for (int i = 0; i < 4; i++) {
        const int P = printed[i][0];
        struct paper_case x = kurnosov_case(p, "kchain-opt", P, 0, 1, &kurnosov_small);
        const struct kurnosov_costs costs = kurnosov_costs(&x);
        char label[16];
        int ours;

        snprintf(label, sizeof(label), "%d", P);
        ours = recommended(best, &x, printed[i][1], label, advised);
        x.algorithm = "kchain";
        for (int k = 4; k <= 40; k++) {
            struct paper_row *row;

            if (!is_one_of(k, grid, N_GRID) && k != printed[i][1] && k != ours)
                continue;
            row = paper_row(t, "%d|%d", P, k);
            row->value[FORMULA] = kurnosov_t(&costs, P, k);
            x.c.args.k = k;
            paper_run(p, &x, row);
            say_which(row, k, printed[i][1], ours);
        }
    }
    paper_judge(p, "Figure 4, the printed k* are the best k", paper_same(best, PRINTED, PREDICTED),
                "they are ceil(sqrt(P-1)), the least that the paper advises; for the best k see "
                "the table");
    paper_judge(p, "Figure 4, t(k) = (floor((P-1)/k) + 1)a + (k-1)b",
                paper_same(t, FORMULA, EMULATED),
                "(P-1)/k must be rounded up, to ceil((P-1)/k) a + (k-1)b: where k divides P-1 the "
                "paper's takes an a too much; it agrees in %zu of %zu rows",
                rows_that_agree(t), t->n_rows);
    paper_judge(p, "k* = sqrt(a(P-1)/b), the least of t(k)", paper_same(best, FORMULA, PREDICTED),
                "it is that of t(k) without its floor; the best whole k is near it, not always "
                "the next");
}

/* Lengths of vectors: the paper's, ours. */
static const struct {
    const char *printed;
    int64_t ours;
} lengths[] = {{"1", 1}, {"2^10", 32}, {"2^20", LONG}};

static void figure_5(struct paper *p, bool *advised)
{
    static const struct paper_chart chart = {
        .x_axis = "k, chains", .y_axis = "time, units", .x = 2, .log_y = true};
    struct paper_table *best =
        paper_table(p, "Figure 5", "m", "chains", "the recommended k, P = %d, m doubles", CLUSTER);
    struct paper_table *t =
        paper_table(p, "Figure 5", "m|of ours|k", "units",
                    "time over the number of chains, P = %d, m doubles", CLUSTER);

    t->chart = &chart;
    paper_note(best, "The paper recommends ceil(sqrt(P-1)) for all three; its formula: "
                     "sqrt(a(P-1)/b), with L of a message that streams.");
    paper_note(t,
               "L, o, g = 6, 2, 4; a byte streams in 0.01, an element is combined in 0.05. "
               "Our vectors are shorter than the paper's: 1, 2^5, 2^10 doubles for 1, 2^10, 2^20.");
    paper_note(t, "Its long-first formula, with L and g of a message that streams, takes a too "
                  "much where k divides P-1, and too little for g > o + c.");
    for (int i = 0; i < 3; i++) {
        struct paper_case x =
            kurnosov_case(p, "kchain-opt", CLUSTER, 0, lengths[i].ours, &kurnosov_cluster);
        const struct kurnosov_costs costs = kurnosov_costs(&x);
        const int ours = recommended(best, &x, 7, lengths[i].printed, advised);

        x.algorithm = "kchain";
        for (int k = 1; k < CLUSTER; k++) {
            struct paper_row *row;

            if (!is_one_of(k, grid, N_GRID) && k != ours)
                continue;
            row = paper_row(t, "%s|%lld|%d", lengths[i].printed, (long long)lengths[i].ours, k);
            row->value[FORMULA] = kurnosov_long_first(&costs, CLUSTER, k);
            x.c.args.k = k;
            paper_run(p, &x, row);
            say_which(row, k, 7, ours);
        }
    }
    paper_judge(p, "Figure 5, k* = 7 is the best k", paper_same(best, PRINTED, PREDICTED),
                "of our model it is %g, %g and %g for the three lengths",
                best->rows[0].value[PREDICTED], best->rows[1].value[PREDICTED],
                best->rows[2].value[PREDICTED]);
    paper_judge(p, "Figure 5, the curves by the long-first formula",
                paper_same(t, FORMULA, EMULATED),
                "it takes an a too much where k divides P-1, and too little where g > o + c; the "
                "paper prints no measured numbers");
}

/* ---- figure 7: which chains first ---- */

/* Whether no row of the second half has a longer emulated time than its row in the first half. */
static bool never_slower(const struct paper_table *t)
{
    const size_t half = t->n_rows / 2;
    bool never = true;

    for (size_t i = 0; i < half; i++)
        never = never && t->rows[half + i].value[EMULATED] <= t->rows[i].value[EMULATED];
    return never;
}

static void figure_7(struct paper *p)
{
    static const char *const algorithms[] = {"kchain", "kchain-short-first"};
    static const struct paper_chart chart = {
        .x_axis = "k, chains", .y_axis = "time, units", .x = 1};
    struct paper_table *t =
        paper_table(p, "Figure 7", "first|k", "units",
                    "long or short chains first, P = %d, 2^20 doubles (ours 2^10)", CLUSTER);

    t->chart = &chart;
    paper_note(t, "The paper's formula for short first lacks an L; see section 6.");
    for (int i = 0; i < 2; i++) {
        struct paper_case x = kurnosov_case(p, algorithms[i], CLUSTER, 0, LONG, &kurnosov_cluster);
        const struct kurnosov_costs costs = kurnosov_costs(&x);

        for (int j = 1; j < N_GRID; j++) {
            struct paper_row *row = paper_row(t, "%s|%d", i == 0 ? "long" : "short", grid[j]);

            row->value[FORMULA] = i == 0 ? kurnosov_long_first(&costs, CLUSTER, grid[j])
                                         : kurnosov_short_first(&costs, CLUSTER, grid[j]);
            x.c.args.k = grid[j];
            paper_run(p, &x, row);
            if ((CLUSTER - 1) % grid[j] == 0)
                paper_remark(row, "all chains are of one length");
        }
    }
    paper_judge_none(p, "Figure 7", "curves; here short chains first are %s",
                     never_slower(t) ? "never slower" : "sometimes slower");
}

/* ---- figures 9, 10, 11: the time over P ---- */

/* A curve over P: its label, algorithm, k, formula; its claim in the paper, and why it differs. */
struct curve {
    const char *label, *algorithm;
    int k;
    double (*formula)(const struct kurnosov_costs *t, int P);
    const char *claim, *why;
};

static double of_4(const struct kurnosov_costs *t, int P)
{
    return kurnosov_t(t, P, 4);
}

static void curves(struct paper *p, struct paper_table *t, const struct curve *list, int n,
                   const int *sizes, int n_sizes, int64_t count, const struct kurnosov_model *model)
{
    static const struct paper_chart chart = {.x_axis = "P", .y_axis = "time, units", .x = 1};

    t->chart = &chart;
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n_sizes; j++) {
            const struct paper_case x =
                kurnosov_case(p, list[i].algorithm, sizes[j], list[i].k, count, model);
            const struct kurnosov_costs costs = kurnosov_costs(&x);
            struct paper_row *row = paper_row(t, "%s|%d", list[i].label, sizes[j]);

            row->value[FORMULA] = list[i].formula(&costs, sizes[j]);
            paper_run(p, &x, row);
            if (logp_algorithm_knob(paper_algorithm(&x), logp_knob_find("k"), 0, NULL, NULL,
                                    NULL) &&
                list[i].k == 0)
                paper_remark(row, "k = %d", chosen_k(&x));
        }
        paper_judge(p, list[i].claim, paper_same_of(t, 0, list[i].label, FORMULA, EMULATED), "%s",
                    list[i].why);
    }
}

static void figure_9(struct paper *p)
{
    static const struct curve list[] = {
        {"optimal k", "kchain-opt", 0, kurnosov_best,
         "Figure 9, optimal k, t = 2 sqrt(ab(P-1)) + a - b",
         "the least of a smooth curve that lies above the true one, which has steps"},
        {"adaptive", "kchain-adaptive", 0, kurnosov_adaptive,
         "Figure 9, adaptive, b sqrt(2(P-1) + 1/4) - b/2 + a", "the root does wait, as a > b"},
        {"binomial", "binomial", 0, kurnosov_binomial, "Figure 9, binomial, a log2 P + b",
         "without the b it agrees for P = 2^x; for other P log2 P is rounded up, and the time is "
         "at "
         "most that"},
        {"k = 4", "kchain", 4, of_4, "Figure 9, k = 4",
         "t(4); it takes an a too much where 4 divides P-1, which it does for none of these P"}};
    static const int sizes[] = {8, 16, 32, 64, 100, 128, 200, 256, 300, 400};
    struct paper_table *t = paper_table(p, "Figure 9", "algorithm|P", "units",
                                        "time over P, one element, a = 3, b = 2");
    const int n = sizeof(sizes) / sizeof(sizes[0]);
    bool faster = true;

    curves(p, t, list, 4, sizes, n, 1, &kurnosov_small);
    for (int i = 0; i < n; i++)
        faster = faster && t->rows[n + i].value[EMULATED] < t->rows[i].value[EMULATED];
    paper_note(t, "The paper's binomial has a b too much: for P = 2^x it takes a log2 P.");
    paper_note(t,
               "The adaptive chains are %s than the best k, as a < 2b; their root does wait, "
               "which their formula leaves out.",
               faster ? "always faster" : "not always faster");
}

static void figures_10_11(struct paper *p)
{
    static const struct curve list[] = {
        {"optimal k", "kchain-opt", 0, kurnosov_best, "Figures 10, 11, optimal",
         "as in figure 9, and it counts b where g > b separates two receives of the root"},
        {"adaptive", "kchain-adaptive", 0, kurnosov_adaptive, "Figures 10, 11, adaptive",
         "as in figure 9; the paper prints no measured numbers"}};
    static const int sizes[] = {8, 16, 24, 32, 40, 48, 64, 96};
    struct paper_table *t = paper_table(p, "Figures 10, 11", "algorithm|P", "units",
                                        "optimal and adaptive over P, 2^20 doubles (ours 2^10)");

    curves(p, t, list, 2, sizes, sizeof(sizes) / sizeof(sizes[0]), LONG, &kurnosov_cluster);
    paper_note(t, "The paper's optimum has b = o + c between two receives of the root; here the "
                  "gap g is longer, which counts.");
}

static void fill(struct paper *p)
{
    bool advised = true;

    kurnosov_chains(p);
    figure_4(p, &advised);
    figure_5(p, &advised);
    kurnosov_inequalities(p);
    paper_judge(p, "Advice k* >= ceil(sqrt(P-1))", advised,
                "it follows from (2) and (3); all printed k* are ceil(sqrt(P-1)), and no best k of "
                "figures 4 and 5 is less");
    figure_7(p);
    figure_9(p);
    figures_10_11(p);
}

const struct paper_kind paper_kurnosov = {
    .name = "kurnosov",
    .title = "Kurnosov 2016: reduction along k chains",
    .fill = fill,
};
