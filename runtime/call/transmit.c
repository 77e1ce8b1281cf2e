/* SPDX-License-Identifier: MIT */
/*
 * Handing a message over, when its sender may start and there is space for it.
 *
 * A message is handed over as soon as its start is known, with its arrival time, even if the start
 * is still ahead (the gap): the receiver's core learns its deadline as early as possible. Under the
 * virtual clock the start is reached first, so that sends take place in the order of (start, rank).
 */
#include "call/call.h"
#include "core/core.h"
#include "core/sched.h"
#include "delay/delay.h"
#include "mail/mail.h"
#include "state/explore.h"

#include <errno.h>
#include <stdlib.h>

/* Hand the payload to the explorer, if it wants it. Those of collectives are not the program's. */
static void show_payload(struct lpi_proc *p, const struct lpi_envelope *e)
{
    const struct lpi_explore *x = p->core->machine->explore;

    if (x != NULL && x->by.payload != NULL && e->made_by == NULL &&
        e->context < LPI_CONTEXT_COLLECTIVE &&
        (e->kind == LPI_EAGER || e->kind == LPI_SYNC_SEND || e->kind == LPI_DATA))
        x->by.payload(x->by.arg, p->rank, e->tag, e->message != NULL ? e->message->data : e->data,
                      e->n_bytes);
}

/* Note a send for the explorer. */
static void note_send(struct lpi_proc *p, const struct lpi_envelope *e)
{
    struct logp_note note = {LOGP_NOTE_ASKED,     p->rank,     e->dst,     e->tag,
                             (int64_t)e->n_bytes, p->emulated, e->context, 0};

    if (e->kind == LPI_RTS || e->kind == LPI_SYNC_SEND)
        p->core->machine->resolver.note(p, &note);
    note.kind = LOGP_NOTE_SEND;
    if (e->kind != LPI_RTS)
        p->core->machine->resolver.note(p, &note);
}

static int send_now(struct lpi_proc *p, struct lpi_proc *to, struct lpi_envelope *e)
{
    int rc = p->core->machine->time->send(p, &e->arrival);

    if (rc == 0)
        rc = lpi_post(p, to, e);
    lpi_count_send(p, e->kind, rc);
    return rc;
}

/* The same on an instrumented machine. */
static __attribute__((noinline)) int send_noted(struct lpi_proc *p, struct lpi_proc *to,
                                                struct lpi_envelope *e)
{
    const int64_t begun = lpi_clock(p);
    const int rc = send_now(p, to, e);

    if (rc == 0) {
        note_send(p, e);
        p->core->machine->record->undelayed_send(p, e, begun);
    }
    return rc;
}

/* Post a copy of e with this bit of its payload flipped. */
static int post_flipped(struct lpi_proc *p, struct lpi_proc *to, const struct lpi_envelope *e,
                        int64_t bit)
{
    unsigned char *payload = malloc(e->n_bytes);
    struct lpi_envelope flipped = *e;
    int rc;

    if (payload == NULL)
        return -ENOMEM;
    lpi_payload_copy(e, payload, e->n_bytes);
    payload[bit / 8] ^= (unsigned char)(1U << bit % 8);
    flipped.data = payload;
    flipped.made_by = NULL;
    rc = lpi_post(p, to, &flipped);
    free(payload);
    return rc;
}

/* Post as many copies of e as the model returns, perhaps with one bit flipped. The second copy of a
 * sync send is an ordinary message, and an RTS has no second copy. A copy for which there is no
 * space is lost. */
static __attribute__((noinline)) int hand_over_to(struct lpi_proc *p, struct lpi_proc *to,
                                                  const struct lpi_envelope *e,
                                                  const struct lpi_delay *d,
                                                  const struct logp_transfer *t)
{
    struct logp_fate fate = {.copies = 1, .flip = -1};
    struct lpi_envelope copy = *e;
    int rc = 0;

    d->ops.fate(d->model, t, &fate);
    p->core->machine->record->fate(p, &fate);
    for (int i = 0; rc == 0 && i < fate.copies && (i == 0 || e->kind != LPI_RTS); i++) {
        if (fate.flip >= 0 && (uint64_t)fate.flip / 8 < t->n_bytes)
            rc = post_flipped(p, to, &copy, fate.flip);
        else
            rc = lpi_post(p, to, &copy);
        if (i > 0 && (rc == -ENOBUFS || rc == -EMSGSIZE))
            rc = 0;
        copy.kind = LPI_EAGER;
    }
    if (fate.copies == 0 && e->kind == LPI_DATA) { /* its receive must end */
        copy.n_bytes = 0;
        copy.made_by = NULL;
        copy.arrival = LOGP_STOPPED;
        rc = lpi_post(p, to, &copy);
    }
    return rc;
}

/*
 * Reserve space for this message in the queue limit, for the holder's next post.
 * @return  0; -ENOBUFS: not now; -EMSGSIZE: never
 */
static int find_space(const struct lpi_proc *p, struct lpi_proc *to, const struct lpi_envelope *e)
{
    struct lpi_core *c = p->core;
    const int64_t cost = lpi_queue_cost(e);

    if (e->kind == LPI_DATA) /* it is not queued: its receive waits for it */
        return 0;
    if (c->credit >= cost ||
        (lpi_is_here(c, e->dst) && lpi_match_taker(&to->inbox, &e->label, e->n_bytes) != NULL))
        return 0;
    if (!lpi_is_local(c->machine, e->dst)) /* it is queued there */
        return (size_t)cost > c->machine->queue_limit ? -EMSGSIZE : 0;
    return lpi_credit_refill(c, cost);
}

/*
 * Start the send under model d, in an RCU section. All that can refuse it comes first, so nothing
 * that has been charged is taken back.
 * @return 0: posted, t->done is set; -EAGAIN: not before t->ready, which has been moved; or another
 *         error
 */
static inline __attribute__((always_inline)) int start_send(struct lpi_proc *p, struct lpi_proc *to,
                                                            struct lpi_envelope *e,
                                                            const struct lpi_delay *d,
                                                            struct logp_transfer *t)
{
    int rc;

    t->done = LOGP_NEVER;
    d->ops.start(d->model, &p->port, t);
    if (t->start == LOGP_STOPPED)
        return lpi_delay_halt(p);
    if (p->core->machine->time->awaits_start(p, t->start)) {
        t->ready = t->start;
        return -EAGAIN;
    }
    rc = find_space(p, to, e);
    if (rc == 0 && d->capacity > 0)
        rc = lpi_capacity_claim(p, to, d->capacity, t, &t->ready);
    if (rc != 0)
        return rc;
    d->ops.send(d->model, &p->port, t);
    if (d->capacity > 0)
        lpi_capacity_apply(p, to, t->arrival);
    e->arrival = t->arrival;
    rc = __builtin_expect(d->ops.fate != NULL, false) ? hand_over_to(p, to, e, d, t)
                                                      : lpi_post(p, to, e);
    lpi_count_send(p, e->kind, rc);
    return rc;
}

/* noted: a compile-time constant, as in the next two functions */
static inline __attribute__((always_inline)) int send_timed(struct lpi_proc *p, struct lpi_proc *to,
                                                            struct lpi_envelope *e, bool noted)
{
    struct logp_machine *m = p->core->machine;
    struct logp_transfer t = {.src = e->src,
                              .dst = e->dst,
                              .n_bytes = e->kind == LPI_RTS ? 0 : e->n_bytes,
                              .number = p->sends,
                              .ready = p->emulated};
    const int64_t begun = p->emulated;
    int64_t free_at = LOGP_NEVER; /* when it could have started, but for the capacity */
    int rc = lpi_reach(p, p->emulated);

    while (rc == 0) {
        const struct lpi_delay *d;

        lpi_delay_catch_up(p);
        d = model_lock(m);
        if (d == NULL)
            return noted ? send_noted(p, to, e) : send_now(p, to, e);
        rc = start_send(p, to, e, d, &t);
        model_unlock(m);
        free_at = free_at < 0 ? t.start : free_at;
        if (noted && rc == 0) {
            note_send(p, e);
            m->record->send(p, e, &t, begun, free_at);
        }
        if (rc == 0)
            return lpi_wait_until(p, t.done);
        if (rc == -EAGAIN)
            rc = m->time->stall(p, t.ready);
    }
    return rc;
}

static inline __attribute__((always_inline)) int
try_to_send(struct lpi_proc *p, struct lpi_proc *to, struct lpi_envelope *e, bool noted)
{
    const struct logp_machine *m = p->core->machine;
    int rc;

    if (lpi_emulates(m))
        return send_timed(p, to, e, noted);
    rc = noted ? send_noted(p, to, e) : send_now(p, to, e);
    return rc == 0 ? m->time->sent(p) : rc;
}

/* @return 0: there may be space now; or the error that stops the run */
static int await_space(struct lpi_proc *p, const struct lpi_envelope *e)
{
    const bool serves = e->kind != LPI_DATA && lpi_has_background(p); /* DATA is served itself */
    int rc = serves ? lpi_progress(p) : 0;

    if (rc == 0)
        rc = lpi_pause_for_threads(p);
    if (rc != 0)
        return rc > 0 ? 0 : rc;
    lpi_space_join(p, lpi_queue_cost(e), e->dst, e->tag);
    p->waits_for_any = serves;
    rc = lpi_hold(p);
    p->waits_for_any = false;
    lpi_space_leave(p);
    p->core->machine->record->stall(p, e);
    return rc;
}

static inline __attribute__((always_inline)) int
send_when_space(struct lpi_proc *p, struct lpi_proc *to, struct lpi_envelope *e, bool noted)
{
    int rc;

    do
        rc = try_to_send(p, to, e, noted);
    while (rc == -ENOBUFS && p->core->machine->space_waits != NULL &&
           (rc = await_space(p, e)) == 0);
    return __builtin_expect(rc == -ENOBUFS, false) ? lpi_poll_in_vain(p, rc) : rc;
}

/* lpi_send_when_space() on an instrumented machine. The explorer chooses the number of copies; a
 * second copy is as in hand_over_to(). */
static __attribute__((noinline)) int send_instrumented(struct lpi_proc *p, struct lpi_proc *to,
                                                       struct lpi_envelope *e)
{
    const enum lpi_message_kind kind = e->kind;
    const int copies = p->core->machine->resolver.fate(p, LOGP_NOTE_SEND, e);
    int rc = copies < 0 ? copies : 0;

    show_payload(p, e);
    if (copies > 0)
        rc = send_when_space(p, to, e, true);
    if (rc != 0 || copies < 2 || kind == LPI_RTS)
        return rc;
    e->kind = LPI_EAGER;
    e->is_late = true;
    rc = send_when_space(p, to, e, true);
    e->kind = kind;
    e->is_late = false;
    return rc;
}

int lpi_send_when_space(struct lpi_proc *p, struct lpi_proc *to, struct lpi_envelope *e)
{
    const bool noted = __builtin_expect(p->core->machine->instrumented, false);
    const int rc = noted ? send_instrumented(p, to, e) : send_when_space(p, to, e, false);

    p->core->machine->processes->await_sent(p);
    return rc;
}
