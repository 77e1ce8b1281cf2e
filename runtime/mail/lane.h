/* SPDX-License-Identifier: MIT */
/*
 * Lanes: each ordered pair of cores has one. A lane is a ring of cache lines with one producer and
 * one consumer, the holders of the two cores. A line has one message, or two short ones. Its
 * control word has the number of the line in the lane and the kinds of its entries, so a message
 * moves one line between the cores, as a flag would.
 *
 * A message is visible as soon as it is sent: the producer never holds one back. Two short messages
 * share a line if the producer's core has not polled in between, as in a burst. Then the consumer
 * has usually not read the line yet, and the line moves once for both. After a poll the producer
 * moves to the next line, which it has fetched ahead, since the consumer may have read this one.
 *
 * A place is 2 * line + entry. `tail` is the place after the last message sent, `head` the place
 * after the last one delivered; the second place of a line may stay empty. The consumer's progress
 * has a line of its own, which the producer reads only when the ring seems full.
 *
 * A lane is made late, by its consumer, when that takes the first message of the pair from a
 * mailbox. So its memory is near the consumer, and pairs that never talk have none. Until then, and
 * for good if there is no memory, messages take the mailboxes, as when a lane is full (mailbox.c).
 * The halves of a lane are in two tables: each core has one of all its lanes' producer halves, and
 * one of all consumer halves.
 */
#ifndef LPI_LANE_H
#define LPI_LANE_H

#include "host/host.h"
#include "state/message.h"
#include "state/state.h"

#include <string.h>

enum {
    LPI_ALONE_BYTES = 32, /* of payload in an entry that has its line to itself */
    LPI_SHORT_BYTES = 8,  /* in one that may share it */
    LPI_AHEAD = 4,        /* lines to prefetch ahead */
};

/* The kind of an entry; each kind from ENTRY_INLINE on has its line to itself. ENTRY_SHORT has its
 * arrival as the difference to the last arrival in the lane. ENTRY_SHORT_NOW was sent without a
 * delay, and arrives now. ENTRY_BITS has less space for a payload: the bits sent with it come
 * last. */
enum entry_kind {
    ENTRY_NONE,
    ENTRY_SHORT,
    ENTRY_SHORT_NOW,
    ENTRY_INLINE,
    ENTRY_BITS,
    ENTRY_MESSAGE,
    ENTRY_DIRECT,
};

enum { LPI_BITS_AT = LPI_ALONE_BYTES - 8 };

struct short_entry {
    struct lpi_label label;
    int dst;
    int32_t arrival; /* ENTRY_SHORT: since the last arrival in the lane */
    char bytes[LPI_SHORT_BYTES];
};

struct alone_entry {
    struct lpi_label label;
    int dst;
    int64_t arrival;
    union {
        char bytes[LPI_ALONE_BYTES];
        struct lpi_message *message;
        struct {
            size_t n_bytes;
            uint64_t bits;
        } direct;
    } u;
};

struct line {
    /* from the top: the number of the line + 1 (32 bits); n_bytes and kind of the second entry, n_bytes
     * and kind of the first (8 bits each; n_bytes: of a payload in the entry) */
    _Alignas(64) _Atomic uint64_t control;
    union {
        struct short_entry pair[2];
        struct alone_entry alone;
    } u;
};
_Static_assert(sizeof(struct line) == 64, "a line is one cache line");

/* The producer's half of a lane. Zero: nothing has been sent. */
struct lpi_lane_out {
    _Alignas(64) _Atomic uint64_t tail; /* atomic since lpi_lanes_quiet() reads it */
    uint64_t head_seen, q_taken_seen;   /* last values read from the consumer's half */
    _Atomic uint64_t q_sent;            /* messages put into mailboxes: mailbox.c */
    int64_t arrival_sent;               /* the last one; 0: none yet */
    struct line *lines;
    unsigned n_lines; /* 0: not made yet, or not seen */
    unsigned polls;   /* of the core when the last line was begun */
};

/* The consumer's half. */
struct lpi_lane_in {
    _Alignas(64) _Atomic uint64_t head;
    _Atomic uint64_t q_taken;     /* messages of q_sent that were delivered */
    int64_t arrival_taken;        /* the last one; 0: none yet */
    _Atomic(struct line *) lines; /* NULL: not made yet */
    unsigned n_lines;
};

/* An entry as its consumer finds it. */
struct lpi_front {
    const struct line *line;
    uint64_t place;
    enum entry_kind kind;
    unsigned n_bytes;
};

/* Prepare the lanes of a machine. lines: of each lane; 0: chosen by the number of cores; < 0: no
 * lanes. @return 0; -ENOMEM */
int lpi_lanes_create(struct logp_machine *m, int lines);
void lpi_lanes_destroy(struct logp_machine *m);
/* Make the lane from core `from` to c, the caller's, and poll it from now on. Without memory there
 * is none yet. */
void lpi_lane_make(struct lpi_core *c, int from);
/* The next line of l, the lane from c to the core of `to`, does not seem to be free. Look at the
 * consumer's half. @return whether it is */
bool lpi_lane_look(struct lpi_lane_out *l, const struct lpi_core *c, const struct lpi_proc *to);
/* Whether all messages between cores have been taken. Meaningful only while no core can send. */
bool lpi_lanes_quiet(const struct logp_machine *m);

/* The consumer's half of the lane from c to the core of `to`. */
static inline const struct lpi_lane_in *lpi_lane_other_half(const struct lpi_core *c,
                                                            const struct lpi_proc *to)
{
    return &to->core->in[c->index];
}

/* Machine with windows: when the entry before `place` was sent. It follows the lines of the lane. */
static inline struct lpi_place *lpi_lane_sent(struct line *lines, unsigned n_lines, uint64_t place)
{
    return &((struct lpi_place *)(void *)(lines + n_lines))[place & (2 * n_lines - 1)];
}

/* ---- producer ---- */

/* Whether a short message can share the line of the last one. */
static inline bool lpi_lane_joins(const struct lpi_lane_out *l, unsigned polls)
{
    /* our own. An odd tail: the last line has one short message, and is free otherwise */
    return (atomic_load_explicit(&l->tail, memory_order_relaxed) & 1) != 0 && l->polls == polls;
}

static inline struct line *lpi_lane_line_out(const struct lpi_lane_out *l, uint64_t number)
{
    return &l->lines[number & (l->n_lines - 1)];
}

/* Whether the next line of the lane from c to the core of `to` is free. Its number is (tail + 1) / 2. */
static inline bool lpi_lane_has_line(struct lpi_lane_out *l, const struct lpi_core *c,
                                     const struct lpi_proc *to)
{
    const uint64_t next = (atomic_load_explicit(&l->tail, memory_order_relaxed) + 1) / 2;

    return next - l->head_seen / 2 < l->n_lines || lpi_lane_look(l, c, to);
}

/* The place after the next message: a short one; one that has its line to itself. */
static inline uint64_t lpi_lane_after_short(const struct lpi_lane_out *l, unsigned polls)
{
    const uint64_t tail = atomic_load_explicit(&l->tail, memory_order_relaxed); /* our own */

    return lpi_lane_joins(l, polls) ? tail + 1 : (tail + 1) / 2 * 2 + 1;
}
static inline uint64_t lpi_lane_after_alone(const struct lpi_lane_out *l)
{
    return (atomic_load_explicit(&l->tail, memory_order_relaxed) + 1) / 2 * 2 + 2; /* our own */
}

static inline uint64_t lpi_entry_control(enum entry_kind kind, size_t n_bytes)
{
    return (uint64_t)n_bytes << 8 | (uint64_t)kind;
}

/* The line with this number has these entries; tail: the place after them. */
static inline void lpi_lane_publish(struct lpi_lane_out *l, uint64_t number, uint64_t entries,
                                    uint64_t tail)
{
    lpi_pause();
    /* release pairs with the acquire in lpi_lanes_quiet(). It comes before the message is visible,
     * so that the consumer is never ahead of tail */
    atomic_store_explicit(&l->tail, tail, memory_order_release);
    lpi_pause();
    /* release pairs with the acquires in lpi_lane_front() */
    atomic_store_explicit(&lpi_lane_line_out(l, number)->control, (number + 1) << 32 | entries,
                          memory_order_release);
}

/* The next line, which is free, for a message that shares it with none. */
static inline struct alone_entry *
lpi_lane_alone(struct lpi_lane_out *l, const struct lpi_label *label, int dst, int64_t arrival)
{
    const uint64_t number = (atomic_load_explicit(&l->tail, memory_order_relaxed) + 1) / 2;
    struct alone_entry *a = &lpi_lane_line_out(l, number)->u.alone;

    a->label = *label;
    a->dst = dst;
    a->arrival = arrival;
    if (arrival >= 0)
        l->arrival_sent = arrival;
    /* fetch a later line from its last reader ahead of time */
    __builtin_prefetch(lpi_lane_line_out(l, number + LPI_AHEAD), 1);
    return a;
}

/* Publish what lpi_lane_alone() has begun. */
static inline void lpi_lane_publish_alone(struct lpi_lane_out *l, enum entry_kind kind,
                                          size_t n_bytes)
{
    const uint64_t number = (atomic_load_explicit(&l->tail, memory_order_relaxed) + 1) / 2;

    lpi_lane_publish(l, number, lpi_entry_control(kind, n_bytes), 2 * number + 2);
}

/* Whether a short message can encode this arrival in the lane. */
static inline bool lpi_lane_tells(const struct lpi_lane_out *l, int64_t arrival)
{
    return arrival == LOGP_NEVER ||
           (arrival >= 0 && arrival - l->arrival_sent == (int32_t)(arrival - l->arrival_sent));
}

/* Copy up to LPI_SHORT_BYTES bytes. Most have 8. */
static inline void lpi_copy_short(void *to, const void *from, size_t n_bytes)
{
    if (n_bytes == LPI_SHORT_BYTES)
        memcpy(to, from, LPI_SHORT_BYTES);
    else if (n_bytes > 0)
        memcpy(to, from, n_bytes);
}

/*
 * Send a short message in the line of the last one or, if it does not join that, in the next line,
 * which is free. polls: of the producer's core
 */
static inline void lpi_lane_put_short(struct lpi_lane_out *l, const struct lpi_label *label,
                                      int dst, int64_t arrival, const void *data, size_t n_bytes,
                                      unsigned polls)
{
    const uint64_t tail = atomic_load_explicit(&l->tail, memory_order_relaxed);
    const bool joins = lpi_lane_joins(l, polls);
    const uint64_t number = joins ? tail / 2 : (tail + 1) / 2;
    struct line *line = lpi_lane_line_out(l, number);
    struct short_entry *s = &line->u.pair[joins];
    uint64_t entry = lpi_entry_control(ENTRY_SHORT_NOW, n_bytes);

    s->label = *label;
    s->dst = dst;
    if (arrival != LOGP_NEVER) {
        s->arrival = (int32_t)(arrival - l->arrival_sent);
        l->arrival_sent = arrival;
        entry = lpi_entry_control(ENTRY_SHORT, n_bytes);
    }
    lpi_copy_short(s->bytes, data, n_bytes);
    if (joins) {
        /* relaxed: its own */
        const uint64_t first = atomic_load_explicit(&line->control, memory_order_relaxed) & 0xffff;

        lpi_lane_publish(l, number, entry << 16 | first, tail + 1);
    } else {
        l->polls = polls;
        /* fetch a later line from its last reader ahead of time */
        __builtin_prefetch(lpi_lane_line_out(l, number + LPI_AHEAD), 1);
        lpi_lane_publish(l, number, entry, 2 * number + 1);
    }
}

/* ---- consumer ---- */

static inline struct line *lpi_lane_line_in(const struct lpi_lane_in *l, uint64_t number)
{
    /* relaxed: its own */
    return &atomic_load_explicit(&l->lines, memory_order_relaxed)[number & (l->n_lines - 1)];
}

/* Whether the line with this control is that of `place` and has an entry there. */
static inline bool lpi_control_has(uint64_t control, uint64_t place)
{
    return control >> 32 == (uint32_t)(place / 2 + 1) &&
           (control >> 16 * (place & 1) & 0xff) != ENTRY_NONE;
}

/* Whether lpi_lane_front() may find a message. */
static inline bool lpi_lane_stirs(const struct lpi_lane_in *l)
{
    const uint64_t place = atomic_load_explicit(&l->head, memory_order_relaxed); /* our own */
    /* relaxed, both: lpi_lane_front() reads them again, and acquires */
    const uint64_t control =
        atomic_load_explicit(&lpi_lane_line_in(l, place / 2)->control, memory_order_relaxed);

    if ((place & 1) == 0)
        return control >> 32 == (uint32_t)(place / 2 + 1);
    return (control & 0xff0000) != 0 ||
           atomic_load_explicit(&lpi_lane_line_in(l, place / 2 + 1)->control,
                                memory_order_relaxed) >>
                   32 ==
               (uint32_t)(place / 2 + 2);
}

/* The oldest message. @return false: there is none */
static inline bool lpi_lane_front(const struct lpi_lane_in *l, struct lpi_front *f)
{
    uint64_t place = atomic_load_explicit(&l->head, memory_order_relaxed); /* our own */
    const struct line *line = lpi_lane_line_in(l, place / 2);
    /* acquire pairs with the release in lpi_lane_publish() */
    uint64_t control = atomic_load_explicit(&line->control, memory_order_acquire);

    if (!lpi_control_has(control, place)) {
        const struct line *next = lpi_lane_line_in(l, place / 2 + 1);
        uint64_t later;

        if ((place & 1) == 0)
            return false;
        lpi_pause();
        later = atomic_load_explicit(&next->control, memory_order_acquire); /* the same */
        if (!lpi_control_has(later, place + 1))
            return false;
        lpi_pause();
        /* The producer has moved on, so this line is complete. An entry may have joined it since it
         * was read above. relaxed: all writes before the later line are visible */
        control = atomic_load_explicit(&line->control, memory_order_relaxed);
        if (!lpi_control_has(control, place)) {
            place++;
            line = next;
            control = later;
        }
    }
    control >>= 16 * (place & 1);
    *f = (struct lpi_front){line, place, (enum entry_kind)(control & 0xff), control >> 8 & 0xff};
    return true;
}

static inline const struct short_entry *lpi_front_short(const struct lpi_front *f)
{
    return &f->line->u.pair[f->place & 1];
}

/* When a short message arrives. Called once for each, in their order. */
static inline int64_t lpi_lane_arrival(struct lpi_lane_in *l, const struct lpi_front *f)
{
    if (f->kind == ENTRY_SHORT_NOW)
        return LOGP_NEVER;
    l->arrival_taken += lpi_front_short(f)->arrival;
    return l->arrival_taken;
}

/* The place after an entry. */
static inline uint64_t lpi_front_next(const struct lpi_front *f)
{
    return f->place + (f->kind < ENTRY_INLINE ? 1 : 2);
}

/* The message has been delivered. */
static inline void lpi_lane_pass(struct lpi_lane_in *l, const struct lpi_front *f)
{
    lpi_pause();
    /* release pairs with the acquires in lpi_lane_look() and all_delivered(): the delivery is
     * done, including the withdrawal of an exposed buffer */
    atomic_store_explicit(&l->head, lpi_front_next(f), memory_order_release);
}

/* In a long burst: prefetch, since later lines are likely to be full too. */
static inline void lpi_lane_fetch(const struct lpi_lane_in *l)
{
    const uint64_t head = atomic_load_explicit(&l->head, memory_order_relaxed); /* our own */

    __builtin_prefetch(lpi_lane_line_in(l, head / 2 + LPI_AHEAD));
}

#endif
