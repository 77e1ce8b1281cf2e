/* SPDX-License-Identifier: MIT */
/*
 * Sending to another core, over the lane of the two cores (lane.h) or through the receiver's mailbox
 * (mail.h). poll.c has the receiver's side.
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
#include "state/message.h"
#include "state/run_queue.h"
#include "state/stop.h"

#include <errno.h>
#include <string.h>

enum {
    LOOK_FROM = 65536,    /* bytes: from this size on a sender polls for an exposed buffer ... */
    BYTES_FOR_LOOK = 128, /* ... bytes for each poll: a fraction of the time of a second copy */
};

/* Whether all messages of this pair of cores have been delivered. acquire pairs with the releases
 * in lpi_lane_pass() and drain_mailbox(): the effects of the deliveries are visible. */
static bool all_delivered(const struct lpi_lane_out *l, const struct lpi_lane_in *in)
{
    return atomic_load_explicit(&in->head, memory_order_acquire) ==
               atomic_load_explicit(&l->tail, memory_order_relaxed) &&
           atomic_load_explicit(&in->q_taken, memory_order_acquire) ==
               atomic_load_explicit(&l->q_sent, memory_order_relaxed);
}

/* Whether a message may take the lane: not while messages of this core are still in mailboxes. */
static bool is_in_order(struct lpi_lane_out *l, const struct lpi_core *c, const struct lpi_proc *to)
{
    const uint64_t queued = atomic_load_explicit(&l->q_sent, memory_order_relaxed); /* our own */

    if (queued != l->q_taken_seen)
        /* acquire pairs with the release in drain_mailbox(): they have left the mailboxes */
        l->q_taken_seen =
            atomic_load_explicit(&lpi_lane_other_half(c, to)->q_taken, memory_order_acquire);
    return queued == l->q_taken_seen;
}

/*
 * Try to copy a long message straight into an exposed buffer. Without a delay, the sender of a very
 * long one polls for a while, since the receiver may be about to expose its buffer.
 */
static bool fill_direct(const struct lpi_core *c, const struct lpi_lane_out *l,
                        const struct lpi_proc *to, const struct lpi_envelope *e)
{
    const struct lpi_lane_in *in = lpi_lane_other_half(c, to);
    struct lpi_direct *o = &c->machine->direct[to->rank];
    size_t looks =
        e->n_bytes >= LOOK_FROM && e->arrival == LOGP_NEVER ? e->n_bytes / BYTES_FOR_LOOK : 1;

    /* all_delivered() comes first: a delivery that matched the receive has withdrawn its buffer.
     * relaxed: lpi_direct_fill() claims, with acquire */
    while (!all_delivered(l, in) ||
           atomic_load_explicit(&o->state, memory_order_relaxed) != LPI_DIRECT_OPEN)
        if (--looks == 0)
            return false;
    lpi_pause();
    return lpi_direct_fill(o, e);
}

/* The place of the send that a vp of c makes now. */
static struct lpi_place place_now(const struct logp_machine *m, int src)
{
    const struct lpi_proc *p = &m->procs[src];

    /* relaxed: no start is fixed before the sender arrives there */
    return (struct lpi_place){.at = p->emulated,
                              .start =
                                  atomic_load_explicit(&m->sync_generation, memory_order_relaxed),
                              .order = p->order,
                              .window = (unsigned)m->windows};
}

/* The next message of the lane, after which its tail is `tail`, is sent now by src. */
static void note_sent(const struct logp_machine *m, const struct lpi_lane_out *l, uint64_t tail,
                      int src)
{
    *lpi_lane_sent(l->lines, l->n_lines, tail) = place_now(m, src);
}

/* Send a short message down the lane. @return false: its arrival does not fit, or the lane has no
 * line */
static inline bool put_short(const struct lpi_core *c, const struct lpi_proc *to,
                             const struct lpi_label *label, int64_t arrival, const void *data,
                             size_t n_bytes, bool in_window)
{
    struct lpi_lane_out *l = &c->out[to->core_index];

    if (!lpi_lane_tells(l, arrival) || !is_in_order(l, c, to) ||
        (!lpi_lane_joins(l, c->polls) && !lpi_lane_has_line(l, c, to)))
        return false;
    if (in_window)
        note_sent(c->machine, l, lpi_lane_after_short(l, c->polls), label->src);
    lpi_lane_put_short(l, label, to->rank, arrival, data, n_bytes, c->polls);
    return true;
}

static bool may_take_line(struct lpi_lane_out *l, const struct lpi_core *c,
                          const struct lpi_proc *to)
{
    return is_in_order(l, c, to) && lpi_lane_has_line(l, c, to);
}

bool lpi_post_inline(struct lpi_core *c, const struct lpi_proc *to, const struct lpi_label *label,
                     const void *data, size_t n_bytes)
{
    const int64_t cost = lpi_message_cost(n_bytes);
    struct lpi_lane_out *l = &c->out[to->core_index];

    if (n_bytes > LPI_ALONE_BYTES || c->credit < cost)
        return false;
    if (n_bytes <= LPI_SHORT_BYTES) {
        if (!put_short(c, to, label, LOGP_NEVER, data, n_bytes, false))
            return false;
    } else {
        if (!may_take_line(l, c, to))
            return false;
        memcpy(lpi_lane_alone(l, label, to->rank, LOGP_NEVER)->u.bytes, data, n_bytes);
        lpi_lane_publish_alone(l, ENTRY_INLINE, n_bytes);
    }
    lpi_give_work(to->core);
    c->credit -= cost;
    return true;
}

static bool is_short(const struct lpi_envelope *e)
{
    return e->n_bytes <= LPI_SHORT_BYTES && e->kind == LPI_EAGER && e->bits == 0 &&
           e->message == NULL && e->made_by == NULL;
}

/* The message of e, which the receiver's core will own; NULL: no memory. */
static struct lpi_message *message_of(struct lpi_core *c, const struct lpi_envelope *e)
{
    struct lpi_message *m = e->message;

    if (m == NULL && (m = lpi_message_new(c, lpi_held_bytes(e))) != NULL)
        lpi_message_fill(m, e);
    return m;
}

/* Send a message in a line of its own, which is free. @return 0; -ENOMEM */
static int put_alone(struct lpi_core *c, struct lpi_lane_out *l, const struct lpi_proc *to,
                     const struct lpi_envelope *e)
{
    const bool is_plain = e->kind == LPI_EAGER && e->message == NULL;
    struct alone_entry *a;

    if (is_plain && e->n_bytes <= (e->bits == 0 ? LPI_ALONE_BYTES : LPI_BITS_AT)) {
        a = lpi_lane_alone(l, &e->label, e->dst, e->arrival);
        if (e->n_bytes > 0)
            lpi_payload_copy(e, a->u.bytes, e->n_bytes);
        if (e->bits != 0)
            memcpy(a->u.bytes + LPI_BITS_AT, &e->bits, sizeof(e->bits));
        lpi_lane_publish_alone(l, e->bits == 0 ? ENTRY_INLINE : ENTRY_BITS, e->n_bytes);
    } else if (is_plain && e->n_bytes >= LPI_DIRECT_FROM && c->machine->direct != NULL &&
               fill_direct(c, l, to, e)) {
        a = lpi_lane_alone(l, &e->label, e->dst, e->arrival);
        a->u.direct.n_bytes = e->n_bytes;
        a->u.direct.bits = e->bits;
        lpi_lane_publish_alone(l, ENTRY_DIRECT, 0);
    } else {
        struct lpi_message *m = message_of(c, e);

        if (m == NULL)
            return -ENOMEM;
        a = lpi_lane_alone(l, &e->label, e->dst, e->arrival);
        a->u.message = m;
        lpi_lane_publish_alone(l, ENTRY_MESSAGE, 0);
    }
    return 0;
}

/* Put a message into the mailbox of its receiver. @return 0; -ENOMEM */
static int put_into_mailbox(struct lpi_core *c, struct lpi_lane_out *l, struct lpi_proc *to,
                            const struct lpi_envelope *e)
{
    struct lpi_message *m = message_of(c, e);

    if (m == NULL)
        return -ENOMEM;
    if (c->machine->has_windows)
        m->sent = place_now(c->machine, e->src);
    /* release pairs with the acquire in lpi_lanes_quiet(). It comes before the message is visible,
     * as that of tail */
    atomic_fetch_add_explicit(&l->q_sent, 1, memory_order_release);
    lpi_pause();
    lpi_queue_push(to, m);
    return 0;
}

int lpi_post_to_core(struct lpi_core *c, struct lpi_proc *to, const struct lpi_envelope *e)
{
    const int64_t cost = lpi_queue_cost(e);
    const bool in_window = c->machine->has_windows;
    struct lpi_lane_out *l = &c->out[to->core_index];
    int rc = cost > 0 && c->credit < cost ? lpi_credit_refill(c, cost) : 0;

    if (rc != 0)
        return rc;
    if (!is_short(e) || !put_short(c, to, &e->label, e->arrival, e->data, e->n_bytes, in_window)) {
        if (!may_take_line(l, c, to)) {
            rc = put_into_mailbox(c, l, to, e);
        } else {
            if (in_window)
                note_sent(c->machine, l, lpi_lane_after_alone(l), e->src);
            rc = put_alone(c, l, to, e);
        }
    }
    if (rc == 0) {
        c->credit -= cost;
        lpi_give_work(to->core);
        lpi_window_reach(c, to->core, e->arrival);
    }
    return rc;
}
