/* SPDX-License-Identifier: MIT */
/*
 * In one of eight runs all alternatives are equally likely. In the others messages have an order,
 * which is drawn for the run, and mostly the first message in this order is taken. In half of these
 * runs each message has a place of its own in the order (Yuan, Yang, Gu, CAV 2018). In the other
 * half all messages of one sender, receiver and tag have the same place, so that some links and
 * some kinds of messages are slow throughout the run. This finds bugs that need many choices in
 * favour of a few messages. Waits end early often in some runs, rarely in others, and in half of
 * the runs only if there is no message. How rare faults are is drawn for each run, too.
 */
#include "kit.h"

#include <string.h>

enum {
    EVEN_HANDED = 32,  /* in a run with an order, every 32nd choice is as in the others */
    MOST_PATIENT = 6,  /* a wait ends early in one of 2 .. 2^6 choices */
    N_CHANNELS = 1024, /* pairs of sender and receiver, by a hash */
};

struct random {
    uint64_t random, order;
    int rarity, patience;
    bool has_order, orders_all, by_message, is_patient;
    uint16_t n_taken[N_CHANNELS];
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
    uint64_t drawn = ~seed;

    s->rarity = lpi_kit_rarity(&drawn);
    s->has_order = lpi_kit_below(&drawn, 8) != 0;
    s->orders_all = lpi_kit_below(&drawn, 2) == 0;
    s->by_message = lpi_kit_below(&drawn, 2) == 0;
    s->is_patient = lpi_kit_below(&drawn, 2) == 0;
    s->patience = 1 + lpi_kit_below(&drawn, MOST_PATIENT);
    s->order = lpi_kit_mix(drawn);
    memset(s->n_taken, 0, sizeof(s->n_taken));
    s->random = seed;
}

static uint64_t channel_of(const struct logp_alternative *a)
{
    return lpi_kit_mix((uint64_t)a->rank << 32 | (uint32_t)a->source);
}

/* The alternative with the least place is chosen. Messages come before polls that miss, and the
 * polls of one vp have one place. All other alternatives get a new place at each choice. */
static uint64_t place_of(struct random *s, const struct logp_alternative *a)
{
    const uint64_t channel = channel_of(a);
    uint64_t what;

    switch (a->kind) {
    case LOGP_TAKE:
        what = s->by_message ? s->n_taken[channel % N_CHANNELS] : lpi_kit_mix((uint64_t)a->tag);
        return lpi_kit_mix(s->order + channel + what) >> 1;
    case LOGP_MISS:
        return lpi_kit_mix(s->order + (uint64_t)a->rank) >> 1 | (uint64_t)1 << 63;
    default:
        return lpi_kit_mix(s->random++) >> 1;
    }
}

static int first_in_order(struct random *s, const struct logp_alternative *a, int n)
{
    uint64_t first = UINT64_MAX;
    int alike = 0, best = 0;

    for (int i = 0; i < n; i++) {
        const uint64_t place = place_of(s, &a[i]);

        alike = place < first ? 1 : alike + (place == first);
        if (place <= first && lpi_kit_below(&s->random, alike) == 0)
            best = i;
        first = place < first ? place : first;
    }
    return best;
}

/* Draw one of the polls that miss, all equally likely. @return its place in a; -1: no alternative
 * misses, or all do */
static int any_miss(struct random *s, const struct logp_alternative *a, int n)
{
    int n_misses = 0, miss = -1;

    for (int i = 0; i < n; i++)
        if (a[i].kind == LOGP_MISS && lpi_kit_below(&s->random, ++n_misses) == 0)
            miss = i;
    return n_misses < n ? miss : -1;
}

static int choose_in_order(struct random *s, const struct logp_alternative *a, int n)
{
    int miss = -1;

    if (!s->is_patient && lpi_kit_below(&s->random, 1 << s->patience) == 0)
        miss = any_miss(s, a, n);
    return miss >= 0 ? miss : first_in_order(s, a, n);
}

/* Does the order of the run decide this choice? Of choices that are not between messages it decides
 * all in half of the runs and none in the others: always and never were both tried, and each found
 * some bugs of protocols late. */
static bool has_order(const struct random *s, const struct logp_alternative *a)
{
    switch (a->kind) {
    case LOGP_GO_ON:
    case LOGP_PICK:
    case LOGP_FAULT:
        return false;
    case LOGP_TAKE:
    case LOGP_MISS:
        return s->has_order;
    default:
        return s->has_order && s->orders_all;
    }
}

static int choose(void *strategy, const struct logp_alternative *a, int n)
{
    struct random *s = strategy;
    int i;

    if (has_order(s, a) && lpi_kit_below(&s->random, EVEN_HANDED) != 0)
        i = choose_in_order(s, a, n);
    else
        i = lpi_kit_choose(&s->random, s->rarity, a, n);
    if (a[i].kind == LOGP_TAKE)
        s->n_taken[channel_of(&a[i]) % N_CHANNELS]++;
    return i;
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
