/* SPDX-License-Identifier: MIT */
/* Requests that are left or used twice: requests WAY */
#include "check.h"

int main(int argc, char **argv)
{
    const char *way = argc > 1 ? argv[1] : "";
    MPI_Request request = MPI_REQUEST_NULL, other = MPI_REQUEST_NULL, copy;
    int x = 0, y = 0, flag, tag = 7;

    start(&argc, &argv);
    if (strcmp(way, "receive") == 0 && me == 1)
        MPI_Irecv(&x, 1, MPI_INT, me, tag, MPI_COMM_WORLD, &request);
    if (strcmp(way, "send") == 0 && me == 0)
        MPI_Isend(&x, 1, MPI_INT, 1 % P, tag, MPI_COMM_WORLD, &request);
    if (strcmp(way, "persistent") == 0 && me == 0)
        MPI_Send_init(&x, 1, MPI_INT, 1 % P, tag, MPI_COMM_WORLD, &request);
    for (int i = 0; strcmp(way, "many") == 0 && i < 3; i++) {
        MPI_Recv_init(&x, 1, MPI_INT, 0, tag, MPI_COMM_WORLD, &request);
        if (me == 1)
            MPI_Ssend_init(&x, 1, MPI_INT, 0, tag, MPI_COMM_WORLD, &request);
    }
    if (strcmp(way, "barrier") == 0)
        MPI_Ibarrier(MPI_COMM_WORLD, &request);
    if (strcmp(way, "right") == 0) { /* all that may be done with requests */
        for (int i = 0; i < 200; i++) {
            MPI_Irecv(&x, 1, MPI_INT, me, i, MPI_COMM_WORLD, &request);
            MPI_Isend(&y, 1, MPI_INT, me, i, MPI_COMM_WORLD, &other);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
            MPI_Wait(&other, MPI_STATUS_IGNORE);
        }
        MPI_Isend(&y, 1, MPI_INT, me, tag, MPI_COMM_WORLD, &request);
        MPI_Request_free(&request);
        MPI_Recv(&x, 1, MPI_INT, me, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Send_init(&y, 1, MPI_INT, me, tag, MPI_COMM_WORLD, &request);
        MPI_Recv_init(&x, 1, MPI_INT, me, tag, MPI_COMM_WORLD, &other);
        for (int i = 0; i < 3; i++) {
            MPI_Request both[2] = {other, request};

            MPI_Startall(2, both);
            MPI_Waitall(2, both, MPI_STATUSES_IGNORE);
            MPI_Test(&request, &flag, MPI_STATUS_IGNORE); /* inactive */
            CHECK(flag);
        }
        MPI_Request_free(&request);
        MPI_Request_free(&other);
        MPI_Irecv(&x, 1, MPI_INT, me, 1000, MPI_COMM_WORLD, &request);
        MPI_Cancel(&request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Ibarrier(MPI_COMM_WORLD, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    if (strncmp(way, "twice", 5) == 0 && me == 1) {
        MPI_Isend(&y, 1, MPI_INT, me, tag, MPI_COMM_WORLD, &request);
        copy = request;
        MPI_Recv(&x, 1, MPI_INT, me, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        if (strcmp(way, "twice-test") == 0)
            MPI_Test(&copy, &flag, MPI_STATUS_IGNORE);
        MPI_Waitall(1, &copy, MPI_STATUSES_IGNORE);
    }
    if (strcmp(way, "freed") == 0 && me == 1) {
        MPI_Isend(&y, 1, MPI_INT, me, tag, MPI_COMM_WORLD, &request);
        copy = request;
        MPI_Request_free(&request);
        MPI_Wait(&copy, MPI_STATUS_IGNORE);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
