/* SPDX-License-Identifier: MIT */
/* Deadlock: see deadlock.c. */
#ifndef LPI_DEADLOCK_H
#define LPI_DEADLOCK_H

#include "state/state.h"

/* The sum of the epochs of all cores, if all are idle. Epochs only grow, so an equal sum means that
 * none has changed. */
bool lpi_all_idle(const struct logp_machine *m, unsigned long *sum);
void lpi_check_deadlock(struct lpi_core *c);
void lpi_stop_deadlocked(struct logp_machine *m);
void lpi_check_pollers(struct lpi_core *c);
bool lpi_all_in_vain(const struct lpi_core *c);
void lpi_record_waits(struct logp_machine *m, bool running);
/* What p waits for. Exact only while its core's holder does not change it. */
struct logp_wait_info lpi_wait_of(const struct lpi_proc *p);

#endif
