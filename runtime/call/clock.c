/* SPDX-License-Identifier: MIT */
/* The clock of a vp at the begin and the end of a call, and after one that came to nothing. */
#include "call/call.h"
#include "core/core.h"
#include "core/sched.h"
#include "delay/delay.h"
#include "mail/mail.h"

enum { MOST_POLLS = (1 << 22) - 1 };

int64_t lpi_with_program(const struct lpi_proc *p, int64_t now)
{
    const int64_t spent = now - p->left - p->core->machine->clock_overhead;

    /* not emulating: until now there was nothing to emulate */
    return !p->emulating ? now : spent > 0 ? p->emulated + spent : p->emulated;
}

/* The same where the machine records. */
static __attribute__((noinline)) void enter_recorded(struct lpi_proc *p, int64_t now)
{
    if (p->emulating)
        lpi_record_enter(p);
    p->emulated = lpi_with_program(p, now);
    lpi_record_own(p);
}

void lpi_enter_emulated(struct lpi_proc *p)
{
    const struct logp_machine *m = p->core->machine;
    const int64_t now = lpi_wall(m);

    if (__builtin_expect(m->recorders != NULL, false))
        enter_recorded(p, now);
    else
        p->emulated = lpi_with_program(p, now);
    p->emulating = true;
    p->left = p->core->run_queue.clock_seen = now;
}

void lpi_leave_emulated(struct lpi_proc *p)
{
    struct lpi_core *c = p->core;

    p->left = c->run_queue.clock_seen = lpi_wall(c->machine);
    lpi_lag_returned(&c->lag, p->left);
    if (__builtin_expect(c->machine->recorders != NULL, false))
        lpi_record_leave(p);
}

int lpi_poll_cost(struct lpi_proc *p)
{
    p->readings = 0;
    p->polls = p->polls < MOST_POLLS ? p->polls + 1U : p->core->machine->polls_in_vain;
    /* the first: divided by a constant, and most need no more */
    if (p->polls % LPI_EXPLORED_IN_VAIN == 0 && p->polls % p->core->machine->polls_in_vain == 0)
        lpi_check_pollers(p->core);
    if (!lpi_has_clock(p))
        return lpi_yield(p);
    return lpi_wait_until(p, lpi_work(p, p->core->machine->poll_ns));
}
