/* SPDX-License-Identifier: MIT */
/*
 * Liu, Li & Cui: broadcast on a 16 x 16 torus, in one piece or in blocks of m bits that are sent on
 * while the next are on their way. The paper counts bits and cycles; a run counts whole bytes and
 * nanoseconds, of which a cycle here has far more than the machine's own, for a host to keep up.
 */
#include "paper.h"

#include <string.h>

enum { SIDE = 16, PROCESSORS = SIDE * SIDE, SLOW_CYCLES = 1000 };

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
            p->wrong |= printed[i].printed[k] != ours[k];
        }
    }
}

/* ---- runs ---- */

static struct logp_torus make_torus(const char *machine, int64_t bits, int64_t work)
{
    return (struct logp_torus){
        .machine = logp_preset_find(machine), .n = SIDE, .M = bits, .C = work};
}

/* A broadcast in blocks of so many bytes; whole: 0. */
static struct paper_case make_case(const struct paper *p, const struct logp_torus *t,
                                   const char *algorithm, int64_t block_bytes)
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

static double gain(double plain, double pipelined)
{
    return 100 * (plain - pipelined) / plain;
}

/* The gains of all that both rows have, in percent. */
static void fill_gain(struct paper_row *row, const struct paper_row *plain,
                      const struct paper_row *pipelined)
{
    for (int v = FORMULA; v < N_VALUES; v++)
        row->value[v] = gain(plain->value[v], pipelined->value[v]);
}

/* In one piece: the paper's formula, and a run. */
static void run_plain(struct paper *p, const struct logp_torus *t, struct paper_row *row)
{
    const struct paper_case x = make_case(p, t, "torus", 0);

    row->value[FORMULA] = (double)logp_torus_plain(t);
    paper_run(p, &x, row);
}

/* In blocks of m bits by the formula, and of so many bytes in the run. */
static void run_pipelined(struct paper *p, const struct logp_torus *t, int64_t m, int64_t bytes,
                          struct paper_row *row)
{
    const struct paper_case x = make_case(p, t, "torus-pipelined", bytes);

    row->value[FORMULA] = (double)logp_torus_pipelined(t, m);
    paper_run(p, &x, row);
}

static const struct paper_row no_row = {.value = {NAN, NAN, NAN, NAN, NAN}};

/* ---- is it worth while? ---- */

static void say_gain(struct paper_row *row, const struct paper_row *plain,
                     const struct paper_row *blocks, int64_t best)
{
    const double whole = plain->value[PREDICTED], pipelined = blocks->value[PREDICTED];

    if (isnan(whole) || isnan(pipelined))
        return;
    if (pipelined < whole)
        paper_remark(row, "%.0f cycles in one piece, %.0f in blocks of %lld bits: %.1f %%", whole,
                     pipelined, (long long)best, gain(whole, pipelined));
    else
        paper_remark(row, "%.0f cycles in one piece, and no blocks take less", whole);
}

static void worth(struct paper *p)
{
    static const char *const machines[] = {"ncube2", "cm5", "dash", "jmachine", "monsoon"};
    struct paper_table *t = paper_table(p, "Condition", "machine", "1 yes, 0 no",
                                        "is pipelining worth while? n = 16, M = C = 1024");

    for (size_t i = 0; i < sizeof(machines) / sizeof(machines[0]); i++) {
        const struct logp_torus torus = make_torus(machines[i], 1024, 1024);
        struct paper_row plain = no_row, blocks = no_row;
        struct paper_row *row = paper_row(t, "%s", machines[i]);
        const struct paper_case x = make_case(p, &torus, "torus-pipelined", 0);

        run_plain(p, &torus, &plain);
        paper_run(p, &x, &blocks);
        if (strcmp(machines[i], "cm5") == 0)
            row->value[PRINTED] = 0;
        row->value[FORMULA] = logp_torus_pipelining_helps(&torus);
        for (int v = PREDICTED; v < N_VALUES && !isnan(plain.value[EMULATED]); v++)
            if (!isnan(plain.value[v]))
                row->value[v] = blocks.value[v] < plain.value[v];
        say_gain(row, &plain, &blocks, 8 * paper_algorithm(&x)->block(x.P, &x.c));
    }
    paper_note(t, "Its formula: nM/w + C >= max(8g, 2(Trcv + 3 Tsnd) + C).");
}

/* ---- the examples ---- */

/* One example with blocks of m bits; printed values are NAN where there are none. */
static void example(struct paper *p, struct paper_table *t, const struct logp_torus *torus,
                    int64_t m, double plain_printed, double blocks_printed, double gain_printed)
{
    const int64_t bytes = (m + 4) / 8; /* the nearest */
    struct paper_row plain, blocks, *row;

    row = paper_row(t, "%s|%lld|-|in one piece", torus->machine->name, (long long)torus->M);
    row->value[PRINTED] = plain_printed;
    run_plain(p, torus, row);
    plain = *row;
    row = paper_row(t, "%s|%lld|%lld|in blocks", torus->machine->name, (long long)torus->M,
                    (long long)m);
    row->value[PRINTED] = blocks_printed;
    run_pipelined(p, torus, m, bytes, row);
    if (m % 8 != 0)
        paper_remark(row, "%lld bits are no whole bytes: run with %lld", (long long)m,
                     8 * (long long)bytes);
    blocks = *row;
    row = paper_row(t, "%s|%lld|%lld|gain, %%", torus->machine->name, (long long)torus->M,
                    (long long)m);
    row->value[PRINTED] = gain_printed;
    fill_gain(row, &plain, &blocks);
}

static void advice(struct paper_table *t, const struct paper *p, const struct logp_torus *torus,
                   double printed)
{
    const struct paper_case x = make_case(p, torus, "torus-pipelined", 0);
    struct paper_row *row = paper_row(t, "%s|%lld", torus->machine->name, (long long)torus->M);

    row->value[PRINTED] = printed;
    row->value[FORMULA] = (double)logp_torus_block_by_work(torus);
    row->value[PREDICTED] = (double)(8 * paper_algorithm(&x)->block(x.P, &x.c));
    paper_remark(row, "of all whole bits %lld makes (6) least",
                 (long long)logp_torus_best_block(torus));
}

static void examples(struct paper *p)
{
    const struct logp_torus dash = make_torus("dash", 1024, 1024),
                            monsoon = make_torus("monsoon", 1024, 1024),
                            dash2 = make_torus("dash", 2048, 2048),
                            monsoon2 = make_torus("monsoon", 2048, 2048);
    struct paper_table *m = paper_table(p, "Block sizes", "machine|M", "bits",
                                        "the block that is advised, n = 16, C = M");
    struct paper_table *t = paper_table(p, "Examples", "machine|M|m|what", "cycles",
                                        "in one piece against in blocks, n = 16, C = M");

    advice(m, p, &dash, 248);
    advice(m, p, &monsoon, 144);
    advice(m, p, &dash2, NAN);
    advice(m, p, &monsoon2, NAN);
    paper_note(m, "Its formula: sqrt((Trcv + 3 Tsnd) w M / n), rounded up; predicted: the block of "
                  "whole bytes with the least exact time.");
    example(p, t, &dash, 248, 2560, 2240, 12.5);
    example(p, t, &dash, 256, NAN, NAN, NAN);
    example(p, t, &monsoon, 144, 2240, 1628, 27.3);
    example(p, t, &dash2, logp_torus_block_by_work(&dash2), NAN, NAN, 29);
    example(p, t, &monsoon2, logp_torus_block_by_work(&monsoon2), NAN, NAN, 34);
    paper_note(t, "Its formulas: n(Tsnd + M/w + r + Trcv) + C, and (6), an upper bound. m = 248 is "
                  "a poor size for DASH: it takes a fifth block, of 32 bits, which (6) counts as a "
                  "whole one; 256 makes four.");
}

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
        const struct logp_torus torus = make_torus(machines[i], 1000, 1000);
        struct paper_row plain = no_row;

        run_plain(p, &torus, &plain);
        for (size_t k = 0; k < sizeof(bits) / sizeof(bits[0]); k++) {
            struct paper_row blocks = no_row, *row = paper_row(t, "%s|%d", machines[i], bits[k]);

            run_pipelined(p, &torus, bits[k], bits[k] / 8, &blocks);
            fill_gain(row, &plain, &blocks);
        }
    }
    paper_note(t,
               "Blocks of whole bytes; the paper prints curves, no values. Where a hop takes less "
               "than g, which small blocks do, (6) is no bound, and the gain by it is too high.");
}

void paper_liu(struct paper *p)
{
    table_1(p);
    worth(p);
    examples(p);
    figure_5(p);
}
