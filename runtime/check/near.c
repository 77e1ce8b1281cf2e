/* SPDX-License-Identifier: MIT */
/*
 * Runs near a failure: each keeps some of its deviations from the usual order, leaves out two or more, and has
 * other ones at places that are drawn, but fewer in all. So a failure that needs each of its deviations
 * leads to one with fewer, which others in their place make. In half of the runs the deviations that are kept are
 * put where the same choice recurs (identity.c), in the others at their numbers.
 * Delay bounding (delays.c) does the same from the usual order.
 */
#include "kit.h"

enum { MOST_NEW = 4 };

struct near {
    uint64_t random;
    int n_choices; /* of a run, about */
    int number;    /* of this run's next choice */
    int n_new, places[MOST_NEW];
    bool has_what, by_what;
    struct lpi_identities identities; /* of this run */
    int n;
    struct kept {
        int number, answer;
        uint64_t what;
        bool is_kept; /* in this run, and not given yet */
    } all[];
};

void *lpi_near_new(const struct lpi_answers *failure, int n_choices)
{
    const int n = lpi_answers_deviations(failure);
    struct near *s = calloc(1, sizeof(*s) + (size_t)n * sizeof(s->all[0]));

    if (s == NULL)
        return NULL;
    s->n_choices = n_choices;
    s->has_what = failure->what != NULL;
    for (int i = 0; i < failure->n; i++)
        if (failure->index[i] != 0)
            s->all[s->n++] = (struct kept){.number = i,
                                           .answer = failure->index[i],
                                           .what = s->has_what ? failure->what[i] : 0};
    return s;
}

static void destroy(void *strategy)
{
    struct near *s = strategy;

    free(s->identities.seen);
    free(s);
}

/* Keep `n` of all, each as likely as the others. */
static void keep(struct near *s, int n)
{
    for (int i = 0; i < s->n; i++) {
        s->all[i].is_kept = lpi_kit_below(&s->random, s->n - i) < n;
        n -= s->all[i].is_kept;
    }
}

static void begin(void *strategy, uint64_t seed)
{
    struct near *s = strategy;
    int kept, most;

    s->random = seed;
    kept = lpi_kit_below(&s->random, s->n - 1);
    most = s->n - 1 - kept;
    s->number = 0;
    s->by_what = s->has_what && lpi_kit_below(&s->random, 2) == 0;
    lpi_identities_begin(&s->identities);
    keep(s, kept);
    s->n_new = 1 + lpi_kit_below(&s->random, most < MOST_NEW ? most : MOST_NEW);
    for (int i = 0; i < s->n_new; i++)
        s->places[i] = lpi_kit_below(&s->random, s->n_choices);
}

static bool is_new(const struct near *s, int number)
{
    int i = 0;

    while (i < s->n_new && s->places[i] != number)
        i++;
    return i < s->n_new;
}

/* The alternative of a deviation that is kept; 0: none */
static int kept(struct near *s, const struct logp_alternative *a, int n, int number)
{
    for (int i = 1; i < n; i++) {
        const uint64_t what = s->by_what ? lpi_identity(&s->identities, a, i) : 0;

        for (int k = 0; k < s->n; k++) {
            struct kept *d = &s->all[k];

            if (d->is_kept &&
                (s->by_what ? d->what == what : d->number == number && d->answer == i)) {
                d->is_kept = false;
                return i;
            }
        }
    }
    return 0;
}

static int choose(void *strategy, const struct logp_alternative *a, int n)
{
    struct near *s = strategy;
    int answer = 0;

    if (n > 1) {
        const int number = s->number++;

        answer = is_new(s, number) ? 1 + lpi_kit_below(&s->random, n - 1) : kept(s, a, n, number);
    }
    return !s->by_what || lpi_identities_take(&s->identities, &a[answer]) ? answer : LPI_NO_MEMORY;
}

const struct lpi_strategy_ops lpi_strategy_near = {
    .destroy = destroy,
    .begin = begin,
    .choose = choose,
};
