/* SPDX-License-Identifier: MIT */
/* Runs of a machine. */
#ifndef LPI_RUN_H
#define LPI_RUN_H

#include "carrier/carrier.h"
#include "state/state.h"

/* The last proc of a core has ended, and so have all of the machine.
 * @return true: the next run has begun */
bool lpi_cores_done(struct lpi_core *c);
/* All have come home: count and free what was never received. Called with the lock, or by the only
 * owner. */
void lpi_reclaim(struct logp_machine *m);
/* The same, if those of the last run had not come home in time. */
void lpi_reclaim_late(struct logp_machine *m);

/* Do vps use the machine, or did one not come home? Not where logp_machine_repeat() asks for
 * another run, on the carrier itself: its function may change what the next goes by. Called with
 * the lock. */
static inline bool lpi_in_use(const struct logp_machine *m)
{
    const bool is_asked = m->is_asking && lpi_this_core != NULL && lpi_this_core->machine == m;

    return m->running > 0 && !is_asked;
}

#endif
