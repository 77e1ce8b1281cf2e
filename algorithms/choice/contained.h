/* SPDX-License-Identifier: MIT */
/* contained.c: rows that use a collective which contains theirs. */
#ifndef LPI_CONTAINED_H
#define LPI_CONTAINED_H

#include <logp/algorithm.h>

struct lpi_contained;

/* What a row is made of that uses a containing collective; NULL: its steps are its own. */
const struct lpi_contained *lpi_contained_of(const struct logp_algorithm *a);

/* c as the invocation of the containing collective; its plan is empty. */
struct logp_invocation lpi_within(const struct lpi_contained *x, int64_t P,
                                  const struct logp_invocation *c);

/* The collective whose steps come before those of the row within, on the same ranks; NULL: none. */
const struct logp_collective *lpi_before_of(const struct lpi_contained *x);

/* c as its invocation, with logp_args.first_k; its plan is empty. */
struct logp_invocation lpi_first(const struct logp_invocation *c);

/* Whether the row takes as long as the row within. */
bool lpi_takes_the_same(const struct lpi_contained *x);

/* Row i = 0, 1, ... of the containing collective that may be used; *i becomes its place in the
 * table. NULL: there are no more. */
const struct logp_algorithm *lpi_next_within(const struct lpi_contained *x, int64_t P,
                                             const struct logp_invocation *c, size_t *i);

#endif
