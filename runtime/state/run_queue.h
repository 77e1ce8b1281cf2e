/* SPDX-License-Identifier: MIT */
/* Whose turn it is on a core: deadlines, and those that are ready. All by its holder. */
#ifndef LPI_RUN_QUEUE_H
#define LPI_RUN_QUEUE_H

#include "state/state.h"

/* p waits until deadline, whatever it waited for before. */
void lpi_set_deadline(struct lpi_proc *p, int64_t deadline);
/* p, which waits, gets a deadline, or an earlier one. */
void lpi_wake(struct lpi_proc *p, int64_t deadline);
/* p can go on as soon as it gets the core. */
void lpi_make_ready(struct lpi_proc *p);
/* The proc with the earliest deadline; NULL: none has one. */
struct lpi_proc *lpi_earliest(struct lpi_core *c);

#endif
