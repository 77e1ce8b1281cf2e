/* SPDX-License-Identifier: MIT */
/*
 * The timing rules once more: a plain simulation of events, one after the other, which the suites
 * hold the machine, the fold and the formulas against. It shares no code with the library but the
 * draws of latencies that vary, the routes of a topology and the parameters of a link.
 *
 * On a topology the send that is first by (start, rank) is first on its links. A link is known by
 * its two ends. A message takes the port on which it can start first, of several the lowest.
 */
#ifndef LOGP_TESTS_SIMULATOR_H
#define LOGP_TESTS_SIMULATOR_H

#include <logp/logp.h>

#include <stdbool.h>
#include <stdint.h>

enum { NONE = -1 };

/* EXCHANGE: send to peer and receive from it. ISEND: computes `time` before it is waited for. */
enum sim_kind { SEND, RECV, COMPUTE, EXCHANGE, ISEND };

struct sim_op {
    enum sim_kind kind;
    int peer, tag;
    size_t n_bytes;
    int64_t time;
    int id; /* of the message sent */
};

/* What a rank does, and what comes of it. */
struct sim_rank {
    const struct sim_op *ops;
    int n;
    int64_t end; /* out: when it ended */
    int *took;   /* out: which message each of its receives took; NONE: one too short for its id */
    int64_t *arrival; /* out: and when that arrived. Both NULL: not wanted */
};

/* A program on a network. Where sends wait for their receivers there is no capacity, no topology and
 * no receive from any source. */
struct sim {
    int P;
    struct sim_rank *ranks;
    struct logp_network model;
    const struct logp_delay *draws; /* of latencies that vary; NULL: all are the longest */
    int64_t end;                    /* out: of the last rank */
    struct logp_link_use use;       /* out: what the links passed */
};

/* @return 0; -ENOMEM; -EDEADLK: a rank waits for ever */
int sim_run(struct sim *s);

static inline bool sim_receives(const struct sim_op *op)
{
    return op->kind == RECV || op->kind == EXCHANGE;
}

#endif
