/* SPDX-License-Identifier: MIT */
/* A function of MPI that is not there: it names itself and ends the run. */
#ifndef LOGP_MPI_MISSING_H
#define LOGP_MPI_MISSING_H

int mpi_end_for_missing(const char *name);

#define MISSING(name)                                                                              \
    int MPI_##name(void);                                                                          \
    __attribute__((visibility("default"))) int MPI_##name(void)                                    \
    {                                                                                              \
        return mpi_end_for_missing("MPI_" #name);                                                  \
    }

#endif
