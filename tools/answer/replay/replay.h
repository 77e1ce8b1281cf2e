/* SPDX-License-Identifier: MIT */
/* A failure that the test kit has found, shown again by the program that has it. */
#ifndef LOGP_TOOL_REPLAY_H
#define LOGP_TOOL_REPLAY_H

#include "question/question.h"

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

/* Read a replay file; ends the process if it is missing or wrong. To be freed. */
struct logp_replay *read_replay(const char *path);

/* ---- start.c ---- */

/* Run the program of the file, or o->rest if that is given, and read its answers. Its stdout is
 * stderr. Ends the process if the program cannot be started. */
struct replayed run_replay(const struct question *q, const char *path, const struct logp_replay *r,
                           bool traced);
/* Print the outcome, the failure on stdout. @return an exit code */
int tell_replayed(const char *path, const struct logp_replay *r, const struct replayed *what);
/* Print a line on stderr if it passes or fails in another way. @return EXIT_OK */
int tell_changed(const char *path, const struct logp_replay *r, const struct replayed *what);
void free_replayed(struct replayed *what);

/* ---- trusted.c ---- */

/* Print the command of the file, which will be started; ends the process unless its program is in
 * the folder of the file or the current one: then the user must name it. */
void trust_command(const char *path, const struct logp_replay *r);
/* The same for the program of logp mpirun, if a replay has started that; a replay repeats explored
 * runs only. */
void trust_program(const char *program, bool explored);

/* ---- answers.c ---- */

/* Read the answers of the program's checks, as the library of check.h writes them. */
struct replayed read_answers(const char *text, size_t n);

#endif
