/* SPDX-License-Identifier: MIT */
/* Every alternative is as likely as every other. */
#include "kit.h"

static void *create(int P, const struct logp_check *check)
{
    (void)P;
    (void)check;
    return calloc(1, sizeof(uint64_t));
}

static void begin(void *strategy, uint64_t seed)
{
    *(uint64_t *)strategy = seed;
}

static int choose(void *strategy, const struct logp_alternative *alternatives, int n)
{
    (void)alternatives;
    return lpi_kit_below(strategy, n);
}

static bool next(void *strategy, bool redundant, struct logp_checked *checked)
{
    (void)strategy;
    (void)redundant;
    (void)checked;
    return true;
}

const struct lpi_strategy_ops lpi_strategy_random = {
    .create = create,
    .destroy = free,
    .begin = begin,
    .choose = choose,
    .next = next,
};
