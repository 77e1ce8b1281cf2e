/* SPDX-License-Identifier: MIT */
/*
 * The measurement of ../peer.h on an MPI, and nothing else.
 * usage: mpirun -n P bench_mpi_peer [OPERATION ...]
 */
#include "../peer.h"

#include <mpi.h>

/* An error ends the program: it is MPI's default for all of them. */

static int barrier(void *self)
{
    (void)self;
    return MPI_Barrier(MPI_COMM_WORLD);
}

static int broadcast(void *self, void *buf, size_t n_bytes, int root)
{
    (void)self;
    return MPI_Bcast(buf, (int)n_bytes, MPI_BYTE, root, MPI_COMM_WORLD);
}

static int reduce(void *self, const void *out, void *in, int n, int root)
{
    (void)self;
    return MPI_Reduce(out, in, n, MPI_INT64_T, MPI_SUM, root, MPI_COMM_WORLD);
}

static int allreduce(void *self, const void *out, void *in, int n)
{
    (void)self;
    return MPI_Allreduce(out, in, n, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
}

static int scan(void *self, const void *out, void *in, int n)
{
    (void)self;
    return MPI_Scan(out, in, n, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
}

static int reduce_scatter(void *self, const void *out, void *in, int n)
{
    (void)self;
    return MPI_Reduce_scatter_block(out, in, n, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
}

static int scatter(void *self, const void *out, void *in, size_t n_bytes, int root)
{
    (void)self;
    return MPI_Scatter(out, (int)n_bytes, MPI_BYTE, in, (int)n_bytes, MPI_BYTE, root,
                       MPI_COMM_WORLD);
}

static int gather(void *self, const void *out, void *in, size_t n_bytes, int root)
{
    (void)self;
    return MPI_Gather(out, (int)n_bytes, MPI_BYTE, in, (int)n_bytes, MPI_BYTE, root,
                      MPI_COMM_WORLD);
}

static int allgather(void *self, const void *out, void *in, size_t n_bytes)
{
    (void)self;
    return MPI_Allgather(out, (int)n_bytes, MPI_BYTE, in, (int)n_bytes, MPI_BYTE, MPI_COMM_WORLD);
}

static int alltoall(void *self, const void *out, void *in, size_t n_bytes)
{
    (void)self;
    return MPI_Alltoall(out, (int)n_bytes, MPI_BYTE, in, (int)n_bytes, MPI_BYTE, MPI_COMM_WORLD);
}

static int send(void *self, int to, const void *buf, size_t n_bytes)
{
    (void)self;
    return MPI_Send(buf, (int)n_bytes, MPI_BYTE, to, 0, MPI_COMM_WORLD);
}

static int receive(void *self, int from, void *buf, size_t n_bytes)
{
    (void)self;
    return MPI_Recv(buf, (int)n_bytes, MPI_BYTE, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv)
{
    struct peer p = {.barrier = barrier,
                     .broadcast = broadcast,
                     .reduce = reduce,
                     .allreduce = allreduce,
                     .scan = scan,
                     .reduce_scatter = reduce_scatter,
                     .scatter = scatter,
                     .gather = gather,
                     .allgather = allgather,
                     .alltoall = alltoall,
                     .send = send,
                     .recv = receive};

    if (!peer_known("bench_mpi_peer", argc - 1, argv + 1))
        return 2;
    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &p.P);
    MPI_Comm_rank(MPI_COMM_WORLD, &p.rank);
    if (peer_measure(&p, argc - 1, argv + 1) != 0)
        MPI_Abort(MPI_COMM_WORLD, 1);
    return MPI_Finalize();
}
