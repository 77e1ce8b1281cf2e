/* SPDX-License-Identifier: MIT */
/*
 * Kurnosov's inequalities (2) and (3), from which k* = sqrt(a(P-1)/b) follows. They are evaluated
 * as the two conditions under which t(k*), without its floor, is the least: it is not above
 * t(k*-1), nor above t(k*+1). No number of them is printed.
 */
#include "kurnosov.h"

#include <stdio.h>

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
