/* SPDX-License-Identifier: MIT */
/*
 * Grama et al.: the listings of the one-to-all broadcast on a hypercube of d dimensions, from node
 * 0 and, by exclusive or of the ranks, from any source; run in lockstep as they are printed, for
 * p = 2^d, for which they are stated, and for another p.
 */
#include "papers/paper.h"

enum { MOST = 16, SOURCE = 2 };

struct outcome {
    int reached; /* processors that have the message in the end */
    int lost;    /* messages to processors that do not exist, or from one without the message */
};

/* for i = d-1 .. 0: mask ^= 2^i; if (virtual & mask) == 0: if (virtual & 2^i) == 0 send to
 * (virtual ^ 2^i) ^ source, else receive, with virtual = rank ^ source. Source 0 is the first
 * listing. */
static struct outcome by_xor(int p, int d, int source)
{
    bool has[MOST] = {false};
    struct outcome out = {0, 0};
    int mask = (1 << d) - 1;

    has[source] = true;
    for (int i = d - 1; i >= 0; i--) {
        mask ^= 1 << i;
        for (int rank = 0; rank < p; rank++) {
            const int virtual_rank = rank ^ source, to = (virtual_rank ^ 1 << i) ^ source;

            if ((virtual_rank & mask) != 0 || (virtual_rank & 1 << i) != 0)
                continue;
            if (to < p && has[rank])
                has[to] = true;
            else
                out.lost++;
        }
    }
    for (int rank = 0; rank < p; rank++)
        out.reached += has[rank];
    return out;
}

/* Algorithm 4.3, the reduction to node 0: mask = 0; for i = 0 .. d-1: if (my_id & mask) == 0: if
 * (my_id & 2^i) != 0 send the sum to my_id ^ 2^i, else receive and add; then mask ^= 2^i.
 * @return how many operands node 0 has added up */
static int by_reduction(int p, int d)
{
    int sum[MOST], mask = 0;

    for (int rank = 0; rank < p; rank++)
        sum[rank] = 1;
    for (int i = 0; i < d; mask ^= 1 << i, i++)
        for (int rank = 0; rank < p; rank++)
            if ((rank & mask) == 0 && (rank & 1 << i) != 0)
                sum[rank ^ 1 << i] += sum[rank];
    return sum[0];
}

/* The number of ranks from which the parents lead to the root, in the algorithm that is run here:
 * ranks count from the root, modulo P. */
static int lead_to_root(const struct paper *p, const char *run)
{
    const struct paper_case x = paper_case(p, run, "");
    struct paper_place places[MOST];
    int n = 0;

    paper_places(&x, places);
    for (int rank = 0; rank < x.P; rank++) {
        int at = rank, steps = 0;

        while (at != x.c.args.root && at >= 0 && at < x.P && steps++ < x.P)
            at = places[at].parent;
        n += at == x.c.args.root;
    }
    return n;
}

static void listing(struct paper *p, const char *name, const char *printed, int P, int d,
                    int source)
{
    const struct outcome out = by_xor(P, d, source);
    char lost[160] = "", run[64];

    if (out.lost > 0)
        snprintf(lost, sizeof(lost),
                 "; of the sends %d name a processor that does not exist, or are made without the "
                 "message",
                 out.lost);
    snprintf(run, sizeof(run), "broadcast binomial P=%d root=%d bytes=1", P, source);
    paper_listing(
        p, NULL, false,
        "%s, p = %d|%s|%d of %d processors get the message%s|"
        "ranks count from the source, modulo P; a send to no processor is left out: %d of "
        "%d processors",
        name, P, printed, out.reached, P, lost, lead_to_root(p, run), P);
}

void grama_listings(struct paper *p, const struct paper_table *t, const char *what)
{
    static const char *const first = "send to my_id XOR 2^i where my_id AND mask is 0",
                             *const any =
                                 "the same with my_id XOR source for my_id, stated for p = 2^d";
    const struct outcome zero = by_xor(8, 3, 0), other = by_xor(8, 3, SOURCE);
    const int added = by_reduction(8, 3), here = lead_to_root(p, "reduce binomial P=8 count=1");

    (void)t;
    (void)what;
    listing(p, "One-to-all broadcast from node 0", first, 8, 3, 0);
    listing(p, "One-to-all broadcast from node 2", any, 8, 3, SOURCE);
    listing(p, "One-to-all broadcast from node 2", any, 6, 3, SOURCE);
    paper_listing(
        p, NULL, false,
        "All-to-one reduction to node 0 (algorithm 4.3), p = 8|"
        "for i = 0 to d-1, where my_id AND mask is 0: send to my_id XOR 2^i where bit i is "
        "1, else receive and add; then set bit i of mask|"
        "%d of 8 operands are added up on node 0|"
        "each processor adds what its children send, and sends to its parent: %d of 8 "
        "operands",
        added, here);
    paper_judge(p, "Listing of the broadcast from node 0, p = 2^d",
                zero.reached == 8 && zero.lost == 0, "%d of 8 processors get the message",
                zero.reached);
    paper_judge(
        p, "Listing of the broadcast from any source, by XOR, p = 2^d",
        other.reached == 8 && other.lost == 0,
        "%d of 8 processors get the message of node 2; the book states it for p = 2^d only. "
        "Ours counts ranks from the source, modulo P, for any P",
        other.reached);
    paper_judge(p, "Listing of the reduction to node 0, algorithm 4.3, p = 2^d",
                added == 8 && here == 8, "%d of 8 operands are added up on node 0", added);
}
