/* SPDX-License-Identifier: MIT */
/*
 * Conjugate gradients with a V-cycle of multigrid as preconditioner: Poisson's equation on a brick of
 * N x N x N P points, a cube for each rank, with 7 points of the stencil and zero outside. Each
 * level has persistent requests for its halos; inner products are nonblocking and overlap a vector
 * update. Sums of doubles depend on their order, so what is printed is rounded.
 * usage: multigrid [N: a power of two [LEVELS]]
 */
#include <mpi.h>

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_LEVELS = 8, TAG_UP = 1, TAG_DOWN = 2 };

/* n * n * n points of this rank and a layer around them. */
struct level {
    int n;
    size_t points;
    double *x, *b, *r; /* of the V-cycle */
};

/* A vector on a level, and the exchange of its first and last plane with the neighbours'. */
struct halo {
    const struct level *level;
    double *v;
    MPI_Request requests[4];
};

static int me, P, n_levels;
static struct level levels[MAX_LEVELS];
static struct halo cycle_halos[MAX_LEVELS];

static void *allocate(size_t n)
{
    void *p = calloc(n, sizeof(double));

    if (p == NULL)
        MPI_Abort(MPI_COMM_WORLD, 1);
    return p;
}

static size_t at(const struct level *l, int x, int y, int z)
{
    const size_t side = (size_t)l->n + 2;

    return ((size_t)(z + 1) * side + (size_t)(y + 1)) * side + (size_t)(x + 1);
}

#define EACH_POINT(l, x, y, z)                                                                     \
    for (int z = 0; z < (l)->n; z++)                                                               \
        for (int y = 0; y < (l)->n; y++)                                                           \
            for (int x = 0; x < (l)->n; x++)

/* ---- halos ---- */

static void make_halo(struct halo *h, const struct level *l, double *v)
{
    const int below = me > 0 ? me - 1 : MPI_PROC_NULL, above = me < P - 1 ? me + 1 : MPI_PROC_NULL;
    const int plane = (l->n + 2) * (l->n + 2);
    double *planes[4];

    for (int i = 0; i < 4; i++) /* received, sent, sent, received */
        planes[i] = &v[at(l, -1, -1, i < 2 ? i - 1 : l->n - 3 + i)];
    *h = (struct halo){.level = l, .v = v};
    MPI_Recv_init(planes[0], plane, MPI_DOUBLE, below, TAG_UP, MPI_COMM_WORLD, &h->requests[0]);
    MPI_Recv_init(planes[3], plane, MPI_DOUBLE, above, TAG_DOWN, MPI_COMM_WORLD, &h->requests[1]);
    MPI_Send_init(planes[1], plane, MPI_DOUBLE, below, TAG_DOWN, MPI_COMM_WORLD, &h->requests[2]);
    MPI_Send_init(planes[2], plane, MPI_DOUBLE, above, TAG_UP, MPI_COMM_WORLD, &h->requests[3]);
}

static void exchange(struct halo *h)
{
    MPI_Startall(4, h->requests);
    MPI_Waitall(4, h->requests, MPI_STATUSES_IGNORE);
}

static void free_halo(struct halo *h)
{
    for (int i = 0; i < 4; i++)
        MPI_Request_free(&h->requests[i]);
}

/* ---- the equation ---- */

static double laplace(const struct level *l, const double *v, int x, int y, int z)
{
    return 6 * v[at(l, x, y, z)] - v[at(l, x - 1, y, z)] - v[at(l, x + 1, y, z)] -
           v[at(l, x, y - 1, z)] - v[at(l, x, y + 1, z)] - v[at(l, x, y, z - 1)] -
           v[at(l, x, y, z + 1)];
}

static void multiply(struct halo *h, double *out)
{
    exchange(h);
    EACH_POINT(h->level, x, y, z)
    out[at(h->level, x, y, z)] = laplace(h->level, h->v, x, y, z);
}

/* This rank's part. */
static double product(const struct level *l, const double *a, const double *b)
{
    double sum = 0;

    EACH_POINT(l, x, y, z)
    sum += a[at(l, x, y, z)] * b[at(l, x, y, z)];
    return sum;
}

/* a += factor b */
static void add_to(const struct level *l, double *a, double factor, const double *b)
{
    for (size_t i = 0; i < l->points; i++)
        a[i] += factor * b[i];
}

/* ---- the V-cycle: symmetric, so that it may precondition ---- */

/* Jacobi's steps, damped; the residual is left in r. */
static void smooth(int k, int times)
{
    struct level *l = &levels[k];

    for (int i = 0; i <= times; i++) {
        if (i > 0)
            add_to(l, l->x, .8 / 6, l->r);
        exchange(&cycle_halos[k]);
        EACH_POINT(l, x, y, z)
        l->r[at(l, x, y, z)] = l->b[at(l, x, y, z)] - laplace(l, l->x, x, y, z);
    }
}

/* The means of 8 points, times 4: the coarse stencil has points twice as far apart. */
static void restrict_to(const struct level *fine, struct level *coarse)
{
    EACH_POINT(coarse, x, y, z)
    {
        double sum = 0;

        for (int i = 0; i < 8; i++)
            sum += fine->r[at(fine, 2 * x + (i & 1), 2 * y + (i >> 1 & 1), 2 * z + (i >> 2))];
        coarse->b[at(coarse, x, y, z)] = sum / 2;
    }
}

static void cycle(int k)
{
    struct level *l = &levels[k];

    memset(l->x, 0, l->points * sizeof(double));
    smooth(k, k == n_levels - 1 ? 8 : 2);
    if (k == n_levels - 1)
        return;
    restrict_to(l, &levels[k + 1]);
    cycle(k + 1);
    EACH_POINT(l, x, y, z)
    l->x[at(l, x, y, z)] += levels[k + 1].x[at(&levels[k + 1], x / 2, y / 2, z / 2)];
    smooth(k, 2);
}

/* z = M r */
static void precondition(const double *r, double *z)
{
    struct level *l = &levels[0];

    memcpy(l->b, r, l->points * sizeof(double));
    cycle(0);
    memcpy(z, l->x, l->points * sizeof(double));
}

/* ---- conjugate gradients ---- */

/* A solution to be found, of the place in the whole brick. */
static double wanted(const struct level *l, int x, int y, int z)
{
    const int64_t above = (int64_t)me * l->n + z;

    return sin(.3 * x + .2) * cos(.7 * y) + 1e-3 * (double)((x * 7 + y * 11 + above * 13) % 17);
}

/* @return the number of steps until the residual is 1e-10 of what it was */
static int solve(const double *b, double *x, double *last)
{
    const struct level *l = &levels[0];
    double *r = allocate(l->points), *z = allocate(l->points), *p = allocate(l->points),
           *ap = allocate(l->points), own, rz, pap, rr = 1, first = 1;
    struct halo h;
    int k = 0;

    make_halo(&h, l, p);
    memcpy(r, b, l->points * sizeof(double));
    precondition(r, z);
    memcpy(p, z, l->points * sizeof(double));
    own = product(l, r, z);
    MPI_Allreduce(&own, &rz, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    for (; k < 200 && rr > 1e-20 * first; k++) {
        MPI_Request request;
        double alpha, before = rz;

        multiply(&h, ap);
        own = product(l, p, ap);
        MPI_Allreduce(&own, &pap, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        alpha = rz / pap;
        add_to(l, r, -alpha, ap);
        own = product(l, r, r);
        MPI_Iallreduce(&own, &rr, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &request);
        add_to(l, x, alpha, p);
        precondition(r, z);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        first = k == 0 ? rr : first;
        own = product(l, r, z);
        MPI_Allreduce(&own, &rz, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        for (size_t i = 0; i < l->points; i++)
            p[i] = z[i] + rz / before * p[i];
    }
    *last = sqrt(rr);
    free_halo(&h);
    free(r);
    free(z);
    free(p);
    free(ap);
    return k;
}

static void make_levels(int n)
{
    for (int k = 0; k < n_levels; k++, n /= 2) {
        struct level *l = &levels[k];

        l->n = n;
        l->points = (size_t)(n + 2) * (size_t)(n + 2) * (size_t)(n + 2);
        l->x = allocate(l->points);
        l->b = allocate(l->points);
        l->r = allocate(l->points);
        make_halo(&cycle_halos[k], l, l->x);
    }
}

static void free_levels(void)
{
    for (int k = 0; k < n_levels; k++) {
        free_halo(&cycle_halos[k]);
        free(levels[k].x);
        free(levels[k].b);
        free(levels[k].r);
    }
}

int main(int argc, char **argv)
{
    const int n = argc > 1 ? atoi(argv[1]) : 16;
    double *x, *b, *right, last, worst = 0, worst_of_all;
    int64_t sum = 0, sum_of_all;
    struct halo h;
    int steps;

    n_levels = argc > 2 ? atoi(argv[2]) : 3;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &P);
    if (n_levels < 1 || n_levels > MAX_LEVELS || n >> (n_levels - 1) < 2 || (n & (n - 1)) != 0) {
        fprintf(stderr, "usage: multigrid [N: a power of two [LEVELS]]\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    make_levels(n);
    x = allocate(levels[0].points);
    b = allocate(levels[0].points);
    right = allocate(levels[0].points);
    EACH_POINT(&levels[0], i, j, k)
    right[at(&levels[0], i, j, k)] = wanted(&levels[0], i, j, k);
    make_halo(&h, &levels[0], right);
    multiply(&h, b);
    steps = solve(b, x, &last);
    EACH_POINT(&levels[0], i, j, k)
    {
        const size_t place = at(&levels[0], i, j, k);

        worst = fmax(worst, fabs(x[place] - right[place]));
        sum += llrint(x[place] * 1e6) * (int64_t)(place % 1000 + 1 + (size_t)me);
    }
    MPI_Reduce(&worst, &worst_of_all, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    MPI_Reduce(&sum, &sum_of_all, 1, MPI_INT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
    if (me == 0)
        printf("multigrid: %d ranks, %d levels, %d steps, %s, checksum %lld\n", P, n_levels, steps,
               worst_of_all < 1e-7 ? "solved" : "not solved", (long long)sum_of_all);
    free_halo(&h);
    free(x);
    free(b);
    free(right);
    free_levels();
    MPI_Finalize();
    return 0;
}
