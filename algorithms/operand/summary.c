/* SPDX-License-Identifier: MIT */
/* Order statistics: see experiment.h. */
#include <logp/experiment.h>

#include <stdlib.h>

static int compare(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

    return (x > y) - (x < y);
}

/* The smallest value that q per mille of the sample do not exceed. */
static int64_t permille(const int64_t *sorted, size_t n, size_t q)
{
    const size_t rank = (n * q + 999) / 1000;

    return sorted[rank > 0 ? rank - 1 : 0];
}

struct logp_summary logp_summarize(int64_t *values, size_t n)
{
    qsort(values, n, sizeof(*values), compare);
    return (struct logp_summary){.min_ns = values[0],
                                 .median_ns = permille(values, n, 500),
                                 .p90_ns = permille(values, n, 900),
                                 .p99_ns = permille(values, n, 990),
                                 .max_ns = values[n - 1]};
}
