/* SPDX-License-Identifier: MIT */
/* What the MPI library records of a program's calls, and what the command shows of it. */
#ifndef LOGP_MPI_CALLS_H
#define LOGP_MPI_CALLS_H

#include <logp/logp.h>

#include <stdbool.h>

/* The calls of one rank at one place of the program. */
struct mpi_call {
    uint64_t n;
    int64_t ns, most_ns; /* of all together, and of the longest */
};

struct mpi_site {
    const char *call; /* "MPI_Recv" */
    char place[128];  /* " (prog.c:12)"; "": unknown */
    char label[64];   /* of the events of its messages in a trace */
    int same;         /* the first with this call and place, which has the times of all */
};

/* The calls of one collective with the same arguments, by the same ranks, at any place. */
struct mpi_collective {
    const char *call;
    const struct logp_algorithm *algorithm; /* that it took */
    struct logp_args args;
    struct logp_op op; /* of args */
    int P;
    bool started; /* nonblocking: it has no times */
    uint64_t n;
    /* From the last rank's call to the last rank's return, in n_timed of these calls. */
    uint64_t n_timed;
    int64_t ns, least_ns, most_ns;
};

/* What --report shows of the calls; the memory stays. */
struct mpi_report {
    int n_ranks, n_sites, n_collectives;
    struct mpi_site *sites;
    struct mpi_call *calls; /* of rank r at site s: r * n_sites + s */
    struct mpi_collective *collectives;
};

/* An algorithm that the calls of its collective take. */
struct mpi_forced {
    const struct logp_algorithm *algorithm; /* NULL: the end of an array */
    struct logp_args knobs;                 /* no other field of it; 0: the algorithm chooses */
};

#endif
