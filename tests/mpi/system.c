/* SPDX-License-Identifier: MIT */
/* What a process asks of its system, and each rank has for itself: system [nodes SIZE|clocks EPOCH] */
#include "check.h"

#include <sys/resource.h>
#include <sys/time.h>
#include <sys/times.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

/* The ranks of a node, `size` in a row, share memory and a name; size 0: there is one node. */
static void nodes(int size)
{
    char name[MPI_MAX_PROCESSOR_NAME] = "", first[MPI_MAX_PROCESSOR_NAME],
         *all = malloc((size_t)P * MPI_MAX_PROCESSOR_NAME), host[256];
    int n, rank, length, *memory;
    struct utsname system;
    MPI_Comm node;
    MPI_Win win;

    size = size > 0 ? size : P;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    MPI_Comm_size(node, &n);
    MPI_Comm_rank(node, &rank);
    CHECK(n == (me / size * size + size <= P ? size : P % size) && rank == me % size);
    MPI_Get_processor_name(name, &length);
    CHECK(length == (int)strlen(name));
    memcpy(first, name, sizeof(first));
    MPI_Bcast(first, sizeof(first), MPI_CHAR, 0, node);
    CHECK(strcmp(first, name) == 0);
    CHECK(gethostname(host, sizeof(host)) == 0 && strcmp(host, name) == 0);
    CHECK(uname(&system) == 0 && strcmp(system.nodename, name) == 0);
    CHECK(gethostname(host, 2) != 0);
    MPI_Allgather(name, sizeof(name), MPI_CHAR, all, sizeof(name), MPI_CHAR, MPI_COMM_WORLD);
    for (int i = 0; i < P; i++)
        CHECK((strcmp(all + i * MPI_MAX_PROCESSOR_NAME, name) == 0) == (i / size == me / size));
    MPI_Win_allocate_shared(sizeof(int), sizeof(int), MPI_INFO_NULL, node, &memory, &win);
    MPI_Win_free(&win);
    MPI_Comm_free(&node);
    if (size < P) {
        MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
        FAILS(MPI_ERR_RMA_SHARED, MPI_Win_allocate_shared(sizeof(int), 1, MPI_INFO_NULL,
                                                          MPI_COMM_WORLD, &memory, &win));
        MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
    }
    free(all);
}

static double seconds_of(clockid_t clock)
{
    struct timespec t;

    CHECK(clock_gettime(clock, &t) == 0);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* A reading costs nothing, so clocks that are read in a row agree. */
static int is_about(double a, double b)
{
    return a - b < 1e-6 && b - a < 1e-6;
}

/* All clocks of the system show the emulated time. epoch: 0: of now */
static void clocks(time_t epoch)
{
    const clockid_t own[] = {CLOCK_MONOTONIC, CLOCK_MONOTONIC_RAW, CLOCK_BOOTTIME,
                             CLOCK_PROCESS_CPUTIME_ID, CLOCK_THREAD_CPUTIME_ID};
    struct timespec t;
    struct timeval day;
    struct rusage usage;
    struct tms ticks;
    double now, end;

    if (me == 0)
        usleep(1500000);
    now = MPI_Wtime();
    CHECK(me != 0 || now >= 1.5);
    for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++)
        CHECK(is_about(seconds_of(own[i]), now));
    CHECK(epoch == 0 || is_about(seconds_of(CLOCK_REALTIME) - (double)epoch, now));
    gettimeofday(&day, NULL);
    CHECK(epoch == 0 || day.tv_sec == epoch + (time_t)now);
    CHECK(timespec_get(&t, TIME_UTC) == TIME_UTC && t.tv_sec == day.tv_sec);
    CHECK(time(NULL) == day.tv_sec && time(&day.tv_sec) == day.tv_sec);
    CHECK(is_about((double)clock() / CLOCKS_PER_SEC, now));
    CHECK(times(&ticks) == (clock_t)(now * (double)sysconf(_SC_CLK_TCK)) && ticks.tms_stime == 0);
    CHECK(getrusage(RUSAGE_SELF, &usage) == 0 && usage.ru_utime.tv_sec == (time_t)now);
    CHECK(clock_gettime((clockid_t)99, &t) != 0);
    /* loops that wait for a time, by each kind of reading, and a sleep until a time */
    for (end = now + 2e-3; seconds_of(CLOCK_MONOTONIC) < end;)
        ;
    for (end += 2e-3; (double)clock() / CLOCKS_PER_SEC < end;)
        ;
    CHECK(MPI_Wtime() >= end && MPI_Wtime() < end + 1e-3);
    clock_gettime(CLOCK_REALTIME, &t);
    t.tv_sec += 2;
    CHECK(clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &t, NULL) == 0);
    CHECK(MPI_Wtime() > now + 2 && MPI_Wtime() < now + 2.1);
}

int main(int argc, char **argv)
{
    const char *way = argc > 1 ? argv[1] : "";

    start(&argc, &argv);
    if (strcmp(way, "clocks") == 0)
        clocks((time_t)atol(argv[2]));
    if (strcmp(way, "nodes") == 0)
        nodes(atoi(argv[2]));
    return all_hold("system");
}
