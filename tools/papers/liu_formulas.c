/* SPDX-License-Identifier: MIT */
/*
 * Liu, Li & Cui: a broadcast on a 16 x 16 torus by the paper's formulas, and run.
 */
#include "papers/paper.h"
#include <logp/paper.h>

enum { PROCESSORS = LIU_SIDE * LIU_SIDE, SLOW_CYCLES = 1000 };

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
                               .c = {.model.params = logp_preset_params(&scaled),
                                     .args.n_bytes = (size_t)t->M / 8,
                                     .args.work_ns = t->C * scaled.cycle_ns,
                                     .args.block_bytes = block_bytes}};
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

/* n (Tsnd + m/w + r + Trcv): one block of m bits across the torus, in cycles. */
static double liu_across(const struct logp_torus *t, int64_t m)
{
    const struct logp_preset *q = t->machine;

    return (double)t->n * ((double)(q->overhead + q->delay) + (double)m / (double)q->width);
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

const struct paper_row liu_no_row = {.value = {NAN, NAN, NAN, NAN, NAN, NAN}};

/* ---- formulas (2) and (3): a message in one piece may reach the last node on two ways ---- */

#define FORMULAS "Formulas (2), (3), (5)"

/* g < D, and with a message of 16 bits g > D. */
static const struct {
    const char *machine;
    int bits;
} whole[] = {{"dash", 1024}, {"monsoon", 1024}, {"jmachine", 1024}, {"dash", 16}, {"jmachine", 16}};

/* D, a message of one hop. */
static double one_hop(const struct logp_torus *t)
{
    return liu_across(t, t->M) / (double)t->n;
}

static void two_ways(struct paper *p)
{
    struct paper_table *t = paper_table(p, FORMULAS, "machine|M|formula", "cycles",
                                        "a message of M bits in one piece, n = 16, C = 0");
    bool within = true, beyond = true;
    struct paper_row *row = NULL;

    for (size_t i = 0; i < sizeof(whole) / sizeof(whole[0]); i++) {
        const struct logp_torus torus = liu_torus(whole[i].machine, whole[i].bits, 0);
        const struct paper_case x = liu_case(p, &torus, "torus", 0);
        const double D = one_hop(&torus), g = (double)torus.machine->gap, n = LIU_SIDE;
        const double ways[] = {n * D, (n - 1) * D + g};

        row = paper_row(t, "%s|%d|(2)", whole[i].machine, whole[i].bits);
        row->value[FORMULA] = ways[0];
        row = paper_row(t, "%s|%d|(3)", whole[i].machine, whole[i].bits);
        row->value[FORMULA] = ways[1];
        if (g > D)
            row->value[DERIVED] = (n - 3) * D + 3 * g;
        row = paper_row(t, "%s|%d|the longer", whole[i].machine, whole[i].bits);
        row->value[FORMULA] = fmax(ways[0], ways[1]);
        row->value[DERIVED] = fmax(ways[0], (n - 3) * D + 3 * g);
        paper_run(p, &x, row);
        *(g > D ? &beyond : &within) &= row->value[FORMULA] == row->value[EMULATED];
        paper_remark(row, g > D ? "g > D" : "g <= D");
    }
    paper_note(t, "Its formulas: (2) t = n(Tsnd + M/w + r + Trcv), (3) t1 = (n-1)(Tsnd + M/w + r + "
                  "Trcv) + g. With D = Tsnd + M/w + r + Trcv the second way takes (n-3)D + 3g, "
                  "which counts for g > D.");
    paper_judge(p, "(2), (3), the longer of the two, g <= D", within,
                "DASH, Monsoon and J-machine with M = 1024; (2) is the longer");
    paper_judge(p, "(2), (3), the longer of the two, g > D", beyond,
                "the second way takes (n-3)D + 3g: J-machine with M = 16 takes %g in place of %g",
                row->value[EMULATED], row->value[FORMULA]);
}

/* ---- formula (5): blocks are sent on, and the message is processed when it is there as a whole: a
 * run of the blocks, and C ---- */

static const struct {
    const char *machine;
    int m;
} blocks_of_5[] = {{"dash", 256}, {"monsoon", 256}, {"jmachine", 128}};

enum { BITS = 1024 };

static void without_overlap(struct paper *p)
{
    struct paper_table *t = paper_table(p, FORMULAS, "machine|m", "cycles",
                                        "in blocks of m bits by (5), n = 16, M = C = %d", BITS);
    bool less = true; /* block by block */

    for (size_t i = 0; i < sizeof(blocks_of_5) / sizeof(blocks_of_5[0]); i++) {
        const int m = blocks_of_5[i].m;
        const struct logp_torus idle = liu_torus(blocks_of_5[i].machine, BITS, 0),
                                busy = liu_torus(blocks_of_5[i].machine, BITS, BITS);
        const struct paper_case x = liu_case(p, &idle, "torus-pipelined", m / 8);
        struct paper_case by_block = liu_case(p, &busy, "torus-pipelined", m / 8);
        struct paper_row *row = paper_row(t, "%s|%d", blocks_of_5[i].machine, m);
        double processed;

        by_block.c.args.no_overlap = 1;
        row->value[FORMULA] =
            liu_across(&idle, m) + (double)((BITS - 1) / m) * 4 * (double)idle.machine->gap + BITS;
        paper_run(p, &x, row);
        for (int v = PREDICTED; v < N_VALUES; v++)
            row->value[v] += BITS;
        processed = paper_emulated(p, &by_block);
        less &= processed < row->value[EMULATED];
        paper_remark(row, "block by block: %.7g", processed);
    }
    paper_note(t, "Its formula: n(Tsnd + m/w + r + Trcv) + (ceil(M/m) - 1) 4g + C. A run of the "
                  "blocks, and C after it. Block by block: each block is processed before the next "
                  "is received.");
    paper_judge(p, "(5), without overlap", paper_same(t, FORMULA, EMULATED),
                "it agrees where a hop takes at least g; processing block by block takes %s",
                less ? "less" : "no less");
}

void liu_formulas(struct paper *p)
{
    two_ways(p);
    without_overlap(p);
}
