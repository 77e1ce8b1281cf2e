/* SPDX-License-Identifier: MIT */
/* What `logp mpirun` calls of the MPI library, which it finds by name. */
#ifndef LOGP_MPI_RUN_H
#define LOGP_MPI_RUN_H

#include "mpi/profile/calls.h"
#include "mpi/standard/world.h"

#include <logp/logp.h>

#include <stdbool.h>

struct mpi_program {
    const struct mpi_program
        *next; /* the program of the ranks after those of this one: path, argc, argv and n_ranks */
    int n_ranks; /* of this program; 0: all */
    const char *path;
    const char *locals; /* the library that holds its thread-local variables; "": none */
    int argc;
    char **argv; /* as main() gets them */
    bool tags_output;
    bool quiet, verbose;
    bool is_debugged;                       /* by gdb, which knows what the loader has */
    const char *const *shared, *const *own; /* --share, --private: names of libraries, and NULL */
    bool checks;                            /* --check */
    bool checks_fail;     /* --check fail: the exit code is not 0 if they name something */
    bool checksums;       /* --checksum */
    size_t queue_limit;   /* --queue-limit, in bytes */
    bool synchronizes;    /* blocking collectives wait for all their ranks */
    bool may_differ;      /* --same-results no */
    bool looks;           /* measure, roughly, what ranks compute */
    bool looks_for_loops; /* name a rank that waits in a loop of its own for one of its core */
    bool only_lists;      /* --dry-run: do not run it, but list the missing functions */
    bool names_threads;   /* each rank is a thread: "rank 3" */
    double compute;       /* factor on the time that a rank itself computes here; 0: no time */
    int64_t timeout_ns;
    bool real_clocks;           /* --real-clocks */
    int64_t epoch_ns;           /* --epoch, since 1970 */
    struct mpi_storage storage; /* --storage; free_ns is NULL: the run has it */
    bool used_files;            /* set by the run: a rank has opened or deleted a file */
    int node_size;      /* ranks of a node, which share memory and a name; 0: all are of one */
    size_t stack_bytes; /* of each rank */
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

/* needs.c: list the functions of MPI that it needs and that are not there. @return the exit code; 1: there are some */
int mpi_list_missing(const struct mpi_program *program);
/* Run it as the ranks of a machine, or of the exploration's own. @return the exit code */
int logp_mpi_run(struct logp_machine *m, struct mpi_program *program);

/* Each rank of a program in Fortran calls it first: the code from `from` to `to` is its subroutines of MPI, *caller is where the
 * last of them was called, and flush() writes what its units keep. */
void logp_mpi_wrappers(const char *from, const char *to, void *const *caller, void (*flush)(void));

#endif
