/* SPDX-License-Identifier: MIT */
/* Random numbers, the same from the same seed. */
#ifndef LOGP_TESTS_RANDOM_H
#define LOGP_TESTS_RANDOM_H

#include <stdbool.h>
#include <stdint.h>

/* xorshift64*: reproducible from its seed, which the test prints. */
static inline uint64_t test_random(uint64_t *state)
{
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return *state * UINT64_C(0x2545f4914f6cdd1d);
}

/* 0 .. n-1 */
static inline int64_t test_below(uint64_t *state, int64_t n)
{
    return (int64_t)(test_random(state) % (uint64_t)n);
}

static inline bool one_in(uint64_t *state, int64_t n)
{
    return test_below(state, n) == 0;
}

#endif
