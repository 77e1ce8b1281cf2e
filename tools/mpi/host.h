/* SPDX-License-Identifier: MIT */
/*
 * Ranks as programs of this process: each has a copy of the executable with globals of its own, and
 * what the C library keeps once for a process it has for itself.
 */
#ifndef LOGP_MPI_HOST_H
#define LOGP_MPI_HOST_H

#include "state.h"

typedef int main_function(int argc, char **argv, char **env);

struct exit_call {
    struct exit_call *next;
    void (*function)(void *arg);
    void *arg;
};

/* A stream of a rank, written in whole lines. */
struct lines {
    char *text;
    size_t n, capacity;
};

struct host_rank {
    jmp_buf end;
    bool running, exiting;
    int code, rc;    /* its exit code; the error that ended the run */
    uintptr_t place; /* where it was when the run ended: place_here() */
    struct exit_call *exit_calls;
    struct lines out, err;
    struct random_data random;
    char random_state[128];
    struct drand48_data drand48;
    char *token; /* of strtok() */
    void *image;
};

struct job {
    int argc;
    char **argv;
    const char *path; /* also for other folders and processes */
    char *file;       /* the executable, in memory */
    size_t file_bytes;
    main_function *main; /* not NULL: there is one rank, which is this process's own program */
    bool tags_output;
    int n_ranks;
    struct rank *ranks;
    struct host_rank *hosts;
    _Atomic int abort_code; /* of MPI_Abort(); -1: none */
};

extern struct job *the_job; /* NULL: none runs */

/* End this rank with an exit code, after its exit handlers; or because the run has ended. */
void leave_rank(int code, int rc) __attribute__((noreturn));
/* The rank that this thread runs; NULL: none. */
struct rank *rank_here(void);

/* image.c */
int read_image(struct job *job, char *why, size_t size);
/* Load a copy of the executable. @return its entry; NULL: *why says why not */
void *load_image(struct job *job, struct host_rank *host, char *why, size_t size);
void enter_image(void *entry);
/* The function at this address of the file. @return NULL: unknown; *offset: from its start */
const char *function_at(const struct job *job, uintptr_t address, uintptr_t *offset);

/* place.c: safe in signal handlers */
enum { MOST_PLACES = 16, PLACE_TEXT = 128 };

/* Where the calling rank is: an address of the executable's file; 0: unknown */
uintptr_t place_here(void);
/* Name at most MOST_PLACES places: " (file.c:12)"; nothing where the place is 0. */
void name_places(const struct job *job, const uintptr_t *places, int n, char (*texts)[PLACE_TEXT]);
/* The same of place_here(). @param text  PLACE_TEXT bytes. @return text */
const char *name_here(char *text);

/* libc.c */
void begin_output(void);
void end_output(struct rank *r);

#endif
