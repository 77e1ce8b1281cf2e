/* SPDX-License-Identifier: MIT */
/* The ranks of MPI, as guests of the host: what belongs to a run and to no rank. */
#ifndef LOGP_MPI_WORLD_H
#define LOGP_MPI_WORLD_H

#include "host.h"
#include "run.h"
#include "state.h"

/* What the first member has given to a collective: signature.c */
struct member_call {
    uint64_t key; /* of the communicator and the number of the collective */
    uint32_t hash, place;
    int rank;
};

enum { N_MEMBER_CALLS = 256 }; /* some of the last ones: the others are not compared */

/* The reports of the checks in this run: most are printed once, or by few ranks. */
struct said {
    atomic_flag conflict, use, unused, types, returned, order;
    _Atomic bool any;                     /* the checks have named something */
    _Atomic int requests, messages, sums; /* ranks, ranks, lines */
    pthread_mutex_t mutex; /* of what follows: places whose objects are left; and members */
    struct {
        const char *call;
        uintptr_t place;
    } left[16];
    int n_left;
    uintptr_t accesses[16]; /* accesses.c: places */
    int n_accesses;
    struct member_call members[N_MEMBER_CALLS];
    struct order { /* signature.c */
        _Atomic uint64_t word;
        _Atomic uint32_t place; /* of the call; stored before the word */
    } orders[N_MEMBER_CALLS];
};

/* The command's options for this run, and its reports. */
struct run {
    struct said said;
    struct rank *ranks; /* of the host's job */
    bool checks, checks_fail, checksums;
    double compute;                  /* of struct mpi_program */
    const struct mpi_forced *forced; /* the same */
    size_t queue_limit;              /* the same */
    bool records_calls;              /* --report */
    bool synchronizes;               /* blocking collectives wait for all their ranks */
    bool may_differ;                 /* --same-results no */
    bool times_calls; /* the executable calls the functions of timed.c: for --compute or --report */
};

extern struct run the_run;

/* run.c */
int run_rank(struct logp_vp *vp, void *job);
/* The text, with MPI's names of the runtime's calls. */
void print_calls(FILE *f, const char *text);
/* explore.c: the program in many orders of events. @return the exit code */
int explore(struct job *job, const struct mpi_program *program);

/* timed.c: the functions that the executable calls in place of a function of MPI. */
struct second_function {
    const char *name;
    void (*function)(void), (*checked)(void), (*timed)(void); /* checked: NULL: it needs none */
};
extern const struct second_function second_functions[]; /* the last has no name */
void charge_computing(void);
void resume_computing(void);
/* Around each of them. caller: its return address */
void begin_call(const char *call, void *caller);
void end_call(void);
/* That argument is null. @return a class */
int null_argument(const char *call, MPI_Comm comm, const char *parameter);
/* Let the executable call the second functions, where no tool has put its own before MPI's. */
void bind_functions(struct job *job);

/* calls.c: what a rank calls, for --report; and --algo */
void decide_calls(void);
void note_call_begin(struct rank *r, const char *call, void *caller);
void note_call_end(struct rank *r);
void note_calls_left(struct rank *r); /* it ends within a call */
void collect_calls(const struct job *job, struct mpi_report *report);
/* handles.c: a call of the program has made what this handle points to. caller: its return address */
void note_object(const char *what, const char *call, void *handle, void *caller);
/* attributes.c: the same of a key value */
void note_keyval(int keyval, const char *call, void *caller);

#endif
