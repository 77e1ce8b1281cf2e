/* SPDX-License-Identifier: MIT */
/*
 * Circulant graphs: in round k rank r meets r + skip(k) and r - skip(k) (mod P), where skip(q) = P,
 * q = ceil(log2 P), and skip(k) is half of skip(k + 1), rounded up. So skip(0) = 1, and q rounds
 * reach all, for any P.
 * Sources: Traeff, Optimal, Non-pipelined Reduce-scatter and Allreduce Algorithms, 2024; Optimal
 * Broadcast Schedules in Logarithmic Time, 2024.
 */
#ifndef LPI_CIRCULANT_H
#define LPI_CIRCULANT_H

#include "predict/predict.h"

#include <logp/algorithm.h>

static inline int lpi_circulant_rounds(int64_t P)
{
    return P > 1 ? 64 - __builtin_clzll((uint64_t)P - 1) : 0;
}

/* ceil(P / 2^(q-k)); 0 <= k <= q */
static inline int64_t lpi_circulant_skip(int64_t P, int64_t k)
{
    return ((P - 1) >> (lpi_circulant_rounds(P) - k)) + 1;
}

/*
 * circulant.c: n blocks from rank 0 to all in n - 1 + q rounds, in each of which a rank sends one
 * to rank + skip and gets one from rank - skip. What block it is repeats every q rounds, q more
 * each time; below 0: none.
 */
enum { LPI_CIRCULANT_ROUNDS = 62 };

struct lpi_circulant {
    int64_t n;      /* blocks */
    int64_t rounds; /* n - 1 + q; P = 1: 0 */
    int64_t first;  /* the number of the first round, mod q */
    signed char sends[LPI_CIRCULANT_ROUNDS], receives[LPI_CIRCULANT_ROUNDS];
};

/* A rank's send or receive of a round. */
struct lpi_circulant_block {
    int64_t block; /* -1: none */
    int64_t peer;
};

/* P >= 1, n >= 1 */
void lpi_circulant_plan(struct lpi_circulant *s, int64_t P, int64_t rank, int64_t n);
struct lpi_circulant_block lpi_circulant_send(const struct lpi_circulant *s, int64_t P,
                                              int64_t rank, int64_t round);
struct lpi_circulant_block lpi_circulant_receive(const struct lpi_circulant *s, int64_t P,
                                                 int64_t rank, int64_t round);

/*
 * What it takes at most with blocks of up to n_bytes, each combined in c_ns where it comes: a round
 * takes no longer than its message, and the last one ends with its receipt.
 */
__int128 lpi_circulant_at_most(int64_t P, const struct logp_params *p, int64_t n, size_t n_bytes,
                               int64_t c_ns);

/* How many blocks of `units` of unit_bytes it is fastest to make, by that bound: combining takes
 * `gamma` times as long as lpi_combine_ns() says, 0 or 1. */
int64_t lpi_circulant_blocks(int64_t P, const struct logp_params *p, int64_t units,
                             size_t unit_bytes, int gamma);

#endif
