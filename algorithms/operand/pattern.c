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

void lpi_pattern_fill(void *buf, size_t at, size_t n_bytes, uint64_t seed)
{
    size_t n;

    for (size_t i = 0; i < n_bytes; i += n) {
        const uint64_t x = lpi_pattern_word(seed, (at + i) / 8);
        const size_t skip = (at + i) % 8, left = n_bytes - i;

        n = left < 8 - skip ? left : 8 - skip;
        if (n == 8)
            memcpy((char *)buf + i, &x, 8);
        else
            memcpy((char *)buf + i, (const char *)&x + skip, n);
    }
}
