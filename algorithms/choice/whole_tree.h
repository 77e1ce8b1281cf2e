/* SPDX-License-Identifier: MIT */
/* whole_tree.c: the tree of an algorithm as a whole. */
#ifndef LPI_WHOLE_TREE_H
#define LPI_WHOLE_TREE_H

#include <logp/algorithm.h>

/* A processor. They stand level by level from the root, children of one side by side in order. */
struct lpi_tree_member {
    int rank;
    int parent; /* index; the root: -1 */
    int k;      /* it is its parent's k-th child */
    int first_child, n_children;
};

/* P members, to be freed. 0; -ENOMEM, -ENOTSUP (the plans make no tree) */
int lpi_whole_tree(const struct logp_algorithm *algorithm, int P, const struct logp_invocation *c,
                   struct lpi_tree_member **out);

#endif
