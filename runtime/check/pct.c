/* SPDX-License-Identifier: MIT */
/*
 * Priorities and change points. In each run in which processors take turns, the P processors have the
 * priorities d .. d+P-1 in a random order, and d - 1 of the run's k steps are drawn. At the i-th of
 * these steps the processor that would go gets priority d - 1 - i. The processor with the highest
 * priority goes. A bug that takes d events in one order is found with a probability of at least
 * 1 / (P k^(d-1)). k is the longest run seen so far. All other choices are equally likely.
 *
 * A processor that has polled in vain gets the lowest priority, or else a polling processor would
 * be the only one to go. After `fair_from` steps each choice is random: some protocols end only if
 * every processor gets a turn again and again. Either makes the bound void, which is then not
 * stated.
 *
 * In runs with late choices, chains of events have priorities instead of processors. A chain is the
 * touches of one vp, or the messages from one sender to one receiver. In half of the runs each event
 * is a chain by itself; in half of the others each tag has a chain of its own. At change points, of
 * which there are about 0 .. 2^6 - 1, the chain that would go gets a low priority. At about as many
 * other points a poll misses, or a wait ends, before any message comes. All other polls miss only
 * when every chain that could go has a low priority; in half of the runs they miss only when no chain
 * can go at all.
 *
 * About 1 .. 2^4 faults come in a run, if the check allows so many.
 *
 * Sources: Burckhardt, Kothari, Musuvathi, Nagarakatti, ASPLOS 2010; for chains of messages: Ozkan,
 * Majumdar, Niksic, Befrouei, Weissenbacher, OOPSLA 2018.
 */
#include "kit.h"

#include <limits.h>

enum {
    DEPTH = 3,
    FIRST_STEPS = 16,
    FIRST_FAIR = 1024,
    N_CHAINS = 1024,  /* by a hash */
    MOST_CHANGES = 6, /* 2^6 - 1 */
    MOST_FAULTS = 4,  /* 2^4 */
};

static const int64_t unchanged = INT64_C(1) << 61; /* the least priority of a chain as it was */

/* The lengths of runs, in steps. */
struct length {
    int k, step; /* of the longest run; of this one */
    int fair_from;
};

struct pct {
    int P, d;
    uint64_t random;
    struct length turns, late, faults;
    bool has_turns; /* in this run */
    bool is_void;   /* no bound holds */
    bool is_mixed;  /* other runs have late choices */
    bool reorders;  /* there may be messages that overtake */
    int *priorities;
    int *changes; /* d - 1 steps */
    int lowest;

    uint64_t chains; /* a hash: their priorities, as far as they are unchanged */
    bool by_message, by_tag;
    int n_changes, n_misses, n_faults;
    int rarity;                /* of messages that overtake */
    int64_t missed;            /* the priority of the poll that has missed last */
    int64_t lowered[N_CHAINS]; /* 0: unchanged */
    uint16_t n_gone[N_CHAINS]; /* by sender and receiver */
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
    static const struct length first = {.k = FIRST_STEPS, .fair_from = FIRST_FAIR};
    struct pct *s = calloc(1, sizeof(*s));

    if (s == NULL)
        return NULL;
    s->P = P;
    s->d = check->depth > 0 ? check->depth : DEPTH;
    s->turns = s->late = s->faults = first;
    s->is_mixed = lpi_may_be_late(check);
    s->reorders = lpi_kit_reorders(check);
    s->priorities = malloc((size_t)P * sizeof(*s->priorities));
    s->changes = malloc((size_t)s->d * sizeof(*s->changes));
    if (s->priorities == NULL || s->changes == NULL) {
        destroy(s);
        return NULL;
    }
    return s;
}

static void begin_turns(struct pct *s)
{
    for (int i = 0; i < s->P; i++) { /* a permutation: Fisher & Yates */
        const int j = lpi_kit_below(&s->random, i + 1);

        s->priorities[i] = s->priorities[j];
        s->priorities[j] = s->d + i;
    }
    for (int i = 0; i < s->d - 1; i++)
        s->changes[i] = 1 + lpi_kit_below(&s->random, s->turns.k);
    s->lowest = 0;
}

static void begin_chains(struct pct *s, uint64_t drawn)
{
    const bool is_patient = lpi_kit_below(&drawn, 2) == 0;

    s->by_message = lpi_kit_below(&drawn, 2) == 0;
    s->by_tag = lpi_kit_below(&drawn, 2) == 0;
    s->n_changes = (1 << lpi_kit_below(&drawn, MOST_CHANGES + 1)) - 1;
    s->n_misses = (1 << lpi_kit_below(&drawn, MOST_CHANGES + 1)) - 1;
    s->n_faults = 1 << lpi_kit_below(&drawn, MOST_FAULTS + 1);
    s->missed = is_patient ? 0 : unchanged;
    s->chains = lpi_kit_mix(drawn);
    s->rarity = s->reorders ? lpi_kit_rarity(&drawn) : 0;
    memset(s->lowered, 0, sizeof(s->lowered));
    memset(s->n_gone, 0, sizeof(s->n_gone));
}

static void begin(void *strategy, uint64_t seed)
{
    struct pct *s = strategy;

    s->random = seed;
    s->has_turns = false;
    s->turns.step = s->late.step = s->faults.step = 0;
    begin_turns(s);
    begin_chains(s, ~seed);
}

/* ---- turns ---- */

static int highest(const struct pct *s, const struct logp_alternative *a, int n)
{
    int best = 0;

    for (int i = 1; i < n; i++)
        if (s->priorities[a[i].rank] > s->priorities[a[best].rank])
            best = i;
    return best;
}

static int choose_turn(struct pct *s, const struct logp_alternative *a, int n)
{
    int best;

    s->has_turns = true;
    if (s->turns.step++ >= s->turns.fair_from) {
        s->is_void = true;
        return lpi_kit_below(&s->random, n);
    }
    best = highest(s, a, n);
    for (int i = 0; i < s->d - 1; i++)
        if (s->changes[i] == s->turns.step) {
            s->priorities[a[best].rank] = s->d - 1 - i;
            best = highest(s, a, n);
        }
    if (a[best].polls > 0) {
        s->priorities[a[best].rank] = --s->lowest;
        s->is_void = true;
    }
    return best;
}

/* ---- chains ---- */

static bool is_counted(const struct logp_alternative *a)
{
    return a->kind == LOGP_TAKE || a->kind == LOGP_TOUCH;
}

/* A hash. The polls of a vp are a chain of their own. */
static uint64_t chain_of(const struct pct *s, const struct logp_alternative *a)
{
    const uint64_t link = lpi_kit_link(a);
    uint64_t what = a->kind == LOGP_MISS;

    if (s->by_message && is_counted(a))
        what = s->n_gone[link % N_CHAINS];
    else if (s->by_tag && a->kind == LOGP_TAKE)
        what = lpi_kit_mix((uint64_t)a->tag);
    return lpi_kit_mix(s->chains + link + what);
}

static int64_t priority_of(const struct pct *s, const struct logp_alternative *a)
{
    const uint64_t chain = chain_of(s, a);
    const int64_t lowered = s->lowered[chain % N_CHAINS];

    if (a->kind == LOGP_OVERTAKE) /* drawn before, or not at all */
        return INT64_MIN;
    if (lowered != 0)
        return lowered;
    return a->kind == LOGP_MISS ? s->missed : unchanged + (int64_t)(chain >> 2);
}

static int highest_chain(struct pct *s, const struct logp_alternative *a, int n)
{
    int64_t most = INT64_MIN;
    int alike = 0, best = 0;

    for (int i = 0; i < n; i++) {
        const int64_t p = priority_of(s, &a[i]);

        alike = p > most ? 1 : alike + (p == most);
        if (p >= most && lpi_kit_below(&s->random, alike) == 0)
            best = i;
        most = p > most ? p : most;
    }
    return best;
}

static void lower(struct pct *s, const struct logp_alternative *a, int64_t priority)
{
    s->lowered[chain_of(s, a) % N_CHAINS] = priority;
}

/* On average the answer is yes n times in a run. */
static bool is_drawn(struct pct *s, const struct length *length, int n)
{
    return lpi_kit_below(&s->random, length->k) < n;
}

/* Every alternative that does not overtake is equally likely. */
static int choose_any(struct pct *s, const struct logp_alternative *a, int n)
{
    return s->reorders ? lpi_kit_in_order(&s->random, a, n) : lpi_kit_below(&s->random, n);
}

static int choose_chain(struct pct *s, const struct logp_alternative *a, int n)
{
    int best;

    if (s->late.step++ >= s->late.fair_from)
        return choose_any(s, a, n);
    best = is_drawn(s, &s->late, s->n_misses) ? lpi_kit_any_miss(&s->random, a, n) : -1;
    if (best >= 0)
        return best;
    best = highest_chain(s, a, n);
    if (is_drawn(s, &s->late, s->n_changes)) {
        lower(s, &a[best], 1 + (int64_t)(lpi_kit_mix(s->random++) >> 4));
        best = highest_chain(s, a, n);
    }
    if (is_counted(&a[best]))
        s->n_gone[lpi_kit_link(&a[best]) % N_CHAINS]++;
    if (a[best].kind == LOGP_MISS)
        lower(s, &a[best], --s->missed);
    return best;
}

static int choose_fault(struct pct *s, int n)
{
    s->faults.step++;
    return is_drawn(s, &s->faults, s->n_faults) ? 1 + lpi_kit_below(&s->random, n - 1) : 0;
}

static int choose(void *strategy, const struct logp_alternative *a, int n)
{
    struct pct *s = strategy;
    const int later = s->reorders ? lpi_kit_overtake(&s->random, s->rarity, a, n) : -1;

    if (later >= 0)
        return later;
    switch (a[0].kind) {
    case LOGP_GO_ON:
        return choose_turn(s, a, n);
    case LOGP_FAULT:
        return choose_fault(s, n);
    case LOGP_PICK:
        return lpi_kit_below(&s->random, n);
    default:
        return s->has_turns ? choose_any(s, a, n) : choose_chain(s, a, n);
    }
}

/* A run has ended. If it was far longer than it could be with priorities, it is long by itself. */
static void lengthen(struct length *l)
{
    if (l->step > l->k)
        l->k = l->step < l->fair_from ? l->step : l->fair_from;
    if (l->step > 2 * l->fair_from && l->fair_from < INT_MAX / 4)
        l->fair_from *= 2;
}

static bool next(void *strategy, bool redundant, struct logp_checked *checked)
{
    struct pct *s = strategy;
    double chance = 1.0 / s->P;

    (void)redundant;
    lengthen(&s->turns);
    lengthen(&s->late);
    lengthen(&s->faults);
    for (int i = 1; i < s->d; i++)
        chance /= s->turns.k;
    if (s->is_mixed)
        chance /= LPI_LATE_OF;
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
