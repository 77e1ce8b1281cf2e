/* SPDX-License-Identifier: MIT */
/* A failure that the test kit has found, shown again by the program that has it. */
#ifndef LOGP_TOOL_REPLAY_H
#define LOGP_TOOL_REPLAY_H

#include "options/options.h"

/* What came of a replay; of several checks that had a part in it the best, which is the first. */
enum replay_outcome {
    REPLAYED_AGAIN,     /* it failed as it did */
    REPLAYED_OTHERWISE, /* it failed in another way */
    REPLAYED_PASSED,    /* it does not fail */
    REPLAYED_FIXED,     /* nor does it, with the same choices */
    REPLAYED_STALE,     /* the program does not come to the same choices */
    REPLAYED_NOT,       /* it could not be run: error */
    REPLAY_NOT_REACHED, /* no check of the program came to it */
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

/* A replay file, which there must be: ends the process otherwise. To be freed. */
struct logp_replay *read_replay(const char *path);

/* ---- start.c ---- */

/* Run the program of the file, or o->rest, where that is given; it answers. Ends the process where
 * it cannot be started. What it prints goes to stderr. */
struct replayed run_replay(const struct options *o, const char *path, const struct logp_replay *r,
                           bool traced);
/* Say what came of it, the failure on stdout. @return an exit code */
int tell_replayed(const char *path, const struct logp_replay *r, const struct replayed *what);
/* Say on stderr alone if it has not failed as it did. @return EXIT_OK */
int tell_changed(const char *path, const struct logp_replay *r, const struct replayed *what);
void free_replayed(struct replayed *what);

/* ---- trusted.c ---- */

/* Say which command of the file will be started; ends the process where its program is elsewhere than the file
 * and the current folder: then the user must name it. */
void trust_command(const char *path, const struct logp_replay *r);
/* The same of the program of logp mpirun, if a replay has started that: explored is all that a replay repeats. */
void trust_program(const char *program, bool explored);

/* ---- answers.c ---- */

/* What the program's checks have written, as check.h's library writes it. */
struct replayed read_answers(const char *text, size_t n);

#endif
