/* SPDX-License-Identifier: MIT */
/* What a rank has for itself: globals, statics, random numbers, strtok(), exit handlers, its end. */
#include "check.h"

#include <stdint.h>
#include <unistd.h>

static int global;
static int counts[3] = {1, 2, 3};
static int *const to_counts[] = {&counts[2], &counts[0], &counts[1]};
static _Alignas(1 << 16) char aligned[1 << 17];
static const char *constructed;
extern char __executable_start, _end;

static __attribute__((constructor)) void construct(int argc, char **argv)
{
    constructed = argc > 0 ? argv[0] : "without arguments";
    counts[0] += global++;
}

static __attribute__((destructor)) void destruct(void)
{
    printf("destructor %s with %d\n", constructed, global);
}

static int address_of_a_function(int (*function)(int), int x)
{
    return function(x);
}

static int twice(int x)
{
    return 2 * x;
}

/* What the linker or the loader has to fill in, in each rank's own image. */
static void check_image(const char *program)
{
    static int (*functions[])(int) = {twice};

    CHECK(strcmp(constructed, program) == 0 && global == 1);
    CHECK(to_counts[0] == &counts[2] && to_counts[1] == &counts[0] && *to_counts[2] == 2);
    CHECK(functions[0] == twice && address_of_a_function(functions[0], 4) == 8);
    CHECK((uintptr_t)aligned % (1 << 16) == 0 && aligned[0] == 0 && aligned[(1 << 17) - 1] == 0);
    CHECK((char *)counts > &__executable_start && (char *)counts < &_end);
    memset(aligned, 1, sizeof(aligned));
    global--;
}

static void at_end(void)
{
    printf("end of rank with %d\n", global);
}

int main(int argc, char **argv)
{
    static int statics = 5;
    int first, numbers[2];
    char text[] = "a b c";
    double t;

    atexit(at_end);
    start(&argc, &argv);
    check_image(argv[0]);
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
