/* SPDX-License-Identifier: MIT */
/*
 * Liu, Li & Cui: broadcast on a 16 x 16 torus, in one piece or in blocks of m bits that are sent on
 * while the next are on their way. The paper counts bits and cycles; a run counts whole bytes and
 * nanoseconds, of which a cycle here has far more than the machine's own, for a host to keep up.
 */
#include "liu.h"

/* ---- table 1 ---- */

enum { N_COLUMNS = 5 };

static void table_1(struct paper *p)
{
    static const char *const columns[N_COLUMNS] = {"cycle, ns", "width, bits", "Tsnd + Trcv", "g",
                                                   "r"};
    static const struct {
        const char *machine;
        int printed[N_COLUMNS];
    } printed[] = {{"ncube2", {25, 1, 6400, 6400, 40}},
                   {"cm5", {25, 4, 3600, 3600, 8}},
                   {"dash", {30, 16, 30, 40, 2}},
                   {"jmachine", {31, 8, 16, 40, 2}},
                   {"monsoon", {20, 16, 10, 10, 2}}};
    struct paper_table *t =
        paper_table(p, "Table 1", "machine|what", "cycles, if not said otherwise",
                    "the machines, beside the presets (--machine)");

    for (size_t i = 0; i < sizeof(printed) / sizeof(printed[0]); i++) {
        const struct logp_preset *m = logp_preset_find(printed[i].machine);
        const int64_t ours[N_COLUMNS] = {m->cycle_ns, m->width, m->overhead, m->gap, m->delay};

        for (int k = 0; k < N_COLUMNS; k++) {
            struct paper_row *row = paper_row(t, "%s|%s", m->name, columns[k]);

            row->value[PRINTED] = printed[i].printed[k];
            row->value[PREDICTED] = (double)ours[k];
            paper_compare(p, "Table 1", printed[i].printed[k], row->value[PREDICTED]);
        }
    }
    paper_judge(p, "Table 1", paper_same(t, PRINTED, PREDICTED), "the presets are its numbers");
}

/* ---- figure 5 ---- */

static void figure_5(struct paper *p)
{
    static const char *const machines[] = {"dash", "monsoon", "jmachine"};
    static const int bits[] = {40,  56,  72,  88,  104, 120, 128, 144, 168, 192, 200, 248,
                               256, 328, 336, 416, 496, 504, 600, 704, 800, 904, 992, 1000};
    static const struct paper_chart chart = {
        .x_axis = "m, bits of a block", .y_axis = "gain, %", .x = 1};
    struct paper_table *t = paper_table(p, "Figure 5", "machine|m", "%",
                                        "gain over m, 256 processors, M = 1000 bits, C = 1000");

    t->chart = &chart;
    for (int i = 0; i < 3; i++) {
        const struct logp_torus torus = liu_torus(machines[i], 1000, 1000);
        struct paper_row plain = liu_no_row;

        liu_plain(p, &torus, &plain);
        for (size_t k = 0; k < sizeof(bits) / sizeof(bits[0]); k++) {
            struct paper_row blocks = liu_no_row,
                             *row = paper_row(t, "%s|%d", machines[i], bits[k]);

            liu_pipelined(p, &torus, bits[k], bits[k] / 8, &blocks);
            liu_gain(row, &plain, &blocks);
        }
    }
    paper_judge_none(p, "Figure 5",
                     "curves; by (6) the gain has steps, where a block more counts "
                     "as a whole one; the true one is smooth, and higher where a hop "
                     "takes at least g");
    paper_note(t,
               "Blocks of whole bytes; the paper prints curves, no values. Where a hop takes less "
               "than g, which small blocks do, (6) is no bound, and the gain by it is too high.");
}

static void fill(struct paper *p)
{
    table_1(p);
    liu_examples(p);
    liu_formulas(p);
    figure_5(p);
    liu_listings(p);
}

const struct paper_kind paper_liu = {
    .name = "liu",
    .title = "Liu, Li & Cui 1996: pipelined broadcast on a torus",
    .fill = fill,
};
