/* SPDX-License-Identifier: MIT */
/*
 * The reference for switches, barriers and broadcasts: bare fibers.
 *
 * They use Boost.Context's fcontext, one pinned thread per core, and a flag in memory for each
 * message. A fiber whose flag is not set jumps to the next fiber of its core, round robin.
 */
#ifndef LOGP_BENCH_RAW_H
#define LOGP_BENCH_RAW_H

#include <stdint.h>

/* @return ns of a jump between two fibers of one thread, the mean of n */
double raw_switch_ns(int64_t n);

/* @return ns of a dissemination barrier of P fibers on the first two cores of this process, or its
 * only one, the mean of n after n / 10 more */
double raw_barrier_ns(int P, int n);

/* The same for broadcasts of 8 bytes along a binomial tree, each from the next root. */
double raw_broadcast_ns(int P, int n);

#endif
