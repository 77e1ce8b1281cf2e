/* SPDX-License-Identifier: MIT */
/*
 * The measurement that this library (peer.c) and an MPI (mpi/peer.c) take in the same way; compared
 * by bench/peers. It knows neither: what a processor can do is a table of functions.
 */
#ifndef LOGP_BENCH_PEER_H
#define LOGP_BENCH_PEER_H

#include <stdbool.h>
#include <stddef.h>

/* A processor. Its functions get self, and return 0 or an error. */
struct peer {
    int P, rank;
    void *self;
    int (*barrier)(void *self);
    int (*broadcast)(void *self, void *buf, size_t n_bytes, int root);
    /* sums of n int64 */
    int (*reduce)(void *self, const void *out, void *in, int n, int root);
    int (*allreduce)(void *self, const void *out, void *in, int n);
    int (*scan)(void *self, const void *out, void *in, int n);
    int (*reduce_scatter)(void *self, const void *out, void *in, int n); /* of a block */
    /* n_bytes: of a block */
    int (*scatter)(void *self, const void *out, void *in, size_t n_bytes, int root);
    int (*gather)(void *self, const void *out, void *in, size_t n_bytes, int root);
    int (*allgather)(void *self, const void *out, void *in, size_t n_bytes);
    int (*alltoall)(void *self, const void *out, void *in, size_t n_bytes);
    int (*send)(void *self, int to, const void *buf, size_t n_bytes);
    int (*recv)(void *self, int from, void *buf, size_t n_bytes);
    char *out, *in; /* used by peer_measure() */
};

/*
 * Measure the operations whose names are among the words (none: all that there are for P); all
 * processors call it. Rank 0 prints a line for each: its name and its time in ns, the median of
 * samples of at least 0.5 ms, or 20 ms where there are more processors than cores.
 */
int peer_measure(struct peer *p, int n_words, char **words);

/* Are all words names of operations? If not, says so on stderr, in the program's name. */
bool peer_known(const char *program, int n_words, char **words);

#endif
