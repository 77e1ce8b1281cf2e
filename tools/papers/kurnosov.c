/* SPDX-License-Identifier: MIT */
/*
 * Kurnosov: reduction along k chains. Its figures are curves without printed values, but for the
 * numbers of chains that it recommends. Where its cluster had 48 processes we have 48 processors,
 * and vectors of 1, 2^5 and 2^10 doubles in place of 1, 2^10 and 2^20.
 */
#include "paper.h"

enum { CLUSTER = 48, LONG = 1024 };

/* What the paper calls a, b, c, with L and g of a message that streams; in units. */
struct costs {
    double a, b, c, o, L, g;
};

/* ---- the two models ---- */

/* a = 2o + L + c = 3 and b = o + c = 2 leave o + L = 1. */
static struct logp_params small_model(int64_t unit)
{
    return (struct logp_params){
        .o_send_ns = unit, .o_recv_ns = unit, .g_ns = 2 * unit, .gamma_ps = unit * 1000};
}

/* L, o, g = 6, 2, 4; a byte streams in 0.01, an element is combined in 0.05. */
static struct logp_params cluster_model(int64_t unit)
{
    return (struct logp_params){.L_ns = 6 * unit,
                                .o_send_ns = 2 * unit,
                                .o_recv_ns = 2 * unit,
                                .g_ns = 4 * unit,
                                .G_ps = unit * 10,
                                .gamma_ps = unit * 50};
}

static struct paper_case make_case(const struct paper *p, const char *algorithm, int P, int k,
                                   int64_t count, struct logp_params model(int64_t unit))
{
    const int64_t unit = paper_unit(p, 5000);

    return (struct paper_case){
        .collective = "reduce",
        .algorithm = algorithm,
        .P = P,
        .unit_ns = unit,
        .c = {.params = model(unit), .count = count, .k = k, .op = logp_op_find("sum", "double")}};
}

static struct costs costs_of(const struct paper_case *x)
{
    const struct logp_params *q = &x->c.params;
    const double unit = (double)x->unit_ns;
    const double stream = (double)logp_stream_ns(q, (size_t)x->c.count * sizeof(double)) / unit;
    struct costs t = {.c = (double)x->c.count * (double)q->gamma_ps / 1000 / unit,
                      .o = (double)q->o_send_ns / unit,
                      .L = (double)q->L_ns / unit + stream,
                      .g = (double)q->g_ns / unit + stream};

    t.a = 2 * t.o + t.L + t.c;
    t.b = t.o + t.c;
    return t;
}

/* ---- the paper's formulas ---- */

static double of_long_first(const struct costs *t, int P, int k)
{
    const int shortest = (P - 1) / k;

    return shortest * t->a + (k - 2) * fmax(t->b, t->g) + 3 * t->o + t->L + 2 * t->c;
}

/* The same without integers, which its figures 4 and 9 show. */
static double of_k(const struct costs *t, int P, double k)
{
    return ((P - 1) / k + 1) * t->a + (k - 1) * t->b;
}

static double of_best_k(const struct costs *t, int P)
{
    return 2 * sqrt(t->a * t->b * (P - 1)) + t->a - t->b;
}

static double best_k(const struct costs *t, int P)
{
    return sqrt(t->a * (P - 1) / t->b);
}

static double of_adaptive(const struct costs *t, int P)
{
    return t->a + (sqrt(8.0 * (P - 1) + 1) - 1) / 2 * fmax(t->b, t->g);
}

static double of_binomial(const struct costs *t, int P)
{
    return t->a * log2(P) + t->b;
}

/* ---- numbers of chains ---- */

static int chosen_k(const struct paper_case *x)
{
    return (int)paper_algorithm(x)->k(x->P, &x->c);
}

/* The predicted time of k chains, in units. */
static double predicted(const struct paper_case *x, int k)
{
    struct logp_coll c = x->c;

    c.k = k;
    return (double)logp_predict(logp_algorithm_find("reduce", "kchain"), x->P, &c).ns /
           (double)x->unit_ns;
}

/* The recommended k beside ours, for kchain-opt's case x. @return ours */
static int recommended(struct paper_table *t, const struct paper_case *x, int printed,
                       const char *label)
{
    const struct costs costs = costs_of(x);
    const int ours = chosen_k(x);
    struct paper_row *row = paper_row(t, "%s", label);

    row->value[PRINTED] = printed;
    row->value[FORMULA] = best_k(&costs, (int)x->P);
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

static const int grid[] = {1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16, 20, 24, 32, 40};

enum { N_GRID = sizeof(grid) / sizeof(grid[0]) };

static void figure_4(struct paper *p)
{
    static const struct {
        int P, k;
    } printed[] = {{100, 10}, {200, 15}, {300, 18}, {400, 20}};
    static const struct paper_chart chart = {
        .x_axis = "k, chains", .y_axis = "time, units", .x = 1, .y_lowest = NAN};
    struct paper_table *best =
        paper_table(p, "Figure 4", "P", "chains", "the best k for a = 3, b = 2");
    struct paper_table *t =
        paper_table(p, "Figure 4", "P|k", "units", "time over the number of chains, a = 3, b = 2");

    t->chart = &chart;
    paper_note(best, "L, o, g, c = 0, 1, 2, 1. Printed is ceil(sqrt(P-1)); the least of the "
                     "paper's own t(k) is at sqrt(a(P-1)/b).");
    paper_note(t, "The paper's t(k) takes a whole a too much where k divides P-1.");
    for (int i = 0; i < 4; i++) {
        const int P = printed[i].P;
        struct paper_case x = make_case(p, "kchain-opt", P, 0, 1, small_model);
        const struct costs costs = costs_of(&x);
        char label[16];
        int ours;

        snprintf(label, sizeof(label), "%d", P);
        ours = recommended(best, &x, printed[i].k, label);
        x.algorithm = "kchain";
        for (int k = 4; k <= 40; k++) {
            struct paper_row *row;

            if (!is_one_of(k, grid, N_GRID) && k != printed[i].k && k != ours)
                continue;
            row = paper_row(t, "%d|%d", P, k);
            row->value[FORMULA] = of_k(&costs, P, k);
            x.c.k = k;
            paper_run(p, &x, row);
            say_which(row, k, printed[i].k, ours);
        }
    }
}

/* Lengths of vectors: the paper's, ours. */
static const struct {
    const char *printed;
    int64_t ours;
} lengths[] = {{"1", 1}, {"2^10", 32}, {"2^20", LONG}};

static void figure_5(struct paper *p)
{
    static const struct paper_chart chart = {
        .x_axis = "k, chains", .y_axis = "time, units", .x = 2, .log_y = true, .y_lowest = NAN};
    struct paper_table *best =
        paper_table(p, "Figure 5", "m", "chains", "the recommended k, P = %d, m doubles", CLUSTER);
    struct paper_table *t =
        paper_table(p, "Figure 5", "m|of ours|k", "units",
                    "time over the number of chains, P = %d, m doubles", CLUSTER);

    t->chart = &chart;
    paper_note(best, "Recommended for all three is ceil(sqrt(P-1)).");
    paper_note(t,
               "L, o, g = 6, 2, 4; a byte streams in 0.01, an element is combined in 0.05. "
               "Our vectors are shorter than the paper's: 1, 2^5, 2^10 doubles for 1, 2^10, 2^20.");
    paper_note(t, "Its long-first formula, with L and g of a message that streams, takes a too "
                  "much where k divides P-1, and too little for g > o + c.");
    for (int i = 0; i < 3; i++) {
        struct paper_case x =
            make_case(p, "kchain-opt", CLUSTER, 0, lengths[i].ours, cluster_model);
        const struct costs costs = costs_of(&x);
        const int ours = recommended(best, &x, 7, lengths[i].printed);

        x.algorithm = "kchain";
        for (int k = 1; k < CLUSTER; k++) {
            struct paper_row *row;

            if (!is_one_of(k, grid, N_GRID) && k != ours)
                continue;
            row = paper_row(t, "%s|%lld|%d", lengths[i].printed, (long long)lengths[i].ours, k);
            row->value[FORMULA] = of_long_first(&costs, CLUSTER, k);
            x.c.k = k;
            paper_run(p, &x, row);
            say_which(row, k, 7, ours);
        }
    }
}

/* ---- figure 7: which chains first ---- */

static void figure_7(struct paper *p)
{
    static const char *const algorithms[] = {"kchain", "kchain-short-first"};
    static const struct paper_chart chart = {
        .x_axis = "k, chains", .y_axis = "time, units", .x = 1, .y_lowest = NAN};
    struct paper_table *t =
        paper_table(p, "Figure 7", "first|k", "units",
                    "long or short chains first, P = %d, 2^20 doubles (ours 2^10)", CLUSTER);

    t->chart = &chart;
    paper_note(t, "The paper's formula for short first lacks L; it is not evaluated here.");
    for (int i = 0; i < 2; i++) {
        struct paper_case x = make_case(p, algorithms[i], CLUSTER, 0, LONG, cluster_model);
        const struct costs costs = costs_of(&x);

        for (int j = 1; j < N_GRID; j++) {
            struct paper_row *row = paper_row(t, "%s|%d", i == 0 ? "long" : "short", grid[j]);

            if (i == 0)
                row->value[FORMULA] = of_long_first(&costs, CLUSTER, grid[j]);
            x.c.k = grid[j];
            paper_run(p, &x, row);
            if ((CLUSTER - 1) % grid[j] == 0)
                paper_remark(row, "all chains are of one length");
        }
    }
}

/* ---- figures 9, 10, 11: the time over P ---- */

/* A curve over P: its label, algorithm, k, and formula. */
struct curve {
    const char *label, *algorithm;
    int k;
    double (*formula)(const struct costs *t, int P);
};

static double of_4(const struct costs *t, int P)
{
    return of_k(t, P, 4);
}

static void curves(struct paper *p, struct paper_table *t, const struct curve *list, int n,
                   const int *sizes, int n_sizes, int64_t count,
                   struct logp_params model(int64_t unit))
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n_sizes; j++) {
            const struct paper_case x =
                make_case(p, list[i].algorithm, sizes[j], list[i].k, count, model);
            const struct costs costs = costs_of(&x);
            struct paper_row *row = paper_row(t, "%s|%d", list[i].label, sizes[j]);

            row->value[FORMULA] = list[i].formula(&costs, sizes[j]);
            paper_run(p, &x, row);
            if (paper_algorithm(&x)->k != NULL && list[i].k == 0)
                paper_remark(row, "k = %d", chosen_k(&x));
        }
}

static void figure_9(struct paper *p)
{
    static const struct curve list[] = {{"optimal k", "kchain-opt", 0, of_best_k},
                                        {"adaptive", "kchain-adaptive", 0, of_adaptive},
                                        {"binomial", "binomial", 0, of_binomial},
                                        {"k = 4", "kchain", 4, of_4}};
    static const int sizes[] = {8, 16, 32, 64, 100, 128, 200, 256, 300, 400};
    static const struct paper_chart chart = {
        .x_axis = "P", .y_axis = "time, units", .x = 1, .y_lowest = NAN};
    struct paper_table *t = paper_table(p, "Figure 9", "algorithm|P", "units",
                                        "time over P, one element, a = 3, b = 2");

    t->chart = &chart;
    curves(p, t, list, 4, sizes, sizeof(sizes) / sizeof(sizes[0]), 1, small_model);
    paper_note(t, "The paper's binomial has a b too much: for P = 2^x it takes a log2 P.");
    paper_note(t, "Of the chains the adaptive ones are the fastest, since a < 2b; but their root "
                  "does wait, which their formula leaves out.");
}

static void figures_10_11(struct paper *p)
{
    static const struct curve list[] = {{"optimal k", "kchain-opt", 0, of_best_k},
                                        {"adaptive", "kchain-adaptive", 0, of_adaptive}};
    static const int sizes[] = {8, 16, 24, 32, 40, 48, 64, 96};
    static const struct paper_chart chart = {
        .x_axis = "P", .y_axis = "time, units", .x = 1, .y_lowest = NAN};
    struct paper_table *t = paper_table(p, "Figures 10, 11", "algorithm|P", "units",
                                        "optimal and adaptive over P, 2^20 doubles (ours 2^10)");

    t->chart = &chart;
    curves(p, t, list, 2, sizes, sizeof(sizes) / sizeof(sizes[0]), LONG, cluster_model);
    paper_note(t, "The paper's optimum has b = o + c between two receives of the root; here the "
                  "gap g is longer, which counts.");
}

void paper_kurnosov(struct paper *p)
{
    figure_4(p);
    figure_5(p);
    figure_7(p);
    figure_9(p);
    figures_10_11(p);
}
