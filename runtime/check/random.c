/* SPDX-License-Identifier: MIT */
/*
 * Every alternative is as likely as every other, except for faults. But in half of the runs the vps have
 * an order, which is drawn for the run: of those that can take a message, mostly the first in this
 * order does. So some vps are slow throughout such a run, and bugs are found that need many choices
 * in favour of a few vps.
 */
#include "kit.h"

enum { EVEN_HANDED = 8 }; /* in such a run, every 8th choice is as in others */

struct random {
    uint64_t random, order;
    int rarity;
    bool favours;
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
    s->order = lpi_kit_mix(~seed);
    s->favours = s->order % 2 == 0;
    s->random = seed;
}

/* The first goes first. A poll that misses comes after what is there. */
static uint64_t place_of(const struct random *s, const struct logp_alternative *a)
{
    return lpi_kit_mix(s->order + (uint64_t)a->rank) >> 1 | (uint64_t)(a->kind == LOGP_MISS) << 63;
}

static int choose_in_order(struct random *s, const struct logp_alternative *a, int n)
{
    uint64_t first = UINT64_MAX;
    int alike = 0, i = -1;

    for (int k = 0; k < n; k++) {
        const uint64_t place = place_of(s, &a[k]);

        alike = place < first ? 1 : alike + (place == first);
        first = place < first ? place : first;
    }
    for (int left = lpi_kit_below(&s->random, alike); left >= 0;
         left -= place_of(s, &a[i]) == first)
        i++;
    return i;
}

static int choose(void *strategy, const struct logp_alternative *alternatives, int n)
{
    struct random *s = strategy;

    if (s->favours && (alternatives[0].kind == LOGP_TAKE || alternatives[0].kind == LOGP_MISS) &&
        lpi_kit_below(&s->random, EVEN_HANDED) != 0)
        return choose_in_order(s, alternatives, n);
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
