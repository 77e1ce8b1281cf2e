/* SPDX-License-Identifier: MIT */
/*
 * Liu, Li & Cui: broadcast on a 16 x 16 torus, in one piece or in blocks of m bits that are sent on
 * while the next are on their way. The paper counts bits and cycles; a run counts whole bytes and
 * nanoseconds, of which a cycle here has far more than the machine's own, for a host to keep up.
 */
#include "liu.h"

enum { PROCESSORS = LIU_SIDE * LIU_SIDE, SLOW_CYCLES = 1000 };

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

/* ---- runs ---- */

struct logp_torus liu_torus(const char *machine, int64_t bits, int64_t work)
{
    return (struct logp_torus){
        .machine = logp_preset_find(machine), .n = LIU_SIDE, .M = bits, .C = work};
}

struct paper_case liu_case(const struct paper *p, const struct logp_torus *t, const char *algorithm,
                           int64_t block_bytes)
{
    struct logp_preset scaled = *t->machine;

    scaled.cycle_ns = paper_unit(p, scaled.gap < SLOW_CYCLES ? 2000 : 50);
    return (struct paper_case){.collective = "broadcast",
                               .algorithm = algorithm,
                               .P = PROCESSORS,
                               .unit_ns = scaled.cycle_ns,
                               .c = {.params = logp_preset_params(&scaled),
                                     .n_bytes = (size_t)t->M / 8,
                                     .work_ns = t->C * scaled.cycle_ns,
                                     .block_bytes = block_bytes}};
}

double liu_percent(double plain, double pipelined)
{
    return 100 * (plain - pipelined) / plain;
}

void liu_gain(struct paper_row *row, const struct paper_row *plain,
              const struct paper_row *pipelined)
{
    for (int v = FORMULA; v < N_VALUES; v++)
        row->value[v] = liu_percent(plain->value[v], pipelined->value[v]);
}

void liu_plain(struct paper *p, const struct logp_torus *t, struct paper_row *row)
{
    const struct paper_case x = liu_case(p, t, "torus", 0);

    row->value[FORMULA] = (double)logp_torus_plain(t);
    paper_run(p, &x, row);
}

void liu_pipelined(struct paper *p, const struct logp_torus *t, int64_t m, int64_t bytes,
                   struct paper_row *row)
{
    const struct paper_case x = liu_case(p, t, "torus-pipelined", bytes);

    row->value[FORMULA] = (double)logp_torus_pipelined(t, m);
    paper_run(p, &x, row);
}

const struct paper_row liu_no_row = {.value = {NAN, NAN, NAN, NAN, NAN}};

/* ---- figure 5 ---- */

static void figure_5(struct paper *p)
{
    static const char *const machines[] = {"dash", "monsoon", "jmachine"};
    static const int bits[] = {40,  56,  72,  88,  104, 120, 128, 144, 168, 192, 200, 248,
                               256, 328, 336, 416, 496, 504, 600, 704, 800, 904, 992, 1000};
    static const struct paper_chart chart = {
        .x_axis = "m, bits of a block", .y_axis = "gain, %", .x = 1, .y_lowest = -50};
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

void paper_liu(struct paper *p)
{
    table_1(p);
    liu_examples(p);
    figure_5(p);
}
