/* SPDX-License-Identifier: MIT */
/* What the benchmarks share. */
#ifndef LOGP_BENCH_H
#define LOGP_BENCH_H

#include <logp/logp.h>

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static inline int64_t bench_now_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static inline void bench_check(int rc, const char *what)
{
    if (rc == 0)
        return;
    fprintf(stderr, "%s: %s\n", what, strerror(-rc));
    exit(1);
}

static inline int bench_compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* Is it among the words, or are there none? */
static inline bool bench_selected(int n_words, char **words, const char *name)
{
    for (int i = 0; i < n_words; i++)
        if (strcmp(words[i], name) == 0)
            return true;
    return n_words == 0;
}

/* The library keeps the trees and counts that were asked for last: ask for others. */
static inline void bench_forget_trees(void)
{
    struct logp_tree tree;

    for (int64_t n = 1000; n < 2000; n++)
        logp_tree_count(n, 97, 89);
    logp_tree_init(&tree, 3, 97, 89);
}

/* Sorts its argument: values[0] is the least afterwards. */
static inline double bench_median(double *values, size_t n)
{
    qsort(values, n, sizeof(*values), bench_compare);
    return values[n / 2];
}

#endif
