/* SPDX-License-Identifier: MIT */
/*
 * Lower bounds: see predict.h. d is the time of a message of one byte from the start of its sending
 * to the end of its receipt, w(k) = max(o, g + st) the least time from a send (o = o_send) or a
 * receipt (o = o_recv) to the next, of k bytes, and e = w(1); st = (k-1)G.
 *
 * Out. Only an informed processor can inform others, one after the other, e apart: the optimal
 * broadcast tree of one byte takes B(P) (Karp et al. 1993; the shared gap: struct lpi_times).
 *
 * In. The same holds backwards in time: the last message of each but the one starts early enough
 * for its receiver's own last message, and receipts of one processor are e apart (with o_recv).
 *
 * Pieces. k bytes in messages of any sizes k_i keep a port busy for sum w(k_i) >= W(k). For G <= g,
 * W(k) = w(k): each further message costs g >= G, the time of the byte that it saves, and
 * ceil(x) + ceil(y) >= ceil(x + y). For G > g, M messages take at least M e and M g + (k - M) G,
 * and so any average of the two; that in which M cancels is k e G / (e + G - g).
 *
 * More sent. Of the bytes of an item, take one that leaves the root last, in message M. The bytes
 * that leave by then are the item's k bytes, so M starts at sum w(k_i) without it; from there that
 * byte takes B(P), later by w(k_M) - e <= st(k_M), as neither M arrives sooner, nor the next
 * message starts. Together B(P) + W(k) - e. (For single items: B(P) + (n-1) max(g, o), Karp et al.
 * 1993.)
 *
 * More received. Count the time of the first message that each processor gets as if it had one
 * byte. B(P) still holds, so for some processor this time is B(P) or later. It gets that message
 * st(k_1) later, and the others at least w(k_i) apart: B(P) + W(k) - e, with o_recv.
 *
 * Both hold backwards. Any single port: d + W(k) - e. Some processor sends at least the average of
 * all bytes.
 *
 * store-forward: k bytes are k G on the wire, and w is e whatever the size. Nothing is added to
 * B(P). Through a port: the message that is j-th from the end leaves (or comes) j e earlier, so if
 * all takes d - G + X, it has no more than (X - j e)/G bytes: X is large enough that these are k.
 */
#include "predict/predict.h"
#include <logp/paper.h>

static const int64_t most = INT64_MAX / 8; /* as lpi_exact() */

static int64_t capped(__int128 ns)
{
    return ns < most ? (int64_t)ns : most;
}

int64_t lpi_bound_times(int64_t n, int64_t m)
{
    int64_t product;

    return __builtin_mul_overflow(n, m, &product) ? INT64_MAX : product;
}

/* ---- trees ---- */

static int64_t tree_time(const struct logp_params *p, int64_t P, int64_t o)
{
    const struct lpi_times t = lpi_times(p, 1);
    struct logp_tree tree;

    if (P == 1 || logp_tree_init(&tree, P, t.D, lpi_max(o, p->g_ns)) != 0)
        return 0;
    return tree.T - t.early;
}

int64_t lpi_bound_out(const struct logp_params *p, int64_t P)
{
    return tree_time(p, P, p->o_send_ns);
}

int64_t lpi_bound_in(const struct logp_params *p, int64_t P)
{
    return tree_time(p, P, p->o_recv_ns);
}

/* ---- ports ---- */

/* d */
static int64_t one_message(const struct logp_params *p)
{
    return p->o_send_ns + logp_params_stream_ns(p, 1) + p->L_ns + p->o_recv_ns;
}

/* W(k) - e */
static int64_t more(const struct logp_params *p, int64_t o, int64_t bytes)
{
    const int64_t e = lpi_max(o, p->g_ns);
    const __int128 e_ps = (__int128)e * 1000, g_ps = (__int128)p->g_ns * 1000;

    if (bytes <= 1 || p->store_forward)
        return 0;
    if (p->G_ps <= g_ps)
        return lpi_max(e, logp_params_gap_ns(p, (size_t)bytes)) - e;
    return lpi_max(capped(e_ps * p->G_ps / (e_ps + p->G_ps - g_ps) * bytes / 1000), e) - e;
}

/* store-forward: the X above, sum over j of X - j e >= k G */
static int64_t store_forward(const struct logp_params *p, int64_t o, int64_t bytes)
{
    const __int128 total = ((__int128)bytes * p->G_ps + 999) / 1000;
    const int64_t e = lpi_max(o, p->g_ns), least = logp_params_stream_ns(p, 1);
    int64_t low = least, high = capped(total);

    while (e > 0 && low < high) {
        const int64_t X = low + (high - low) / 2, q = X / e;

        if ((q + 1) * (__int128)X - (__int128)e * q * (q + 1) / 2 >= total)
            high = X;
        else
            low = X + 1;
    }
    return low;
}

static int64_t through_port(const struct logp_params *p, int64_t o, int64_t bytes)
{
    if (bytes == 0)
        return 0;
    if (p->store_forward)
        return one_message(p) - logp_params_stream_ns(p, 1) + store_forward(p, o, bytes);
    return one_message(p) + more(p, o, bytes);
}

int64_t lpi_bound_more_sent(const struct logp_params *p, int64_t bytes)
{
    return more(p, p->o_send_ns, bytes);
}

int64_t lpi_bound_more_received(const struct logp_params *p, int64_t bytes)
{
    return more(p, p->o_recv_ns, bytes);
}

int64_t lpi_bound_sent(const struct logp_params *p, int64_t bytes)
{
    return through_port(p, p->o_send_ns, bytes);
}

int64_t lpi_bound_received(const struct logp_params *p, int64_t bytes)
{
    return through_port(p, p->o_recv_ns, bytes);
}

/* ---- combining ---- */

/*
 * No processor has anything to combine before its first message comes, at d. From then on an
 * element takes lg(operands) combinations one after the other. In all there are n (operands - 1) of
 * them, which take C: the rank with the result can combine until T, all others until T - d, when
 * the last message leaves. So with T = d + X: C <= X + (P-1) max(X - d, 0).
 */
int64_t lpi_bound_combined(const struct logp_params *p, int64_t P, int64_t n, int64_t operands)
{
    const int64_t d = one_message(p);
    const int64_t C = lpi_combine_ns(p, lpi_bound_times(n, operands - 1));
    const __int128 shared = (C + (__int128)(P - 1) * d + P - 1) / P;
    int64_t depth = 0;

    if (n == 0 || operands < 2)
        return 0;
    while (INT64_C(1) << depth < operands)
        depth++;
    return d + lpi_max(C <= d ? C : capped(shared), lpi_combine_ns(p, depth));
}

/* ---- collectives ---- */

int64_t lpi_bound_broadcast(const struct logp_params *p, int64_t P, int64_t bytes)
{
    const int64_t longer =
        lpi_max(lpi_bound_more_sent(p, bytes), lpi_bound_more_received(p, bytes));

    if (P == 1 || bytes == 0)
        return 0;
    return lpi_max(
        lpi_max(lpi_bound_out(p, P) + longer, lpi_bound_growth(p, p->o_send_ns, P, bytes)),
        lpi_max(lpi_bound_sent(p, bytes), lpi_bound_received(p, bytes)));
}

int64_t lpi_bound_scatter(const struct logp_params *p, int64_t P, int64_t bytes)
{
    int64_t T;

    if (P == 1 || bytes == 0)
        return 0;
    T = lpi_max(lpi_bound_out(p, P) + lpi_bound_more_received(p, bytes),
                lpi_bound_sent(p, lpi_bound_times(P - 1, bytes)));
    return lpi_max(T, lpi_bound_items(p, p->o_send_ns, P, bytes, T));
}

int64_t lpi_bound_gather(const struct logp_params *p, int64_t P, int64_t bytes)
{
    int64_t T;

    if (P == 1 || bytes == 0)
        return 0;
    T = lpi_max(lpi_bound_in(p, P) + lpi_bound_more_sent(p, bytes),
                lpi_bound_received(p, lpi_bound_times(P - 1, bytes)));
    return lpi_max(T, lpi_bound_items(p, p->o_recv_ns, P, bytes, T));
}

/* A scatter and a gather of each, and the ways of all. */
int64_t lpi_bound_exchange(const struct logp_params *p, int64_t P, int64_t bytes)
{
    if (P == 1 || bytes == 0)
        return 0;
    return lpi_max(lpi_max(lpi_bound_scatter(p, P, bytes), lpi_bound_gather(p, P, bytes)),
                   lpi_bound_relays(p, P, bytes));
}

/*
 * A broadcast backwards. The time to combine cannot be added to each message, as a message may
 * contain operands that are not combined yet. But a message from each rank, perhaps relayed, has
 * reached the rank that makes the last combination of an element.
 */
int64_t lpi_bound_reduce(const struct logp_params *p, int64_t P, int64_t bytes, int64_t n)
{
    const int64_t longer =
        lpi_max(lpi_bound_more_sent(p, bytes), lpi_bound_more_received(p, bytes));
    const int64_t ports = lpi_max(lpi_bound_sent(p, bytes), lpi_bound_received(p, bytes));

    if (P == 1 || bytes == 0)
        return 0;
    return lpi_max(lpi_max(lpi_bound_in(p, P) + lpi_max(longer, lpi_combine_ns(p, n > 0)),
                           lpi_bound_growth(p, p->o_recv_ns, P, bytes)),
                   lpi_max(ports, lpi_bound_combined(p, P, n, P)));
}

/* ---- summation ---- */

/*
 * Time to add by T, of all P together. The last message of all but the root starts at T - x or
 * before, x the P - 1 earliest labels below the root of the tree of `in`, and is received for
 * o_recv by a processor that adds nothing in that time: T + sum of max(T - x - o_recv, 0). Of the
 * labels f(m) - 1 are at most m, so the sum is that of min(f(m), P) - 1 over m = 0 .. T - o_recv
 * - 1.
 */
static __int128 time_to_add(const struct logp_params *p, int64_t P, const struct logp_tree *tree,
                            int64_t T)
{
    const int64_t t = T - p->o_recv_ns, full = tree->T < t ? tree->T : t;
    const int64_t n = full / tree->scale, rest = full % tree->scale; /* f changes at multiples */

    if (t <= 0)
        return T;
    if (tree->d == 0 || tree->e == 0)
        return T + (__int128)(P - 1) * lpi_max(t - tree->T, 0);
    return T + lpi_tree_sum(n - 1, tree->d, tree->e) * tree->scale +
           (__int128)rest * logp_tree_count(n, tree->d, tree->e) - full +
           (__int128)(P - 1) * (t - full);
}

int64_t lpi_bound_summation(const struct logp_params *p, int64_t P, int64_t N)
{
    const int64_t additions = N > 1 ? lpi_combine_ns(p, N - 1) : 0;
    int64_t low = 0, high = additions; /* the root alone */
    struct logp_tree tree;

    if (logp_tree_init(&tree, P, one_message(p), lpi_max(p->o_recv_ns, p->g_ns)) != 0)
        return 0;
    while (low < high) {
        const int64_t T = low + (high - low) / 2;

        if (time_to_add(p, P, &tree, T) >= additions)
            high = T;
        else
            low = T + 1;
    }
    return low;
}
