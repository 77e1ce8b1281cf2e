/* SPDX-License-Identifier: MIT */
/* See run_queue.h. */
#include "state/run_queue.h"

#include "state/explore.h"
#include "state/timers.h"

int64_t lpi_clock(const struct lpi_proc *p)
{
    return lpi_has_clock(p) ? p->emulated : lpi_wall(p->core->machine);
}

/* Whether this is still the deadline of its proc. */
static bool holds(void *machine, const struct lpi_timer *s)
{
    const struct logp_machine *m = machine;
    const struct lpi_proc *p = &m->procs[lpi_timer_rank(s)];

    return p->state == LPI_TIMED && p->stamp == s->stamp;
}

void lpi_set_deadline(struct lpi_proc *p, int64_t deadline)
{
    struct lpi_core *c = p->core;

    p->state = LPI_TIMED;
    p->deadline = deadline;
    if (__builtin_expect(c->machine->explore != NULL, false)) {
        c->machine->explore->due[p->rank] = deadline;
        return;
    }
    p->stamp++; /* its earlier deadline is stale */
    if (lpi_timers_full(&c->run_queue.timers))
        lpi_timers_purge(&c->run_queue.timers, holds, c->machine);
    lpi_timers_push(&c->run_queue.timers, deadline, p->order, p->stamp);
}

void lpi_make_ready(struct lpi_proc *p)
{
    struct lpi_core *c = p->core;

    if (p->state == LPI_READY)
        return;
    p->state = LPI_READY;
    p->next_ready = NULL;
    if (c->run_queue.ready_first == NULL)
        c->run_queue.ready_first = p;
    else
        c->run_queue.ready_last->next_ready = p;
    c->run_queue.ready_last = p;
}

struct lpi_proc *lpi_earliest(struct lpi_core *c)
{
    const struct lpi_timer *top;

    while ((top = lpi_timers_top(&c->run_queue.timers)) != NULL) {
        if (holds(c->machine, top))
            return &c->machine->procs[lpi_timer_rank(top)];
        lpi_timers_pop(&c->run_queue.timers);
    }
    return NULL;
}

void lpi_wake(struct lpi_proc *p, int64_t deadline)
{
    if (p->state == LPI_READY || (p->state == LPI_TIMED && p->deadline <= deadline))
        return;
    p->core->run_queue.prepared = NULL; /* the order may have changed */
    lpi_set_deadline(p, deadline);
}
