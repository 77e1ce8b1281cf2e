/* SPDX-License-Identifier: MIT */
/*
 * Broadcast on a torus of n x n processors: the routing, and the item sent whole.
 *
 * Routing R from (0,0), h = n div 2. The root sends both ways along its row, then both ways along
 * its column. A processor of that row passes the item on along the row, up to the middle, then both
 * ways along its column; every other one passes it on along its column, up to the middle. So all
 * messages go between neighbours, and no processor has more than four children. n = 5:
 *
 *      (0,3) <- (0,4) <- (0,0) -> (0,1) -> (0,2)      first right, then left, then down and up;
 *        and from each of them down two and up two    going right and down takes h steps, going
 *                                                     left and up n - 1 - h
 *
 * Virtual rank i n + j is processor (i,j); another root shifts rows and columns.
 *
 * What a processor does is the same as in any tree (broadcast.c), or pipelined (torus_pipelined.c).
 *
 * Source: Liu, Li & Cui 1996, with a routing that reaches all processors for n >= 5 too.
 */
#include "broadcast.h"

const char *lpi_torus_needs(int64_t P, const struct logp_coll *c)
{
    const int64_t n = lpi_side(P);

    (void)c;
    return n >= 2 && n * n == P ? NULL : "n x n processors, n >= 2";
}

/* ---- routing ---- */

/* One way along a row or column, away from the root: down or right, and up or left. */
static int steps_of(int n, int way)
{
    return way == 0 ? n / 2 : n - 1 - n / 2;
}

/* Does the processor at this place of a row or column pass the item on in this way? */
static bool passes_on(int n, int place, int way)
{
    const int steps = way == 0 ? place : n - place;

    if (place == 0)
        return steps_of(n, way) > 0;
    return (place <= n / 2) == (way == 0) && steps < steps_of(n, way);
}

static int neighbour(int n, int place, int way)
{
    return way == 0 ? (place + 1) % n : (place + n - 1) % n;
}

static int torus_parent(int P, int v, const void *shape)
{
    const int n = (int)lpi_side(P), i = v / n, j = v % n;

    (void)shape;
    if (i > 0)
        return (i <= n / 2 ? i - 1 : neighbour(n, i, 0)) * n + j;
    return j <= n / 2 ? j - 1 : neighbour(n, j, 0);
}

static int torus_child(int P, int v, int k, const void *shape)
{
    const int n = (int)lpi_side(P), i = v / n, j = v % n;

    (void)shape;
    for (int way = 0; way < 2; way++) /* along the row */
        if (i == 0 && passes_on(n, j, way) && k-- == 0)
            return neighbour(n, j, way);
    for (int way = 0; way < 2; way++) /* along the column */
        if (passes_on(n, i, way) && k-- == 0)
            return neighbour(n, i, way) * n + j;
    return -1;
}

/* The root moves to (0,0) and back. */
static int torus_rank(int v, int root, int P)
{
    const int n = (int)lpi_side(P);

    return (v / n + root / n) % n * n + (v % n + root % n) % n;
}

int lpi_plan_torus(int P, int rank, struct logp_coll *c)
{
    const int n = (int)lpi_side(P), i = rank / n - c->root / n, j = rank % n - c->root % n;

    return lpi_plan_tree(P, (i + n) % n * n + (j + n) % n,
                         &(struct lpi_tree_shape){torus_parent, torus_child, NULL}, torus_rank, c);
}

/* ---- one message ---- */

/*
 * n = 2: D + max(D, E); even n: (n-3) D + 3 max(D, E); odd n: (n-2) D + 2 E + max(D, E); and the
 * work. For any n >= 2, and the shared gap too: E counts max(o_send, g), in place of g.
 */
struct logp_prediction lpi_broadcast_torus_predict(int64_t P, const struct logp_coll *c)
{
    const struct lpi_times t = lpi_times(&c->params, c->n_bytes);
    const __int128 n = lpi_side(P), most = lpi_max(t.D, t.E);
    __int128 last;

    if (n == 2)
        last = t.D + most;
    else if (n % 2 == 0)
        last = (n - 3) * t.D + 3 * most;
    else
        last = (n - 2) * t.D + 2 * (__int128)t.E + most;
    return lpi_exact(last - t.early + c->work_ns);
}
