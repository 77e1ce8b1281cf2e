/* SPDX-License-Identifier: MIT */
/* Runs of a machine. */
#ifndef LPI_RUN_H
#define LPI_RUN_H

#include "carrier/carrier.h"
#include "state/state.h"

/*
 * The last vp of a core has ended, and so have all of the machine.
 * @return true: the next run has begun
 */
bool lpi_cores_done(struct lpi_core *c);
/* All cores are done: count and free the messages that were never received. Called with the lock,
 * or by the only owner. */
void lpi_reclaim(struct logp_machine *m);
/* The same, if the last run was abandoned and is done now. */
void lpi_reclaim_late(struct logp_machine *m);

/* Is the machine in use: is a core not done? Not inside the function that logp_machine_repeat()
 * calls on the carrier: it may change the settings for the next run. Called with the lock. */
static inline bool lpi_in_use(const struct logp_machine *m)
{
    const bool is_asked = m->is_asking && lpi_this_core != NULL && lpi_this_core->machine == m;

    return m->running > 0 && !is_asked;
}

#endif
