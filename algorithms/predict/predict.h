/* SPDX-License-Identifier: MIT */
/* What predictions are made of: the abbreviations of all, arithmetic, and trees that are counted.
 */
#ifndef LPI_PREDICT_H
#define LPI_PREDICT_H

#include <logp/algorithm.h>
#include <logp/paper.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- predictions ---- */

/*
 * The abbreviations of all predictions. A message of m bytes takes D from the start of its sending
 * to the end of its receipt; sends of one processor start E apart. With the shared gap a processor
 * that has received may start to send only max(o_recv, g) after the start of its receive: D grows
 * to that, and the end of the last receive comes `early` before it. (`early` is 0 otherwise.)
 */
struct lpi_times {
    int64_t D, E, early;
};

static inline int64_t lpi_max(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static inline __int128 lpi_later(__int128 a, __int128 b)
{
    return a > b ? a : b;
}

static inline struct lpi_times lpi_times(const struct logp_params *p, size_t n_bytes)
{
    const int64_t stream = logp_params_stream_ns(p, n_bytes);
    struct lpi_times t = {.D = p->o_send_ns + stream + p->L_ns + p->o_recv_ns,
                          .E = lpi_max(p->o_send_ns, logp_params_gap_ns(p, n_bytes))};

    if (p->gap_shared) {
        t.early = lpi_max(p->o_recv_ns, p->g_ns) - p->o_recv_ns;
        t.D += t.early;
    }
    return t;
}

/* Do formulas hold, but for the shared gap and topologies, which some know? */
static inline bool lpi_is_plain(const struct logp_invocation *c)
{
    return c->args.blocks == NULL && c->model.links == NULL && c->model.rendezvous_from == 0 &&
           logp_params_capacity(&c->model.params) == 0 && !c->model.params.recv_streams;
}

/* Time to combine `elements` elements, rounded up to whole nanoseconds once. */
static inline int64_t lpi_combine_ns(const struct logp_params *p, int64_t elements)
{
    int64_t ps;
    __int128 ns;

    /* each step asks, and a division of 128 bits is slow */
    if (p->gamma_ps == 0)
        return 0;
    if (!__builtin_mul_overflow(elements, p->gamma_ps, &ps) && ps <= INT64_MAX - 999)
        ns = (ps + 999) / 1000;
    else
        ns = ((__int128)elements * p->gamma_ps + 999) / 1000;
    return ns < INT64_MAX / 8 ? (int64_t)ns : INT64_MAX / 8; /* as logp_params_stream_ns() */
}

static inline struct logp_prediction lpi_no_prediction(void)
{
    return (struct logp_prediction){.certainty = LOGP_PREDICTION_NONE};
}

/* Not that nothing is known, but that there was no memory to work it out. */
static inline struct logp_prediction lpi_no_memory(void)
{
    return (struct logp_prediction){.certainty = LOGP_PREDICTION_NONE,
                                    .ns = LOGP_PREDICTION_NO_MEMORY};
}

static inline bool lpi_lacks_memory(const struct logp_prediction *p)
{
    return p->certainty == LOGP_PREDICTION_NONE && p->ns == LOGP_PREDICTION_NO_MEMORY;
}

/* Beyond 36 years there is none: sums of times saturate there, and no clock goes on. An exact time
 * that is beyond is marked: a fold would find no other. */
#define LPI_TOO_LONG INT64_MAX

static inline struct logp_prediction lpi_exact(__int128 ns)
{
    if (ns >= INT64_MAX / 8)
        return (struct logp_prediction){.certainty = LOGP_PREDICTION_NONE, .ns = LPI_TOO_LONG};
    return (struct logp_prediction){.certainty = LOGP_PREDICTION_EXACT, .ns = (int64_t)ns};
}

static inline struct logp_prediction lpi_bound(__int128 ns)
{
    struct logp_prediction prediction = lpi_exact(ns);

    if (prediction.certainty == LOGP_PREDICTION_NONE)
        return lpi_no_prediction();
    prediction.certainty = LOGP_PREDICTION_BOUND;
    return prediction;
}

/* ---- whole numbers ---- */

/* The largest power of two below n >= 2. */
static inline int64_t lpi_half(int64_t n)
{
    return INT64_C(1) << (63 - __builtin_clzll((uint64_t)(n - 1)));
}

/* n / k, rounded up; n >= 0, k >= 1 */
static inline int64_t lpi_ceil_div(int64_t n, int64_t k)
{
    return n / k + (n % k != 0);
}

/* x mod P, which is 0 .. P-1; -P <= x < 2 P */
static inline int64_t lpi_mod(int64_t x, int64_t P)
{
    return x < 0 ? x + P : x >= P ? x - P : x;
}

/* minimise.c */
/* The x >= 1 in low .. high where a function is least, or, where it takes too many steps to tell,
 * next to the least; among equals low, else any. bound(a, b) is at most its value anywhere in
 * a .. b, and bound(x, x) is its value. */
int64_t lpi_minimise(__int128 (*bound)(int64_t low, int64_t high, const void *arg), const void *arg,
                     int64_t low, int64_t high);
/* How large the parts of a whole of M >= 1 should be: all but the last are of one size, and of the
 * smallest of which so many hold the whole. time: what n parts of a size and a last one take, which
 * is not less for more or larger ones. */
int64_t lpi_best_part(int64_t M,
                      __int128 (*time)(int64_t n, int64_t size, int64_t last, const void *arg),
                      const void *arg);
/* floor(sqrt(x)), x < 2^126 */
int64_t lpi_isqrt(unsigned __int128 x);

/* Processors as a square: its side, floor(sqrt(P)); P >= 1. */
static inline int64_t lpi_side(int64_t P)
{
    return lpi_isqrt((unsigned __int128)P);
}

/* optimal_tree.c: logp_tree_find(), where it is kept until the thread asks for another node. */
const struct logp_tree_node *lpi_tree_find(const struct logp_tree *tree, int64_t id);
/* f(0) + ... + f(n) for d, e > 0, as long as f(n) < LOGP_TREE_MAX; else less. */
__int128 lpi_tree_sum(int64_t n, int64_t d, int64_t e);
/* Sum of the effective times of a tree whose ends are 0; d, e > 0. */
__int128 lpi_tree_total(const struct logp_tree *tree);

#endif
