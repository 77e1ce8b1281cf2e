/* SPDX-License-Identifier: MIT */
/* A program that computes and has globals to be looked at: computes [deep] */
#include "check.h"

#include <time.h>

int counter;
static volatile struct {
    int rank;
    const char *name;
} mine = {-1, "a name"};

static long processor_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return t.tv_sec * 1000000000L + t.tv_nsec;
}

/* 20 ms of this thread's processor time. */
static void compute(void)
{
    const long end = processor_ns() + 20000000;

    while (processor_ns() < end)
        ;
}

/* 80 ms of it, in code of its own. */
static double compute_long(void)
{
    const long end = processor_ns() + 80000000;
    volatile double sum = 0;

    while (processor_ns() < end)
        for (int i = 1; i < 100000; i++)
            sum += 1.0 / i;
    return sum;
}

/* About a MiB of stack. */
static int deep(int n)
{
    volatile char frame[4096];

    frame[n] = (char)n;
    return n > 0 ? deep(n - 1) + frame[n] : 0;
}

static void look(void)
{
    mine.rank = me;
    counter = 10 * me;
    MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    double t;

    start(&argc, &argv);
    if (argc > 1 && strcmp(argv[1], "long") == 0) {
        printf("sum %g\n", compute_long());
        MPI_Barrier(MPI_COMM_WORLD);
    } else if (argc > 1) {
        printf("sum %d\n", deep(256));
        look();
    } else {
        t = MPI_Wtime();
        compute();
        printf("computed %.6f\n", MPI_Wtime() - t);
    }
    MPI_Finalize();
    return 0;
}
