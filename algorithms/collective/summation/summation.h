/* SPDX-License-Identifier: MIT */
/* Summations: what their files share; see <logp/paper.h>. */
#ifndef LPI_SUMMATION_H
#define LPI_SUMMATION_H

#include "collective/collective.h"

#include <logp/paper.h>

/* operands.c: how they are spread over ids, which are relative to the root. plan.state of a planned
 * summation begins with it. */
struct lpi_spread {
    int64_t processors;         /* ids below take part */
    int64_t N;                  /* operands, spread evenly, the first ids with one more; */
    bool along_tree;            /* or spread along the tree */
    struct logp_summation tree; /* if along_tree */
};

/* How many this one has. */
int64_t lpi_operands_of(const struct lpi_spread *spread, int64_t id);

/* summation.c: the algorithms */
extern const struct lpi_rows lpi_summation_trees;

#endif
