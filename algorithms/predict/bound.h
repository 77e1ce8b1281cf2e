/* SPDX-License-Identifier: MIT */
/*
 * Lower bounds: what no algorithm can be faster than, whatever it sends to whom in which order and
 * in pieces of which size. Each collective makes its own of these; what they rest on is in bound.c.
 * In ns; bytes and elements >= 0, P >= 1. A capacity only makes it longer. Where links differ, p is
 * of each parameter the least that any has; a network only makes it longer than p says. What the
 * ways of both add is in lpi_bound_ways().
 */
#ifndef LPI_BOUND_H
#define LPI_BOUND_H

#include "predict.h"

#include <logp/algorithm.h>

/* Until all of P have heard from one; and until one has heard, through however many, from all. */
int64_t lpi_bound_out(const struct logp_params *p, int64_t P);
int64_t lpi_bound_in(const struct logp_params *p, int64_t P);

/* What is added to either where nobody is through before so many bytes have left the one (in: each
 * of the others), or have come to each of the others (in: the one). */
int64_t lpi_bound_more_sent(const struct logp_params *p, int64_t bytes);
int64_t lpi_bound_more_received(const struct logp_params *p, int64_t bytes);

/* Until so many bytes have left a processor, or come to it, and are where they go to. */
int64_t lpi_bound_sent(const struct logp_params *p, int64_t bytes);
int64_t lpi_bound_received(const struct logp_params *p, int64_t bytes);

/* n elements of each of `operands` processors out of P are combined. */
int64_t lpi_bound_combined(const struct logp_params *p, int64_t P, int64_t n, int64_t operands);

/* n x m, where that is not too many: then as many as there can be. */
int64_t lpi_bound_times(int64_t n, int64_t m);

static inline int64_t lpi_bound_bytes(size_t n_bytes)
{
    return n_bytes < INT64_MAX / 8 ? (int64_t)n_bytes : INT64_MAX / 8;
}

/* Collectives that others contain; nothing is done where there are no bytes. One item to all: */
int64_t lpi_bound_broadcast(const struct logp_params *p, int64_t P, int64_t bytes);
/* an item to, or from, each; */
int64_t lpi_bound_scatter(const struct logp_params *p, int64_t P, int64_t bytes);
int64_t lpi_bound_gather(const struct logp_params *p, int64_t P, int64_t bytes);
/* n elements from each, combined on one; 0: as many bytes, whatever is done to them. */
int64_t lpi_bound_reduce(const struct logp_params *p, int64_t P, int64_t bytes, int64_t n);

/* Ranks first, first + step, ... below end. */
struct lpi_ranks {
    int64_t first, end, step;
};

static inline struct lpi_ranks lpi_ranks_all(int64_t P)
{
    return (struct lpi_ranks){0, P, 1};
}

static inline struct lpi_ranks lpi_ranks_one(int64_t rank)
{
    return (struct lpi_ranks){rank, rank + 1, 1};
}

static inline bool lpi_ranks_are_all(const struct lpi_ranks *r, int64_t P)
{
    return r->first == 0 && r->end == P && r->step == 1;
}

static inline bool lpi_ranks_have(const struct lpi_ranks *r, int64_t rank)
{
    return rank >= r->first && rank < r->end && (rank - r->first) % r->step == 0;
}

/* What a collective brings from each of some processors to each of some others: bytes that leave
 * the one and without which the other cannot end, sent as they are or combined with others. */
struct lpi_need {
    struct lpi_ranks from, to;
    int64_t bytes;   /* 0: nothing */
    int64_t work_ns; /* on the way or at its end */
    bool up;         /* only to higher ranks */
    bool each_from;  /* a processor gets other bytes from each, and each of them arrives */
    bool each_to;    /* a processor sends other bytes to each */
};

/* bound_ways.c: over links that differ, or a network; 0 elsewhere. Only in logp_collective.bound,
 * for which c->plan.state is the struct lpi_ways. */
int64_t lpi_bound_ways(int64_t P, const struct logp_invocation *c, const struct lpi_need *need);

struct lpi_ways; /* ways.h */

/* bound_cuts.c: the same through the links of a network. */
int64_t lpi_bound_cuts(const struct lpi_ways *w, const struct lpi_need *need);

/* bound_levels.c: the same, if those far from a place (back: from which it is far) are a level of
 * their own. longer: what is added to the time until all have heard from it. */
int64_t lpi_bound_levels(const struct lpi_ways *w, const struct lpi_need *need, int place,
                         bool back, const int64_t *way, int64_t longer);

/* N operands in all, on as many of P as it pays to have some. */
int64_t lpi_bound_summation(const struct logp_params *p, int64_t P, int64_t N);

#endif
