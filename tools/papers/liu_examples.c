/* SPDX-License-Identifier: MIT */
/* Liu, Li & Cui: when blocks are worth while, their best size, and the paper's examples. */
#include "papers/paper.h"

#include <stdio.h>
#include <string.h>
#include <logp/paper.h>

enum { CONCLUDED = 30 }; /* percent, "about" */

/* ---- (8): when blocks are worth while ---- */

static void say_gain(struct paper_row *row, const struct paper_row *plain,
                     const struct paper_row *blocks, int64_t best)
{
    const double whole = plain->value[PREDICTED], pipelined = blocks->value[PREDICTED];

    if (isnan(whole) || isnan(pipelined))
        return;
    if (pipelined < whole)
        paper_remark(row, "%.0f cycles in one piece, %.0f in blocks of %lld bits: %.1f %%", whole,
                     pipelined, (long long)best, liu_percent(whole, pipelined));
    else
        paper_remark(row, "%.0f cycles in one piece, and no blocks take less", whole);
}

/* (8) as printed: nM/w + C >= 4g or nM/w >= Trcv + 3 Tsnd; without fractions. */
static bool printed_condition(const struct logp_torus *t)
{
    const struct logp_preset *m = t->machine;
    const int64_t half = m->overhead / 2, bits = t->n * t->M;

    return bits >= (4 * m->gap - t->C) * m->width ||
           bits >= (m->overhead - half + 3 * half) * m->width;
}

static void worth(struct paper *p)
{
    static const struct {
        const char *machine;
        double printed;
    } list[] = {{"ncube2", NAN}, {"cm5", 0}, {"dash", 1}, {"jmachine", NAN}, {"monsoon", 1}};
    struct paper_table *t = paper_table(p, "Condition", "machine", "1 yes, 0 no",
                                        "(8): is pipelining worth while? n = 16, M = C = 1024");

    for (size_t i = 0; i < sizeof(list) / sizeof(list[0]); i++) {
        const struct logp_torus torus = liu_torus(list[i].machine, 1024, 1024);
        struct paper_row plain = liu_no_row, blocks = liu_no_row;
        struct paper_row *row = paper_row(t, "%s", list[i].machine);
        const struct paper_case x = liu_case(p, &torus, "torus-pipelined", 0);

        liu_plain(p, &torus, &plain);
        paper_run(p, &x, &blocks);
        row->value[PRINTED] = list[i].printed;
        row->value[FORMULA] = printed_condition(&torus);
        row->value[PREDICTED] = logp_torus_pipelining_helps(&torus);
        for (int v = EMULATED; v < N_VALUES && !isnan(plain.value[EMULATED]); v++)
            if (!isnan(plain.value[v]))
                row->value[v] = blocks.value[v] < plain.value[v];
        paper_compare(p, "(8)", row->value[PREDICTED], row->value[EMULATED]);
        say_gain(row, &plain, &blocks, 8 * paper_knob(&x, "block"));
    }
    paper_note(t,
               "Its formula as printed: nM/w + C >= 4g or nM/w >= Trcv + 3 Tsnd. It must be "
               "\"and\", and with the second of two blocks: ours is nM/w + C >= max(8g, 2(Trcv + "
               "3 Tsnd) + C).");
    paper_judge(
        p, "(8), as printed", paper_same(t, FORMULA, EMULATED),
        "with \"or\" it accepts nCUBE/2, where nM/w = 16384 >= Trcv + 3 Tsnd = 12800, but no "
        "blocks take less; it needs \"and\"");
    paper_judge(p, "(8), CM-5 no, DASH and Monsoon yes",
                paper_same(t, PRINTED, FORMULA) && paper_same(t, PRINTED, EMULATED),
                "by its condition and by ours");
}

/* ---- the examples ---- */

/* The examples, C = M, and the printed numbers; NAN: not printed. m = 0: as (9) advises. */
static const struct example {
    const char *machine;
    int M, m;
    double plain, blocks, less, gain;
} list_of_examples[] = {
    {"dash", 1024, 248, 2560, 2240, 320, 12.5},    {"dash", 1024, 256, NAN, NAN, NAN, NAN},
    {"monsoon", 1024, 144, 2240, 1628, 612, 27.3}, {"dash", 2048, 0, NAN, NAN, NAN, 29},
    {"monsoon", 2048, 0, NAN, NAN, NAN, 34},       {"jmachine", 2048, 0, NAN, NAN, NAN, CONCLUDED}};

enum { N_EXAMPLES = sizeof(list_of_examples) / sizeof(list_of_examples[0]), ROWS_EACH = 4 };

static struct paper_row *example_row(struct paper_table *t, const struct example *e, int64_t m,
                                     const char *what, double printed)
{
    char block[24] = "-";
    struct paper_row *row;

    if (m > 0)
        snprintf(block, sizeof(block), "%lld", (long long)m);
    row = paper_row(t, "%s|%d|%s|%s", e->machine, e->M, block, what);
    row->value[PRINTED] = printed;
    return row;
}

static void example(struct paper *p, struct paper_table *t, const struct example *e)
{
    const struct logp_torus torus = liu_torus(e->machine, e->M, e->M);
    const int64_t m = e->m > 0 ? e->m : logp_torus_block_by_work(&torus);
    const int64_t bytes = (m + 4) / 8; /* the nearest */
    struct paper_row plain, blocks, *row;

    row = example_row(t, e, 0, "in one piece", e->plain);
    liu_plain(p, &torus, row);
    plain = *row;
    row = example_row(t, e, m, "in blocks", e->blocks);
    liu_pipelined(p, &torus, m, bytes, row);
    if (m % 8 != 0)
        paper_remark(row, "%lld bits are not whole bytes: run with %lld", (long long)m,
                     8 * (long long)bytes);
    blocks = *row;
    row = example_row(t, e, m, "(7), less", e->less);
    for (int v = FORMULA; v < N_VALUES; v++)
        row->value[v] = plain.value[v] - blocks.value[v];
    row = example_row(t, e, m, "gain, %", e->gain);
    liu_gain(row, &plain, &blocks);
}

/* The first example as it is printed: (1024/28) for the number of blocks, rounded up. */
static void slip(struct paper *p, struct paper_table *t)
{
    const struct example *e = &list_of_examples[0];
    const struct logp_torus torus = liu_torus(e->machine, e->M, e->M);
    const struct logp_preset *q = torus.machine;
    const int64_t busy = 2 * q->overhead + e->m; /* Trcv + 3 Tsnd + Cm/M */
    const int64_t apart = busy > 4 * q->gap ? busy : 4 * q->gap;
    const int64_t more = (e->M + 27) / 28 - (e->M + e->m - 1) / e->m;
    struct paper_row *row = example_row(t, e, e->m, "with (1024/28)", e->blocks);

    row->value[FORMULA] = (double)(logp_torus_pipelined(&torus, e->m) + more * apart);
    paper_judge(p, "(6), DASH with (1024/28)", row->value[PRINTED] == row->value[FORMULA],
                "a slip for 248: with 28 it gives %g, and with 248 %g", row->value[FORMULA],
                (double)logp_torus_pipelined(&torus, e->m));
}

/* (9): the advice where overhead and processing decide; and where the gap does. */
static void advice(struct paper_table *t, const struct paper *p, const struct logp_torus *torus,
                   double printed)
{
    const struct paper_case x = liu_case(p, torus, "torus-pipelined", 0);
    struct paper_row *row = paper_row(t, "%s|%lld", torus->machine->name, (long long)torus->M);

    row->value[PRINTED] = printed;
    row->value[FORMULA] = (double)logp_torus_block_by_work(torus);
    row->value[PREDICTED] = (double)(8 * paper_knob(&x, "block"));
    paper_remark(row, "(6) is least at %lld of all whole bits",
                 (long long)logp_torus_best_block(torus));
}

static void advice_by_gap(struct paper_table *t, const struct paper *p,
                          const struct logp_torus *torus)
{
    const struct paper_case x = liu_case(p, torus, "torus-pipelined", 0);
    const struct logp_preset *m = torus->machine;
    const int64_t block = logp_torus_block_by_gap(torus); /* with the M that is missing */
    const int64_t busy = 2 * m->overhead + torus->C * block / torus->M;
    struct paper_row *row =
        paper_row(t, "%s|%lld|%lld", m->name, (long long)torus->M, (long long)torus->C);

    row->value[FORMULA] =
        ceil(sqrt(4 * (double)m->gap /
                  ((double)torus->n / (double)m->width + (double)torus->C / (double)torus->M)));
    row->value[DERIVED] = (double)block;
    row->value[PREDICTED] = (double)(8 * paper_knob(&x, "block"));
    paper_remark(row, 4 * m->gap >= busy ? "the gap decides" : "case 2 holds: processing decides");
}

static const int64_t lengths[] = {1024, 2048};

static void block_sizes(struct paper *p)
{
    static const struct {
        const char *machine;
        double printed[2];
    } list[] = {{"dash", {248, NAN}}, {"monsoon", {144, NAN}}, {"jmachine", {NAN, NAN}}};
    struct paper_table *by_work = paper_table(p, "Block sizes", "machine|M", "bits",
                                              "the block that is advised, n = 16, C = M");
    struct paper_table *by_gap = paper_table(p, "Block sizes", "machine|M|C", "bits",
                                             "(9), case 1: the advice where the gap decides");

    for (int i = 0; i < 2; i++)
        for (size_t k = 0; k < sizeof(list) / sizeof(list[0]); k++) {
            const struct logp_torus torus = liu_torus(list[k].machine, lengths[i], lengths[i]);
            const struct logp_torus idle = liu_torus(list[k].machine, lengths[i], 0);

            advice(by_work, p, &torus, list[k].printed[i]);
            advice_by_gap(by_gap, p, &idle);
            advice_by_gap(by_gap, p, &torus);
        }
    paper_note(by_work, "Its formula, case 2 of (9): sqrt((Trcv + 3 Tsnd) w M / n), rounded up; "
                        "predicted: the block of whole bytes with the least exact time.");
    paper_note(by_gap,
               "Its formula: sqrt(4g / (n/w + C/M)), rounded up, for 4g >= Trcv + 3 Tsnd + Cm/M; "
               "derived here: the same with an M under the root, sqrt(4gM / (n/w + C/M)). Where "
               "that block makes Cm/M too large, the other case holds.");
    paper_judge(p, "(9), case 1", paper_same(by_gap, FORMULA, DERIVED),
                "sqrt(4g / (n/w + C/M)) lacks the M under the root: %s with M = 1024 and C = 0 "
                "gets blocks of %g bits, and with it of %g",
                list[0].machine, by_gap->rows[0].value[FORMULA], by_gap->rows[0].value[DERIVED]);
    paper_judge(p, "(9), blocks of 248 and 144 bits", paper_same(by_work, PRINTED, FORMULA),
                "case 2, sqrt((Trcv + 3 Tsnd) w M / n), rounded up, which is printed with its M");
    paper_judge(
        p, "(9), the best blocks", paper_same(by_work, FORMULA, PREDICTED),
        "it is that of a smooth curve; blocks are whole bytes, and it is best if they divide "
        "the message");
}

/* Whether two numbers of all rows of one kind agree to the digits that the paper prints. */
static bool examples_agree(const struct paper_table *t, const char *what, enum paper_value a,
                           enum paper_value b, double within)
{
    bool agree = true;
    char text[64];

    for (size_t i = 0; i < t->n_rows; i++) {
        const double *v = t->rows[i].value;

        if (strcmp(paper_label(t->rows[i].labels, 3, text), what) == 0 && !isnan(v[a]))
            agree = agree && fabs(v[a] - v[b]) <= within;
    }
    return agree;
}

/* The time of one more block: five blocks of m bits compared with four, with the same C m/M. */
static void between_blocks(struct paper *p)
{
    static const struct {
        const char *machine;
        int m, work; /* C m/M */
    } list[] = {{"dash", 256, 0},      {"dash", 256, 256},   {"monsoon", 144, 0},
                {"monsoon", 144, 144}, {"jmachine", 128, 0}, {"jmachine", 128, 128},
                {"jmachine", 128, 256}};
    struct paper_table *t =
        paper_table(p, "Blocks", "machine|m|Cm/M", "cycles", "the time between two blocks, n = 16");

    for (size_t i = 0; i < sizeof(list) / sizeof(list[0]); i++) {
        struct paper_row rows[2] = {liu_no_row, liu_no_row}, *row;

        for (int k = 0; k < 2; k++) {
            const int64_t n = 4 + k;
            const struct logp_torus torus =
                liu_torus(list[i].machine, n * list[i].m, n * list[i].work);

            liu_pipelined(p, &torus, list[i].m, list[i].m / 8, &rows[k]);
        }
        row = paper_row(t, "%s|%d|%d", list[i].machine, list[i].m, list[i].work);
        for (int v = FORMULA; v < N_VALUES; v++)
            row->value[v] = rows[1].value[v] - rows[0].value[v];
    }
    paper_note(t, "Its formula, a part of (6): max(4g, Trcv + 3 Tsnd + Cm/M).");
    paper_judge(p, "(6), max(4g, Trcv + 3 Tsnd + Cm/M) between blocks",
                paper_same(t, FORMULA, EMULATED), "if processing fills the gaps between sends");
}

/* Whether the gains of DASH and Monsoon agree to the printed digits; for the J-machine there is
 * only the conclusion's "about". */
static bool gains_agree(const struct paper_table *t)
{
    struct paper_table exact = *t;

    exact.n_rows = ROWS_EACH * (N_EXAMPLES - 1);
    return examples_agree(&exact, "gain, %", PRINTED, FORMULA, 0.1);
}

/* Judge "about 30 % for three machines, M = 2048": whether the paper's formulas give 25 to 35 % for
 * all three. */
static void judge_conclusion(struct paper *p, const struct paper_table *t)
{
    static const char *const machines[] = {"dash", "monsoon", "jmachine"};
    const struct paper_row *gains[3] = {&liu_no_row, &liu_no_row, &liu_no_row};
    bool agrees = true;
    char machine[64], M[64], what[64];

    for (size_t i = 0; i < t->n_rows; i++)
        for (int k = 0; k < 3; k++)
            if (strcmp(paper_label(t->rows[i].labels, 0, machine), machines[k]) == 0 &&
                strcmp(paper_label(t->rows[i].labels, 1, M), "2048") == 0 &&
                strcmp(paper_label(t->rows[i].labels, 3, what), "gain, %") == 0)
                gains[k] = &t->rows[i];
    for (int k = 0; k < 3; k++)
        agrees = agrees && fabs(gains[k]->value[FORMULA] - CONCLUDED) <= 5;
    paper_judge(p, "Conclusion, about 30 % for three machines, M = 2048", agrees,
                "by its own formulas DASH %.1f, Monsoon %.1f, J-machine %.1f %%; on the virtual "
                "clock %.1f, %.1f and "
                "%.1f %%",
                gains[0]->value[FORMULA], gains[1]->value[FORMULA], gains[2]->value[FORMULA],
                gains[0]->value[EMULATED], gains[1]->value[EMULATED], gains[2]->value[EMULATED]);
}

static void judge_examples(struct paper *p, const struct paper_table *t)
{
    paper_judge(p, "n(Tsnd + M/w + r + Trcv) + C, 2560 and 2240",
                examples_agree(t, "in one piece", PRINTED, FORMULA, 0) &&
                    examples_agree(t, "in one piece", FORMULA, EMULATED, 0),
                "the time in one piece; exact for even n where a hop takes at least g");
    paper_judge(p, "(6), 2240 and 1628, by its formula",
                examples_agree(t, "in blocks", PRINTED, FORMULA, 0),
                "n(Tsnd + m/w + r + Trcv) + (ceil(M/m) - 1) max(4g, Trcv + 3 Tsnd + Cm/M) + Cm/M");
    paper_judge(
        p, "(6), the time in blocks", examples_agree(t, "in blocks", FORMULA, EMULATED, 0),
        "an upper bound: it counts the last, shorter block as a whole one, and no processing "
        "in the gaps between sends");
    paper_judge(p, "(7), 320 and 612, by its formula",
                examples_agree(t, "(7), less", PRINTED, FORMULA, 0),
                "the time in one piece without that of (6); blocks save more than that");
    paper_judge(p, "Gains, 12.5, 27.3, 29 and 34 %, by its formulas", gains_agree(t),
                "up to its printed digits; blocks gain more than that");
    judge_conclusion(p, t);
}

static void examples(struct paper *p)
{
    struct paper_table *t = paper_table(p, "Examples", "machine|M|m|what", "cycles",
                                        "in one piece against in blocks, n = 16, C = M");

    for (int i = 0; i < N_EXAMPLES; i++)
        example(p, t, &list_of_examples[i]);
    paper_remark(&t->rows[t->n_rows - 1], "printed: about 30, in the conclusion");
    slip(p, t);
    paper_note(t, "Its formulas: n(Tsnd + M/w + r + Trcv) + C, (6), an upper bound, and (7), the "
                  "difference of both. m = 248 is a poor size for DASH: it takes a fifth block, of "
                  "32 bits, which (6) counts as a whole one; 256 makes four.");
    judge_examples(p, t);
}

void liu_examples(struct paper *p)
{
    worth(p);
    block_sizes(p);
    between_blocks(p);
    examples(p);
}
