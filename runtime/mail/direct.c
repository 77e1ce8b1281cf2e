/* SPDX-License-Identifier: MIT */
/*
 * Offers: long messages between cores without a second copy.
 *
 * A vp may put the buffer of one receive of a named source and tag on offer, the first posted of
 * those that could take its message, while no receive from any source is posted. A sender that
 * finds the offer open, and knows that all that its core ever sent to that core has been
 * delivered (so nothing earlier can still take this receive), claims it, copies the payload
 * straight into the buffer, and sends the envelope down the lane. The claim commits both: the
 * receive may not leave before the envelope has come, whatever becomes of it.
 *
 * The offer is taken back by whatever else completes the receive, or cancels it; before a receive
 * from any source is posted, which changes what named ones take and when; when the vp is told that
 * the run is over; and at the end of its program.
 */
#include "mail/direct.h"

#include "host/pause.h"
#include "state/message.h"

#include <string.h>

/* NULL on a machine of one core. */
static struct lpi_direct *direct_of(const struct lpi_proc *p)
{
    const struct logp_machine *m = p->core->machine;

    return m->direct != NULL ? &m->direct[p->rank] : NULL;
}

/* Long messages may come straight into r's buffer from now on, if they can. r is the first that
 * could take its message. */
void lpi_direct_expose(struct lpi_proc *p, struct logp_request *r)
{
    struct lpi_direct *o = direct_of(p);

    if (r->capacity < LPI_DIRECT_FROM || o == NULL || o->request != NULL ||
        r->state != LPI_REQ_POSTED || r->src == LOGP_ANY_SOURCE || r->tag == LOGP_ANY_TAG ||
        lpi_is_here(p->core, r->src))
        return;
    /* a buffer on a stack that other vps use meanwhile is not where it seems (lpi_resident()) */
    if ((uintptr_t)r->buf - p->core->shared_stack < p->core->shared_stack_bytes)
        return;
    o->request = r;
    o->context = r->context;
    o->src = r->src;
    o->tag = r->tag;
    o->capacity = r->capacity;
    o->buf = r->buf;
    r->exposed = true;
    lpi_pause();
    /* release pairs with the acquire in lpi_direct_fill() */
    atomic_store_explicit(&o->state, LPI_DIRECT_OPEN, memory_order_release);
}

/*
 * The receive is leaving its offer: taken by a message, or cancelled.
 * @return  false: a sender has claimed it; it completes with that sender's envelope
 */
bool lpi_direct_withdraw(struct lpi_proc *p, struct logp_request *r)
{
    struct lpi_direct *o = direct_of(p);

    if (!r->exposed)
        return true;
    for (;;) {
        unsigned state = LPI_DIRECT_OPEN;

        lpi_pause();
        /* acquire pairs with the releases in lpi_direct_fill(): its reader is done with the fields
         */
        if (atomic_compare_exchange_strong_explicit(&o->state, &state, LPI_DIRECT_NONE,
                                                    memory_order_acquire, memory_order_acquire)) {
            r->exposed = false;
            o->request = NULL;
            return true;
        }
        if (state == LPI_DIRECT_CLAIMED)
            return false;
    }
}

/* The envelope of the sender that claimed the offer has come. */
void lpi_direct_complete(struct lpi_proc *p, struct logp_request *r)
{
    struct lpi_direct *o = direct_of(p);

    r->exposed = false;
    o->request = NULL;
    /* relaxed: the claimant is done with the offer, and the lane ordered what it wrote */
    atomic_store_explicit(&o->state, LPI_DIRECT_NONE, memory_order_relaxed);
}

struct logp_request *lpi_direct_exposed(const struct lpi_proc *p)
{
    const struct lpi_direct *o = direct_of(p);

    return o != NULL ? o->request : NULL;
}

/*
 * Claim a buffer on offer and fill it. The claim is made in two steps, because only a checked
 * offer's fields are stable: OPEN -> CHECKED -> CLAIMED, or back to OPEN.
 */
bool lpi_direct_fill(struct lpi_direct *o, const struct lpi_envelope *e)
{
    unsigned open = LPI_DIRECT_OPEN;
    bool wanted;

    /* acquire pairs with the release in lpi_direct_expose() */
    if (!atomic_compare_exchange_strong_explicit(&o->state, &open, LPI_DIRECT_CHECKED,
                                                 memory_order_acquire, memory_order_relaxed))
        return false;
    lpi_pause();
    wanted = o->context == e->context && o->src == e->src && o->tag == e->tag &&
             o->capacity >= e->n_bytes;
    lpi_pause();
    /* release pairs with the acquires in lpi_direct_withdraw(): our reading is over */
    atomic_store_explicit(&o->state, wanted ? LPI_DIRECT_CLAIMED : LPI_DIRECT_OPEN,
                          memory_order_release);
    lpi_pause();
    if (wanted)
        memcpy(o->buf, e->data, e->n_bytes);
    return wanted;
}
