/* SPDX-License-Identifier: MIT */
/* A load or store too early for each word; `right` does the same at the right time, and polls. */
#include "check.h"

static const char *word = "right";
static int x[8], y[8], seen;

static int is(const char *what)
{
    return strcmp(word, what) == 0;
}

static void sum(void *in, void *inout, int *length, MPI_Datatype *type)
{
    (void)type;
    for (int i = 0; i < *length; i++)
        ((int *)inout)[i] += ((int *)in)[i];
}

static void messages(void)
{
    MPI_Request r[2];

    MPI_Irecv(x, 4, MPI_INT, left(), 1, MPI_COMM_WORLD, &r[0]);  /* received */
    MPI_Isend(y, 4, MPI_INT, right(), 1, MPI_COMM_WORLD, &r[1]); /* sent */
    seen += y[1];
    if (is("recv-load"))
        seen += x[2]; /* recv-load */
    if (is("recv-store"))
        x[3] = 1; /* recv-store */
    if (is("send-store"))
        y[3] = 1; /* send-store */
    if (is("struct"))
        *(struct pair { int a, b; } *)(y + 2) = (struct pair){2, 3}; /* struct */
    MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
    seen += x[2];
    x[3] = y[3] = 2;
}

static void collectives(void)
{
    MPI_Request r;
    MPI_Op op;

    MPI_Op_create(sum, 1, &op);
    MPI_Iallreduce(y, x, 4, MPI_INT, op, MPI_COMM_WORLD, &r); /* reduced */
    if (is("collective"))
        seen += x[0]; /* collective */
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    MPI_Bcast_init(x, 4, MPI_INT, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &r); /* again */
    x[0] = 3;
    for (int i = 0; i < 2; i++) {
        MPI_Start(&r);
        if (is("persistent"))
            x[1] = 3; /* persistent */
        MPI_Wait(&r, MPI_STATUS_IGNORE);
        x[0]++;
    }
    MPI_Start(&r);
    MPI_Request_free(&r); /* it goes on; a barrier says when it is complete */
    MPI_Barrier(MPI_COMM_WORLD);
    seen += x[0];
    MPI_Op_free(&op);
}

/* Rank 0 operates on the memory of rank 1. */
static void windows(void)
{
    const int first = me == 0, target = P > 1 ? 1 : 0;
    MPI_Group all;
    MPI_Win win;
    int got = 1;

    MPI_Win_create(x, sizeof(x), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    x[1] = 4;
    MPI_Win_fence(0, win);
    if (me == target && is("load-first"))
        seen += x[2]; /* load-first */
    MPI_Barrier(MPI_COMM_WORLD);
    if (first) {
        MPI_Put(&got, 1, MPI_INT, target, 2, 1, MPI_INT, win); /* put */
        MPI_Get(y, 1, MPI_INT, target, 3, 1, MPI_INT, win);    /* get */
        if (is("origin"))
            y[0] = 1; /* origin */
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (me == target && is("load-after"))
        seen += x[2]; /* load-after */
    if (me == target && is("store-after"))
        x[3] = 1; /* store-after */
    seen += me == target ? x[3] + x[4] : 0;
    MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
    seen += x[2] + y[0];
    x[3] = 1;
    MPI_Win_post(all, 0, win);
    if (me == target && is("posted"))
        x[2] = 1;                /* posted */
    MPI_Barrier(MPI_COMM_WORLD); /* the store comes before the operation */
    MPI_Win_start(all, 0, win);
    if (first)
        MPI_Accumulate(&got, 1, MPI_INT, target, 2, 1, MPI_INT, MPI_SUM, win); /* added */
    MPI_Win_complete(win);
    MPI_Win_wait(win);
    x[2] = 1;
    MPI_Barrier(MPI_COMM_WORLD);
    if (first) {
        MPI_Win_lock(MPI_LOCK_SHARED, target, 0, win);
        MPI_Put(&got, 1, MPI_INT, target, 5, 1, MPI_INT, win); /* locked put */
        if (!is("locked"))
            MPI_Win_flush(target, win);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (me == target)
        seen += x[5]; /* locked */
    MPI_Barrier(MPI_COMM_WORLD);
    if (first)
        MPI_Win_unlock(target, win);
    MPI_Win_free(&win);
    MPI_Group_free(&all);
}

/* A volatile load may poll until the operation of another rank arrives. */
static void poll(void)
{
    volatile int *flag;
    MPI_Win win;
    const int one = 1;

    MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &flag, &win);
    MPI_Win_lock_all(0, win);
    MPI_Put(&one, 1, MPI_INT, right(), 0, 1, MPI_INT, win);
    while (*flag == 0)
        MPI_Win_sync(win);
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    word = argc > 1 ? argv[1] : word;
    messages();
    collectives();
    windows();
    if (is("right"))
        poll();
    MPI_Finalize();
    return seen < 0;
}
