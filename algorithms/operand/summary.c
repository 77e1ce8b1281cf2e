/* SPDX-License-Identifier: MIT */
/* Order statistics: see experiment.h. */
#include "operand/operand.h"

#include <logp/experiment.h>

#include <stdlib.h>

/* The smallest value that q per mille of the sample do not exceed. */
static int64_t permille(const int64_t *sorted, size_t n, size_t q)
{
    const size_t rank = (n * q + 999) / 1000;

    return sorted[rank > 0 ? rank - 1 : 0];
}

struct logp_summary logp_summary_of(int64_t *values, size_t n)
{
    qsort(values, n, sizeof(*values), lpi_compare);
    return (struct logp_summary){.min_ns = values[0],
                                 .median_ns = permille(values, n, 500),
                                 .p90_ns = permille(values, n, 900),
                                 .p99_ns = permille(values, n, 990),
                                 .max_ns = values[n - 1]};
}

/* C(n, i) for both i and n - i, where that of the middle, i = n / 2, is w = 1. */
static double both(size_t n, size_t i, double w)
{
    return 2 * i == n ? w : 2 * w;
}

/*
 * The number of the n values that are below the median is binomial, p = 1/2. Values number l and
 * n + 1 - l, in order, hold the median between them unless fewer than l are below it, or above: so
 * the weights of l .. n - l must be 95 %. They go from the middle outwards, where those beyond are
 * negligible.
 */
bool logp_median_interval(const int64_t *sorted, size_t n, struct logp_interval *out)
{
    const double wanted = 0.95, negligible = 1e-18;
    double w = 1, all = 0, within = 0;

    for (size_t i = n / 2 + 1; i-- > 0 && w > negligible; w *= (double)i / (double)(n - i + 1))
        all += both(n, i, w);
    w = 1;
    for (size_t l = n / 2; l > 0; l--) {
        within += both(n, l, w);
        if (within >= wanted * all) {
            *out = (struct logp_interval){sorted[l - 1], sorted[n - l]};
            return true;
        }
        w *= (double)l / (double)(n - l + 1);
    }
    return false;
}
