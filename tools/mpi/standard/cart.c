/* SPDX-License-Identifier: MIT */
/* Cartesian grids of ranks, in row-major order. */
#include "rank.h"

#include <stdlib.h>
#include <string.h>

/* The most balanced factors of a number, largest first. */
enum { MOST_FACTORS = 31, MOST_DIVISORS = 1600 }; /* of an int; factors of 1 do not count */

struct factors {
    int n;
    int divisors[MOST_DIVISORS], n_divisors; /* of the number, increasing */
    int at[MOST_FACTORS], best[MOST_FACTORS];
    int spread; /* best[0] - best[n - 1]; -1: there are no best yet */
};

/* List the divisors up to the square root of x, then their quotients. */
static void find_divisors(struct factors *f, int x)
{
    int d = 1, n = 0;

    for (; d <= x / d; d++)
        if (x % d == 0)
            f->divisors[n++] = d;
    f->n_divisors = n;
    while (n-- > 0)
        if (f->divisors[n] != x / f->divisors[n])
            f->divisors[f->n_divisors++] = x / f->divisors[n];
}

/* The largest root with root^n <= x; x and n are at least 1. */
static int root_of(int x, int n)
{
    int low = 1, high = x;

    while (low < high) {
        const int mid = low + (high - low + 1) / 2;
        int64_t power = 1;

        for (int i = 0; i < n && power <= x; i++)
            power *= mid;
        if (power <= x)
            low = mid;
        else
            high = mid - 1;
    }
    return low;
}

static bool is_better(const struct factors *f, int spread)
{
    if (f->spread < 0 || spread != f->spread)
        return f->spread < 0 || spread < f->spread;
    for (int i = f->n; i-- > 0;)
        if (f->at[i] != f->best[i])
            return f->at[i] > f->best[i];
    return false;
}

/* Choose factors i and later, whose product is `left` and which do not increase. Ties of the spread
 * go to the largest last factors. */
static void divide(struct factors *f, int i, int left)
{
    const int n_left = f->n - i, most = i > 0 && f->at[i - 1] < left ? f->at[i - 1] : left;
    int spread, root;

    if (n_left == 1) {
        spread = (i > 0 ? f->at[0] : left) - left;
        f->at[i] = left;
        if (left <= most && is_better(f, spread)) {
            memcpy(f->best, f->at, sizeof(f->at));
            f->spread = spread;
        }
        return;
    }
    root = root_of(left, n_left);
    if (f->spread >= 0 && i > 0 && f->at[0] - root > f->spread)
        return; /* the last factor is at most the root */
    for (int k = 0; k < f->n_divisors && f->divisors[k] <= most; k++) {
        const int d = f->divisors[k];

        if (d < root || left % d != 0)
            continue;
        if (f->spread >= 0 && i == 0 && d - root > f->spread)
            return;
        f->at[i] = d;
        divide(f, i + 1, left / d);
    }
}

int MPI_Dims_create(int n_nodes, int n_dims, int dims[])
{
    struct factors f = {.spread = -1};
    int left = n_nodes, n_free = 0;

    mpi_enter(__func__);
    CHECK(NULL, n_nodes > 0 && n_dims >= 0, MPI_ERR_ARG, "%d nodes in %d dimensions", n_nodes,
          n_dims);
    for (int i = 0; i < n_dims; i++) {
        CHECK(NULL, dims[i] >= 0, MPI_ERR_DIMS, "dimension %d is %d", i, dims[i]);
        n_free += dims[i] == 0;
        CHECK(NULL, dims[i] == 0 || left % dims[i] == 0, MPI_ERR_DIMS,
              "%d nodes cannot be divided by dimension %d, which is %d", n_nodes, i, dims[i]);
        left /= dims[i] > 0 ? dims[i] : 1;
    }
    CHECK(NULL, n_free > 0 || left == 1 || n_dims == 0, MPI_ERR_DIMS,
          "the dimensions do not have %d nodes", n_nodes);
    f.n = n_free < MOST_FACTORS ? n_free : MOST_FACTORS;
    if (f.n > 0) {
        find_divisors(&f, left);
        divide(&f, 0, left);
    }
    for (int i = 0, k = 0; i < n_dims; i++)
        if (dims[i] == 0) {
            dims[i] = k < f.n ? f.best[k] : 1;
            k++;
        }
    return MPI_SUCCESS;
}

static struct cart *new_cart(int n_dims, const int dims[], const int periods[])
{
    struct cart *cart = malloc(sizeof(*cart) + 2 * (size_t)(n_dims + 1) * sizeof(int));

    if (cart == NULL)
        return NULL;
    cart->n_dims = n_dims;
    cart->dims = (int *)(cart + 1);
    cart->periods = cart->dims + n_dims;
    for (int i = 0; i < n_dims; i++) {
        cart->dims[i] = dims[i];
        cart->periods[i] = periods[i] != 0;
    }
    return cart;
}

/* The rank in a grid of these dimensions; MPI_UNDEFINED: it is not in it. */
static int place_in_grid(struct comm *c, int n_dims, const int dims[], int *rank)
{
    int64_t n = 1;

    CHECK(c, n_dims >= 0, MPI_ERR_DIMS, "%d dimensions", n_dims);
    for (int i = 0; i < n_dims; i++) {
        CHECK(c, dims[i] > 0, MPI_ERR_DIMS, "dimension %d is %d", i, dims[i]);
        n = n <= c->size ? n * dims[i] : n;
    }
    CHECK(c, n <= c->size, MPI_ERR_DIMS, "the grid has more than the %d ranks of the communicator",
          c->size);
    *rank = c->rank < n ? c->rank : MPI_UNDEFINED;
    return MPI_SUCCESS;
}

int MPI_Cart_create(MPI_Comm comm, int n_dims, const int dims[], const int periods[], int reorder,
                    MPI_Comm *out)
{
    int rank = MPI_UNDEFINED, rc;

    (void)reorder;
    ENTER_INTRA(c, comm);
    rc = place_in_grid(c, n_dims, dims, &rank);
    if (rc == MPI_SUCCESS)
        rc = MPI_Comm_split(comm, rank == MPI_UNDEFINED ? rank : 0, c->rank, out);
    if (rc != MPI_SUCCESS || *out == MPI_COMM_NULL)
        return rc;
    ((struct comm *)*out)->cart = new_cart(n_dims, dims, periods);
    CHECK_MEMORY(c, ((struct comm *)*out)->cart);
    return MPI_SUCCESS;
}

#define ENTER_CART(c, g, comm)                                                                     \
    ENTER(c, comm);                                                                                \
    const struct cart *g = c->cart;                                                                \
    CHECK(c, g != NULL, MPI_ERR_TOPOLOGY, "the communicator is not a grid")

/* @return the rank; MPI_PROC_NULL: the coordinates are outside the grid */
static int rank_at(const struct cart *g, const int coords[])
{
    int rank = 0;

    for (int i = 0; i < g->n_dims; i++) {
        int at = coords[i];

        if (at < 0 || at >= g->dims[i]) {
            if (!g->periods[i])
                return MPI_PROC_NULL;
            at = (at % g->dims[i] + g->dims[i]) % g->dims[i];
        }
        rank = rank * g->dims[i] + at;
    }
    return rank;
}

static void coords_of(const struct cart *g, int rank, int n, int coords[])
{
    for (int i = g->n_dims - 1; i >= 0; i--) {
        if (i < n)
            coords[i] = rank % g->dims[i];
        rank /= g->dims[i];
    }
}

int MPI_Cartdim_get(MPI_Comm comm, int *n_dims)
{
    ENTER_CART(c, g, comm);
    *n_dims = g->n_dims;
    return MPI_SUCCESS;
}

#define CHECK_MOST(c, g, max_dims)                                                                 \
    CHECK(c, (max_dims) >= (g)->n_dims, MPI_ERR_ARG,                                               \
          "space for %d dimensions, but the grid has %d", max_dims, (g)->n_dims)

int MPI_Cart_get(MPI_Comm comm, int max_dims, int dims[], int periods[], int coords[])
{
    ENTER_CART(c, g, comm);
    CHECK_MOST(c, g, max_dims);
    for (int i = 0; i < g->n_dims && i < max_dims; i++) {
        dims[i] = g->dims[i];
        periods[i] = g->periods[i];
    }
    coords_of(g, c->rank, max_dims, coords);
    return MPI_SUCCESS;
}

int MPI_Cart_rank(MPI_Comm comm, const int coords[], int *rank)
{
    ENTER_CART(c, g, comm);
    CHECK(c, coords != NULL || g->n_dims == 0, MPI_ERR_ARG, "coords is a null pointer");
    *rank = rank_at(g, coords);
    CHECK(c, *rank != MPI_PROC_NULL, MPI_ERR_ARG, "the coordinates are not in the grid");
    return MPI_SUCCESS;
}

int MPI_Cart_coords(MPI_Comm comm, int rank, int max_dims, int coords[])
{
    ENTER_CART(c, g, comm);
    CHECK(c, rank >= 0 && rank < c->size, MPI_ERR_RANK, "%d is not a rank of a communicator of %d",
          rank, c->size);
    CHECK_MOST(c, g, max_dims);
    coords_of(g, rank, max_dims, coords);
    return MPI_SUCCESS;
}

/* Return the place `by` further along a dimension; -1: outside of a dimension that is not
 * periodic. */
static int moved(const struct cart *g, int direction, int at, int64_t by)
{
    const int n = g->dims[direction];
    const int64_t to = at + by;

    if (!g->periods[direction])
        return to >= 0 && to < n ? (int)to : -1;
    return (int)((to % n + n) % n);
}

int MPI_Cart_shift(MPI_Comm comm, int direction, int displacement, int *source, int *dest)
{
    int *coords, at;

    ENTER_CART(c, g, comm);
    CHECK(c, direction >= 0 && direction < g->n_dims, MPI_ERR_DIMS,
          "direction %d of a grid of %d dimensions", direction, g->n_dims);
    coords = malloc((size_t)g->n_dims * sizeof(int));
    CHECK_MEMORY(c, coords);
    coords_of(g, c->rank, g->n_dims, coords);
    at = coords[direction];
    coords[direction] = moved(g, direction, at, displacement);
    *dest = rank_at(g, coords);
    coords[direction] = moved(g, direction, at, -(int64_t)displacement);
    *source = rank_at(g, coords);
    free(coords);
    return MPI_SUCCESS;
}

int MPI_Cart_sub(MPI_Comm comm, const int remain[], MPI_Comm *out)
{
    int colour = 0, key = 0, n = 0, rc;
    int *coords, *dims, *periods;

    ENTER_CART(c, g, comm);
    CHECK(c, remain != NULL || g->n_dims == 0, MPI_ERR_ARG, "remain is a null pointer");
    coords = malloc(3 * (size_t)(g->n_dims + 1) * sizeof(int));
    CHECK_MEMORY(c, coords);
    dims = coords + g->n_dims + 1;
    periods = dims + g->n_dims + 1;
    coords_of(g, c->rank, g->n_dims, coords);
    for (int i = 0; i < g->n_dims; i++)
        if (remain[i]) {
            key = key * g->dims[i] + coords[i];
            dims[n] = g->dims[i];
            periods[n++] = g->periods[i];
        } else {
            colour = colour * g->dims[i] + coords[i];
        }
    rc = MPI_Comm_split(comm, colour, key, out);
    if (rc == MPI_SUCCESS)
        ((struct comm *)*out)->cart = new_cart(n, dims, periods);
    free(coords);
    return rc;
}

int MPI_Cart_map(MPI_Comm comm, int n_dims, const int dims[], const int periods[], int *rank)
{
    (void)periods;
    ENTER_INTRA(c, comm);
    return place_in_grid(c, n_dims, dims, rank);
}

int MPI_Topo_test(MPI_Comm comm, int *status)
{
    ENTER(c, comm);
    if (c->graph != NULL)
        *status = c->graph->index != NULL ? MPI_GRAPH : MPI_DIST_GRAPH;
    else
        *status = c->cart != NULL ? MPI_CART : MPI_UNDEFINED;
    return MPI_SUCCESS;
}
