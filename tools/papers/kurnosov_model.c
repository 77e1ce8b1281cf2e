/* SPDX-License-Identifier: MIT */
/* Kurnosov: the models whose costs its figures have, and its formulas. */
#include "papers/paper.h"

/* ---- the models ---- */

struct logp_params kurnosov_small(int64_t unit)
{
    return (struct logp_params){
        .o_send_ns = unit, .o_recv_ns = unit, .g_ns = 2 * unit, .gamma_ps = unit * 1000};
}

struct logp_params kurnosov_plain(int64_t unit)
{
    return (struct logp_params){.L_ns = 6 * unit,
                                .o_send_ns = 2 * unit,
                                .o_recv_ns = 2 * unit,
                                .g_ns = 4 * unit,
                                .gamma_ps = unit * 1000};
}

struct logp_params kurnosov_cluster(int64_t unit)
{
    return (struct logp_params){.L_ns = 6 * unit,
                                .o_send_ns = 2 * unit,
                                .o_recv_ns = 2 * unit,
                                .g_ns = 4 * unit,
                                .G_ps = unit * 10,
                                .gamma_ps = unit * 50};
}

struct paper_case kurnosov_case(const struct paper *p, const char *algorithm, int P, int k,
                                int64_t count, kurnosov_model model)
{
    const int64_t unit = paper_unit(p, 5000);

    return (struct paper_case){.collective = "reduce",
                               .algorithm = algorithm,
                               .P = P,
                               .unit_ns = unit,
                               .c = {.model.params = model(unit),
                                     .args.count = count,
                                     .args.k = k,
                                     .args.op = logp_op_find("sum", "double")}};
}

struct kurnosov_costs kurnosov_costs(const struct paper_case *x)
{
    const struct logp_params *q = &x->c.model.params;
    const double unit = (double)x->unit_ns;
    const double stream =
        (double)logp_params_stream_ns(q, (size_t)x->c.args.count * sizeof(double)) / unit;
    struct kurnosov_costs t = {.c = (double)x->c.args.count * (double)q->gamma_ps / 1000 / unit,
                               .o = (double)q->o_send_ns / unit,
                               .L = (double)q->L_ns / unit + stream,
                               .g = (double)q->g_ns / unit + stream};

    t.a = 2 * t.o + t.L + t.c;
    t.b = t.o + t.c;
    return t;
}

/* ---- the paper's formulas ---- */

double kurnosov_long_first(const struct kurnosov_costs *t, int P, int k)
{
    const int shortest = (P - 1) / k;

    return shortest * t->a + (k - 2) * fmax(t->b, t->g) + 3 * t->o + t->L + 2 * t->c;
}

/* It lacks L: with L in the second term it is what ours is where g <= o + c. */
double kurnosov_short_first(const struct kurnosov_costs *t, int P, int k)
{
    const int shortest = (P - 1) / k, longer = (P - 1) % k;

    if (longer == 0)
        return NAN;
    return shortest * t->a + fmax((k - longer) * t->b, t->a - t->L) + (longer - 1) * t->b;
}

double kurnosov_t(const struct kurnosov_costs *t, int P, int k)
{
    const int shortest = (P - 1) / k;

    return (shortest + 1) * t->a + (k - 1) * t->b;
}

double kurnosov_smooth(const struct kurnosov_costs *t, int P, double k)
{
    return ((P - 1) / k + 1) * t->a + (k - 1) * t->b;
}

double kurnosov_best(const struct kurnosov_costs *t, int P)
{
    return 2 * sqrt(t->a * t->b * (P - 1)) + t->a - t->b;
}

double kurnosov_best_k(const struct kurnosov_costs *t, int P)
{
    return sqrt(t->a * (P - 1) / t->b);
}

double kurnosov_adaptive(const struct kurnosov_costs *t, int P)
{
    return t->a + (sqrt(8.0 * (P - 1) + 1) - 1) / 2 * fmax(t->b, t->g);
}

double kurnosov_figure_8(const struct kurnosov_costs *t)
{
    return t->a + 3 * fmax(t->b, t->g);
}

double kurnosov_binomial(const struct kurnosov_costs *t, int P)
{
    return t->a * log2(P) + t->b;
}

/* ---- inequalities ---- */

/*
 * Kurnosov's inequalities (2) and (3), from which k* = sqrt(a(P-1)/b) follows. They are evaluated
 * as the two conditions under which t(k*), without its floor, is the least: it is not above
 * t(k*-1), nor above t(k*+1). No number of them is printed.
 */

/* t(k) and ours for k*-1, k*, k*+1. @return bit 0: (2) holds, bit 1: (3) */
static int neighbours(struct paper *p, struct paper_table *t, int P, int best, const char *what)
{
    double around[3];

    for (int i = 0; i < 3; i++) {
        const int k = best - 1 + i;
        const struct paper_case x = kurnosov_case(p, "kchain", P, k, 1, kurnosov_small);
        const struct kurnosov_costs costs = kurnosov_costs(&x);
        struct paper_row *row = paper_row(t, "%d|%s|%d", P, what, k);

        row->value[FORMULA] = around[i] = kurnosov_smooth(&costs, P, k);
        paper_run(p, &x, row);
    }
    for (int i = 0; i < 3; i += 2) {
        struct paper_row *row = &t->rows[t->n_rows - 3 + (size_t)i];

        paper_remark(row, "(%d) %s", i == 0 ? 2 : 3,
                     around[1] <= around[i] ? "holds" : "does not hold");
    }
    paper_remark(&t->rows[t->n_rows - 2], "k*");
    return (around[1] <= around[0]) | (around[1] <= around[2]) << 1;
}

void kurnosov_inequalities(struct paper *p, const int (*printed)[2], int n)
{
    static const struct paper_chart chart = {
        .x_axis = "k, chains", .y_axis = "time, units", .x = 2, .series = EACH_OTHER};
    struct paper_table *t = paper_table(p, "Inequalities (2), (3)", "P|k*|k", "units",
                                        "t(k*) <= t(k*-1) and t(k*) <= t(k*+1), a = 3, b = 2");
    int root = 3, advised = 3;

    t->chart = &chart;
    for (int i = 0; i < n; i++) {
        const struct paper_case x = kurnosov_case(p, "kchain", printed[i][0], 1, 1, kurnosov_small);
        const struct kurnosov_costs costs = kurnosov_costs(&x);
        const int nearest = (int)(kurnosov_best_k(&costs, printed[i][0]) + 0.5);

        root &= neighbours(p, t, printed[i][0], nearest, "root");
        advised &= neighbours(p, t, printed[i][0], printed[i][1], "printed");
    }
    paper_note(t, "Its formula: t(k) without its floor, ((P-1)/k + 1)a + (k-1)b. (2) and (3) are "
                  "taken as the conditions of its least value, derived from t(k); root: k* = "
                  "sqrt(a(P-1)/b) to the nearest whole number, printed: that of figure 4.");
    paper_judge(p, "Inequalities (2), (3), k* = sqrt(a(P-1)/b)", root == 3,
                "to the nearest whole number, t(k) has its least there");
    paper_judge(p, "Inequalities (2), (3), the printed k*", advised == 3,
                "10, 15, 18 and 20 are ceil(sqrt(P-1)), below sqrt(a(P-1)/b) as a > b: t(k*+1) is "
                "less");
}
