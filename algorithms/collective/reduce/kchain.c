/* SPDX-License-Identifier: MIT */
/*
 * Reductions along k chains: each chain passes its vectors on to its head, which sends to the root.
 * The chains of virtual ranks 1 .. P-1 (0 is the root) are consecutive, and the head of each is its
 * smallest rank; algorithms differ in how long the chains are and in which order the root receives.
 *
 * A chain of length l has its vector at the root at l a, and the root takes vectors B apart: the
 * time folds over the chains in the order of receipt, T = max(T + B, l a), for the first l a (a, B:
 * see steps.c). Source: Kurnosov 2016, corrected: the long chains cost no a more where k divides
 * P-1, and g counts; the short-first time has L; in the adaptive one the root does wait.
 */
#include "reduce.h"

enum { MANY = 64 }; /* processors: more chains than are tried one by one */

/* ---- the shape ---- */

struct chains {
    int64_t (*first)(int64_t P, int64_t k, int64_t j); /* smallest rank of chain j; P: beyond */
    int64_t k;                                         /* the argument of first() */
    int n;                                             /* chains */
    int last_at; /* when the last chain is received: as this one, the first being 0 */
};

/* The first r chains have one more than the others. */
static int64_t long_first(int64_t P, int64_t k, int64_t j)
{
    const int64_t q = (P - 1) / k, r = (P - 1) % k;

    return 1 + j * q + (j < r ? j : r);
}

/* The last r chains have. */
static int64_t short_first(int64_t P, int64_t k, int64_t j)
{
    const int64_t q = (P - 1) / k, r = (P - 1) % k;

    return 1 + j * q + (j > k - r ? j - (k - r) : 0);
}

/* Lengths 1, 2, 3, ...; the last chain has the remaining ranks. */
static int64_t adaptive(int64_t P, int64_t k, int64_t j)
{
    const int64_t first = 1 + j * (j + 1) / 2;

    (void)k;
    return first < P ? first : P;
}

/* The chain that holds v >= 1. */
static int64_t chain_of(int P, int v, const struct chains *s)
{
    int64_t low = 0, high = s->n - 1;

    while (low < high) {
        const int64_t middle = low + (high - low + 1) / 2;

        if (s->first(P, s->k, middle) <= v)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

static int chain_parent(int P, int v, const void *shape)
{
    const struct chains *s = shape;

    return s->first(P, s->k, chain_of(P, v, s)) == v ? 0 : v - 1;
}

static int chain_child(int P, int v, int k, const void *shape)
{
    const struct chains *s = shape;

    if (v == 0) {
        const int chain = k < s->last_at ? k : k == s->last_at ? s->n - 1 : k - 1;

        return k < s->n ? (int)s->first(P, s->k, chain) : -1;
    }
    return k == 0 && v + 1 < s->first(P, s->k, chain_of(P, v, s) + 1) ? v + 1 : -1;
}

static int plan(int P, int rank, const struct chains *s, struct logp_invocation *c)
{
    const struct lpi_tree_shape shape = {chain_parent, chain_child, s};
    const int rc = lpi_plan_tree(P, lpi_virtual_rank(rank, c->args.root, P), &shape, NULL, c);

    return lpi_reduce_finish_plan(rc, rank, c);
}

/* ---- how many chains ---- */

/* The k that is asked for; 0: it is free. */
static int64_t k_given(int64_t P, const struct logp_invocation *c)
{
    if (c->args.k == LOGP_K_SQRT) {
        const int64_t r = lpi_isqrt((unsigned __int128)P - 1);

        return r + (r * r < P - 1);
    }
    return c->args.k;
}

static const char *needs(int64_t P, const struct logp_invocation *c)
{
    const int64_t k = k_given(P, c);

    return k < 0 || k > P - 1 || (k == 0 && P > 1 && c->args.k != 0) ? "a k of 1 .. P-1"
                                                                     : lpi_reduce_needs_order(P, c);
}

/* Whether A x + C n/x <= cost. */
static bool may_reach(__int128 cost, int64_t x, int64_t n, int64_t A, int64_t C)
{
    return (__int128)A * x * x + (__int128)C * n <= cost * x;
}

/*
 * The k of 1 .. n with the least ceil(n/k) a + k B; ties go to the smallest. It is also the
 * smallest k with its length q = ceil(n/k), so one may search for k or for q: for the one that
 * costs more, x, at A each, with C <= A for each of the other. The cost A x + C ceil(n/x) is less
 * than C above A x + C n/x, which exceeds its minimum, at s = sqrt(n C/A), by A (x - s)^2 / x. So
 * go from s in both directions until even that is more than the best found: after some sqrt(s)
 * values at most, and usually the cube root of s.
 */
static int64_t best_k(int64_t n, int64_t a, int64_t B)
{
    const bool x_is_k = B >= a;
    const int64_t A = lpi_max(a, B), C = a + B - A;
    const int64_t root = A > 0 ? lpi_isqrt((unsigned __int128)n * (uint64_t)C / (uint64_t)A) : 0;
    const int64_t start = root > 1 ? root : 1;
    __int128 least = (__int128)A * start + (__int128)C * lpi_ceil_div(n, start);
    int64_t best = n;

    if (A == 0)
        return 1;
    for (int step = -1; step <= 1; step += 2)
        for (int64_t x = start; x >= 1 && x <= n && may_reach(least, x, n, A, C); x += step) {
            const int64_t y = lpi_ceil_div(n, x), k = x_is_k ? x : y;
            const __int128 cost = (__int128)A * x + (__int128)C * y;

            if (cost < least || (cost == least && k < best)) {
                least = cost;
                best = k;
            }
        }
    return best;
}

static int64_t k_opt(int64_t P, const struct logp_invocation *c)
{
    const struct lpi_reduce_times t = lpi_reduce_times(c);

    return P > 1 ? best_k(P - 1, t.a, t.B) : 0;
}

/* What `chains` chains take, the short ones first. q, r = divmod(P-1, k). r = 0: q a + (k-1) B;
 * else the root may wait for the first of the long ones: q a + max((k-r) B, a) + (r-1) B. */
static __int128 short_first_time(int64_t P, int64_t k, const struct lpi_reduce_times *t)
{
    const int64_t q = (P - 1) / k, r = (P - 1) % k;

    if (r == 0)
        return (__int128)q * t->a + (__int128)(k - 1) * t->B;
    return (__int128)q * t->a + lpi_later((__int128)(k - r) * t->B, t->a) +
           (__int128)(r - 1) * t->B;
}

/*
 * The k of 1 .. n = P-1 with the least of that; ties go to the smallest. It is more than
 * n a/k + k B - a - B, as q k > n - k; so go from the least of that, at sqrt(n a/B), in both
 * directions until even that is more than the best found: as best_k().
 */
static int64_t best_short_first(int64_t P, const struct lpi_reduce_times *t)
{
    const int64_t n = P - 1;
    const int64_t root =
        t->B > 0 ? lpi_isqrt((unsigned __int128)n * (uint64_t)t->a / (uint64_t)t->B) : n;
    const int64_t start = root < 1 || t->a == 0 ? 1 : root < n ? root : n;
    __int128 least = short_first_time(P, start, t);
    int64_t best = start;

    for (int step = -1; step <= 1; step += 2)
        for (int64_t k = start;
             k >= 1 && k <= n && t->B > 0 && may_reach(least + t->a + t->B, k, n, t->B, t->a);
             k += step) {
            const __int128 cost = short_first_time(P, k, t);

            if (cost < least || (cost == least && k < best)) {
                least = cost;
                best = k;
            }
        }
    return best;
}

/* By their formulas, where these hold; or where too many would have to be tried. Else 0: free. */
static bool by_formula(int64_t P, const struct logp_invocation *c)
{
    const bool formula =
        lpi_is_plain(c) && c->model.topology == NULL && !c->model.params.gap_shared;

    return !c->model.undelayed && P > 1 && (formula || P > MANY);
}

static int64_t k_long_first(int64_t P, const struct logp_invocation *c)
{
    return c->args.k == 0 && by_formula(P, c) ? k_opt(P, c) : k_given(P, c);
}

static int64_t k_short_first(int64_t P, const struct logp_invocation *c)
{
    const struct lpi_reduce_times t = lpi_reduce_times(c);

    return c->args.k == 0 && by_formula(P, c) ? best_short_first(P, &t) : k_given(P, c);
}

/* The largest k with 1 + 2 + ... + k <= P-1. */
static int64_t k_adaptive(int64_t P, const struct logp_invocation *c)
{
    (void)c;
    return (lpi_isqrt(8 * (unsigned __int128)(P - 1) + 1) - 1) / 2;
}

/* ---- kchain: k chains, the long ones first; kchain-opt: the best k ---- */

static int plan_long_first(int P, int rank, struct logp_invocation *c)
{
    const int k = (int)k_long_first(P, c);

    return plan(P, rank, &(struct chains){long_first, k, k, k - 1}, c);
}

static int plan_opt(int P, int rank, struct logp_invocation *c)
{
    const int k = (int)k_opt(P, c);

    return plan(P, rank, &(struct chains){long_first, k, k, k - 1}, c);
}

/* ceil((P-1)/k) a + (k-1) B: no chain comes later than B after the one before. 1 <= k <= P-1 */
static struct logp_prediction long_first_time(int64_t P, int64_t k, const struct logp_invocation *c)
{
    const struct lpi_reduce_times t = lpi_reduce_times(c);

    if (P <= 1)
        return lpi_exact(0);
    return lpi_reduce_ends_at(P, (__int128)lpi_ceil_div(P - 1, k) * t.a + (__int128)(k - 1) * t.B,
                              c);
}

static struct logp_prediction predict_long_first(int64_t P, const struct logp_invocation *c)
{
    return long_first_time(P, k_long_first(P, c), c);
}

static struct logp_prediction predict_opt(int64_t P, const struct logp_invocation *c)
{
    return long_first_time(P, k_opt(P, c), c);
}

/* ---- kchain-short-first ---- */

static int plan_short_first(int P, int rank, struct logp_invocation *c)
{
    const int k = (int)k_short_first(P, c);

    return plan(P, rank, &(struct chains){short_first, k, k, k - 1}, c);
}

static struct logp_prediction predict_short_first(int64_t P, const struct logp_invocation *c)
{
    const struct lpi_reduce_times t = lpi_reduce_times(c);

    if (P == 1)
        return lpi_exact(0);
    return lpi_reduce_ends_at(P, short_first_time(P, k_short_first(P, c), &t), c);
}

/* ---- kchain-adaptive: chains of 1, 2, ..., k, and one with the w <= k that are left ---- */

static int64_t leftover(int64_t P, int64_t k)
{
    return P - 1 - k * (k + 1) / 2;
}

/* The shortest chain first, the leftover one last. */
static int plan_adaptive(int P, int rank, struct logp_invocation *c)
{
    const int k = (int)k_adaptive(P, c), n = k + (leftover(P, k) > 0);

    return plan(P, rank, &(struct chains){adaptive, k, n, n - 1}, c);
}

/* a + (k-1) max(a, B) + [w > 0] B, any P >= 2 */
static struct logp_prediction predict_adaptive(int64_t P, const struct logp_invocation *c)
{
    const struct lpi_reduce_times t = lpi_reduce_times(c);
    const int64_t k = k_adaptive(P, c);
    const __int128 last = leftover(P, k) > 0 ? t.B : 0;

    return lpi_reduce_ends_at(P, t.a + (__int128)(k - 1) * lpi_max(t.a, t.B) + last, c);
}

/* The leftover chain in the order of its length, after the other of that length. */
static int plan_adaptive_sorted(int P, int rank, struct logp_invocation *c)
{
    const int k = (int)k_adaptive(P, c), w = (int)leftover(P, k);
    const int n = k + (w > 0);

    return plan(P, rank, &(struct chains){adaptive, k, n, w > 0 ? w : n - 1}, c);
}

/*
 * The fold over the lengths 1, ..., w, w, w+1, ..., k. After the second w it is at
 * a + (w-1) max(a, B) + B; from there the root is busy to the end, or it waits for a chain of l >
 * w, the worst being l = w+1 or k: l a + (k-l) B. w = 0: as kchain-adaptive. Any P >= 2.
 */
static struct logp_prediction predict_adaptive_sorted(int64_t P, const struct logp_invocation *c)
{
    const struct lpi_reduce_times t = lpi_reduce_times(c);
    const int64_t k = k_adaptive(P, c), w = leftover(P, k);
    __int128 T = t.a + (__int128)(w - 1) * lpi_max(t.a, t.B) + (__int128)(k - w + 1) * t.B;

    if (w == 0)
        return predict_adaptive(P, c);
    if (w < k) {
        T = lpi_later(T, (__int128)(w + 1) * t.a + (__int128)(k - w - 1) * t.B);
        T = lpi_later(T, (__int128)k * t.a);
    }
    return lpi_reduce_ends_at(P, T, c);
}

/* ---- the rows ---- */

static const char kurnosov[] = "Kurnosov 2016";

static const struct logp_algorithm algorithms[] = {
    {LOGP_ALGORITHM("reduce", "kchain", "k chains, the long ones first", kurnosov), .needs = needs,
     .plan = plan_long_first, .predict = predict_long_first, .knobs = {LOGP_KNOB(k, k_long_first)},
     LPI_REDUCE},
    {LOGP_ALGORITHM("reduce", "kchain-opt", "the best number of chains, the long ones first",
                    kurnosov),
     .needs = lpi_reduce_needs_order, .plan = plan_opt, .predict = predict_opt,
     .knobs = {LOGP_KNOB(k, k_opt)}, LPI_REDUCE},
    {LOGP_ALGORITHM("reduce", "kchain-short-first", "k chains, the short ones first", kurnosov),
     .needs = needs, .plan = plan_short_first, .predict = predict_short_first,
     .knobs = {LOGP_KNOB(k, k_short_first)}, LPI_REDUCE},
    {LOGP_ALGORITHM("reduce", "kchain-adaptive", "chains of 1, 2, ..., k, the rest last", kurnosov),
     .needs = lpi_reduce_needs_order, .plan = plan_adaptive, .predict = predict_adaptive,
     .knobs = {LOGP_KNOB(k, k_adaptive)}, LPI_REDUCE},
    {LOGP_ALGORITHM("reduce", "kchain-adaptive-sorted",
                    "chains of 1, 2, ..., k and the rest, by length", kurnosov),
     .needs = lpi_needs_commutative, .plan = plan_adaptive_sorted,
     .predict = predict_adaptive_sorted, .knobs = {LOGP_KNOB(k, k_adaptive)}, LPI_REDUCE},
};

const struct lpi_rows lpi_reduce_chains = LPI_ROWS(algorithms);
