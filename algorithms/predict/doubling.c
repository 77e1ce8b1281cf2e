/* SPDX-License-Identifier: MIT */
/*
 * Recursive doubling: how long it takes, farthest first, nearest first and on a mesh (the trees:
 * shapes.c).
 *
 * The times are those of a broadcast in which a message takes D and sends start E apart. They hold
 * for the reduction along the same tree with a for D and B for E: a child that is sent to after k
 * others is received before k others, so that in both cases a path adds k E + D.
 * Source: Grama et al. 2003, ch. 4.1; Kurnosov 2016.
 */
#include "predict/predict.h"

static int floor_log2(int64_t n)
{
    return 63 - __builtin_clzll((uint64_t)n);
}

__int128 lpi_doubling_time(int64_t P, int64_t D, int64_t E)
{
    int64_t h;

    if (P == 1)
        return 0;
    if ((P & (P - 1)) == 0)
        return D + (__int128)(floor_log2(P) - 1) * lpi_max(D, E);
    h = lpi_half(P);
    return lpi_later(D + lpi_doubling_time(P - h, D, E), E + lpi_doubling_time(h, D, E));
}

static int children_of(int64_t group)
{
    return group > 1 ? floor_log2(group - 1) + 1 : 0;
}

/* No processor below a child of the root has more children than that child, so all in its group
 * wait only for it and the root. */
__int128 lpi_doubling_pipelined(int64_t P, int64_t D, int64_t E, int64_t more,
                                __int128 (*period)(int c, bool root, const void *arg),
                                const void *arg)
{
    const __int128 root = period(children_of(P), true, arg);
    __int128 last = 0, before = 0; /* sends of the root */

    for (int64_t group = P, h; group > 1; group = h, before += E) {
        h = lpi_half(group);
        last =
            lpi_later(last, before + D + lpi_doubling_time(group - h, D, E) +
                                more * lpi_later(root, period(children_of(group - h), false, arg)));
    }
    return last;
}

/* The most ones among the numbers 2^top .. x, x >= 2^top: x, or x with a one cleared and all
 * below it set. */
int lpi_most_ones(uint64_t x, int top)
{
    int most = __builtin_popcountll(x);

    for (int i = 0; i < top; i++)
        if ((x >> i) & 1) {
            const int ones = __builtin_popcountll(x >> (i + 1)) + i;

            most = ones > most ? ones : most;
        }
    return most;
}

/*
 * Node v with m ones and top bit t holds the item at m D + (t + 1 - m) E: one message for each one,
 * and one other send of its holder for each zero. The latest is the last power of two, or the node
 * with the most ones that has its top bit, or all ones below it.
 */
__int128 lpi_nearest_time(int64_t P, int64_t D, int64_t E)
{
    const int top = P > 1 ? floor_log2(P - 1) : 0;
    const int ones = P > 1 ? lpi_most_ones((uint64_t)P - 1, top) : 0;
    const __int128 power = D + (__int128)top * E;
    const __int128 dense = (__int128)ones * D + (__int128)(top + 1 - ones) * E;

    return P > 1 ? lpi_later(lpi_later(power, dense), (__int128)top * D) : 0;
}

__int128 lpi_doubling_sent(int64_t P, int64_t D, int64_t E)
{
    if (P == 1)
        return 0;
    if ((P & (P - 1)) == 0)
        return (__int128)floor_log2(P) * lpi_max(D, E);
    return lpi_later(D + lpi_doubling_sent(P - lpi_half(P), D, E),
                     E + lpi_doubling_sent(lpi_half(P), D, E));
}

/* The last column begins when its first node is through with the row. */
__int128 lpi_mesh_time(int64_t P, int64_t D, int64_t E)
{
    const int64_t side = lpi_side(P);

    return lpi_doubling_sent(side, D, E) + lpi_doubling_time(side, D, E);
}

int64_t logp_textbook_cost(int64_t P, const struct logp_params *p, size_t n_bytes)
{
    const int64_t once = p->o_send_ns + p->L_ns + p->o_recv_ns + logp_params_stream_ns(p, n_bytes);
    const __int128 ns = P > 1 ? (__int128)once * (64 - __builtin_clzll((uint64_t)P - 1)) : 0;

    return ns > INT64_MAX ? -1 : (int64_t)ns;
}
