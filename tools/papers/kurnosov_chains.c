/* SPDX-License-Identifier: MIT */
/*
 * Kurnosov's chains, processor by processor: its chain, the ranks that it receives from and the
 * time of its complete sum (figures 2, 3, 6 and 8), for L, o, g = 6, 2, 4 and c = 1, so that
 * a = 11; and its chain by the listing of section 7. Figure 1 and section 6 are in
 * kurnosov_messages.c.
 */
#include "papers/paper.h"

#include <stdio.h>

enum { P_SHOWN = KURNOSOV_P, K_SHOWN = KURNOSOV_K };

/* ---- the places of the processors ---- */

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
    const struct paper_case x = kurnosov_case(p, algorithm, P, k, 1, &kurnosov_plain);
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

/* Figures 2 and 3 print 4o+2L+2c, when the first processors of the chains of three have their sums;
 * in figure 6 it is 3o+2L+c, when the root begins to receive the first. */
static void long_and_short(struct paper *p)
{
    struct paper_table *longs = chains(p, "Figures 2, 3", "kchain", P_SHOWN, K_SHOWN,
                                       "4 chains, long ones first: when each sum is complete");
    struct paper_table *shorts = chains(p, "Figure 6", "kchain-short-first", P_SHOWN, K_SHOWN,
                                        "4 chains, short ones first: when each sum is complete");
    const struct paper_case x =
        kurnosov_case(p, "kchain-short-first", P_SHOWN, K_SHOWN, 1, &kurnosov_plain);
    const struct kurnosov_costs q = kurnosov_costs(&x);
    double predicted[P_SHOWN], emulated[P_SHOWN];
    struct paper_row *row;

    if (p->stopped)
        return;
    row_of_all(longs)->value[FORMULA] = kurnosov_long_first(&q, P_SHOWN, K_SHOWN);
    row_of_all(shorts)->value[FORMULA] = kurnosov_short_first(&q, P_SHOWN, K_SHOWN);
    for (size_t i = 0; i < longs->n_rows; i++)
        if (longs->rows[i].value[PREDICTED] == 2 * q.a) {
            longs->rows[i].value[FORMULA] = 4 * q.o + 2 * q.L + 2 * q.c;
            paper_remark(&longs->rows[i], "4o+2L+2c");
        }
    paper_moments(p, &x, PAPER_FIRST_RECEIVE, predicted, emulated);
    row = paper_row(shorts, "0|0|1: begins");
    row->value[FORMULA] = 3 * q.o + 2 * q.L + q.c;
    row->value[PREDICTED] = predicted[0];
    row->value[EMULATED] = emulated[0];
    paper_remark(row, "3o+2L+c");
    paper_compare(p, "Figure 6", predicted[0], emulated[0]);
    paper_note(longs, "L, o, g, c = 6, 2, 4, 1. Of the times of processors the figures print one, "
                      "4o+2L+2c: a chain of three has its sum. A chain of n takes n a until the "
                      "root has its sum, and the root receives max(o+c, g) apart.");
    paper_note(shorts, "The figure prints one time, 3o+2L+c: the second message of a chain has "
                       "come, here to the root. All: the general form of section 6.");
    paper_judge(p, "Figures 2, 3, 4o+2L+2c", paper_same_of(longs, 1, "1", FORMULA, EMULATED),
                "the sum of a chain of three; each processor's time is that of the virtual clock");
    paper_judge(
        p, "Long chains first, its formula", paper_same_of(longs, 0, "all", FORMULA, EMULATED),
        "floor((P-1)/k)(2o+L+c) + (k-2) max(o+c,g) + 3o + L + 2c; ours is ceil((P-1)/k) a + "
        "(k-1) max(o+c,g): the paper's has an a too much where k divides P-1, and too "
        "little where g > o+c, as in this example");
    paper_judge(
        p, "Figure 6, 3o+2L+c", paper_same_of(shorts, 0, "0", FORMULA, EMULATED),
        "the root begins to receive; it has all after %g units in place of %g with the long "
        "ones first",
        shorts->rows[P_SHOWN].value[EMULATED], row_of_all(longs)->value[EMULATED]);
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
    const struct paper_case x = kurnosov_case(p, "kchain-adaptive", P_SHOWN, 0, 1, &kurnosov_plain);
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

/* ---- section 7: the listing of the adaptive chains ---- */

/* A chain, its first and last processor: the paper's d, h and z, as printed or as meant. */
struct place_in_chain {
    int chain, head, tail;
};

/* The chain of a rank. As printed, d is that of P - 1 (meant: the rank), and z has d^2 - d (meant:
 * d^2 + d). */
static struct place_in_chain place_of(int rank, int P, bool printed_d, bool printed_z)
{
    const int d =
        printed_d ? ((int)sqrt(8.0 * (P - 1) + 1) - 1) / 2 : ((int)sqrt(8.0 * rank - 7) + 1) / 2;
    const int last = (printed_z ? d * d - d : d * d + d) / 2;

    return (struct place_in_chain){d, (d * d - d) / 2 + 1, last < P - 1 ? last : P - 1};
}

/* A rank below z waits for the next one, adds, and sends to the rank before it, the head h to the
 * root; the root waits for the heads of all chains. A sum that no rank waits for is lost.
 * @return how many ranks' operands the root gets */
static int operands_of_root(int P, bool printed_d, bool printed_z)
{
    int sums[MOST_NODES], root = 0;

    for (int rank = P - 1; rank > 0; rank--) {
        const struct place_in_chain at = place_of(rank, P, printed_d, printed_z);
        const struct place_in_chain next = place_of(rank + 1, P, printed_d, printed_z);
        const struct place_in_chain meant = place_of(rank, P, false, false);

        sums[rank] = 1;
        if (rank < at.tail && rank + 1 != next.head)
            sums[rank] += sums[rank + 1];
        if (rank == meant.head && (rank == at.head || rank == 1))
            root += sums[rank];
    }
    return root;
}

static void listing(struct paper *p)
{
    const int P = P_SHOWN;
    const struct paper_case x = kurnosov_case(p, "kchain-adaptive", P, 0, 1, &kurnosov_plain);
    static const int ranks[] = {1, P_SHOWN - 1};
    struct paper_table *t = paper_table(p, "Section 7", "r|what", "number",
                                        "the chain d, its head h and tail z of rank r, P = %d", P);
    const struct place_in_chain same = place_of(1, P, true, true); /* for all ranks */
    const int all = operands_of_root(P, false, false), z = operands_of_root(P, false, true),
              both = operands_of_root(P, true, true);
    struct paper_place places[MOST_NODES];
    int right = 0;

    paper_places(&x, places);
    for (int rank = 1; rank < P; rank++) {
        const struct place_in_chain at = place_of(rank, P, false, false);

        right += places[rank].parent == (rank == at.head ? 0 : rank - 1) &&
                 places[rank].n_children == (rank < at.tail);
    }
    for (int i = 0; i < 6; i++) {
        static const char *const what[] = {"d", "h", "z"};
        const struct place_in_chain own = place_of(ranks[i / 3], P, true, true),
                                    ours = place_of(ranks[i / 3], P, false, false);
        struct paper_row *row = paper_row(t, "%d|%s", ranks[i / 3], what[i % 3]);

        row->value[FORMULA] = i % 3 == 0 ? own.chain : i % 3 == 1 ? own.head : own.tail;
        row->value[PREDICTED] = i % 3 == 0 ? ours.chain : i % 3 == 1 ? ours.head : ours.tail;
    }
    paper_note(t,
               "Its formulas: d = floor((sqrt(8(P-1)+1) - 1)/2), h = (d^2-d)/2 + 1, z = "
               "(d^2-d)/2. Ours: d = floor((sqrt(8r-7) + 1)/2), the same h, z = (d^2+d)/2, at "
               "most P-1: %d of %d ranks are where the chains have them.",
               right, P - 1);
    paper_listing(
        p, "Listing of the adaptive chains, section 7",
        both == P - 1 && paper_same(t, FORMULA, PREDICTED),
        "Adaptive chains, d, h and z of rank r, P = %d|"
        "d = floor((sqrt(8(P-1)+1) - 1)/2), h = (d^2-d)/2 + 1, z = (d^2-d)/2|"
        "all ranks have d = %d, h = %d, z = %d, so that the chain ends before it begins; the root "
        "waits for heads that never send, and of %d operands %d could reach it|"
        "d = floor((sqrt(8r-7) + 1)/2), z = min((d^2+d)/2, P-1): %d of %d operands reach the root; "
        "with this d and the printed z %d|"
        "d is that of P-1 where the rank r is meant, and z takes d^2-d where d^2+d is meant: %d of "
        "%d operands could reach the root; as run here %d",
        P, same.chain, same.head, same.tail, P - 1, both, all, P - 1, z, both, P - 1, all);
}

void kurnosov_chains(struct paper *p)
{
    kurnosov_messages(p);
    long_and_short(p);
    kurnosov_section_6(p);
    adaptive(p);
    listing(p);
}
