/* SPDX-License-Identifier: MIT */
/* Buffers and the blocks of malloc() that they begin: blocks [rows|CALL BYTES] */
#include "check.h"

enum { N = 2000 };

/* Each row has a block of its own; the rows are sent as if they were one. */
static void rows(void)
{
    int **all = malloc((size_t)P * sizeof(*all)), *own;

    for (int i = 0; i < P; i++)
        all[i] = malloc(N * sizeof(int));
    own = malloc(N * sizeof(int));
    MPI_Scatter(all, N, MPI_INT, own, N, MPI_INT, 0, MPI_COMM_WORLD); /* rows */
}

/* 16 bytes too many, of a block that this call begins. */
static void exceed(const char *call, size_t bytes)
{
    char *block = malloc(bytes + 64), *large = malloc(2 * bytes + 128);
    const int n = (int)bytes + 16;
    char *in;
    MPI_Request r;

    block = realloc(block, bytes); /* so that the program itself survives */
    in = me == 0 ? block : large;
    if (strcmp(call, "Send") == 0 && me == 0)
        MPI_Send(block, n, MPI_BYTE, 1, 0, MPI_COMM_WORLD); /* Send */
    if (strcmp(call, "Send") == 0 && me == 1)
        MPI_Recv(large, n, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (strcmp(call, "Recv") == 0 && me == 0)
        MPI_Recv(block, n, MPI_BYTE, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* Recv */
    if (strcmp(call, "Recv") == 0 && me == 1)
        MPI_Send(large, 1, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
    if (strcmp(call, "Irecv") == 0 && me == 0) {
        MPI_Irecv(block, n, MPI_BYTE, 0, 0, MPI_COMM_WORLD, &r); /* Irecv */
        MPI_Send(large, 1, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
        MPI_Wait(&r, MPI_STATUS_IGNORE);
    }
    if (strcmp(call, "Bcast") == 0)
        MPI_Bcast(in, n, MPI_BYTE, 0, MPI_COMM_WORLD); /* Bcast */
    if (strcmp(call, "Allreduce") == 0)
        MPI_Allreduce(in, large + n, n, MPI_BYTE, MPI_BAND, MPI_COMM_WORLD); /* Allreduce */
}

/* Data that look as the header of a block: in a block, in a global and in a local variable. */
static void alike(void)
{
    static long global[N];
    long local[N], *block = malloc(N * sizeof(long));

    for (int size = 17; size < 4000; size += 16) {
        for (int i = 0; i < N; i++)
            global[i] = local[i] = block[i] = size;
        for (int i = 1; i < 4; i++) {
            MPI_Bcast(block + i, N / 2, MPI_LONG, 0, MPI_COMM_WORLD);
            MPI_Bcast(global + i, N / 2, MPI_LONG, 0, MPI_COMM_WORLD);
            MPI_Bcast(local + i, N / 2, MPI_LONG, 0, MPI_COMM_WORLD);
        }
    }
    MPI_Bcast(block, N, MPI_LONG, 0, MPI_COMM_WORLD);
    free(block);
}

/* All of a block, however it was made. */
static void whole(void)
{
    void *aligned = NULL;

    for (size_t bytes = 1; bytes < 1 << 20; bytes = bytes * 3 / 2 + 1) {
        char *block = malloc(bytes), *zeros = calloc(bytes, 1);

        CHECK(posix_memalign(&aligned, 64, bytes) == 0);
        MPI_Bcast(block, (int)bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
        MPI_Bcast(zeros, (int)bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
        MPI_Bcast(aligned, (int)bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
        free(block);
        free(zeros);
        free(aligned);
    }
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    if (argc == 2)
        rows();
    else if (argc > 2)
        exceed(argv[1], (size_t)atoi(argv[2]));
    whole();
    if (argc == 1)
        alike();
    return all_hold("blocks");
}
