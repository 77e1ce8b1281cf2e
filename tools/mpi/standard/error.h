/* SPDX-License-Identifier: MIT */
/* Errors of calls, and the handlers that a program sets. */
#ifndef LOGP_MPI_ERROR_H
#define LOGP_MPI_ERROR_H

#include "object.h"

struct comm;
struct rank;

struct errhandler {
    struct object object;
    int references; /* handles of the program; communicators may still use it without any */
    MPI_Comm_errhandler_function *function;
    bool is_fortran; /* its arguments are a number of a handle and the code */
};

/* The subroutines of Fortran call it: the function of this error handler is of Fortran. */
void logp_mpi_errhandler_of_fortran(MPI_Errhandler handler);

/* This call of comm has failed: call its error handler. @return the class, if that returns */
int mpi_failed(struct comm *comm, int class, const char *why, ...)
    __attribute__((format(printf, 3, 4)));
/* The code of an error number of the host, > 0, whose text MPI_Error_string() has. */
int mpi_code_of_host(int error);
/* What the runtime has returned. A run that is over ends the rank. @return MPI_SUCCESS or a class */
int mpi_class_of(int rc);
void mpi_free_errors(struct rank *r); /* its own ones */

#define CHECK(comm, holds, class, ...)                                                             \
    do {                                                                                           \
        if (!(holds))                                                                              \
            return mpi_failed(comm, class, __VA_ARGS__);                                           \
    } while (0)
#define CHECK_COUNT(comm, count)                                                                   \
    CHECK(comm, (count) >= 0, MPI_ERR_COUNT, "count is %d, but must be at least 0", count)
#define CHECK_MEMORY(comm, memory) CHECK(comm, (memory) != NULL, MPI_ERR_NO_MEM, "no memory")

/* One more handle to it. */
MPI_Errhandler mpi_keep_errhandler(MPI_Errhandler handler);
/* What MPI has for the error handlers of a kind of object; entered: ENTER(), or that of the kind. */
#define ERROR_HANDLERS(name, type, entered, comm)                                                  \
    int MPI_##name##_set_errhandler(type handle, MPI_Errhandler handler)                           \
    {                                                                                              \
        entered(object, handle);                                                                   \
        CHECK(comm, handler != MPI_ERRHANDLER_NULL, MPI_ERR_ARG, "the error handler is null");     \
        (comm)->errors = handler;                                                                  \
        return MPI_SUCCESS;                                                                        \
    }                                                                                              \
    int MPI_##name##_get_errhandler(type handle, MPI_Errhandler *handler)                          \
    {                                                                                              \
        entered(object, handle);                                                                   \
        *handler = mpi_keep_errhandler((comm)->errors);                                            \
        return MPI_SUCCESS;                                                                        \
    }                                                                                              \
    int MPI_##name##_call_errhandler(type handle, int error)                                       \
    {                                                                                              \
        entered(object, handle);                                                                   \
        mpi_failed(comm, error, "called by the program");                                          \
        return MPI_SUCCESS;                                                                        \
    }

#endif
