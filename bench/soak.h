/* SPDX-License-Identifier: MIT */
/*
 * The parts of bench_soak: kinds of work, in parts that follow from a seed and their number alone.
 * So it can be interrupted and resumed, and a part that fails can run by itself.
 */
#ifndef LOGP_BENCH_SOAK_H
#define LOGP_BENCH_SOAK_H

#include <logp/logp.h>

#include <stdbool.h>
#include <stdint.h>

struct soak_part {
    uint64_t seed;   /* of the whole */
    uint64_t number; /* of this part, from 0 */
    uint64_t random; /* drawn from both */
    char what[200];  /* out: a description of the part, with its failure */
};

struct soak_kind {
    const char *name; /* of its option and of the things it counts: "messages" */
    uint64_t usual;   /* the default number of these */
    /* @return the number done, > 0; -EINTR: interrupted; another negative errno: a failure */
    int64_t (*run)(struct soak_part *part);
    void (*end)(void); /* free data of all parts; NULL: nothing is kept from part to part */
};

extern const struct soak_kind soak_messages, soak_programs, soak_lives;

/* Run a part of soak_messages (soak_exchange.c). @return as soak_kind.run() */
int64_t soak_exchange(struct soak_part *part);
/* Run a program; an interruption ends the run. @return as logp_machine_run() */
int soak_run(struct logp_machine *m, logp_program program, void *arg);
/* @return whether a signal has requested the end */
bool soak_interrupted(void);

/* @return a random number 0 .. n-1 */
uint64_t soak_below(struct soak_part *part, uint64_t n);

#endif
