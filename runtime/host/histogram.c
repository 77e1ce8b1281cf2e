/* SPDX-License-Identifier: MIT */
/* Lag histograms: see host.h. */
#include "host/host.h"

#include <string.h>

void lpi_histogram_reset(struct lpi_histogram *h)
{
    memset(h, 0, sizeof(*h));
}

void lpi_histogram_merge(struct lpi_histogram *into, const struct lpi_histogram *from)
{
    into->n += from->n;
    if (from->max > into->max)
        into->max = from->max;
    for (int i = 0; i < LPI_HIST_BUCKETS; i++)
        into->count[i] += from->count[i];
}

int64_t lpi_histogram_permille(const struct lpi_histogram *h, int q)
{
    /* the nearest rank: the smallest value that q of 1000 samples do not exceed */
    const uint64_t rank = (h->n * (uint64_t)q + 999) / 1000;
    uint64_t seen = 0;

    for (int i = 0; h->n > 0 && i < LPI_HIST_BUCKETS; i++) {
        seen += h->count[i];
        if (h->count[i] > 0 && seen >= rank) {
            const int shift = i < 2 * LPI_HIST_STEPS ? 0 : i / LPI_HIST_STEPS - 1;
            const int64_t low = (int64_t)(i - shift * LPI_HIST_STEPS) << shift;
            const int64_t high = low + ((INT64_C(1) << shift) - 1);

            return high < h->max ? high : h->max;
        }
    }
    return 0;
}
