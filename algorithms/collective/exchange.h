/* SPDX-License-Identifier: MIT */
/*
 * Recursive exchange. With X = k^x <= P < k X, the ranks are X groups of neighbours, of which the
 * first rank acts for all. The X first ranks exchange along the digits of their number in base k.
 */
#ifndef LPI_EXCHANGE_H
#define LPI_EXCHANGE_H

#include "collective/collective.h"

struct lpi_exchange {
    int64_t k, X;
    int64_t j, first, others; /* the group of this rank, its first rank, how many others it has */
};

static inline struct lpi_exchange lpi_exchange_of(int64_t P, int64_t rank, int64_t k)
{
    struct lpi_exchange g = {.k = k, .X = 1};
    int64_t longer, each;

    while (g.X <= P / k)
        g.X *= k;
    longer = P % g.X;
    each = P / g.X;
    g.j = rank < longer * (each + 1) ? rank / (each + 1) : (rank - longer) / each;
    g.first = lpi_part_begin(P, g.X, g.j);
    g.others = lpi_part_begin(P, g.X, g.j + 1) - g.first - 1;
    return g;
}

/* The group that differs in the digit of distance d by `more`, 0 .. k - 1, mod k. */
static inline int64_t lpi_exchange_peer(const struct lpi_exchange *g, int64_t d, int64_t more)
{
    const int64_t digit = g->j / d % g->k;

    return g->j - digit * d + (digit + more) % g->k * d;
}

#endif
