/* SPDX-License-Identifier: MIT */
/*
 * What the C library keeps, in turns with the other ranks: options, random numbers, input. Each rank
 * prints what a process by itself would: libc options|random|input ARGUMENTS
 */
#include "check.h"

#include <getopt.h>
#include <time.h>
#include <unistd.h>

static int quiet;

static void options(int argc, char **argv)
{
    static const struct option all[] = {{"all", no_argument, NULL, 'A'},
                                        {"also", required_argument, NULL, 'S'},
                                        {"maybe", optional_argument, NULL, 'M'},
                                        {"quiet", no_argument, &quiet, 5},
                                        {NULL, 0, NULL, 0}};
    const char *kind = argv[2], *letters = argv[3];
    int c, which = -1;

    optind = 4;
    do {
        MPI_Barrier(MPI_COMM_WORLD);
        c = strcmp(kind, "short") == 0  ? getopt(argc, argv, letters)
            : strcmp(kind, "long") == 0 ? getopt_long(argc, argv, letters, all, &which)
                                        : getopt_long_only(argc, argv, letters, all, &which);
        printf("%d:%d:%d:%d:%s:%d ", c, which, optind, c == '?' ? optopt : 0,
               optarg != NULL ? optarg : "-", quiet);
    } while (c != -1);
    for (int i = 0; i < argc; i++)
        printf("%s%c", argv[i], i + 1 < argc ? ' ' : '\n');
}

/* Two numbers of each kind, in turns with the others. */
static void numbers(void)
{
    unsigned short of[3] = {1, 2, 3}, parameters[7] = {1, 2, 3, 4, 5, 6, 7};
    char state[64], *before;

    for (int i = 0; i < 2; i++) {
        MPI_Barrier(MPI_COMM_WORLD);
        printf("%d %ld %g %ld %ld %g %ld %ld ", rand(), random(), drand48(), lrand48(), mrand48(),
               erand48(of), nrand48(of), jrand48(of));
    }
    before = initstate(7, state, sizeof(state));
    MPI_Barrier(MPI_COMM_WORLD);
    printf("%ld ", random());
    CHECK(setstate(before) == state);
    MPI_Barrier(MPI_COMM_WORLD);
    printf("%ld ", random());
    printf("%hu ", seed48(of)[1]);
    MPI_Barrier(MPI_COMM_WORLD);
    printf("%ld ", mrand48());
    lcong48(parameters);
    MPI_Barrier(MPI_COMM_WORLD);
    printf("%ld %ld ", mrand48(), nrand48(of));
    srand48(3);
    srand(4);
    MPI_Barrier(MPI_COMM_WORLD);
    printf("%ld %d\n", lrand48(), rand());
}

/* All but rank 0 read the end of the file, in each way there is. */
static void input(void)
{
    char line[64];
    int a = 0, b = 0, c;

    for (int i = 0; i < 4; i++) {
        MPI_Barrier(MPI_COMM_WORLD);
        if (me == i)
            continue; /* another one is the first */
        if (me > 0) {
            CHECK(getchar() == EOF && feof(stdin));
            CHECK(scanf("%d", &a) == EOF && fgets(line, sizeof(line), stdin) == NULL);
            CHECK(read(STDIN_FILENO, line, 1) == 0);
        }
    }
    if (me > 0)
        return;
    CHECK(!feof(stdin) && scanf("%d %d", &a, &b) == 2);
    CHECK((c = getchar()) == '\n');
    CHECK(fgets(line, sizeof(line), stdin) != NULL);
    CHECK(getchar() == EOF);
    printf("%d %d %s", a, b, line);
}

static void sleeping(void)
{
    const struct timespec ms = {0, 1000000};
    struct timespec then;
    double t = MPI_Wtime();

    CHECK(clock_nanosleep(CLOCK_MONOTONIC, 0, &ms, NULL) == 0 && MPI_Wtime() - t >= .001);
    clock_gettime(CLOCK_REALTIME, &then);
    then.tv_sec += 2;
    t = MPI_Wtime();
    CHECK(clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &then, NULL) == 0);
    CHECK(MPI_Wtime() - t >= 1);
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";

    start(&argc, &argv);
    if (strcmp(what, "options") == 0)
        options(argc, argv);
    else if (strcmp(what, "random") == 0)
        numbers();
    else if (strcmp(what, "input") == 0)
        input();
    else
        sleeping();
    if (strcmp(what, "child") == 0 && fork() == 0)
        _exit(0);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    if (strcmp(what, "exit") == 0)
        _exit(40 + me);
    return 0;
}
