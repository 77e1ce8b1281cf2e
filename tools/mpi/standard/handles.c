/* SPDX-License-Identifier: MIT */
/*
 * What the handles of a program point to. Each rank has a list of the requests and objects that its program has made and
 * not freed, and where each was made. Those that are gone stay in memory, marked, until at least N_GONE / 2 others
 * are gone: so a handle that is used then is known.
 */
#include "rank.h"
#include "request.h"
#include "world.h"
#include "host/host.h"

#include <stdlib.h>

/* ---- requests ---- */

void mpi_give_request(struct request *r, void *caller, MPI_Request *request)
{
    struct rank *rank = r->comm->owner;

    *request = (MPI_Request)r;
    if (!the_run.checks)
        return;
    r->call = rank->call;
    r->caller = caller != NULL ? mpi_caller(rank, caller) : rank->caller;
    rank->caller = NULL;
    if (the_run.times_calls) { /* it is called by a function of timed.c */
        r->caller = NULL;
        r->place = host_place_here();
    }
    r->next = rank->given;
    r->link = &rank->given;
    if (r->next != NULL)
        r->next->link = &r->next;
    rank->given = r;
}

void mpi_forget_request(struct request *r)
{
    if (r->link == NULL)
        return;
    *r->link = r->next;
    if (r->next != NULL)
        r->next->link = r->link;
    r->link = NULL;
}

void mpi_bury_request(struct rank *owner, struct request *r)
{
    if (owner->n_gone - owner->n_reused == N_GONE)
        mpi_spare_request(owner, owner->gone[owner->n_reused++ % N_GONE]);
    owner->gone[owner->n_gone++ % N_GONE] = r;
    r->kind = REQUEST_GONE;
}

void mpi_spare_request(struct rank *owner, struct request *r)
{
    enum { MOST_SPARE = 256 }; /* of a program that has had more at a time the others are freed */

    if (owner->n_spare == MOST_SPARE) {
        free(r);
        return;
    }
    r->next = owner->spare;
    owner->spare = r;
    owner->n_spare++;
}

struct request *mpi_reuse_request(struct rank *owner)
{
    struct request *r = owner->spare;

    if (r != NULL) {
        owner->spare = r->next;
        owner->n_spare--;
        return r;
    }
    if (owner->n_gone - owner->n_reused <= N_GONE / 2)
        return NULL;
    return owner->gone[owner->n_reused++ % N_GONE];
}

/* ---- other handles ---- */

void mpi_note_object(const char *what, const char *call, void *handle, void *caller)
{
    struct rank *rank = mpi_this_rank();
    struct object *o = object_of(handle);

    if (o == NULL || o->link != NULL)
        return;
    o->what = what;
    o->call = call;
    o->caller = mpi_caller(rank, caller);
    if (the_run.times_calls) {
        o->caller = NULL;
        o->place = host_place_here();
    }
    o->next = rank->objects;
    o->link = &rank->objects;
    if (o->next != NULL)
        o->next->link = &o->next;
    rank->objects = o;
}

void mpi_forget_object(struct object *o)
{
    if (o->link == NULL)
        return;
    *o->link = o->next;
    if (o->next != NULL)
        o->next->link = o->link;
    o->link = NULL;
}

void mpi_bury_object(struct object *o, size_t bytes)
{
    enum { MOST_BYTES = 4096 };                /* N_GONE of them stay in memory */
    struct rank *rank = mpi_rank_that_calls(); /* NULL: the rank has ended, and frees its objects */
    struct object **grave;

    mpi_forget_object(o);
    if (rank == NULL || !the_run.checks || bytes > MOST_BYTES) {
        free(o);
        return;
    }
    grave = &rank->buried[rank->n_buried % N_GONE];
    o->is_gone = true;
    free(*grave);
    *grave = o;
    rank->n_buried++;
}
