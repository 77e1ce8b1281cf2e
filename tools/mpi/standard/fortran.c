/* SPDX-License-Identifier: MIT */
/*
 * Handles and statuses as the integers that Fortran has, and the ABI of MPI 5.0 (MPI_Comm_toint()). A constant is its own number. Other handles have a place
 * in a table of the rank, whose numbers begin behind those of the constants.
 */
#include "rank.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST = 0x400 };

static MPI_Fint number_of(const char *call, void *handle)
{
    struct rank *r = mpi_enter_any(call);
    void **grown;

    if ((uintptr_t)handle < FIRST)
        return (MPI_Fint)(uintptr_t)handle;
    for (int i = r->n_numbered; i-- > 0;)
        if (r->numbered[i] == handle)
            return FIRST + i;
    grown = realloc(r->numbered, (size_t)(r->n_numbered + 1) * sizeof(void *));
    CHECK_MEMORY(NULL, grown);
    r->numbered = grown;
    grown[r->n_numbered] = handle;
    return FIRST + r->n_numbered++;
}

/* @return NULL: no handle has this number */
static void *handle_of(const char *call, MPI_Fint number)
{
    const struct rank *r = mpi_enter_any(call);

    if (number < FIRST)
        return (void *)(uintptr_t)(number > 0 ? number : 0);
    return number - FIRST < r->n_numbered ? r->numbered[number - FIRST] : NULL;
}

#define CONVERSIONS(name, type)                                                                    \
    MPI_Fint MPI_##name##_c2f(type handle)                                                         \
    {                                                                                              \
        return number_of(__func__, handle);                                                        \
    }                                                                                              \
                                                                                                   \
    type MPI_##name##_f2c(MPI_Fint number)                                                         \
    {                                                                                              \
        return (type)handle_of(__func__, number);                                                  \
    }

CONVERSIONS(Comm, MPI_Comm)
CONVERSIONS(Type, MPI_Datatype)
CONVERSIONS(Group, MPI_Group)
CONVERSIONS(Request, MPI_Request)
CONVERSIONS(Op, MPI_Op)
CONVERSIONS(Info, MPI_Info)
CONVERSIONS(Win, MPI_Win)
CONVERSIONS(Errhandler, MPI_Errhandler)
CONVERSIONS(Message, MPI_Message)
CONVERSIONS(File, MPI_File)
CONVERSIONS(Session, MPI_Session)

int MPI_Status_c2f(const MPI_Status *status, MPI_Fint *numbers)
{
    memcpy(numbers, status, sizeof(*status));
    return MPI_SUCCESS;
}

int MPI_Status_f2c(const MPI_Fint *numbers, MPI_Status *status)
{
    memcpy(status, numbers, sizeof(*status));
    return MPI_SUCCESS;
}

int MPI_Status_c2f08(const MPI_Status *status, MPI_F08_status *made)
{
    memcpy(made, status, sizeof(*made));
    return MPI_SUCCESS;
}

int MPI_Status_f082c(const MPI_F08_status *given, MPI_Status *status)
{
    memcpy(status, given, sizeof(*status));
    return MPI_SUCCESS;
}

int MPI_Status_f2f08(const MPI_Fint *numbers, MPI_F08_status *made)
{
    memcpy(made, numbers, sizeof(*made));
    return MPI_SUCCESS;
}

int MPI_Status_f082f(const MPI_F08_status *given, MPI_Fint *numbers)
{
    memcpy(numbers, given, sizeof(*given));
    return MPI_SUCCESS;
}
