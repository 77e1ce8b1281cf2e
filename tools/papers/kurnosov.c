/* SPDX-License-Identifier: MIT */
/*
 * Kurnosov: reduction along k chains. Figures 1, 2, 3, 6 and 8 show processors one by one, the
 * others are curves over the number of chains and over that of processors, without printed values
 * but for the numbers of chains that are recommended. Where its cluster had 48 processes we have 48
 * processors, and vectors of 1, 2^5 and 2^10 doubles in place of 1, 2^10 and 2^20. Processors one
 * by one are in kurnosov_chains.c.
 */
#include "papers/kurnosov.h"
#include <kurnosov.inc>

#include <string.h>

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

static void compare_best(const struct paper_at *at)
{
    paper_remark(at->row, "predicted: %.7g units with the printed k, %.7g with ours",
                 predicted(at->x, at->row->value[PRINTED]),
                 predicted(at->x, at->row->value[PREDICTED]));
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

static void say_which(const struct paper_at *at)
{
    const bool printed = at->x->c.args.k == paper_number(at->x->words, 1),
               best = at->x->c.args.k == best_k(at->x);

    if (printed || best)
        paper_remark(at->row, "%s%s%s", printed ? "the printed k*" : "",
                     printed && best ? ", " : "", best ? "the best k" : "");
}

static void say_k(const struct paper_at *at)
{
    if (at->x->c.args.k == 0 && chosen_k(at->x) > 0)
        paper_remark(at->row, "k = %.0f", chosen_k(at->x));
}

static void say_one_length(const struct paper_at *at)
{
    if ((at->x->P - 1) % at->x->c.args.k == 0)
        paper_remark(at->row, "all chains are of one length");
}

/* ---- claims ---- */

/* Whether all printed k* are ceil(sqrt(P-1)), and none of ours is less: in the tables of chains. */
static bool advice_holds(const struct paper *p, const struct paper_table *below)
{
    bool holds = true;

    for (const struct paper_table *t = p->tables; t < below; t++)
        for (size_t i = 0; i < t->n_rows && strcmp(t->unit, "chains") == 0; i++) {
            const struct paper_row *row = &t->rows[i];
            const double P = t->columns[0] == 'P' ? paper_number(row->labels, 0) : 48;

            holds &= row->value[PRINTED] == ceil(sqrt(P - 1)) &&
                     row->value[PREDICTED] >= row->value[PRINTED];
        }
    return holds;
}

/* Whether no row of the second half has a longer emulated time than its row in the first half. */
static void judge_figure_7(struct paper *p, const struct paper_table *t, const char *what)
{
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

/* a/b > 1 by (2), and also below 2 by (3). */
static void try_ratio(const struct paper_at *at)
{
    const double ratio = at->row->value[PREDICTED], printed = at->row->value[FORMULA];
    const bool holds = paper_number(at->x->words, 0) == 2
                           ? fabs(ratio - printed) < 1e-9
                           : paper_value_of(at->p, at->x, "b - o - L") > 0 && ratio < 2;

    paper_remark(at->row, ratio > 1 && holds ? "holds" : "does not hold");
}

/* ---- the paper ---- */

static const struct paper_function functions[] = {
    {"chosen_k", .number = chosen_k},
    {"place_printed", .number = kurnosov_place_printed},
    {"place_meant", .number = kurnosov_place_meant},
    {"three_messages", .adjust = kurnosov_three_messages},
    {"is_shown", .adjust = is_shown},
    {"end", .complete = kurnosov_end},
    {"begin", .complete = kurnosov_begin},
    {"as_above", .complete = kurnosov_as_above},
    {"compare_best", .complete = compare_best},
    {"say_which", .complete = say_which},
    {"say_k", .complete = say_k},
    {"say_one_length", .complete = say_one_length},
    {"try_ratio", .complete = try_ratio},
    {"nodes", .make = kurnosov_nodes},
    {"count_places", .after = kurnosov_count_places},
    {"compare_curves", .after = compare_curves},
    {"advice_holds", .agrees = advice_holds},
    {"judge_figure_7", .judge = judge_figure_7},
    {"listing", .judge = kurnosov_listing},
    {0}};

const struct paper_kind paper_kurnosov = {.name = "kurnosov",
                                          .title = "Kurnosov 2016: reduction along k chains",
                                          .unit_ns = 5000,
                                          .text = kurnosov_paper,
                                          .functions = functions};
