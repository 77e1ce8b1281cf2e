/* SPDX-License-Identifier: MIT */
/*
 * Few deviations from the usual order, and more of them only if these find nothing: first none, then
 * each place for one, one after the other, then two, three and so on at places that are drawn, each
 * number for twice as many runs as the one before. So the first failure that is found is nearly the smallest.
 * Choices are as late as possible, and the usual one takes the message that was sent first.
 * Source: Emmi, Qadeer, Rakamaric, Delay-bounded scheduling, POPL 2011.
 */
#include "kit.h"

enum { MOST_DEVIATIONS = 16, FIRST_RUNS = 2000 };

struct delays {
    uint64_t random;
    int bound;     /* deviations of this run */
    uint64_t left; /* runs with this bound */
    int n_choices; /* of this run so far; and of the longest one */
    int longest;
    int place, answer; /* of one deviation */
    int n_there;       /* alternatives there, in this run; 0: it has not come to it */
    int places[MOST_DEVIATIONS];
};

static void *create(int P, const struct logp_check *check)
{
    (void)P;
    (void)check;
    return calloc(1, sizeof(struct delays));
}

static void begin(void *strategy, uint64_t seed)
{
    struct delays *s = strategy;

    s->random = seed;
    s->n_choices = s->n_there = 0;
    for (int i = 0; s->bound > 1 && i < s->bound; i++)
        s->places[i] = lpi_kit_below(&s->random, s->longest);
}

/* Whether one of several deviations is here. */
static bool is_place(const struct delays *s, int number)
{
    int i = 0;

    while (i < s->bound && s->places[i] != number)
        i++;
    return i < s->bound;
}

static int choose(void *strategy, const struct logp_alternative *a, int n)
{
    struct delays *s = strategy;
    int number;

    (void)a;
    if (n == 1)
        return 0;
    number = s->n_choices++;
    if (s->bound > 1)
        return is_place(s, number) ? 1 + lpi_kit_below(&s->random, n - 1) : 0;
    if (s->bound == 0 || number != s->place)
        return 0;
    s->n_there = n;
    return s->answer < n ? s->answer : 0;
}

static bool next(void *strategy, bool redundant, struct logp_checked *checked)
{
    struct delays *s = strategy;

    (void)redundant;
    (void)checked;
    s->longest = s->n_choices > s->longest ? s->n_choices : s->longest;
    if (s->bound == 0) {
        s->bound = 1;
        s->answer = 1;
    } else if (s->bound == 1 && s->n_there > 0) {
        s->answer = s->answer + 1 < s->n_there ? s->answer + 1 : 1;
        s->place += s->answer == 1;
    } else if (s->bound == 1 || --s->left == 0) {
        s->left = (uint64_t)FIRST_RUNS << (s->bound - 1);
        s->bound += s->bound < MOST_DEVIATIONS;
    }
    return s->longest > 0;
}

const struct lpi_strategy_ops lpi_strategy_delays = {
    .create = create,
    .destroy = free,
    .begin = begin,
    .choose = choose,
    .next = next,
};
