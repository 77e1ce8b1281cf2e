/* SPDX-License-Identifier: MIT */
/*
 * What the subroutines of Fortran share. They are made from functions.txt, become part of each program in Fortran and call MPI
 * as its C does. Arguments are addresses: an integer, a LOGICAL and a status are what C has, a handle is its number, and
 * lengths of texts follow all other arguments. ierror is NULL where a program of mpi_f08 leaves it out.
 */
#ifndef LOGP_MPI_WRAP_H
#define LOGP_MPI_WRAP_H

#include <mpi.h>

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* In a section of its own: a place in these functions is not one of the program. They note where they are called. */
#define WRAPS __attribute__((section("logp_fortran")))
extern void *logp_fortran_caller __attribute__((visibility("hidden")));
#define CALLED_HERE() (logp_fortran_caller = __builtin_return_address(0))

/* Other names of the function pmpi_NAME_: those of a program, which a tool may define instead, and of mpi_f08. */
#define NAMED(name, function)                                                                      \
    extern __typeof__(function) name __attribute__((weak, alias(#function)));

/* The variables of mpif.h and the modules whose addresses mean something: COMMON blocks */
#define SENTINEL(name) extern int mpi_fort_##name##_[];
SENTINEL(bottom)
SENTINEL(in_place)
SENTINEL(buffer_automatic)
SENTINEL(status_ignore)
SENTINEL(statuses_ignore)
SENTINEL(unweighted)
SENTINEL(weights_empty)
SENTINEL(errcodes_ignore)

static inline void *buffer_of(const void *buf)
{
    return buf == mpi_fort_bottom_             ? MPI_BOTTOM
           : buf == mpi_fort_in_place_         ? MPI_IN_PLACE
           : buf == mpi_fort_buffer_automatic_ ? MPI_BUFFER_AUTOMATIC
                                               : (void *)buf;
}

static inline MPI_Status *status_of(const void *status)
{
    return status == mpi_fort_status_ignore_ || status == mpi_fort_statuses_ignore_
               ? MPI_STATUS_IGNORE
               : (MPI_Status *)status;
}

static inline int *ints_of(const MPI_Fint *ints)
{
    return ints == mpi_fort_unweighted_        ? MPI_UNWEIGHTED
           : ints == mpi_fort_weights_empty_   ? MPI_WEIGHTS_EMPTY
           : ints == mpi_fort_errcodes_ignore_ ? MPI_ERRCODES_IGNORE
                                               : (int *)ints;
}

/* ---- handles: those below 0x400 are their own numbers ---- */

#define HANDLES(kind, type, name)                                                                  \
    static inline type kind##_in(const MPI_Fint *number)                                           \
    {                                                                                              \
        return (unsigned)*number < 0x400 ? (type)(intptr_t)*number : MPI_##name##_f2c(*number);    \
    }                                                                                              \
    static inline void kind##_out(MPI_Fint *number, type handle)                                   \
    {                                                                                              \
        *number =                                                                                  \
            (uintptr_t)handle < 0x400 ? (MPI_Fint)(intptr_t)handle : MPI_##name##_c2f(handle);     \
    }                                                                                              \
    static inline void kind##_each_in(type *handles, const MPI_Fint *numbers, MPI_Count n)         \
    {                                                                                              \
        for (MPI_Count i = 0; i < n; i++)                                                          \
            handles[i] = kind##_in(&numbers[i]);                                                   \
    }                                                                                              \
    static inline void kind##_each_out(MPI_Fint *numbers, const type *handles, MPI_Count n)        \
    {                                                                                              \
        for (MPI_Count i = 0; i < n; i++)                                                          \
            kind##_out(&numbers[i], handles[i]);                                                   \
    }
HANDLES(comm, MPI_Comm, Comm)
HANDLES(type, MPI_Datatype, Type)
HANDLES(group, MPI_Group, Group)
HANDLES(op, MPI_Op, Op)
HANDLES(request, MPI_Request, Request)
HANDLES(win, MPI_Win, Win)
HANDLES(info, MPI_Info, Info)
HANDLES(errhandler, MPI_Errhandler, Errhandler)
HANDLES(message, MPI_Message, Message)
HANDLES(file, MPI_File, File)
HANDLES(session, MPI_Session, Session)

/* ---- memory of a call ---- */

enum { FEW = 32 }; /* entries that lie on the stack */

/* Memory for n entries: `few`, or allocated memory, which drop_room() frees. Without memory the process ends. */
void *logp_fortran_room(MPI_Count n, size_t size) __attribute__((visibility("hidden")));
#define ROOM(few, n) ((n) <= FEW ? (few) : logp_fortran_room(n, sizeof(*(few))))
static inline void drop_room(void *room, const void *few)
{
    if (room != few)
        free(room);
}

/* Ranks, or neighbours, with which a collective of this communicator exchanges data: how many entries its arrays have. */
MPI_Count logp_fortran_peers(MPI_Comm comm) __attribute__((visibility("hidden")));
MPI_Count logp_fortran_neighbors(MPI_Comm comm, int sends) __attribute__((visibility("hidden")));

/* ---- texts: padded with blanks in Fortran ---- */

/* The text without the blanks at its end, and if `trims` at its beginning. It is freed by the caller. */
char *logp_fortran_text(const char *text, size_t length, int trims)
    __attribute__((visibility("hidden")));
void logp_fortran_pad(char *to, size_t length, const char *text)
    __attribute__((visibility("hidden")));

/* The functions of these objects are called as Fortran's are. Another MPI of the same ABI does not have these. */
void logp_mpi_op_of_fortran(MPI_Op op) __attribute__((weak));
void logp_mpi_errhandler_of_fortran(MPI_Errhandler handler) __attribute__((weak));
static inline void mark_op(MPI_Op op)
{
    if (logp_mpi_op_of_fortran != NULL)
        logp_mpi_op_of_fortran(op);
}
static inline void mark_errhandler(MPI_Errhandler handler)
{
    if (logp_mpi_errhandler_of_fortran != NULL)
        logp_mpi_errhandler_of_fortran(handler);
}

#endif
