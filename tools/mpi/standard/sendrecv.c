/* SPDX-License-Identifier: MIT */
/* One request for a send and a receive. Its status is that of the receive. */
#include "collective.h"

#include <limits.h>
#include <stdlib.h>

enum { RECEIVE, SEND };

static int take_status(struct request *r)
{
    r->status = r->parts[RECEIVE]->status;
    return MPI_SUCCESS;
}

/* Start both parts of r. A part that is there when there is an error is freed with r. */
static int start_both(struct request *r, MPI_Request *request, void *caller)
{
    int rc = MPI_SUCCESS;

    for (int i = 0; i < r->n_parts && rc == MPI_SUCCESS; i++) {
        r->parts[i]->caller = i == SEND ? caller : NULL;
        rc = mpi_start_message(r->parts[i]);
    }
    if (rc != MPI_SUCCESS) {
        mpi_free_request(r);
        return rc;
    }
    r->at_end = take_status;
    r->active = true;
    mpi_give_request(r, caller, request);
    return MPI_SUCCESS;
}

/* A request of two messages, which are not there yet; NULL: no memory */
static struct request *new_pair(struct comm *c)
{
    struct request *r = mpi_new_request(REQUEST_PAIR, c);

    if (r != NULL && (r->parts = calloc(2, sizeof(struct request *))) == NULL) {
        mpi_free_request(r);
        return NULL;
    }
    return r;
}

static int add(struct request *r, int rc, struct request *const *part)
{
    if (rc == MPI_SUCCESS)
        r->parts[r->n_parts++] = *part;
    return rc;
}

int MPI_Isendrecv(const void *send_buf, int send_count, MPI_Datatype send_type, int dest,
                  int send_tag, void *recv_buf, int recv_count, MPI_Datatype recv_type, int source,
                  int recv_tag, MPI_Comm comm, MPI_Request *request)
{
    struct request *r, *part = NULL;
    int rc;

    ENTER(c, comm);
    r = new_pair(c);
    CHECK_MEMORY(c, r);
    rc = add(r,
             mpi_make_message(__func__, REQUEST_RECV, recv_buf, recv_count, recv_type, source,
                              recv_tag, comm, &part),
             &part);
    if (rc == MPI_SUCCESS)
        rc = add(r,
                 mpi_make_message(__func__, REQUEST_SEND, send_buf, send_count, send_type, dest,
                                  send_tag, comm, &part),
                 &part);
    if (rc != MPI_SUCCESS) {
        mpi_free_request(r);
        return rc;
    }
    if (source != MPI_PROC_NULL && dest != MPI_PROC_NULL)
        TELL(apart, send_buf, r->parts[SEND]->type, send_count, recv_buf, r->parts[RECEIVE]->type,
             recv_count);
    return start_both(r, request, __builtin_return_address(0));
}

int MPI_Isendrecv_replace(void *buf, int count, MPI_Datatype type, int dest, int send_tag,
                          int source, int recv_tag, MPI_Comm comm, MPI_Request *request)
{
    struct request *r, *part = NULL;
    int rc;

    ENTER(c, comm);
    r = new_pair(c);
    CHECK_MEMORY(c, r);
    rc = add(
        r,
        mpi_make_message(__func__, REQUEST_RECV, buf, count, type, source, recv_tag, comm, &part),
        &part);
    if (rc == MPI_SUCCESS) { /* of a copy, in a row */
        const struct type *t = part->type;
        const size_t bytes = part->count * t->size;

        r->own_block = malloc(bytes + 1);
        rc = r->own_block == NULL ? mpi_failed(c, MPI_ERR_NO_MEM, "no memory")
                                  : add(r,
                                        mpi_make_message(__func__, REQUEST_SEND, r->own_block, 0,
                                                         MPI_PACKED, dest, send_tag, comm, &part),
                                        &part);
        if (rc == MPI_SUCCESS) {
            mpi_pack(t, r->parts[RECEIVE]->count, buf, r->own_block);
            part->count = bytes;
        }
    }
    if (rc != MPI_SUCCESS) {
        mpi_free_request(r);
        return rc;
    }
    return start_both(r, request, __builtin_return_address(0));
}
