/* SPDX-License-Identifier: MIT */
/* Random draws of delay models: functions of their arguments, without state. */
#ifndef LPI_DRAW_H
#define LPI_DRAW_H

#include <logp/delay.h>

#include <math.h>

/* latency.c: draw with this seed from now on, if the model is one of latencies. */
void lpi_latency_seed(const struct logp_delay *delay, uint64_t seed);

/* splitmix64: Steele et al., 2014 */
static inline uint64_t mix(uint64_t x)
{
    x += UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

/* The draw for the message with this number from src to dst. */
static inline uint64_t draw_of(uint64_t seed, int src, int dst, unsigned number)
{
    return mix(mix(mix(seed) ^ ((uint64_t)(uint32_t)src << 32 | (uint32_t)dst)) ^ number);
}

/* In (0, 1]. */
static inline double fraction(uint64_t random)
{
    return (double)((random >> 11) + 1) * 0x1p-53;
}

/* Uniform in 0 .. n-1. */
static inline int64_t below(uint64_t random, int64_t n)
{
    return (int64_t)((unsigned __int128)random * (uint64_t)n >> 64);
}

/* Rounded to whole nanoseconds, at most LOGP_PARAM_MAX_NS. */
static inline int64_t rounded(double ns)
{
    return ns < (double)LOGP_PARAM_MAX_NS ? (int64_t)llround(ns) : LOGP_PARAM_MAX_NS;
}

/* Exponential with this mean. */
static inline int64_t exponential(uint64_t random, int64_t mean)
{
    return rounded(-(double)mean * log(fraction(random)));
}

#endif
