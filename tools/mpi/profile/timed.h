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
void profile_charge_computing(void);
void profile_resume_computing(void);
/* Around each of them. caller: its return address */
void profile_begin_call(const char *call, void *caller);
void profile_end_call(void);
/* Around those that return a time or an address, and are not reported. */
void profile_begin_time(const char *call);
void profile_end_time(void);
/* That argument is null. @return a class */
int profile_null_argument(const char *call, MPI_Comm comm, const char *parameter);
/* Let the executable call the second functions, where no tool has put its own before MPI's. */
void profile_bind_functions(struct job *job);

/* calls.c: what a rank calls, for --report; and --algo */
void profile_decide(void);
void profile_call_begins(struct rank *r, const char *call, void *caller);
void profile_call_ends(struct rank *r);
void profile_calls_left(struct rank *r); /* it ends within a call */
void profile_collect(const struct job *job, struct mpi_report *report);
#endif
