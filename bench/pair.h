/* SPDX-License-Identifier: MIT */
/*
 * The reference for messages between cores: two threads, pinned to the first two cores, with
 * nothing between them but memory. Also for programs without the library.
 */
#ifndef LOGP_BENCH_PAIR_H
#define LOGP_BENCH_PAIR_H

#include <stddef.h>

enum {
    PAIR_LONE_BYTES = 40, /* of a message that has a cache line to itself ... */
    PAIR_TWO_BYTES = 24,  /* ... and of one that shares it with another */
};

/* Measure half a round trip of n_bytes: up to 8 are a bare flag, more are copied into the other
 * side's buffer. @return ns, the mean of `trips` round trips after a tenth as many */
double pair_trip_ns(size_t n_bytes, int trips);

/* Measure n messages that both threads send to each other at once through rings. A slot is a cache
 * line, with one message or with two, published by one store. @return ns for each message and core,
 * sent and received */
double pair_ring_ns(int per_line, long n);

#endif
