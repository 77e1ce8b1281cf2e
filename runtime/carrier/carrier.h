/* SPDX-License-Identifier: MIT */
/* The interface of executors, which run the vps of a core one after the other. */
#ifndef LPI_CARRIER_H
#define LPI_CARRIER_H

#include "state/state.h"

struct lpi_executor {
    const char *name;
    /* A core that is behind may serve a deadline before an earlier one if they differ by at most
     * slack_ns times its number of vps. This is a few times the cost of a hand-over, so that a vp does
     * several steps in a row. */
    int64_t slack_ns;
    int64_t patience_ns; /* a hand-over takes longer than this */
    /* Both are 0 if a hand-over is fast. Otherwise a vp polls before it hands the core over. */
    unsigned polls; /* for mail: in this number of LPI_POLL_EVERY waits */
    int looks;      /* for a word that another core writes: this number of times in each wait */
    int exploring, blocking; /* see logp_machine */
    bool moves;              /* a vp may be on another core in the next run */
    bool has_threads;        /* each vp has its own thread */
    /* The most vps that the host allows; NULL: as many as there is memory for. */
    int64_t (*most)(void);
    /* Make the carriers of the machine. destroy undoes it, also after an error in create. */
    int (*create)(struct logp_machine *m);
    void (*destroy)(struct logp_machine *m);
    /* A run begins: give each core to its first vp. */
    void (*launch)(struct logp_machine *m);
    /* Whether the carrier begins the next run itself. */
    bool (*repeats)(const struct logp_machine *m);
    /* Give the core to `to`; return when `from` has it again. due: `to` can run; else it waits for
     * its deadline. */
    void (*switch_to)(struct lpi_proc *from, struct lpi_proc *to, bool due);
    /* `to` will get the core as soon as the holder's own deadline has passed. The holder calls this if
     * its deadline is more than prepare_ns ahead; INT64_MAX: never. */
    void (*prepare)(struct lpi_proc *to);
    int64_t prepare_ns;
    /* The processor time of the core's other threads than the caller, its holder. NULL: there are none. */
    int64_t (*others_ns)(const struct lpi_core *c);
    /* See lpi_resident(); NULL: no shared stacks. */
    void *(*resident)(const struct lpi_proc *p, void *address);
    /* Whether this address is known to be in the guard below the holder's stack. */
    bool (*guards)(const struct lpi_core *c, const void *address);
    /* As switch_to, for a vp that has ended; its carrier waits for the next run. */
    void (*leave)(struct lpi_proc *from, struct lpi_proc *to);
    /* The halves of switch_to: give the core away and continue without it; wait until it is given.
     * NULL: a vp never runs without its core. */
    void (*give)(struct lpi_proc *to);
    void (*await)(struct lpi_proc *p);
};

extern const struct lpi_executor lpi_executor_thread, lpi_executor_fiber, lpi_executor_shared;

#define LPI_MOST_OWN_STACKS 16384 /* with more, stacks have no guard pages */

/* The core of this carrier thread; NULL: not a carrier. Set by the carriers. Programs ask for it in each
 * call (logp_vp_current()), so it is at a fixed place of a thread's memory. */
extern _Thread_local struct lpi_core *lpi_this_core __attribute__((tls_model("initial-exec")));

/* The present place of the memory at p's `address`. This is `address`, unless it lies on a shared
 * stack and p's part of the stack is set aside (shared_stack.c). NULL: no memory. */
static inline void *lpi_resident(const struct lpi_proc *p, void *address)
{
    const struct lpi_core *c = p->core;

    if ((uintptr_t)address - c->shared_stack >= c->shared_stack_bytes)
        return address;
    return c->machine->executor->resident(p, address);
}

#endif
