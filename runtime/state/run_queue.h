/* SPDX-License-Identifier: MIT */
/* The run queue of a core: deadlines and ready procs. Its holder calls all of these. */
#ifndef LPI_RUN_QUEUE_H
#define LPI_RUN_QUEUE_H

#include "state/state.h"

/* The time that logp_now() returns, by which p's deadlines are. */
int64_t lpi_clock(const struct lpi_proc *p);
/* p waits until deadline. This replaces its earlier deadline or wait. */
void lpi_set_deadline(struct lpi_proc *p, int64_t deadline);
/* p, which waits, gets this deadline, unless it has an earlier one. */
void lpi_wake(struct lpi_proc *p, int64_t deadline);
/* Make p READY: it runs as soon as it gets the core. */
void lpi_make_ready(struct lpi_proc *p);
/* The same at time t; t < 0: at once. */
static inline void lpi_wake_at(struct lpi_proc *p, int64_t t)
{
    if (t < 0)
        lpi_make_ready(p);
    else
        lpi_wake(p, t);
}
/* p waits for something that happens at t; t < 0: now. */
static inline void lpi_wake_for(struct lpi_proc *p, int64_t t)
{
    lpi_wake_at(p, t < 0 ? t : lpi_later(p, t));
}
/* Parallel: an action of c reaches other cores at t. Their next actions reach c one lookahead later
 * or after that, so c's window ends there. */
static inline void lpi_window_shorten(struct lpi_core *c, int64_t t)
{
    struct lpi_window *w = &c->window;

    if (t >= w->alone_to)
        return;
    w->alone_to = t;
    if (lpi_after(t, c->machine->lookahead) < w->end)
        w->end = lpi_after(t, c->machine->lookahead);
    if (w->end < w->sync_end)
        w->sync_end = w->end;
}
/* Parallel: the same, for the core that it reaches. It has been made visible to that core. */
static inline void lpi_window_reach(struct lpi_core *c, struct lpi_core *to, int64_t t)
{
    int64_t earlier;

    if (c->window.alone_to == INT64_MIN)
        return;
    if (t <= c->window.least) /* a start: what others do then may come first */
        c->window.is_first = false;
    lpi_window_shorten(c, t);
    earlier = atomic_load_explicit(&to->window.mail, memory_order_relaxed);
    /* release pairs with the acquire in take_mail(). An exchange even if it changes nothing: otherwise
     * that core could take the earlier time without finding this action */
    while (!atomic_compare_exchange_weak_explicit(&to->window.mail, &earlier,
                                                  t < earlier ? t : earlier, memory_order_release,
                                                  memory_order_relaxed))
        ;
}
/* The proc with the earliest deadline; NULL: none has one. */
struct lpi_proc *lpi_earliest(struct lpi_core *c);

#endif
