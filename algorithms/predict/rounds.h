/* SPDX-License-Identifier: MIT */
/*
 * Rounds: all processors do the same at the same time. In a round each sends n messages, and then
 * receives as many of the same size, in the order in which they were sent. With the shared gap the
 * first send also waits for the last receive before it, and the first receive for the last send.
 */
#ifndef LPI_ROUNDS_H
#define LPI_ROUNDS_H

#include "predict.h"

/* When a processor is free, its next send may start, and its last receive started. */
struct lpi_rounds {
    __int128 free, send_next, recv_start;
};

/* Before the first. */
#define LPI_ROUNDS                                                                                 \
    {                                                                                              \
        .recv_start = LOGP_NEVER                                                                   \
    }

/* When the next send may start. */
static inline __int128 lpi_rounds_start(const struct lpi_rounds *r, const struct logp_params *p)
{
    const __int128 start = lpi_later(r->free, r->send_next);

    return p->gap_shared ? lpi_later(start, r->recv_start + lpi_max(p->o_recv_ns, p->g_ns)) : start;
}

/* When the first message can be received, the last send being made at `last`, E before another. */
static inline __int128 lpi_rounds_turn(const struct logp_params *p, __int128 last, __int128 E,
                                       int64_t stream)
{
    return p->gap_shared ? last + E + (p->store_forward ? 0 : stream) : last + p->o_send_ns;
}

/*
 * Message k arrives at a(0) + k E, and is received at r(k) = max(r(k-1) + B, a(k)), B = max(o_recv
 * + c, gap), where each is combined in c when it has come: so the last one at max(r(0) + (n-1) B,
 * a(0) + (n-1) E). n >= 1
 */
static inline void lpi_combining_round(struct lpi_rounds *r, const struct logp_params *p, int64_t n,
                                       size_t n_bytes, int64_t c)
{
    const int64_t stream = logp_params_stream_ns(p, n_bytes), gap = logp_params_gap_ns(p, n_bytes);
    const __int128 E = lpi_max(p->o_send_ns, gap), E_r = lpi_max(p->o_recv_ns, gap);
    const __int128 B = lpi_max(p->o_recv_ns + c, gap);
    const __int128 start = lpi_rounds_start(r, p);
    const __int128 sent = lpi_rounds_turn(p, start + (n - 1) * E, E, stream);
    const __int128 arrival = start + p->o_send_ns + stream + p->L_ns;
    const __int128 first = lpi_later(lpi_later(sent, arrival), r->recv_start + E_r);

    r->send_next = start + n * E;
    r->recv_start = lpi_later(first + (n - 1) * B, arrival + (n - 1) * E);
    r->free = r->recv_start + p->o_recv_ns + c;
}

static inline void lpi_round(struct lpi_rounds *r, const struct logp_params *p, int64_t n,
                             size_t n_bytes)
{
    lpi_combining_round(r, p, n, n_bytes, 0);
}

/* A round of n messages, the last of which is of another size. */
static inline void lpi_uneven_round(struct lpi_rounds *r, const struct logp_params *p, int64_t n,
                                    size_t n_bytes, size_t last_bytes)
{
    const int64_t gap = logp_params_gap_ns(p, n_bytes),
                  last_gap = logp_params_gap_ns(p, last_bytes);
    const __int128 E = lpi_max(p->o_send_ns, gap), E_r = lpi_max(p->o_recv_ns, gap);
    const int64_t stream = logp_params_stream_ns(p, n_bytes),
                  last_stream = logp_params_stream_ns(p, last_bytes);
    const __int128 start = lpi_rounds_start(r, p), last = start + (n - 1) * E;
    const __int128 wire = p->o_send_ns + p->L_ns, arrival = start + wire + stream;
    const __int128 last_E = lpi_max(p->o_send_ns, last_gap);
    __int128 received = r->recv_start;

    if (n > 1) {
        received = lpi_later(received + E_r, lpi_rounds_turn(p, last, last_E, stream));
        received = lpi_later(received, arrival);
        received = lpi_later(received + (n - 2) * E_r, arrival + (n - 2) * E);
    }
    received = lpi_later(received + lpi_max(p->o_recv_ns, last_gap), last + wire + last_stream);
    r->send_next = last + last_E;
    r->recv_start = lpi_later(received, lpi_rounds_turn(p, last, last_E, last_stream));
    r->free = r->recv_start + p->o_recv_ns;
}

/*
 * When all have come to `at` with their gaps still before them: what follows is a bound from there
 * on, since nobody is earlier in anything.
 */
static inline void lpi_rounds_from(struct lpi_rounds *r, const struct logp_params *p, __int128 at)
{
    *r = (struct lpi_rounds){at, at, at - p->o_recv_ns};
}

/*
 * What a round of up to n_bytes takes at most, however the processors differ: who begins it when
 * all could begin has received by then, and may go on, gaps and all. (Where a longer message has no
 * longer gap, a shorter one after it may come that much sooner.) The last round takes D.
 */
static inline int64_t lpi_round_at_most(const struct logp_params *p, size_t n_bytes)
{
    const struct lpi_times t = lpi_times(p, n_bytes);

    return lpi_max(t.D, t.E) + (p->store_forward ? logp_params_stream_ns(p, n_bytes) : 0);
}

#endif
