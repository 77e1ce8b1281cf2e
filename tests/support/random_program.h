/* SPDX-License-Identifier: MIT */
/*
 * Random programs, free of deadlock by construction, and what must come of them.
 *
 * A program is a random global sequence of sends, receives and computations in which every message
 * is sent before it is received; each vp executes its own part of it in that order. Sends never
 * wait for receivers, so the sequence itself is a schedule. Messages of the tag ANY are received
 * from any source, and from no other.
 *
 * Under the virtual clock every vp's clock and every receive agree with the simulation of simulator.h
 * (random_simulate(), random_differ()). In any other order too each receive takes the next of what it
 * could (random_unsound()).
 */
#ifndef LOGP_TESTS_RANDOM_PROGRAM_H
#define LOGP_TESTS_RANDOM_PROGRAM_H

#include "simulator.h"

/* MOST_P: of random_generate(); MOST_RANKS: of any program */
enum { MOST_P = 8, MOST_RANKS = 16, MOST_OPS = 256, ANY = 9, TAGS = 3, MOST_BYTES = 80 };

struct random_program {
    int P, n_ops[MOST_RANKS], n_messages;
    struct sim_op ops[MOST_RANKS][MOST_OPS];
    struct logp_params params;
    const struct logp_topology *topology; /* or NULL */
    const struct logp_links *links;       /* or NULL */
    int64_t ports;                        /* of each rank; 0: one */
    int64_t
        rendezvous_from; /* bytes, of which none count as one; 0: no send waits for its receiver.
                              * Where some do: no capacity, no topology, no receive from any source */
};

/* What happened: when each vp ended, which message each of its receives took, and when that
 * arrived. NONE: a message too short for its id. Of the simulation: what the links passed. */
struct random_outcome {
    int64_t end[MOST_RANKS];
    int took[MOST_RANKS][MOST_OPS];
    int64_t arrival[MOST_RANKS][MOST_OPS];
    struct logp_link_use use;
};

/* What random_run() is told and tells. */
struct random_run {
    const struct random_program *g;
    struct random_outcome out;
};

/* A program for P ranks; the same from the same state of `random`. */
void random_generate(struct random_program *g, uint64_t *random, int P);
/* One for the ranks of a topology, in rounds: in each, every rank computes and sends now and then,
 * and then receives all that was sent to it in this round, by source. near: only along links. */
void random_generate_rounds(struct random_program *g, uint64_t *random,
                            const struct logp_topology *topology, bool near);
/* The model of its parameters. @return as logp_delay_create() */
int random_delay(const struct random_program *g, struct logp_delay *out);
/* Is there a time ahead of which nothing can happen, as several cores need it? */
bool random_has_lookahead(const struct random_program *g);
/* What must come of it under the virtual clock. @return 0; -ENOMEM; -EDEADLK: it is no program */
int random_simulate(const struct random_program *g, struct random_outcome *out);
/* What every vp executes; arg: a struct random_run. @return 0; as logp_send() and logp_recv();
 * -EPROTO: a payload is not what was sent */
int random_run(struct logp_vp *vp, void *arg);
/* The first rank that ended at another time, or took another message or at another time; -1: none. */
int random_differ(const struct random_program *g, const struct random_outcome *a,
                  const struct random_outcome *b);
/* Whatever the order of events was: the first rank that took a message that was not due, or not
 * one that was; -1: none. */
int random_unsound(const struct random_program *g, const struct random_outcome *out);
/* The time of the last rank as the fold has it, which needs no program to run.
 * @return 0; -ENOTSUP: it receives from any source; as logp_schedule_fold() */
int random_fold(const struct random_program *g, const struct logp_delay *delay, int64_t *ns);

#endif
