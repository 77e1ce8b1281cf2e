/* SPDX-License-Identifier: MIT */
/*
 * A lower bound of the exchange of items of m bytes, one from each processor to each other: few
 * messages make long ways, which more bytes go. d and st(k) are those of bound.c, with g >= G.
 *
 * Ways. Of each item take the b-th byte, and the way on which it comes, over h - 1 processors that
 * relay it. Let processor v send s messages, receive r and relay y(b) of these bytes, and let z(b)
 * of them be relayed by v alone. A message is the whole way of one b-th byte at most, so h is 1 for
 * at most the sum of s, which is that of r, too. All others but those of z(b) are relayed twice or
 * more: over all v the sum of y(b) is at least 2 P (P-1) - sum of (s + r) - sum of z(b). A byte
 * that v alone relays comes in one message and goes in a later one, and the two show whose it is:
 * so z(b) <= p, the number of such pairs, and z(b) <= y(b). The average of the lesser of two is at
 * most the lesser of the averages; let y be that of y(b). Then for some v
 *
 *     y + min(p, y) + s + r >= 2 (P-1).
 *
 * Ports. Besides the relayed bytes v sends and receives P - 1 items of its own. A message of k bytes
 * takes (g - G) + k G at least of the time of either port, all of that d - g or more before T:
 * (g - G) s + m G (P - 1 + y) <= T - (d - g), and the same for r. With N = s + r this is
 * (g - G) N + 2 m G (P - 1 + y) <= 2 (T - d + g).
 *
 * Order. Nothing that v sends before d is relayed, and nothing that comes after T - d. If v does
 * send before d, and something does come after T - d, then p <= (s-1) (r-1) <= (N-2)^2 / 4. If not,
 * p <= s r <= N^2 / 4, but one of the ports has d less: so d more on the left.
 *
 * T is at least the least for any N, which needs 2 y >= 2 (P-1) - N and y >= 2 (P-1) - N - p. Where
 * the latter is more, which is up to some N, the time is concave in N; from there on it is linear,
 * up to N = 2 (P-1), where all goes straight. So it is least at an end of one of the two.
 */
#include "predict/predict.h"

static const int64_t most_P = INT64_C(1)
                              << 48; /* with the longest item products stay below 2^126 */

struct relays {
    int64_t P;
    __int128 d, g, G, item; /* in ps; item: m G */
    bool in_order;          /* p <= (N-2)^2 / 4 */
};

/* The most pairs of a message that comes and one that goes, of N messages. */
static __int128 pairs(const struct relays *x, int64_t N)
{
    const int64_t n = x->in_order ? lpi_max(N - 2, 0) : N;

    return (__int128)(n / 2) * (n - n / 2);
}

static bool is_relayed_once(const struct relays *x, int64_t N)
{
    return 2 * pairs(x, N) >= 2 * (x->P - 1) - N;
}

/* The least 2 T with N messages. */
static __int128 twice(const struct relays *x, int64_t N)
{
    const int64_t ways = 2 * (x->P - 1), rest = ways - N;
    const __int128 relayed = is_relayed_once(x, N) ? rest : 2 * (rest - pairs(x, N));

    return (x->g - x->G) * N + x->item * (ways + relayed) + 2 * (x->d - x->g) +
           (x->in_order ? 0 : x->d);
}

/* The first N with which relaying once is enough. */
static int64_t enough(const struct relays *x)
{
    int64_t low = 0, high = 2 * (x->P - 1);

    while (low < high) {
        const int64_t N = low + (high - low) / 2;

        if (is_relayed_once(x, N))
            high = N;
        else
            low = N + 1;
    }
    return low;
}

static __int128 least(const struct relays *x)
{
    const int64_t N = enough(x), ends[] = {0, lpi_max(N - 1, 0), N, 2 * (x->P - 1)};
    __int128 T = twice(x, 0);

    for (size_t i = 1; i < sizeof(ends) / sizeof(ends[0]); i++)
        T = twice(x, ends[i]) < T ? twice(x, ends[i]) : T;
    return T;
}

int64_t lpi_bound_relays(const struct logp_params *p, int64_t P, int64_t bytes)
{
    const __int128 longest = (__int128)1 << 72; /* far beyond all times */
    const __int128 item = (__int128)bytes * p->G_ps;
    struct relays x = {.P = P,
                       .d = (__int128)(p->o_send_ns + p->L_ns + p->o_recv_ns) * 1000,
                       .g = (__int128)p->g_ns * 1000,
                       .G = p->G_ps,
                       .item = item < longest ? item : longest,
                       .in_order = true};
    __int128 T, other;

    if (P < 2 || bytes < 1 || p->store_forward || x.g < x.G || P > most_P)
        return 0;
    T = least(&x);
    x.in_order = false;
    other = least(&x);
    T = (T < other ? T : other) / 2000;
    return T < INT64_MAX / 8 ? (int64_t)T : INT64_MAX / 8;
}
