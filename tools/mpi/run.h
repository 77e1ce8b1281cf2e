/* SPDX-License-Identifier: MIT */
/* What `logp mpirun` calls of the MPI library, which it finds by name. */
#ifndef LOGP_MPI_RUN_H
#define LOGP_MPI_RUN_H

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

struct mpi_program {
    const char *path;
    int argc;
    char **argv; /* as main() gets them */
    bool tags_output;
    bool quiet;
    bool checks;        /* --check */
    bool checks_fail;   /* --check fail: the exit code is not 0 if they name something */
    bool checksums;     /* --checksum */
    size_t queue_limit; /* --queue-limit, in bytes */
    bool synchronizes;  /* blocking collectives wait for all their ranks */
    bool may_differ;    /* --same-results no */
    bool looks;         /* measure, roughly, what ranks compute */
    bool names_threads; /* each rank is a thread: "rank 3" */
    double compute;     /* factor on the time that a rank itself computes here; 0: no time */
    int64_t timeout_ns;
    size_t stack_bytes;                   /* of each rank */
    const struct logp_check *exploration; /* --explore: how; NULL: the program runs once */
    const struct mpi_forced *forced;      /* --algo; NULL: none */
    struct mpi_report *report;            /* --report: to be filled; NULL: none */
    /* Set by the run: a rank has not come back, and holds what locks it has: end by _exit() alone. */
    bool is_abandoned;
    int64_t computed_ns; /* what a rank has computed at most, where that is measured */
    int64_t ended_ns,
        late_ns; /* and the emulated time at the end, and how much later the host was */
    /* logp_machine_run(), or what ends it at a signal */
    int (*run)(struct logp_machine *m, logp_program program, void *arg, int64_t timeout_ns);
};

/* Run it as the ranks of a machine, or of the exploration's own. @return the exit code */
int logp_mpi_run(struct logp_machine *m, struct mpi_program *program);

#endif
