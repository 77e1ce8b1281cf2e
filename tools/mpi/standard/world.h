/* SPDX-License-Identifier: MIT */
/* What belongs to a run and to no rank: the options of the command. */
#ifndef LOGP_MPI_WORLD_H
#define LOGP_MPI_WORLD_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct mpi_forced;
struct rank;

/* --storage: what operations on files take. */
struct mpi_storage {
    int n_servers; /* 0: nothing is emulated */
    int64_t latency_ns;
    double ns_per_byte; /* of one server */
    int64_t *free_ns;   /* of each server: when it has done all operations so far */
};

/* What --report notes of a call that waits. */
struct paused {
    const char *call;
    void *caller;
    int depth, open;
    uint32_t outer, label;
    int64_t began_ns, opened_ns;
};

/* The command's options for this run, and its reports. */
struct run {
    struct rank *ranks;      /* of the host's job */
    atomic_flag said_unused; /* --algo: that an algorithm does not apply */
    bool checks, checks_fail, checksums;
    double compute;                  /* of struct mpi_program */
    const struct mpi_forced *forced; /* the same */
    size_t queue_limit;              /* the same */
    bool records_calls;              /* --report */
    bool synchronizes;               /* blocking collectives wait for all their ranks */
    bool may_differ;                 /* --same-results no */
    struct mpi_storage storage;
    _Atomic bool has_files;    /* a rank has opened or deleted a file */
    _Atomic bool has_multiple; /* MPI_Init_thread() has granted a rank MPI_THREAD_MULTIPLE */
    bool
        times_calls; /* the executable calls the functions of profile/timed.c: for --compute or --report */
    /* --report: the call of a rank's thread waits, and other threads call for the rank; and it continues. NULL: nothing is noted */
    void (*pauses)(struct rank *r, struct paused *out);
    void (*resumes)(struct rank *r, const struct paused *paused);
};

extern struct run the_run;

#endif
