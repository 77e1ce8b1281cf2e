/* SPDX-License-Identifier: MIT */
/* A right program, and planted bugs of which most show in some orders of events only: explored [BUG] */
#include "check.h"

#include <assert.h>
#include <stdbool.h>

static int runs; /* each run has globals of its own */

static const char *bug;

static bool has(const char *name)
{
    return strcmp(bug, name) == 0;
}

static void collect(void)
{
    MPI_Status status;
    int x[3] = {0}, sum = 0, first = -1;

    for (int i = 0; i < P - 1; i++) {
        if (has("deadlock") && i == 1)
            MPI_Recv(&x[i], 1, MPI_INT, 2, 1, MPI_COMM_WORLD, &status);
        else
            MPI_Recv(&x[i], 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &status);
        first = first < 0 ? status.MPI_SOURCE : first;
        sum += x[i];
    }
    if (has("first") && first == 3) {
        printf("one line of output\n");
        fprintf(stderr, "rank 0 had seen rank 3 first\n");
        exit(1);
    }
    if (has("note") && first == 3)
        exit(4);
    if (has("assert"))
        assert(x[0] != 2);
    if (sum != P * (P - 1) / 2)
        exit(2);
}

/* Rank 1 sees in which order the messages of others come. */
static void notice(void)
{
    MPI_Status status, taken;
    MPI_Message message;
    int x = me, right;

    if (P < 3)
        return;
    if (me != 1) {
        MPI_Send(&x, 1, MPI_INT, 1, 2, MPI_COMM_WORLD);
        return;
    }
    MPI_Probe(MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, &status);
    right = status.MPI_SOURCE != 2;
    if (has("crash") && !right) {
        printf("rank %d crashes", me); /* a line without its end */
        *(volatile int *)0 = 1;
    }
    if (has("abort") && !right)
        MPI_Abort(MPI_COMM_WORLD, 3);
    MPI_Recv(&x, 1, MPI_INT, MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, &taken);
    if (has("taken") && taken.MPI_SOURCE != status.MPI_SOURCE) /* MPI 3.1, example 3.19 */
        exit(6);
    for (int i = 1; i < P - 1; i++) { /* but these take what has been found */
        if (i % 2 == 1) {
            MPI_Mprobe(MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, &message, &status);
            MPI_Mrecv(&x, 1, MPI_INT, &message, &taken);
        } else {
            MPI_Probe(MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, &status);
            MPI_Recv(&x, 1, MPI_INT, status.MPI_SOURCE, 2, MPI_COMM_WORLD, &taken);
        }
        assert(taken.MPI_SOURCE == status.MPI_SOURCE && x == status.MPI_SOURCE);
    }
}

int main(int argc, char **argv)
{
    int x, code;

    if (runs++ != 0)
        return 7;
    bug = argc > 1 ? argv[1] : "";
    if (has("all"))
        *(volatile int *)0 = 2;
    start(&argc, &argv);
    x = me;
    if (has("note") || has("noted"))
        fprintf(stderr, "note: rank %d starts\n", me);
    if (me == 0)
        collect();
    else
        MPI_Send(&x, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
    notice();
    if (has("left") && me == 2)
        MPI_Send(&x, 1, MPI_INT, 3, 9, MPI_COMM_WORLD);
    if (has("root"))
        MPI_Bcast(&x, 1, MPI_INT, me == 1, MPI_COMM_WORLD);
    if (has("return") && me == 1)
        return 0;
    MPI_Send(&x, 1, MPI_INT, (me + 1) % P, 0, MPI_COMM_WORLD); /* round */
    MPI_Recv(&x, 1, MPI_INT, (me + P - 1) % P, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Finalize();
    code = (has("code") || has("noted")) && me == 1 ? 5 : 0;
    return code;
}
