/* SPDX-License-Identifier: MIT */
/*
 * A log-linear histogram of times: exact below 32 ns, above that 32 steps for each power of two.
 * Its memory is constant, and a sample takes a few instructions. It has one writer.
 */
#ifndef LPI_HISTOGRAM_H
#define LPI_HISTOGRAM_H

#include <stdint.h>

enum { LPI_HIST_STEPS = 32, LPI_HIST_BUCKETS = 60 * LPI_HIST_STEPS };

struct lpi_histogram {
    uint64_t n;
    int64_t max;
    uint32_t count[LPI_HIST_BUCKETS];
};

static inline void lpi_histogram_add(struct lpi_histogram *h, int64_t value)
{
    const uint64_t v = value > 0 ? (uint64_t)value : 0;
    const int shift = v < LPI_HIST_STEPS ? 0 : 58 - __builtin_clzll(v);

    h->count[shift * LPI_HIST_STEPS + (int)(v >> shift)]++;
    h->n++;
    if (value > h->max)
        h->max = value;
}

void lpi_histogram_reset(struct lpi_histogram *h);
void lpi_histogram_merge(struct lpi_histogram *into, const struct lpi_histogram *from);
/* Upper end of the bucket that holds the q-th permille of the samples; 0 if there are none. */
int64_t lpi_histogram_permille(const struct lpi_histogram *h, int q);

#endif
