/* SPDX-License-Identifier: MIT */
/*
 * Kurnosov: reduction along k chains. Figures 1, 2, 3, 6 and 8 show processors one by one, the
 * others are curves over the number of chains and over that of processors, without printed values
 * but for the numbers of chains that are recommended. Where its cluster had 48 processes we have 48
 * processors, and vectors of 1, 2^5 and 2^10 doubles in place of 1, 2^10 and 2^20. The formulas, and
 * what its processors do, are in kurnosov_formulas.c.
 */
#include "papers/kurnosov.h"

#include <string.h>

enum {
    FIGURE_1,
    FIGURES_2_3,
    FIGURE_6,
    FORMS,
    OVER_K,
    FIGURE_8,
    FIGURE_8_13,
    FIGURE_8_SORTED,
    SECTION_7,
    BEST_4,
    FIGURE_4,
    BEST_5,
    FIGURE_5,
    INEQUALITIES,
    FIGURE_7,
    FIGURE_9,
    FIGURES_10_11
};

/* a = 2o + L + c = 3 and b = o + c = 2 leave o + L = 1; c = 1; and one whose vectors stream. */
#define SMALL " L=0 o=1 g=2 gamma=1"
#define PLAIN " L=6 o=2 g=4 gamma=1"
#define CLUSTER " P=48 L=6 o=2 g=4 G=0.01 gamma=0.05"

#define GRID "2;3;4;5;6;7;8;10;12;14;16;20;24;32;40"

/* ---- numbers of chains ---- */

/* The best k of a case. */
static int best_k(const struct paper_case *x)
{
    struct paper_case best = *x;

    best.own = logp_algorithm_find("reduce", "kchain-opt");
    best.c.args.k = 0;
    return (int)paper_knob(&best, "k");
}

static double chosen_k(const struct paper_case *x)
{
    return (double)paper_knob(x, "k");
}

/* The predicted time of k chains, in units. */
static double predicted(const struct paper_case *x, double k)
{
    struct logp_invocation c = x->c;

    c.args.k = (int64_t)k;
    return paper_units(
        x, logp_algorithm_predict(logp_algorithm_find("reduce", "kchain"), x->P, &c.args, &c.model)
               .ns);
}

static void compare_best(struct paper *p, struct paper_table *t, struct paper_row *row,
                         const struct paper_case *x)
{
    (void)p;
    (void)t;
    paper_remark(row, "predicted: %.7g units with the printed k, %.7g with ours",
                 predicted(x, row->value[PRINTED]), predicted(x, row->value[PREDICTED]));
}

/* Words 2 and 3 of a curve over k: the printed k*, and k, of which the curve has those of a grid,
 * the printed and the best. */
static bool is_shown(struct paper_case *x)
{
    static const int grid[] = {1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16, 20, 24, 32, 40};
    const int64_t k = x->c.args.k;
    bool shown = k == paper_number(x->words, 1) || k == best_k(x);

    for (size_t i = 0; i < sizeof(grid) / sizeof(grid[0]); i++)
        shown |= k == grid[i];
    return shown;
}

static void say_which(struct paper *p, struct paper_table *t, struct paper_row *row,
                      const struct paper_case *x)
{
    const bool printed = x->c.args.k == paper_number(x->words, 1), best = x->c.args.k == best_k(x);

    (void)p;
    (void)t;
    if (printed || best)
        paper_remark(row, "%s%s%s", printed ? "the printed k*" : "", printed && best ? ", " : "",
                     best ? "the best k" : "");
}

static void say_k(struct paper *p, struct paper_table *t, struct paper_row *row,
                  const struct paper_case *x)
{
    (void)p;
    (void)t;
    paper_remark(row, "k = %.0f", chosen_k(x));
}

static void say_one_length(struct paper *p, struct paper_table *t, struct paper_row *row,
                           const struct paper_case *x)
{
    (void)p;
    (void)t;
    if ((x->P - 1) % x->c.args.k == 0)
        paper_remark(row, "all chains are of one length");
}

/* ---- claims ---- */

static void judge_rows_of_4(struct paper *p, const char *what)
{
    const struct paper_table *t = &p->tables[FIGURE_4];
    size_t n = 0;

    for (size_t i = 0; i < t->n_rows; i++)
        n += t->rows[i].value[FORMULA] == t->rows[i].value[EMULATED];
    paper_judge(p, what, n == t->n_rows,
                "(P-1)/k must be rounded up, to ceil((P-1)/k) a + (k-1)b: where k divides P-1 the "
                "paper's takes an a too much; it agrees in %zu of %zu rows",
                n, t->n_rows);
}

/* Whether all printed k* are ceil(sqrt(P-1)), and none of ours is less. */
static bool advice_holds(const struct paper *p)
{
    bool holds = true;

    for (int table = BEST_4; table <= BEST_5; table += BEST_5 - BEST_4)
        for (size_t i = 0; i < p->tables[table].n_rows; i++) {
            const struct paper_row *row = &p->tables[table].rows[i];
            const double P = table == BEST_4 ? paper_number(row->labels, 0) : 48;

            holds &= row->value[PRINTED] == ceil(sqrt(P - 1)) &&
                     row->value[PREDICTED] >= row->value[PRINTED];
        }
    return holds;
}

/* Whether no row of the second half has a longer emulated time than its row in the first half. */
static void judge_figure_7(struct paper *p, const char *what)
{
    const struct paper_table *t = &p->tables[FIGURE_7];
    const size_t half = t->n_rows / 2;
    bool never = true;

    for (size_t i = 0; i < half; i++)
        never &= t->rows[half + i].value[EMULATED] <= t->rows[i].value[EMULATED];
    paper_judge_none(p, what, "curves; here short chains first are %s",
                     never ? "never slower" : "sometimes slower");
}

/* The adaptive chains are the second curve, below that of the best k. */
static void compare_curves(struct paper *p, struct paper_table *t)
{
    const size_t n = t->n_rows / 4;
    bool faster = true;

    (void)p;
    for (size_t i = 0; i < n; i++)
        faster &= t->rows[n + i].value[EMULATED] < t->rows[i].value[EMULATED];
    paper_note(t,
               "The adaptive chains are %s than the best k, as a < 2b; their root does wait, which "
               "their formula leaves out.",
               faster ? "always faster" : "not always faster");
}

static bool inequality_holds(const struct paper *p, int number)
{
    const struct paper_table *t = &p->tables[INEQUALITIES];
    bool holds = true;

    for (size_t i = 0; i < t->n_rows; i++)
        holds &=
            paper_number(t->rows[i].labels, 0) != number || strcmp(t->rows[i].remark, "holds") == 0;
    return holds;
}

static bool inequality_2_holds(const struct paper *p)
{
    return inequality_holds(p, 2);
}

static bool inequality_3_holds(const struct paper *p)
{
    return inequality_holds(p, 3);
}

/* ---- the figures ---- */

#define CHAIN_11 "reduce kchain P=11 k=4 count=1" PLAIN
#define SHORT_11 "reduce kchain-short-first P=11 k=4 count=1" PLAIN
#define ADAPTIVE(P) "reduce kchain-adaptive count=1 P=" P PLAIN
#define FORM(c, first, form, algorithm, formula_)                                                  \
    {                                                                                              \
        .labels = c "|" first "|" form,                                                            \
        .run = "reduce " algorithm " P=11 k=4 count=1 L=6 o=2 g=4 gamma=" c, .formula = formula_   \
    }
#define FORMS_OF(c)                                                                                \
    FORM(c, "short", "in general", "kchain-short-first", kurnosov_short_first),                    \
        FORM(c, "short", "example, 3o+2L+max{..}+..", "kchain-short-first", kurnosov_example),     \
        FORM(c, "short", "7o+2L+4c+max{c,L}", "kchain-short-first", kurnosov_closed),              \
        FORM(c, "long", "9o+3L+6c", "kchain", kurnosov_longs)
#define OVER_P(label, run_, formula_, sizes, complete_)                                            \
    {                                                                                              \
        .each = label " x " sizes, .run = run_, .formula = formula_, .complete = complete_         \
    }
#define SIZES_9 "8;16;32;64;100;128;200;256;300;400"
#define SIZES_10 "8;16;24;32;40;48;64;96"

static const struct paper_figure figures[] = {
    {.figure = "Figure 1",
     .title = "three messages from 0 to 1, L, o, g = 6, 2, 4",
     .columns = "processor|done",
     .unit = "units",
     .rows = {{.each = "0|third send;1|third receive",
               .run = "broadcast three-messages P=2 bytes=1 L=6 o=2 g=4",
               .idle = true,
               .adjust = kurnosov_three_messages,
               .formula = kurnosov_figure_1,
               .complete = kurnosov_end}},
     .notes = {"Its formulas: 2g + o, and L + 2g + 2o."},
     .picture = PAPER_TIME},
    {.figure = "Figures 2, 3",
     .title = "P = 11, 4 chains, long ones first: when each sum is complete",
     .columns = "rank|chain|receives from",
     .unit = "units",
     .rows = {{.run = CHAIN_11, .make = kurnosov_nodes},
              {.labels = "all||", .run = CHAIN_11, .formula = kurnosov_long_first}},
     .notes = {"L, o, g, c = 6, 2, 4, 1. Of the times of processors the figures print one, "
               "4o+2L+2c: a chain of three has its sum. A chain of n takes n a until the root has "
               "its sum, and the root receives max(o+c, g) apart."},
     .picture = PAPER_TREE},
    {.figure = "Figure 6",
     .title = "P = 11, 4 chains, short ones first: when each sum is complete",
     .columns = "rank|chain|receives from",
     .unit = "units",
     .rows = {{.run = SHORT_11, .make = kurnosov_nodes},
              {.labels = "all||", .run = SHORT_11, .formula = kurnosov_short_first},
              {.labels = "0|0|1: begins",
               .run = SHORT_11,
               .idle = true,
               .formula = kurnosov_begins,
               .remark = "3o+2L+c",
               .complete = kurnosov_begin}},
     .notes = {"The figure prints one time, 3o+2L+c: the second message of a chain has come, here "
               "to the root. All: the general form of section 6."},
     .picture = PAPER_TREE},
    {.figure = "Section 6",
     .title = "its four forms for P = 11, k = 4",
     .columns = "c|first|form",
     .unit = "units",
     .rows = {FORMS_OF("1"), FORMS_OF("3")}, /* g > o + c, and g < o + c */
     .notes = {"L, o, g = 6, 2, 4. The example's terms after 3o+2L are taken as those of the "
               "general form, max{2 max{o+c,g}, 2o+L+c} + max{o+c,g} + o + c."}},
    {.figure = "Section 6",
     .title = "long or short chains first, P = 11, one element",
     .columns = "first|k",
     .unit = "units",
     .rows = {{.each = "long x 1..10",
               .run = "reduce kchain P=11 k=$2 count=1" PLAIN,
               .formula = kurnosov_long_first},
              {.each = "short x 1..10",
               .run = "reduce kchain-short-first P=11 k=$2 count=1" PLAIN,
               .formula = kurnosov_short_first}},
     .notes = {"Ours, with B = max(o+c, g), u = floor((P-1)/k) and v = (P-1) mod k: long first "
               "ceil((P-1)/k) a + (k-1) B; short first u a + max((k-v) B, a) + (v-1) B, or where v "
               "= 0 u a + (k-1) B.",
               "The paper's for short first is (u-1)a + max{s max{o+c,g}, a} + (v-1) max{o+c,g} + "
               "2o + c, with s = k - v. It lacks an L, and where k divides P-1 it has max{k "
               "max{o+c,g}, a} for k max{o+c,g}."},
     .chart = {"k, chains", "time, units", .x = 1}},
    {.figure = "Figure 8",
     .title = "P = 11, chains of 1, 2, ... and the rest, received last",
     .columns = "rank|chain|receives from",
     .unit = "units",
     .rows = {{.run = ADAPTIVE("11"), .make = kurnosov_nodes},
              {.labels = "all||", .run = ADAPTIVE("11"), .formula = kurnosov_figure_8},
              {.labels = "all|any P|",
               .run = ADAPTIVE("11"),
               .idle = true,
               .formula = kurnosov_adaptive,
               .complete = kurnosov_as_above}},
     .notes = {"Its formula: that of the figure, 2o+L+c + 3 max(o+c,g); for any P, 2o+L+c + "
               "(sqrt(8(P-1)+1)-1)/2 max(o+c,g). No number is printed."},
     .picture = PAPER_TREE},
    {.figure = "Figure 8",
     .title = "P = 13, chains of 1, 2, ... and the rest, received last",
     .columns = "rank|chain|receives from",
     .unit = "units",
     .rows = {{.run = ADAPTIVE("13"), .make = kurnosov_nodes},
              {.labels = "all||", .run = ADAPTIVE("13"), .formula = kurnosov_adaptive}},
     .picture = PAPER_TREE},
    {.figure = "Figure 8",
     .title = "P = 13, the same, with the rest received in its order",
     .columns = "rank|chain|receives from",
     .unit = "units",
     .rows = {{.run = "reduce kchain-adaptive-sorted P=13 count=1" PLAIN, .make = kurnosov_nodes},
              {.labels = "all||", .run = "reduce kchain-adaptive-sorted P=13 count=1" PLAIN}},
     .notes = {"The chain of the rest, received in the order of its length, is never slower; the "
               "paper has no formula for it."},
     .picture = PAPER_TREE},
    {.figure = "Section 7",
     .title = "the chain d, its head h and tail z of rank r, P = 11",
     .columns = "r|what",
     .unit = "number",
     .rows = {{.each = "1;10 x d;h;z",
               .run = ADAPTIVE("11"),
               .idle = true,
               .formula = kurnosov_place_printed,
               .predicted = kurnosov_place_meant}},
     .complete = kurnosov_count_places},
    {.figure = "Figure 4",
     .title = "the best k for a = 3, b = 2",
     .columns = "P",
     .unit = "chains",
     .rows = {{.each = "100;200;300;400",
               .run = "reduce kchain-opt P=$1 count=1" SMALL,
               .idle = true,
               .printed = "10 15 18 20",
               .formula = kurnosov_best_k,
               .predicted = chosen_k,
               .complete = compare_best}},
     .notes = {"L, o, g, c = 0, 1, 2, 1. Printed: ceil(sqrt(P-1)), the least k that the paper "
               "advises; its formula: sqrt(a(P-1)/b)."},
     .chart = {"P", "k, chains", .x = 0, .series = 0}},
    {.figure = "Figure 4",
     .title = "time over the number of chains, a = 3, b = 2",
     .columns = "P|k",
     .unit = "units",
     .rows = {{.each = "100|10;200|15;300|18;400|20 x 4..40",
               .labels = "$1|$3",
               .run = "reduce kchain P=$1 k=$3 count=1" SMALL,
               .formula = kurnosov_t,
               .adjust = is_shown,
               .complete = say_which}},
     .notes = {"Its formula: t(k) = (floor((P-1)/k) + 1)a + (k-1)b, which takes an a too much "
               "where k divides P-1."},
     .chart = {"k, chains", "time, units", .x = 1}},
    {.figure = "Figure 5",
     .title = "the recommended k, P = 48, m doubles",
     .columns = "m",
     .unit = "chains",
     .rows = {{.each = "1|1;2^10|32;2^20|1024",
               .labels = "$1",
               .run = "reduce kchain-opt count=$2" CLUSTER,
               .idle = true,
               .printed = "7 7 7",
               .formula = kurnosov_best_k,
               .predicted = chosen_k,
               .complete = compare_best}},
     .notes = {"The paper recommends ceil(sqrt(P-1)) for all three; its formula: sqrt(a(P-1)/b), "
               "with L of a message that streams."}},
    {.figure = "Figure 5",
     .title = "time over the number of chains, P = 48, m doubles",
     .columns = "m|of ours|k",
     .unit = "units",
     .rows = {{.each = "1|7|1;2^10|7|32;2^20|7|1024 x 1..47",
               .labels = "$1|$3|$4",
               .run = "reduce kchain k=$4 count=$3" CLUSTER,
               .formula = kurnosov_long_first,
               .adjust = is_shown,
               .complete = say_which}},
     .notes = {"L, o, g = 6, 2, 4; a byte streams in 0.01, an element is combined in 0.05. Our "
               "vectors are shorter than the paper's: 1, 2^5, 2^10 doubles for 1, 2^10, 2^20.",
               "Its long-first formula, with L and g of a message that streams, takes a too much "
               "where k divides P-1, and too little for g > o + c."},
     .chart = {"k, chains", "time, units", .x = 2, .log_y = true}},
    {.figure = "Inequalities (2), (3)",
     .title = "how much longer a is than b, for m elements of gamma = 1",
     .columns = "inequality|L,o,g|m",
     .unit = "a/b",
     .rows = {{.each = "2|0,1,2|1;2|6,2,4|1;3|0,1,2|1;3|6,2,4|10",
               .run = "reduce kchain P=11 k=1 count=$3 gamma=1 Log=$2",
               .idle = true,
               .formula = kurnosov_ratio_printed,
               .predicted = kurnosov_ratio,
               .complete = kurnosov_try_ratio}},
     .notes = {"Its formulas: (2) 1 < a/b = 1 + (o+L)/(o+gamma) for m = 1; (3) 1 < a/b < 2 where "
               "o+L < o + m gamma, of which the 2 is shown. Predicted: a/b with a = 2o + L + m "
               "gamma, b = o + m gamma."}},
    {.figure = "Figure 7",
     .title = "long or short chains first, P = 48, 2^20 doubles (ours 2^10)",
     .columns = "first|k",
     .unit = "units",
     .rows = {{.each = "long x " GRID,
               .run = "reduce kchain k=$2 count=1024" CLUSTER,
               .formula = kurnosov_long_first,
               .complete = say_one_length},
              {.each = "short x " GRID,
               .run = "reduce kchain-short-first k=$2 count=1024" CLUSTER,
               .formula = kurnosov_short_first,
               .complete = say_one_length}},
     .notes = {"The paper's formula for short first lacks an L; see section 6."},
     .chart = {"k, chains", "time, units", .x = 1}},
    {.figure = "Figure 9",
     .title = "time over P, one element, a = 3, b = 2",
     .columns = "algorithm|P",
     .unit = "units",
     .rows = {OVER_P("optimal k", "reduce kchain-opt P=$2 count=1" SMALL, kurnosov_best, SIZES_9,
                     say_k),
              OVER_P("adaptive", "reduce kchain-adaptive P=$2 count=1" SMALL, kurnosov_adaptive,
                     SIZES_9, say_k),
              OVER_P("binomial", "reduce binomial P=$2 count=1" SMALL, kurnosov_binomial, SIZES_9,
                     NULL),
              OVER_P("k = 4", "reduce kchain P=$2 k=4 count=1" SMALL, kurnosov_t, SIZES_9, NULL)},
     .notes = {"The paper's binomial has a b too much: for P = 2^x it takes a log2 P."},
     .complete = compare_curves,
     .chart = {"P", "time, units", .x = 1}},
    {.figure = "Figures 10, 11",
     .title = "optimal and adaptive over P, 2^20 doubles (ours 2^10)",
     .columns = "algorithm|P",
     .unit = "units",
     .rows = {OVER_P("optimal k", "reduce kchain-opt count=1024" CLUSTER " P=$2", kurnosov_best,
                     SIZES_10, say_k),
              OVER_P("adaptive", "reduce kchain-adaptive count=1024" CLUSTER " P=$2",
                     kurnosov_adaptive, SIZES_10, say_k)},
     .notes = {"The paper's optimum has b = o + c between two receives of the root; here the gap g "
               "is longer, which counts."},
     .chart = {"P", "time, units", .x = 1}},
    {0}};

#define BOTH_C(row)                                                                                \
    "$(Section 6:1|" row ":paper_formula) for c = 1, ours $(Section 6:1|" row ":emulated); "       \
    "$(Section 6:3|" row ":paper_formula) for c = 3, ours $(Section 6:3|" row ":emulated): "

static const struct paper_claim claims[] = {
    {.what = "Figure 1, three messages, 2g+o and L+2g+2o",
     .why = "the sender is done after 2g + o, the receiver after L + 2g + 2o",
     .same = {SAME(FIGURE_1, "*", FORMULA, EMULATED)}},
    {.what = "Figures 2, 3, 4o+2L+2c",
     .why = "the sum of a chain of three; each processor's time is that of the virtual clock",
     .same = {SAME(FIGURES_2_3, "*|1|*", FORMULA, EMULATED)}},
    {.what = "Long chains first, its formula",
     .why = "floor((P-1)/k)(2o+L+c) + (k-2) max(o+c,g) + 3o + L + 2c; ours is ceil((P-1)/k) a + "
            "(k-1) max(o+c,g): the paper's has an a too much where k divides P-1, and too little "
            "where g > o+c, as in this example",
     .same = {SAME(FIGURES_2_3, "all|*", FORMULA, EMULATED)}},
    {.what = "Figure 6, 3o+2L+c",
     .why = "the root begins to receive; it has all after $(Figure 6:all||:emulated) units in "
            "place of $(Figures 2, 3:all||:emulated) with the long ones first",
     .same = {SAME(FIGURE_6, "0|*", FORMULA, EMULATED)}},
    {.what = "Section 6, short first, in general",
     .why = BOTH_C("short|in general") "it lacks an L",
     .same = {SAME(FORMS, "*|in general", FORMULA, EMULATED)}},
    {.what = "Section 6, short first, example, 3o+2L+max{..}+..",
     .why = BOTH_C("short|example, 3o+2L+max{..}+..") "it lacks a c",
     .same = {SAME(FORMS, "*|example,*", FORMULA, EMULATED)}},
    {.what = "Section 6, short first, 7o+2L+4c+max{c,L}",
     .why = BOTH_C("short|7o+2L+4c+max{c,L}") "the example's closed form counts o + c between two "
                                              "receives, which is too little for g > o + c",
     .same = {SAME(FORMS, "*|7o*", FORMULA, EMULATED)}},
    {.what = "Section 6, long first, 9o+3L+6c",
     .why = BOTH_C(
         "long|9o+3L+6c") "it counts o + c between two receives, which is too little for g > o + c",
     .same = {SAME(FORMS, "*|9o*", FORMULA, EMULATED)}},
    {.what = "Figure 8, 2o+L+c + 3 max(o+c,g)",
     .why = "its formula gives $(Figure 8:all||:paper_formula), the chains as they are drawn take "
            "$(Figure 8:all||:emulated): it leaves out that the root waits for the longer chains",
     .same = {SAME(FIGURE_8, "all||", FORMULA, EMULATED)}},
    {.what = "Adaptive, its formula for any P",
     .why = "2o+L+c + (sqrt(8(P-1)+1)-1)/2 max(o+c,g): its root never waits; ours is a + (k-1) "
            "max(a, B), and B for a chain left over: the next chain is longer by one processor and "
            "so comes a later, which counts where a > B",
     .same = {SAME(FIGURE_8, "all|any P|", FORMULA, EMULATED),
              SAME(FIGURE_8_13, "*", FORMULA, EMULATED)}},
    {.what = "Listing of the adaptive chains, section 7", .judge = kurnosov_listing},
    {.what = "Figure 4, the printed k* are the best k",
     .why =
         "they are ceil(sqrt(P-1)), the least that the paper advises; for the best k see the table",
     .same = {SAME(BEST_4, "*", PRINTED, PREDICTED)}},
    {.what = "Figure 4, t(k) = (floor((P-1)/k) + 1)a + (k-1)b", .judge = judge_rows_of_4},
    {.what = "k* = sqrt(a(P-1)/b), the least of t(k)",
     .why =
         "it is that of t(k) without its floor; the best whole k is near it, not always the next",
     .same = {SAME(BEST_4, "*", FORMULA, PREDICTED)}},
    {.what = "Figure 5, k* = 7 is the best k",
     .why = "of our model it is $(Figure 5:1:predicted), $(Figure 5:2^10:predicted) and $(Figure "
            "5:2^20:predicted) for the three lengths",
     .same = {SAME(BEST_5, "*", PRINTED, PREDICTED)}},
    {.what = "Figure 5, the curves by the long-first formula",
     .why = "it takes an a too much where k divides P-1, and too little where g > o + c; the paper "
            "prints no measured numbers",
     .same = {SAME(FIGURE_5, "*", FORMULA, EMULATED)}},
    {.what = "(2), 1 < a/b = 1 + (o+L)/(o+gamma) for m = 1",
     .why = "for L,o,g = 0,1,2 and 6,2,4",
     .agrees = inequality_2_holds},
    {.what = "(3), 1 < a/b < 2 where o+L < o + m gamma",
     .why = "for L,o,g = 0,1,2 with m = 1, and 6,2,4 with m = 10",
     .agrees = inequality_3_holds},
    {.what = "Advice k* >= ceil(sqrt(P-1))",
     .why = "it follows from (2) and (3); all printed k* are ceil(sqrt(P-1)), and no best k of "
            "figures 4 and 5 is less",
     .agrees = advice_holds},
    {.what = "Figure 7", .judge = judge_figure_7},
    {.what = "Figure 9, optimal k, t = 2 sqrt(ab(P-1)) + a - b",
     .why = "the least of a smooth curve that lies above the true one, which has steps",
     .same = {SAME(FIGURE_9, "optimal k|*", FORMULA, EMULATED)}},
    {.what = "Figure 9, adaptive, b sqrt(2(P-1) + 1/4) - b/2 + a",
     .why = "the root does wait, as a > b",
     .same = {SAME(FIGURE_9, "adaptive|*", FORMULA, EMULATED)}},
    {.what = "Figure 9, binomial, a log2 P + b",
     .why = "without the b it agrees for P = 2^x; for other P log2 P is rounded up, and the time "
            "is at most that",
     .same = {SAME(FIGURE_9, "binomial|*", FORMULA, EMULATED)}},
    {.what = "Figure 9, k = 4",
     .why = "t(4); it takes an a too much where 4 divides P-1, which it does for none of these P",
     .same = {SAME(FIGURE_9, "k = 4|*", FORMULA, EMULATED)}},
    {.what = "Figures 10, 11, optimal",
     .why = "as in figure 9, and it counts b where g > b separates two receives of the root",
     .same = {SAME(FIGURES_10_11, "optimal k|*", FORMULA, EMULATED)}},
    {.what = "Figures 10, 11, adaptive",
     .why = "as in figure 9; the paper prints no measured numbers",
     .same = {SAME(FIGURES_10_11, "adaptive|*", FORMULA, EMULATED)}},
    {0}};

const struct paper_kind paper_kurnosov = {.name = "kurnosov",
                                          .title = "Kurnosov 2016: reduction along k chains",
                                          .unit_ns = 5000,
                                          .figures = figures,
                                          .claims = claims};
