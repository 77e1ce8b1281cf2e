/* SPDX-License-Identifier: MIT */
/* The alternatives of a query, as entries of the explorer's list. */
#ifndef LPI_OUTCOMES_H
#define LPI_OUTCOMES_H

#include "state/state.h"
#include "state/explore.h"

/* Make space for one more entry than n. @return false: there is none, and the run is stopped */
bool lpi_outcomes_reserve(struct logp_machine *m, int n);
/* Append the alternatives of p's query but misses to n entries. forced: the first is the only one.
 * @return the new number of entries */
int lpi_outcomes_gather(struct lpi_proc *p, const struct lpi_query *query, int n, bool *forced);
/* The query's alternatives begin at `from`: append a miss or a cancel, if it may come to that.
 * @return the new number of entries */
int lpi_outcomes_add_miss(struct lpi_proc *p, const struct lpi_query *query, int from, int n);
struct logp_alternative lpi_outcomes_miss(const struct lpi_explore *x, int rank);
/* This alternative has been chosen for p's query. */
void lpi_outcomes_take(struct lpi_proc *p, struct lpi_query *query,
                       const struct logp_alternative *a);
/* Is query a wait for one request that is complete? */
bool lpi_outcomes_complete(const struct lpi_query *query);

#endif
