/* SPDX-License-Identifier: MIT */
/* What the suites of the reduction share. */
#ifndef LOGP_TESTS_REDUCE_H
#define LOGP_TESTS_REDUCE_H

#include "support.h"

static const char *const names[] = {"flat",
                                    "chain",
                                    "binary",
                                    "binomial",
                                    "optimal",
                                    "kchain",
                                    "kchain-opt",
                                    "kchain-short-first",
                                    "kchain-adaptive",
                                    "kchain-adaptive-sorted"};
enum { N_NAMES = sizeof(names) / sizeof(names[0]) };

static inline const struct logp_algorithm *algorithm(const char *name)
{
    const struct logp_algorithm *a = logp_algorithm_find("reduce", name);

    cr_assert(a != NULL);
    return a;
}

static inline uint64_t below(uint64_t *random, uint64_t n)
{
    return test_random(random) % n;
}

#endif
