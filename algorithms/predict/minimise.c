/* SPDX-License-Identifier: MIT */
/*
 * The least of a function of whole numbers, and whole square roots, for predictions that optimise.
 * Exact integers throughout.
 */
#include "predict/predict.h"

/*
 * STEPS limits the search for the least. Among 10^12 candidates, millions next to the least differ
 * only by rounding; the result is then next to it, too.
 */
enum { STEPS = 262144, PER_OCTAVE = 4, NEIGHBOURS = 128 };

struct search {
    __int128 (*bound)(int64_t low, int64_t high, const void *arg);
    const void *arg;
    int64_t at;
    __int128 least;
    int steps;
};

/* Branch and bound: nothing in low .. high is below `bound`. */
static void search(struct search *s, int64_t low, int64_t high, __int128 bound)
{
    int64_t middle;
    __int128 left, right;

    if (bound >= s->least || ++s->steps > STEPS)
        return;
    if (low == high) {
        s->at = low;
        s->least = bound;
        return;
    }
    middle = low + (high - low) / 2;
    left = s->bound(low, middle, s->arg);
    right = s->bound(middle + 1, high, s->arg);
    if (left < right)
        search(s, low, middle, left);
    search(s, middle + 1, high, right);
    if (left >= right)
        search(s, low, middle, left);
}

static void try(struct search *s, int64_t low, int64_t high, __int128 x)
{
    const int64_t at = x < low ? low : x > high ? high : (int64_t)x;
    const __int128 value = s->bound(at, at, s->arg);

    if (value < s->least) {
        s->at = at;
        s->least = value;
    }
}

/* Some in each octave, then closer and closer around the best, and its neighbours. */
static void search_near(struct search *s, int64_t low, int64_t high)
{
    int64_t best;

    for (__int128 octave = low; octave <= high; octave *= 2)
        for (int i = 0; i < PER_OCTAVE; i++)
            try(s, low, high, octave + octave * i / PER_OCTAVE);
    for (int closer = 3; closer < 30; closer++) {
        const int64_t at = s->at, far = at >> closer;

        try(s, low, high, (__int128)at + far);
        try(s, low, high, (__int128)at - far);
    }
    best = s->at;
    for (int64_t i = 1; i <= NEIGHBOURS; i++) {
        try(s, low, high, (__int128)best + i);
        try(s, low, high, (__int128)best - i);
    }
}

int64_t lpi_minimise(__int128 (*bound)(int64_t low, int64_t high, const void *arg), const void *arg,
                     int64_t low, int64_t high)
{
    struct search s = {bound, arg, low, bound(low, low, arg), 0};

    if (low < high)
        search(&s, low + 1, high, bound(low + 1, high, arg));
    if (s.steps > STEPS)
        search_near(&s, low, high);
    return s.at;
}

struct whole {
    int64_t M;
    __int128 (*time)(int64_t n, int64_t size, int64_t last, const void *arg);
    const void *arg;
};

/* Return a lower bound of the time of low .. high parts; exact where they are of one size.
 * Otherwise it has parts of the smallest size, in the number of the largest. */
static __int128 least_time(int64_t low, int64_t high, const void *arg)
{
    const struct whole *whole = arg;
    const int64_t large = lpi_ceil_div(whole->M, low), small = lpi_ceil_div(whole->M, high);
    const int64_t n = lpi_ceil_div(whole->M, large);

    return whole->time(n, small, small == large ? whole->M - (n - 1) * large : 1, whole->arg);
}

int64_t lpi_best_part(int64_t M,
                      __int128 (*time)(int64_t n, int64_t size, int64_t last, const void *arg),
                      const void *arg)
{
    const struct whole whole = {M, time, arg};

    return lpi_ceil_div(M, lpi_minimise(least_time, &whole, 1, M));
}

/* Bit by bit: the largest r with r * r <= x. */
int64_t lpi_isqrt(unsigned __int128 x)
{
    unsigned __int128 r = 0;

    for (int bit = x >> 64 > 0 ? 62 : 31; bit >= 0; bit--) {
        const unsigned __int128 next = r | (unsigned __int128)1 << bit;

        if (next * next <= x)
            r = next;
    }
    return (int64_t)r;
}
