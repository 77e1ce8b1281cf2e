/* SPDX-License-Identifier: MIT */
/* Ways in which a program ends: ends WAY */
#include "check.h"

#include <assert.h>
#include <err.h>
#include <errno.h>
#include <error.h>
#include <pthread.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

static const char *volatile nothing;

static char variable[] = "A=1", *environment[] = {variable, NULL};

static void end_quickly(void)
{
    puts("a quick end");
}

/* Its stack is too small for this. */
static int deeper(int n)
{
    volatile char frame[4096];

    frame[n % 4096] = (char)n;
    return n < 1000000 ? deeper(n + 1) + frame[0] : n;
}

static int large[1 << 20], received[1 << 20];

int main(int argc, char **argv)
{
    int me, x = 0, all[2], counts[2] = {1, 1}, displs[2] = {0, 1};
    MPI_Request requests[2];
    const char *way = argc > 1 ? argv[1] : "";

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    if (strcmp(way, "abort") == 0 && me == 2)
        MPI_Abort(MPI_COMM_WORLD, 9);
    if (strcmp(way, "exit") == 0 && me == 1)
        exit(4);
    if (strcmp(way, "return-3") == 0 && me == 1)
        return 3;
    if (strcmp(way, "return") == 0 && me == 1)
        return 0;
    if (strcmp(way, "quick") == 0 && me == 1) {
        at_quick_exit(end_quickly);
        quick_exit(5);
    }
    if (strcmp(way, "thread") == 0 && me == 1)
        pthread_exit(NULL);
    if (strcmp(way, "becomes") == 0 && me == 1 && execlp("nosuch-program", "nosuch", NULL) < 0)
        execlp("sh", "sh", "-c", "echo $0 $A; exit 3", "another", NULL);
    if (strcmp(way, "becomes-with") == 0 && me == 1)
        execle("/bin/sh", "sh", "-c", "echo $0 $A; exit 3", "another", NULL, environment);
    if (strcmp(way, "errx") == 0 && me == 1)
        errx(3, "no %s", "luck");
    if (strcmp(way, "error") == 0) {
        error(0, ERANGE, "no %s", "luck");
        error(me == 1 ? 3 : 0, 0, "rank %d", me);
    }
    if (strcmp(way, "floods") == 0)
        for (FILE *f = argc > 2 ? stderr : stdout; me == 0;)
            fputs("more and more and more and more and more and more and more\n", f);
    if (strcmp(way, "assert") == 0)
        assert(me != 1);
    if (strcmp(way, "aborted") == 0 && me == 1)
        abort();
    if (strcmp(way, "raise") == 0 && me == 1)
        raise(SIGABRT);
    if (strcmp(way, "waits") == 0 && me == 2)
        for (volatile int never = 0; never == 0;) /* for a rank of its core */
            ;
    if (strcmp(way, "works") == 0 && me == 2) {
        static unsigned long value;
        const clock_t begun = clock();

        while (clock() - begun < 3 * CLOCKS_PER_SEC)
            for (int i = 0; i < 1000000; i++)
                value = value * 6364136223846793005UL + 1442695040888963407UL + (value >> 33);
    }
    if (strcmp(way, "spin") == 0 && raise(SIGINT) == 0)
        for (volatile int forever = 1; forever;)
            ;
    if (strcmp(way, "line") == 0) {
        for (int i = 0; i < 300000; i++)
            putchar('a' + me);
        fputs("\nsecond\nthi", stdout);
        fputs("rd\n", stdout);
    }
    if (strcmp(way, "crash") == 0 && me == 1)
        *(volatile int *)0 = 1;
    if (strcmp(way, "deep") == 0 && me == 1)
        return deeper(0);
    if (strcmp(way, "library") == 0 && me == 1)
        return (int)strlen(nothing);
    if (strcmp(way, "rank") == 0 && me == 1)
        MPI_Send(&x, 1, MPI_INT, 99, 0, MPI_COMM_WORLD);
    if (strcmp(way, "missing") == 0 && me == 1)
        MPI_Comm_spawn("nothing", MPI_ARGV_NULL, 1, MPI_INFO_NULL, 0, MPI_COMM_SELF, &(MPI_Comm){0},
                       MPI_ERRCODES_IGNORE);
    if (strcmp(way, "deadlock") == 0 && me < 2)
        MPI_Recv(&x, 1, MPI_INT, 1 - me, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (strcmp(way, "deadlock") == 0 && me == 2)
        MPI_Ssend(&x, 1, MPI_INT, 0, 8, MPI_COMM_WORLD);
    if (strcmp(way, "differ") == 0 && me == 1)
        MPI_Bcast(&x, 1, MPI_INT, 0, MPI_COMM_WORLD);
    if (strcmp(way, "shares") == 0 && me == 1)
        for (int i = 0; i < 2; i++)
            MPI_Irecv(all + i, 2 - i, MPI_INT, 0, i, MPI_COMM_WORLD, &requests[i]);
    if (strcmp(way, "shares") == 0 && me == 0)
        for (int i = 0; i < 2; i++)
            MPI_Send(counts, 1, MPI_INT, 1, i, MPI_COMM_WORLD);
    if (strcmp(way, "shares") == 0 && me == 1)
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    if (strcmp(way, "exchanges") == 0)
        MPI_Sendrecv(all, 1, MPI_INT, 0, 0, all, 1, MPI_INT, 0, 0, MPI_COMM_SELF,
                     MPI_STATUS_IGNORE);
    if (strcmp(way, "lengths") == 0)
        MPI_Gatherv(&x, 1, MPI_INT, all, counts, displs, MPI_INT, me % 2, MPI_COMM_WORLD);
    if (strcmp(way, "large") == 0)
        MPI_Bcast(large, 1 << 20, MPI_INT, 0, MPI_COMM_WORLD);
    if (strcmp(way, "full") == 0)
        MPI_Alltoall(large, 1 << 16, MPI_INT, received, 1 << 16, MPI_INT, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return strcmp(way, "code") == 0 && me == 3 ? 17 : 0;
}
