/* SPDX-License-Identifier: MIT */
/* Plans of collectives that follow a tree: from a shape in virtual ranks to parent and children. */
#include "algorithms.h"

#include <errno.h>
#include <stdlib.h>

int lpi_rotate(int v, int root, int P)
{
    return (int)(((int64_t)v + root) % P);
}

int lpi_plan_tree(int P, int v, const struct lpi_tree_shape *shape,
                  int (*to_rank)(int v, int root, int P), struct logp_coll *c)
{
    int n = 0;

    while (shape->child(P, v, n, shape->shape) >= 0)
        n++;
    c->plan = (struct logp_plan){.parent = -1, .n_children = n};
    if (n > 0) {
        c->plan.children = malloc((size_t)n * sizeof(int));
        if (c->plan.children == NULL)
            return -ENOMEM;
    }
    for (int k = 0; k < n; k++)
        c->plan.children[k] = to_rank(shape->child(P, v, k, shape->shape), c->root, P);
    if (v > 0)
        c->plan.parent = to_rank(shape->parent(P, v, shape->shape), c->root, P);
    return 0;
}
