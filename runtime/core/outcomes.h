/* SPDX-License-Identifier: MIT */
/* What a look could come to, as entries of the explorer's list of alternatives. */
#ifndef LPI_OUTCOMES_H
#define LPI_OUTCOMES_H

#include "state/state.h"
#include "state/explore.h"

/* Room for one more entry than n? Or the run is stopped. */
bool lpi_outcomes_reserve(struct logp_machine *m, int n);
/* Append those of p's look to n entries, misses aside. forced: the first of them is all that can
 * come of it. @return how many entries there are now */
int lpi_outcomes_gather(struct lpi_proc *p, const struct lpi_query *query, int n, bool *forced);
/* The look could take the entries from `from` on: may it miss as well, or its cancel come before?
 * @return how many entries there are now */
int lpi_outcomes_add_miss(struct lpi_proc *p, const struct lpi_query *query, int from, int n);
struct logp_alternative lpi_outcomes_miss(const struct lpi_explore *x, int rank);
/* p's look comes to this. */
void lpi_outcomes_take(struct lpi_proc *p, struct lpi_query *query,
                       const struct logp_alternative *a);
/* Is this a wait for one request, which is complete? */
bool lpi_outcomes_complete(const struct lpi_query *query);

#endif
