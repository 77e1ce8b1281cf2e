/* SPDX-License-Identifier: MIT */
/*
 * Lanes: each ordered pair of cores has one. A lane is a ring of slots with one producer and one
 * consumer, the holders of the two cores. A slot is one cache line and its sequence number marks
 * it as full, so a small message moves one line between the cores, as a flag would. The consumer's
 * progress has a line of its own, which the producer reads only when the ring seems full.
 */
#ifndef LPI_LANE_H
#define LPI_LANE_H

#include "host/host.h"
#include "state/state.h"

enum { LPI_SLOT_BYTES = 32, LPI_AHEAD = 4 /* slots to prefetch ahead */ };

/* INLINE_BITS has less space for a payload: the bits beside it come last. */
enum slot_kind { SLOT_INLINE, SLOT_INLINE_BITS, SLOT_MESSAGE, SLOT_DIRECT };

enum { LPI_BITS_AT = LPI_SLOT_BYTES - 8 };

struct slot {
    _Alignas(64) atomic_uint seq; /* index + 1 (mod 2^32) when filled */
    uint32_t context;
    int src, dst, tag;
    unsigned short kind, n_bytes; /* n_bytes: of an inline payload */
    int64_t arrival;
    union {
        char bytes[LPI_SLOT_BYTES];
        struct lpi_message *message;
        struct {
            size_t n_bytes;
            uint64_t bits;
        } direct;
    } u;
};
_Static_assert(sizeof(struct slot) == 64, "a slot is one cache line");

struct lpi_lane {
    /* producer */
    _Alignas(LPI_LINE) _Atomic uint64_t tail; /* atomic since lpi_lanes_quiet() reads it */
    uint64_t head_seen, q_taken_seen;         /* last values read from the consumer's line */
    _Atomic uint64_t q_sent;                  /* messages put into mailboxes: mailbox.c */
    /* consumer */
    _Alignas(LPI_LINE) _Atomic uint64_t head;
    _Atomic uint64_t q_taken; /* messages of q_sent that were delivered */
    /* constant */
    _Alignas(LPI_LINE) struct slot *slots; /* NULL: no lane, mailboxes only */
    unsigned n_slots;
};

/* Create all lanes of a machine. slots: of each lane; 0: chosen by the number of cores; < 0: no
 * lanes. @return 0; -ENOMEM */
int lpi_lanes_create(struct logp_machine *m, int slots);
void lpi_lanes_destroy(struct logp_machine *m);
/* Have all messages between cores been taken? Meaningful only while no core can send. */
bool lpi_lanes_quiet(const struct logp_machine *m);

/* Producer: the next free slot; NULL: there is none. */
static inline struct slot *lpi_lane_free_slot(struct lpi_lane *l)
{
    const uint64_t tail = atomic_load_explicit(&l->tail, memory_order_relaxed); /* our own */

    if (l->slots == NULL)
        return NULL;
    if (tail - l->head_seen >= l->n_slots) {
        /* acquire pairs with the release in lpi_lane_pass(): the slot has been read */
        l->head_seen = atomic_load_explicit(&l->head, memory_order_acquire);
        if (tail - l->head_seen >= l->n_slots)
            return NULL;
    }
    return &l->slots[tail & (l->n_slots - 1)];
}

static inline void lpi_lane_publish(struct lpi_lane *l, struct slot *s,
                                    const struct lpi_envelope *e, enum slot_kind kind)
{
    const uint64_t tail = atomic_load_explicit(&l->tail, memory_order_relaxed);

    s->context = e->context;
    s->src = e->src;
    s->dst = e->dst;
    s->tag = e->tag;
    s->kind = (unsigned short)kind;
    s->arrival = e->arrival;
    /* fetch the line of a later slot from its last reader ahead of time */
    __builtin_prefetch(&l->slots[(tail + LPI_AHEAD) & (l->n_slots - 1)], 1);
    lpi_pause();
    /* release pairs with the acquire in lpi_lanes_quiet(). It comes before the slot is visible, so
     * that the consumer is never ahead of tail */
    atomic_store_explicit(&l->tail, tail + 1, memory_order_release);
    lpi_pause();
    /* release pairs with the acquire in lpi_lane_front() */
    atomic_store_explicit(&s->seq, (unsigned)(tail + 1), memory_order_release);
}

/* Consumer: the oldest message; NULL: there is none. */
static inline const struct slot *lpi_lane_front(const struct lpi_lane *l)
{
    const uint64_t head = atomic_load_explicit(&l->head, memory_order_relaxed); /* our own */
    const struct slot *s = &l->slots[head & (l->n_slots - 1)];

    /* acquire pairs with the release in lpi_lane_publish() */
    return atomic_load_explicit(&s->seq, memory_order_acquire) == (unsigned)(head + 1) ? s : NULL;
}

/* Consumer: the oldest message has been delivered. */
static inline void lpi_lane_pass(struct lpi_lane *l)
{
    const uint64_t head = atomic_load_explicit(&l->head, memory_order_relaxed); /* our own */

    lpi_pause();
    /* release pairs with the acquires in lpi_lane_free_slot() and all_delivered(): the delivery is
     * done, including the withdrawal of an exposed buffer */
    atomic_store_explicit(&l->head, head + 1, memory_order_release);
}

/* Consumer, in a long burst: prefetch, since later slots are likely to be full too. */
static inline void lpi_lane_fetch(const struct lpi_lane *l)
{
    const uint64_t head = atomic_load_explicit(&l->head, memory_order_relaxed); /* our own */

    __builtin_prefetch(&l->slots[(head + LPI_AHEAD) & (l->n_slots - 1)]);
}

#endif
