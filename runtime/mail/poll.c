/* SPDX-License-Identifier: MIT */
/*
 * Taking the messages of other cores and processes. The lane of a core is drained before a message
 * of a mailbox that this core has sent: see mailbox.c.
 */
#include "mail/lane.h"
#include "mail/mail.h"
#include "state/message.h"
#include "state/remote.h"
#include "state/stop.h"

#include <errno.h>
#include <string.h>

enum { DRAIN_BURST = 64 };

static void deliver(struct lpi_core *c, const struct lpi_envelope *e)
{
    const int rc = lpi_deliver(&c->machine->procs[e->dst], c, e);

    if (rc != 0) /* no memory even for a message's header: the run must stop */
        lpi_stop(c->machine, rc);
}

/* The bits sent with the payload of an entry. */
static inline uint64_t bits_of(const struct lpi_front *f)
{
    uint64_t bits = 0;

    if (f->kind == ENTRY_BITS)
        memcpy(&bits, f->line->u.alone.u.bytes + LPI_BITS_AT, sizeof(bits));
    return bits;
}

/* Not inlined, as deliver_alone(): its envelope would lie on the stack of the fast path too. */
static __attribute__((noinline)) void deliver_short(struct lpi_core *c, const struct short_entry *s,
                                                    int64_t arrival, size_t n_bytes)
{
    deliver(c, &(struct lpi_envelope){.label = s->label,
                                      .dst = s->dst,
                                      .arrival = arrival,
                                      .n_bytes = n_bytes,
                                      .data = s->bytes,
                                      .is_paid = true});
}

static inline struct lpi_envelope envelope_of(const struct lpi_front *f)
{
    const struct alone_entry *a = &f->line->u.alone;
    struct lpi_envelope e = {
        .label = a->label, .dst = a->dst, .arrival = a->arrival, .is_paid = true};

    if (f->kind == ENTRY_MESSAGE) {
        e = lpi_envelope_of_any(a->u.message, true);
    } else if (f->kind == ENTRY_DIRECT) {
        e.kind = LPI_IN_PLACE;
        e.n_bytes = a->u.direct.n_bytes;
        e.bits = a->u.direct.bits;
    } else {
        e.n_bytes = f->n_bytes;
        e.data = a->u.bytes;
        e.bits = bits_of(f);
    }
    return e;
}

static __attribute__((noinline)) void deliver_alone(struct lpi_core *c, const struct lpi_front *f)
{
    const struct lpi_envelope e = envelope_of(f);

    deliver(c, &e);
}

/* Deliver an entry with its payload in place, which was sent without a delay, if that is simple. */
static inline bool deliver_fast(const struct lpi_core *c, const struct lpi_label *label, int dst,
                                const void *data, size_t n_bytes, uint64_t bits)
{
    return lpi_has_fast_path(c->machine) &&
           lpi_deliver_here(&c->machine->procs[dst], label, data, n_bytes, bits, true);
}

static inline void take_short(struct lpi_core *c, struct lpi_lane *l, const struct lpi_front *f)
{
    const struct short_entry *s = lpi_front_short(f);
    const int64_t arrival = lpi_lane_arrival(l, f);

    if (arrival != LOGP_NEVER || !deliver_fast(c, &s->label, s->dst, s->bytes, f->n_bytes, 0))
        deliver_short(c, s, arrival, f->n_bytes);
}

static inline void take_alone(struct lpi_core *c, struct lpi_lane *l, const struct lpi_front *f)
{
    const struct alone_entry *a = &f->line->u.alone;

    if (a->arrival >= 0)
        l->arrival_taken = a->arrival;
    if (f->kind > ENTRY_BITS || a->arrival != LOGP_NEVER ||
        !deliver_fast(c, &a->label, a->dst, a->u.bytes, f->n_bytes, bits_of(f)))
        deliver_alone(c, f);
}

static bool take_entry(struct lpi_core *c, struct lpi_lane *l)
{
    struct lpi_front f;

    if (!lpi_lane_front(l, &f))
        return false;
    lpi_busy(c);
    if (f.kind < ENTRY_INLINE)
        take_short(c, l, &f);
    else
        take_alone(c, l, &f);
    lpi_lane_pass(l, &f);
    return true;
}

static bool drain_lane(struct lpi_core *c, struct lpi_lane *l, int most)
{
    bool any = false;

    if (l->lines == NULL)
        return false;
    for (int i = 0; i < most && take_entry(c, l); i++) {
        any = true;
        if (i >= LPI_AHEAD)
            lpi_lane_fetch(l);
    }
    return any;
}

/* ---- parallel: the barrier after a window ---- */

static bool is_early(const struct lpi_core *c, const struct lpi_sent *sent)
{
    return !lpi_sent_before(sent, &c->window.limit);
}

/* Deliver the message of e at a later barrier. */
static void hold(struct lpi_core *c, const struct lpi_envelope *e, struct lpi_sent sent)
{
    struct lpi_message **link = &c->window.held, *m = e->message;

    if (m == NULL) {
        m = lpi_message_new(c, lpi_held_bytes(e));
        if (m == NULL) {
            lpi_stop(c->machine, -ENOMEM);
            return;
        }
        lpi_message_fill(m, e);
    }
    while (*link != NULL && !lpi_sent_before(&sent, &(*link)->sent))
        link = &(*link)->next;
    m->sent = sent;
    m->next = *link;
    *link = m;
}

static void take_held(struct lpi_core *c)
{
    struct lpi_message *m;

    while ((m = c->window.held) != NULL && !is_early(c, &m->sent)) {
        const struct lpi_envelope e = lpi_envelope_of_any(m, true);

        c->window.held = m->next;
        deliver(c, &e);
    }
}

/* As take_entry(), but hold the message if it is early. */
static bool take_or_hold(struct lpi_core *c, struct lpi_lane *l)
{
    const struct short_entry *s;
    const struct lpi_sent *sent;
    struct lpi_envelope e;
    struct lpi_front f;

    if (!lpi_lane_front(l, &f))
        return false;
    sent = lpi_lane_sent(l, lpi_front_next(&f));
    if (!is_early(c, sent))
        return take_entry(c, l);
    if (f.kind < ENTRY_INLINE) {
        s = lpi_front_short(&f);
        e = (struct lpi_envelope){.label = s->label,
                                  .dst = s->dst,
                                  .arrival = lpi_lane_arrival(l, &f),
                                  .n_bytes = f.n_bytes,
                                  .data = s->bytes};
    } else {
        e = envelope_of(&f);
        l->arrival_taken = f.line->u.alone.arrival;
    }
    hold(c, &e, *sent);
    lpi_lane_pass(l, &f);
    return true;
}

/* The lane of core i to c, if there is a message in it. *first, *last: when these were sent */
static struct lpi_lane *lane_of_window(const struct lpi_core *c, int i,
                                       const struct lpi_sent **first, const struct lpi_sent **last)
{
    struct lpi_lane *l = c->in[i];
    struct lpi_front f;

    if (l == NULL || l->lines == NULL || !lpi_lane_front(l, &f))
        return NULL;
    *first = lpi_lane_sent(l, lpi_front_next(&f));
    /* relaxed: the barrier has ordered it */
    *last = lpi_lane_sent(l, atomic_load_explicit(&l->tail, memory_order_relaxed));
    return l;
}

/* What is delivered wakes a vp one lookahead after its send, or later. So nothing of c is before the
 * earliest send plus that. */
static void set_limit(struct lpi_core *c, const struct lpi_sent *next)
{
    const struct lpi_sent *first, *last;
    int64_t at = c->window.held != NULL ? c->window.held->sent.at : INT64_MAX;

    for (int i = 0; i < c->machine->n_cores; i++)
        if (lane_of_window(c, i, &first, &last) != NULL && first->at < at)
            at = first->at;
    at = lpi_after(at, c->machine->lookahead);
    c->window.limit = *next;
    if (at <= next->at)
        c->window.limit = (struct lpi_sent){at, next->start, -1};
}

void lpi_mail_shut(struct lpi_core *c)
{
    c->window.is_open = true;
    c->n_in = 0;
}

void lpi_mail_open(struct lpi_core *c, const struct lpi_sent *next)
{
    const struct lpi_sent *first, *last;

    set_limit(c, next);
    take_held(c);
    for (int i = 0; i < c->machine->n_cores; i++) {
        struct lpi_lane *l = lane_of_window(c, i, &first, &last);

        while (l != NULL && is_early(c, last) && take_or_hold(c, l))
            ;
    }
    c->window.is_open = false;
    c->n_in = c->machine->n_cores;
    while (lpi_poll(c))
        ;
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
        if (c->machine->has_windows && is_early(c, &m->sent))
            hold(c, &e, m->sent);
        else
            deliver(c, &e);
        lpi_pause();
        /* release pairs with the acquires in is_in_order(), all_delivered(), lpi_lanes_quiet() */
        if (l != NULL)
            atomic_fetch_add_explicit(&l->q_taken, 1, memory_order_release);
    }
}

/* Take messages from other cores and processes. Called by the holder. @return true: took some */
bool lpi_poll(struct lpi_core *c)
{
    const struct logp_machine *m = c->machine;
    bool any = false;

    c->polls++;
    for (int i = 0; i < c->n_in; i++)
        if (c->in[i] != NULL)
            any |= drain_lane(c, c->in[i], DRAIN_BURST);
    lpi_pause();
    if (m->remote != NULL && c->index == 0)
        any |= lpi_remote_poll(c);
    return lpi_queue_take_bell(c, drain_mailbox) || any;
}

void lpi_direct_close(struct lpi_proc *p)
{
    struct logp_request *r;

    while ((r = lpi_direct_exposed(p)) != NULL && !lpi_direct_withdraw(p, r))
        lpi_poll(p->core);
}

int lpi_direct_stopped(struct lpi_proc *p, int stop)
{
    p->waits_for = NULL;
    p->waits_for_any = false;
    lpi_direct_close(p);
    p->core->machine->processes->drop_receives(p);
    return stop;
}
