/* SPDX-License-Identifier: MIT */
/*
 * The tree of an algorithm as a whole, put together from the plans of all its processors, for what
 * must be known of every message: times and loads on a topology.
 */
#include "whole_tree.h"
#include "broadcast.h"
#include "reduce.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum lpi_direction lpi_direction_of(const struct logp_algorithm *algorithm)
{
    if (algorithm->plan != NULL && algorithm->steps == lpi_broadcast_steps)
        return LPI_FROM_ROOT;
    if (algorithm->plan != NULL && algorithm->steps == lpi_reduce_steps)
        return LPI_TO_ROOT;
    return LPI_NO_TREE;
}

/* Append the children of place i. 0; or an error */
static int add_children(const struct logp_algorithm *algorithm, int P, struct logp_coll *c,
                        struct lpi_tree_place *places, int i, int *n)
{
    int rc = algorithm->plan(P, places[i].rank, c);

    if (rc == 0 && c->plan.n_children > P - *n)
        rc = -ENOTSUP;
    if (rc == 0) {
        places[i].first_child = *n;
        places[i].n_children = c->plan.n_children;
        for (int k = 0; k < c->plan.n_children; k++)
            places[(*n)++] =
                (struct lpi_tree_place){.rank = c->plan.children[k], .parent = i, .k = k};
    }
    logp_coll_unplan(c);
    return rc;
}

int lpi_whole_tree(const struct logp_algorithm *algorithm, int P, const struct logp_coll *c,
                   struct lpi_tree_place **out)
{
    struct lpi_tree_place *places = malloc((size_t)P * sizeof(*places));
    struct logp_coll mine = *c;
    int n = 1, rc = 0;

    if (places == NULL)
        return -ENOMEM;
    places[0] = (struct lpi_tree_place){.rank = c->root, .parent = -1};
    for (int i = 0; rc == 0 && i < n; i++)
        rc = add_children(algorithm, P, &mine, places, i, &n);
    if (rc == 0 && n != P)
        rc = -ENOTSUP;
    if (rc == 0)
        *out = places;
    else
        free(places);
    return rc;
}
