/* SPDX-License-Identifier: MIT */
/*
 * Direct receives: long messages between cores without a second copy.
 *
 * A vp may expose the buffer of one posted receive. Its source and tag are named, it is the first
 * receive that could take its message, and no receive from any source is posted. A sender claims
 * an open buffer if everything that its core has sent to that core is delivered, so that no
 * earlier message can match this receive. It copies the payload straight into the buffer and
 * sends the envelope down the lane. The claim commits both sides: the receive completes with that
 * envelope, even if it is cancelled meanwhile.
 *
 * The buffer is withdrawn
 *   - when another message completes the receive, or the receive is cancelled;
 *   - before a receive from any source is posted, which changes what named receives take and when;
 *   - when the vp learns that the run is over, and at the end of its program.
 */
#include "mail/mail.h"

#include "host/host.h"
#include "state/message.h"

#include <sched.h>

/* NULL on a machine of one core. */
static struct lpi_direct *direct_of(const struct lpi_proc *p)
{
    const struct logp_machine *m = p->core->machine;

    return m->direct != NULL ? &m->direct[p->rank] : NULL;
}

/* Expose r's buffer, if r qualifies. r must be the first receive that could take its message. */
void lpi_direct_expose(struct lpi_proc *p, struct logp_request *r)
{
    struct lpi_direct *o = direct_of(p);

    if (r->capacity < LPI_DIRECT_FROM || o == NULL || o->request != NULL ||
        r->state != LPI_REQ_POSTED || r->src == LOGP_ANY_SOURCE || r->tag == LOGP_ANY_TAG ||
        lpi_is_here(p->core, r->src))
        return;
    /* a shared stack holds other vps' data while this one waits (lpi_resident()) */
    if ((uintptr_t)r->buf - p->core->shared_stack < p->core->shared_stack_bytes)
        return;
    o->request = r;
    o->label = r->label;
    o->capacity = r->capacity;
    o->buf = r->buf;
    r->exposed = true;
    lpi_pause();
    /* release pairs with the acquire in lpi_direct_fill() */
    atomic_store_explicit(&o->state, LPI_DIRECT_OPEN, memory_order_release);
}

/*
 * Withdraw r's buffer, because a message has taken r or r is cancelled.
 * @return  false: a sender has claimed it; r completes with that sender's envelope
 */
bool lpi_direct_withdraw(struct lpi_proc *p, struct logp_request *r)
{
    struct lpi_direct *o = direct_of(p);

    if (!r->exposed)
        return true;
    for (;;) {
        unsigned state = LPI_DIRECT_OPEN;

        lpi_pause();
        /* acquire pairs with the releases in lpi_direct_fill(): the sender has read the fields */
        if (atomic_compare_exchange_strong_explicit(&o->state, &state, LPI_DIRECT_NONE,
                                                    memory_order_acquire, memory_order_acquire)) {
            r->exposed = false;
            o->request = NULL;
            return true;
        }
        if (state == LPI_DIRECT_CLAIMED)
            return false;
        if (state == LPI_DIRECT_CHECKED && p->core->machine->is_crowded)
            sched_yield();
    }
}

/* The envelope of the sender that claimed the buffer has arrived. */
void lpi_direct_complete(struct lpi_proc *p, struct logp_request *r)
{
    struct lpi_direct *o = direct_of(p);

    r->exposed = false;
    o->request = NULL;
    /* relaxed: the claimant is done, and the lane has ordered its writes */
    atomic_store_explicit(&o->state, LPI_DIRECT_NONE, memory_order_relaxed);
}

struct logp_request *lpi_direct_exposed(const struct lpi_proc *p)
{
    const struct lpi_direct *o = direct_of(p);

    return o != NULL ? o->request : NULL;
}

/*
 * Claim an exposed buffer and fill it. The fields are stable only while the state is CHECKED, so
 * the claim takes two steps: OPEN -> CHECKED -> CLAIMED, or back to OPEN.
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
    wanted = lpi_label_is(&o->label, &e->label) && o->capacity >= e->n_bytes;
    lpi_pause();
    /* release pairs with the acquires in lpi_direct_withdraw(): the fields have been read */
    atomic_store_explicit(&o->state, wanted ? LPI_DIRECT_CLAIMED : LPI_DIRECT_OPEN,
                          memory_order_release);
    lpi_pause();
    if (wanted)
        lpi_payload_copy(e, o->buf, e->n_bytes);
    return wanted;
}
