/* SPDX-License-Identifier: MIT */
/* The pipelined broadcast on a torus in bits and cycles: see logp/paper.h. */
#include "predict/predict.h"

#include <logp/paper.h>

/* Trcv + 3 Tsnd: what the sends of a block and its receipt cost an inner processor. */
static int64_t block_overhead(const struct logp_preset *machine)
{
    return machine->overhead + 2 * (machine->overhead / 2);
}

static __int128 divide_up(__int128 a, __int128 b)
{
    return (a + b - 1) / b;
}

static int64_t cycles(__int128 t)
{
    return t < INT64_MAX ? (int64_t)t : INT64_MAX;
}

/* n (Tsnd + m/w + r + Trcv) */
static __int128 way_across(const struct logp_torus *t, int64_t m)
{
    const struct logp_preset *p = t->machine;

    return (__int128)t->n * (p->overhead + p->delay) + divide_up((__int128)t->n * m, p->width);
}

/* Equation (6) for blocks of m bits, `more` of them after the first. */
static __int128 pipelined(const struct logp_torus *t, int64_t m, int64_t more)
{
    const __int128 work = divide_up((__int128)t->C * m, t->M);
    const __int128 gaps = 4 * (__int128)t->machine->gap;
    const __int128 busy = block_overhead(t->machine) + work;

    return way_across(t, m) + more * (busy > gaps ? busy : gaps) + work;
}

int64_t logp_torus_plain(const struct logp_torus *t)
{
    return cycles(way_across(t, t->M) + t->C);
}

int64_t logp_torus_pipelined(const struct logp_torus *t, int64_t m)
{
    return cycles(pipelined(t, m, (t->M - 1) / m));
}

/* Return a lower bound of the time of low .. high blocks: that of blocks of the smallest size, in
 * the number of the largest. For each number of blocks, the smallest size that holds the message is
 * best. */
static __int128 least_cycles(int64_t low, int64_t high, const void *arg)
{
    const struct logp_torus *t = arg;

    const int64_t large = lpi_ceil_div(t->M, low), small = lpi_ceil_div(t->M, high);

    return pipelined(t, small, lpi_ceil_div(t->M, large) - 1);
}

int64_t logp_torus_best_block(const struct logp_torus *t)
{
    return lpi_ceil_div(t->M, lpi_minimise(least_cycles, t, 1, t->M));
}

/* sqrt(a / b), rounded up */
static int64_t root_up(unsigned __int128 a, unsigned __int128 b)
{
    const int64_t r = lpi_isqrt(a / b);

    return (unsigned __int128)r * (unsigned __int128)r * b < a ? r + 1 : r;
}

int64_t logp_torus_block_by_gap(const struct logp_torus *t)
{
    const unsigned __int128 M = (unsigned __int128)t->M, w = (unsigned __int128)t->machine->width;

    return root_up(4 * (unsigned __int128)t->machine->gap * M * M * w,
                   (unsigned __int128)t->n * M + (unsigned __int128)t->C * w);
}

int64_t logp_torus_block_by_work(const struct logp_torus *t)
{
    return root_up((unsigned __int128)block_overhead(t->machine) *
                       (unsigned __int128)t->machine->width * (unsigned __int128)t->M,
                   (unsigned __int128)t->n);
}

bool logp_torus_pipelining_helps(const struct logp_torus *t)
{
    const struct logp_preset *p = t->machine;
    const __int128 overhead = 2 * (__int128)block_overhead(p) + t->C;
    const __int128 gaps = 8 * (__int128)p->gap;

    /* nM/w >= x, without the fraction */
    return (__int128)t->n * t->M >= ((overhead > gaps ? overhead : gaps) - t->C) * p->width;
}
