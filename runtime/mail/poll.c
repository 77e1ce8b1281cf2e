/* SPDX-License-Identifier: MIT */
/*
 * Taking the messages of other cores and processes. The lane of a core is drained before a message
 * of a mailbox that this core has sent: see mailbox.c.
 *
 * A core that waits polls again and again, mostly for messages of a few other cores. So lpi_poll()
 * reads the hot lanes, those that have delivered something last, and some of the others in turn.
 * A round of the others takes ROUND_POLLS polls, or ROUND_NS if the core reads the clock while it
 * waits. What depends on which messages have come, such as a receive from any source or a test that
 * fails, calls lpi_poll_all(), which reads all lanes.
 */
#include "mail/lane.h"
#include "mail/mail.h"
#include "state/message.h"
#include "state/remote.h"
#include "state/stop.h"

#include <sched.h>
#include <string.h>

enum {
    DRAIN_BURST = 64,
    HOT = 4,  /* lanes that each poll reads ... */
    SOME = 4, /* ... and the least of the others */
    ROUND_POLLS = 32,
    ROUND_NS = 1000,
};

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

static __attribute__((noinline)) void deliver_alone(struct lpi_core *c, const struct lpi_front *f)
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
    deliver(c, &e);
}

/* Deliver an entry with its payload in place, which was sent without a delay, if that is simple. */
static inline bool deliver_fast(const struct lpi_core *c, const struct lpi_label *label, int dst,
                                const void *data, size_t n_bytes, uint64_t bits)
{
    return lpi_has_fast_path(c->machine) &&
           lpi_deliver_here(&c->machine->procs[dst], label, data, n_bytes, bits, true);
}

static inline void take_short(struct lpi_core *c, struct lpi_lane_in *l, const struct lpi_front *f)
{
    const struct short_entry *s = lpi_front_short(f);
    const int64_t arrival = lpi_lane_arrival(l, f);

    if (arrival != LOGP_NEVER || !deliver_fast(c, &s->label, s->dst, s->bytes, f->n_bytes, 0))
        deliver_short(c, s, arrival, f->n_bytes);
}

static inline void take_alone(struct lpi_core *c, struct lpi_lane_in *l, const struct lpi_front *f)
{
    const struct alone_entry *a = &f->line->u.alone;

    if (a->arrival >= 0)
        l->arrival_taken = a->arrival;
    if (f->kind > ENTRY_BITS || a->arrival != LOGP_NEVER ||
        !deliver_fast(c, &a->label, a->dst, a->u.bytes, f->n_bytes, bits_of(f)))
        deliver_alone(c, f);
}

static bool take_entry(struct lpi_core *c, struct lpi_lane_in *l)
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

static bool drain_lane(struct lpi_core *c, struct lpi_lane_in *l, int most)
{
    bool any = false;

    for (int i = 0; i < most && take_entry(c, l); i++) {
        any = true;
        if (i >= LPI_AHEAD)
            lpi_lane_fetch(l);
    }
    return any;
}

static bool is_made(const struct lpi_lane_in *l)
{
    /* relaxed: its own */
    return atomic_load_explicit(&l->lines, memory_order_relaxed) != NULL;
}

/* Deliver a message of a mailbox, and all older ones of that core. */
static void deliver_queued(struct lpi_core *c, struct lpi_message *m)
{
    struct lpi_lane_in *l = NULL;
    struct lpi_envelope e;
    int from = 0;

    if (m->src == LOGP_OUTSIDE) { /* injected: it counts and arrives now */
        c->messages++;
        if (lpi_emulates(c->machine))
            m->arrival = lpi_wall(c->machine);
    } else {
        from = c->machine->procs[m->src].core_index;
        l = &c->in[from];
        lpi_pause();
        if (is_made(l) && !c->machine->has_windows)
            drain_lane(c, l, INT32_MAX); /* older than m */
    }
    e = lpi_envelope_of_any(m, true);
    deliver(c, &e);
    lpi_pause();
    if (l != NULL && !is_made(l))
        lpi_lane_make(c, from);
    /* release pairs with the acquires in is_in_order(), all_delivered(), lpi_lanes_quiet() */
    if (l != NULL)
        atomic_fetch_add_explicit(&l->q_taken, 1, memory_order_release);
}

/* ---- windows: a core takes messages when its window opens ---- */

/*
 * Whether a message may be delivered now: it was sent in an earlier window, and its send comes before
 * the next action of c. If c is the first of all, that is known. Else others may reach c from
 * alone_to on, by a start that they fix.
 */
static bool is_takable(const struct lpi_core *c, const struct lpi_place *sent)
{
    const struct lpi_window *w = &c->window;
    const struct lpi_place next = {.at = w->least, .start = w->start, .order = w->order};

    if (sent->window == (unsigned)c->machine->windows || !lpi_place_before(sent, &next))
        return false;
    return (w->is_first && w->order >= 0) || sent->at < w->alone_to;
}

/* A message that was sent then stays for a later window. */
static void leave(struct lpi_core *c, const struct lpi_place *sent)
{
    const int64_t t = lpi_after(sent->at, c->machine->lookahead);

    if (t < c->window.left_at)
        c->window.left_at = t;
}

static void take_lane(struct lpi_core *c, struct lpi_lane_in *l)
{
    /* relaxed: its own */
    struct line *lines = atomic_load_explicit(&l->lines, memory_order_relaxed);
    struct lpi_front f;

    while (lpi_lane_front(l, &f)) {
        const struct lpi_place *sent = lpi_lane_sent(lines, l->n_lines, lpi_front_next(&f));

        if (!is_takable(c, sent)) {
            leave(c, sent);
            return;
        }
        take_entry(c, l);
    }
}

/* Keep m, which has left its mailbox, for a later window. As long as it is here, its core sends no
 * messages down the lane (mailbox.c), so the messages in the lane are older. */
static void hold(struct lpi_core *c, struct lpi_message *m)
{
    struct lpi_message **link = &c->window.held;

    while (*link != NULL && !lpi_place_before(&m->sent, &(*link)->sent))
        link = &(*link)->next;
    m->next = *link;
    *link = m;
    leave(c, &m->sent);
}

static void take_held(struct lpi_core *c)
{
    struct lpi_message **link = &c->window.held, *m;

    while ((m = *link) != NULL) {
        if (is_takable(c, &m->sent)) {
            *link = m->next;
            deliver_queued(c, m);
        } else {
            leave(c, &m->sent);
            link = &m->next;
        }
    }
}

void lpi_take_mail(struct lpi_core *c)
{
    c->window.left_at = INT64_MAX;
    for (int i = 0; i < c->polled.n_made; i++)
        take_lane(c, c->polled.lanes[i]);
    take_held(c);
}

void lpi_take_all_mail(struct lpi_core *c)
{
    struct lpi_message *m;

    for (int i = 0; i < c->polled.n_made; i++)
        drain_lane(c, c->polled.lanes[i], INT32_MAX);
    while ((m = c->window.held) != NULL) {
        c->window.held = m->next;
        deliver_queued(c, m);
    }
}

static void drain_mailbox(const struct lpi_proc *p)
{
    struct lpi_core *c = p->core;
    struct lpi_message *m;

    while ((m = lpi_queue_pop(p)) != NULL)
        if (c->machine->has_windows)
            hold(c, m);
        else
            deliver_queued(c, m);
}

static inline bool drain_polled(struct lpi_core *c, int i)
{
    struct lpi_polled *p = &c->polled;
    struct lpi_lane_in *l = p->lanes[i];

    if (!lpi_lane_stirs(l) || !drain_lane(c, l, DRAIN_BURST))
        return false;
    if (i >= HOT) { /* it is hot now, in the place of the one that became so first */
        p->lanes[i] = p->lanes[p->coldest];
        p->lanes[p->coldest] = l;
        p->coldest = (p->coldest + 1) % HOT;
    }
    return true;
}

static bool drain_first(struct lpi_core *c, int n)
{
    bool any = false;

    for (int i = 0; i < n; i++)
        any |= drain_polled(c, i);
    return any;
}

/* Read some lanes that are not hot: more while they deliver something. Read all that are left in this
 * round if it is late, or if vps were ready before the poll, since the core then polls only now and then. */
static __attribute__((noinline)) bool drain_some_others(struct lpi_core *c, bool were_ready)
{
    struct lpi_polled *p = &c->polled;
    const int64_t now = c->run_queue.clock_seen;
    const bool all = were_ready || now - p->began_at >= ROUND_NS;
    const int share = (p->n - HOT + ROUND_POLLS - 1) / ROUND_POLLS;
    bool any = false, found;

    do {
        found = false;
        for (int k = share > SOME ? share : SOME; k > 0 && p->next < p->n; k--)
            found |= drain_polled(c, p->next++);
        any |= found;
    } while ((found || all) && p->next < p->n);
    if (p->next >= p->n) {
        p->next = HOT;
        p->began_at = now;
    }
    return any;
}

/* Take what does not come down a lane. any: something came down one */
static inline bool poll_rest(struct lpi_core *c, bool any)
{
    lpi_pause();
    if (c->machine->remote != NULL && c->index == 0)
        any |= lpi_remote_poll(c);
    return lpi_queue_take_bell(c, drain_mailbox) || any;
}

bool lpi_poll(struct lpi_core *c)
{
    const bool few = c->polled.n <= HOT + SOME, were_ready = c->run_queue.ready_first != NULL;
    bool any;

    c->polls++;
    any = drain_first(c, few ? c->polled.n : HOT);
    if (!few)
        any |= drain_some_others(c, were_ready);
    return poll_rest(c, any);
}

bool lpi_poll_all(struct lpi_core *c)
{
    c->polls++;
    return poll_rest(c, drain_first(c, c->polled.n));
}

void lpi_poll_for_copy(struct lpi_core *c)
{
    if (!lpi_poll(c) && c->machine->is_crowded)
        sched_yield();
}

void lpi_direct_close(struct lpi_proc *p)
{
    struct logp_request *r;

    while ((r = lpi_direct_exposed(p)) != NULL && !lpi_direct_withdraw(p, r))
        lpi_poll_for_copy(p->core);
}

int lpi_direct_stopped(struct lpi_proc *p, int stop)
{
    p->waits_for = NULL;
    p->waits_for_any = false;
    lpi_direct_close(p);
    p->core->machine->processes->drop_receives(p);
    return stop;
}
