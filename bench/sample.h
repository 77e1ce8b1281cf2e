/* SPDX-License-Identifier: MIT */
/* Times and medians; also for programs without the library. */
#ifndef LOGP_BENCH_SAMPLE_H
#define LOGP_BENCH_SAMPLE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static inline int64_t bench_clock_ns(clockid_t clock)
{
    struct timespec t;

    clock_gettime(clock, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static inline int64_t bench_now_ns(void)
{
    return bench_clock_ns(CLOCK_MONOTONIC);
}

static inline int bench_compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* Sort the values, so that values[0] is the least. @return their median */
static inline double bench_median(double *values, size_t n)
{
    qsort(values, n, sizeof(*values), bench_compare);
    return values[n / 2];
}

/* @return whether the name is among the words, or there are no words */
static inline bool bench_selected(int n_words, char **words, const char *name)
{
    for (int i = 0; i < n_words; i++)
        if (strcmp(words[i], name) == 0)
            return true;
    return n_words == 0;
}

#endif
