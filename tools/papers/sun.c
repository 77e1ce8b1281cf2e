/* SPDX-License-Identifier: MIT */
/*
 * Sun, Zhang & Song: data redistribution, which is transposing a matrix, by ring and butterfly.
 * The paper gives a formula for each, and a table of seconds on a hypercube of its time; our
 * matrices have 1/32 of the rows and columns, and our times are of a machine with L, o, g = 6, 2, 4
 * where a byte streams in 0.01, on a hypercube of links too where that is what the paper had.
 * Section 3: columns for one destination in a message each, or packed into one; two processors, the
 * first of which has the only row, so that it receives and sends nothing.
 */
#include "papers/paper.h"

#include <limits.h>
#include <string.h>

enum { FORMULAS, HYPERCUBE, TABLE, NO_LINKS, ONE_DESTINATION, SECTION_3, PACKING };

#define MODEL " L=6 o=2 g=4"
#define STREAMS MODEL " G=0.01"

/* ---- the formulas ---- */

/* max(2o, g) + L - g */
static double step(const struct paper_case *x)
{
    const struct logp_params *q = &x->c.model.params;

    return paper_units(x, q->L_ns - q->g_ns) +
           fmax(2 * paper_units(x, q->o_send_ns), paper_units(x, q->g_ns));
}

static double of_ring(const struct paper_case *x)
{
    return (double)(x->P * (x->P - 1)) * step(x);
}

/* The butterfly network, whatever the number of messages in a stage. */
static double of_butterfly(const struct paper_case *x)
{
    return step(x) * 2 * log2((double)x->P);
}

/* The hypercube, on which sigma processors, the second word, do the work of a level of it. */
static double of_hypercube(const struct paper_case *x)
{
    char sigma[64];

    return of_butterfly(x) * (strcmp(paper_label(x->words, 1, sigma), "P/2") == 0 ? 2 : 1);
}

/* Section 3, for m/n = s columns: t_ns, or where to pack a column takes 2o, t_s. */
static double of_section_3(const struct paper_case *x)
{
    const double s = (double)x->c.args.cols / 2, pack = paper_units(x, x->c.args.pack_ns);

    if (x->c.args.packing == LOGP_PACKING_NONE)
        return s * step(x);
    return pack == 2 * paper_units(x, x->c.model.params.o_send_ns) ? s * pack + step(x) : NAN;
}

/* ---- the table ---- */

static const char *faster(double ring, double butterfly)
{
    return ring < butterfly ? "the ring" : ring > butterfly ? "the butterfly" : "neither";
}

/* Below the row of the ring, that of the butterfly. */
static void compare(struct paper *p, struct paper_table *t, struct paper_row *row,
                    const struct paper_case *x)
{
    const double *ring = row[-1].value, *butterfly = row->value;
    const bool printed = t == &p->tables[TABLE];

    if (strcmp(x->algorithm, "butterfly") != 0 || isnan(ring[EMULATED]) ||
        isnan(butterfly[EMULATED]))
        return;
    paper_remark(row, "faster: %s%s%s", faster(ring[EMULATED], butterfly[EMULATED]),
                 printed ? "; printed: " : "",
                 printed ? faster(ring[PRINTED], butterfly[PRINTED]) : "");
}

/* To pack a column takes as long as its part for one destination streams. */
static bool pack_as_it_streams(struct paper_case *x)
{
    if (x->c.args.packing == LOGP_PACKING_STRUCTURED)
        x->c.args.pack_ns = logp_params_stream_ns(
            &x->c.model.params, (size_t)(x->c.args.rows / x->P) * x->c.args.n_bytes);
    return true;
}

/* The number of cells of the table, with P = 2 or above, in which the same one is faster. */
static int cells_as_printed(const struct paper_table *t, bool above)
{
    int n = 0;

    for (size_t i = 0; i + 1 < t->n_rows; i += 2) {
        const double *ring = t->rows[i].value, *butterfly = t->rows[i + 1].value;

        if ((paper_number(t->rows[i].labels, 2) > 2) == above)
            n += strcmp(faster(ring[PRINTED], butterfly[PRINTED]),
                        faster(ring[EMULATED], butterfly[EMULATED])) == 0;
    }
    return n;
}

static void count_cells(struct paper *p, struct paper_table *t)
{
    const int large = cells_as_printed(t, true), small = cells_as_printed(t, false);

    (void)p;
    paper_note(t,
               "Which is faster is as printed in %d of 12 cells, and in %d of the 9 with P >= 4; "
               "for P = 2 ring and butterfly are the same messages.",
               large + small, large);
}

static void judge_large(struct paper *p, const char *what)
{
    const int large = cells_as_printed(&p->tables[TABLE], true);

    paper_judge(p, what, large == 9,
                "on a hypercube, %d of 9 cells; the ring's messages share links there, those of "
                "the butterfly do not. The seconds cannot be compared with anything here",
                large);
}

static void judge_small(struct paper *p, const char *what)
{
    const int small = cells_as_printed(&p->tables[TABLE], false);

    paper_judge(p, what, small == 3,
                "%d of 3 cells: both send the same one message, and take the same time", small);
}

/* ---- packing ---- */

static void compare_with_unpacked(struct paper *p, struct paper_table *t, struct paper_row *row,
                                  const struct paper_case *x)
{
    (void)p;
    (void)t;
    if (x->c.args.packing == LOGP_PACKING_STRUCTURED &&
        row[-1].value[EMULATED] <= row->value[EMULATED])
        paper_remark(row, "not less than unpacked");
}

static bool packed_is_less(const struct paper *p)
{
    bool less = true;

    for (size_t i = 0; i < p->tables[SECTION_3].n_rows; i++)
        less &= p->tables[SECTION_3].rows[i].remark[0] == '\0';
    return less;
}

static void compare_with_none(struct paper *p, struct paper_table *t, struct paper_row *row,
                              const struct paper_case *x)
{
    (void)t;
    if (x->c.args.packing == LOGP_PACKING_NONE)
        p->kept = *row;
    else if (row->value[EMULATED] > p->kept.value[EMULATED])
        paper_remark(row, "slower than none");
}

static void judge_packing(struct paper *p, const char *what)
{
    const struct paper_table *t = &p->tables[PACKING];
    double least = INT_MAX; /* cost for which packing is not worth while */

    for (size_t i = 0; i < t->n_rows; i++)
        if (t->rows[i].remark[0] != '\0')
            least = fmin(least, paper_number(t->rows[i].labels, 2));
    paper_judge(p, what, least == INT_MAX,
                "none is faster here if packing a column takes %.0f units, because its messages "
                "follow one another at the gap, not after the whole way of the one before",
                least);
}

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

static void state(struct paper *p, struct paper_table *t)
{
    for (size_t i = 0; i < sizeof(statements) / sizeof(statements[0]); i++) {
        const char *figure = statements[i].figure, *minus = statements[i].minus;
        const struct paper_row *shown = paper_row_of(p, figure, statements[i].row);
        struct paper_row *row = paper_row(t, "%s|%s", statements[i].statement, figure);

        for (int v = FORMULA; v < N_VALUES; v++)
            row->value[v] =
                shown->value[v] - (minus != NULL ? paper_row_of(p, figure, minus)->value[v] : 0);
        if (minus != NULL && !p->stopped)
            paper_remark(row, row->value[EMULATED] > 0 ? "holds" : "does not hold");
    }
}

/* ---- the paper ---- */

#define CELL "transpose $5 P=$3 rows=$2 cols=$2 bytes=8 packing=$4" STREAMS
#define STAGE "transpose butterfly P=$1 rows=$1 cols=$1 bytes=1 topology=$4" MODEL

/* P processors, w messages of a stage: all take part in it, so that a level has sigma = P of them;
 * P/2 for comparison. */
#define STAGES(P, w)                                                                               \
    {.each = P "|P|1 x -;hypercube", .run = STAGE, .formula = of_hypercube},                       \
        {.each = P "|P|" w " x -;hypercube",                                                       \
         .run = STAGE " packing=none",                                                             \
         .formula = of_hypercube},                                                                 \
    {                                                                                              \
        .each = P "|P/2|1|hypercube", .run = STAGE, .idle = true, .formula = of_hypercube          \
    }

static const struct paper_figure figures[] = {
    {.figure = "Formulas",
     .title = "one message for each destination, L, o, g = 6, 2, 4",
     .columns = "algorithm|P",
     .unit = "units",
     .rows = {{.each = "ring x 2;4;8;16",
               .run = "transpose ring P=$2 rows=$2 cols=$2 bytes=1" MODEL,
               .formula = of_ring},
              {.each = "ring-eager;ring-window x 2;4;8;16",
               .run = "transpose $1 P=$2 rows=$2 cols=$2 bytes=1" MODEL},
              {.each = "butterfly x 2;4;8;16",
               .run = "transpose butterfly P=$2 rows=$2 cols=$2 bytes=1" MODEL,
               .formula = of_butterfly}},
     .notes = {"The paper's ring is n(n-1)[max(2o,g) + L - g], with an n too many and L in every "
               "phase; its butterfly network is 2 log2 n [max(2o,g) + L - g].",
               "The ring as printed waits for each message before it sends the next; eager sends "
               "all first, a window keeps a few in flight."},
     .chart = {.x_axis = "P", .y_axis = "time, units", .x = 1, .log_x = true, .log_y = true}},
    {.figure = "Hypercube",
     .title = "the butterfly of P x P words, in one message or one for each column",
     .columns = "P|sigma|messages of a stage|network",
     .unit = "units",
     .rows = {{.each = "2|P|1 x -;hypercube", .run = STAGE, .formula = of_hypercube},
              {.each = "2|P/2|1|hypercube", .run = STAGE, .idle = true, .formula = of_hypercube},
              STAGES("4", "2"),
              STAGES("8", "4"),
              STAGES("16", "8")},
     .notes = {"Its formula: [max(2o,g) + L - g] (2n/sigma) log2 n, with sigma processors of a "
               "level. Here all n take part in each stage; then it is that of the butterfly "
               "network. With half of them it is twice as much, and nothing is run.",
               "Ours for w messages of a word, w >= 2: lg n ((w-1)e + max(L, (w-1)e) + 2o); for "
               "one: (lg n - 1) max(D,E) + D."},
     .chart = {"P", "time, units", .x = 0, .series = EACH_OTHER, .log_x = true}},
    {.figure = "Table",
     .title = "ring and butterfly on a hypercube, ours of doubles",
     .columns = "matrix|ours|P|packing|algorithm",
     .unit = "units",
     .printed_unit = "s",
     .rows = {{.each = "2^10|32;2^11|64;2^12|128 x 2;4;8;16 x structured x ring;butterfly",
               .run = CELL " topology=hypercube",
               .printed = "9.23 8.92 11.32 9.32 12.56 10.89 14.44 11.12 11.56 10.94 12.57 10.65 "
                          "13.69 12.15 15.78 12.89 13.05 11.33 14.48 12.07 15.71 13.97 16.53 14.15",
               .complete = compare}},
     .notes = {"The paper prints seconds on a hypercube of its time, so only the order of the two "
               "can be compared. Ours are 1/32 of each side, with L, o, g = 6, 2, 4 and 0.01 for a "
               "byte that streams, and every link delays a message. The formulas have no sizes, so "
               "they are in the table above."},
     .complete = count_cells,
     .chart = {"P", "time, units", .x = 2, .series = EACH_OTHER, .log_x = true}},
    {.figure = "Table",
     .title = "the same on a full network, with a time to pack",
     .columns = "matrix|ours|P|packing|algorithm",
     .unit = "units",
     .rows = {{.each = "2^10|32;2^11|64;2^12|128 x 2;4;8;16 x structured;none x ring;butterfly",
               .run = CELL,
               .adjust = pack_as_it_streams,
               .complete = compare}},
     .notes = {"Structured: all that goes to one destination is one message, and to pack a column "
               "takes as long as its part for one destination streams, which the butterfly does "
               "log2 n times; none: one message for each column."},
     .chart = {"P", "time, units", .x = 2, .series = EACH_OTHER, .log_x = true, .log_y = true}},
    {.figure = "t_s, t_ns",
     .title = "s columns of t doubles for one destination",
     .columns = "packing|s|t|pack",
     .unit = "units",
     .rows = {{.each = "1;4;16 x 1;16;64 x none|0;structured|0;structured|2;structured|4",
               .labels = "$3|$1|$2|$4",
               .run = "transpose ring P=2 rows=1 cols=2*$1 bytes=8*$2 packing=$3 pack=$4" STREAMS,
               .formula = of_section_3}},
     .notes = {"Its formulas, section 3, with m/n = s: t_ns = (m/n)[max(2o,g) + L - g], and t_s = "
               "(m/n) 2o + max(2o,g) + L - g, where to pack a column takes 2o, here 4. They ignore "
               "the length of a column.",
               "Ours: none (s-1) E(t) + D(t), structured s pack + D(s t), where D(t) is the time "
               "of a message of t words, and E(t) the time between two."}},
    {.figure = "Section 3",
     .title = "t_ns > t_s for m/n > 1, o << L: L, o, g = 100, 1, 2",
     .columns = "packing|m/n",
     .unit = "units",
     .rows = {{.each = "2;4;8;16;64 x none|0;structured|2",
               .labels = "$2|$1",
               .run =
                   "transpose ring P=2 rows=1 cols=2*$1 bytes=1 packing=$2 pack=$3 L=100 o=1 g=2",
               .formula = of_section_3,
               .complete = compare_with_unpacked}},
     .notes = {"A matrix of one row on two processors, so that m/n columns go to one destination; "
               "to pack one takes 2o."}},
    {.figure = "Packing",
     .title = "over the cost of packing a column, ours of 128 x 128, P = 8",
     .columns = "algorithm|packing|pack",
     .unit = "units",
     .rows = {{.each = "ring;butterfly x "
                       "none|0;structured|0;structured|2;structured|4;structured|8;structured|16;"
                       "structured|32",
               .run = "transpose $1 P=8 rows=128 cols=128 bytes=8 packing=$2 pack=$3" STREAMS,
               .complete = compare_with_none}},
     .notes = {"The paper's structured redistribution does not always win: messages of a column "
               "each follow one another at the gap, not after the whole way of the one before."},
     .chart = {"pack, units of time", "time, units", .x = 2, .series = EACH_OTHER}},
    {.figure = "Lemmas 1-3, theorems 1-3",
     .title = "the statements about times, n = 8 or m/n = 4",
     .columns = "statement|figure",
     .unit = "units",
     .notes = {"Taken as lemmas 1-3 and theorems 1-3: the paper's six statements about times, from "
               "the tables that are named, with their L, o, g."},
     .complete = state},
    {0}};

static const struct paper_claim claims[] = {
    {.what = "Ring, n(n-1)[max(2o,g) + L - g]",
     .why = "it has an n too many, as every processor has n - 1 phases of its own, and L - g in "
            "each of them; ours is (n-2) max(D,E) + D",
     .same = {SAME(FORMULAS, "ring|*", FORMULA, EMULATED)}},
    {.what = "Butterfly network, 2 log2 n [max(2o,g) + L - g]",
     .why = "a stage of one message takes 2o + L for any g; and the formula ignores the number of "
            "messages of a stage",
     .same = {SAME(FORMULAS, "butterfly|*", FORMULA, EMULATED)}},
    {.what = "Hypercube, [max(2o,g) + L - g] (2n/sigma) log2 n",
     .why = "as the butterfly network with sigma = n; on the links of a hypercube the butterfly "
            "takes as long as without",
     .same = {SAME(HYPERCUBE, "*", FORMULA, EMULATED)}},
    {.what = "Table, which is faster, P >= 4", .judge = judge_large},
    {.what = "Table, which is faster, P = 2", .judge = judge_small},
    {.what = "Section 3, t_ns = (m/n)[max(2o,g) + L - g]",
     .why = "it counts the latency once for each column, and one message as L, where g >= 2o; "
            "ours: (s-1) E(t) + D(t)",
     .same = {SAME(ONE_DESTINATION, "none|*", FORMULA, EMULATED)}},
    {.what = "Section 3, t_s = (m/n) 2o + max(2o,g) + L - g",
     .why = "a message takes 2o + L and its streaming; ours: s pack + D(s t)",
     .same = {SAME(ONE_DESTINATION, "structured|*", FORMULA, EMULATED)}},
    {.what = "Section 3, t_ns > t_s for m/n > 1, o << L",
     .why = "by its formulas it holds; but unpacked messages follow one another max(o, g) apart, "
            "which is here as long as to pack a column: with m/n = 4, $(Section 3:none|4:emulated) "
            "against $(Section 3:structured|4:emulated)",
     .agrees = packed_is_less},
    {.what = "Structured redistribution is faster", .judge = judge_packing},
    {.judge = sun_listings},
    {0}};

const struct paper_kind paper_sun = {.name = "sun",
                                     .title = "Sun, Zhang & Song 2002: data redistribution",
                                     .unit_ns = 5000,
                                     .figures = figures,
                                     .claims = claims};
