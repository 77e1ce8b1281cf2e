/* SPDX-License-Identifier: MIT */
/*
 * The reference for switching, for barriers and for broadcasts: fibers with nothing around them.
 *
 * Boost.Context's fcontext, one pinned thread per core, and a flag in memory for each message. A
 * fiber that finds its flag down jumps to the next one of its core, round and round.
 */
#ifndef LOGP_BENCH_RAW_H
#define LOGP_BENCH_RAW_H

#include <stdint.h>

/* ns for one jump between two fibers of one thread, over n of them. */
double raw_switch_ns(int64_t n);

/* ns for one dissemination barrier of P fibers on the first two cores of this process (one if there
 * is but one), over n of them after n / 10 more. */
double raw_barrier_ns(int P, int n);

/* The same for broadcasts of 8 bytes along a binomial tree, each from the next root. */
double raw_broadcast_ns(int P, int n);

#endif
