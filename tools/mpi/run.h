/* SPDX-License-Identifier: MIT */
/* What `logp mpirun` calls of the MPI library, which it finds by name. */
#ifndef LOGP_MPI_RUN_H
#define LOGP_MPI_RUN_H

#include <logp/logp.h>

#include <stdbool.h>

struct mpi_program {
    const char *path;
    int argc;
    char **argv; /* as main() gets them */
    bool tags_output;
    bool quiet;
    bool checks;        /* --check */
    bool names_threads; /* each rank is a thread: "rank 3" */
    double compute;     /* a rank's own computing takes this times what it takes here; 0: nothing */
    int64_t timeout_ns;
    const struct logp_check *exploration; /* --explore: how; NULL: the program runs once */
    /* logp_machine_run(), or what ends it at a signal */
    int (*run)(struct logp_machine *m, logp_program program, void *arg, int64_t timeout_ns);
};

/* Run it as the ranks of a machine, or of the exploration's own. @return the exit code */
int logp_mpi_run(struct logp_machine *m, const struct mpi_program *program);

#endif
