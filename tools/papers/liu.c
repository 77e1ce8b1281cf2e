/* SPDX-License-Identifier: MIT */
/*
 * Liu, Li & Cui: broadcast on a 16 x 16 torus, in one piece or in blocks of m bits that are
 * forwarded while the next are in flight. The paper counts bits and cycles; a run counts whole
 * bytes and nanoseconds. A cycle is far longer here than on the paper's machines, so that a host
 * keeps up.
 */
#include "papers/paper.h"
#include <liu.inc>

#include "text/problem.h"

#include <stdlib.h>
#include <string.h>

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

static double our_condition(const struct paper_case *x)
{
    const struct logp_torus t = torus_of(x);

    return logp_torus_pipelining_helps(&t);
}

/* With the M that is missing. */
static double block_by_gap(const struct paper_case *x)
{
    const struct logp_torus t = torus_of(x);

    return (double)logp_torus_block_by_gap(&t);
}

static double best_block(const struct paper_case *x)
{
    return (double)(8 * paper_knob(x, "block"));
}

/* (6) in the blocks of the case. */
static double of_6(const struct paper_case *x)
{
    const struct logp_torus t = torus_of(x);

    return (double)logp_torus_pipelined(&t, 8 * x->c.args.block_bytes);
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

static void compare_preset(const struct paper_at *at)
{
    if (at->row->value[PREDICTED] == at->row->value[PRINTED] || at->p->stopped)
        return;
    say("paper %s, %s: predicted %.10g, here %.10g", at->p->name, at->t->figure,
        at->row->value[PRINTED], at->row->value[PREDICTED]);
    at->p->wrong = true;
}

/* ---- (8): when blocks are worth while ---- */

static void try_condition(const struct paper_at *at)
{
    const struct paper_row whole =
        plain(at->p, TORUS "machine=$1 bytes=128 work=1024", at->x->words);
    struct paper_row blocks = no_row();
    const double *one = whole.value, *many = blocks.value;

    paper_run(at->p, at->x, &blocks);
    for (int v = EMULATED; v < N_VALUES && !isnan(one[EMULATED]); v++)
        if (!isnan(one[v]))
            at->row->value[v] = many[v] < one[v];
    paper_compare(at->p, "(8)", at->row, at->row->value[PREDICTED], at->row->value[EMULATED]);
    if (isnan(one[PREDICTED]) || isnan(many[PREDICTED]))
        return;
    if (many[PREDICTED] < one[PREDICTED])
        paper_remark(at->row, "%.0f cycles in one piece, %.0f in blocks of %.0f bits: %.1f %%",
                     one[PREDICTED], many[PREDICTED], best_block(at->x),
                     100 * (one[PREDICTED] - many[PREDICTED]) / one[PREDICTED]);
    else
        paper_remark(at->row, "%.0f cycles in one piece, and no blocks take less", one[PREDICTED]);
}

/* ---- (9): their size ---- */

static void say_best_block(const struct paper_at *at)
{
    const struct logp_torus torus = torus_of(at->x);

    paper_remark(at->row, "(6) is least at %lld of all whole bits",
                 (long long)logp_torus_best_block(&torus));
}

static void say_which_decides(const struct paper_at *at)
{
    const struct logp_torus torus = torus_of(at->x);
    const int64_t busy =
        2 * at->x->machine->overhead + torus.C * (int64_t)at->row->value[DERIVED] / torus.M;

    paper_remark(at->row, 4 * at->x->machine->gap >= busy ? "the gap decides"
                                                          : "case 2 holds: processing decides");
}

/* The time of one more block: five blocks of m bits compared with four, with the same C m/M. */
static void between_blocks(const struct paper_at *at)
{
    const double m = paper_number(at->x->words, 1);
    struct paper_row rows[2];

    for (int i = 0; i < 2; i++) {
        const int n = 4 + i;
        char words[128];

        snprintf(words, sizeof(words), "%s|%d|%g|%g", at->x->words, n, n / 8.0, m / 8);
        rows[i] =
            pipelined(at->p, PIPELINED "machine=$1 bytes=$5*$2 work=$4*$3 block=$6", words, m);
    }
    set_difference(at->row, &rows[1], &rows[0]);
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

    row->certainty = whole.certainty;
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

/* ---- (2), (3) and (5) ---- */

static void run_longer(const struct paper_at *at)
{
    if (strstr(at->x->words, "the longer") == NULL)
        return;
    paper_run(at->p, at->x, at->row);
    paper_remark(at->row, paper_value_of(at->p, at->x, "g > D") != 0 ? "g > D" : "g <= D");
}

/* The row is a run of the blocks, and C after it. Block by block each is processed before the next
 * is received. */
static void process_after(const struct paper_at *at)
{
    const struct paper_case by_block = paper_case(
        at->p, PIPELINED "machine=$1 bytes=128 block=$2/8 work=1024 no_overlap=1", at->x->words);

    for (int v = PREDICTED; v < N_VALUES; v++)
        at->row->value[v] += 1024;
    paper_remark(at->row, "block by block: %.7g", paper_emulated(at->p, &by_block));
}

static void judge_overlap(struct paper *p, const struct paper_table *t, const char *what)
{
    const struct paper_count n = paper_compare_rows(t, "*", "formula", "=", "emulated", 0);
    bool less = true;

    for (size_t i = 0; i < t->n_rows; i++)
        less &= strtod(strchr(t->rows[i].remark, ':') + 1, NULL) < t->rows[i].value[EMULATED];
    paper_judge(p, what, n.rows > 0 && n.hold == n.rows,
                "it agrees where a hop takes at least g; processing block by block takes %s",
                less ? "less" : "no less");
}

/* ---- figure 5 ---- */

/* The message in one piece is run once for each machine. */
static void find_gain(const struct paper_at *at)
{
    const double m = paper_number(at->x->words, 1);
    struct paper_row blocks;

    if (m == 40)
        at->p->kept = plain(at->p, TORUS "machine=$1 bytes=125 work=1000", at->x->words);
    blocks =
        pipelined(at->p, PIPELINED "machine=$1 bytes=125 work=1000 block=$2/8", at->x->words, m);
    set_gain(at->row, &at->p->kept, &blocks);
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

static void judge_routing(struct paper *p, const struct paper_table *t, const char *what)
{
    const int n = SIDE, all = n * n, printed = reached(n, n - 2), here = reached(n, n - 1);

    (void)t;
    paper_listing(p, what, printed == all,
                  "Routing R, n = %d|(i, j), h+1 < i < n-1, sends to (i-1, j)|%d of %d nodes get "
                  "the message|(i, j), h+1 < i <= n-1, sends to (i-1, j): %d of %d nodes|with i < "
                  "n-1 it misses nodes for n >= 5: at n = %d it reaches %d of %d; as run here %d",
                  n, printed, all, here, all, n, printed, all, here);
}

/* ---- the paper ---- */

static const struct paper_function functions[] = {
    {"our_condition", .number = our_condition},
    {"block_by_gap", .number = block_by_gap},
    {"best_block", .number = best_block},
    {"of_6", .number = of_6},
    {"reached_as_printed", .number = reached_as_printed},
    {"reached_here", .number = reached_here},
    {"example", .make = example},
    {"compare_preset", .complete = compare_preset},
    {"try_condition", .complete = try_condition},
    {"say_best_block", .complete = say_best_block},
    {"say_which_decides", .complete = say_which_decides},
    {"between_blocks", .complete = between_blocks},
    {"run_longer", .complete = run_longer},
    {"process_after", .complete = process_after},
    {"find_gain", .complete = find_gain},
    {"judge_overlap", .judge = judge_overlap},
    {"judge_routing", .judge = judge_routing},
    {0}};

const struct paper_kind paper_liu = {.name = "liu",
                                     .title = "Liu, Li & Cui 1996: pipelined broadcast on a torus",
                                     .text = liu_paper,
                                     .functions = functions};
