// SPDX-License-Identifier: MIT
// Thread-local variables are each rank's own, also where several ranks are fibers of one thread.
#include <mpi.h>

#include <cstdio>

struct counted {
    int value = 41;
    counted()
    {
        value++;
    }
    ~counted()
    {
        std::printf("destroyed %d\n", value);
    }
};

static thread_local counted object;
thread_local int global = 3;
static __thread char zero[100];

int main(int argc, char **argv)
{
    int me;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    object.value += me;
    global += me;
    zero[me] = 1;
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < 100; i++)
        if (object.value != 42 + me || global != 3 + me || zero[i] != (i == me))
            MPI_Abort(MPI_COMM_WORLD, 3);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
