/* SPDX-License-Identifier: MIT */
/*
 * The trees of collectives, each given by parent and children of a virtual rank (v = 0 is the
 * root), and the plans made of them. Children are in the order in which a broadcast sends to them.
 */
#include "collective/collective.h"

#include <logp/paper.h>

#include <errno.h>
#include <stdlib.h>

/*
 * The grid of the algorithms on a mesh or torus: the sizes of the topology, where it has some, so
 * that messages go along its links; else a square, as any two processors are neighbours.
 */
struct lpi_grid lpi_grid_of(int64_t P, const struct logp_invocation *c)
{
    struct lpi_grid grid = {0};
    int sizes[LOGP_TOPOLOGY_SIZES];

    if (c->model.topology != NULL && logp_topology_size(c->model.topology) == P)
        grid.dimensions = logp_topology_sizes(c->model.topology, sizes);
    for (int i = 0; i < grid.dimensions; i++)
        grid.size[i] = sizes[i];
    if (grid.dimensions == 0 && lpi_needs_square(P, c) == NULL) {
        grid.dimensions = 2;
        grid.size[0] = grid.size[1] = lpi_side(P);
    }
    return grid;
}

const char *lpi_needs_grid(int64_t P, const struct logp_invocation *c)
{
    return lpi_grid_of(P, c).dimensions > 0
               ? NULL
               : "a square number of processors, or a topology with sizes";
}

int lpi_rotate(int v, int root, int P)
{
    return (int)(((int64_t)v + root) % P);
}

int lpi_virtual_rank(int rank, int root, int P)
{
    return rank >= root ? rank - root : rank - root + P;
}

static int rotated(int v, int root, int P, const void *shape)
{
    (void)shape;
    return lpi_rotate(v, root, P);
}

int lpi_plan_tree(int P, int v, const struct lpi_tree_shape *shape,
                  int (*to_rank)(int v, int root, int P, const void *shape),
                  struct logp_invocation *c)
{
    int n = 0, child, first[32]; /* most have no more: each child is asked for once */

    if (to_rank == NULL)
        to_rank = rotated;
    for (; (child = shape->child(P, v, n, shape->shape)) >= 0; n++)
        if (n < 32)
            first[n] = child;
    c->plan = (struct logp_rank_plan){.parent = -1, .n_children = n};
    if (n > 0) {
        c->plan.children = malloc((size_t)n * sizeof(int));
        if (c->plan.children == NULL)
            return -ENOMEM;
    }
    for (int k = 0; k < n; k++) {
        child = k < 32 ? first[k] : shape->child(P, v, k, shape->shape);
        c->plan.children[k] = to_rank(child, c->args.root, P, shape->shape);
    }
    if (v > 0)
        c->plan.parent = to_rank(shape->parent(P, v, shape->shape), c->args.root, P, shape->shape);
    return 0;
}

void lpi_reverse_children(struct logp_rank_plan *plan)
{
    for (int i = 0, j = plan->n_children - 1; i < j; i++, j--) {
        const int child = plan->children[i];

        plan->children[i] = plan->children[j];
        plan->children[j] = child;
    }
}

static int plan_rotated(int P, int rank, const struct lpi_tree_shape *shape,
                        struct logp_invocation *c)
{
    return lpi_plan_tree(P, lpi_virtual_rank(rank, c->args.root, P), shape, NULL, c);
}

/* ---- flat: the root sends to 1, 2, ..., P-1 ---- */

static int flat_parent(int P, int v, const void *shape)
{
    (void)P, (void)v, (void)shape;
    return 0;
}

static int flat_child(int P, int v, int k, const void *shape)
{
    (void)shape;
    return v == 0 && k < P - 1 ? k + 1 : -1;
}

int lpi_plan_flat(int P, int rank, struct logp_invocation *c)
{
    return plan_rotated(P, rank, &(struct lpi_tree_shape){flat_parent, flat_child, NULL}, c);
}

/* ---- chain: v sends to v+1 ---- */

static int chain_parent(int P, int v, const void *shape)
{
    (void)P, (void)shape;
    return v - 1;
}

static int chain_child(int P, int v, int k, const void *shape)
{
    (void)shape;
    return k == 0 && v + 1 < P ? v + 1 : -1;
}

int lpi_plan_chain(int P, int rank, struct logp_invocation *c)
{
    return plan_rotated(P, rank, &(struct lpi_tree_shape){chain_parent, chain_child, NULL}, c);
}

/* ---- binary: v sends to 2v+1, then to 2v+2 ---- */

static int binary_parent(int P, int v, const void *shape)
{
    (void)P, (void)shape;
    return (v - 1) / 2;
}

static int binary_child(int P, int v, int k, const void *shape)
{
    const int64_t child = 2 * (int64_t)v + 1 + k;

    (void)shape;
    return k < 2 && child < P ? (int)child : -1;
}

int lpi_plan_binary(int P, int rank, struct logp_invocation *c)
{
    return plan_rotated(P, rank, &(struct lpi_tree_shape){binary_parent, binary_child, NULL}, c);
}

/* ---- binomial: recursive doubling, the farthest first ---- */

/* v leads the group [v, v + size), of which it sends first to the one that leads from `half` on. */
static int binomial_half(int P, int v)
{
    const int size = v > 0 && (v & -v) < P - v ? v & -v : P - v;

    return size > 1 ? (int)lpi_half(size) : 0;
}

static int binomial_parent(int P, int v, const void *shape)
{
    (void)P, (void)shape;
    return v & (v - 1);
}

static int binomial_child(int P, int v, int k, const void *shape)
{
    const int half = k < 31 ? binomial_half(P, v) >> k : 0;

    (void)shape;
    return half > 0 ? v + half : -1;
}

static int flip(int v, int root, int P, const void *shape)
{
    return (P & (P - 1)) == 0 ? v ^ root : rotated(v, root, P, shape);
}

static int flipped(int rank, int root, int P, const void *shape)
{
    (void)shape;
    return (P & (P - 1)) == 0 ? rank ^ root : lpi_virtual_rank(rank, root, P);
}

/* Relabelled by exclusive or where P is a power of two, by rotation otherwise. */
int lpi_plan_binomial(int P, int rank, struct logp_invocation *c)
{
    return lpi_plan_tree(P, flipped(rank, c->args.root, P, NULL),
                         &(struct lpi_tree_shape){binomial_parent, binomial_child, NULL}, flip, c);
}

/* ---- binomial, the nearest first: v sends to v + 2^j, from the first power of two above v ---- */

static int nearest_parent(int P, int v, const void *shape)
{
    (void)P, (void)shape;
    return v - (1 << (31 - __builtin_clz((unsigned)v)));
}

static int nearest_child(int P, int v, int k, const void *shape)
{
    const int first = v > 0 ? 32 - __builtin_clz((unsigned)v) : 0;

    (void)shape;
    return first + k < 31 && 1 << (first + k) < P - v ? v + (1 << (first + k)) : -1;
}

int lpi_plan_nearest(int P, int rank, struct logp_invocation *c)
{
    return lpi_plan_tree(P, flipped(rank, c->args.root, P, NULL),
                         &(struct lpi_tree_shape){nearest_parent, nearest_child, NULL}, flip, c);
}

/* ---- bine: `binomial` between ranks that are 1, 1, 3, 5, 11, 21, ... apart, not 1, 2, 4, ... ---- */

/*
 * With P = 2^x every rank is a sum of powers of -2, mod P. A rank that sends at distance s changes
 * the last s + 1 digits of that, which are all alike: it goes (1 - (-2)^(s+1)) / 3 forwards if it
 * is even, and backwards if it is odd. In Gray code it changes one digit, as in `binomial`. Source:
 * De Sensi et al., Bine Trees, SC 2025.
 */
enum { EVERY_SECOND = 0x2aaaaaaa }; /* the digits that count negatively */

const char *lpi_needs_power(int64_t P, const struct logp_invocation *c)
{
    (void)c;
    return (P & (P - 1)) == 0 ? NULL : "a power of two";
}

static int bine_rank(int v, int root, int P, const void *shape)
{
    int digits = v;

    (void)shape;
    for (int shift = 1; shift < 31; shift *= 2)
        digits ^= digits >> shift;
    return ((digits ^ EVERY_SECOND) - EVERY_SECOND + root) & (P - 1);
}

static int bine_node(int rank, int root, int P)
{
    const int digits = ((((rank - root) & (P - 1)) + EVERY_SECOND) ^ EVERY_SECOND) & (P - 1);

    return digits ^ digits >> 1;
}

int lpi_plan_bine(int P, int rank, struct logp_invocation *c)
{
    return lpi_plan_tree(P, bine_node(rank, c->args.root, P),
                         &(struct lpi_tree_shape){binomial_parent, binomial_child, NULL}, bine_rank,
                         c);
}

/* ---- mesh: `binomial` along the root's row, then along all columns, then the next dimension ----
 * A node has the item from the first dimension in which it is not at the root's coordinate, and
 * passes it on there, and then in those before. */

/* The first dimension in which v is not at 0, the last for v = 0; *stride: in ranks. */
static int mesh_from(const struct lpi_grid *grid, int P, int v, int *stride)
{
    int i = -1, size;

    *stride = P;
    do {
        size = (int)grid->size[++i];
        *stride /= size;
    } while (v / *stride % size == 0 && i + 1 < grid->dimensions);
    return i;
}

static int mesh_parent(int P, int v, const void *shape)
{
    const struct lpi_grid *grid = shape;
    int stride;
    const int size = (int)grid->size[mesh_from(grid, P, v, &stride)],
              coordinate = v / stride % size;

    return v + (binomial_parent(size, coordinate, shape) - coordinate) * stride;
}

static int mesh_child(int P, int v, int k, const void *shape)
{
    const struct lpi_grid *grid = shape;
    int stride, child;

    for (int i = mesh_from(grid, P, v, &stride); i >= 0; stride *= (int)grid->size[i--]) {
        const int size = (int)grid->size[i], coordinate = v / stride % size;
        int n = 0;

        while ((child = binomial_child(size, coordinate, n, shape)) >= 0 && n < k)
            n++;
        if (child >= 0)
            return v + (child - coordinate) * stride;
        k -= n;
    }
    return -1;
}

/* Each dimension is relabelled as `binomial` does it, by one of these. */
static int mesh_relabel(int v, int root, const struct lpi_grid *grid,
                        int (*relabel)(int coordinate, int root, int size, const void *shape))
{
    int rank = 0;

    for (int i = grid->dimensions - 1, stride = 1; i >= 0; stride *= (int)grid->size[i--]) {
        const int size = (int)grid->size[i];

        rank += stride * relabel(v / stride % size, root / stride % size, size, NULL);
    }
    return rank;
}

static int mesh_rank(int v, int root, int P, const void *shape)
{
    (void)P;
    return mesh_relabel(v, root, shape, flip);
}

int lpi_plan_mesh(int P, int rank, struct logp_invocation *c)
{
    const struct lpi_grid grid = lpi_grid_of(P, c);

    return lpi_plan_tree(P, mesh_relabel(rank, c->args.root, &grid, flipped),
                         &(struct lpi_tree_shape){mesh_parent, mesh_child, &grid}, mesh_rank, c);
}

/* ---- optimal: the tree of Shou & Chen ---- */

struct optimal_node {
    const struct logp_tree *tree;
    struct logp_tree_node node; /* the one that is planned for */
};

static int optimal_parent(int P, int v, const void *shape)
{
    const struct optimal_node *at = shape;

    (void)P, (void)v;
    return (int)at->node.parent;
}

static int optimal_child(int P, int v, int k, const void *shape)
{
    const struct optimal_node *at = shape;
    struct logp_tree_node child;

    (void)P, (void)v;
    return logp_tree_child(at->tree, &at->node, k, &child) ? (int)child.id : -1;
}

int lpi_plan_optimal(const struct logp_tree *tree, int rank, struct logp_invocation *c)
{
    const int P = (int)tree->P;
    const int v = lpi_virtual_rank(rank, c->args.root, P);
    const struct optimal_node at = {tree, logp_tree_find(tree, v)};

    return lpi_plan_tree(P, v, &(struct lpi_tree_shape){optimal_parent, optimal_child, &at}, NULL,
                         c);
}
