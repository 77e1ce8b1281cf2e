/* SPDX-License-Identifier: MIT */
/*
 * Kurnosov's chains, processor by processor: which chain it is in, whom it receives from and when
 * its sum is complete (figures 1, 2, 3, 6 and 8), and long against short chains first (section 6).
 * The figures print no numbers; all are for L, o, g = 6, 2, 4 and c = 1, so that a = 11.
 */
#include "kurnosov.h"

#include <stdio.h>
#include <string.h>

enum { P_SHOWN = 11, K_SHOWN = 4 };

/* ---- who is where ---- */

/* The time of a processor's sum: children in the order received, the messages B apart. */
static double fold(const struct kurnosov_costs *t, const struct paper_place *places, int rank)
{
    const double apart = fmax(t->o + t->c, t->g);
    double time = 0;

    for (int i = 0; i < places[rank].n_children; i++) {
        const double one = fold(t, places, places[rank].children[i]) + t->a;

        time = i == 0 ? one : fmax(time + apart, one);
    }
    return time;
}

/* Chains are numbered from 1 in the order in which the root receives from them; its own is 0. */
static int chain_of(const struct paper_place *places, int rank)
{
    int chain = 0;

    if (rank == 0)
        return 0;
    while (places[rank].parent != 0)
        rank = places[rank].parent;
    while (places[0].children[chain] != rank)
        chain++;
    return chain + 1;
}

static const char *sources(const struct paper_place *place, char buf[64])
{
    snprintf(buf, 64, "-");
    for (int i = 0, n = 0; i < place->n_children && n < 60; i++)
        n += snprintf(buf + n, 64 - (size_t)n, "%s%d", i > 0 ? " " : "", place->children[i]);
    return buf;
}

/* @return the table, whose last row is that of all together */
static struct paper_table *chains(struct paper *p, const char *figure, const char *algorithm, int P,
                                  int k, const char *title)
{
    const struct paper_case x = kurnosov_case(p, algorithm, P, k, 1, kurnosov_plain);
    const struct kurnosov_costs costs = kurnosov_costs(&x);
    struct paper_table *t =
        paper_table(p, figure, "rank|chain|receives from", "units", "P = %d, %s", P, title);
    struct paper_place places[MOST_NODES];
    double when[MOST_NODES];
    char from[64];

    paper_places(&x, places);
    paper_tour(p, &x, when);
    for (int rank = 0; rank < P && !p->stopped; rank++) {
        struct paper_row *row =
            paper_row(t, "%d|%d|%s", rank, chain_of(places, rank), sources(&places[rank], from));

        row->value[PREDICTED] = fold(&costs, places, rank);
        row->value[EMULATED] = when[rank];
        paper_compare(p, figure, row->value[PREDICTED], row->value[EMULATED]);
    }
    paper_run(p, &x, paper_row(t, "all||"));
    return t;
}

static struct paper_row *row_of_all(struct paper_table *t)
{
    return &t->rows[t->n_rows - 1];
}

/* ---- figures 1, 2, 3, 6 ---- */

static void long_and_short(struct paper *p)
{
    struct paper_table *longs = chains(p, "Figures 1, 2, 3", "kchain", P_SHOWN, K_SHOWN,
                                       "4 chains, long ones first: when each sum is complete");
    struct paper_table *shorts = chains(p, "Figure 6", "kchain-short-first", P_SHOWN, K_SHOWN,
                                        "4 chains, short ones first: when each sum is complete");
    const struct paper_case x = kurnosov_case(p, "kchain", P_SHOWN, K_SHOWN, 1, kurnosov_plain);
    const struct kurnosov_costs costs = kurnosov_costs(&x);

    row_of_all(longs)->value[FORMULA] = kurnosov_long_first(&costs, P_SHOWN, K_SHOWN);
    paper_note(longs, "The chains are drawn; of no processor is a time printed. L, o, g, c = 6, 2, "
                      "4, 1. A chain of n takes n a until the root has its sum, and the root "
                      "receives max(o+c, g) apart.");
    paper_judge_none(p, "Figures 1, 2, 3",
                     "the chains as they are drawn; each processor's time "
                     "equals the virtual clock's");
    paper_judge(
        p, "Long chains first, its formula", paper_same(longs, FORMULA, EMULATED),
        "floor((P-1)/k)(2o+L+c) + (k-2) max(o+c,g) + 3o + L + 2c; ours is ceil((P-1)/k) a + "
        "(k-1) max(o+c,g): the paper's has an a too much where k divides P-1, and too "
        "little where g > o+c, as in this example");
    paper_judge_none(p, "Figure 6",
                     "the same chains, the short ones first: %g units in place of %g",
                     row_of_all(shorts)->value[EMULATED], row_of_all(longs)->value[EMULATED]);
}

/* ---- section 6 ---- */

static void section_6(struct paper *p)
{
    static const struct paper_chart chart = {
        .x_axis = "k, chains", .y_axis = "time, units", .x = 1};
    static const char *const algorithms[] = {"kchain", "kchain-short-first"};
    struct paper_table *t = paper_table(p, "Section 6", "first|k", "units",
                                        "long or short chains first, P = %d, one element", P_SHOWN);

    t->chart = &chart;
    for (int i = 0; i < 2; i++)
        for (int k = 1; k < P_SHOWN; k++) {
            const struct paper_case x =
                kurnosov_case(p, algorithms[i], P_SHOWN, k, 1, kurnosov_plain);
            const struct kurnosov_costs costs = kurnosov_costs(&x);
            struct paper_row *row = paper_row(t, "%s|%d", i == 0 ? "long" : "short", k);

            if (i == 0)
                row->value[FORMULA] = kurnosov_long_first(&costs, P_SHOWN, k);
            paper_run(p, &x, row);
        }
    paper_note(t,
               "Ours, with B = max(o+c, g), q = floor((P-1)/k) and v = (P-1) mod k: long first "
               "ceil((P-1)/k) a + (k-1) B; short first q a + max((k-v) B, a) + (v-1) B, or where "
               "v = 0 q a + (k-1) B. The paper's for short first lacks L; it is not evaluated.");
    paper_judge(p, "Section 6, short first", false,
                "the paper's formula lacks L; ours: q a + max((k-v)B, a) + (v-1)B, for v = 0 q a + "
                "(k-1)B. Example: P = 11, k = 4 takes %g units, long first %g",
                p->stopped ? NAN : t->rows[P_SHOWN - 1 + K_SHOWN - 1].value[EMULATED],
                p->stopped ? NAN : t->rows[K_SHOWN - 1].value[EMULATED]);
}

/* ---- figure 8 ---- */

static void adaptive(struct paper *p)
{
    static const char *const last = "chains of 1, 2, ... and what is left over, received last";
    static const char *const sorted = "the same, what is left over received in its order";
    struct paper_table *eleven = chains(p, "Figure 8", "kchain-adaptive", P_SHOWN, 0, last);
    struct paper_table *thirteen = chains(p, "Figure 8", "kchain-adaptive", P_SHOWN + 2, 0, last);
    struct paper_table *in_order =
        chains(p, "Figure 8", "kchain-adaptive-sorted", P_SHOWN + 2, 0, sorted);
    struct paper_table *const tables[] = {eleven, thirteen, in_order};
    bool same = true;

    for (int i = 0; i < 3; i++) {
        const int P = i == 0 ? P_SHOWN : P_SHOWN + 2;
        const struct paper_case x = kurnosov_case(p, "kchain-adaptive", P, 0, 1, kurnosov_plain);
        const struct kurnosov_costs costs = kurnosov_costs(&x);

        if (i < 2)
            row_of_all(tables[i])->value[FORMULA] = kurnosov_adaptive(&costs, P);
        same = same && (i == 2 || paper_same(tables[i], FORMULA, EMULATED));
    }
    paper_note(in_order, "Received in the order of its length the chain that is left over is never "
                         "slower; the paper has no formula for it.");
    paper_judge_none(p, "Figure 8",
                     "the adaptive chains; each processor's time equals the virtual "
                     "clock's");
    paper_judge(
        p, "Adaptive, its formula", same,
        "2o+L+c + (sqrt(8(P-1)+1)-1)/2 max(o+c,g): its root never waits; ours is a + (k-1) max(a, "
        "B), and B for a chain left over: "
        "the next chain is longer by one processor and so comes a later, which counts where "
        "a > B");
}

void kurnosov_chains(struct paper *p)
{
    long_and_short(p);
    section_6(p);
    adaptive(p);
}
