/* SPDX-License-Identifier: MIT */
/* What is kept beside the vps, where anything is: see attach.c. */
#ifndef LPI_ATTACH_H
#define LPI_ATTACH_H

#include "core/word_wait.h"
#include "state/state.h"

struct lpi_attached {
    _Alignas(64) struct lpi_word_wait watch;
    struct lpi_joined *joined; /* areas: area.c */
    struct logp_attached *first;
    struct logp_vp started; /* of the vp itself; other groups have their own */
};

/* Of this vp, which alone touches it but for what is atomic. NULL: no memory */
struct lpi_attached *lpi_attached_to(struct lpi_proc *p);
/* The same, if anything is attached to any vp; else NULL. */
static inline struct lpi_attached *lpi_attached_of(const struct lpi_proc *p)
{
    /* acquire pairs with the release in lpi_attached_to(): it is zeroed */
    struct lpi_attached *all =
        atomic_load_explicit(&p->core->machine->attached, memory_order_acquire);

    return all != NULL ? &all[p->rank] : NULL;
}

/* The program of p has ended: so does what was attached to it. */
void lpi_attached_end(struct lpi_proc *p);
void lpi_attached_destroy(struct logp_machine *m);

#endif
