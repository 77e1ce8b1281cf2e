/* SPDX-License-Identifier: MIT */
/*
 * two_tree.c: two binary trees over all processors but the root, of which each carries half of the
 * data in segments; who passes on the one half is a leaf for the other.
 */
#ifndef LPI_TWO_TREE_H
#define LPI_TWO_TREE_H

#include "predict/predict.h"

#include <logp/algorithm.h>

/* Of a segment: how long a processor is busy that sends one and receives one, and combines it; the
 * least time between two sends, or receives, and for both; its way through the network. */
struct lpi_hop {
    int64_t busy, step, flight;
};

struct lpi_hop lpi_hop_of(const struct logp_params *p, size_t n_bytes, int64_t combine_ns);

/* What a whole of bytes or elements is cut into: two halves of n segments, as even as can be. */
struct lpi_halves {
    int64_t whole, n;
};

/* Where segment i of a half begins; i <= n */
int64_t lpi_segment_begin(const struct lpi_halves *h, int half, int64_t i);
/* Segments of that size, of which the last may be smaller; 0: one, of nothing. */
struct lpi_halves lpi_halves_of(int64_t whole, int64_t size);

/* The segments of one half that go from or to one processor. */
struct lpi_stream {
    int64_t start; /* the step of the first; the others follow two steps apart */
    int peer;      /* rank */
    bool sends;
    bool first; /* up, receives: nothing of that half has come before it */
    bool leaf;  /* sends: this processor does not receive that half */
    int half;
};

enum { LPI_STREAMS = 4 };

/* What a processor does, in part.state. */
struct lpi_two_tree {
    struct lpi_halves halves;
    int64_t receive_steps; /* that a receive makes: itself, and what follows on it */
    int n_streams;
    struct lpi_stream streams[LPI_STREAMS]; /* in the order of a pair of steps */
    /* From a pair of steps on, `before` steps of the schedule are done, and so many are in each. */
    struct lpi_pace {
        int64_t pair, before, each;
    } paces[2 * LPI_STREAMS];
};

/* How large segments of such a whole are at most: as asked for, but not more than a half; 0: as for
 * as many as the time is least for. hop_of: of a size in the whole's unit. */
int64_t
lpi_two_tree_segment(int64_t P, const struct logp_invocation *c, int64_t whole, int64_t asked,
                     struct lpi_hop (*hop_of)(const struct logp_invocation *c, int64_t size));
/* down: from the root; else to it. 0; -ENOMEM */
int lpi_two_tree_plan(int P, int rank, struct logp_invocation *c, const struct lpi_halves *halves,
                      const struct lpi_hop *hop, bool down);
/* Step i of the schedule: of which stream, which segment, and which of the steps that it makes.
 * NULL: it is through, *segment steps before. */
const struct lpi_stream *lpi_two_tree_at(const struct lpi_two_tree *t, int64_t i, int64_t *segment,
                                         int64_t *part);
/* At most. P >= 2 */
__int128 lpi_two_tree_time(int64_t P, int64_t n, const struct lpi_hop *hop);

#endif
