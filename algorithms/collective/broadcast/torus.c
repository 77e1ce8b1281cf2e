/* SPDX-License-Identifier: MIT */
/*
 * Broadcast on a torus of M rows of N processors: the routing, and the item sent whole.
 *
 * Routing R from (0,0). The root sends both ways along its row, then both ways along its column. A
 * processor of that row passes the item on along the row, up to the middle, then both ways along
 * its column; every other one passes it on along its column, up to the middle. So all messages go
 * between neighbours, and no processor has more than four children. N = 5:
 *
 *      (0,3) <- (0,4) <- (0,0) -> (0,1) -> (0,2)      first right, then left, then down and up;
 *        and from each of them down M div 2 and up    going right takes N div 2 steps, going left
 *        M - 1 - M div 2                              N - 1 - N div 2
 *
 * Virtual rank i N + j is processor (i,j); another root shifts rows and columns. The sizes are
 * those of the topology, if it is a mesh or torus; else the torus is a square.
 *
 * What a processor does is the same as in any tree (broadcast.c), or pipelined (torus_pipelined.c).
 *
 * Source: Liu, Li & Cui 1996, with a routing that reaches all processors for n >= 5 too.
 */
#include "broadcast.h"

const char *lpi_torus_needs(int64_t P, const struct logp_invocation *c)
{
    const struct lpi_grid grid = lpi_grid_of(P, c);

    if (grid.dimensions == 2 && grid.size[0] >= 2 && grid.size[1] >= 2)
        return NULL;
    return "n x n processors, n >= 2, or a topology of two dimensions, each >= 2";
}

/* ---- routing ---- */

int64_t lpi_torus_steps(int64_t n, int way)
{
    return way == 0 ? n / 2 : n - 1 - n / 2;
}

/* Whether the processor at this coordinate of a row or column of n passes the item on in this
 * way. */
static bool passes_on(int n, int coordinate, int way)
{
    const int64_t steps = way == 0 ? coordinate : n - coordinate;

    if (coordinate == 0)
        return lpi_torus_steps(n, way) > 0;
    return (coordinate <= n / 2) == (way == 0) && steps < lpi_torus_steps(n, way);
}

static int neighbour(int n, int coordinate, int way)
{
    return way == 0 ? (coordinate + 1) % n : (coordinate + n - 1) % n;
}

/* Back towards coordinate 0. */
static int towards_root(int n, int coordinate)
{
    return neighbour(n, coordinate, coordinate <= n / 2 ? 1 : 0);
}

static int torus_parent(int P, int v, const void *shape)
{
    const struct lpi_grid *grid = shape;
    const int M = (int)grid->size[0], N = (int)grid->size[1], i = v / N, j = v % N;

    (void)P;
    return i > 0 ? towards_root(M, i) * N + j : towards_root(N, j);
}

static int torus_child(int P, int v, int k, const void *shape)
{
    const struct lpi_grid *grid = shape;
    const int M = (int)grid->size[0], N = (int)grid->size[1], i = v / N, j = v % N;

    (void)P;
    for (int way = 0; way < 2; way++) /* along the row */
        if (i == 0 && passes_on(N, j, way) && k-- == 0)
            return neighbour(N, j, way);
    for (int way = 0; way < 2; way++) /* along the column */
        if (passes_on(M, i, way) && k-- == 0)
            return neighbour(M, i, way) * N + j;
    return -1;
}

/* The root moves to (0,0) and back. */
static int torus_rank(int v, int root, int P, const void *shape)
{
    const struct lpi_grid *grid = shape;
    const int M = (int)grid->size[0], N = (int)grid->size[1];

    (void)P;
    return (v / N + root / N) % M * N + (v % N + root % N) % N;
}

int lpi_plan_torus(int P, int rank, struct logp_invocation *c)
{
    const struct lpi_grid grid = lpi_grid_of(P, c);
    const int M = (int)grid.size[0], N = (int)grid.size[1];
    const int i = rank / N - c->args.root / N, j = rank % N - c->args.root % N;

    return lpi_plan_tree(P, (i + M) % M * N + (j + N) % N,
                         &(struct lpi_tree_shape){torus_parent, torus_child, &grid}, torus_rank, c);
}

bool lpi_torus_on_own_links(int64_t P, const struct logp_invocation *c)
{
    const struct lpi_grid grid = lpi_grid_of(P, c);
    const int M = (int)grid.size[0], N = (int)grid.size[1];

    return logp_topology_hops(c->model.topology, 0, N - 1) == 1 &&
           logp_topology_hops(c->model.topology, 0, (M - 1) * N) == 1;
}

/* ---- one message ---- */

/* Along a column of M, from when its first processor could begin to send down it: down M div 2
 * steps; or up, a send later. */
static __int128 along_column(int64_t M, const struct lpi_times *t)
{
    if (M == 2)
        return t->D;
    return M % 2 == 0 ? (M / 2 - 1) * (__int128)t->D + lpi_max(t->D, t->E)
                      : M / 2 * (__int128)t->D + t->E;
}

/* Along the row, up to when the last of its processors could begin to send down its column: that is
 * where the row ends, one before, which has sent along the row first, or the root. */
static __int128 along_row(int64_t N, const struct lpi_times *t)
{
    const int64_t most = lpi_max(t->D, t->E);

    if (N == 2)
        return most;
    return N % 2 == 0 ? (N / 2 - 2) * (__int128)t->D + 2 * (__int128)most
                      : (N / 2 - 1) * (__int128)t->D + t->E + most;
}

/*
 * With X = max(D, E), the row and then the column:
 *
 *      row      N = 2: X;  even: (N/2 - 2) D + 2 X;  odd: ((N-3)/2) D + E + X
 *      column   M = 2: D;  even: (M/2 - 1) D + X;    odd: ((M-1)/2) D + E
 *
 * and the work. For n x n that is D + X for n = 2, (n-3) D + 3 X for even n, (n-2) D + 2 E + X for
 * odd n. For any M, N >= 2, and the shared gap too: E counts max(o_send, g), in coordinate of g.
 */
static struct logp_prediction predict(int64_t P, const struct logp_invocation *c)
{
    const struct lpi_times t = lpi_times(&c->model.params, c->args.n_bytes);
    const struct lpi_grid grid = lpi_grid_of(P, c);
    const __int128 last = along_row(grid.size[1], &t) + along_column(grid.size[0], &t);

    return lpi_exact(last - t.early + c->args.work_ns);
}

/* Links pass the messages of a processor at least max(g, st) apart, which is how it sends them. */
static struct logp_prediction predict_linked(int64_t P, const struct logp_invocation *c)
{
    return lpi_torus_on_own_links(P, c) ? predict(P, c) : lpi_no_prediction();
}

static const struct logp_algorithm algorithms[] = {
    {LOGP_ALGORITHM("broadcast", "torus", "both ways along the row, then the columns",
                    "Liu, Li & Cui 1996"),
     .needs = lpi_torus_needs, .plan = lpi_plan_torus, .predict = predict,
     .predict_linked = predict_linked, LPI_BROADCAST},
};

const struct lpi_rows lpi_torus = LPI_ROWS(algorithms);
