/* SPDX-License-Identifier: MIT */
/*
 * Kurnosov, processor by processor: the three messages of figure 1; its chain, the ranks that it
 * receives from and the time of its complete sum (figures 2, 3, 6 and 8); and its chain by the
 * listing of section 7.
 */
#include "papers/kurnosov.h"

#include <string.h>

enum { P_SHOWN = 11, MESSAGES = 3 };

/* ---- figure 1 ---- */

/* 0 sends to 1 three times. */
static bool messages_steps(int64_t P, int64_t rank, const struct logp_invocation *c, int64_t i,
                           struct logp_step *out)
{
    (void)P;
    if (i >= MESSAGES)
        return false;
    return rank == 0 ? logp_step_send(out, 1, c->args.tag, LOGP_BUF, 0, c->args.n_bytes)
                     : logp_step_receive(out, 0, c->args.tag, LOGP_BUF, 0, c->args.n_bytes);
}

static const char *needs_two(int64_t P, const struct logp_invocation *c)
{
    (void)c;
    return P == 2 ? NULL : "two processors";
}

static const struct logp_algorithm three = {
    LOGP_ALGORITHM("broadcast", "three-messages", "three messages from 0 to 1", "Kurnosov"),
    .needs = needs_two, .steps = messages_steps};

bool kurnosov_three_messages(struct paper_case *x)
{
    x->own = &three;
    return true;
}

/* Complete a row with a moment of a processor. */
static void fill(struct paper *p, const struct paper_table *t, struct paper_row *row,
                 const struct paper_case *x, enum paper_moment moment, int rank)
{
    double predicted[MOST_NODES], emulated[MOST_NODES];

    paper_moments(p, x, moment, predicted, emulated);
    paper_compare(p, t->figure, row, predicted[rank], emulated[rank]);
}

void kurnosov_end(const struct paper_at *at)
{
    fill(at->p, at->t, at->row, at->x, PAPER_END, (int)paper_number(at->x->words, 0));
}

void kurnosov_begin(const struct paper_at *at)
{
    fill(at->p, at->t, at->row, at->x, PAPER_FIRST_RECEIVE, 0);
}

void kurnosov_as_above(const struct paper_at *at)
{
    at->row->value[EMULATED] = at->row[-1].value[EMULATED];
}

/* ---- figures 2, 3, 6 and 8 ---- */

/* The time of a processor's sum, a after the last processor of a chain has sent: children in the
 * order received, the messages `apart`. */
static double fold(double a, double apart, const struct paper_place *places, int rank)
{
    double time = 0;

    for (int i = 0; i < places[rank].n_children; i++) {
        const double one = fold(a, apart, places, places[rank].children[i]) + a;

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

/* Figures 2 and 3 print one time, 4o+2L+2c: a chain of three has its sum. */
void kurnosov_nodes(struct paper *p, struct paper_table *t, const struct paper_case *x)
{
    const double a = paper_value_of(p, x, "a"), B = paper_value_of(p, x, "B");
    struct paper_place places[MOST_NODES];
    double when[MOST_NODES];
    char from[64];

    paper_places(x, places);
    paper_tour(p, x, when);
    for (int rank = 0; rank < x->P && !p->stopped; rank++) {
        const double sum = fold(a, B, places, rank);
        struct paper_row *row = paper_row(t, "%d|%d|%s", rank, chain_of(places, rank),
                                          paper_children(&places[rank], from));

        paper_compare(p, t->figure, row, sum, when[rank]);
        if (sum == 2 * a && strcmp(t->figure, "Figures 2, 3") == 0) {
            row->value[FORMULA] = paper_value_of(p, x, "4*o + 2*L + 2*c");
            paper_remark(row, "4o+2L+2c");
        }
    }
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

/* Words 1 and 2: a rank, and d, h or z. */
static double place_as(const struct paper_case *x, bool printed)
{
    const int rank = (int)paper_number(x->words, 0);
    const struct place_in_chain at = place_of(rank, (int)x->P, printed, printed);
    char what[64];

    paper_label(x->words, 1, what);
    return what[0] == 'd' ? at.chain : what[0] == 'h' ? at.head : at.tail;
}

double kurnosov_place_printed(const struct paper_case *x)
{
    return place_as(x, true);
}

double kurnosov_place_meant(const struct paper_case *x)
{
    return place_as(x, false);
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

void kurnosov_count_places(struct paper *p, struct paper_table *t)
{
    struct paper_place places[MOST_NODES];
    int right = 0;

    (void)p;
    paper_places(&t->drawn, places);
    for (int rank = 1; rank < P_SHOWN; rank++) {
        const struct place_in_chain at = place_of(rank, P_SHOWN, false, false);

        right += places[rank].parent == (rank == at.head ? 0 : rank - 1) &&
                 places[rank].n_children == (rank < at.tail);
    }
    paper_note(t,
               "Its formulas: d = floor((sqrt(8(P-1)+1) - 1)/2), h = (d^2-d)/2 + 1, z = "
               "(d^2-d)/2. Ours: d = floor((sqrt(8r-7) + 1)/2), the same h, z = (d^2+d)/2, at "
               "most P-1: %d of %d ranks are where the chains have them.",
               right, P_SHOWN - 1);
}

void kurnosov_listing(struct paper *p, const struct paper_table *t, const char *what)
{
    const struct place_in_chain same = place_of(1, P_SHOWN, true, true); /* for all ranks */
    const int all = operands_of_root(P_SHOWN, false, false),
              z = operands_of_root(P_SHOWN, false, true),
              both = operands_of_root(P_SHOWN, true, true), n = P_SHOWN - 1;

    (void)t;
    paper_listing(
        p, what, both == n,
        "Adaptive chains, d, h and z of rank r, P = %d|"
        "d = floor((sqrt(8(P-1)+1) - 1)/2), h = (d^2-d)/2 + 1, z = (d^2-d)/2|"
        "all ranks have d = %d, h = %d, z = %d, so that the chain ends before it begins; the root "
        "waits for heads that never send, and of %d operands %d could reach it|"
        "d = floor((sqrt(8r-7) + 1)/2), z = min((d^2+d)/2, P-1): %d of %d operands reach the root; "
        "with this d and the printed z %d|"
        "d is that of P-1 where the rank r is meant, and z takes d^2-d where d^2+d is meant: %d of "
        "%d operands could reach the root; as run here %d",
        P_SHOWN, same.chain, same.head, same.tail, n, both, all, n, z, both, n, all);
}
