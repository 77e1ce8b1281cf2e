/* SPDX-License-Identifier: MIT */
/*
 * Liu, Li & Cui: broadcast on a 16 x 16 torus, in one piece or in blocks of m bits that are
 * forwarded while the next are in flight. The paper counts bits and cycles; a run counts whole
 * bytes and nanoseconds. A cycle is far longer here than on the paper's machines, so that a host
 * keeps up.
 */
#include "papers/paper.h"

#include "text/problem.h"

#include <stdlib.h>
#include <string.h>

enum {
    TABLE_1,
    CONDITION,
    BY_WORK,
    BY_GAP,
    BLOCKS,
    EXAMPLES,
    ANY_TORUS,
    TWO_WAYS,
    NO_OVERLAP,
    FIGURE_5,
    ROUTING
};

enum { SIDE = 16, CONCLUDED = 30 /* percent, "about" */ };

#define TORUS "broadcast torus P=256 "
#define PIPELINED "broadcast torus-pipelined P=256 "

/* ---- the formulas ---- */

static struct logp_torus torus_of(const struct paper_case *x)
{
    return (struct logp_torus){.machine = x->machine,
                               .n = SIDE,
                               .M = 8 * (int64_t)x->c.args.n_bytes,
                               .C = x->c.args.work_ns / x->unit_ns};
}

/* Tsnd + m/w + r + Trcv: m bits, one hop. */
static double one_hop(const struct logp_preset *q, double m)
{
    return (double)(q->overhead + q->delay) + m / (double)q->width;
}

/* (8) as printed: nM/w + C >= 4g or nM/w >= Trcv + 3 Tsnd; without fractions. */
static double printed_condition(const struct paper_case *x)
{
    const struct logp_torus t = torus_of(x);
    const struct logp_preset *m = t.machine;
    const int64_t half = m->overhead / 2, bits = t.n * t.M;

    return bits >= (4 * m->gap - t.C) * m->width ||
           bits >= (m->overhead - half + 3 * half) * m->width;
}

static double our_condition(const struct paper_case *x)
{
    const struct logp_torus t = torus_of(x);

    return logp_torus_pipelining_helps(&t);
}

static double block_by_work(const struct paper_case *x)
{
    const struct logp_torus t = torus_of(x);

    return (double)logp_torus_block_by_work(&t);
}

/* With the M that is missing. */
static double block_by_gap(const struct paper_case *x)
{
    const struct logp_torus t = torus_of(x);

    return (double)logp_torus_block_by_gap(&t);
}

static double printed_block_by_gap(const struct paper_case *x)
{
    const struct logp_torus t = torus_of(x);

    return ceil(sqrt(4 * (double)t.machine->gap /
                     ((double)t.n / (double)t.machine->width + (double)t.C / (double)t.M)));
}

static double best_block(const struct paper_case *x)
{
    return (double)(8 * paper_knob(x, "block"));
}

/* Words 1 to 3: a machine, bits, and which of the two ways of a message, or the longer. */
static double way(const struct paper_case *x)
{
    const double D = one_hop(x->machine, paper_number(x->words, 1)), g = (double)x->machine->gap;
    const double ways[] = {SIDE * D, (SIDE - 1) * D + g};
    char which[64];

    paper_label(x->words, 2, which);
    return which[0] != '(' ? fmax(ways[0], ways[1]) : ways[which[1] - '2'];
}

/* The second way takes (n-3)D + 3g, which counts for g > D. */
static double derived_way(const struct paper_case *x)
{
    const double D = one_hop(x->machine, paper_number(x->words, 1)), g = (double)x->machine->gap;
    const double second = (SIDE - 3) * D + 3 * g;
    char which[64];

    paper_label(x->words, 2, which);
    if (which[0] != '(')
        return fmax(SIDE * D, second);
    return which[1] == '3' && g > D ? second : NAN;
}

/* (5): blocks are sent on, and the message is processed when it is there as a whole. Word 2: m */
static double without_overlap(const struct paper_case *x)
{
    const double m = paper_number(x->words, 1);
    const struct logp_torus t = torus_of(x);

    return SIDE * one_hop(x->machine, m) +
           (ceil((double)t.M / m) - 1) * 4 * (double)x->machine->gap + (double)t.M;
}

/* ---- what rows compare ---- */

static struct paper_row no_row(void)
{
    struct paper_row row = {.certainty = LOGP_PREDICTION_EXACT};

    for (int v = 0; v < N_VALUES; v++)
        row.value[v] = NAN;
    return row;
}

/* In one piece: the paper's formula, and a run. */
static struct paper_row plain(struct paper *p, const char *run, const char *words)
{
    const struct paper_case x = paper_case(p, run, words);
    const struct logp_torus t = torus_of(&x);
    struct paper_row row = no_row();

    row.value[FORMULA] = (double)logp_torus_plain(&t);
    paper_run(p, &x, &row);
    return row;
}

/* In blocks of m bits by the formula (6), and of whole bytes in the run. */
static struct paper_row pipelined(struct paper *p, const char *run, const char *words, double m)
{
    const struct paper_case x = paper_case(p, run, words);
    const struct logp_torus t = torus_of(&x);
    struct paper_row row = no_row();

    row.value[FORMULA] = (double)logp_torus_pipelined(&t, (int64_t)m);
    paper_run(p, &x, &row);
    return row;
}

static void set_difference(struct paper_row *row, const struct paper_row *a,
                           const struct paper_row *b)
{
    for (int v = FORMULA; v < N_VALUES; v++)
        row->value[v] = a->value[v] - b->value[v];
}

/* In percent. */
static void set_gain(struct paper_row *row, const struct paper_row *whole,
                     const struct paper_row *blocks)
{
    for (int v = FORMULA; v < N_VALUES; v++)
        row->value[v] = 100 * (whole->value[v] - blocks->value[v]) / whole->value[v];
}

/* ---- table 1 ---- */

static double of_preset(const struct paper_case *x)
{
    const struct logp_preset *m = x->machine;
    char what[64];

    switch (paper_label(x->words, 1, what)[0]) {
    case 'c':
        return (double)m->cycle_ns;
    case 'w':
        return (double)m->width;
    case 'T':
        return (double)m->overhead;
    case 'g':
        return (double)m->gap;
    default:
        return (double)m->delay;
    }
}

static void compare_preset(struct paper *p, struct paper_table *t, struct paper_row *row,
                           const struct paper_case *x)
{
    (void)x;
    if (row->value[PREDICTED] == row->value[PRINTED] || p->stopped)
        return;
    say("paper %s, %s: predicted %.10g, here %.10g", p->name, t->figure, row->value[PRINTED],
        row->value[PREDICTED]);
    p->wrong = true;
}

/* ---- (8): when blocks are worth while ---- */

static void try_condition(struct paper *p, struct paper_table *t, struct paper_row *row,
                          const struct paper_case *x)
{
    const struct paper_row whole = plain(p, TORUS "machine=$1 bytes=128 work=1024", x->words);
    struct paper_row blocks = no_row();
    const double *one = whole.value, *many = blocks.value;

    (void)t;
    paper_run(p, x, &blocks);
    for (int v = EMULATED; v < N_VALUES && !isnan(one[EMULATED]); v++)
        if (!isnan(one[v]))
            row->value[v] = many[v] < one[v];
    paper_compare(p, "(8)", row, row->value[PREDICTED], row->value[EMULATED]);
    if (isnan(one[PREDICTED]) || isnan(many[PREDICTED]))
        return;
    if (many[PREDICTED] < one[PREDICTED])
        paper_remark(row, "%.0f cycles in one piece, %.0f in blocks of %.0f bits: %.1f %%",
                     one[PREDICTED], many[PREDICTED], best_block(x),
                     100 * (one[PREDICTED] - many[PREDICTED]) / one[PREDICTED]);
    else
        paper_remark(row, "%.0f cycles in one piece, and no blocks take less", one[PREDICTED]);
}

/* ---- (9): their size ---- */

static void say_best_block(struct paper *p, struct paper_table *t, struct paper_row *row,
                           const struct paper_case *x)
{
    const struct logp_torus torus = torus_of(x);

    (void)p;
    (void)t;
    paper_remark(row, "(6) is least at %lld of all whole bits",
                 (long long)logp_torus_best_block(&torus));
}

static void say_which_decides(struct paper *p, struct paper_table *t, struct paper_row *row,
                              const struct paper_case *x)
{
    const struct logp_torus torus = torus_of(x);
    const int64_t busy =
        2 * x->machine->overhead + torus.C * (int64_t)row->value[DERIVED] / torus.M;

    (void)p;
    (void)t;
    paper_remark(row, 4 * x->machine->gap >= busy ? "the gap decides"
                                                  : "case 2 holds: processing decides");
}

/* The time of one more block: five blocks of m bits compared with four, with the same C m/M. */
static void between_blocks(struct paper *p, struct paper_table *t, struct paper_row *row,
                           const struct paper_case *x)
{
    const double m = paper_number(x->words, 1);
    struct paper_row rows[2];

    (void)t;
    for (int i = 0; i < 2; i++) {
        const int n = 4 + i;
        char words[128];

        snprintf(words, sizeof(words), "%s|%d|%g|%g", x->words, n, n / 8.0, m / 8);
        rows[i] = pipelined(p, PIPELINED "machine=$1 bytes=$5*$2 work=$4*$3 block=$6", words, m);
    }
    set_difference(row, &rows[1], &rows[0]);
}

/* ---- the examples ---- */

/* A row of an example, of which this word is the printed number; -: not printed. */
static struct paper_row *example_row(struct paper_table *t, const struct paper_case *x,
                                     const char *block, const char *what, int word)
{
    char machine[64], M[64], printed[64];
    struct paper_row *row = paper_row(t, "%s|%s|%s|%s", paper_label(x->words, 0, machine),
                                      paper_label(x->words, 1, M), block, what);

    if (strcmp(paper_label(x->words, word, printed), "-") != 0)
        row->value[PRINTED] = strtod(printed, NULL);
    return row;
}

/* Words: machine, M, m, the printed numbers in one piece, in blocks, less and gain. */
static void example(struct paper *p, struct paper_table *t, const struct paper_case *x)
{
    const double m = paper_number(x->words, 2), bytes = floor((m + 4) / 8); /* the nearest */
    const struct paper_row whole = plain(p, TORUS "machine=$1 bytes=$2/8 work=$2", x->words);
    struct paper_row blocks, *row = example_row(t, x, "-", "in one piece", 3);
    char words[128], block[64];

    memcpy(row->value + FORMULA, whole.value + FORMULA, sizeof(whole.value) - sizeof(double));
    snprintf(words, sizeof(words), "%s|%g", x->words, bytes);
    blocks = pipelined(p, PIPELINED "machine=$1 bytes=$2/8 work=$2 block=$8", words, m);
    row = example_row(t, x, paper_label(x->words, 2, block), "in blocks", 4);
    memcpy(row->value + FORMULA, blocks.value + FORMULA, sizeof(blocks.value) - sizeof(double));
    row->certainty = blocks.certainty;
    if (m != 8 * bytes)
        paper_remark(row, "%.0f bits are not whole bytes: run with %.0f", m, 8 * bytes);
    set_difference(example_row(t, x, block, "(7), less", 5), &whole, &blocks);
    row = example_row(t, x, block, "gain, %", 6);
    set_gain(row, &whole, &blocks);
    if (row->value[PRINTED] == CONCLUDED)
        paper_remark(row, "printed: about 30, in the conclusion");
}

/* The first example as it is printed: (1024/28) for the number of blocks, rounded up. */
static double slip(const struct paper_case *x)
{
    const struct logp_torus t = torus_of(x);
    const int64_t m = 8 * x->c.args.block_bytes;
    const int64_t busy = 2 * t.machine->overhead + m; /* Trcv + 3 Tsnd + Cm/M */
    const int64_t apart = busy > 4 * t.machine->gap ? busy : 4 * t.machine->gap;

    return (double)(logp_torus_pipelined(&t, m) + ((t.M + 27) / 28 - (t.M + m - 1) / m) * apart);
}

/* Whether the paper's formulas give 25 to 35 % for all three machines. */
static bool concludes(const struct paper *p)
{
    static const char *const gains[] = {"dash|2048|351|gain, %", "monsoon|2048|203|gain, %",
                                        "jmachine|2048|182|gain, %"};
    bool agrees = true;

    for (int i = 0; i < 3; i++)
        agrees &= fabs(paper_row_of(p, "Examples", gains[i])->value[FORMULA] - CONCLUDED) <= 5;
    return agrees;
}

/* ---- (2), (3) and (5) ---- */

static void run_longer(struct paper *p, struct paper_table *t, struct paper_row *row,
                       const struct paper_case *x)
{
    const double D = one_hop(x->machine, paper_number(x->words, 1));

    (void)t;
    if (strstr(x->words, "the longer") == NULL)
        return;
    paper_run(p, x, row);
    paper_remark(row, (double)x->machine->gap > D ? "g > D" : "g <= D");
}

/* The row is a run of the blocks, and C after it. Block by block each is processed before the next
 * is received. */
static void process_after(struct paper *p, struct paper_table *t, struct paper_row *row,
                          const struct paper_case *x)
{
    const struct paper_case by_block =
        paper_case(p, PIPELINED "machine=$1 bytes=128 block=$2/8 work=1024 no_overlap=1", x->words);

    (void)t;
    for (int v = PREDICTED; v < N_VALUES; v++)
        row->value[v] += 1024;
    paper_remark(row, "block by block: %.7g", paper_emulated(p, &by_block));
}

static void judge_overlap(struct paper *p, const char *what)
{
    const struct paper_same same = SAME(NO_OVERLAP, "*", FORMULA, EMULATED);
    const struct paper_table *t = &p->tables[NO_OVERLAP];
    bool less = true;

    for (size_t i = 0; i < t->n_rows; i++)
        less &= strtod(strchr(t->rows[i].remark, ':') + 1, NULL) < t->rows[i].value[EMULATED];
    paper_judge(p, what, paper_is_same(p, &same),
                "it agrees where a hop takes at least g; processing block by block takes %s",
                less ? "less" : "no less");
}

/* ---- figure 5 ---- */

/* The message in one piece is run once for each machine. */
static void find_gain(struct paper *p, struct paper_table *t, struct paper_row *row,
                      const struct paper_case *x)
{
    const double m = paper_number(x->words, 1);
    struct paper_row blocks;

    (void)t;
    if (m == 40)
        p->kept = plain(p, TORUS "machine=$1 bytes=125 work=1000", x->words);
    blocks = pipelined(p, PIPELINED "machine=$1 bytes=125 work=1000 block=$2/8", x->words, m);
    set_gain(row, &p->kept, &blocks);
}

static void judge_figure_5(struct paper *p, const char *what)
{
    const struct paper_table *t = &p->tables[FIGURE_5];
    size_t higher = 0;

    for (size_t i = 0; i < t->n_rows; i++)
        higher += t->rows[i].value[EMULATED] >= t->rows[i].value[FORMULA];
    paper_judge_none(
        p, what,
        "curves; by (6) the gain has steps, where a block more counts as a whole one; the true "
        "gain is no less in %zu of %zu rows, and less only where a hop takes less than g",
        higher, t->n_rows);
}

/* ---- the listing ---- */

/*
 * Routing R on an n x n torus from (0, 0), followed from node to node as it is printed and as it is
 * run here, h = n div 2. Along row 0 the message goes both ways, and from each node of row 0 along
 * its column both ways.
 */

struct torus_walk {
    int n;
    int last;              /* (i, j), h+1 < i <= last, sends to (i-1, j) */
    int times[SIDE][SIDE]; /* for each node, the number of times it gets the message */
};

static void reach(struct torus_walk *w, int i, int j);

/* Down the column of (0, j), both ways. */
static void down(struct torus_walk *w, int j)
{
    reach(w, 1, j);
    reach(w, w->n - 1, j);
}

static void along_row(struct torus_walk *w, int j)
{
    const int h = w->n / 2;

    if (j > 0 && j < h)
        reach(w, 0, j + 1);
    if (j > h + 1)
        reach(w, 0, j - 1);
    down(w, j);
}

/* The message comes to (i, j), which sends it on. */
static void reach(struct torus_walk *w, int i, int j)
{
    const int h = w->n / 2;

    w->times[i][j]++;
    if (i == 0)
        along_row(w, j);
    else if (i < h)
        reach(w, i + 1, j);
    else if (i > h + 1 && i <= w->last)
        reach(w, i - 1, j);
}

/* @return the number of nodes that get the message, the source included; -1: one gets it twice */
static int reached(int n, int last)
{
    struct torus_walk w = {.n = n, .last = last};
    int nodes = 1;

    memset(w.times, 0, sizeof(w.times));
    reach(&w, 0, 1);
    reach(&w, 0, n - 1);
    down(&w, 0);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            if (w.times[i][j] > 1)
                return -1;
            nodes += w.times[i][j] == 1;
        }
    return nodes;
}

static double reached_as_printed(const struct paper_case *x)
{
    const int n = (int)paper_number(x->words, 0);

    return reached(n, n - 2);
}

static double reached_here(const struct paper_case *x)
{
    const int n = (int)paper_number(x->words, 0);

    return reached(n, n - 1);
}

static void judge_routing(struct paper *p, const char *what)
{
    const int n = SIDE, all = n * n, printed = reached(n, n - 2), here = reached(n, n - 1);

    paper_listing(p, what, printed == all,
                  "Routing R, n = %d|(i, j), h+1 < i < n-1, sends to (i-1, j)|%d of %d nodes get "
                  "the message|(i, j), h+1 < i <= n-1, sends to (i-1, j): %d of %d nodes|with i < "
                  "n-1 it misses nodes for n >= 5: at n = %d it reaches %d of %d; as run here %d",
                  n, printed, all, here, all, n, printed, all, here);
}

/* ---- the paper ---- */

#define BY_GAP_ROWS(M)                                                                             \
    {                                                                                              \
        .each = "dash;monsoon;jmachine x " M " x 0;" M,                                            \
        .run = PIPELINED "machine=$1 bytes=$2/8 work=$3", .idle = true,                            \
        .formula = printed_block_by_gap, .derived = block_by_gap, .predicted = best_block,         \
        .complete = say_which_decides                                                              \
    }

static const struct paper_figure figures[] = {
    {.figure = "Table 1",
     .title = "the machines and the presets (--machine)",
     .columns = "machine|what",
     .unit = "cycles, unless another unit is given",
     .rows = {{.each = "ncube2;cm5;dash;jmachine;monsoon x cycle, ns;width, bits;Tsnd + Trcv;g;r",
               .run = TORUS "machine=$1",
               .idle = true,
               .printed =
                   "25 1 6400 6400 40 25 4 3600 3600 8 30 16 30 40 2 31 8 16 40 2 20 16 10 10 2",
               .predicted = of_preset,
               .complete = compare_preset}}},
    {.figure = "Condition",
     .title = "(8): is pipelining worth while? n = 16, M = C = 1024",
     .columns = "machine",
     .unit = "1 yes, 0 no",
     .rows = {{.each = "ncube2;cm5;dash;jmachine;monsoon",
               .run = PIPELINED "machine=$1 bytes=128 work=1024",
               .idle = true,
               .printed = "- 0 1 - 1",
               .formula = printed_condition,
               .predicted = our_condition,
               .complete = try_condition}},
     .notes =
         {"Its formula as printed: nM/w + C >= 4g or nM/w >= Trcv + 3 Tsnd. It must be \"and\", "
          "and with the second of two blocks: ours is nM/w + C >= max(8g, 2(Trcv + 3 Tsnd) + C)."}},
    {.figure = "Block sizes",
     .title = "the block that is advised, n = 16, C = M",
     .columns = "machine|M",
     .unit = "bits",
     .rows = {{.each = "1024;2048 x dash;monsoon;jmachine",
               .labels = "$2|$1",
               .run = PIPELINED "machine=$2 bytes=$1/8 work=$1",
               .idle = true,
               .printed = "248 144 - - - -",
               .formula = block_by_work,
               .predicted = best_block,
               .complete = say_best_block}},
     .notes = {"Its formula, case 2 of (9): sqrt((Trcv + 3 Tsnd) w M / n), rounded up; predicted: "
               "the block of whole bytes with the least exact time."}},
    {.figure = "Block sizes",
     .title = "(9), case 1: the advice where the gap decides",
     .columns = "machine|M|C",
     .unit = "bits",
     .rows = {BY_GAP_ROWS("1024"), BY_GAP_ROWS("2048")},
     .notes = {"Its formula: sqrt(4g / (n/w + C/M)), rounded up, for 4g >= Trcv + 3 Tsnd + Cm/M; "
               "derived here: the same with an M under the root, sqrt(4gM / (n/w + C/M)). Where "
               "that block makes Cm/M too large, the other case holds."}},
    {.figure = "Blocks",
     .title = "the time between two blocks, n = 16",
     .columns = "machine|m|Cm/M",
     .unit = "cycles",
     .rows = {{.each = "dash|256|0;dash|256|256;monsoon|144|0;monsoon|144|144;jmachine|128|0;"
                       "jmachine|128|128;jmachine|128|256",
               .complete = between_blocks}},
     .notes = {"Its formula, a part of (6): max(4g, Trcv + 3 Tsnd + Cm/M)."}},
    {.figure = "Examples",
     .title = "in one piece against in blocks, n = 16, C = M",
     .columns = "machine|M|m|what",
     .unit = "cycles",
     .rows = {{.each =
                   "dash|1024|248|2560|2240|320|12.5;dash|1024|256|-|-|-|-;monsoon|1024|144|2240|"
                   "1628|612|27.3;" /* and with m as (9) advises: */
                   "dash|2048|351|-|-|-|29;monsoon|2048|203|-|-|-|34;jmachine|2048|182|-|-|-|30",
               .make = example},
              {.labels = "dash|1024|248|with (1024/28)",
               .run = PIPELINED "machine=dash bytes=128 work=1024 block=31",
               .idle = true,
               .printed = "2240",
               .formula = slip}},
     .notes = {"Its formulas: n(Tsnd + M/w + r + Trcv) + C, (6), an upper bound, and (7), the "
               "difference of both. m = 248 is a poor size for DASH: it takes a fifth block, of 32 "
               "bits, which (6) counts as a whole one; 256 makes four."}},
    {.figure = "M x N",
     .title = "DASH, 1024 bits, C = 1024, the blocks those of 256 bits",
     .columns = "network|algorithm",
     .unit = "cycles",
     .rows = {{.each = "torus:16x16|256;torus:8x32|256;torus:32x8|256;torus:5x3|15;torus:3x5|15 x "
                       "torus|0;torus-pipelined|32",
               .labels = "$1|$3",
               .run = "broadcast $3 P=$2 topology=$1 machine=dash bytes=128 work=1024 block=$4"}},
     .notes = {"The item goes along the first row, both ways, and then along all columns, both "
               "ways; the paper's formulas are for squares."}},
    {.figure = "Formulas (2), (3), (5)",
     .title = "a message of M bits in one piece, n = 16, C = 0",
     .columns = "machine|M|formula",
     .unit = "cycles",
     .rows = {{.each =
                   "dash|1024;monsoon|1024;jmachine|1024;dash|16;jmachine|16 x (2);(3);the longer",
               .run = TORUS "machine=$1 bytes=$2/8",
               .idle = true,
               .formula = way,
               .derived = derived_way,
               .complete = run_longer}},
     .notes = {"Its formulas: (2) t = n(Tsnd + M/w + r + Trcv), (3) t1 = (n-1)(Tsnd + M/w + r + "
               "Trcv) + g. With D = Tsnd + M/w + r + Trcv the second way takes (n-3)D + 3g, which "
               "counts for g > D."}},
    {.figure = "Formulas (2), (3), (5)",
     .title = "in blocks of m bits by (5), n = 16, M = C = 1024",
     .columns = "machine|m",
     .unit = "cycles",
     .rows = {{.each = "dash|256;monsoon|256;jmachine|128",
               .run = PIPELINED "machine=$1 bytes=128 block=$2/8",
               .formula = without_overlap,
               .complete = process_after}},
     .notes =
         {"Its formula: n(Tsnd + m/w + r + Trcv) + (ceil(M/m) - 1) 4g + C. A run of the blocks, "
          "and C after it. Block by block: each block is processed before the next is received."}},
    {.figure = "Figure 5",
     .title = "gain over m, 256 processors, M = 1000 bits, C = 1000",
     .columns = "machine|m",
     .unit = "%",
     .rows = {{.each = "dash;monsoon;jmachine x "
                       "40;56;72;88;104;120;128;144;168;192;200;248;256;328;336;416;496;504;600;"
                       "704;800;904;992;1000",
               .complete = find_gain}},
     .notes = {"Blocks of whole bytes; the paper prints curves, no values. For small blocks a hop "
               "takes less than g; then (6) is not a bound, and its gain is too high."},
     .chart = {"m, bits of a block", "gain, %", .x = 1}},
    {.figure = "Routing R",
     .title = "how many nodes the message reaches, of n x n",
     .columns = "n",
     .unit = "nodes",
     .rows = {{.each = "3;4;5;8;16", .formula = reached_as_printed, .predicted = reached_here}},
     .notes =
         {"Its formula: R as printed, up to i < n-1; predicted: R as run here, up to i <= n-1."}},
    {0}};

#define GAIN(machine, value) "$(Examples:" machine "|gain, %:" value ":.1)"

static const struct paper_claim claims[] =
    {{.what = "Table 1",
      .why = "the presets have its numbers",
      .same = {SAME(TABLE_1, "*", PRINTED, PREDICTED)}},
     {.what = "(8), as printed",
      .why = "with \"or\" it accepts nCUBE/2, where nM/w = 16384 >= Trcv + 3 Tsnd = 12800, but no "
             "blocks take less; it needs \"and\"",
      .same = {SAME(CONDITION, "*", FORMULA, EMULATED)}},
     {.what = "(8), CM-5 no, DASH and Monsoon yes",
      .why = "by its condition and by ours",
      .same = {SAME(CONDITION, "*", PRINTED, FORMULA), SAME(CONDITION, "*", PRINTED, EMULATED)}},
     {.what = "(9), case 1",
      .why = "sqrt(4g / (n/w + C/M)) lacks the M under the root: dash with M = 1024 and C = 0 gets "
             "blocks of $(Block sizes:dash|1024|0:paper_formula) bits, and with it of $(Block "
             "sizes:dash|1024|0:derived)",
      .same = {SAME(BY_GAP, "*", FORMULA, DERIVED)}},
     {.what = "(9), blocks of 248 and 144 bits",
      .why = "case 2, sqrt((Trcv + 3 Tsnd) w M / n), rounded up, which is printed with its M",
      .same = {SAME(BY_WORK, "*", PRINTED, FORMULA)}},
     {.what = "(9), the best blocks",
      .why = "it is that of a smooth curve; blocks are whole bytes, and it is best if they divide "
             "the message",
      .same = {SAME(BY_WORK, "*", FORMULA, PREDICTED)}},
     {.what = "(6), max(4g, Trcv + 3 Tsnd + Cm/M) between blocks",
      .why = "if processing fills the gaps between sends",
      .same = {SAME(BLOCKS, "*", FORMULA, EMULATED)}},
     {.what = "(6), DASH with (1024/28)",
      .why = "a slip for 248: with 28 it gives $(Examples:dash|1024|248|with "
             "(1024/28):paper_formula), and with 248 $(Examples:dash|1024|248|in "
             "blocks:paper_formula)",
      .same = {SAME(EXAMPLES, "*|with*", PRINTED, FORMULA)}},
     {.what = "n(Tsnd + M/w + r + Trcv) + C, 2560 and 2240",
      .why = "the time in one piece; exact for even n where a hop takes at least g",
      .same = {SAME(EXAMPLES, "*|in one piece", PRINTED, FORMULA),
               SAME(EXAMPLES, "*|in one piece", FORMULA, EMULATED)}},
     {.what = "(6), 2240 and 1628, by its formula",
      .why = "n(Tsnd + m/w + r + Trcv) + (ceil(M/m) - 1) max(4g, Trcv + 3 Tsnd + Cm/M) + Cm/M",
      .same = {SAME(EXAMPLES, "*|in blocks", PRINTED, FORMULA)}},
     {.what = "(6), the time in blocks",
      .why = "an upper bound: it counts the last, shorter block as a whole one, and no processing "
             "in the gaps between sends",
      .same = {SAME(EXAMPLES, "*|in blocks", FORMULA, EMULATED)}},
     {.what = "(7), 320 and 612, by its formula",
      .why = "the time in one piece without that of (6); blocks save more than that",
      .same = {SAME(EXAMPLES, "*|(7), less", PRINTED, FORMULA)}},
     {.what =
          "Gains, 12.5, 27.3, 29 and 34 %, by its formulas", /* for the J-machine there is only "about" */
      .why = "up to its printed digits; blocks gain more than that",
      .same =
          {{.table = EXAMPLES, .rows = "dash|*|gain, %", .a = PRINTED, .b = FORMULA, .within = 0.1},
           {.table = EXAMPLES,
            .rows = "monsoon|*|gain, %",
            .a = PRINTED,
            .b = FORMULA,
            .within = 0.1}}},
     {.what = "Conclusion, about 30 % for three machines, M = 2048",
      .why = "by its own formulas DASH " GAIN("dash|2048|351", "paper_formula") ", Monsoon " GAIN("monsoon|2048|203", "paper_formula") ", J-machine " GAIN(
          "jmachine|2048|182",
          "paper_formula") " %; on the virtual clock " GAIN("dash|2048|351",
                                                            "emulated") ", " GAIN("monsoon|2048|"
                                                                                  "203",
                                                                                  "emulated") " and"
                                                                                              " " GAIN(
                                                                                                  "jmachine|2048|182",
                                                                                                  "emulated") " %",
      .agrees = concludes},
     {.what = "M x N",
      .why = "on any torus the same routing, along one row and all columns",
      .nothing = true},
     {.what = "(2), (3), the longer of the two, g <= D",
      .why = "DASH, Monsoon and J-machine with M = 1024; (2) is the longer",
      .same = {SAME(TWO_WAYS, "*|1024|the longer", FORMULA, EMULATED)}},
     {.what = "(2), (3), the longer of the two, g > D",
      .why = "the second way takes (n-3)D + 3g: J-machine with M = 16 takes $(Formulas (2), (3), "
             "(5):jmachine|16|the longer:emulated) in place of $(Formulas (2), (3), "
             "(5):jmachine|16|the longer:paper_formula)",
      .same = {SAME(TWO_WAYS, "*|16|the longer", FORMULA, EMULATED)}},
     {.what = "(5), without overlap", .judge = judge_overlap},
     {.what = "Figure 5", .judge = judge_figure_5},
     {.what = "Listing of routing R", .judge = judge_routing},
     {0}};

const struct paper_kind paper_liu = {.name = "liu",
                                     .title = "Liu, Li & Cui 1996: pipelined broadcast on a torus",
                                     .figures = figures,
                                     .claims = claims};
