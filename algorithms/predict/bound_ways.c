/* SPDX-License-Identifier: MIT */
/*
 * Lower bounds over links that differ from pair to pair, or over a network. The terms are those of
 * bound.c; D is the way from i to j (predict.h).
 *
 * One pair. k bytes that j needs of i leave i: one byte leaves last, in message M. All that leave
 * earlier take sum w(k_i) of the port of i, and from the start of M that byte takes D, and as M has
 * k_M bytes and not one, st(k_M) more. With w(k_M) - e <= st(k_M): D + W(k) - e. W is that of the
 * least parameters of the links that leave i. For the links that come to j the same holds backwards
 * in time, but that receipts start so far apart, and their ends are closer where o_recv differs: of
 * the messages with such bytes the first ends at D + st(k_M) or later, the last starts sum w(k_i)
 * after the start of that, and its end is as late less the most by which o_recv differs. Combining
 * changes nothing: each message has at most as many elements as its bytes can hold, and the result
 * of j depends on all elements of i.
 *
 * Each with bytes of its own. Let i send k_t bytes to processors whose ways are t or longer: as
 * above, of these the last to leave starts sum w(k_i) after the first, and takes t: t + W(k_t) - e,
 * for each t. Backwards the same holds for the receipts of j. store-forward: as "Through a port" in
 * bound.c, with t in place of d.
 */
#include "predict/predict.h"

#include <stdlib.h>

enum {
    MOST_MESSAGES = 1 << 15, /* whose times are looked up; beyond, not all places are ends */
    FEWEST_ENDS = 4,
};

/* Return the time that more bytes take through a port than the first byte alone. */
static int64_t more(const struct lpi_ways_port *port, bool back, int64_t bytes)
{
    const struct logp_params *p = &port->least;

    if (bytes <= 1)
        return 0;
    if (!back)
        return lpi_bound_sent(p, bytes) - lpi_bound_sent(p, 1);
    return lpi_max(lpi_bound_received(p, bytes) - lpi_bound_received(p, 1) - port->o_recv_more, 0);
}

static bool is_one(const struct lpi_ranks *r)
{
    return r->end - r->first <= r->step;
}

struct far {
    int64_t way, ranks;
};

static int farther(const void *a, const void *b)
{
    const struct far *x = a, *y = b;

    return (x->way < y->way) - (x->way > y->way);
}

/* One end of it, and the best that was found. */
struct look {
    const struct lpi_ways *w;
    const struct lpi_need *need;
    bool back;                 /* from the receiving end */
    int64_t other[LPI_PLACES]; /* more() at the places of the other end */
    int64_t least;             /* of T, from all that was looked at */
    int farthest;              /* the place whose ways are the longest, */
    int64_t longest;           /* which are so long */
};

static bool pair(const struct look *x, int end, int other)
{
    const struct lpi_need *n = x->need;
    const int64_t a = x->w->rank[end], b = x->w->rank[other];

    return a != b && lpi_ranks_have(x->back ? &n->from : &n->to, b) &&
           (!n->up || (x->back ? b < a : a < b));
}

/* Return the bound where each rank of the other end has bytes of its own. Ranks without a place
 * count, too, if all take part. */
static int64_t each(const struct look *x, const struct lpi_ways_port *port, int end,
                    const int64_t *way)
{
    const struct lpi_ranks *others = x->back ? &x->need->from : &x->need->to;
    const bool all = lpi_ranks_are_all(others, x->w->P) && !x->need->up;
    struct far far[LPI_PLACES];
    int64_t T = 0, ranks = 0;
    int n = 0;

    for (int i = 0; i < x->w->n; i++)
        if (pair(x, end, i))
            far[n++] = (struct far){way[i], all ? x->w->stands_for[i] : 1};
    qsort(far, (size_t)n, sizeof(far[0]), farther);
    for (int i = 0; i < n; i++) {
        ranks += far[i].ranks;
        if (i + 1 == n || far[i + 1].way < far[i].way)
            T = lpi_max(T,
                        far[i].way + more(port, x->back, lpi_bound_times(ranks, x->need->bytes)));
    }
    return T;
}

static void look_from(struct look *x, int end)
{
    const struct lpi_need *n = x->need;
    const struct lpi_ways_port port = lpi_ways_port(x->w, end, x->back);
    const int64_t longer = lpi_max(more(&port, x->back, n->bytes), n->work_ns);
    int64_t way[LPI_PLACES];

    lpi_ways_of(x->w, end, x->back, way);
    for (int i = 0; i < x->w->n; i++)
        if (pair(x, end, i)) {
            x->least = lpi_max(x->least, way[i] + lpi_max(longer, x->other[i]));
            if (way[i] > x->longest) {
                x->longest = way[i];
                x->farthest = end;
            }
        }
    if (x->back ? n->each_from : n->each_to)
        x->least = lpi_max(x->least, each(x, &port, end, way));
}

/* Look from the ranks at one end; if they are many, only from as many as can be looked at
 * quickly. */
static void look(struct look *x)
{
    const struct lpi_ranks *ends = x->back ? &x->need->to : &x->need->from;
    const int64_t n = x->w->n, one = x->w->links != NULL ? n * n : 4 * n;
    const int64_t most = lpi_max(MOST_MESSAGES / one, FEWEST_ENDS);
    int step = 1;

    if (!is_one(ends) && n > most)
        step = (int)lpi_ceil_div(n, most);
    for (int i = 0; x->need->bytes > 1 && i < x->w->n; i++)
        if (lpi_ranks_have(x->back ? &x->need->from : &x->need->to, x->w->rank[i])) {
            const struct lpi_ways_port port = lpi_ways_port(x->w, i, !x->back);

            x->other[i] = more(&port, !x->back, x->need->bytes);
        }
    for (int i = 0; i < x->w->n; i++)
        if (lpi_ranks_have(ends, x->w->rank[i]) && x->w->is_end[i] &&
            (i % step == 0 || i == x->w->n - 1 || is_one(ends)))
            look_from(x, i);
}

/* Whether all ranks need the bytes of this one (back: it needs those of all). */
static bool is_root(const struct look *x, int place)
{
    const struct lpi_need *n = x->need;

    if (!lpi_ranks_are_all(x->back ? &n->from : &n->to, x->w->P))
        return false;
    return !n->up || x->w->rank[place] == (x->back ? x->w->P - 1 : 0);
}

/* Return the bound by levels. It is not known which of the others is the last. */
static int64_t bound_levels(const struct look *x)
{
    const struct lpi_need *n = x->need;
    const struct lpi_ways_port port = lpi_ways_port(x->w, x->farthest, x->back);
    const bool one_item = x->back ? !n->each_from : !n->each_to;
    int64_t way[LPI_PLACES], longer = INT64_MAX;

    for (int i = 0; i < x->w->n; i++)
        if (i != x->farthest && x->other[i] < longer)
            longer = x->other[i];
    if (x->w->params.store_forward)
        longer = 0;
    else if (one_item)
        longer = lpi_max(longer, more(&port, x->back, n->bytes));
    lpi_ways_of(x->w, x->farthest, x->back, way);
    return lpi_bound_levels(x->w, n, x->farthest, x->back, way, lpi_max(longer, n->work_ns));
}

static bool are_there(const struct lpi_ranks *r, int64_t P)
{
    return r->first >= 0 && r->first < r->end && r->end <= P;
}

int64_t lpi_bound_ways(int64_t P, const struct logp_invocation *c, const struct lpi_need *need)
{
    const struct lpi_ways *w = c->plan.state;
    int64_t T = 0;

    if (w == NULL || need->bytes < 1 || !are_there(&need->from, P) || !are_there(&need->to, P))
        return 0;
    if (w->ports > 1)
        T = lpi_bound_ports(w, need);
    if (w->n == 0)
        return T;
    for (int back = 0; back <= 1; back++) {
        struct look x = {.w = w, .need = need, .back = back != 0, .farthest = -1};

        if (back ? !is_one(&need->to) && is_one(&need->from)
                 : !is_one(&need->from) && is_one(&need->to))
            continue; /* the other end gives the same bound in fewer steps */
        look(&x);
        T = lpi_max(T, x.least);
        if (w->links != NULL && x.farthest >= 0 && is_root(&x, x.farthest))
            T = lpi_max(T, bound_levels(&x));
    }
    return w->topology != NULL ? lpi_max(T, lpi_bound_cuts(w, need)) : T;
}
