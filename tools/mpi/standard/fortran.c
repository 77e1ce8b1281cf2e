/* SPDX-License-Identifier: MIT */
/*
 * Handles and statuses as the integers that Fortran has, and the ABI of MPI 5.0 (MPI_Comm_toint()). A constant is its own number. Other handles have a place
 * in a table of the rank, whose numbers begin behind those of the constants. Where several threads of a rank call MPI, each has the rank's
 * turn here (profile/timed.c), since a conversion is a call as others are.
 */
#include "rank.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST = 0x400 };

/* The place of a handle in a hash table, whose size is a power of 2: the place in `numbered` and 1; 0: free */
static int *place_of(const struct rank *r, const void *handle)
{
    size_t i = ((uintptr_t)handle >> 4) * 0x9e3779b1u & (size_t)(r->room_numbered * 2 - 1);

    while (r->numbers[i] != 0 && r->numbered[r->numbers[i] - 1] != handle)
        i = (i + 1) & (size_t)(r->room_numbered * 2 - 1);
    return &r->numbers[i];
}

/* Make space for another handle. @return false: there is no memory */
static bool grow(struct rank *r)
{
    const int room = r->room_numbered > 0 ? 2 * r->room_numbered : 64;
    void **grown = realloc(r->numbered, (size_t)room * sizeof(void *));
    int *numbers = calloc(2 * (size_t)room, sizeof(int));

    r->numbered = grown != NULL ? grown : r->numbered;
    if (grown == NULL || numbers == NULL) {
        free(numbers);
        return false;
    }
    free(r->numbers);
    r->numbers = numbers;
    r->room_numbered = room;
    for (int i = 0; i < r->n_numbered; i++)
        *place_of(r, grown[i]) = i + 1;
    return true;
}

MPI_Fint mpi_number_of(struct rank *r, void *handle)
{
    int *place;

    if ((uintptr_t)handle < FIRST)
        return (MPI_Fint)(uintptr_t)handle;
    if (r->n_numbered == r->room_numbered)
        CHECK_MEMORY(NULL, grow(r) ? r : NULL);
    place = place_of(r, handle);
    if (*place == 0) {
        r->numbered[r->n_numbered] = handle;
        *place = ++r->n_numbered;
    }
    return FIRST + *place - 1;
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
        return mpi_number_of(mpi_enter_any(__func__), handle);                                     \
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
