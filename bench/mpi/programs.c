/* SPDX-License-Identifier: MIT */
/*
 * Small programs that spend their time on messages, not on computing. bench/mpi-programs runs them
 * under this library and under Open MPI. Rank 0 prints a result that must be the same under both.
 *
 * usage: programs ring|stencil|cg|workers|transpose REPETITIONS
 */
#include <mpi.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int P, me;

/* Pass a token around; each rank adds to it. */
static double ring(int n)
{
    long token = 0;

    for (int i = 0; P > 1 && i < n; i++) { /* a send to itself may wait for ever */
        if (me > 0)
            MPI_Recv(&token, 1, MPI_LONG, me - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        token += me;
        MPI_Send(&token, 1, MPI_LONG, (me + 1) % P, 0, MPI_COMM_WORLD);
        if (me == 0)
            MPI_Recv(&token, 1, MPI_LONG, P - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    return (double)token;
}

/* Heat in a rod, 64 cells on each rank: a step is an exchange of one cell with both neighbours. */
static double stencil(int n)
{
    enum { CELLS = 64 };
    const int left = me > 0 ? me - 1 : MPI_PROC_NULL, right = me + 1 < P ? me + 1 : MPI_PROC_NULL;
    double a[CELLS + 2] = {0}, b[CELLS + 2] = {0}, own = 0, sum = 0;
    MPI_Request r[4];

    for (int i = 1; i <= CELLS; i++)
        a[i] = (me * CELLS + i) % 10;
    for (int step = 0; step < n; step++) {
        MPI_Irecv(&a[0], 1, MPI_DOUBLE, left, 0, MPI_COMM_WORLD, &r[0]);
        MPI_Irecv(&a[CELLS + 1], 1, MPI_DOUBLE, right, 0, MPI_COMM_WORLD, &r[1]);
        MPI_Isend(&a[1], 1, MPI_DOUBLE, left, 0, MPI_COMM_WORLD, &r[2]);
        MPI_Isend(&a[CELLS], 1, MPI_DOUBLE, right, 0, MPI_COMM_WORLD, &r[3]);
        MPI_Waitall(4, r, MPI_STATUSES_IGNORE);
        for (int i = 1; i <= CELLS; i++)
            b[i] = .5 * a[i] + .25 * (a[i - 1] + a[i + 1]);
        memcpy(a, b, sizeof(a));
    }
    for (int i = 1; i <= CELLS; i++)
        own += a[i];
    MPI_Reduce(&own, &sum, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    return sum;
}

/* y = A x of the Laplacian of a line; m cells on this rank, from x[1] on. */
static void apply(double *x, double *y, int m)
{
    const int left = me > 0 ? me - 1 : MPI_PROC_NULL, right = me + 1 < P ? me + 1 : MPI_PROC_NULL;

    x[0] = x[m + 1] = 0;
    MPI_Sendrecv(&x[1], 1, MPI_DOUBLE, left, 1, &x[m + 1], 1, MPI_DOUBLE, right, 1, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    MPI_Sendrecv(&x[m], 1, MPI_DOUBLE, right, 2, &x[0], 1, MPI_DOUBLE, left, 2, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    for (int i = 1; i <= m; i++)
        y[i] = 2.001 * x[i] - x[i - 1] - x[i + 1];
}

static double dot(const double *x, const double *y, int m)
{
    double own = 0, sum;

    for (int i = 1; i <= m; i++)
        own += x[i] * y[i];
    MPI_Allreduce(&own, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return sum;
}

/* Conjugate gradients with 1000 unknowns: n steps, restarted before the system is solved. */
static double conjugate_gradients(int n)
{
    enum { UNKNOWNS = 1000, STEPS = 50 };
    const int m = UNKNOWNS / P + (me < UNKNOWNS % P);
    double x[UNKNOWNS + 2], r[UNKNOWNS + 2], p[UNKNOWNS + 2], q[UNKNOWNS + 2], rr = 0, before;

    for (int step = 0; step < n; step++) {
        double alpha;

        if (step % STEPS == 0) {
            for (int i = 1; i <= m; i++) {
                x[i] = 0;
                r[i] = p[i] = 1 + i % 3;
            }
            rr = dot(r, r, m);
        }
        apply(p, q, m);
        alpha = rr / dot(p, q, m);
        for (int i = 1; i <= m; i++) {
            x[i] += alpha * p[i];
            r[i] -= alpha * q[i];
        }
        before = rr;
        rr = dot(r, r, m);
        for (int i = 1; i <= m; i++)
            p[i] = r[i] + rr / before * p[i];
    }
    return dot(x, x, m);
}

/* Rank 0 gives the next task to each rank that has answered, and counts the answers. */
static double workers(int n)
{
    enum { TASK, STOP };
    int given = 0, working = 0;
    double sum = 0;

    for (int w = 1; me == 0 && w < P; w++, given++, working++)
        MPI_Send(&given, 1, MPI_INT, w, TASK, MPI_COMM_WORLD);
    while (me == 0 && working > 0) {
        MPI_Status s;
        long answer;

        MPI_Recv(&answer, 1, MPI_LONG, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &s);
        sum += (double)answer;
        working -= given >= n;
        MPI_Send(&given, 1, MPI_INT, s.MPI_SOURCE, given < n ? TASK : STOP, MPI_COMM_WORLD);
        given++;
    }
    while (me > 0) {
        MPI_Status s;
        long answer = 0;
        int task;

        MPI_Recv(&task, 1, MPI_INT, 0, MPI_ANY_TAG, MPI_COMM_WORLD, &s);
        if (s.MPI_TAG == STOP)
            break;
        for (int i = 0; i < 100; i++)
            answer += (task ^ i) % 7;
        MPI_Send(&answer, 1, MPI_LONG, 0, task % 10, MPI_COMM_WORLD);
    }
    return sum;
}

/* Transpose a matrix by blocks, repeatedly: each rank has 16 numbers for each other rank. */
static double transpose(int n)
{
    enum { BLOCK = 16 };
    double *a = malloc((size_t)P * BLOCK * sizeof(*a)), *b = malloc((size_t)P * BLOCK * sizeof(*b));
    double own = 0, sum = 0;

    for (int i = 0; i < P * BLOCK; i++)
        a[i] = me * 100 + i % 7;
    for (int step = 0; step < n; step++) {
        MPI_Alltoall(a, BLOCK, MPI_DOUBLE, b, BLOCK, MPI_DOUBLE, MPI_COMM_WORLD);
        for (int i = 0; i < P * BLOCK; i++)
            a[i] = b[i] + i % 3;
    }
    for (int i = 0; i < P * BLOCK; i++)
        own += a[i] * (i + me);
    MPI_Reduce(&own, &sum, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    free(a);
    free(b);
    return sum;
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        double (*run)(int n);
    } all[] = {{"ring", ring},
               {"stencil", stencil},
               {"cg", conjugate_gradients},
               {"workers", workers},
               {"transpose", transpose}};
    const char *name = argc > 1 ? argv[1] : "";
    const int n = argc > 2 ? atoi(argv[2]) : 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &P);
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
        if (strcmp(all[i].name, name) == 0) {
            const double result = all[i].run(n);

            if (me == 0)
                printf("%s: %.6g\n", name, result);
        }
    MPI_Finalize();
    return 0;
}
