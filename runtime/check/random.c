/* SPDX-License-Identifier: MIT */
/* Every alternative is as likely as every other, except for faults. */
#include "kit.h"

struct random {
    uint64_t random;
    int rarity;
};

int lpi_kit_rarity(uint64_t *random)
{
    enum { LEAST = 1, MOST = 8 };

    return LEAST + lpi_kit_below(random, MOST);
}

int lpi_kit_choose(uint64_t *random, int rarity, const struct logp_alternative *a, int n)
{
    if (a[0].kind != LOGP_FAULT)
        return lpi_kit_below(random, n);
    return lpi_kit_below(random, 1 << rarity) == 0 ? 1 + lpi_kit_below(random, n - 1) : 0;
}

static void *create(int P, const struct logp_check *check)
{
    (void)P;
    (void)check;
    return calloc(1, sizeof(struct random));
}

static void begin(void *strategy, uint64_t seed)
{
    struct random *s = strategy;

    s->random = ~seed;
    s->rarity = lpi_kit_rarity(&s->random);
    s->random = seed;
}

static int choose(void *strategy, const struct logp_alternative *alternatives, int n)
{
    struct random *s = strategy;

    return lpi_kit_choose(&s->random, s->rarity, alternatives, n);
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
