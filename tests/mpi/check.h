/* SPDX-License-Identifier: MIT */
/* What the MPI programs of this folder share: a check that names itself and ends the program. */
#ifndef LOGP_TESTS_MPI_CHECK_H
#define LOGP_TESTS_MPI_CHECK_H

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(holds)                                                                               \
    do {                                                                                           \
        if (!(holds)) {                                                                            \
            printf("%s:%d: %s does not hold\n", __FILE__, __LINE__, #holds);                       \
            MPI_Abort(MPI_COMM_WORLD, 3);                                                          \
        }                                                                                          \
    } while (0)

#endif
