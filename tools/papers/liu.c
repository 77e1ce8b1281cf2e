/* SPDX-License-Identifier: MIT */
/*
 * Liu, Li & Cui: broadcast on a 16 x 16 torus, in one piece or in blocks of m bits that are
 * forwarded while the next are in flight. The paper counts bits and cycles; a run counts whole
 * bytes and nanoseconds. A cycle is far longer here than on the paper's machines, so that a host
 * keeps up.
 */
#include "papers/paper.h"

#include <string.h>
#include <logp/paper.h>

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
        paper_table(p, "Table 1", "machine|what", "cycles, unless another unit is given",
                    "the machines and the presets (--machine)");

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
    paper_judge(p, "Table 1", paper_same(t, PRINTED, PREDICTED), "the presets have its numbers");
}

/* ---- any torus ---- */

/* Tori of rows x columns, not only squares, with separate links. */
static void any_torus(struct paper *p)
{
    static const struct {
        const char *topology;
        int P;
    } list[] = {{"torus:16x16", 256},
                {"torus:8x32", 256},
                {"torus:32x8", 256},
                {"torus:5x3", 15},
                {"torus:3x5", 15}};
    static const char *const algorithms[] = {"torus", "torus-pipelined"};
    const struct logp_torus dash = liu_torus("dash", 1024, 1024);
    struct paper_table *t = paper_table(p, "M x N", "network|algorithm", "cycles",
                                        "DASH, 1024 bits, C = 1024, the blocks those of 256 bits");

    for (size_t i = 0; i < sizeof(list) / sizeof(list[0]); i++)
        for (int a = 0; a < 2; a++) {
            struct paper_case x = liu_case(p, &dash, algorithms[a], a == 0 ? 0 : 32);

            x.P = list[i].P;
            x.topology = list[i].topology;
            paper_run(p, &x, paper_row(t, "%s|%s", list[i].topology, algorithms[a]));
        }
    paper_note(t, "The item goes along the first row, both ways, and then along all columns, both "
                  "ways; the paper's formulas are for squares.");
    paper_judge_none(p, "M x N", "on any torus the same routing, along one row and all columns");
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

    size_t higher = 0;

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
            higher += row->value[EMULATED] >= row->value[FORMULA];
        }
    }
    paper_judge_none(
        p, "Figure 5",
        "curves; by (6) the gain has steps, where a block more counts as a whole one; "
        "the true gain is no less in %zu of %zu rows, and less only where a hop takes less "
        "than g",
        higher, t->n_rows);
    paper_note(t, "Blocks of whole bytes; the paper prints curves, no values. For small blocks a "
                  "hop takes less than g; then (6) is not a bound, and its gain is too high.");
}

/* ---- listings ---- */

/*
 * Liu, Li & Cui: routing R on an n x n torus from (0, 0), followed from node to node as it is
 * printed and as it is run here, h = n div 2. Along row 0 the message goes both ways, and from each
 * node of row 0 along its column both ways.
 */

enum { LARGEST = 16 };

struct torus_walk {
    int n;
    int last;                    /* (i, j), h+1 < i <= last, sends to (i-1, j) */
    int times[LARGEST][LARGEST]; /* for each node, the number of times it gets the message */
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

static void liu_listings(struct paper *p)
{
    static const int sizes[] = {3, 4, 5, 8, 16};
    const int n = LARGEST, all = n * n, printed = reached(n, n - 2), here = reached(n, n - 1);
    struct paper_table *t =
        paper_table(p, "Routing R", "n", "nodes", "how many nodes the message reaches, of n x n");

    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        struct paper_row *row = paper_row(t, "%d", sizes[i]);

        row->value[FORMULA] = reached(sizes[i], sizes[i] - 2);
        row->value[PREDICTED] = reached(sizes[i], sizes[i] - 1);
    }
    paper_note(t, "Its formula: R as printed, up to i < n-1; predicted: R as run here, up to i <= "
                  "n-1.");
    paper_listing(p, "Listing of routing R", printed == all,
                  "Routing R, n = %d|(i, j), h+1 < i < n-1, sends to (i-1, j)|"
                  "%d of %d nodes get the message|"
                  "(i, j), h+1 < i <= n-1, sends to (i-1, j): %d of %d nodes|"
                  "with i < n-1 it misses nodes for n >= 5: at n = %d it reaches %d of %d; as run "
                  "here %d",
                  n, printed, all, here, all, n, printed, all, here);
}

/* ---- the paper ---- */

static void fill(struct paper *p)
{
    table_1(p);
    liu_examples(p);
    any_torus(p);
    liu_formulas(p);
    figure_5(p);
    liu_listings(p);
}

const struct paper_kind paper_liu = {
    .name = "liu",
    .title = "Liu, Li & Cui 1996: pipelined broadcast on a torus",
    .fill = fill,
};
