/* SPDX-License-Identifier: MIT */
/*
 * A lower bound of the scatter of items of m bytes. d, w(k) and st(k) are those of bound.c.
 *
 * Let a processor have items of others, in any pieces, and t left. Of each item take the b-th byte.
 * R(t) is the most destinations that get it, the processor among them, on the average over all b in
 * 1 .. m; R(t) = 1 for t < d. Let the first message with any such bytes have k of them, in all. It
 * brings k / m of the b-th bytes on the average, and no more destinations than its receiver, too,
 * can serve in the time that it has left, t - d - st(k). All others are served by what the
 * processor sends later, w(k) after that. The average of the lesser of two is at most the lesser of
 * the averages, so, beginning with short times,
 *
 *     R(t) <= max over k of min(k / m, R(t - d - st(k))) + R(t - w(k)).
 *
 * A scatter to P - 1 others ends at T with R(T) >= P or later, whatever other bytes its messages
 * have, and so does any collective that contains one; backwards in time a gather, o being o_recv.
 *
 * Steps. All times are rounded down to steps. Of the k with the same st(k), so rounded, the largest
 * is best. With longer messages k / m grows and the rest falls: beyond where k / m is larger than
 * what the receiver can serve all falls.
 */
#include "predict/predict.h"

#include <stdlib.h>

enum { STEPS = 2048, MOST_PARTS = 256 };

static __int128 gcd(__int128 a, __int128 b)
{
    return b == 0 ? a : gcd(b, a % b);
}

/* Return a length of steps of which `about` are some three quarters of all. If possible it divides
 * all times and that of a byte, or at least those times. */
static __int128 step_ps(const struct logp_params *p, int64_t o, int64_t d, int64_t about)
{
    const __int128 times =
        gcd(gcd((__int128)d * 1000, (__int128)o * 1000), (__int128)p->g_ns * 1000);
    const __int128 whole[] = {gcd(times, p->G_ps), times};
    const __int128 least = (__int128)about * 1000 * 4 / 3 / STEPS + 1;

    for (int i = 0; i < 2; i++)
        for (int parts = MOST_PARTS; parts > 0; parts--)
            if (whole[i] % parts == 0 && whole[i] / parts >= least)
                return whole[i] / parts;
    return least;
}

/* R in steps. @return the first of `steps` with R >= P; steps: none */
static int fill(double *R, int64_t P, int steps, __int128 step, const struct logp_params *p,
                int64_t o, int64_t d, int64_t m)
{
    const int d_steps = (int)((__int128)d * 1000 / step),
              o_steps = (int)((__int128)o * 1000 / step);
    const int g_steps = (int)((__int128)p->g_ns * 1000 / step);

    for (int t = 0; t < steps; t++) {
        R[t] = 1;
        for (int st = 0; st <= t - d_steps; st++) {
            const __int128 k = ((st + 1) * step - 1) / p->G_ps + 1;
            const double served = (double)k / (double)m, most = R[t - d_steps - st];
            const int w = g_steps + st > o_steps ? g_steps + st : o_steps;
            const double rest = t < w ? 1 : w > 0 ? R[t - w] : (double)P;
            const double both = (served < most ? served : most) + rest;

            R[t] = both > R[t] ? both : R[t];
            if (served >= most)
                break;
        }
        if (R[t] >= (double)P * (1 - 1e-9)) /* sums of k / m are rounded */
            return t;
    }
    return steps;
}

int64_t lpi_bound_items(const struct logp_params *p, int64_t o, int64_t P, int64_t bytes,
                        int64_t at_least)
{
    const int64_t d = p->o_send_ns + p->L_ns + p->o_recv_ns;
    const __int128 step = step_ps(p, o, d, at_least);
    double *R;
    __int128 T;

    if (p->store_forward || P < 3 || bytes < 1 || p->G_ps < 1 || (__int128)d * 1000 < step)
        return 0;
    R = malloc(STEPS * sizeof(*R)); /* too large for the stack of a fiber */
    if (R == NULL)
        return 0;
    T = fill(R, P, STEPS, step, p, o, d, bytes) * step / 1000;
    free(R);
    return T < INT64_MAX / 8 ? (int64_t)T : INT64_MAX / 8;
}
