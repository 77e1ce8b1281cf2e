/* SPDX-License-Identifier: MIT */
/* Choices: see explore.c. All by the holder of the machine's one core. */
#ifndef LPI_CORE_EXPLORE_H
#define LPI_CORE_EXPLORE_H

#include "state/explore.h"

/* Which of n > 0 alternatives, those of explore->list? */
int lpi_explore_ask(const struct lpi_explore *x, int n);
/* Who is to go next, RUNNING; NULL: nobody can. */
struct lpi_proc *lpi_explore_next(struct lpi_core *c);
/* Could another than p, which is at t, go now? */
bool lpi_explore_others(struct lpi_proc *p, int64_t t);
/* p's program has ended. What it has left posted may take a message whose sender waits for that. */
void lpi_explore_end(struct lpi_proc *p);
void lpi_explore_begin(struct logp_machine *m);
void lpi_explore_free(struct logp_machine *m);

#endif
