/* SPDX-License-Identifier: MIT */
/*
 * In one of eight runs all alternatives are equally likely. In the others messages have an order,
 * which is drawn for the run, and mostly the first message in this order is taken. In half of these
 * runs each message has a place of its own in the order (Yuan, Yang, Gu, CAV 2018). In some, all
 * messages of one sender, receiver and tag have the same place, so that some links and some kinds of
 * messages are slow throughout the run. In the rest one vp at a time is cut off: its messages come
 * after all others, and waits end before they come. Again and again another vp and another order are
 * drawn. This finds bugs that need several leaders. Waits end early often in some runs, rarely in
 * others, and in half of the runs only if there is no message. How rare faults are is drawn for
 * each run, too.
 *
 * In half of the runs in which vps take turns, vps have an order, too, and the first one that does
 * not poll runs until another order is drawn. So some vps are slow for a while. All other choices
 * of these runs are equally likely.
 */
#include "kit.h"

#include <string.h>

enum {
    EVEN_HANDED = 32, /* in a run with an order, every 32nd choice is as in the others */
    MOST_PATIENT = 6, /* a wait ends early in one of 2 .. 2^6 choices */
    CUT_OFF = 6,      /* of 16 runs with an order */
    MESSAGES = 8,     /* of 16 */
    LEAST_STEADY = 2, /* another vp is cut off after 2^2 .. 2^5 choices, on average */
    MOST_STEADY = 5,
    LONGEST_TURN = 6, /* vps have another order after 2 .. 2^6 choices, on average */
    N_LINKS = 1024,   /* pairs of sender and receiver, by a hash */
};

enum order { BY_MESSAGE, BY_KIND, BY_CUT };

struct random {
    uint64_t random, order, turns;
    int P, rarity, patience, steadiness, turn;
    enum order by;
    bool has_order, orders_all, orders_turns, is_patient;
    bool has_turns; /* of ordered vps, in this run */
    bool reorders;  /* there may be messages that overtake */
    uint16_t n_taken[N_LINKS];
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

bool lpi_kit_reorders(const struct logp_check *c)
{
    return !c->fixed_matches && !c->keeps_order &&
           (c->most_overtaken > 0 || c->most_faults.doubled > 0);
}

int lpi_kit_overtake(uint64_t *random, int rarity, const struct logp_alternative *a, int n)
{
    int n_later = 0, later = -1;

    for (int i = 0; i < n; i++)
        if (a[i].kind == LOGP_OVERTAKE && lpi_kit_below(random, ++n_later) == 0)
            later = i;
    return later >= 0 && lpi_kit_below(random, 1 << rarity) == 0 ? later : -1;
}

int lpi_kit_in_order(uint64_t *random, const struct logp_alternative *a, int n)
{
    int n_others = 0, other = 0;

    for (int i = 0; i < n; i++)
        if (a[i].kind != LOGP_OVERTAKE && lpi_kit_below(random, ++n_others) == 0)
            other = i;
    return other;
}

int lpi_kit_any_miss(uint64_t *random, const struct logp_alternative *a, int n)
{
    int n_misses = 0, miss = -1;

    for (int i = 0; i < n; i++)
        if (a[i].kind == LOGP_MISS && lpi_kit_below(random, ++n_misses) == 0)
            miss = i;
    return n_misses < n ? miss : -1;
}

static void *create(int P, const struct logp_check *check)
{
    struct random *s = calloc(1, sizeof(*s));

    if (s != NULL) {
        s->P = P;
        s->reorders = lpi_kit_reorders(check);
    }
    return s;
}

static enum order draw_order(uint64_t *drawn)
{
    const int of_16 = lpi_kit_below(drawn, 16);

    if (of_16 < CUT_OFF)
        return BY_CUT;
    return of_16 < CUT_OFF + MESSAGES ? BY_MESSAGE : BY_KIND;
}

static void begin(void *strategy, uint64_t seed)
{
    struct random *s = strategy;
    uint64_t drawn = ~seed;

    s->rarity = lpi_kit_rarity(&drawn);
    s->has_order = lpi_kit_below(&drawn, 8) != 0;
    s->orders_all = lpi_kit_below(&drawn, 2) == 0;
    s->by = draw_order(&drawn);
    s->steadiness = LEAST_STEADY + lpi_kit_below(&drawn, MOST_STEADY - LEAST_STEADY + 1);
    s->is_patient = lpi_kit_below(&drawn, 2) == 0;
    s->patience = 1 + lpi_kit_below(&drawn, MOST_PATIENT);
    s->orders_turns = lpi_kit_below(&drawn, 2) == 0;
    s->has_turns = false;
    s->turn = 1 + lpi_kit_below(&drawn, LONGEST_TURN);
    s->order = lpi_kit_mix(drawn);
    s->turns = lpi_kit_mix(~drawn);
    memset(s->n_taken, 0, sizeof(s->n_taken));
    s->random = seed;
}

static bool is_cut(const struct random *s, const struct logp_alternative *a)
{
    const int cut = (int)(lpi_kit_mix(s->order) % (uint64_t)s->P);

    return s->by == BY_CUT && a->kind == LOGP_TAKE && (a->rank == cut || a->source == cut);
}

/* The alternative with the least place is chosen. Messages and touches come before polls that miss,
 * these before messages of a vp that is cut off. The polls of one vp have one place. All other
 * alternatives get a new place at each choice. */
static uint64_t place_of(struct random *s, const struct logp_alternative *a)
{
    enum { MISSES = 1, CUT = 2 };
    const uint64_t link = lpi_kit_link(a);
    uint64_t what, group = 0;

    switch (a->kind) {
    case LOGP_TAKE:
    case LOGP_TOUCH:
        what = s->by == BY_MESSAGE ? s->n_taken[link % N_LINKS] : lpi_kit_mix((uint64_t)a->tag);
        what = lpi_kit_mix(s->order + link + what);
        group = is_cut(s, a) ? CUT : 0;
        break;
    case LOGP_MISS:
        what = lpi_kit_mix(s->order + (uint64_t)a->rank);
        group = MISSES;
        break;
    case LOGP_OVERTAKE: /* chosen before, or not at all */
        return UINT64_MAX;
    default:
        what = lpi_kit_mix(s->random++);
    }
    return group << 62 | what >> 2;
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

static int choose_in_order(struct random *s, const struct logp_alternative *a, int n)
{
    int miss = -1;

    if (!s->is_patient && lpi_kit_below(&s->random, 1 << s->patience) == 0)
        miss = lpi_kit_any_miss(&s->random, a, n);
    return miss >= 0 ? miss : first_in_order(s, a, n);
}

/* Whether the order of the run decides this choice. Of choices that are not between messages it
 * decides all in half of the runs and none in the others: always and never were both tried, and
 * each found some bugs of protocols late. */
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

static int choose_turn(struct random *s, const struct logp_alternative *a, int n)
{
    const uint64_t polls = UINT64_C(1) << 63;
    uint64_t first = UINT64_MAX;
    int best = 0;

    s->has_turns = true;
    if (lpi_kit_below(&s->random, 1 << s->turn) == 0)
        s->turns = lpi_kit_mix(s->turns);
    for (int i = 0; i < n; i++) {
        const uint64_t place = a[i].polls > 0 ? polls | lpi_kit_mix(s->random++) >> 1
                                              : lpi_kit_mix(s->turns + (uint64_t)a[i].rank) >> 1;

        if (place < first) {
            first = place;
            best = i;
        }
    }
    return best;
}

/* Every alternative is equally likely, but faults, and messages that overtake, are rare. */
static int choose_any(struct random *s, const struct logp_alternative *a, int n)
{
    return s->reorders && a[0].kind != LOGP_FAULT ? lpi_kit_in_order(&s->random, a, n)
                                                  : lpi_kit_choose(&s->random, s->rarity, a, n);
}

static int choose(void *strategy, const struct logp_alternative *a, int n)
{
    struct random *s = strategy;
    int i;

    if (s->reorders && (i = lpi_kit_overtake(&s->random, s->rarity, a, n)) >= 0)
        return i;
    if (s->orders_turns && a[0].kind == LOGP_GO_ON)
        return choose_turn(s, a, n);
    if (s->has_turns)
        return choose_any(s, a, n);
    if (s->by == BY_CUT && lpi_kit_below(&s->random, 1 << s->steadiness) == 0)
        s->order = lpi_kit_mix(s->order);
    if (has_order(s, a) && lpi_kit_below(&s->random, EVEN_HANDED) != 0)
        i = choose_in_order(s, a, n);
    else
        i = choose_any(s, a, n);
    if (a[i].kind == LOGP_TAKE || a[i].kind == LOGP_TOUCH)
        s->n_taken[lpi_kit_link(&a[i]) % N_LINKS]++;
    return i;
}

const struct lpi_strategy_ops lpi_strategy_random = {
    .create = create,
    .destroy = free,
    .begin = begin,
    .choose = choose,
};
