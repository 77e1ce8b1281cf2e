/* SPDX-License-Identifier: MIT */
/*
 * Lower bounds: what no algorithm can be faster than, whatever it sends to whom in which order and
 * in pieces of which size. Each collective makes its own of these; what they rest on is in bound.c.
 * In ns; bytes and elements >= 0, P >= 1. Links, and a capacity, only make it longer.
 */
#ifndef LPI_BOUND_H
#define LPI_BOUND_H

#include "predict.h"

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

/* N operands in all, on as many of P as it pays to have some. */
int64_t lpi_bound_summation(const struct logp_params *p, int64_t P, int64_t N);

#endif
