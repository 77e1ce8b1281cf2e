/* SPDX-License-Identifier: MIT */
/* What the makers of trees for unlike links share: earliest.c, earliest_rule.c, earliest_ahead.c. */
#ifndef LPI_EARLIEST_H
#define LPI_EARLIEST_H

#include <stdbool.h>
#include <stdint.h>

enum { LPI_UNLIKE_RANKS = 256, LPI_UNLIKE_CLASSES = 64 };

/* From a class, to a class: D and E of a message, and of one with the items of all ranks, which are the
 * same unless a message has an item for each rank below. */
struct lpi_unlike_costs {
    int64_t D[LPI_UNLIKE_CLASSES], E[LPI_UNLIKE_CLASSES];
    int64_t D_all[LPI_UNLIKE_CLASSES], E_all[LPI_UNLIKE_CLASSES];
};

/* All that the tree depends on. Ranks between which all links are alike form a class. */
struct lpi_unlike {
    int P, root, n_classes;
    bool grows;
    int class_of[LPI_UNLIKE_RANKS];
    struct lpi_unlike_costs from[LPI_UNLIKE_CLASSES]; /* there is memory for n_classes */
};

/* The root is its own parent. order: a rank comes after its parent, and the children of each in the
 * order in which it sends to them. */
struct lpi_unlike_tree {
    int parent[LPI_UNLIKE_RANKS], order[LPI_UNLIKE_RANKS];
};

/* earliest_ahead.c: @return when the last rank has the item */
int64_t lpi_unlike_end(const struct lpi_unlike *p, const struct lpi_unlike_tree *tree);
/* Replace the tree by the best of those that it finds, if that ends sooner. 0; -ENOMEM */
int lpi_earliest_ahead(const struct lpi_unlike *p, struct lpi_unlike_tree *tree);

/* earliest_rule.c: 0; -EOVERFLOW, -ENOMEM */
int lpi_earliest_by_rule(const struct lpi_unlike *p, struct lpi_unlike_tree *out);

#endif
