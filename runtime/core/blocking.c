/* SPDX-License-Identifier: MIT */
/* Procs without a core, that ask for it again: see reacquire.c. */
#include "core/blocking.h"

#include "carrier/carrier.h"
#include "core/reacquire.h"
#include "core/sched.h"
#include "mail/close.h"

/* p, which holds its core, gives it up. What follows belongs to whoever holds it then. */
void lpi_blocking_begin(struct lpi_proc *p)
{
    struct lpi_core *c = p->core;

    lpi_core_released(p);
    for (;;) {
        struct lpi_proc *next = lpi_stand_in(c);

        if (next != NULL) {
            c->machine->executor->give(next);
            return;
        }
        if (lpi_leave_empty(c))
            return;
        lpi_core_take_requests(c);
    }
}

/*
 * p wants to go on where its clock says `deadline`; below 0: at once.
 * @return  0; or the error that stops the run. p holds its core in any case
 */
int lpi_blocking_end(struct lpi_proc *p, int64_t deadline)
{
    p->deadline = deadline;
    if (!lpi_core_request(p)) {
        p->core->machine->executor->await(p);
        return lpi_hold(p);
    }
    lpi_core_reacquired(p);
    p->state = LPI_RUNNING;
    atomic_store_explicit(&p->core->holder, p->rank, memory_order_relaxed); /* for reports */
    return lpi_stopped(p);
}
