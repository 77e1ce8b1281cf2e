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

const struct paper_row liu_no_row = {.value = {NAN, NAN, NAN, NAN, NAN}};

/* ---- formulas (2), (3) and (5), evaluated and run. In (5) blocks are sent on, and the message is
 * processed when it is there as a whole: a run of the blocks, and C. (2) and (3) are taken as the
 * two cases of (6) in which nothing is processed: the gap decides, or the overhead does. No number
 * of them is printed. ---- */

/* Which formula, on which machine, with blocks of m bits. */
struct formula {
    int number;
    const char *machine;
    int m;
};

enum { BITS = 1024 };

static double evaluate(const struct formula *f, const struct logp_torus *t, int64_t work)
{
    const struct logp_preset *q = t->machine;
    const double more = (double)((t->M - 1) / f->m); /* blocks after the first */

    return liu_across(t, f->m) + more * (double)(f->number == 3 ? 2 * q->overhead : 4 * q->gap) +
           (double)work;
}

/* Where each block is processed before the next is received, in cycles. */
static double block_by_block(struct paper *p, const struct formula *f)
{
    const struct logp_torus torus = liu_torus(f->machine, BITS, BITS);
    struct paper_case x = liu_case(p, &torus, "torus-pipelined", f->m / 8);

    x.c.args.no_overlap = 1;
    return paper_emulated(p, &x);
}

static void fill_row(struct paper *p, struct paper_table *t, const struct formula *f)
{
    const int64_t work = f->number == 5 ? BITS : 0;
    const struct logp_torus torus = liu_torus(f->machine, BITS, 0);
    const struct paper_case x = liu_case(p, &torus, "torus-pipelined", f->m / 8);
    const struct logp_preset *q = torus.machine;
    struct paper_row *row = paper_row(t, "%d|%s|%d", f->number, f->machine, f->m);

    row->value[FORMULA] = evaluate(f, &torus, work);
    paper_run(p, &x, row);
    for (int v = PREDICTED; v < N_VALUES; v++)
        row->value[v] += (double)work;
    if (f->number == 5)
        paper_remark(row, "block by block: %.7g", block_by_block(p, f));
    else if ((4 * q->gap >= 2 * q->overhead) != (f->number == 2))
        paper_remark(row, "the other case holds");
}

void liu_formulas(struct paper *p)
{
    static const struct formula list[] = {
        {2, "dash", 256}, {2, "monsoon", 128}, {2, "jmachine", 128},
        {3, "dash", 256}, {3, "monsoon", 128}, {3, "jmachine", 128},
        {5, "dash", 256}, {5, "monsoon", 256}, {5, "jmachine", 128},
    };
    struct paper_table *t = paper_table(p, "Formulas (2), (3), (5)", "formula|machine|m", "cycles",
                                        "in blocks of m bits, n = 16, M = 1024, C = 0 or, (5), M");

    for (size_t i = 0; i < sizeof(list) / sizeof(list[0]); i++)
        fill_row(p, t, &list[i]);
    paper_note(t,
               "Its formulas: (2) n(Tsnd + m/w + r + Trcv) + (ceil(M/m) - 1) 4g, and (3) the same "
               "with Trcv + 3 Tsnd for 4g, both derived from (6) with C = 0; (5) n(Tsnd + m/w + r "
               "+ Trcv) + (ceil(M/m) - 1) 4g + C.");
    paper_note(t,
               "(5): a run of the blocks, and C after it. Block by block: each block is processed "
               "before the next is received.");
    paper_judge(p, "Formula (2), the gap decides", paper_same_of(t, 0, "2", FORMULA, EMULATED),
                "it agrees where a hop takes at least g, as on DASH and Monsoon; a hop of the "
                "J-machine takes less");
    paper_judge(p, "Formula (3), the overhead decides", paper_same_of(t, 0, "3", FORMULA, EMULATED),
                "the overhead decides on none of these machines: four sends take 4g");
    paper_judge(p, "Formula (5), without overlap", paper_same_of(t, 0, "5", FORMULA, EMULATED),
                "it agrees where a hop takes at least g; processing block by block takes less");
}
