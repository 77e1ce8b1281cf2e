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

/* ---- parallel: what a vp that settles must not have yet ---- */

/* Whether a message for dst was sent after the action that dst is about to take: window.c */
static bool is_early(const struct lpi_core *c, int dst, const struct lpi_sent *sent)
{
    const struct lpi_window *w = &c->window;

    return w->settles != NULL && w->settles->rank == dst && !lpi_sent_before(sent, &w->settled);
}

/* Deliver the message of e at the next barrier. */
static void hold(struct lpi_core *c, const struct lpi_envelope *e, const struct lpi_sent *sent)
{
    struct lpi_window *w = &c->window;
    struct lpi_message *m = e->message;

    if (m == NULL && (m = lpi_message_new(c, lpi_held_bytes(e))) == NULL) {
        lpi_stop(c->machine, -ENOMEM);
        return;
    }
    if (e->message == NULL)
        lpi_message_fill(m, e);
    m->sent = *sent;
    m->next = NULL;
    if (w->held == NULL)
        w->held = m;
    else
        w->held_last->next = m;
    w->held_last = m;
}

/* Deliver what was held, unless it is too early again. */
static void take_held(struct lpi_core *c)
{
    struct lpi_message *next, *m = c->window.held;

    for (c->window.held = NULL; m != NULL; m = next) {
        const struct lpi_envelope e = lpi_envelope_of_any(m, true);

        next = m->next;
        if (is_early(c, m->dst, &m->sent))
            hold(c, &e, &m->sent);
        else
            deliver(c, &e);
    }
}

/* As take_entry() while a vp of c settles. */
static bool take_or_hold(struct lpi_core *c, struct lpi_lane *l)
{
    const struct short_entry *s;
    const struct lpi_sent *sent;
    struct lpi_envelope e;
    struct lpi_front f;
    bool is_short;

    if (!lpi_lane_front(l, &f))
        return false;
    is_short = f.kind < ENTRY_INLINE;
    s = lpi_front_short(&f);
    sent = lpi_lane_sent(l, lpi_front_next(&f));
    if (!is_early(c, is_short ? s->dst : f.line->u.alone.dst, sent))
        return take_entry(c, l);
    if (is_short) {
        e = (struct lpi_envelope){.label = s->label,
                                  .dst = s->dst,
                                  .arrival = lpi_lane_arrival(l, &f),
                                  .n_bytes = f.n_bytes,
                                  .data = s->bytes};
    } else {
        e = envelope_of(&f);
        l->arrival_taken = e.arrival;
    }
    hold(c, &e, sent);
    lpi_lane_pass(l, &f);
    return true;
}

void lpi_mail_shut(struct lpi_core *c)
{
    c->window.is_open = true;
    c->n_in = 0;
}

void lpi_mail_take_all(struct lpi_core *c)
{
    c->window.is_open = false;
    c->n_in = c->machine->n_cores > 1 ? c->machine->n_cores : 0;
    take_held(c);
    for (int i = 0; c->window.settles != NULL && i < c->n_in; i++)
        while (c->in[i] != NULL && c->in[i]->lines != NULL && take_or_hold(c, c->in[i]))
            ;
    while (lpi_poll(c))
        ;
    c->window.settles = NULL;
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
        if (is_early(c, m->dst, &m->sent))
            hold(c, &e, &m->sent);
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
