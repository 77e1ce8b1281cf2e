/* SPDX-License-Identifier: MIT */
/**
 * @file torus.h
 * The pipelined broadcast on a torus in its paper's own units, bits and cycles: the formulas that
 * it prints, its advice on the size of a block, and the best size. The algorithms `torus` and
 * `torus-pipelined` have predictions of their own, in bytes and nanoseconds, which are exact.
 *
 * All functions are pure. n and M are 1 .. 2^40, C is 0 .. 2^40, what the machine says at most
 * 2^20. A time that is no whole number of cycles is rounded up: that of the bits of a whole way
 * across the torus once, and the processing of a block once. Results stop at INT64_MAX.
 *
 * Source: Liu, Li & Cui 1996, corrected.
 */
#ifndef LOGP_TORUS_H
#define LOGP_TORUS_H

#include <logp/defs.h>
#include <logp/preset.h>

LOGP_BEGIN_DECLS

/** A broadcast. */
struct logp_torus {
    const struct logp_preset *machine;
    int64_t n; /**< n x n processors */
    int64_t M; /**< bits of the message */
    int64_t C; /**< cycles to process the message */
};

/** The message in one piece: n (Tsnd + M/w + r + Trcv) + C cycles. */
LOGP_API int64_t logp_torus_plain(const struct logp_torus *t);

/**
 * Equation (6): in blocks of m bits,
 * n (Tsnd + m/w + r + Trcv) + (ceil(M/m) - 1) max(4g, Trcv + 3 Tsnd + C m/M) + C m/M cycles. An
 * upper bound where n is even, Tsnd = Trcv and a hop takes at least g.
 * @param m  1 .. M
 */
LOGP_API int64_t logp_torus_pipelined(const struct logp_torus *t, int64_t m);

/** @return the size of a block, in bits, that makes equation (6) least. */
LOGP_API int64_t logp_torus_best_block(const struct logp_torus *t);

/** The advice where the gap decides: sqrt(4gM / (n/w + C/M)) bits, rounded up. */
LOGP_API int64_t logp_torus_block_by_gap(const struct logp_torus *t);

/** The advice where overhead and processing decide: sqrt((Trcv + 3 Tsnd) w M / n), rounded up. */
LOGP_API int64_t logp_torus_block_by_work(const struct logp_torus *t);

/** Is it worth while to pipeline? nM/w + C >= max(8g, 2 (Trcv + 3 Tsnd) + C). */
LOGP_API bool logp_torus_pipelining_helps(const struct logp_torus *t);

LOGP_END_DECLS

#endif
