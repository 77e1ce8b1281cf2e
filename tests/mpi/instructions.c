/* SPDX-License-Identifier: MIT */
/* Calls of two ranks, for instructions.sh to count. usage: instructions barrier|allreduce|messages ROUNDS */
#include <mpi.h>

#include <stdlib.h>
#include <string.h>

enum { WINDOW = 64 };

static double from[1] = {1}, to[WINDOW];
static int me;

static void barrier(void)
{
    MPI_Barrier(MPI_COMM_WORLD);
}

static void allreduce(void)
{
    MPI_Allreduce(from, to, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

/* Rank 0 sends a window of messages, and rank 1 says that they have come. */
static void messages(void)
{
    MPI_Request requests[WINDOW];
    char done = 0;

    for (int i = 0; i < WINDOW; i++)
        if (me == 0)
            MPI_Isend(from, 1, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD, &requests[i]);
        else
            MPI_Irecv(&to[i], 1, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, &requests[i]);
    MPI_Waitall(WINDOW, requests, MPI_STATUSES_IGNORE);
    if (me == 0)
        MPI_Recv(&done, 1, MPI_CHAR, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    else
        MPI_Send(&done, 1, MPI_CHAR, 0, 1, MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    void (*call)(void) = strcmp(argv[1], "barrier") == 0     ? barrier
                         : strcmp(argv[1], "allreduce") == 0 ? allreduce
                                                             : messages;
    const int rounds = atoi(argv[2]);

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    for (int i = 0; i < rounds; i++)
        call();
    return MPI_Finalize();
}
