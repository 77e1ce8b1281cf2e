/* SPDX-License-Identifier: MIT */
/* A failure that the test kit has found, shown again by the program that has it. */
#ifndef LOGP_TOOL_REPLAY_H
#define LOGP_TOOL_REPLAY_H

#include "question/question.h"
#include "text/problem.h"

#include <sys/types.h>

/* The outcome of a replay; of several checks that took part, the outcome listed first. */
enum replay_outcome {
    REPLAYED_AGAIN,     /* it failed as it did */
    REPLAYED_OTHERWISE, /* it failed in another way */
    REPLAYED_PASSED,    /* it does not fail */
    REPLAYED_FIXED,     /* it does not fail, with the same choices */
    REPLAYED_STALE,     /* the program does not come to the same choices */
    REPLAYED_NOT,       /* it could not be run: error */
    REPLAY_NOT_REACHED, /* the program made no check of this name and P */
};

struct replayed {
    enum replay_outcome outcome;
    int error; /* what logp_check() returned */
    char *text;
    struct logp_trace *trace;   /* NULL: none was wanted, or there is none */
    bool steps;                 /* its times are steps */
    struct logp_trace *nearest; /* the nearest run that passes; NULL: none is known */
    char *point;                /* where the two differ */
};

/* ---- start.c ---- */

/* Read a replay file. *out: to be freed */
CHECKED struct problem *read_replay(const char *path, struct logp_replay **out);
/* Run the program of the file, or q->line.rest if that is given, and read its answers. Its stdout
 * is stderr. */
CHECKED struct problem *run_replay(const struct question *q, const char *path,
                                   const struct logp_replay *r, bool traced, struct replayed *out);
void free_replayed(struct replayed *what);

/* ---- output.c ---- */

/* Write what the program prints, without the report of its failure, to stderr until it has ended. @return its status */
int pass_output(pid_t child, int from, int answers);

/* ---- trusted.c ---- */

/* Print the command of the file, which will be started; a problem unless its program is in the
 * folder of the file or the current one: then the user must name it. */
CHECKED struct problem *trust_command(const char *path, const struct logp_replay *r);
/* The same for the program of logp mpirun or logp explore, the command, if a replay has started that; a replay repeats
 * explored runs only. */
CHECKED struct problem *trust_program(const char *command, const char *program, bool explored);

/* ---- answers.c ---- */

/* Read the answers of the program's checks, as the library of check.h writes them. */
struct replayed read_answers(const char *text, size_t n);
/* Those that are in this file by now. */
struct replayed take_answers(int file);

#endif
