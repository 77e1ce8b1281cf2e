/* SPDX-License-Identifier: MIT */
/* Blocking sections: a vp without a core, which it reacquires later. See reacquire.c. */
#include "core/core.h"

#include "carrier/carrier.h"
#include "core/sched.h"
#include "mail/mail.h"

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
