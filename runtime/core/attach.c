/* SPDX-License-Identifier: MIT */
/* The data that libraries attach to a vp, and the group in which it starts collectives. Most
 * programs need neither, so this memory is separate from the vps and allocated at the first use. */
#include "core/core.h"

#include "host/host.h"

#include <errno.h>

struct lpi_attached *lpi_attached_to(struct lpi_proc *p)
{
    struct logp_machine *m = p->core->machine;
    struct lpi_attached *there = lpi_attached_of(p), *all = NULL, *made;

    if (there != NULL)
        return there;
    made = lpi_memory_zeroed((size_t)m->P, sizeof(*made));
    if (made == NULL)
        return NULL;
    /* release pairs with the acquire in lpi_attached_of(), acquire with this release: of the core
     * that was first */
    if (atomic_compare_exchange_strong_explicit(&m->attached, &all, made, memory_order_acq_rel,
                                                memory_order_acquire))
        return &made[p->rank];
    lpi_memory_free(made, (size_t)m->P, sizeof(*made)); /* another core was first */
    return &all[p->rank];
}

int logp_vp_attach(struct logp_vp *vp, struct logp_attached *attached)
{
    struct lpi_attached *a = lpi_attached_to(vp->proc);

    if (a == NULL)
        return -ENOMEM;
    attached->next = a->first;
    a->first = attached;
    return 0;
}

struct logp_attached *logp_vp_attached(const struct logp_vp *vp, const void *key)
{
    const struct lpi_attached *beside = lpi_attached_of(vp->proc);
    struct logp_attached *a = beside != NULL ? beside->first : NULL;

    while (a != NULL && a->key != key)
        a = a->next;
    return a;
}

struct logp_vp *logp_vp_started(struct logp_vp *vp, uint32_t **n_started)
{
    struct lpi_proc *p = vp->proc;
    struct lpi_attached *a;
    struct logp_vp *started = vp->collective + 1; /* a group keeps its own here: view.c */

    if (vp->collective == p->vp->collective) {
        a = lpi_attached_to(p);
        if (a == NULL)
            return NULL;
        started = &a->started;
        if (started->proc == NULL) {
            *started = *vp->collective;
            started->context = LPI_CONTEXT_STARTED;
        }
    }
    *n_started = &started->n_started;
    return started;
}

void lpi_background_changed(struct lpi_proc *p)
{
    struct lpi_attached *a = lpi_attached_of(p);
    const struct logp_operation *o = a->operations;

    while (o != NULL && o->awaits == NULL)
        o = o->next;
    a->has_background = o != NULL || a->rts != NULL || a->pause != NULL;
    p->needs_query = a->has_background || p->core->machine->instrumented;
}

void lpi_attached_end(struct lpi_proc *p)
{
    struct lpi_attached *a = lpi_attached_of(p);
    struct logp_operation *o;
    struct logp_attached *x;

    if (a == NULL)
        return;
    while ((o = a->operations) != NULL) {
        a->operations = o->next;
        o->end(o, true);
    }
    while ((x = a->first) != NULL) {
        a->first = x->next;
        x->end(x);
    }
    a->started.proc = NULL;
    a->goes_on = false; /* a program may have left in the middle of a step */
    a->has_background = a->is_put_off = false;
    a->pause = NULL;
}

void lpi_attached_destroy(struct logp_machine *m)
{
    /* relaxed: no vp runs */
    lpi_memory_free(atomic_load_explicit(&m->attached, memory_order_relaxed), (size_t)m->P,
                    sizeof(struct lpi_attached));
}
