/* SPDX-License-Identifier: MIT */
/*
 * Times of one kind, without outliers, and their median; and figures that must not be relied on:
 * times below 0, and times that no line explains. A host that is busy with something else makes
 * both, and the intervals of the same times do not show it.
 */
#include "parameters/parameters.h"

#include <logp/experiment.h>

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int lpi_sample_create(struct lpi_sample *out, const int64_t *times, size_t n)
{
    int64_t *sorted = malloc(n * sizeof(*sorted)), low, high, far;
    size_t from = 0;

    if (sorted == NULL)
        return -ENOMEM;
    memcpy(sorted, times, n * sizeof(*sorted));
    logp_summary_of(sorted, n);
    low = sorted[(n - 1) / 4];
    high = sorted[n - 1 - (n - 1) / 4];
    far = 3 * (high - low);
    far = far > llabs(sorted[n / 2]) / 100 ? far : llabs(sorted[n / 2]) / 100;
    far = far > 20 ? far : 20;
    while (sorted[from] < low - far)
        from++;
    out->sorted = sorted;
    out->n = n;
    while (sorted[out->n - 1] > high + far)
        out->n--;
    out->n -= from;
    out->left_out = n - out->n;
    memmove(sorted, sorted + from, out->n * sizeof(*sorted));
    return 0;
}

static double middle(const int64_t *sorted, size_t n)
{
    return ((double)sorted[(n - 1) / 2] + (double)sorted[n / 2]) / 2;
}

static double typical(const struct lpi_sample *s, const int64_t *sorted)
{
    return s->is_low ? (double)sorted[s->n / 8] : middle(sorted, s->n);
}

double lpi_sample_typical(const struct lpi_sample *s)
{
    return typical(s, s->sorted);
}

/* xorshift64* */
static uint64_t next(uint64_t *random)
{
    *random ^= *random >> 12;
    *random ^= *random << 25;
    *random ^= *random >> 27;
    return *random * UINT64_C(2685821657736338717);
}

double lpi_sample_again(const struct lpi_sample *s, uint64_t *random, int64_t *capacity)
{
    for (size_t i = 0; i < s->n; i++)
        capacity[i] = s->sorted[next(random) % s->n];
    logp_summary_of(capacity, s->n);
    return typical(s, capacity);
}

double lpi_sample_spread(const struct lpi_sample *s)
{
    struct logp_interval interval = {s->sorted[0], s->sorted[s->n - 1]};

    logp_median_interval(s->sorted, s->n, &interval);
    return (double)(interval.high_ns - interval.low_ns) / 2;
}

/* A call that takes nothing is a few ns below 0 as often as above. The error of a median is its
 * spread, and at most that of a line through a curve. */
static double known_to(double noise, double one_way)
{
    return 5 + fmin(noise, fabs(one_way) / 50);
}

bool lpi_fit_time(double *ns, double noise, double one_way)
{
    if (*ns >= 0)
        return true;
    if (*ns < -known_to(noise, one_way))
        return false;
    *ns = 0;
    return true;
}

void lpi_doubt_size(const struct logp_size_seen *s, const char *what, double ns,
                    char why[LOGP_DOUBT])
{
    if (why[0] == '\0')
        snprintf(why, LOGP_DOUBT, "%s of %zu bytes is %.3f us, below 0", what, s->n_bytes,
                 ns / 1000);
}

void lpi_doubt_protocol(const struct logp_protocol *p, char why[LOGP_DOUBT])
{
    if (why[0] == '\0' && p->error > LOGP_UNEXPLAINED)
        snprintf(why, LOGP_DOUBT,
                 "from %zu to %zu bytes, times differ from the fitted line by up to %.0f %%",
                 p->from, p->to, p->error * 100);
}
