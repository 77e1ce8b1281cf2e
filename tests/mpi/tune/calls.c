/* SPDX-License-Identifier: MIT */
/*
 * What an MPI does in a collective: for tune_mpi.sh, with seen.c preloaded.
 *     mpirun -n P calls COLLECTIVE BYTES ...
 * For each collective rank 0 prints which algorithm it has seen being taken there, if it can, and
 * what each rank sent:
 *     bcast 64: bcast_intra_binomial 0 0
 *     0: 64>1 64>2
 */
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE = 1 << 14 };

static int me, P;

/* Sizes are those of logp tune: of an item, or of a vector or a block of doubles. */
static int call(const char *name, int bytes, void *in, void *out)
{
    const int count = bytes / 8;
    const MPI_Comm world = MPI_COMM_WORLD;
    int *const counts = calloc((size_t)P, sizeof(int));

    for (int i = 0; i < P; i++)
        counts[i] = count;
    if (strcmp(name, "bcast") == 0)
        MPI_Bcast(in, bytes, MPI_BYTE, 0, world);
    else if (strcmp(name, "reduce") == 0)
        MPI_Reduce(in, out, count, MPI_DOUBLE, MPI_SUM, 0, world);
    else if (strcmp(name, "allreduce") == 0)
        MPI_Allreduce(in, out, count, MPI_DOUBLE, MPI_SUM, world);
    else if (strcmp(name, "reduce_scatter") == 0)
        MPI_Reduce_scatter(in, out, counts, MPI_DOUBLE, MPI_SUM, world);
    else if (strcmp(name, "reduce_scatter_block") == 0)
        MPI_Reduce_scatter_block(in, out, count, MPI_DOUBLE, MPI_SUM, world);
    else if (strcmp(name, "allgather") == 0)
        MPI_Allgather(in, bytes, MPI_BYTE, out, bytes, MPI_BYTE, world);
    else if (strcmp(name, "alltoall") == 0)
        MPI_Alltoall(in, bytes, MPI_BYTE, out, bytes, MPI_BYTE, world);
    else if (strcmp(name, "gather") == 0)
        MPI_Gather(in, bytes, MPI_BYTE, out, bytes, MPI_BYTE, 0, world);
    else if (strcmp(name, "scatter") == 0)
        MPI_Scatter(in, bytes, MPI_BYTE, out, bytes, MPI_BYTE, 0, world);
    else if (strcmp(name, "barrier") == 0)
        MPI_Barrier(world);
    else
        return -1;
    free(counts);
    return 0;
}

/* A message to each other rank, and seen.c is told to whom. */
static void introduce(void (*learn)(int))
{
    char byte = 0, other;

    for (int d = 1; d < P; d++) {
        const int to = (me + d) % P, from = (me + P - d) % P;
        MPI_Request request;

        MPI_Irecv(&other, 1, MPI_CHAR, from, 0, MPI_COMM_WORLD, &request);
        learn(to);
        MPI_Send(&byte, 1, MPI_CHAR, to, 0, MPI_COMM_WORLD);
        learn(-1);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
}

int main(int argc, char **argv)
{
    void (*watch)(void), (*learn)(int);
    const char *(*taken)(void), *(*sent)(void);

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &P);
    *(void **)&watch = dlsym(RTLD_DEFAULT, "seen_watch");
    *(void **)&learn = dlsym(RTLD_DEFAULT, "seen_learn");
    *(void **)&taken = dlsym(RTLD_DEFAULT, "seen_taken");
    *(void **)&sent = dlsym(RTLD_DEFAULT, "seen_sent");
    if (watch == NULL || learn == NULL || taken == NULL || sent == NULL)
        MPI_Abort(MPI_COMM_WORLD, 3);
    watch();
    introduce(learn);
    for (int i = 1; i + 1 < argc; i += 2) {
        const int bytes = atoi(argv[i + 1]);
        const size_t capacity = ((size_t)bytes + 8) * (size_t)P;
        char *in = calloc(capacity, 1), *out = calloc(capacity, 1),
             *lines = calloc((size_t)P, LINE);
        char line[LINE];

        MPI_Barrier(MPI_COMM_WORLD);
        taken();
        sent();
        if (call(argv[i], bytes, in, out) != 0)
            MPI_Abort(MPI_COMM_WORLD, 2);
        strncpy(line, sent(), LINE - 1);
        if (me == 0)
            printf("%s %d:%s\n", argv[i], bytes, taken());
        MPI_Gather(line, LINE, MPI_CHAR, lines, LINE, MPI_CHAR, 0, MPI_COMM_WORLD);
        for (int rank = 0; me == 0 && rank < P; rank++)
            printf("%d:%s\n", rank, lines + (size_t)rank * LINE);
        free(in);
        free(out);
        free(lines);
    }
    MPI_Finalize();
    return 0;
}
