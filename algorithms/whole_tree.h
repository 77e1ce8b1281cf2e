/* SPDX-License-Identifier: MIT */
/* whole_tree.c: the tree of an algorithm as a whole. */
#ifndef LPI_WHOLE_TREE_H
#define LPI_WHOLE_TREE_H

#include <logp/collective.h>

/* A processor. They stand level by level from the root, children of one side by side in order. */
struct lpi_tree_place {
    int rank;
    int parent; /* index; the root: -1 */
    int k;      /* it is its parent's k-th child */
    int first_child, n_children;
};

enum lpi_direction {
    LPI_NO_TREE,
    LPI_FROM_ROOT, /* children in the order of sending */
    LPI_TO_ROOT,   /* children in the order of receiving */
};

enum lpi_direction lpi_direction_of(const struct logp_algorithm *algorithm);
/* P places, to be freed. 0; -ENOMEM, -ENOTSUP (the plans make no tree) */
int lpi_whole_tree(const struct logp_algorithm *algorithm, int P, const struct logp_coll *c,
                   struct lpi_tree_place **out);

#endif
