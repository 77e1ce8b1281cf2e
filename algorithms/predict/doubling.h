/* SPDX-License-Identifier: MIT */
/*
 * Recursive doubling: its times, for the broadcasts, with D for a message and E between sends, and,
 * with a for D and B for E, for the reductions (doubling.c).
 */
#ifndef LPI_DOUBLING_H
#define LPI_DOUBLING_H

#include "predict/predict.h"

/* The farthest first: t(1) = 0, t(2) = D, t(P) = max(D + t(P-h), E + t(h)), h = 2^(lg P - 1);
 * P = 2^x: D + (x-1) max(D, E). */
__int128 lpi_doubling_time(int64_t P, int64_t D, int64_t E);
/* The farthest first, with one item after the other: who has c children passes them on at least
 * period(c, is it the root, arg) apart, which is not less for more children; `more` follow the
 * first. P >= 2 */
__int128 lpi_doubling_pipelined(int64_t P, int64_t D, int64_t E, int64_t more,
                                __int128 (*period)(int c, bool root, const void *arg),
                                const void *arg);
/* When all P could make another send: as t(P), but for P = 2 max(D, E); t(P) where E <= D. */
__int128 lpi_doubling_sent(int64_t P, int64_t D, int64_t E);
/* The nearest first. */
__int128 lpi_nearest_time(int64_t P, int64_t D, int64_t E);
/* P = n x n: along a row of n, then along all columns, the farthest first. */
__int128 lpi_mesh_time(int64_t P, int64_t D, int64_t E);
/* The most ones in the binary of any of 2^top .. x, where x >= 2^top. */
int lpi_most_ones(uint64_t x, int top);

#endif
