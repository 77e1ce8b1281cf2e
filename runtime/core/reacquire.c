/* SPDX-License-Identifier: MIT */
/*
 * Procs that go on because of somebody who does not hold their core: those without one, that want
 * it back, and those that are called back from another core (group.c).
 *
 * A proc that goes outside gives its core to another that waits, which looks after it from then on.
 * Who comes back does not hold the core, so it puts itself on the core's list (pushed by anyone,
 * taken whole by the holder: no ABA), sets a bit of attention, and waits to be given it.
 *
 * If all others have ended or are outside as well, nobody holds the core: the list is `nobody`
 * then, and the first to come back takes the core by taking that away. A core with a proc outside
 * is never idle (deadlock.c): what happens there is not known here.
 */
#include "core/reacquire.h"

#include "core/start.h"
#include "state/stop.h"
#include "state/run_queue.h"

static struct lpi_proc nobody;

static struct lpi_mailbox *mail_of(const struct lpi_proc *p)
{
    return &p->core->machine->mails[p->rank];
}

void lpi_core_released(struct lpi_proc *p)
{
    p->state = LPI_IN_BLOCKING;
    p->core->life.n_blocking++;
    atomic_store_explicit(&mail_of(p)->is_blocking, true, memory_order_relaxed); /* for reports */
}

void lpi_core_reacquired(struct lpi_proc *p)
{
    p->core->life.n_blocking--;
    atomic_store_explicit(&mail_of(p)->is_blocking, false, memory_order_relaxed); /* for reports */
}

static void return_to_core(struct lpi_proc *p)
{
    lpi_core_reacquired(p);
    if (p->deadline < 0)
        lpi_make_ready(p);
    else
        lpi_wake(p, p->deadline);
}

bool lpi_core_request(struct lpi_proc *p)
{
    struct lpi_core *c = p->core;
    struct lpi_proc *top = atomic_load_explicit(&c->requests, memory_order_relaxed);

    do {
        mail_of(p)->next_request = top;
        /* release pairs with the exchange in lpi_core_take_requests(); acquire with the release in
         * lpi_leave_empty(): what the last holder did is visible */
    } while (!atomic_compare_exchange_weak_explicit(&c->requests, &top, top == &nobody ? NULL : p,
                                                    memory_order_acq_rel, memory_order_relaxed));
    if (top == &nobody)
        return true;
    /* release pairs with the acquires in lpi_poll_mail() and lpi_core_take_requests() */
    atomic_fetch_or_explicit(&c->attention, LPI_ATT_REACQUIRE, memory_order_release);
    return false;
}

bool lpi_leave_empty(struct lpi_core *c)
{
    struct lpi_proc *none = NULL;

    atomic_store_explicit(&c->holder, -1, memory_order_relaxed); /* for reports */
    /* release pairs with the acquire in lpi_core_request() */
    return atomic_compare_exchange_strong_explicit(&c->requests, &none, &nobody,
                                                   memory_order_release, memory_order_relaxed);
}

/* p, which waits on another core, is to go on where its clock says `deadline`. */
void lpi_core_wake(struct lpi_proc *p, int64_t deadline)
{
    p->deadline = deadline;
    lpi_core_request(p); /* somebody has the core, since p waits there */
}

/* Those who have asked can go on. Called by the holder. */
void lpi_core_take_requests(struct lpi_core *c)
{
    struct lpi_proc *p;

    lpi_busy(c);
    /* acquire pairs with the release in lpi_core_request(), so that the exchange finds who has set the bit
     */
    atomic_fetch_and_explicit(&c->attention, ~(unsigned)LPI_ATT_REACQUIRE, memory_order_acquire);
    /* acquire pairs with the release in lpi_core_request() */
    p = atomic_exchange_explicit(&c->requests, NULL, memory_order_acquire);
    while (p != NULL) {
        struct lpi_proc *next = mail_of(p)->next_request;

        if (p->state == LPI_SYNC)
            lpi_start_at(p, p->deadline);
        else if (p->state == LPI_IN_BLOCKING) /* else the run has been stopped, and it went on */
            return_to_core(p);
        p = next;
    }
}
