/* SPDX-License-Identifier: MIT */
/*
 * Blocking sections, and what a core must notice: mail, a common start, requests for the core,
 * words, space. A thread that does not hold a vp's core lets the vp continue in two cases: the vp
 * reacquires the core after a blocking section, or another core wakes the vp from a sync
 * (sync_group.c).
 *
 * A vp that begins a blocking section gives its core to another waiting vp, which serves the core
 * from then on. When the section ends, the vp does not hold the core. So it puts itself on the
 * core's request list (any thread pushes, the holder takes the whole list: no ABA problem), sets a
 * bit of attention, and waits until it is given the core.
 *
 * If all other vps have ended or are in blocking sections too, no vp holds the core. The list then
 * has a mark in place of a request, and the first vp to return takes the core by removing it. A
 * core with a vp in a blocking section is never idle (deadlock.c), because it cannot know what
 * happens there.
 */

#include "core/core.h"

#include "carrier/carrier.h"
#include "core/sched.h"
#include "mail/mail.h"
#include "state/stop.h"
#include "state/run_queue.h"

static struct lpi_proc nobody;

static void released(struct lpi_proc *p)
{
    p->state = LPI_IN_BLOCKING;
    p->core->life.n_blocking++;
    p->core->absence.at.host = -1; /* its core may be without a holder */
    /* relaxed: for reports */
    atomic_store_explicit(&lpi_mailbox_of(p)->is_blocking, true, memory_order_relaxed);
}

static void reacquired(struct lpi_proc *p)
{
    p->core->life.n_blocking--;
    /* relaxed: for reports */
    atomic_store_explicit(&lpi_mailbox_of(p)->is_blocking, false, memory_order_relaxed);
}

static void return_to_core(struct lpi_proc *p)
{
    reacquired(p);
    if (p->deadline < 0)
        lpi_make_ready(p);
    else
        lpi_wake(p, p->deadline);
}

static bool request(struct lpi_proc *p)
{
    struct lpi_core *c = p->core;
    /* relaxed: the exchange below checks it */
    struct lpi_proc *top = atomic_load_explicit(&c->requests, memory_order_relaxed);

    do {
        lpi_mailbox_of(p)->next_request = top;
        /* release pairs with the exchange in take_requests(); acquire pairs with the
         * release in leave_empty(): what the last holder did is visible */
    } while (!atomic_compare_exchange_weak_explicit(&c->requests, &top, top == &nobody ? NULL : p,
                                                    memory_order_acq_rel, memory_order_relaxed));
    if (top == &nobody)
        return true;
    /* release pairs with the acquires in lpi_poll_mail() and take_requests() */
    atomic_fetch_or_explicit(&c->attention, LPI_ATT_REACQUIRE, memory_order_release);
    lpi_give_work(c);
    return false;
}

static bool leave_empty(struct lpi_core *c)
{
    struct lpi_proc *none = NULL;

    atomic_store_explicit(&c->holder, -1, memory_order_relaxed); /* for reports */
    /* release pairs with the acquire in request() */
    return atomic_compare_exchange_strong_explicit(&c->requests, &none, &nobody,
                                                   memory_order_release, memory_order_relaxed);
}

static void take_requests(struct lpi_core *c)
{
    struct lpi_proc *p;

    lpi_busy(c);
    /* acquire pairs with the release of the bit in request(): the exchange finds its
     * request */
    atomic_fetch_and_explicit(&c->attention, ~(unsigned)LPI_ATT_REACQUIRE, memory_order_acquire);
    /* acquire pairs with the release in request() */
    p = atomic_exchange_explicit(&c->requests, NULL, memory_order_acquire);
    while (p != NULL) {
        struct lpi_proc *next = lpi_mailbox_of(p)->next_request;

        struct lpi_release *release = lpi_mailbox_of(p)->release;

        lpi_mailbox_of(p)->release = NULL;
        if (p->state == LPI_IN_BLOCKING)
            return_to_core(p);
        else if (release != NULL)
            release->notice(c, release);
        else
            lpi_sync_release(p);
        p = next;
    }
}

/* The caller holds c and gives it to another vp of c. If all other vps have ended or are in blocking
 * sections, the first vp that returns from such a section takes the core. */
static void leave_core(struct lpi_core *c)
{
    for (;;) {
        struct lpi_proc *next = lpi_stand_in(c);

        if (next != NULL) {
            c->machine->executor->give(next);
            return;
        }
        if (leave_empty(c))
            return;
        take_requests(c);
    }
}

void lpi_blocking_begin(struct lpi_proc *p)
{
    released(p);
    leave_core(p->core);
}

void lpi_core_wake(struct lpi_proc *p)
{
    /* a stop has ended the wait of p, and its core had no holder: this thread has taken the core */
    if (request(p))
        leave_core(p->core);
}

int lpi_blocking_end(struct lpi_proc *p, int64_t deadline)
{
    p->deadline = deadline;
    if (!request(p)) {
        p->core->machine->executor->await(p);
        return lpi_hold(p);
    }
    reacquired(p);
    p->state = LPI_RUNNING;
    atomic_store_explicit(&p->core->holder, p->rank, memory_order_relaxed); /* for reports */
    return lpi_stopped(p);
}

void lpi_poll_mail(struct lpi_core *c)
{
    unsigned attention;

    lpi_poll(c);
    /* acquire pairs with the releases in attend() (sync_start and base_ns are visible) and in
     * request() */
    attention = atomic_load_explicit(&c->attention, memory_order_acquire);
    if (attention & LPI_ATT_SYNC)
        lpi_release_sync(c);
    if (attention & LPI_ATT_REACQUIRE)
        take_requests(c);
    if (c->run_queue.word_wait_first != NULL)
        lpi_word_wait_poll(c);
    if (c->space.first != NULL)
        lpi_space_poll(c, c->machine->time->space_ns(c));
}
