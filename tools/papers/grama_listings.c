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
    int lost;    /* messages to processors that there are not, or from one without the message */
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

/* As it is run here: ranks count from the source, modulo P; is the parent of each rank another one
 * that exists? @return how many the message reaches */
static int by_modulo(struct paper *p, int P, int source)
{
    const struct paper_case x = {.collective = "broadcast",
                                 .algorithm = "binomial",
                                 .P = P,
                                 .unit_ns = paper_unit(p, p->o->unit_ns),
                                 .c = {.args.root = source, .args.n_bytes = 1}};
    struct paper_place places[MOST];
    int reached = 0;

    paper_places(&x, places);
    for (int rank = 0; rank < P; rank++) {
        int at = rank, steps = 0;

        while (at != source && at >= 0 && at < P && steps++ < P)
            at = places[at].parent;
        reached += at == source;
    }
    return reached;
}

static void listing(struct paper *p, const char *name, const char *printed, int P, int d,
                    int source)
{
    struct paper_listing *l = paper_listing(p, "%s, p = %d", name, P);
    const struct outcome out = by_xor(P, d, source);

    paper_say(l->printed, "%s", printed);
    if (out.lost > 0)
        paper_say(l->does,
                  "%d of %d processors get the message; of the sends %d name a processor that "
                  "does not exist, or are made without the message",
                  out.reached, P, out.lost);
    else
        paper_say(l->does, "%d of %d processors get the message", out.reached, P);
    paper_say(l->here,
              "ranks count from the source, modulo P; a send to no processor is left out: "
              "%d of %d processors",
              by_modulo(p, P, source), P);
}

void grama_listings(struct paper *p)
{
    static const char *const first = "send to my_id XOR 2^i where my_id AND mask is 0",
                             *const any =
                                 "the same with my_id XOR source for my_id, stated for p = 2^d";
    const struct outcome zero = by_xor(8, 3, 0), other = by_xor(8, 3, SOURCE);

    listing(p, "One-to-all broadcast from node 0", first, 8, 3, 0);
    listing(p, "One-to-all broadcast from node 2", any, 8, 3, SOURCE);
    listing(p, "One-to-all broadcast from node 2", any, 6, 3, SOURCE);
    paper_judge(p, "Listing of the broadcast from node 0, p = 2^d",
                zero.reached == 8 && zero.lost == 0, "%d of 8 processors get the message",
                zero.reached);
    paper_judge(
        p, "Listing of the broadcast from any source, by XOR, p = 2^d",
        other.reached == 8 && other.lost == 0,
        "%d of 8 processors get the message of node 2; the book states it for p = 2^d only. "
        "Ours counts ranks from the source, modulo P, for any P",
        other.reached);
}
