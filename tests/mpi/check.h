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

/* This rank, and how many there are. */
static int me __attribute__((unused)), P __attribute__((unused));

static inline void start(int *argc, char ***argv)
{
    MPI_Init(argc, argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &P);
}

static inline int left(void)
{
    return (me + P - 1) % P;
}

static inline int right(void)
{
    return (me + 1) % P;
}

/* Blocks of `length` elements, `stride` apart; to be freed. */
static inline MPI_Datatype vector(int count, int length, int stride, MPI_Datatype type)
{
    MPI_Datatype out;

    MPI_Type_vector(count, length, stride, type, &out);
    MPI_Type_commit(&out);
    return out;
}

/* The end of main() of a program that checks itself. */
static inline int all_hold(const char *name)
{
    if (me == 0)
        printf("%s: all hold\n", name);
    MPI_Finalize();
    return 0;
}

/* Errors that other MPIs do not find are checked here alone. */
static inline int is_logp(void)
{
    static char version[MPI_MAX_LIBRARY_VERSION_STRING];
    int length;

    MPI_Get_library_version(version, &length);
    return strncmp(version, "liblogp", 7) == 0;
}

/* A call fails with an error of this class, and the error handler returns it. */
static inline int class_of(int error)
{
    int class_of_it;

    MPI_Error_class(error, &class_of_it);
    return class_of_it;
}
#define FAILS(error_class, call) CHECK(class_of(call) == (error_class))

#endif
