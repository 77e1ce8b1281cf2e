/* SPDX-License-Identifier: MIT */
/*
 * Sun, Zhang & Song, section 3: columns for one destination in a message each, or packed into one;
 * and when it is worth while to pack.
 */
#include "papers/paper.h"

#include <limits.h>
#include <string.h>

/* s columns for one destination, with two processors, the first of which has the only row, so that
 * it receives and sends nothing. pack < 0: each column is a message. */
static struct paper_case columns_case(const struct paper *p, int s, size_t bytes, int pack,
                                      bool streams)
{
    struct paper_case x = sun_case(p, "ring", 2, 1, bytes, streams);

    x.c.args.cols = INT64_C(2) * s;
    x.c.args.packing = pack < 0 ? LOGP_PACKING_NONE : LOGP_PACKING_STRUCTURED;
    x.c.args.pack_ns = pack < 0 ? 0 : pack * x.unit_ns;
    return x;
}

/* Section 3, for m/n = s columns: t_ns, or where to pack a column takes 2o, t_s. */
static double of_section_3(const struct paper_case *x, int s, bool packed)
{
    const struct logp_params *q = &x->c.model.params;
    const double unit = (double)x->unit_ns, two_o = 2 * (double)q->o_send_ns / unit;
    const double whole = fmax(two_o, (double)q->g_ns / unit) + (double)(q->L_ns - q->g_ns) / unit;

    return packed ? s * two_o + whole : s * whole;
}

/* s columns of t words. */
static void one_destination(struct paper *p)
{
    static const int columns[] = {1, 4, 16}, words[] = {1, 16, 64}, packs[] = {-1, 0, 2, 4};
    struct paper_table *t = paper_table(p, "t_s, t_ns", "packing|s|t|pack", "units",
                                        "s columns of t doubles for one destination");

    for (size_t i = 0; i < 9; i++)
        for (int k = 0; k < 4; k++) {
            const int s = columns[i / 3], n = words[i % 3], pack = packs[k];
            const struct paper_case x = columns_case(p, s, (size_t)n * sizeof(double), pack, true);
            struct paper_row *row = paper_row(t, "%s|%d|%d|%d", pack < 0 ? "none" : "structured", s,
                                              n, pack < 0 ? 0 : pack);

            if (pack < 0 || pack == 4) /* which is 2o */
                row->value[FORMULA] = of_section_3(&x, s, pack >= 0);
            paper_run(p, &x, row);
        }
    paper_note(t, "Its formulas, section 3, with m/n = s: t_ns = (m/n)[max(2o,g) + L - g], and t_s "
                  "= (m/n) 2o + max(2o,g) + L - g, where to pack a column takes 2o, here 4. They "
                  "ignore the length of a column.");
    paper_note(t,
               "Ours: none (s-1) E(t) + D(t), structured s pack + D(s t), where D(t) is the time "
               "of a message of t words, and E(t) the time between two.");
    paper_judge(p, "Section 3, t_ns = (m/n)[max(2o,g) + L - g]",
                paper_same_of(t, 0, "none", FORMULA, EMULATED),
                "it counts the latency once for each column, and one message as L, where g >= 2o; "
                "ours: (s-1) E(t) + D(t)");
    paper_judge(p, "Section 3, t_s = (m/n) 2o + max(2o,g) + L - g",
                paper_same_of(t, 0, "structured", FORMULA, EMULATED),
                "a message takes 2o + L and its streaming; ours: s pack + D(s t)");
}

/* The claim that unpacked columns always take longer, where m/n > 1 and o << L. */
static void claim(struct paper *p)
{
    static const int columns[] = {2, 4, 8, 16, 64};
    struct paper_table *t = paper_table(p, "Section 3", "packing|m/n", "units",
                                        "t_ns > t_s for m/n > 1, o << L: L, o, g = 100, 1, 2");
    bool holds = true;

    for (size_t i = 0; i < sizeof(columns) / sizeof(columns[0]); i++) {
        double emulated[2];

        for (int packed = 0; packed < 2; packed++) {
            struct paper_case x = columns_case(p, columns[i], 1, packed ? 2 : -1, false);
            struct paper_row *row =
                paper_row(t, "%s|%d", packed ? "structured" : "none", columns[i]);

            x.c.model.params = paper_params(x.unit_ns, 100, 1, 2);
            row->value[FORMULA] = of_section_3(&x, columns[i], packed);
            paper_run(p, &x, row);
            emulated[packed] = row->value[EMULATED];
            if (packed && emulated[0] <= emulated[1]) {
                holds = false;
                paper_remark(row, "not less than unpacked");
            }
        }
    }
    paper_note(t, "A matrix of one row on two processors, so that m/n columns go to one "
                  "destination; to pack one takes 2o.");
    paper_judge(p, "Section 3, t_ns > t_s for m/n > 1, o << L", holds,
                "by its formulas it holds; but unpacked messages follow one another max(o, g) "
                "apart, which is here as long as to pack a column: with m/n = 4, %g against %g",
                p->stopped ? NAN : t->rows[2].value[EMULATED],
                p->stopped ? NAN : t->rows[3].value[EMULATED]);
}

/* When packing is worth while, for each cost of packing a column. */
static void packing(struct paper *p)
{
    static const struct paper_chart chart = {
        .x_axis = "pack, units of time", .y_axis = "time, units", .x = 2, .series = EACH_OTHER};
    static const char *const algorithms[] = {"ring", "butterfly"};
    static const int packs[] = {0, 2, 4, 8, 16, 32};
    const int P = 8, size = 128;
    int least = INT_MAX; /* the least cost for which packing is not worth while */
    struct paper_table *t =
        paper_table(p, "Packing", "algorithm|packing|pack", "units",
                    "over the cost of packing a column, ours of %d x %d, P = %d", size, size, P);

    t->chart = &chart;
    for (int a = 0; a < 2; a++) {
        struct paper_case x = sun_case(p, algorithms[a], P, size, sizeof(double), true);
        struct paper_row *row = paper_row(t, "%s|none|0", algorithms[a]);
        double none;

        x.c.args.packing = LOGP_PACKING_NONE;
        paper_run(p, &x, row);
        none = row->value[EMULATED];
        x.c.args.packing = LOGP_PACKING_STRUCTURED;
        for (size_t i = 0; i < sizeof(packs) / sizeof(packs[0]); i++) {
            row = paper_row(t, "%s|structured|%d", algorithms[a], packs[i]);
            x.c.args.pack_ns = packs[i] * x.unit_ns;
            paper_run(p, &x, row);
            if (row->value[EMULATED] > none) {
                paper_remark(row, "slower than none");
                least = packs[i] < least ? packs[i] : least;
            }
        }
    }
    paper_judge(p, "Structured redistribution is faster", least == INT_MAX,
                "none is faster here if packing a column takes %d units, because its messages "
                "follow one another at the gap, not after the whole way of the one before",
                least);
    paper_note(t, "The paper's structured redistribution does not always win: messages of a column "
                  "each follow one another at the gap, not after the whole way of the one before.");
}

/* ---- lemmas and theorems ---- */

/* A statement about times, and the row above that shows it; of the claim, the row less `minus`. */
static const struct {
    const char *statement, *figure, *row, *minus;
} statements[] = {
    {"t_ns = (m/n)[max(2o,g) + L - g]", "Section 3", "none|4", NULL},
    {"t_s = (m/n) 2o + max(2o,g) + L - g", "Section 3", "structured|4", NULL},
    {"t_ns - t_s > 0, m/n > 1, o << L", "Section 3", "none|4", "structured|4"},
    {"ring, n(n-1)[max(2o,g) + L - g]", "Formulas", "ring|8", NULL},
    {"butterfly network, 2 log2 n [max(2o,g) + L - g]", "Formulas", "butterfly|8", NULL},
    {"hypercube, (2n/sigma) log2 n [..]", "Hypercube", "8|P|1|-", NULL},
};

static const struct paper_row *row_of(const struct paper *p, const char *figure, const char *labels)
{
    for (int i = 0; i < p->n_tables; i++)
        for (size_t k = 0; k < p->tables[i].n_rows; k++)
            if (strcmp(p->tables[i].figure, figure) == 0 &&
                strcmp(p->tables[i].rows[k].labels, labels) == 0)
                return &p->tables[i].rows[k];
    bad_usage("paper %s, %s: no row %s", p->name, figure, labels);
}

static void lemmas_and_theorems(struct paper *p)
{
    struct paper_table *t = paper_table(p, "Lemmas 1-3, theorems 1-3", "statement|figure", "units",
                                        "the statements about times, n = 8 or m/n = 4");

    for (size_t i = 0; i < sizeof(statements) / sizeof(statements[0]); i++) {
        const struct paper_row *shown = row_of(p, statements[i].figure, statements[i].row), *minus;
        struct paper_row *row =
            paper_row(t, "%s|%s", statements[i].statement, statements[i].figure);

        for (int v = FORMULA; v < N_VALUES; v++)
            row->value[v] = shown->value[v];
        if (statements[i].minus == NULL)
            continue;
        minus = row_of(p, statements[i].figure, statements[i].minus);
        for (int v = FORMULA; v < N_VALUES; v++)
            row->value[v] -= minus->value[v];
        if (!p->stopped)
            paper_remark(row, row->value[EMULATED] > 0 ? "holds" : "does not hold");
    }
    paper_note(t, "Taken as lemmas 1-3 and theorems 1-3: the paper's six statements about times, "
                  "from the tables that are named, with their L, o, g.");
}

void sun_packing(struct paper *p)
{
    one_destination(p);
    claim(p);
    packing(p);
    lemmas_and_theorems(p);
}

/* ---- listings ---- */

/*
 * Sun, Zhang & Song: the two listings, run in lockstep on labelled blocks as they are printed and
 * as they are run here. Processor J begins with the blocks (I, J) of its column, and must end with
 * the blocks (J, I) of its row.
 */

enum { MOST = 16, N = 8, LEVELS = 3 };

/* A block, by its row and column of blocks. */
struct block {
    int row, column;
};

struct blocks {
    struct block of[MOST][MOST]; /* of each processor, in its order */
};

static struct blocks columns(void)
{
    struct blocks b;

    for (int rank = 0; rank < N; rank++)
        for (int i = 0; i < N; i++)
            b.of[rank][i] = (struct block){i, rank};
    return b;
}

/* The number of blocks at their right places: block (J, I) at place I of processor J. */
static int in_place(const struct blocks *b)
{
    int n = 0;

    for (int rank = 0; rank < N; rank++)
        for (int i = 0; i < N; i++)
            n += b->of[rank][i].row == rank && b->of[rank][i].column == i;
    return n;
}

/* One stage, over bit k of the ranks: each sends half of its blocks to the processor that differs
 * in it. The blocks of the processor whose bit is 0 take the even places. ones_send: which half
 * goes where that bit is 1: 0 the first, 1 the second. */
static struct blocks stage(const struct blocks *before, int k, int ones_send)
{
    struct blocks after;

    for (int rank = 0; rank < N; rank++) {
        const int bit = rank >> k & 1, other = rank ^ 1 << k;
        const int sent = bit == 1 ? ones_send : 1;  /* the half that this one sends, */
        const int comes = bit == 1 ? 1 : ones_send; /* and the one that it receives */
        const struct block *kept = before->of[rank] + (1 - sent) * (N / 2);
        const struct block *received = before->of[other] + comes * (N / 2);

        for (int i = 0; i < N / 2; i++) {
            after.of[rank][2 * i + bit] = kept[i];
            after.of[rank][2 * i + 1 - bit] = received[i];
        }
    }
    return after;
}

/* The most significant bit first, from stage 0 or 1 on. */
static int butterfly(int first, int ones_send)
{
    struct blocks b = columns();

    for (int k = first; k < LEVELS; k++)
        b = stage(&b, LEVELS - 1 - k, ones_send);
    return in_place(&b);
}

/* In phase k processor i sends to i + k the block that belongs there; exchanged: with row and
 * column the other way round. Only a block that it has can be sent.
 * @return the number of blocks at their right places, including those that stay */
static int ring(bool exchanged)
{
    int n = N;

    for (int i = 0; i < N; i++)
        for (int k = 1; k < N; k++) {
            const int to = (i + k) % N;
            const struct block b = exchanged ? (struct block){i, to} : (struct block){to, i};

            n += b.column == i && b.row == to;
        }
    return n;
}

void sun_listings(struct paper *p)
{
    const int all = N * N, half = butterfly(0, 1), here = butterfly(0, 0), both = butterfly(1, 1),
              loop = butterfly(1, 0);

    paper_listing(p, "Listing of the butterfly, the loop over the stages", loop == all,
                  "Butterfly, the loop over the stages, n = %d|for k = 1 to r - 1, where n = 2^r|"
                  "%d of %d stages; %d of %d blocks end where the transpose has them|"
                  "for k = 0 to r - 1: %d stages; %d of %d blocks|"
                  "it begins at k = 1 and so runs r - 1 of r stages: %d of %d blocks reach their "
                  "place; as run here %d",
                  N, LEVELS - 1, LEVELS, loop, all, LEVELS, here, all, loop, all, here);
    paper_listing(p, "Listing of the butterfly, the half that is sent", half == all,
                  "Butterfly, the half that is sent, n = %d|"
                  "where bit x_k of the rank is 1, as where it is 0: send the second half of the "
                  "blocks|"
                  "%d of %d blocks end where the transpose has them, with a loop from k = 0; with "
                  "that from k = 1 %d|"
                  "where x_k is 1: send the first half; where it is 0: the second; %d of %d blocks|"
                  "where x_k is 1 it sends the wrong half (and tests p_k for x_k): %d of %d blocks "
                  "reach their place; as run here %d",
                  N, half, all, both, here, all, half, all, here);
    paper_listing(p, "Listing of the ring", ring(true) == all,
                  "Ring, the indices of a block, n = %d|"
                  "in phase k processor i sends block (i, j) to j = i + k|"
                  "%d of %d blocks end where the transpose has them: i has no block (i, j), whose "
                  "column is j|"
                  "in phase k processor i sends block (j, i) to j = i + k; %d of %d blocks|"
                  "i and j are exchanged: %d of %d blocks reach their place; as run here %d",
                  N, ring(true), all, ring(false), all, ring(true), all, ring(false));
}
