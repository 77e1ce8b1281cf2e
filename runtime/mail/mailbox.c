/* SPDX-License-Identifier: MIT */
/*
 * Messages between cores, over the lane of the two cores (lane.h) or through the receiver's mailbox
 * (mail.h).
 *
 * Order: a full lane overflows into the mailboxes. From then on all messages of this pair of cores
 * take the mailboxes, until the consumer has taken all of them (q_sent == q_taken). So messages in
 * the lane are older than those that the same core has put into mailboxes: the lane is drained
 * before a message of a mailbox is delivered.
 *
 * For long messages see direct.c. For other processes see remote.c: their messages to a vp of
 * another core come over the lane from the first core, as if their vps lived there.
 */

#include "mail/lane.h"
#include "mail/mail.h"
#include "state/remote.h"
#include "state/message.h"
#include "state/stop.h"

#include <errno.h>
#include <string.h>

enum {
    DRAIN_BURST = 64,
    LOOK_FROM = 65536,    /* bytes: from this size on a sender polls for an exposed buffer ... */
    BYTES_FOR_LOOK = 128, /* ... once per so many bytes: a fraction of the time of a second copy */
};

/* ---- producer ---- */

/* Has everything of this pair of cores been delivered? acquire pairs with the releases in
 * lpi_lane_pass() and drain_mailbox(): the effects of the deliveries are visible. */
static bool all_delivered(const struct lpi_lane *l)
{
    return atomic_load_explicit(&l->head, memory_order_acquire) ==
               atomic_load_explicit(&l->tail, memory_order_relaxed) &&
           atomic_load_explicit(&l->q_taken, memory_order_acquire) ==
               atomic_load_explicit(&l->q_sent, memory_order_relaxed);
}

/* The next free slot; NULL: the lane is full, or messages of this core are still in mailboxes. */
static struct slot *free_entry(struct lpi_lane *l)
{
    const uint64_t queued = atomic_load_explicit(&l->q_sent, memory_order_relaxed); /* our own */

    if (queued != l->q_taken_seen) {
        /* acquire pairs with the release in drain_mailbox(): they have left the mailboxes */
        l->q_taken_seen = atomic_load_explicit(&l->q_taken, memory_order_acquire);
        if (queued != l->q_taken_seen)
            return NULL;
    }
    return lpi_lane_free_slot(l);
}

/*
 * Try to copy a long message straight into an exposed buffer. Without a delay, the sender of a very
 * long one polls for a while, since the receiver may be about to expose its buffer.
 */
static bool fill_direct(const struct logp_machine *m, const struct lpi_lane *l,
                        const struct lpi_proc *to, const struct lpi_envelope *e)
{
    struct lpi_direct *o = &m->direct[to->rank];
    size_t looks =
        e->n_bytes >= LOOK_FROM && e->arrival == LOGP_NEVER ? e->n_bytes / BYTES_FOR_LOOK : 1;

    /* all_delivered() comes first: a delivery that matched the receive has withdrawn its buffer.
     * relaxed: lpi_direct_fill() claims, with acquire */
    while (!all_delivered(l) ||
           atomic_load_explicit(&o->state, memory_order_relaxed) != LPI_DIRECT_OPEN)
        if (--looks == 0)
            return false;
    lpi_pause();
    return lpi_direct_fill(o, e);
}

/*
 * Is there space for this message in the queue limit? It is reserved for the holder's next post.
 * @return  0; -ENOBUFS: not now; -EMSGSIZE: never
 */
int lpi_find_space(struct lpi_proc *from, struct lpi_proc *to, const struct lpi_envelope *e)
{
    struct lpi_core *c = from->core;
    const int64_t cost = lpi_queue_cost(e);

    if (e->kind == LPI_DATA) /* it is not queued: its receive waits for it */
        return 0;
    if (c->credit >= cost || (lpi_is_here(c, e->dst) && lpi_match_wanted(to, e) != NULL))
        return 0;
    if (!lpi_is_local(c->machine, e->dst)) /* it is queued there */
        return (size_t)cost > c->machine->queue_limit ? -EMSGSIZE : 0;
    return lpi_credit_refill(c, cost);
}

int lpi_post_to_core(struct lpi_core *c, struct lpi_proc *to, const struct lpi_envelope *e)
{
    const int64_t cost = lpi_queue_cost(e);
    struct lpi_lane *l;
    struct slot *s;
    struct lpi_message *m;
    int rc;

    rc = cost > 0 && c->credit < cost ? lpi_credit_refill(c, cost) : 0;
    if (rc != 0)
        return rc;
    l = c->out[to->core_index];
    s = free_entry(l);
    if (s != NULL && e->n_bytes <= (e->bits == 0 ? LPI_SLOT_BYTES : LPI_BITS_AT) &&
        e->kind == LPI_EAGER && e->message == NULL) {
        s->n_bytes = (unsigned short)e->n_bytes;
        if (e->n_bytes > 0)
            lpi_payload_copy(e, s->u.bytes, e->n_bytes);
        if (e->bits != 0)
            memcpy(s->u.bytes + LPI_BITS_AT, &e->bits, sizeof(e->bits));
        lpi_lane_publish(l, s, e, e->bits == 0 ? SLOT_INLINE : SLOT_INLINE_BITS);
    } else if (s != NULL && e->n_bytes >= LPI_DIRECT_FROM && e->kind == LPI_EAGER &&
               e->message == NULL && fill_direct(c->machine, l, to, e)) {
        s->u.direct.n_bytes = e->n_bytes;
        s->u.direct.bits = e->bits;
        lpi_lane_publish(l, s, e, SLOT_DIRECT);
    } else {
        m = e->message;
        if (m == NULL) {
            m = lpi_message_new(c, lpi_held_bytes(e));
            if (m == NULL)
                return -ENOMEM;
            lpi_message_fill(m, e);
        }
        if (s != NULL) {
            s->u.message = m;
            lpi_lane_publish(l, s, e, SLOT_MESSAGE);
        } else {
            /* release pairs with the acquire in lpi_lanes_quiet(). It comes before the message is
             * visible, as that of tail */
            atomic_fetch_add_explicit(&l->q_sent, 1, memory_order_release);
            lpi_pause();
            lpi_queue_push(to, m);
        }
    }
    c->credit -= cost;
    return 0;
}

/*
 * Hand a message to `to`. The payload has been copied when this returns, except that of a long
 * message to another process: it is read until lpi_remote_is_sent() returns true.
 * @return  0; -ENOBUFS, -EMSGSIZE (lpi_find_space()), -ENOMEM
 */
int lpi_post(struct lpi_proc *from, struct lpi_proc *to, const struct lpi_envelope *e)
{
    struct lpi_core *c = from->core;

    if (lpi_is_here(c, e->dst))
        return lpi_deliver(to, c, e);
    if (!lpi_is_local(c->machine, e->dst))
        return lpi_remote_send(from, e);
    return lpi_post_to_core(c, to, e);
}

/* ---- consumer ---- */

static void deliver(struct lpi_core *c, const struct lpi_envelope *e)
{
    const int rc = lpi_deliver(&c->machine->procs[e->dst], c, e);

    if (rc != 0) /* no memory even for a message's header: the run cannot go on */
        lpi_stop(c->machine, rc);
}

/* The bits beside the payload of an inline slot. */
static inline uint64_t bits_of(const struct slot *s)
{
    uint64_t bits = 0;

    if (s->kind == SLOT_INLINE_BITS)
        memcpy(&bits, s->u.bytes + LPI_BITS_AT, sizeof(bits));
    return bits;
}

static struct lpi_envelope unpack(const struct slot *s)
{
    struct lpi_envelope e = {.context = s->context,
                             .src = s->src,
                             .dst = s->dst,
                             .tag = s->tag,
                             .arrival = s->arrival,
                             .is_paid = true};

    switch ((enum slot_kind)s->kind) {
    case SLOT_INLINE:
    case SLOT_INLINE_BITS:
        e.n_bytes = s->n_bytes;
        e.data = s->u.bytes;
        e.bits = bits_of(s);
        break;
    case SLOT_MESSAGE:
        return lpi_envelope_of_any(s->u.message, true);
    case SLOT_DIRECT:
        e.kind = LPI_IN_PLACE;
        e.n_bytes = s->u.direct.n_bytes;
        e.bits = s->u.direct.bits;
        break;
    }
    return e;
}

static bool take_entry(struct lpi_core *c, struct lpi_lane *l)
{
    const struct slot *s = lpi_lane_front(l);

    if (s == NULL)
        return false;
    lpi_busy(c);
    if (s->kind > SLOT_INLINE_BITS || s->arrival != LOGP_NEVER || !lpi_has_fast_path(c->machine) ||
        !lpi_deliver_here(&c->machine->procs[s->dst],
                          &(struct lpi_label){s->context, s->src, s->tag}, s->u.bytes, s->n_bytes,
                          bits_of(s), true)) {
        const struct lpi_envelope e = unpack(s);

        deliver(c, &e);
    }
    lpi_lane_pass(l);
    return true;
}

static bool drain_lane(struct lpi_core *c, struct lpi_lane *l, int most)
{
    bool any = false;

    if (l->slots == NULL)
        return false;
    for (int i = 0; i < most && take_entry(c, l); i++) {
        any = true;
        if (i >= LPI_AHEAD)
            lpi_lane_fetch(l);
    }
    return any;
}

static void drain_mailbox(const struct lpi_proc *p)
{
    struct lpi_core *c = p->core;
    struct lpi_message *m;

    while ((m = lpi_queue_pop(p)) != NULL) {
        struct lpi_lane *l = NULL;
        struct lpi_envelope e;

        if (m->src == LOGP_OUTSIDE) { /* injected: it counts and arrives now */
            c->messages++;
            if (lpi_emulates(c->machine))
                m->arrival = lpi_wall(c->machine);
        } else {
            l = c->in[c->machine->procs[m->src].core_index];
            lpi_pause();
            drain_lane(c, l, INT32_MAX); /* older than m */
        }
        e = lpi_envelope_of_any(m, true);
        deliver(c, &e);
        lpi_pause();
        /* release pairs with the acquires in free_entry(), all_delivered(), lpi_lanes_quiet() */
        if (l != NULL)
            atomic_fetch_add_explicit(&l->q_taken, 1, memory_order_release);
    }
}

/* Take messages from other cores and processes. Called by the holder. @return true: took some */
bool lpi_poll(struct lpi_core *c)
{
    const struct logp_machine *m = c->machine;
    bool any = false;

    for (int i = 0; c->in != NULL && i < m->n_cores; i++)
        if (c->in[i] != NULL)
            any |= drain_lane(c, c->in[i], DRAIN_BURST);
    lpi_pause();
    if (m->remote != NULL && c->index == 0)
        any |= lpi_remote_poll(c);
    return lpi_queue_take_bell(c, drain_mailbox) || any;
}
