/* SPDX-License-Identifier: MIT */
/* Choices: see explore.c. Called by the holder of the machine's one core. */
#ifndef LPI_CORE_EXPLORE_H
#define LPI_CORE_EXPLORE_H

#include "state/explore.h"

/* Ask for one of the n > 0 alternatives in explore->list. @return its place */
int lpi_explore_ask(const struct lpi_explore *x, int n);
/* p's program has ended. Its posted receives may still take messages whose senders wait for that.
 */
void lpi_explore_end(struct lpi_proc *p);
void lpi_explore_begin(struct logp_machine *m);
void lpi_explore_free(struct logp_machine *m);

#endif
