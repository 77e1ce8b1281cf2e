/* SPDX-License-Identifier: MIT */
/* A program for --report: rank 1 sends late by a known time, and a few collectives. */
#include "check.h"

#include <unistd.h>

int main(int argc, char **argv)
{
    int x = 1, all[64];
    double sums[1000] = {0};
    MPI_Request request;

    start(&argc, &argv);
    for (int i = 0; i < 3; i++) {
        if (me == 1) {
            usleep(100);
            MPI_Send(&x, 1, MPI_INT, 0, 7, MPI_COMM_WORLD); /* late */
        }
        if (me == 0)
            MPI_Recv(&x, 1, MPI_INT, 1, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* waits */
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Bcast(sums, 1000, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Allreduce(&me, &x, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    CHECK(x == P * (P - 1) / 2);
    MPI_Iallgather(&me, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    CHECK(all[P - 1] == P - 1);
    MPI_Finalize();
    return 0;
}
