/* SPDX-License-Identifier: MIT */
/*
 * Molecular dynamics with cell lists: atoms of argon (Lennard-Jones) in a periodic box, cut into
 * blocks of cells, a block for each rank. In each step atoms go to the rank of their cell, and
 * copies of those near a face go to the neighbour behind it; both in three exchanges, one for each
 * dimension. Forces and energies are sums of integers (units of 2^-40 and 2^-30), so that
 * their order does not matter: all numbers are the same whatever the number of ranks.
 * usage: molecules [ATOMS ALONG AN EDGE [STEPS]]
 */
#include <mpi.h>

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TAG_ATOMS = 3 };

#define CUTOFF 2.5
#define STEP .004

struct atom {
    double r[3], v[3];
    int id, ghost;
};

struct list {
    struct atom *atoms;
    int n, capacity;
};

static MPI_Comm grid;
static MPI_Datatype atom_type;
static int dims[3], here[3];
static double edge;         /* of the box */
static int cells_along;     /* of the box; a cell is no shorter than the cutoff */
static int low[3], high[3]; /* this rank's cells */

static void fail(const char *why)
{
    fprintf(stderr, "molecules: %s\n", why);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

static void add(struct list *l, const struct atom *a)
{
    if (l->n == l->capacity) {
        l->capacity = 2 * l->capacity + 64;
        l->atoms = realloc(l->atoms, (size_t)l->capacity * sizeof(*a));
        if (l->atoms == NULL)
            fail("no memory");
    }
    l->atoms[l->n++] = *a;
}

/* The cell of a place; one beyond a face is -1 or cells_along. */
static int cell_of(double x)
{
    return (int)floor(x / edge * cells_along);
}

/* ---- the start ---- */

static void make_type(void)
{
    const int lengths[] = {3, 3, 2};
    const MPI_Aint places[] = {offsetof(struct atom, r), offsetof(struct atom, v),
                               offsetof(struct atom, id)};
    const MPI_Datatype types[] = {MPI_DOUBLE, MPI_DOUBLE, MPI_INT};
    MPI_Datatype packed;

    MPI_Type_create_struct(3, lengths, places, types, &packed);
    MPI_Type_create_resized(packed, 0, sizeof(struct atom), &atom_type);
    MPI_Type_commit(&atom_type);
    MPI_Type_free(&packed);
}

/* Between -0.5 and 0.5. */
static double random_of(uint64_t n)
{
    n = (n + 1) * UINT64_C(0x9e3779b97f4a7c15);
    n = (n ^ (n >> 31)) * UINT64_C(0xbf58476d1ce4e5b9);
    return (double)((n ^ (n >> 29)) >> 11) * 0x1p-53 - .5;
}

/* Places are multiples of 2^-36, so the difference to a copy a box away is as exact. */
static double rounded(double r)
{
    return ldexp(rint(ldexp(r, 36)), -36);
}

static int is_own(const double r[3])
{
    for (int d = 0; d < 3; d++)
        if (cell_of(r[d]) < low[d] || cell_of(r[d]) >= high[d])
            return 0;
    return 1;
}

static void make_atoms(struct list *own, int along)
{
    for (int id = 0; id < along * along * along; id++) {
        const int at[3] = {id % along, id / along % along, id / along / along};
        struct atom a = {.id = id};

        for (int d = 0; d < 3; d++) {
            const double r = (at[d] + .5 + .1 * random_of((uint64_t)id * 6 + (uint64_t)d)) / along;

            a.r[d] = rounded(r * edge);
            a.v[d] = 2 * random_of((uint64_t)id * 6 + 3 + (uint64_t)d);
        }
        if (is_own(a.r))
            add(own, &a);
    }
}

/* ---- exchanges ---- */

/* Send atoms to one neighbour and receive those of the other; their number is not known before. */
static void shift(const struct list *out, int to, int from, struct list *in)
{
    struct atom *got;
    MPI_Request request;
    MPI_Status status;
    int n;

    MPI_Isend(out->atoms, out->n, atom_type, to, TAG_ATOMS, grid, &request);
    MPI_Probe(from, TAG_ATOMS, grid, &status);
    MPI_Get_count(&status, atom_type, &n);
    got = malloc((size_t)(n + 1) * sizeof(*got));
    if (got == NULL)
        fail("no memory");
    MPI_Recv(got, n, atom_type, from, TAG_ATOMS, grid, MPI_STATUS_IGNORE);
    for (int i = 0; i < n; i++)
        add(in, &got[i]);
    free(got);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

/* Which way does an atom go along d? -1, 0, 1; a rank that is alone along d keeps it. */
static int way_of(const struct atom *a, int d)
{
    const int cell = cell_of(a->r[d]);

    return dims[d] == 1 ? 0 : cell < low[d] ? -1 : cell >= high[d] ? 1 : 0;
}

static void wrap(struct atom *a, int d)
{
    if (a->r[d] < 0)
        a->r[d] += edge;
    if (a->r[d] >= edge)
        a->r[d] -= edge;
}

/* Atoms that have left go to their new rank. A step is so short that it is a neighbour. */
static void migrate(struct list *own)
{
    for (int d = 0; d < 3; d++) {
        struct list out[2] = {{NULL, 0, 0}, {NULL, 0, 0}}, stay = {NULL, 0, 0};
        int below, above;

        for (int i = 0; i < own->n; i++) {
            struct atom *a = &own->atoms[i];
            const int way = way_of(a, d);

            wrap(a, d);
            add(way < 0 ? &out[0] : way > 0 ? &out[1] : &stay, a);
        }
        MPI_Cart_shift(grid, d, 1, &below, &above);
        if (dims[d] > 1) {
            shift(&out[0], below, above, &stay);
            shift(&out[1], above, below, &stay);
        }
        free(own->atoms);
        free(out[0].atoms);
        free(out[1].atoms);
        *own = stay;
    }
}

/* Copies of the atoms in the first and last layer of cells, also of copies from before. */
static void add_ghosts(struct list *all)
{
    for (int d = 0; d < 3; d++) {
        struct list out[2] = {{NULL, 0, 0}, {NULL, 0, 0}};
        int below, above;

        for (int i = 0; i < all->n; i++) {
            struct atom a = all->atoms[i];
            const int cell = cell_of(a.r[d]);

            a.ghost = 1;
            if (cell == low[d]) {
                if (low[d] == 0)
                    a.r[d] += edge;
                add(&out[0], &a);
                a.r[d] = all->atoms[i].r[d];
            }
            if (cell == high[d] - 1) {
                if (high[d] == cells_along)
                    a.r[d] -= edge;
                add(&out[1], &a);
            }
        }
        MPI_Cart_shift(grid, d, 1, &below, &above);
        shift(&out[0], below, above, all);
        shift(&out[1], above, below, all);
        free(out[0].atoms);
        free(out[1].atoms);
    }
}

/* ---- forces ---- */

/* With a halo of one cell: the first atom of each cell, and the next in the same. */
struct cells {
    int n[3];
    int *first, *next;
};

static int index_of(const struct cells *c, const double r[3], int around[3])
{
    int at[3];

    for (int d = 0; d < 3; d++) {
        at[d] = cell_of(r[d]) - low[d] + 1;
        if (at[d] < 0 || at[d] >= c->n[d])
            fail("an atom is beyond the halo");
        if (around != NULL)
            around[d] = at[d];
    }
    return (at[2] * c->n[1] + at[1]) * c->n[0] + at[0];
}

static struct cells make_cells(const struct list *all)
{
    struct cells c;
    size_t n = 1;

    for (int d = 0; d < 3; d++) {
        c.n[d] = high[d] - low[d] + 2;
        n *= (size_t)c.n[d];
    }
    c.first = malloc(n * sizeof(int));
    c.next = malloc((size_t)(all->n + 1) * sizeof(int));
    if (c.first == NULL || c.next == NULL)
        fail("no memory");
    for (size_t i = 0; i < n; i++)
        c.first[i] = -1;
    for (int i = 0; i < all->n; i++) {
        const int at = index_of(&c, all->atoms[i].r, NULL);

        c.next[i] = c.first[at];
        c.first[at] = i;
    }
    return c;
}

/* Of b on a. @return the energy of the pair, in units of 2^-30 */
static int64_t pair(const struct atom *a, const struct atom *b, int64_t force[3])
{
    double d[3], r2 = 0, s6, f;

    for (int k = 0; k < 3; k++) {
        d[k] = a->r[k] - b->r[k];
        r2 += d[k] * d[k];
    }
    if (r2 >= CUTOFF * CUTOFF)
        return 0;
    s6 = 1 / (r2 * r2 * r2);
    f = 24 * (2 * s6 * s6 - s6) / r2;
    for (int k = 0; k < 3; k++)
        force[k] += llrint(ldexp(f * d[k], 40));
    return llrint(ldexp(4 * (s6 * s6 - s6), 30));
}

/* @return twice the energy of this rank's atoms */
static int64_t forces(const struct list *all, int n_own, int64_t (*force)[3])
{
    struct cells c = make_cells(all);
    int64_t energy = 0;

    for (int i = 0; i < n_own; i++) {
        int at[3];

        index_of(&c, all->atoms[i].r, at);
        memset(force[i], 0, sizeof(force[i]));
        for (int z = at[2] - 1; z <= at[2] + 1; z++)
            for (int y = at[1] - 1; y <= at[1] + 1; y++)
                for (int x = at[0] - 1; x <= at[0] + 1; x++)
                    for (int k = c.first[(z * c.n[1] + y) * c.n[0] + x]; k >= 0; k = c.next[k])
                        if (k != i)
                            energy += pair(&all->atoms[i], &all->atoms[k], force[i]);
    }
    free(c.first);
    free(c.next);
    return energy;
}

/* ---- the run ---- */

/* Half a step on, half a step back: the leapfrog's velocities are between steps. */
static void step(struct list *own, int64_t energies[2])
{
    int64_t(*force)[3];
    const int n = own->n;

    add_ghosts(own);
    force = malloc((size_t)(n + 1) * sizeof(*force));
    if (force == NULL)
        fail("no memory");
    energies[0] = forces(own, n, force) / 2;
    energies[1] = 0;
    own->n = n;
    for (int i = 0; i < n; i++) {
        struct atom *a = &own->atoms[i];
        double square = 0;

        for (int d = 0; d < 3; d++) {
            const double v = a->v[d] + STEP * ldexp((double)force[i][d], -40);

            square += .125 * (v + a->v[d]) * (v + a->v[d]);
            a->v[d] = v;
            a->r[d] = rounded(a->r[d] + STEP * v);
        }
        energies[1] += llrint(ldexp(square, 30));
    }
    free(force);
    migrate(own);
}

static uint64_t checksum(const struct list *own)
{
    uint64_t sum = 0;

    for (int i = 0; i < own->n; i++)
        for (int d = 0; d < 3; d++)
            sum += (uint64_t)(own->atoms[i].id * 3 + d + 1) *
                   (uint64_t)llrint(ldexp(own->atoms[i].r[d], 36));
    return sum;
}

static void cut(int P)
{
    const int periods[3] = {1, 1, 1};
    int me;

    dims[0] = dims[1] = dims[2] = 0;
    MPI_Dims_create(P, 3, dims);
    MPI_Cart_create(MPI_COMM_WORLD, 3, dims, periods, 1, &grid);
    MPI_Comm_rank(grid, &me);
    MPI_Cart_coords(grid, me, 3, here);
    for (int d = 0; d < 3; d++) {
        low[d] = cells_along * here[d] / dims[d];
        high[d] = cells_along * (here[d] + 1) / dims[d];
        if (dims[d] > cells_along)
            fail("more ranks than cells along an edge");
    }
}

int main(int argc, char **argv)
{
    const int along = argc > 1 ? atoi(argv[1]) : 10, steps = argc > 2 ? atoi(argv[2]) : 20;
    struct list own = {NULL, 0, 0};
    int64_t energies[2] = {0, 0}, all[2], n, n_all;
    uint64_t sum, sum_all;
    int me, P;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &P);
    edge = ldexp(rint(ldexp(along * 1.12, 20)), -20);
    cells_along = (int)(edge / CUTOFF);
    if (cells_along < 3)
        fail("the box is too small");
    cut(P);
    make_type();
    make_atoms(&own, along);
    for (int i = 0; i < steps; i++) {
        step(&own, energies);
        if (i % 10 != 9 && i != steps - 1)
            continue;
        MPI_Reduce(energies, all, 2, MPI_INT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
        if (me == 0)
            printf("molecules: step %d, potential %.6f, kinetic %.6f\n", i + 1,
                   ldexp((double)all[0], -30), ldexp((double)all[1], -30));
    }
    n = own.n;
    sum = checksum(&own);
    MPI_Reduce(&n, &n_all, 1, MPI_INT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
    MPI_Reduce(&sum, &sum_all, 1, MPI_UINT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
    if (me == 0)
        printf("molecules: %lld atoms, checksum %016llx\n", (long long)n_all,
               (unsigned long long)sum_all);
    free(own.atoms);
    MPI_Type_free(&atom_type);
    MPI_Comm_free(&grid);
    MPI_Finalize();
    return 0;
}
