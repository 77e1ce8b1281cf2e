/* SPDX-License-Identifier: MIT */
/*
 * A lower bound of a scan of long vectors: either few messages transport combined operands, and
 * then most of these pass from rank to rank, or many do. d, w(k) and st(k) are those of bound.c,
 * with G <= g. Rank v needs something of all ranks below it; the operands of the others count as
 * one byte for each place of the vector, however much is combined in it. A transfer is one byte of
 * one message.
 *
 * Transfers. Take one place of the vector. If R transfers bring it to all that need it, then a of
 * them follow one after the other, each made when the one before has come, with R + a >= 2 (P-1).
 * (For circuits of combinations: Snir 1986.) Leave out the transfers of rank P-1 before it has
 * received anything: no rank needs them. Call a rank simple if it receives once. A simple rank w
 * may have sent its own operand before that. Then leave w out: no other rank depends on it; its
 * receipt and its earlier sends are two transfers or more; its later sends are made by its sender
 * instead. So R falls by 2 or more, P by 1, and a does not rise. If no such rank is left, let a
 * ranks be simple. For any two of them, v < w, w learns of v's operand in its only receipt, and v
 * has sent nothing before its own one: these a transfers follow one after the other. All other
 * ranks above 0 receive twice or more: R >= a + 2 (P-1-a).
 *
 * A chain of these a begins with a transfer of rank 0, and can be continued to one to rank P-1. Let
 * its length be h >= a. A message of k bytes takes d + st(k).
 *
 * Time. Of the n places let all be in the order in which the first messages of their chains leave
 * rank 0. For the q-th, counted from 0, these and all before it have q + 1 bytes, so the start of
 * its message and st of that are q G together, as w(k) >= k G. The same holds backwards in time at
 * rank P-1, for a place that is the q'-th there. If the two messages differ, the place takes
 * T >= h d + q G + q' G + st of the h - 2 messages between. Let this be a share u of all places,
 * for all of which q and q' are n u (n u - 1) / 2 at least in sum; of the others a is 1. So the sum
 * of h d + st of those between is at most n u (T + G - n u G), which is at most n S for the worst
 * u: S = T + G - n G for T + G >= 2 n G, else (T + G)^2 / (4 n G).
 *
 * Ports. A message takes w(k) >= (g - G) + k G of its sender's time, all of that d - g or more
 * before T. So (g - G) M + G R <= P (T - d + g), R being the sum over all places, n (2P - 3 - a) at
 * least with a the sum over those of the share u, by n. Of the M messages let the i-th have c_i of
 * the transfers between: sum c_i = c, c >= n (a - 2), and sum c_i (k_i - 1) G <= n (S - a d). As
 * c_i <= k_i and c_i^2 >= 2 k c_i - k^2 for any k, M >= (2 k - 1) c / k^2 - n (S - a d) / (G k^2).
 * With this the condition is linear in a, and it holds for an a in 0 .. P-1 only if for one of the
 * ends. With the k where a cancels it is best: G k^2 = (g - G)(2 k + d/G - 1). T is at least the
 * least that satisfies it.
 */
#include "predict/predict.h"

static const __int128 most_ps = (__int128)1 << 52; /* products stay below 2^126 */

struct prefix {
    __int128 P, n, d, g, G, k; /* times in ps */
};

/* n S, by n */
static __int128 slack(const struct prefix *x, __int128 T)
{
    const __int128 R = x->n * x->G, t = T + x->G;

    return t >= 2 * R ? t - R : t * t / (4 * R) + 1;
}

/* Whether T may be enough with `a` transfers in sequence. All is multiplied by k^2 G / n. */
static bool is_enough(const struct prefix *x, __int128 T, __int128 a)
{
    const __int128 kG = x->k * x->G, h = x->g - x->G;
    const __int128 transfers = kG * kG * (2 * x->P - 3 - a);
    const __int128 messages = h * ((2 * x->k - 1) * x->G * (a - 2) - (slack(x, T) - a * x->d));

    return (transfers + messages) / (x->k * kG) * x->n <= x->P * (T - x->d + x->g);
}

/* The k at which a cancels, rounded. */
static __int128 best_k(const struct prefix *x)
{
    const __int128 h = x->g - x->G;

    return lpi_later((h + lpi_isqrt((unsigned __int128)(h * h + h * (x->d - x->G)))) / x->G, 1);
}

int64_t lpi_bound_prefix(const struct logp_params *p, int64_t P, int64_t bytes)
{
    const int64_t d = p->o_send_ns + p->L_ns + p->o_recv_ns;
    struct prefix x = {
        .P = P, .n = bytes, .d = (__int128)d * 1000, .g = (__int128)p->g_ns * 1000, .G = p->G_ps};
    int64_t low = 0, high = (int64_t)(most_ps / 1000);

    if (p->store_forward || P < 3 || bytes < 1 || p->G_ps < 1 || x.G > x.g || x.G > x.d ||
        x.d > most_ps >> 22 || x.g > most_ps >> 22 || P > 1 << 20 || bytes > INT64_C(1) << 32 ||
        x.n * x.G > most_ps)
        return 0;
    x.k = best_k(&x);
    while (low < high) {
        const int64_t T = low + (high - low) / 2;
        const __int128 ps = (__int128)T * 1000;

        if (is_enough(&x, ps, 0) || is_enough(&x, ps, P - 1))
            high = T;
        else
            low = T + 1;
    }
    return low;
}
