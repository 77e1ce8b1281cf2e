/* SPDX-License-Identifier: MIT */
/*
 * Sends that wait for space in the queue limit, if the machine was created with backpressure.
 *
 * Each core has a list of its waiting procs, first come first. A proc stays in the list until it
 * continues. So free space is reserved for it, and later procs are woken only for the rest. A woken
 * proc tries again, and may find that another core has taken the space.
 *
 * Cores cache no credit on such a machine (credit_batch is 0): the machine holds all free space.
 * A vp that takes a message wakes procs of its own core, at the time of its clock. The holder
 * polls for space that other cores have freed.
 */
#include "mail/mail.h"

#include "host/clock.h"
#include "state/stop.h"
#include "state/run_queue.h"

static struct lpi_space_wait *space_of(const struct lpi_proc *p)
{
    return &p->core->machine->space_waits[p->rank];
}

/* relaxed, as all accesses to the machine's credit: the number publishes nothing */
static int64_t available(const struct lpi_core *c)
{
    return c->credit + atomic_load_explicit(&c->machine->credit, memory_order_relaxed);
}

/* relaxed, as all accesses to `wanted`: lpi_idle() publishes it, lpi_all_idle() acquires it */
static int64_t least_wanted(const struct lpi_core *c)
{
    return atomic_load_explicit(&c->space.wanted, memory_order_relaxed);
}

static void list_changed(struct lpi_core *c)
{
    int64_t least = INT64_MAX;

    for (const struct lpi_proc *p = c->space.first; p != NULL; p = space_of(p)->next)
        if (space_of(p)->needs < least)
            least = space_of(p)->needs;
    atomic_store_explicit(&c->space.wanted, least, memory_order_relaxed);
}

/* The link that points to p, or the end of the list. */
static struct lpi_proc **link_of(struct lpi_core *c, const struct lpi_proc *p)
{
    struct lpi_proc **link = &c->space.first;

    while (*link != p && *link != NULL)
        link = &space_of(*link)->next;
    return link;
}

/* p tries again at time t of its clock. */
static void wake(struct lpi_proc *p, int64_t t)
{
    if (lpi_has_clock(p))
        lpi_wake(p, lpi_later(p, t));
    else
        lpi_make_ready(p);
}

void lpi_space_join(struct lpi_proc *p, int64_t needs, int dst, int tag)
{
    struct lpi_core *c = p->core;

    atomic_fetch_add_explicit(&c->machine->credit, c->credit, memory_order_relaxed);
    c->credit = 0;
    lpi_space_given(c->machine);
    *space_of(p) = (struct lpi_space_wait){.needs = needs};
    *link_of(c, NULL) = p;
    list_changed(c);
    p->any.src = dst;
    p->any.tag = tag;
    p->state = LPI_WAITS_FOR_SPACE;
}

void lpi_space_leave(struct lpi_proc *p)
{
    if (p->emulated > p->core->space.at) /* the next proc may use what p leaves, from now on */
        p->core->space.at = p->emulated;
    *link_of(p->core, p) = space_of(p)->next;
    list_changed(p->core);
}

void lpi_space_freed(struct lpi_core *c, int64_t t)
{
    int64_t left = available(c);

    if (t > c->space.at)
        c->space.at = t;
    for (struct lpi_proc *p = c->space.first; p != NULL && left >= least_wanted(c);
         p = space_of(p)->next)
        if (space_of(p)->needs <= left) {
            left -= space_of(p)->needs;
            wake(p, t);
        }
}

void lpi_space_given_asleep(struct logp_machine *m)
{
    const int64_t free = atomic_load_explicit(&m->credit, memory_order_relaxed);

    for (int i = 0; i < m->n_cores; i++)
        if (least_wanted(&m->cores[i]) <= free)
            lpi_give_work(&m->cores[i]);
}

void lpi_space_poll(struct lpi_core *c, int64_t t)
{
    if (available(c) >= least_wanted(c)) {
        lpi_busy(c);
        lpi_space_freed(c, t);
    }
}

void lpi_space_posted(struct lpi_proc *to)
{
    for (struct lpi_proc *p = to->core->space.first; p != NULL; p = space_of(p)->next)
        if (p->any.src == to->rank)
            wake(p, lpi_clock(to));
}

bool lpi_space_for_one(const struct logp_machine *m)
{
    for (int i = 0; i < m->n_cores; i++)
        if (least_wanted(&m->cores[i]) <= atomic_load_explicit(&m->credit, memory_order_relaxed))
            return true;
    return false;
}
