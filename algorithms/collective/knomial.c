/* SPDX-License-Identifier: MIT */
/* The k-nomial tree: see collective.h. */
#include "collective/collective.h"

int64_t lpi_knomial_k(int64_t P, const struct logp_invocation *c)
{
    return c->args.k < P ? c->args.k : lpi_max(P, 2);
}

int64_t lpi_knomial_radix(int64_t P, const struct logp_invocation *c)
{
    return lpi_max(lpi_knomial_k(P, c), 2);
}

const char *lpi_knomial_needs(int64_t P, const struct logp_invocation *c)
{
    (void)P;
    return c->args.k == 0 || c->args.k >= 2 ? NULL : "--k of at least 2";
}

/* The largest power of k that divides v; of the root the least from P on. */
static int64_t span_of(int64_t P, int64_t v, int64_t k)
{
    int64_t span = 1;

    while (v % k == 0 && span < P) {
        v /= k;
        span *= k;
    }
    return span;
}

/* Of the parts of `span` nodes each below v, how many there are. */
static int64_t parts_below(int64_t P, int64_t v, int64_t k, int64_t span)
{
    const int64_t there = (P - 1 - v) / span;

    return there < k - 1 ? there : k - 1;
}

int64_t lpi_knomial_size(int64_t P, int64_t v, int64_t k)
{
    const int64_t span = span_of(P, v, k);

    return span < P - v ? span : P - v;
}

int64_t lpi_knomial_parent(int64_t P, int64_t v, int64_t k)
{
    const int64_t span = span_of(P, v, k);

    return v - v / span % k * span;
}

int64_t lpi_knomial_child(int64_t P, int64_t v, int64_t k, int64_t i)
{
    for (int64_t span = span_of(P, v, k) / k; span > 0; span /= k) {
        const int64_t n = parts_below(P, v, k, span);

        if (i < n)
            return v + (i + 1) * span;
        i -= n;
    }
    return -1;
}

int64_t lpi_knomial_children(int64_t P, int64_t v, int64_t k)
{
    int64_t n = 0;

    for (int64_t span = span_of(P, v, k) / k; span > 0; span /= k)
        n += parts_below(P, v, k, span);
    return n;
}

static int parent(int P, int v, const void *k)
{
    return (int)lpi_knomial_parent(P, v, *(const int64_t *)k);
}

static int child(int P, int v, int i, const void *k)
{
    return (int)lpi_knomial_child(P, v, *(const int64_t *)k, i);
}

int lpi_plan_knomial(int P, int rank, struct logp_invocation *c)
{
    const int64_t k = lpi_knomial_radix(P, c);

    return lpi_plan_tree(P, lpi_virtual_rank(rank, c->args.root, P),
                         &(struct lpi_tree_shape){parent, child, &k}, NULL, c);
}

/* full[i]: what parts of k^i nodes take. */
struct parts {
    int64_t k;
    const struct logp_invocation *c;
    struct lpi_times (*times)(const struct logp_invocation *c, int64_t nodes);
    __int128 full[64];
};

/*
 * For n nodes, span being the largest power of k below n: the root sends to m parts, all but the
 * last of `span` nodes, and then is the root of such a part:
 *     t(n) = max((m - 2) E + D + t(span), (m - 1) E + D' + t(last), (m - 1) E + E' + t(span)),
 * t(1) = 0, where D' and E' are those of the last part; the first only for m >= 2, and the third
 * for span > 1, since a node without descendants gets no message.
 */
static __int128 time_of(const struct parts *p, int64_t n)
{
    int64_t span = 1, m, last;
    struct lpi_times t, end;
    int power = 0;
    __int128 T;

    if (n == 1)
        return 0;
    for (; span <= (n - 1) / p->k; power++)
        span *= p->k;
    m = (n - 1) / span;
    last = n - m * span;
    t = p->times(p->c, span);
    end = last < span ? p->times(p->c, last) : t;
    T = (m - 1) * (__int128)t.E + end.D + (last < span ? time_of(p, last) : p->full[power]);
    if (span > 1)
        T = lpi_later(T, (m - 1) * (__int128)t.E + end.E + p->full[power]);
    return m > 1 ? lpi_later(T, (m - 2) * (__int128)t.E + t.D + p->full[power]) : T;
}

__int128 lpi_knomial_time(int64_t P, int64_t k, const struct logp_invocation *c,
                          struct lpi_times (*times)(const struct logp_invocation *c, int64_t nodes))
{
    struct parts p = {.k = k, .c = c, .times = times};
    int power = 0;

    p.full[0] = 0;
    for (int64_t span = 1; span <= (P - 1) / k; p.full[++power] = time_of(&p, span))
        span *= k;
    return time_of(&p, P);
}
