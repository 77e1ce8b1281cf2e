/* SPDX-License-Identifier: MIT */
/* A token goes round a ring of ranks; then all add up what they have seen. */
#include <mpi.h>
#include <stdio.h>

static int seen; /* each rank has its own */

int main(int argc, char **argv)
{
    int me, P, token = 1, sum;
    double start;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &P);
    start = MPI_Wtime();
    if (me > 0)
        MPI_Recv(&token, 1, MPI_INT, me - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    seen = token++;
    if (me < P - 1)
        MPI_Send(&token, 1, MPI_INT, me + 1, 0, MPI_COMM_WORLD);
    MPI_Allreduce(&seen, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (me == 0)
        printf("%d ranks, sum %d, %.0f us\n", P, sum, (MPI_Wtime() - start) * 1e6);
    MPI_Finalize();
    return 0;
}
