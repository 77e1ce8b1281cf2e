/* SPDX-License-Identifier: MIT */
/* What is attached to vps: see attach.c. */
#ifndef LPI_ATTACH_H
#define LPI_ATTACH_H

#include "core/word_wait.h"
#include "state/state.h"

struct lpi_attached {
    _Alignas(64) struct lpi_word_wait watch;
    struct lpi_joined *joined; /* areas: area.c */
    struct logp_attached *first;
    struct logp_vp started; /* for the vp itself; groups have their own */
};

/* The entry of p, allocated if needed. Only p uses it, except for its atomics. NULL: no memory. */
struct lpi_attached *lpi_attached_to(struct lpi_proc *p);
/* The same, or NULL if nothing is attached to any vp. */
static inline struct lpi_attached *lpi_attached_of(const struct lpi_proc *p)
{
    /* acquire pairs with the release in lpi_attached_to(): the zeroes are visible */
    struct lpi_attached *all =
        atomic_load_explicit(&p->core->machine->attached, memory_order_acquire);

    return all != NULL ? &all[p->rank] : NULL;
}

/* The program of p has ended: end what was attached to it. */
void lpi_attached_end(struct lpi_proc *p);
void lpi_attached_destroy(struct logp_machine *m);

#endif
