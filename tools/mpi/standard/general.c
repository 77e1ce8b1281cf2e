/* SPDX-License-Identifier: MIT */
/* Requests that the program starts or completes by itself: persistent and generalized ones. */
#include "op.h"
#include "rank.h"
#include "request.h"

#include <stdlib.h>

int MPI_Grequest_start(MPI_Grequest_query_function *query, MPI_Grequest_free_function *drop,
                       MPI_Grequest_cancel_function *cancel, void *state, MPI_Request *request)
{
    struct rank *rank = mpi_enter(__func__);
    struct request *r = mpi_new_request(REQUEST_DONE, &rank->world);

    CALLED();
    CHECK_MEMORY(NULL, r);
    r->general = malloc(sizeof(*r->general));
    if (r->general == NULL) {
        mpi_free_request(r);
        return mpi_failed(NULL, MPI_ERR_NO_MEM, "no memory");
    }
    *r->general = (struct general){query, drop, cancel, state, false};
    r->active = true;
    mpi_give_request(r, NULL, request);
    return MPI_SUCCESS;
}

int MPI_Grequest_complete(MPI_Request request)
{
    struct request *r = (struct request *)request;

    mpi_enter(__func__);
    CHECK(NULL, request != MPI_REQUEST_NULL && r->general != NULL, MPI_ERR_REQUEST,
          "the request is null or not of MPI_Grequest_start()");
    r->general->complete = true;
    if (r->freed)
        mpi_free_request(r);
    return MPI_SUCCESS;
}

/* Keep what the program may free. @return false: no memory */
static bool keep_again(struct again *again)
{
    struct operation *copy;

    if (again->op != NULL && object_of(*again->op) != NULL) {
        copy = malloc(sizeof(*copy));
        if (copy == NULL)
            return false;
        *copy = *(const struct operation *)*again->op;
        copy->object = (struct object){.is_gone = false};
        *again->op = (MPI_Op)copy;
    } else {
        again->op = NULL; /* a constant stays */
    }
    for (int i = 0; i < 2; i++)
        mpi_keep_type(again->types[i]);
    return true;
}

/* All ranks of the communicator call it: they agree on a context. @return MPI_SUCCESS or a class */
static int give_own_context(struct comm *c, struct again *again)
{
    struct logp_vp *vp = NULL;
    const int rc = logp_group_dup(c->vp, &vp);
    MPI_Comm own;
    const int class = mpi_give_comm(c, rc, vp, mpi_n_first_of(c), &own);

    if (class != MPI_SUCCESS)
        return class;
    *again->comm = own;
    again->own = (struct comm *)own;
    again->own->cart = c->cart;
    again->own->graph = c->graph;
    if (c->graph != NULL)
        c->graph->references++;
    return MPI_SUCCESS;
}

int mpi_make_persistent(const char *call, struct again *again, MPI_Comm comm, MPI_Request *request)
{
    struct request *r;
    int rc;

    ENTER_AS(c, call, comm);
    r = again != NULL ? mpi_new_request(REQUEST_COLLECTIVE, c) : NULL;
    if (r == NULL || !keep_again(again)) {
        free(again);
        if (r != NULL)
            mpi_free_request(r);
        return mpi_failed(c, MPI_ERR_NO_MEM, "no memory");
    }
    r->persistent = true;
    r->again = again;
    rc = give_own_context(c, again);
    if (rc != MPI_SUCCESS) {
        mpi_free_request(r);
        return rc;
    }
    mpi_give_request(r, NULL, request);
    return MPI_SUCCESS;
}

/* ---- their start ---- */

/* Start r: its part is the collective, started as without persistence. */
static int start_again(struct request *r)
{
    MPI_Request part;
    int rc;

    if (r->parts == NULL)
        r->parts = malloc(sizeof(struct request *));
    CHECK_MEMORY(r->comm, r->parts);
    for (; r->n_parts > 0; r->n_parts--)
        mpi_free_request(r->parts[0]);
    r->again->own->errors = r->comm->errors;
    r->comm->owner->started = r->call; /* NULL: nothing is checked */
    rc = r->again->start(r->again, &part);
    r->comm->owner->started = NULL;
    if (rc == MPI_SUCCESS) {
        struct request *started = (struct request *)part;

        r->parts[r->n_parts++] = started;
        mpi_forget_request(started); /* its program has no handle to it */
        started->caller = r->caller;
        started->place = r->place;
        r->active = true;
    }
    return rc;
}

#define CHECK_STARTABLE(r)                                                                         \
    CHECK(NULL, (r) != NULL && (r)->persistent && !(r)->active, MPI_ERR_REQUEST,                   \
          "the request is not a persistent one that can be started")

static int start(struct request *r)
{
    if (r->progress != NULL)
        return r->progress->start(r);
    return r->again != NULL ? start_again(r) : mpi_start_message(r);
}

int MPI_Start(MPI_Request *request)
{
    ENTER_REQUESTS(1, request);
    CHECK_STARTABLE(request_of(*request));
    return start(request_of(*request));
}

int MPI_Startall(int n, MPI_Request requests[])
{
    int rc = MPI_SUCCESS;

    mpi_enter(__func__);
    REQUESTS(n, requests, FRAME);
    for (int i = 0; i < n; i++)
        CHECK_STARTABLE(request_of(requests[i]));
    for (int i = 0; i < n && rc == MPI_SUCCESS; i++)
        rc = start(request_of(requests[i]));
    return rc;
}
