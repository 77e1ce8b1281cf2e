/* SPDX-License-Identifier: MIT */
/*
 * Lower bounds where some processors are near to one and the others are far from it, as with
 * nodes: the near ones are those whose ways are shorter than t, on one side of the widest gap
 * between any two ways. It holds for any t and any links.
 *
 * The bound counts how many processors are informed. There are four kinds of messages: near to
 * near, near to far, far to near, far to far. Let each kind take the least time that one of its
 * messages takes, let each processor send messages of one kind e apart, and let it send different
 * kinds at the same time. No far processor is informed before t, and the number of near ones is
 * limited. By induction over time no schedule informs more processors, near or far: it has fewer
 * senders, each with fewer messages of each kind, which arrive later. So no schedule ends before
 * all far ones are informed. The same holds backwards in time, with a receipt in place of a send,
 * and e with o_recv; but that receipts of one kind start e apart: before the last starts, which
 * takes the least o_recv of the kind, and each takes the time of its message up to its receipt. As
 * for B(P) in bound.c, W(k) - e is added, by which all that a root sends first is late, or all that
 * a last one has yet to receive.
 *
 * What crosses. K bytes go from near to far ones, so one near processor sends K / (their number) of
 * them at least to far ones, and one far processor receives K / (theirs): a port for each
 * (bound.c), with the least parameters of the links that cross.
 */
#include "operand/operand.h"
#include "predict/predict.h"

#include <stdlib.h>

enum { EVENTS = 512 };

/* Near or far, of the sender and of the receiver (back: of the receiver and the sender). */
struct kinds {
    int64_t d[2][2], e[2][2];
    int64_t o_recv[2][2]; /* back: the least, and d without it */
    int64_t ranks[2];
    struct logp_params crosses; /* of those from near to far; back: from far to near */
};

/* ---- how many are informed ---- */

/* The next message of a kind, and of one sender, is received. */
struct event {
    int64_t at;
    bool from, to;
};

struct heard {
    struct event heap[EVENTS];
    size_t n;
};

static bool is_earlier(const struct event *a, const struct event *b)
{
    return a->at < b->at;
}

LPI_HEAP(event, struct event, is_earlier)

/* @return there is space */
static bool put(struct heard *h, struct event e)
{
    if (h->n == EVENTS)
        return false;
    event_push(h->heap, h->n++, e);
    return true;
}

/* A processor is informed at this time, and informs others. */
static bool tell(struct heard *h, const struct kinds *k, bool from, int64_t at)
{
    return put(h, (struct event){at + k->d[from][false], from, false}) &&
           put(h, (struct event){at + k->d[from][true], from, true});
}

/* Return the time when all far ones are informed, the first not before t; or, if there are too many
 * events, an earlier time. */
static int64_t all_heard(const struct kinds *k, int64_t t)
{
    int64_t left[2] = {k->ranks[false] - 1, k->ranks[true]}, now = 0;
    struct heard h = {.n = 0};
    bool capacity = tell(&h, k, false, 0);

    while (capacity && left[true] > 0) {
        const struct event e = event_pop(h.heap, h.n--);

        if (left[e.to] == 0)
            continue; /* all of this kind are informed */
        left[e.to]--;
        now = lpi_max(now, e.to ? lpi_max(e.at, t) : e.at);
        capacity = put(&h, (struct event){e.at + k->e[e.from][e.to], e.from, e.to}) &&
                   tell(&h, k, e.to, e.to ? lpi_max(e.at, t) : e.at);
    }
    return now;
}

/* ---- near and far ---- */

/* The longer of the two ways with the widest gap between them; 0: all are alike. */
static int64_t threshold(const struct lpi_ways *w, int place, const int64_t *way)
{
    int64_t sorted[LPI_PLACES], widest = 0, t = 0;
    int n = 0;

    for (int i = 0; i < w->n; i++)
        if (i != place)
            sorted[n++] = way[i];
    qsort(sorted, (size_t)n, sizeof(sorted[0]), lpi_compare);
    for (int i = 1; i < n; i++)
        if (sorted[i] - sorted[i - 1] > widest) {
            widest = sorted[i] - sorted[i - 1];
            t = sorted[i];
        }
    return t;
}

static void add_message(struct kinds *k, const struct lpi_ways *w, int a, int b, bool far_a,
                        bool far_b, bool back)
{
    const struct logp_params p = lpi_ways_params(w, back ? b : a, back ? a : b);
    const int64_t last = back ? 0 : p.o_recv_ns;
    const int64_t d = p.o_send_ns + logp_params_stream_ns(&p, 1) + p.L_ns + last;
    const int64_t e = lpi_max(back ? p.o_recv_ns : p.o_send_ns, p.g_ns);

    if (!far_a && far_b) {
        if (k->d[far_a][far_b] == INT64_MAX / 8)
            k->crosses = p;
        lpi_ways_lower(&k->crosses, &p);
    }
    lpi_at_most(&k->d[far_a][far_b], d);
    lpi_at_most(&k->e[far_a][far_b], e);
    lpi_at_most(&k->o_recv[far_a][far_b], p.o_recv_ns);
}

static struct kinds kinds_of(const struct lpi_ways *w, const int64_t *way, int64_t t, bool back)
{
    const int64_t none = INT64_MAX / 8;
    struct kinds k = {.crosses = w->params};

    for (int i = 0; i < 4; i++)
        k.d[i / 2][i % 2] = k.e[i / 2][i % 2] = k.o_recv[i / 2][i % 2] = none;

    for (int a = 0; a < w->n; a++) {
        k.ranks[way[a] >= t] += w->stands_for[a];
        for (int b = 0; b < w->n; b++)
            if (a != b)
                add_message(&k, w, a, b, way[a] >= t, way[b] >= t, back);
    }
    for (int i = 0; back && i < 4; i++)
        k.d[i / 2][i % 2] += k.o_recv[i / 2][i % 2];
    return k;
}

int64_t lpi_bound_levels(const struct lpi_ways *w, const struct lpi_need *need, int place,
                         bool back, const int64_t *way, int64_t longer)
{
    const int64_t t = threshold(w, place, way);
    int64_t bytes = need->bytes, senders, receivers, T;
    struct kinds k;

    if (t == 0)
        return 0;
    k = kinds_of(w, way, t, back);
    T = all_heard(&k, t) + longer;
    if (need->up)
        return T;
    senders = k.ranks[back];
    receivers = k.ranks[!back];
    if (need->each_from && lpi_ranks_are_all(&need->from, w->P))
        bytes = lpi_bound_times(bytes, senders);
    if (need->each_to && lpi_ranks_are_all(&need->to, w->P))
        bytes = lpi_bound_times(bytes, receivers);
    T = lpi_max(T, lpi_bound_sent(&k.crosses, lpi_ceil_div(bytes, senders)));
    return lpi_max(T, lpi_bound_received(&k.crosses, lpi_ceil_div(bytes, receivers)));
}
