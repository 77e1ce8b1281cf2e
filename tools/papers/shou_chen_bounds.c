/* SPDX-License-Identifier: MIT */
/*
 * Shou & Chen, theorem 4: min{g, L+2o} log P <= T_B < max{g, L+2o} log 4P, where T_B is the time of
 * the optimal broadcast and the logarithm is of base 2.
 */
#include "shou_chen.h"

static double lower(int L, int o, int g, int64_t P)
{
    return fmin(g, L + 2 * o) * log2((double)P);
}

static double upper(int L, int o, int g, int64_t P)
{
    return fmax(g, L + 2 * o) * log2(4 * (double)P);
}

/* T_B by the library, in units. */
static int64_t time_of(int L, int o, int g, int64_t P)
{
    struct logp_tree tree;

    return logp_tree_init(&tree, P, L + 2 * o, g > o ? g : o) == 0 ? logp_tree_time(&tree) : -1;
}

/* The cases of a grid with g >= o in which both hold. @return how many cases there are */
static int try_all(int *holds)
{
    static const int64_t sizes[] = {2, 3, 4, 5, 7, 8, 9, 16, 31, 64, 100, 1000, 65536};
    int n = 0;

    *holds = 0;
    for (int L = 0; L <= 12; L++)
        for (int o = 0; o <= 4; o++)
            for (int g = o > 0 ? o : 1; g <= 12; g++)
                for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]) && L + o > 0; i++) {
                    const double T = (double)time_of(L, o, g, sizes[i]);

                    *holds += lower(L, o, g, sizes[i]) <= T && T < upper(L, o, g, sizes[i]);
                    n++;
                }
    return n;
}

void shou_chen_bounds(struct paper *p)
{
    static const struct shou_chen_model models[] = {
        {"6,2,4", 6, 2, 4}, {"1,0,9", 1, 0, 9}, {"3,0,1", 3, 0, 1}};
    static const int sizes[] = {2, 8, 16, 100};
    static const struct paper_chart chart = {
        .x_axis = "P", .y_axis = "time, units", .x = 2, .series = EACH_OTHER, .log_x = true};
    struct paper_table *t = paper_table(p, "Theorem 4", "L,o,g|side|P", "units",
                                        "min{g, L+2o} log P <= T_B < max{g, L+2o} log 4P");
    bool agrees = true;
    int n, holds;

    t->chart = &chart;
    for (size_t i = 0; i < sizeof(models) / sizeof(models[0]); i++)
        for (int side = 0; side < 2; side++)
            for (size_t k = 0; k < sizeof(sizes) / sizeof(sizes[0]); k++) {
                const struct shou_chen_model *m = &models[i];
                const struct paper_case x = shou_chen_case(p, "broadcast", "optimal", sizes[k], m);
                struct paper_row *row =
                    paper_row(t, "%s|%s|%d", m->label, side == 0 ? "least" : "less than", sizes[k]);

                row->value[FORMULA] = (side == 0 ? lower : upper)(m->L, m->o, m->g, sizes[k]);
                paper_run(p, &x, row);
                agrees = agrees && (side == 0 ? row->value[FORMULA] <= row->value[EMULATED]
                                              : row->value[FORMULA] > row->value[EMULATED]);
            }
    n = try_all(&holds);
    paper_note(t,
               "Its formula: the two sides, log of base 2; predicted and virtual: T_B. Both hold "
               "in %d of %d cases with L <= 12, o <= 4, o <= g <= 12, P <= 65536.",
               holds, n);
    paper_judge(p, "Theorem 4, min{g, L+2o} log P <= T_B < max{g, L+2o} log 4P",
                agrees && holds == n, "it holds in %d of %d cases", holds, n);
}
