/* SPDX-License-Identifier: MIT */
/*
 * Kurnosov's chains, processor by processor: which chain it is in, whom it receives from and when
 * its sum is complete (figures 2, 3, 6 and 8). The figures print no times of processors; all are
 * for L, o, g = 6, 2, 4 and c = 1, so that a = 11. Figure 1 and section 6 are in
 * kurnosov_messages.c.
 */
#include "papers/paper.h"

#include <stdio.h>

enum { P_SHOWN = KURNOSOV_P, K_SHOWN = KURNOSOV_K };

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
    paper_draw(t, PAPER_TREE, &x);
    return t;
}

static struct paper_row *row_of_all(struct paper_table *t)
{
    return &t->rows[t->n_rows - 1];
}

/* ---- figures 2, 3, 6 ---- */

static void long_and_short(struct paper *p)
{
    struct paper_table *longs = chains(p, "Figures 2, 3", "kchain", P_SHOWN, K_SHOWN,
                                       "4 chains, long ones first: when each sum is complete");
    struct paper_table *shorts = chains(p, "Figure 6", "kchain-short-first", P_SHOWN, K_SHOWN,
                                        "4 chains, short ones first: when each sum is complete");
    const struct paper_case x = kurnosov_case(p, "kchain", P_SHOWN, K_SHOWN, 1, kurnosov_plain);
    const struct kurnosov_costs costs = kurnosov_costs(&x);

    row_of_all(longs)->value[FORMULA] = kurnosov_long_first(&costs, P_SHOWN, K_SHOWN);
    paper_note(longs, "The paper draws the chains and prints no times. L, o, g, c = 6, 2, "
                      "4, 1. A chain of n takes n a until the root has its sum, and the root "
                      "receives max(o+c, g) apart.");
    paper_judge_none(p, "Figures 2, 3",
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

/* ---- figure 8 ---- */

static void adaptive(struct paper *p)
{
    static const char *const last = "chains of 1, 2, ... and the rest, received last";
    static const char *const sorted = "the same, with the rest received in its order";
    struct paper_table *eleven = chains(p, "Figure 8", "kchain-adaptive", P_SHOWN, 0, last);
    struct paper_table *thirteen = chains(p, "Figure 8", "kchain-adaptive", P_SHOWN + 2, 0, last);
    struct paper_table *in_order =
        chains(p, "Figure 8", "kchain-adaptive-sorted", P_SHOWN + 2, 0, sorted);
    const struct paper_case x = kurnosov_case(p, "kchain-adaptive", P_SHOWN, 0, 1, kurnosov_plain);
    const struct kurnosov_costs costs = kurnosov_costs(&x);
    struct paper_row *row;
    double ours;

    row_of_all(eleven)->value[FORMULA] = kurnosov_figure_8(&costs);
    ours = row_of_all(eleven)->value[EMULATED];
    row_of_all(thirteen)->value[FORMULA] = kurnosov_adaptive(&costs, P_SHOWN + 2);
    paper_judge(
        p, "Figure 8, 2o+L+c + 3 max(o+c,g)", paper_same(eleven, FORMULA, EMULATED),
        "its formula gives %g, the chains as they are drawn take %g: it leaves out that the "
        "root waits for the longer chains",
        kurnosov_figure_8(&costs), ours);
    row = paper_row(eleven, "all|any P|");
    row->value[FORMULA] = kurnosov_adaptive(&costs, P_SHOWN);
    row->value[EMULATED] = ours;
    paper_note(eleven, "Its formula: that of the figure, 2o+L+c + 3 max(o+c,g); for any P, "
                       "2o+L+c + (sqrt(8(P-1)+1)-1)/2 max(o+c,g). No number is printed.");
    paper_note(in_order, "The chain of the rest, received in the order of its length, is never "
                         "slower; the paper has no formula for it.");
    paper_judge(
        p, "Adaptive, its formula for any P",
        kurnosov_adaptive(&costs, P_SHOWN) == ours && paper_same(thirteen, FORMULA, EMULATED),
        "2o+L+c + (sqrt(8(P-1)+1)-1)/2 max(o+c,g): its root never waits; ours is a + (k-1) max(a, "
        "B), and B for a chain left over: "
        "the next chain is longer by one processor and so comes a later, which counts where "
        "a > B");
}

/* ---- the listing of the adaptive chains ---- */

/* Which chain, by the formulas of the text: chain j, and its first and last processor. */
struct place_in_chain {
    int chain, head, tail;
};

static struct place_in_chain place_of(int rank, int P)
{
    const int j = ((int)sqrt(8.0 * rank - 7) + 1) / 2;
    const int last = (j * j + j) / 2;

    return (struct place_in_chain){j, (j * j - j) / 2 + 1, last < P - 1 ? last : P - 1};
}

static void listing(struct paper *p)
{
    const int P = P_SHOWN;
    const struct paper_case x = kurnosov_case(p, "kchain-adaptive", P, 0, 1, kurnosov_plain);
    struct paper_listing *l = paper_listing(p, "Adaptive chains, d and z of rank r, P = %d", P);
    struct paper_place places[MOST_NODES];
    int right = 0;

    paper_places(&x, places);
    for (int rank = 1; rank < P; rank++) {
        const struct place_in_chain at = place_of(rank, P);

        right += places[rank].parent == (rank == at.head ? 0 : rank - 1) &&
                 places[rank].n_children == (rank < at.tail);
    }
    paper_say(l->printed, "the indices d and z of a rank's chain");
    paper_say(l->does, "not run: the text of d and z is garbled, so that the ranks are not known");
    paper_say(l->here,
              "chain j = floor((isqrt(8r-7)+1)/2), from (j^2-j)/2+1 to min((j^2+j)/2, P-1): %d of "
              "%d ranks are where the chains have them",
              right, P - 1);
    paper_judge(p, "Listing of the adaptive chains", false,
                "d and z are garbled in the paper; as run here, %d of %d ranks are in their places",
                right, P - 1);
}

void kurnosov_chains(struct paper *p)
{
    kurnosov_messages(p);
    long_and_short(p);
    kurnosov_section_6(p);
    adaptive(p);
    listing(p);
}
