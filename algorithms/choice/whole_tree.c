/* SPDX-License-Identifier: MIT */
/*
 * The tree of an algorithm as a whole, put together from the plans of all its processors, for what
 * must be known of every message: times and loads on a topology.
 */
#include "choice/choice.h"
#include "schedule/schedule.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Append the children of member i. 0; or an error */
static int add_children(const struct logp_algorithm *algorithm, int P, struct logp_invocation *c,
                        struct lpi_tree_member *members, int i, int *n)
{
    int rc = algorithm->plan(P, members[i].rank, c);

    if (rc == 0 && c->plan.n_children > P - *n)
        rc = -ENOTSUP;
    if (rc == 0) {
        members[i].first_child = *n;
        members[i].n_children = c->plan.n_children;
        for (int k = 0; k < c->plan.n_children; k++)
            members[(*n)++] =
                (struct lpi_tree_member){.rank = c->plan.children[k], .parent = i, .k = k};
    }
    lpi_free_plan(&c->plan);
    return rc;
}

int lpi_whole_tree(const struct logp_algorithm *algorithm, int P, const struct logp_invocation *c,
                   struct lpi_tree_member **out)
{
    struct lpi_tree_member *members = malloc((size_t)P * sizeof(*members));
    struct logp_invocation mine = *c;
    int n = 1, rc = 0;

    if (members == NULL)
        return -ENOMEM;
    members[0] = (struct lpi_tree_member){.rank = c->args.root, .parent = -1};
    for (int i = 0; rc == 0 && i < n; i++)
        rc = add_children(algorithm, P, &mine, members, i, &n);
    if (rc == 0 && n != P)
        rc = -ENOTSUP;
    if (rc == 0)
        *out = members;
    else
        free(members);
    return rc;
}
