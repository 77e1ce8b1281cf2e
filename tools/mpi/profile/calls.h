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

/* A call of a rank on the time axis, or neighbouring calls that share a bar. */
struct mpi_bar {
    int64_t start_ns, end_ns; /* of the first, and of the last */
    int64_t most_ns;          /* of the longest */
    int64_t n;
    int site; /* of the longest */
};

/* Merge neighbours in pairs. @return how many remain */
static inline size_t mpi_merge_bars(struct mpi_bar *bars, size_t n)
{
    size_t kept = 0;

    for (size_t i = 0; i < n; i += 2) {
        bars[kept] = bars[i];
        if (i + 1 < n) {
            const int64_t most_ns = bars[i + 1].most_ns;

            bars[kept].end_ns = bars[i + 1].end_ns;
            bars[kept].n += bars[i + 1].n;
            bars[kept].site = most_ns > bars[i].most_ns ? bars[i + 1].site : bars[i].site;
            bars[kept].most_ns = most_ns > bars[i].most_ns ? most_ns : bars[i].most_ns;
        }
        kept++;
    }
    return kept;
}

/* What --report shows of the calls; the memory stays. */
struct mpi_report {
    int n_ranks, n_sites, n_collectives;
    struct mpi_site *sites;
    struct mpi_call *calls; /* of rank r at site s: r * n_sites + s */
    struct mpi_bar *bars;   /* of rank r: from first_bar[r] to first_bar[r + 1]; NULL: none */
    size_t *first_bar;
    struct mpi_collective *collectives;
    /* How long after the first rank each rank calls a blocking collective of all ranks: the mean
     * over the calls whose times are kept. NULL: there are none */
    int64_t *arrivals_ns;
};

/* An algorithm that the calls of its collective take. */
struct mpi_forced {
    const struct logp_algorithm *algorithm; /* NULL: the end of an array */
    struct logp_args knobs;                 /* no other field of it; 0: the algorithm chooses */
};

#endif
