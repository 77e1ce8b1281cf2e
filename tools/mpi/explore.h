/* SPDX-License-Identifier: MIT */
/* One run of a program, and many of them. */
#ifndef LOGP_MPI_EXPLORE_H
#define LOGP_MPI_EXPLORE_H

#include "host/host.h"
#include "run.h"

/* run.c */
int mpi_run_rank(struct logp_vp *vp, void *job);
/* explore.c: the program in many orders of events. @return the exit code */
int mpi_explore(struct job *job, const struct mpi_program *program);
/* The text, with MPI's names of the runtime's calls. */
void mpi_print_calls(FILE *f, const char *text);

#endif
