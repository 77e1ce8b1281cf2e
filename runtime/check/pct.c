/* SPDX-License-Identifier: MIT */
/*
 * Priorities and change points. In each run the P processors have the priorities d .. d+P-1 in a
 * random order, and d - 1 of the run's k steps are drawn. At the i-th of these steps the processor
 * that would go gets priority d - 1 - i. The processor with the highest priority goes. A bug that
 * takes d events in one order is found with a probability of at least 1 / (P k^(d-1)). k is the
 * longest run seen so far.
 *
 * A processor that has polled in vain gets the lowest priority, or else a polling processor would
 * be the only one to go. After `fair_from` steps each choice is random: some protocols end only if
 * every processor goes on again and again. Either makes the bound void, which is then not stated.
 * Which message is taken is random.
 *
 * Source: Burckhardt, Kothari, Musuvathi, Nagarakatti, ASPLOS 2010.
 */
#include "kit.h"

#include <limits.h>

enum { DEPTH = 3, FIRST_STEPS = 64, FIRST_FAIR = 1024 };

struct pct {
    int P, d;
    uint64_t random;
    int rarity;
    int k, step; /* of the longest run; of this one */
    int fair_from;
    bool is_void; /* no bound holds */
    int *priorities;
    int *changes; /* d - 1 steps */
    int lowest;
};

static void destroy(void *strategy)
{
    struct pct *s = strategy;

    free(s->priorities);
    free(s->changes);
    free(s);
}

static void *create(int P, const struct logp_check *check)
{
    struct pct *s = calloc(1, sizeof(*s));

    if (s == NULL)
        return NULL;
    *s = (struct pct){.P = P,
                      .d = check->depth > 0 ? check->depth : DEPTH,
                      .k = FIRST_STEPS,
                      .fair_from = FIRST_FAIR};
    s->priorities = malloc((size_t)P * sizeof(*s->priorities));
    s->changes = malloc((size_t)s->d * sizeof(*s->changes));
    if (s->priorities == NULL || s->changes == NULL) {
        destroy(s);
        return NULL;
    }
    return s;
}

static void begin(void *strategy, uint64_t seed)
{
    struct pct *s = strategy;

    s->random = ~seed;
    s->rarity = lpi_kit_rarity(&s->random);
    s->random = seed;
    s->step = s->lowest = 0;
    for (int i = 0; i < s->P; i++) { /* a permutation: Fisher & Yates */
        const int j = lpi_kit_below(&s->random, i + 1);

        s->priorities[i] = s->priorities[j];
        s->priorities[j] = s->d + i;
    }
    for (int i = 0; i < s->d - 1; i++)
        s->changes[i] = 1 + lpi_kit_below(&s->random, s->k);
}

static int highest(const struct pct *s, const struct logp_alternative *a, int n)
{
    int best = 0;

    for (int i = 1; i < n; i++)
        if (s->priorities[a[i].rank] > s->priorities[a[best].rank])
            best = i;
    return best;
}

static int choose(void *strategy, const struct logp_alternative *a, int n)
{
    struct pct *s = strategy;
    int best;

    if (a[0].kind != LOGP_GO_ON)
        return lpi_kit_choose(&s->random, s->rarity, a, n);
    if (s->step++ >= s->fair_from) {
        s->is_void = true;
        return lpi_kit_below(&s->random, n);
    }
    best = highest(s, a, n);
    for (int i = 0; i < s->d - 1; i++)
        if (s->changes[i] == s->step) {
            s->priorities[a[best].rank] = s->d - 1 - i;
            best = highest(s, a, n);
        }
    if (a[best].polls > 0) {
        s->priorities[a[best].rank] = --s->lowest;
        s->is_void = true;
    }
    return best;
}

static bool next(void *strategy, bool redundant, struct logp_checked *checked)
{
    struct pct *s = strategy;
    double chance = 1.0 / s->P;

    (void)redundant;
    if (s->step > s->k)
        s->k = s->step < s->fair_from ? s->step : s->fair_from;
    if (s->step > 2 * s->fair_from && s->fair_from < INT_MAX / 4) /* it is long by itself */
        s->fair_from *= 2;
    for (int i = 1; i < s->d; i++)
        chance /= s->k;
    if (s->is_void)
        checked->chance = -1;
    else if (checked->chance == 0 || (checked->chance > 0 && chance < checked->chance))
        checked->chance = chance;
    return true;
}

const struct lpi_strategy_ops lpi_strategy_pct = {
    .create = create,
    .destroy = destroy,
    .begin = begin,
    .choose = choose,
    .next = next,
};
