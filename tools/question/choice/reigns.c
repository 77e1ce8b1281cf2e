/* SPDX-License-Identifier: MIT */
/*
 * The ranges of sizes in which each candidate is the best. The candidates are compared at all
 * powers of two between the smallest and the largest size, and at the sizes of a grid; between two
 * neighbours with different best candidates, bisection finds the size of the change. A change that
 * reverts between two neighbours is not detected.
 *
 * Where the times of two candidates cross, the two may be the best alternately, because times are
 * whole nanoseconds and blocks may be unequal. From the change that bisection finds, the sizes on
 * both sides are therefore examined in strides: as times grow with the size, one candidate is the
 * best in a whole stride if all of its times there are below all of the other's, or if no time
 * changes. The search ends if no change is found within reach_of() the last one, or in MOST_LOOKS
 * strides. Two candidates may change places at each size of a long range: after EVERY_SIZE looks
 * the strides are at least those of least_at(), and the first and the last change are found to two of them.
 */
#include "question/choice/choice.h"

#include <stdlib.h>

enum { MOST_LOOKS = 64, LEAST_REACH = 16, EVERY_SIZE = 128 };

struct pair {
    int64_t below, above; /* the best candidates below a change and above it */
};

/* The times of both candidates of a pair at a size. */
struct times {
    int64_t below, above;
};

static struct times times_at(const struct contest *c, const struct pair *p, int64_t size)
{
    return (struct times){c->time(c->of, p->below, size), c->time(c->of, p->above, size)};
}

static bool same_within(struct times low, struct times high)
{
    const bool below_wins = low.below < low.above && high.below < high.above;
    const bool above_wins = low.above < low.below && high.above < high.below;

    return (below_wins && high.below < low.above) || (above_wins && high.above < low.below) ||
           (low.below == high.below && low.above == high.above);
}

/* Return the distance from a change within which the next one is searched: a sixteenth of the size,
 * and LEAST_REACH. */
static int64_t reach_of(int64_t size)
{
    return LEAST_REACH + size / 16;
}

/* A sixty-fourth part of a size. It is odd: candidates may change places at even sizes. */
static int64_t least_at(int64_t size)
{
    return size / 128 * 2 + 1;
}

/* Whether `wanted` of the pair is the best at a size, where the two take these times. It is not if the other takes less;
 * otherwise all candidates count. */
static bool is_best_at(const struct contest *c, const struct pair *p, int64_t wanted, int64_t size,
                       struct times t)
{
    const int64_t mine = wanted == p->below ? t.below : t.above,
                  other = wanted == p->below ? t.above : t.below;

    return !(other >= 0 && other < mine) && c->best(c->of, size) == wanted;
}

/* Return a size from low, which may be the larger one, to high, whose best candidate is not `wanted`, while that of the
 * size before is. Requires that `wanted` is the best at `low`, and not at `high`. */
static int64_t find_change(const struct contest *c, int64_t low, int64_t high, int64_t wanted)
{
    while (llabs(high - low) > 1) {
        const int64_t middle = low + (high - low) / 2;

        if (c->best(c->of, middle) == wanted)
            low = middle;
        else
            high = middle;
    }
    return high;
}

/* Search from `at`, where `wanted` of the pair is the best, towards `end`.
 * @return the last size found at which it is the best */
static int64_t last_of(const struct contest *c, const struct pair *p, int64_t wanted, int64_t at,
                       int64_t end)
{
    struct times here = times_at(c, p, at);
    int64_t last = at, changed = at, stride = 1, least = 1;
    bool is_best = true;
    int all = 0;

    for (int looks = 0; at != end && looks < MOST_LOOKS && llabs(at - changed) < reach_of(changed);
         looks++) {
        const int64_t left = llabs(end - at), step = stride < left ? stride : left;
        const int64_t next = end < at ? at - step : at + step;
        const struct times there = times_at(c, p, next);
        const bool same = next < at ? same_within(there, here) : same_within(here, there);

        least = ++all < EVERY_SIZE ? 1 : least_at(next);
        if (!same && step > least) {
            stride = step / 2 > least ? step / 2 : least;
            continue;
        }
        if (!same && is_best_at(c, p, wanted, next, there) != is_best) {
            is_best = !is_best;
            changed = next;
            looks = 0;
        }
        last = is_best ? next : last;
        stride = 2 * step > least ? 2 * step : least;
        at = next;
        here = there;
    }
    return is_best ? last : find_change(c, last, changed, wanted) + (end < last ? 1 : -1);
}

/* Return the reign that begins with a change; it begins with the first of several changes where two
 * candidates are the best alternately. */
static struct reign reign_from(const struct contest *c, const struct reign *before, int64_t change,
                               int64_t most)
{
    struct reign r = {.from = change, .settled = change};
    struct pair p = {before->best, c->best(c->of, change)};
    int64_t first, last;

    r.best = p.above;
    if (c->time == NULL || p.below < 0 || p.above < 0)
        return r;
    first = last_of(c, &p, p.above, change, before->settled + 1);
    last = last_of(c, &p, p.below, change - 1, most);
    if (last < most && c->best(c->of, last + 1) == p.above && c->best(c->of, first) == p.above) {
        r.from = first;
        r.settled = last + 1;
    }
    return r;
}

static void add_reign(struct reigns *all, struct reign r)
{
    all->reign = need(realloc(all->reign, (all->n + 1) * sizeof(r)));
    if (all->n > 0)
        all->reign[all->n - 1].to = r.from - 1;
    all->reign[all->n++] = r;
}

/* Return the next size to compare at: a power of two, a size of the grid, or the largest size. */
static int64_t size_after(int64_t size, const int64_t *grid, size_t n)
{
    const int64_t most = grid[n - 1];
    int64_t next = 1;

    while (next <= size && next <= most / 2)
        next *= 2;
    if (next <= size || next > most)
        next = most;
    for (size_t i = 0; i < n; i++)
        if (grid[i] > size && grid[i] < next)
            next = grid[i];
    return next;
}

void find_reigns(const struct contest *c, const int64_t *grid, size_t n, struct reigns *all)
{
    const int64_t most = grid[n - 1];
    struct reign r = {.from = grid[0], .settled = grid[0], .best = c->best(c->of, grid[0])};

    *all = (struct reigns){0};
    add_reign(all, r);
    for (int64_t low = grid[0], high; low < most; low = high) {
        int64_t at_high;

        high = size_after(low, grid, n);
        at_high = c->best(c->of, high);
        while (low < high && at_high != r.best) {
            r = reign_from(c, &r, find_change(c, low, high, r.best), most);
            add_reign(all, r);
            low = r.settled;
        }
        high = low > high ? low : high;
    }
    all->reign[all->n - 1].to = most;
}
