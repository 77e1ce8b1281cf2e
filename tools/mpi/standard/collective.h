/* SPDX-License-Identifier: MIT */
/* Collectives: those of the runtime, and those made of messages that are waited for together. */
#ifndef LOGP_MPI_COLLECTIVE_H
#define LOGP_MPI_COLLECTIVE_H

#include "rank.h"
#include "request.h"

/* A call is a request that is waited for at once, or given to the caller. NULL: no memory */
struct request *mpi_begin_collective(struct comm *comm);
/* r has been started, with rc. request: NULL: wait for it */
int mpi_end_collective(struct request *r, int rc, MPI_Request *request);
/* --rendezvous 0: a blocking collective waits for all ranks, as any may. root: -1: it has none
 * @return MPI_SUCCESS or a class */
int mpi_synchronize(struct comm *comm, int root, const MPI_Request *request);

#define BEGIN(r, c)                                                                                \
    struct request *r = mpi_begin_collective(c);                                                   \
    CHECK_MEMORY(c, r)
#define CHECK_ROOT(c, root)                                                                        \
    CHECK(c,                                                                                       \
          (unsigned)(root) < (unsigned)(c)->n_peers ||                                             \
              ((c)->inter && ((root) == MPI_ROOT || (root) == MPI_PROC_NULL)),                     \
          MPI_ERR_ROOT, "the root %d is not a rank of a communicator of %d", root, (c)->n_peers)

/* ---- messages.c ---- */

/* What goes to each rank or comes from it, with counts and types of its own or not. */
struct items {
    char *buf;
    const int *counts;     /* NULL: each has `count`, and they are `stride` of the type apart */
    const int *displs;     /* in units of the type; with `types`, in bytes */
    const MPI_Aint *bytes; /* in place of displs, in bytes; NULL: there are displs */
    MPI_Datatype type;
    const MPI_Datatype *types; /* NULL: all are of `type` */
    int count, stride;
};

/* Check the arguments of a call's sends and receives, before the first is posted: nothing is posted
 * if one argument is wrong. MPI_PROC_NULL as the peer: nothing is moved. @return MPI_SUCCESS or a
 * class */
int mpi_check_item(struct comm *c, enum request_kind kind, const struct items *x, int i, int peer);
int mpi_check_gather(struct comm *c, const struct items *in, const struct items *out, int root);
int mpi_check_exchange(struct comm *c, const struct items *in, const struct items *out);
/* Add item i of x to r, to or from a peer, and start it. @return MPI_SUCCESS or a class */
int mpi_move_item(struct request *r, enum request_kind kind, const struct items *x, int i, int peer,
                  int tag);
/* Start the messages: one item to the root, or one to and from each rank. Between two groups the
 * other ranks are those of the other group. @return MPI_SUCCESS or a class */
int mpi_start_gather(struct request *r, const struct items *in, const struct items *out, int root);
int mpi_start_exchange(struct request *r, const struct items *in, const struct items *out);
/* The same, and one item from the root, as whole calls. */
int mpi_gather_items(struct comm *c, const void *in, int in_count, MPI_Datatype in_type,
                     const struct items *out, int root, MPI_Request *request);
int mpi_scatter_items(struct comm *c, const struct items *in, void *out, int out_count,
                      MPI_Datatype out_type, int root, MPI_Request *request);
int mpi_exchange_items(struct comm *c, const struct items *in, const struct items *out,
                       MPI_Request *request);

#endif
