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
#include <sun.inc>

#include <limits.h>
#include <string.h>

/* ---- the table ---- */

static const char *faster(double ring, double butterfly)
{
    return ring < butterfly ? "the ring" : ring > butterfly ? "the butterfly" : "neither";
}

/* Below the row of the ring, that of the butterfly. */
static void compare(const struct paper_at *at)
{
    const bool is_second = strcmp(at->x->algorithm, "butterfly") == 0;
    const double *butterfly = at->row->value, *ring = at->row[is_second ? -1 : 0].value;
    const bool printed = !isnan(ring[PRINTED]);

    if (!is_second || isnan(ring[EMULATED]) || isnan(butterfly[EMULATED]))
        return;
    paper_remark(at->row, "faster: %s%s%s", faster(ring[EMULATED], butterfly[EMULATED]),
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

static void judge_large(struct paper *p, const struct paper_table *t, const char *what)
{
    const int large = cells_as_printed(t, true);

    paper_judge(p, what, large == 9,
                "on a hypercube, %d of 9 cells; the ring's messages share links there, those of "
                "the butterfly do not. The seconds cannot be compared with anything here",
                large);
}

static void judge_small(struct paper *p, const struct paper_table *t, const char *what)
{
    const int small = cells_as_printed(t, false);

    paper_judge(p, what, small == 3,
                "%d of 3 cells: both send the same one message, and take the same time", small);
}

/* ---- packing ---- */

static void compare_with_unpacked(const struct paper_at *at)
{
    if (at->x->c.args.packing == LOGP_PACKING_STRUCTURED &&
        at->row[-1].value[EMULATED] <= at->row->value[EMULATED])
        paper_remark(at->row, "not less than unpacked");
}

static bool packed_is_less(const struct paper *p, const struct paper_table *t)
{
    bool less = true;

    (void)p;
    for (size_t i = 0; i < t->n_rows; i++)
        less &= t->rows[i].remark[0] == '\0';
    return less;
}

static void compare_with_none(const struct paper_at *at)
{
    if (at->x->c.args.packing == LOGP_PACKING_NONE)
        at->p->kept = *at->row;
    else if (at->row->value[EMULATED] > at->p->kept.value[EMULATED])
        paper_remark(at->row, "slower than none");
}

static void judge_packing(struct paper *p, const struct paper_table *t, const char *what)
{
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

static const struct paper_function functions[] = {
    {"compare", .complete = compare},
    {"compare_with_unpacked", .complete = compare_with_unpacked},
    {"compare_with_none", .complete = compare_with_none},
    {"pack_as_it_streams", .adjust = pack_as_it_streams},
    {"count_cells", .after = count_cells},
    {"state", .after = state},
    {"packed_is_less", .agrees = packed_is_less},
    {"judge_large", .judge = judge_large},
    {"judge_small", .judge = judge_small},
    {"judge_packing", .judge = judge_packing},
    {"sun_listings", .judge = sun_listings},
    {0}};

const struct paper_kind paper_sun = {.name = "sun",
                                     .title = "Sun, Zhang & Song 2002: data redistribution",
                                     .unit_ns = 5000,
                                     .text = sun_paper,
                                     .functions = functions};
