/* SPDX-License-Identifier: MIT */
/*
 * What bench_soak is made of: kinds of work, in parts that follow from a seed and their number
 * alone, so that it can be interrupted and taken up again, and a part that fails be run by itself.
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
    char what[200];  /* out: what it was, and what went wrong */
};

struct soak_kind {
    const char *name; /* of its option and of what is counted: "messages" */
    uint64_t usual;   /* so many, if nothing is said */
    /* @return how many were done, > 0; negative errno: -EINTR: it was interrupted */
    int64_t (*run)(struct soak_part *part);
    void (*end)(void); /* NULL: nothing is kept from part to part */
};

extern const struct soak_kind soak_messages, soak_programs, soak_lives;

/* A part of soak_messages: soak_exchange.c. As soak_kind.run() */
int64_t soak_exchange(struct soak_part *part);
/* A run that an interruption ends. As logp_machine_run(). */
int soak_run(struct logp_machine *m, logp_program program, void *arg);
/* Has somebody asked for the end? */
bool soak_interrupted(void);

/* 0 .. n-1 */
uint64_t soak_below(struct soak_part *part, uint64_t n);

#endif
