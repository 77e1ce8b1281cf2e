/* SPDX-License-Identifier: MIT */
/* The functions that the executable calls in place of those of MPI, which check arguments, take times and
 * record calls. */
#ifndef LOGP_MPI_TIMED_H
#define LOGP_MPI_TIMED_H

#include "calls.h"
#include "mpi/standard/world.h"

#include <mpi.h>

struct job;

/* timed.c: one of them */
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
#endif
