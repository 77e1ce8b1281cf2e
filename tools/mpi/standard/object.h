/* SPDX-License-Identifier: MIT */
/*
 * What MPI keeps for each rank. A handle is a constant below 0x400 or a pointer to one of the structs
 * of these headers, which belongs to the rank that made it. A rank is a virtual processor; whatever it
 * does is done by its own calls, so nothing here is shared and nothing is locked.
 */
#ifndef LOGP_MPI_OBJECT_H
#define LOGP_MPI_OBJECT_H

#include <mpi.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A communicator, datatype, group, info, operation or window begins with this. When it is freed its
 * memory stays for a while, so that its handle is known to be gone. */
struct object {
    bool is_gone;
    struct object *next, **link; /* of those that the program has made; link is NULL: not in it */
    const char *what, *call;     /* "datatype", and the call that has made it */
    void *caller;                /* of that call; NULL: see place */
    uintptr_t place;
};

/* What a handle points to; NULL: a constant, or it is gone. */
static inline void *object_of(const void *handle)
{
    const struct object *o = handle;

    return (uintptr_t)handle >= 0x400 && !o->is_gone ? (void *)o : NULL;
}

/* The program has no handle to it any more. */
void mpi_forget_object(struct object *object);
/* In place of free(). */
void mpi_bury_object(struct object *object, size_t bytes);
/* A call of the program has made what this handle points to. caller: its return address */
void mpi_note_object(const char *what, const char *call, void *handle, void *caller);

#endif
