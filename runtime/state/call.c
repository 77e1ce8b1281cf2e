/* SPDX-License-Identifier: MIT */
/* The clock of a vp at the begin and the end of a call, where the wall clock is emulated on. */
#include "state/call.h"

int64_t lpi_with_program(const struct lpi_proc *p, int64_t now)
{
    const int64_t spent = now - p->left - p->core->machine->clock_overhead;

    /* not emulating: until now there was nothing to emulate */
    return !p->emulating ? now : spent > 0 ? p->emulated + spent : p->emulated;
}

void lpi_enter_emulated(struct lpi_proc *p)
{
    const struct logp_machine *m = p->core->machine;
    const int64_t now = lpi_wall(m);

    if (p->emulating && m->recorders != NULL)
        lpi_record_enter(p);
    p->emulated = lpi_with_program(p, now);
    if (m->recorders != NULL)
        lpi_record_own(p);
    p->emulating = true;
    p->left = p->core->turns.clock_seen = now;
}

void lpi_leave_emulated(struct lpi_proc *p)
{
    struct lpi_core *c = p->core;

    p->left = c->turns.clock_seen = lpi_wall(c->machine);
    lpi_lag_returned(&c->lag, p->left);
    if (c->machine->recorders != NULL)
        lpi_record_leave(p);
}
