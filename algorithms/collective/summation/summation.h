/* SPDX-License-Identifier: MIT */
/* Summations: what their files share; see <logp/paper.h>. */
#ifndef LPI_SUMMATION_H
#define LPI_SUMMATION_H

#include "collective/collective.h"

#include <logp/paper.h>

/* operands.c: how they are spread over ids, which are relative to the root. part.state of a planned
 * summation begins with it. */
struct lpi_spread {
    int64_t processors;         /* ids below take part */
    int64_t N;                  /* evenly, the first ones with one more; */
    bool along_tree;            /* or */
    struct logp_summation tree; /* as it says */
};

/* How many this one has. */
int64_t lpi_operands_of(const struct lpi_spread *spread, int64_t id);

/* summation.c: the algorithms */
extern const struct lpi_rows lpi_summation_trees;

#endif
