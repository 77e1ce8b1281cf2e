/* SPDX-License-Identifier: MIT */
/* What a rank has for itself: globals, statics, random numbers, strtok(), exit handlers, its end. */
#include "check.h"

#include <unistd.h>

static int global;

static void at_end(void)
{
    printf("end of rank with %d\n", global);
}

int main(int argc, char **argv)
{
    static int statics = 5;
    int me, P, first, numbers[2];
    char text[] = "a b c";
    double t;

    atexit(at_end);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &P);
    global += me;
    statics += me;
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK(global == me && statics == 5 + me);
    srand((unsigned)me % 2);
    MPI_Barrier(MPI_COMM_WORLD);
    numbers[0] = rand();
    MPI_Barrier(MPI_COMM_WORLD);
    numbers[1] = rand();
    first = me % 2;
    MPI_Bcast(&first, 1, MPI_INT, 0, MPI_COMM_WORLD);
    if (me % 2 == 0) { /* as in a process by itself */
        unsigned seed[2];

        memcpy(seed, numbers, sizeof(seed));
        CHECK(seed[0] == 1804289383 && seed[1] == 846930886);
    }
    CHECK(strcmp(strtok(text, " "), "a") == 0);
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK(strcmp(strtok(NULL, " "), "b") == 0);
    t = MPI_Wtime();
    usleep(1000);
    CHECK(MPI_Wtime() - t >= .001);
    printf("rank %d ", me);
    MPI_Barrier(MPI_COMM_WORLD);
    printf("of %d\n", P);
    MPI_Finalize();
    return 0;
}
