/* SPDX-License-Identifier: MIT */
/*
 * Messages between cores.
 *
 * Each vp has a mailbox, a liburcu wait-free queue that any core may append to and only the holder
 * of the vp's core empties. A rung vp is put on its core's bell list, so a core finds its mail
 * without looking at every vp. What comes from outside the machine (inject.c) takes the same way,
 * on a machine of one core too.
 *
 * In front of the queues, each ordered pair of cores has a lane: a ring of one-line slots with one
 * producer and one consumer (the holders). A slot is full when its sequence number says so, hence
 * a small message costs one cache line from core to core, as a bare flag does. The consumer's
 * progress is on a line of its own, which the producer reads only when the ring seems full.
 *
 * Order. A full lane overflows into the queues, and then everything of this pair of cores takes the
 * queues until the consumer has emptied them of this producer (q_sent == q_taken). So what is in
 * the lane is older than what the same core has queued: the lane is drained before a queued message
 * is delivered.
 *
 * Long messages: offer.c.
 */
#include "mail/mailbox.h"

#include "host/annotate.h"
#include "host/memory.h"
#include "mail/match.h"
#include "mail/offer.h"
#include "mail/pool.h"
#include "state/message.h"
#include "state/stop.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

enum {
    SLOT_BYTES = 32,
    DEFAULT_SLOTS = 1024,
    LEAST_SLOTS = 16,
    TOTAL_SLOTS = 1 << 18,
    DRAIN_BURST = 64,
    AHEAD = 4,         /* slots to come, whose lines are fetched */
    LOOK_FROM = 65536, /* bytes: a second copy takes much longer than to look for an offer ... */
    LOOKS = 500,       /* ... so often */
};

enum slot_kind { SLOT_INLINE, SLOT_MESSAGE, SLOT_DIRECT };

struct slot {
    _Alignas(64) atomic_uint seq; /* index + 1 (mod 2^32) when filled */
    uint32_t context;
    int src, dst, tag;
    unsigned short kind, n_bytes; /* n_bytes: of an inline payload */
    int64_t arrival;
    union {
        char bytes[SLOT_BYTES];
        struct lpi_message *message;
        size_t n_direct;
    } u;
};
_Static_assert(sizeof(struct slot) == 64, "a slot is one cache line");

struct lpi_lane {
    /* producer */
    _Alignas(LPI_LINE) _Atomic uint64_t tail; /* atomic for deadlock.c, which reads it */
    uint64_t head_seen, q_taken_seen;         /* the consumer's line is read only when it must be */
    _Atomic uint64_t q_sent;
    /* consumer */
    _Alignas(LPI_LINE) _Atomic uint64_t head;
    _Atomic uint64_t q_taken;
    /* constant */
    _Alignas(LPI_LINE) struct slot *slots; /* NULL: no lane, only the queues */
    unsigned n_slots;
};

static unsigned slots_per_lane(int wanted, int n_cores)
{
    unsigned n = DEFAULT_SLOTS;

    if (wanted < 0)
        return 0;
    if (wanted > 0)
        n = (unsigned)wanted;
    while (wanted == 0 && n > LEAST_SLOTS &&
           n * (unsigned)n_cores * (unsigned)n_cores > TOTAL_SLOTS)
        n /= 2;
    while ((n & (n - 1)) != 0)
        n += n & -n;
    return n;
}

int lpi_lanes_create(struct logp_machine *m, int slots)
{
    const size_t n = (size_t)m->n_cores;
    const unsigned n_slots = slots_per_lane(slots, m->n_cores);
    const size_t lane_bytes = sizeof(struct lpi_lane) + n_slots * sizeof(struct slot);
    const size_t stride = (lane_bytes + LPI_LINE - 1) / LPI_LINE * LPI_LINE;
    struct lpi_lane **table;

    if (n == 1)
        return 0;
    m->lane_stride = stride;
    m->lanes = lpi_memory_zeroed(n * n, stride);
    table = calloc(2 * n * n, sizeof(struct lpi_lane *));
    if (m->lanes == NULL || table == NULL) {
        free(table);
        return -ENOMEM;
    }
    for (size_t i = 0; i < n; i++) {
        m->cores[i].in = table + 2 * n * i;
        m->cores[i].out = m->cores[i].in + n;
    }
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < n; j++) {
            struct lpi_lane *lane =
                (struct lpi_lane *)(void *)((char *)m->lanes + (i * n + j) * stride);

            if (i == j)
                continue;
            lane->n_slots = n_slots;
            lane->slots = n_slots > 0 ? (struct slot *)(void *)(lane + 1) : NULL;
            m->cores[i].out[j] = lane;
            m->cores[j].in[i] = lane;
        }
    }
    return 0;
}

void lpi_lanes_destroy(struct logp_machine *m)
{
    if (m->cores != NULL)
        free(m->cores[0].in);
    lpi_memory_free(m->lanes, (size_t)m->n_cores * (size_t)m->n_cores, m->lane_stride);
}

/* Has all that was sent between cores been taken? Meaningful only while no core can send. */
bool lpi_lanes_quiet(const struct logp_machine *m)
{
    for (int i = 0; i < m->n_cores; i++) {
        for (int j = 0; j < m->n_cores; j++) {
            const struct lpi_lane *l = i != j ? m->cores[i].out[j] : NULL;

            /* acquire pairs with the releases of the producer and of the consumer */
            if (l != NULL && (atomic_load_explicit(&l->tail, memory_order_acquire) !=
                                  atomic_load_explicit(&l->head, memory_order_acquire) ||
                              atomic_load_explicit(&l->q_sent, memory_order_acquire) !=
                                  atomic_load_explicit(&l->q_taken, memory_order_acquire)))
                return false;
        }
    }
    return true;
}

/* ---- producer ---- */

/* Everything of this pair of cores has been delivered. Acquire: what delivery did is visible. */
static bool all_delivered(const struct lpi_lane *l)
{
    return atomic_load_explicit(&l->head, memory_order_acquire) ==
               atomic_load_explicit(&l->tail, memory_order_relaxed) &&
           atomic_load_explicit(&l->q_taken, memory_order_acquire) ==
               atomic_load_explicit(&l->q_sent, memory_order_relaxed);
}

/* The next free slot; NULL: the lane is full, or messages of ours are still queued. */
static struct slot *free_slot(struct lpi_lane *l)
{
    const uint64_t tail = atomic_load_explicit(&l->tail, memory_order_relaxed); /* our own */
    const uint64_t queued = atomic_load_explicit(&l->q_sent, memory_order_relaxed);

    if (l->slots == NULL)
        return NULL;
    if (queued != l->q_taken_seen) {
        /* acquire pairs with the release of q_taken: they have left the queues */
        l->q_taken_seen = atomic_load_explicit(&l->q_taken, memory_order_acquire);
        if (queued != l->q_taken_seen)
            return NULL;
    }
    if (tail - l->head_seen >= l->n_slots) {
        /* acquire pairs with the release of head: the slot has been read */
        l->head_seen = atomic_load_explicit(&l->head, memory_order_acquire);
        if (tail - l->head_seen >= l->n_slots)
            return NULL;
    }
    return &l->slots[tail & (l->n_slots - 1)];
}

static void publish(struct lpi_lane *l, struct slot *s, const struct lpi_envelope *e,
                    enum slot_kind kind)
{
    const uint64_t tail = atomic_load_explicit(&l->tail, memory_order_relaxed);

    s->context = e->context;
    s->src = e->src;
    s->dst = e->dst;
    s->tag = e->tag;
    s->kind = (unsigned short)kind;
    s->arrival = e->arrival;
    /* the line of a slot to come leaves its last reader while there is time */
    __builtin_prefetch(&l->slots[(tail + AHEAD) & (l->n_slots - 1)], 1);
    /* before the slot is visible: its consumer must never be ahead of tail (lpi_lanes_quiet) */
    atomic_store_explicit(&l->tail, tail + 1, memory_order_release);
    /* release pairs with the acquire in take_slot() */
    atomic_store_explicit(&s->seq, (unsigned)(tail + 1), memory_order_release);
}

static struct lpi_mail *mail_of(const struct lpi_proc *p)
{
    return &p->core->machine->mails[p->rank];
}

static void ring(struct lpi_proc *to)
{
    struct lpi_core *c = to->core;
    struct lpi_mail *mail = mail_of(to);
    struct lpi_proc *top;

    /* acq_rel: release pairs with the exchange in drain_bells(), so that the queued message is
     * visible to whoever clears `rung`; acquire keeps the push behind it */
    if (atomic_exchange_explicit(&mail->rung, true, memory_order_acq_rel))
        return;
    top = atomic_load_explicit(&c->bell, memory_order_relaxed);
    do {
        mail->bell_next = top;
        /* release pairs with the acquire exchange of the list in drain_bells() */
    } while (!atomic_compare_exchange_weak_explicit(&c->bell, &top, to, memory_order_release,
                                                    memory_order_relaxed));
    /* release pairs with the acquire in lpi_poll() */
    atomic_fetch_or_explicit(&c->attention, LPI_ATT_BELL, memory_order_release);
}

/* By any thread. m is its receiver's from now on. */
void lpi_mail_append(struct lpi_proc *to, struct lpi_message *m)
{
    cds_wfcq_node_init(&m->link.queue);
    LPI_RELEASE(m);
    cds_wfcq_enqueue(&mail_of(to)->head, &mail_of(to)->tail, &m->link.queue);
    ring(to);
}

static void enqueue(struct lpi_lane *l, struct lpi_proc *to, struct lpi_message *m)
{
    /* release: before the message is visible, as tail */
    atomic_fetch_add_explicit(&l->q_sent, 1, memory_order_release);
    lpi_mail_append(to, m);
}

/*
 * A long message may be copied straight where it is wanted. Where nothing is emulated a very long
 * one looks a while for an offer, some microseconds: its receiver may be about to come back for it.
 */
static bool fill_offer(const struct logp_machine *m, const struct lpi_lane *l,
                       const struct lpi_proc *to, const struct lpi_envelope *e)
{
    struct lpi_offer *o = &m->offers[to->rank];
    int looks = e->n_bytes >= LOOK_FROM && lpi_plain(m) ? LOOKS : 1;

    /* The order of the two tests matters: a message delivered before that took the receive has
     * withdrawn the offer. Relaxed: the claim is lpi_offer_fill()'s. */
    while (!all_delivered(l) ||
           atomic_load_explicit(&o->state, memory_order_relaxed) != LPI_OFFER_OPEN)
        if (--looks <= 0)
            return false;
    return lpi_offer_fill(o, e);
}

/*
 * Does the queue limit let this message through? Its room is kept for the holder's next post.
 * @return  0; -ENOBUFS: not now; -EMSGSIZE: never
 */
int lpi_find_room(struct lpi_proc *from, struct lpi_proc *to, const struct lpi_envelope *e)
{
    struct lpi_core *c = from->core;
    const int64_t cost = lpi_message_cost(e->n_bytes);

    if (c->credit >= cost || (lpi_is_here(c, e->dst) && lpi_match_wanted(to, e) != NULL))
        return 0;
    return lpi_credit_refill(c, cost);
}

/*
 * Hand a message to `to`. The payload has been copied when this returns.
 * @return  0; -ENOBUFS, -EMSGSIZE (lpi_find_room()), -ENOMEM
 */
int lpi_post(struct lpi_proc *from, struct lpi_proc *to, const struct lpi_envelope *e)
{
    struct lpi_core *c = from->core;
    const int64_t cost = lpi_message_cost(e->n_bytes);
    struct lpi_lane *l;
    struct slot *s;
    struct lpi_message *m;
    int rc;

    if (lpi_is_here(c, e->dst))
        return lpi_deliver(to, c, e);
    rc = c->credit < cost ? lpi_credit_refill(c, cost) : 0;
    if (rc != 0)
        return rc;
    l = c->out[to->core_index];
    s = free_slot(l);
    if (s != NULL && e->n_bytes <= SLOT_BYTES) {
        s->n_bytes = (unsigned short)e->n_bytes;
        if (e->n_bytes > 0)
            memcpy(s->u.bytes, e->data, e->n_bytes);
        publish(l, s, e, SLOT_INLINE);
    } else if (s != NULL && e->n_bytes >= LPI_OFFER_FROM && fill_offer(c->machine, l, to, e)) {
        s->u.n_direct = e->n_bytes;
        publish(l, s, e, SLOT_DIRECT);
    } else {
        m = lpi_message_new(c, e->n_bytes);
        if (m == NULL)
            return -ENOMEM;
        lpi_message_fill(m, e);
        if (s != NULL) {
            s->u.message = m;
            publish(l, s, e, SLOT_MESSAGE);
        } else {
            enqueue(l, to, m);
        }
    }
    c->credit -= cost;
    return 0;
}

/* ---- consumer ---- */

static void deliver(struct lpi_core *c, const struct lpi_envelope *e)
{
    const int rc = lpi_deliver(&c->machine->procs[e->dst], c, e);

    if (rc != 0) /* no memory even for a message's header: the run cannot go on */
        lpi_stop(c->machine, rc);
}

/* The message in a slot. */
static struct lpi_envelope unpack(const struct slot *s)
{
    struct lpi_envelope e = {.context = s->context,
                             .src = s->src,
                             .dst = s->dst,
                             .tag = s->tag,
                             .arrival = s->arrival,
                             .paid = true};

    switch ((enum slot_kind)s->kind) {
    case SLOT_INLINE:
        e.n_bytes = s->n_bytes;
        e.data = s->u.bytes;
        break;
    case SLOT_MESSAGE:
        e.message = s->u.message;
        e.n_bytes = e.message->n_bytes;
        e.data = e.message->data;
        break;
    case SLOT_DIRECT:
        e.direct = true;
        e.n_bytes = s->u.n_direct;
        break;
    }
    return e;
}

static bool take_slot(struct lpi_core *c, struct lpi_lane *l)
{
    const uint64_t head = atomic_load_explicit(&l->head, memory_order_relaxed); /* our own */
    const struct slot *s = &l->slots[head & (l->n_slots - 1)];

    /* acquire pairs with the release in publish() */
    if (atomic_load_explicit(&s->seq, memory_order_acquire) != (unsigned)(head + 1))
        return false;
    lpi_busy(c);
    if (s->kind != SLOT_INLINE || s->arrival != LOGP_NEVER || !lpi_plain(c->machine) ||
        !lpi_deliver_here(&c->machine->procs[s->dst], c,
                          &(struct lpi_label){s->context, s->src, s->tag}, s->u.bytes, s->n_bytes,
                          true)) {
        const struct lpi_envelope e = unpack(s);

        deliver(c, &e);
    }
    /* release pairs with free_slot() and all_delivered(): after delivery, and after the offer
     * that it may have withdrawn */
    atomic_store_explicit(&l->head, head + 1, memory_order_release);
    return true;
}

static bool drain_lane(struct lpi_core *c, struct lpi_lane *l, int most)
{
    bool any = false;

    if (l->slots == NULL)
        return false;
    for (int i = 0; i < most && take_slot(c, l); i++) {
        any = true;
        if (i >= AHEAD) { /* a long burst: what follows is likely to be there as well */
            const uint64_t head = atomic_load_explicit(&l->head, memory_order_relaxed);

            __builtin_prefetch(&l->slots[(head + AHEAD) & (l->n_slots - 1)]);
        }
    }
    return any;
}

static void drain_mailbox(struct lpi_core *c, const struct lpi_proc *p)
{
    struct lpi_mail *mail = mail_of(p);

    for (;;) {
        struct cds_wfcq_node *node = __cds_wfcq_dequeue_nonblocking(&mail->head, &mail->tail);
        struct lpi_message *m;
        struct lpi_envelope e;
        struct lpi_lane *l = NULL;

        if (node == CDS_WFCQ_WOULDBLOCK) { /* an append is half done: a few instructions, ... */
            sched_yield();                 /* ... unless its thread waits for this processor */
            continue;
        }
        if (node == NULL)
            return;
        m = (struct lpi_message *)(void *)node;
        LPI_ACQUIRE(m);
        if (m->src == LOGP_OUTSIDE) { /* here it enters the machine */
            c->messages++;
            if (lpi_emulates(c->machine))
                m->arrival = lpi_wall(c->machine);
        } else {
            l = c->in[c->machine->procs[m->src].core_index];
            drain_lane(c, l, INT32_MAX); /* older than m */
        }
        e = (struct lpi_envelope){.context = m->context,
                                  .src = m->src,
                                  .dst = m->dst,
                                  .tag = m->tag,
                                  .n_bytes = m->n_bytes,
                                  .arrival = m->arrival,
                                  .data = m->data,
                                  .message = m,
                                  .paid = true};
        deliver(c, &e);
        /* release pairs with free_slot() and all_delivered() */
        if (l != NULL)
            atomic_fetch_add_explicit(&l->q_taken, 1, memory_order_release);
    }
}

static void drain_bells(struct lpi_core *c)
{
    struct lpi_proc *p;

    lpi_busy(c);
    /* acquire pairs with the release in ring(): the exchange finds who has set the bit */
    atomic_fetch_and_explicit(&c->attention, ~(unsigned)LPI_ATT_BELL, memory_order_acquire);
    /* acquire pairs with the release of the push in ring() */
    p = atomic_exchange_explicit(&c->bell, NULL, memory_order_acquire);
    while (p != NULL) {
        struct lpi_proc *next = mail_of(p)->bell_next;

        /* acq_rel pairs with the exchange in ring(): either the ringer sees false and rings
         * again, or its message is visible to the drain below */
        atomic_exchange_explicit(&mail_of(p)->rung, false, memory_order_acq_rel);
        drain_mailbox(c, p);
        p = next;
    }
}

/* Take what others have sent. Called by the holder. @return true: something was taken */
bool lpi_poll(struct lpi_core *c)
{
    const struct logp_machine *m = c->machine;
    bool any = false;

    for (int i = 0; c->in != NULL && i < m->n_cores; i++)
        if (c->in[i] != NULL)
            any |= drain_lane(c, c->in[i], DRAIN_BURST);
    /* acquire pairs with the release in ring() */
    if (atomic_load_explicit(&c->attention, memory_order_acquire) & LPI_ATT_BELL) {
        drain_bells(c);
        any = true;
    }
    return any;
}
