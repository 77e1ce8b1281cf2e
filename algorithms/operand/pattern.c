/* SPDX-License-Identifier: MIT */
/* Operands that differ with their seed: splitmix64 (Steele et al., OOPSLA 2014). */
#include "operand.h"

#include <string.h>

uint64_t lpi_pattern_word(uint64_t seed, size_t i)
{
    uint64_t x = seed * UINT64_C(0x9e3779b97f4a7c15) + i + 1;

    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

void lpi_pattern_fill(void *buf, size_t n_bytes, uint64_t seed)
{
    for (size_t i = 0; i < n_bytes; i += 8) {
        const uint64_t x = lpi_pattern_word(seed, i / 8);

        memcpy((char *)buf + i, &x, n_bytes - i < 8 ? n_bytes - i : 8);
    }
}

bool lpi_pattern_check(const void *buf, size_t n_bytes, uint64_t seed)
{
    for (size_t i = 0; i < n_bytes; i += 8) {
        const uint64_t x = lpi_pattern_word(seed, i / 8);

        if (!lpi_same((const char *)buf + i, &x, n_bytes - i < 8 ? n_bytes - i : 8, NULL))
            return false;
    }
    return true;
}
