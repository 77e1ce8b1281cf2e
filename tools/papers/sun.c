/* SPDX-License-Identifier: MIT */
/*
 * Sun, Zhang & Song: data redistribution, which is transposing a matrix, by ring and butterfly.
 * The paper gives a formula for each, and a table of seconds on a hypercube of its time; our
 * matrices have 1/32 of the rows and columns, and our times are of a machine with L, o, g = 6, 2, 4
 * where a byte streams in 0.01.
 */
#include "paper.h"

enum { PRINTED_SHIFT = 5 }; /* 2^10 x 2^10 becomes 2^5 x 2^5 */

static struct paper_case make_case(const struct paper *p, const char *algorithm, int P,
                                   int64_t size, size_t element_bytes, bool streams)
{
    const int64_t unit = paper_unit(p, 5000);

    return (struct paper_case){.collective = "transpose",
                               .algorithm = algorithm,
                               .P = P,
                               .unit_ns = unit,
                               .c = {.rows = size,
                                     .cols = size,
                                     .n_bytes = element_bytes,
                                     .params = {.L_ns = 6 * unit,
                                                .o_send_ns = 2 * unit,
                                                .o_recv_ns = 2 * unit,
                                                .g_ns = 4 * unit,
                                                .G_ps = streams ? unit * 10 : 0}}};
}

/* ---- the formulas ---- */

static void formulas(struct paper *p)
{
    static const char *const algorithms[] = {"ring", "ring-eager", "ring-window", "butterfly"};
    struct paper_table *t = paper_table(p, "Formulas", "algorithm|P", "units",
                                        "one message for each destination, L, o, g = 6, 2, 4");
    const double step = 4 + 6 - 4; /* max(2o, g) + L - g */

    for (int i = 0; i < 4; i++)
        for (int P = 2; P <= 16; P *= 2) {
            const struct paper_case x = make_case(p, algorithms[i], P, P, 1, false);
            struct paper_row *row = paper_row(t, "%s|%d", algorithms[i], P);

            if (i == 0)
                row->value[FORMULA] = P * (P - 1) * step;
            else if (i == 3)
                row->value[FORMULA] = 2 * log2(P) * step;
            paper_run(p, &x, row);
        }
    paper_note(t, "The paper's ring is n(n-1)[max(2o,g) + L - g], with an n too many and L in "
                  "every phase; its butterfly is 2 log2 n [max(2o,g) + L - g].");
    paper_note(t, "The ring as it stands waits for each message before the next is sent; eager "
                  "sends all first, a window keeps a few on their way.");
}

/* ---- the table ---- */

static const struct {
    int log_size;
    double seconds[4][2]; /* for P = 2, 4, 8, 16: ring, butterfly */
} printed[] = {
    {10, {{9.23, 8.92}, {11.32, 9.32}, {12.56, 10.89}, {14.44, 11.12}}},
    {11, {{11.56, 10.94}, {12.57, 10.65}, {13.69, 12.15}, {15.78, 12.89}}},
    {12, {{13.05, 11.33}, {14.48, 12.07}, {15.71, 13.97}, {16.53, 14.15}}},
};

enum { N_SIZES = sizeof(printed) / sizeof(printed[0]) };

static const char *faster(double ring, double butterfly)
{
    return ring < butterfly ? "the ring" : ring > butterfly ? "the butterfly" : "neither";
}

/* To pack a column takes as long as its part for one destination streams. */
static int64_t pack_ns(const struct paper_case *x)
{
    return logp_stream_ns(&x->c.params, (size_t)(x->c.rows / x->P) * x->c.n_bytes);
}

/* Ring and butterfly for one size and P, structured or not. */
static void pair(struct paper *p, struct paper_table *t, int i, int j, enum logp_packing packing)
{
    static const char *const algorithms[] = {"ring", "butterfly"};
    const int P = 2 << j, log_size = printed[i].log_size, ours = 1 << (log_size - PRINTED_SHIFT);
    const bool structured = packing == LOGP_PACKING_STRUCTURED;
    double emulated[2] = {NAN, NAN};

    for (int a = 0; a < 2; a++) {
        struct paper_case x = make_case(p, algorithms[a], P, ours, sizeof(double), true);
        struct paper_row *row = paper_row(t, "2^%d|%d|%d|%s|%s", log_size, ours, P,
                                          structured ? "structured" : "none", algorithms[a]);

        x.c.packing = packing;
        x.c.pack_ns = structured ? pack_ns(&x) : 0;
        if (structured)
            row->value[PRINTED] = printed[i].seconds[j][a];
        paper_run(p, &x, row);
        emulated[a] = row->value[EMULATED];
        if (a == 1 && !isnan(emulated[0]) && structured)
            paper_remark(row, "faster: %s; printed: %s", faster(emulated[0], emulated[1]),
                         faster(printed[i].seconds[j][0], printed[i].seconds[j][1]));
        else if (a == 1 && !isnan(emulated[0]))
            paper_remark(row, "faster: %s", faster(emulated[0], emulated[1]));
    }
}

static void table(struct paper *p)
{
    struct paper_table *t = paper_table(p, "Table", "matrix|ours|P|packing|algorithm", "units",
                                        "ring and butterfly, square matrices, ours of doubles");

    t->printed_unit = "s";
    for (int i = 0; i < N_SIZES; i++)
        for (int j = 0; j < 4; j++) {
            pair(p, t, i, j, LOGP_PACKING_STRUCTURED);
            pair(p, t, i, j, LOGP_PACKING_NONE);
        }
    paper_note(t, "Printed are seconds on a hypercube of its time, so that what compares is which "
                  "is faster. Ours are 1/32 of each side, with L, o, g = 6, 2, 4 and 0.01 for a "
                  "byte that streams. The formulas know no sizes, so they stand above alone.");
    paper_note(
        t,
        "Structured: all that goes to one destination is one message, and to pack a column takes "
        "as long as its part for one destination streams; none: one message for each column.");
}

/* Is it worth while to pack, when a column costs so much? */
static void packing(struct paper *p)
{
    static const char *const algorithms[] = {"ring", "butterfly"};
    static const int packs[] = {0, 2, 4, 8, 16, 32};
    const int P = 8, size = 128;
    struct paper_table *t =
        paper_table(p, "Packing", "algorithm|packing|pack", "units",
                    "over the cost of packing a column, ours of %d x %d, P = %d", size, size, P);

    for (int a = 0; a < 2; a++) {
        struct paper_case x = make_case(p, algorithms[a], P, size, sizeof(double), true);
        struct paper_row *row = paper_row(t, "%s|none|0", algorithms[a]);
        double none;

        x.c.packing = LOGP_PACKING_NONE;
        paper_run(p, &x, row);
        none = row->value[EMULATED];
        x.c.packing = LOGP_PACKING_STRUCTURED;
        for (size_t i = 0; i < sizeof(packs) / sizeof(packs[0]); i++) {
            row = paper_row(t, "%s|structured|%d", algorithms[a], packs[i]);
            x.c.pack_ns = packs[i] * x.unit_ns;
            paper_run(p, &x, row);
            if (row->value[EMULATED] > none)
                paper_remark(row, "slower than none");
        }
    }
    paper_note(t, "The paper's structured redistribution does not always win: messages of a column "
                  "each follow one another at the gap, not after the whole way of the one before.");
}

void paper_sun(struct paper *p)
{
    formulas(p);
    table(p);
    packing(p);
}
