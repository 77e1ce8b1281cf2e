/* SPDX-License-Identifier: MIT */
/* What carries the vps of a machine, one after the other on each core: the interface. */
#ifndef LPI_CARRIER_H
#define LPI_CARRIER_H

#include "state/state.h"

struct lpi_executor {
    const char *name;
    /* The order of deadlines that have passed may give way by so much for each proc of the core,
     * where that saves hand-overs: some of them are worth it. */
    int64_t slack_ns;
    int64_t patience_ns; /* a hand-over takes longer */
    bool is_slow;        /* a hand-over: worth a look for mail first */
    bool repeats;        /* the carrier of a machine of one core begins the next run itself */
    /* So many procs at most, as the host is; NULL: as many as there is memory for. */
    int64_t (*most)(void);
    /* Make what carries the procs of the machine; destroy undoes it (also half of it). */
    int (*create)(struct logp_machine *m);
    void (*destroy)(struct logp_machine *m);
    /* A run begins: each core goes to its first proc. */
    void (*launch)(struct logp_machine *m);
    /* Give the core to `to`; returns when `from` has been given it back. late: `to` should be
     * running already. */
    void (*switch_to)(struct lpi_proc *from, struct lpi_proc *to, bool late);
    /* `to` will be given the core as soon as the holder's own deadline has passed. NULL: there
     * is nothing to prepare. */
    void (*prepare)(struct lpi_proc *to);
    /* See lpi_resident(); NULL: there are no shared stacks. */
    void *(*resident)(const struct lpi_proc *p, void *address);
    /* Is this address in the guard below the holder's stack? NULL: not known. */
    bool (*guards)(const struct lpi_core *c, const void *address);
    /* As switch_to for a proc that has ended; its carrier waits for the next run. */
    void (*leave)(struct lpi_proc *from, struct lpi_proc *to);
    /* The halves of switch_to: give the core away and go on without it; wait until it is given.
     * NULL: a proc is nowhere without its core. */
    void (*give)(struct lpi_proc *to);
    void (*await)(struct lpi_proc *p);
};

extern const struct lpi_executor *const lpi_executors[]; /* NULL-terminated */
extern const struct lpi_executor lpi_executor_thread, lpi_executor_fiber, lpi_executor_shared;

#define LPI_MOST_OWN_STACKS 16384 /* beyond, stacks have no guard pages of their own */

/* The core whose carrier this thread is; NULL: none. Set by the carriers. */
extern _Thread_local struct lpi_core *lpi_this_core;

/*
 * Where the memory is that p calls `address`. The same, unless it lies on a stack that several vps
 * share in turn and p's part of it is set aside (shared.c). NULL: no memory.
 */
static inline void *lpi_resident(const struct lpi_proc *p, void *address)
{
    const struct lpi_core *c = p->core;

    if ((uintptr_t)address - c->shared_stack >= c->shared_stack_bytes)
        return address;
    return c->machine->executor->resident(p, address);
}

#endif
