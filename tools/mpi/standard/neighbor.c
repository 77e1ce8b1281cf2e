/* SPDX-License-Identifier: MIT */
/* Neighbourhood collectives: an item to and from each neighbour in a grid or graph. */
#include "collective.h"

#include <stdlib.h>

/* What a rank's neighbours are; of a grid: the one before and the one behind, along each dimension. */
struct neighbors {
    int n_in, n_out;
    const int *in, *out;
    int *made; /* to be freed */
};

static int find_neighbors(struct comm *c, struct neighbors *x)
{
    const struct graph *g = c->graph;

    *x = (struct neighbors){0};
    CHECK(c, g != NULL || c->cart != NULL, MPI_ERR_TOPOLOGY,
          "the communicator is neither a grid nor a graph");
    if (g != NULL) {
        *x = (struct neighbors){g->n_in, g->n_out, g->in, g->out, NULL};
        return MPI_SUCCESS;
    }
    x->n_in = x->n_out = 2 * c->cart->n_dims;
    x->in = x->out = x->made = malloc((size_t)(x->n_in + 1) * sizeof(int));
    CHECK_MEMORY(c, x->made);
    for (int i = 0; i < c->cart->n_dims; i++)
        MPI_Cart_shift(comm_handle(c), i, 1, &x->made[2 * i], &x->made[2 * i + 1]);
    return MPI_SUCCESS;
}

/* In a grid, an item sent upwards is received from below: along a dimension of one or two ranks the
 * tag distinguishes the two items. */
static int exchange(const char *call, const struct items *in, const struct items *out,
                    MPI_Comm comm, MPI_Request *request)
{
    struct neighbors x;
    struct request *r;
    bool grid;
    int rc;

    ENTER_AS(c, call, comm);
    CHECK_INTRA(c);
    CHECK(c, in->buf != MPI_IN_PLACE, MPI_ERR_BUFFER, "MPI_IN_PLACE is not for neighbours");
    rc = find_neighbors(c, &x);
    if (rc != MPI_SUCCESS)
        return rc;
    mpi_enter(call); /* again, after MPI_Cart_shift() */
    grid = c->graph == NULL;
    for (int i = 0; i < x.n_in && rc == MPI_SUCCESS; i++)
        rc = mpi_check_item(c, REQUEST_RECV, out, i, x.in[i]);
    for (int i = 0; i < x.n_out && rc == MPI_SUCCESS; i++)
        rc = mpi_check_item(c, REQUEST_SEND, in, i, x.out[i]);
    r = rc == MPI_SUCCESS ? mpi_begin_collective(c) : NULL;
    if (r == NULL) {
        free(x.made);
        return rc != MPI_SUCCESS ? rc : mpi_failed(c, MPI_ERR_NO_MEM, "no memory");
    }
    for (int i = 0; i < x.n_in && rc == MPI_SUCCESS; i++)
        rc = mpi_move_item(r, REQUEST_RECV, out, i, x.in[i], grid ? i + 1 : 0);
    for (int i = 0; i < x.n_out && rc == MPI_SUCCESS; i++)
        rc = mpi_move_item(r, REQUEST_SEND, in, i, x.out[i], grid ? (i ^ 1) + 1 : 0);
    free(x.made);
    return mpi_end_collective(r, rc, request);
}

#define ITEM(direction, ...)                                                                       \
    &(const struct items)                                                                          \
    {                                                                                              \
        .buf = (char *)direction##_buf, __VA_ARGS__                                                \
    }
#define FIXED(direction, n)                                                                        \
    ITEM(direction, .count = direction##_count, .stride = (n), .type = direction##_type)
#define VARIED(direction)                                                                          \
    ITEM(direction, .counts = direction##_counts, .displs = direction##_displs,                    \
         .type = direction##_type)
#define TYPED(direction)                                                                           \
    ITEM(direction, .counts = direction##_counts, .bytes = direction##_displs,                     \
         .types = direction##_types)

#define NEIGHBOR(name, in, out) BOTH(Neighbor_##name, exchange(call, in, out, comm, request))
NEIGHBOR(allgather, FIXED(send, 0), FIXED(recv, recv_count))
NEIGHBOR(allgatherv, FIXED(send, 0), VARIED(recv))
NEIGHBOR(alltoall, FIXED(send, send_count), FIXED(recv, recv_count))
NEIGHBOR(alltoallv, VARIED(send), VARIED(recv))
NEIGHBOR(alltoallw, TYPED(send), TYPED(recv))
