/* SPDX-License-Identifier: MIT */
/*
 * Sending.
 *
 * A message is handed over as soon as its start is known, with its arrival time, even if the start
 * is still ahead (the gap): the receiver's core learns its deadline as early as possible. Under the
 * virtual clock the start is reached first, so that sends take place in the order of (start, rank).
 */
#include "call/call.h"
#include "core/explore.h"
#include "core/sched.h"
#include "delay/capacity.h"
#include "delay/in_force.h"
#include "mail/close.h"
#include "mail/remote.h"
#include "mail/mailbox.h"
#include "mail/match.h"
#include "mail/pool.h"
#include "mail/backpressure.h"
#include "state/remote.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
    SENDS_IN_ROW = 64,
    SLOW_FROM =
        32768, /* bytes: to another process, what comes meanwhile is better received where it
                         belongs than copied there */
};

/* One in eight of this vp's sends, from the machine's seed. splitmix64: Steele et al., 2014 */
static bool by_chance(const struct lpi_proc *p)
{
    uint64_t x = p->core->machine->yield_seed + ((uint64_t)p->rank << 32) + p->sends;

    x *= UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return ((x ^ (x >> 31)) & 7) == 0;
}

/* Without delays nothing makes a sender wait: others still get the core now and then. */
static int let_others_run(struct lpi_proc *p)
{
    if (p->emulating)
        return lpi_stopped(p);
    if (p->sends % SENDS_IN_ROW == 0 || (p->core->machine->yield_seed != 0 && by_chance(p)))
        return lpi_yield(p);
    return lpi_stopped(p);
}

/* A send has taken place, or not. */
static void count(struct lpi_proc *p, int rc)
{
    p->core->messages += rc == 0;
    if (rc != 0)
        return;
    p->sends++;
    p->in_vain = 0;
}

/* A send has taken place where extras are on. @return it is recorded */
static __attribute__((noinline)) bool is_recorded(struct lpi_proc *p, const struct lpi_envelope *e)
{
    const bool traced = p->core->machine->recorders != NULL;

    if (e->kind == LPI_RTS) { /* no message of its own, but the next one's number */
        p->core->messages--;
        return traced && lpi_record_is_lost(p); /* and with it its message */
    }
    lpi_note(p, LOGP_NOTE_SEND, e->dst, e->tag, (int64_t)e->n_bytes);
    return traced;
}

static int send_now(struct lpi_proc *p, struct lpi_proc *to, struct lpi_envelope *e)
{
    struct logp_machine *m = p->core->machine;
    const int64_t begun = lpi_is_instrumented(m) ? lpi_clock(p) : 0;
    int rc = 0;

    e->arrival = LOGP_NEVER;
    if (m->is_virtual) {
        rc = lpi_reach(p, p->emulated);
        e->arrival = p->emulated;
    }
    if (rc == 0)
        rc = lpi_post(p, to, e);
    count(p, rc);
    if (lpi_is_instrumented(m) && rc == 0 && is_recorded(p, e))
        lpi_record_undelayed_send(p, e, begun);
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
    memcpy(payload, e->data, e->n_bytes);
    payload[bit / 8] ^= (unsigned char)(1U << bit % 8);
    flipped.data = payload;
    rc = lpi_post(p, to, &flipped);
    free(payload);
    return rc;
}

/*
 * Post e as the model says: not, once or twice, as it is or changed. Of a send that waits for its
 * receiver the second copy is a message like any other, and there is none of its request. A copy
 * for which there is no room is lost.
 */
static __attribute__((noinline)) int hand_over_to(struct lpi_proc *p, struct lpi_proc *to,
                                                  const struct lpi_envelope *e,
                                                  const struct lpi_delay *d,
                                                  const struct logp_transfer *t)
{
    struct logp_fate fate = {.copies = 1, .flip = -1};
    struct lpi_envelope copy = *e;
    int rc = 0;

    d->ops.fate(d->model, t, &fate);
    if (p->core->machine->recorders != NULL)
        lpi_record_fate(p, &fate);
    for (int i = 0; rc == 0 && i < fate.copies && (i == 0 || e->kind != LPI_RTS); i++) {
        if (fate.flip >= 0 && (uint64_t)fate.flip / 8 < t->n_bytes)
            rc = post_flipped(p, to, &copy, fate.flip);
        else
            rc = lpi_post(p, to, &copy);
        if (i > 0 && (rc == -ENOBUFS || rc == -EMSGSIZE))
            rc = 0;
        copy.kind = LPI_EAGER;
    }
    return rc;
}

/*
 * Start the send under model d, in an RCU section. All that can refuse it comes first, so nothing
 * that has been charged is taken back.
 * @return 0: posted, t->done is set; -EAGAIN: not before t->ready, which has been moved; or an
 * error
 */
static inline __attribute__((always_inline)) int start_send(struct lpi_proc *p, struct lpi_proc *to,
                                                            struct lpi_envelope *e,
                                                            const struct lpi_delay *d,
                                                            struct logp_transfer *t)
{
    const int64_t capacity = d->ops.capacity != NULL ? d->ops.capacity(d->model) : 0;
    int rc;

    t->done = LOGP_NEVER;
    d->ops.start(d->model, &p->port, t);
    if (t->start == LOGP_STOPPED)
        return lpi_delay_halt(p);
    if (p->core->machine->is_virtual && t->start > p->emulated) {
        t->ready = t->start;
        return -EAGAIN;
    }
    rc = lpi_find_space(p, to, e);
    if (rc == 0 && capacity > 0)
        rc = lpi_capacity_claim(p, to, capacity, t, &t->ready);
    if (rc != 0)
        return rc;
    d->ops.send(d->model, &p->port, t);
    if (capacity > 0)
        lpi_capacity_apply(p, to, t->arrival);
    e->arrival = t->arrival;
    rc = __builtin_expect(d->ops.fate != NULL, false) ? hand_over_to(p, to, e, d, t)
                                                      : lpi_post(p, to, e);
    count(p, rc);
    return rc;
}

static inline __attribute__((always_inline)) int send_timed(struct lpi_proc *p, struct lpi_proc *to,
                                                            struct lpi_envelope *e)
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

        /* relaxed: only says that there may be one; the list is under its lock */
        if (atomic_load_explicit(&m->pending_at, memory_order_relaxed) <= p->emulated)
            lpi_delay_apply_pending(m, p->emulated);
        d = model_lock(m);
        if (d == NULL)
            return send_now(p, to, e);
        rc = start_send(p, to, e, d, &t);
        model_unlock(m);
        free_at = free_at < 0 ? t.start : free_at;
        if (lpi_is_instrumented(m) && rc == 0 && is_recorded(p, e))
            lpi_record_send(p, e, &t, begun, free_at);
        if (rc == 0)
            return lpi_wait_until(p, t.done);
        if (rc == -EAGAIN)
            rc = m->is_virtual ? lpi_reach(p, t.ready) : lpi_wait_until(p, t.ready);
    }
    return rc;
}

static inline __attribute__((always_inline)) int
try_to_send(struct lpi_proc *p, struct lpi_proc *to, struct lpi_envelope *e)
{
    const struct logp_machine *m = p->core->machine;
    int rc;

    if (lpi_emulates(m))
        return send_timed(p, to, e);
    rc = send_now(p, to, e);
    return rc == 0 && !m->is_virtual ? let_others_run(p) : rc;
}

/* @return 0: there may be room now; or the error that stops the run */
static int await_space(struct lpi_proc *p, const struct lpi_envelope *e)
{
    int rc;

    lpi_space_join(p, lpi_message_cost(e->n_bytes), e->dst, e->tag);
    rc = lpi_hold(p);
    lpi_space_leave(p);
    if (p->core->machine->recorders != NULL)
        lpi_record_stall(p, e);
    return rc;
}

static struct lpi_envelope envelope(const struct logp_vp *vp, int dst, int tag, const void *buf,
                                    size_t n_bytes)
{
    return (struct lpi_envelope){.context = vp->context,
                                 .src = vp->proc->rank,
                                 .dst = dst,
                                 .tag = tag,
                                 .n_bytes = n_bytes,
                                 .data = buf};
}

/* There is no room. Who comes again and again polls for it, and those who can make some run. */
static __attribute__((noinline)) int refuse(struct lpi_proc *p)
{
    const int rc = lpi_poll_cost(p);

    return rc != 0 ? rc : -ENOBUFS;
}

static inline __attribute__((always_inline)) int
send_when_space(struct lpi_proc *p, struct lpi_proc *to, struct lpi_envelope *e)
{
    int rc;

    do
        rc = try_to_send(p, to, e);
    while (rc == -ENOBUFS && p->core->machine->space_waits != NULL &&
           (rc = await_space(p, e)) == 0);
    return __builtin_expect(rc == -ENOBUFS, false) ? refuse(p) : rc;
}

/* Out of the usual way, which has it inlined. */
int lpi_send_when_space(struct lpi_proc *p, struct lpi_proc *to, struct lpi_envelope *e)
{
    return send_when_space(p, to, e);
}

/* To another process: until what p has sent is its own again, others of its core go on. */
static void await_own(struct lpi_proc *p)
{
    while (!lpi_remote_is_sent(p)) {
        lpi_poll(p->core);
        if (p->core->run_queue.ready_first != NULL || p->core->run_queue.timers.n > 0)
            lpi_yield(p);
    }
}

/* The short way to another process. */
static __attribute__((noinline)) int send_remote(const struct logp_vp *vp, int dst, int tag,
                                                 const void *buf, size_t n_bytes)
{
    struct lpi_proc *p = vp->proc;
    const struct lpi_label label = {vp->context, p->rank, tag};
    const int rc = lpi_remote_send(p, &label, dst, buf, n_bytes, LOGP_NEVER);

    p->emulating = false;
    count(p, rc);
    if (p->core->machine->remote->sending[p->rank] != NULL)
        await_own(p);
    return rc == 0 ? let_others_run(p) : rc;
}

/* Not inlined: its envelope would lie on the stack of the short way too. */
static __attribute__((noinline)) int send_slow(const struct logp_vp *vp, struct lpi_proc *to,
                                               int dst, int tag, const void *buf, size_t n_bytes)
{
    struct lpi_proc *p = vp->proc;
    struct lpi_envelope e = envelope(vp, dst, tag, buf, n_bytes);
    int rc;

    if (lpi_is_rendezvous(p, n_bytes))
        return lpi_send_synchronously(vp, to, &e);
    enter(p);
    rc = send_when_space(p, to, &e);
    if (p->core->machine->remote != NULL)
        await_own(p);
    return leave(p, rc);
}

/* Can it be sent? 0; -EINVAL, or what the run was stopped with */
static inline __attribute__((always_inline)) int
check_send(const struct logp_vp *vp, int dst, int tag, const void *buf, size_t n_bytes)
{
    const int rc = lpi_stopped(vp->proc);

    return dst < 0 || dst >= vp->size || tag < 0 || bad_buffer(buf, n_bytes) ? -EINVAL : rc;
}

int lpi_send(const struct logp_vp *vp, int dst, int tag, const void *buf, size_t n_bytes)
{
    struct lpi_proc *p = vp->proc;
    struct lpi_core *c = p->core;
    struct logp_machine *m = c->machine;
    const struct lpi_label label = {vp->context, p->rank, tag};
    const int rc = check_send(vp, dst, tag, buf, n_bytes);

    if (rc != 0)
        return rc;
    dst = to_global(vp, dst);
    if (!lpi_has_fast_path(m) || !lpi_is_here(c, dst) ||
        !lpi_deliver_here(&m->procs[dst], c, &label, buf, n_bytes, false))
        return m->remote != NULL && lpi_has_fast_path(m) && !lpi_is_local(m, dst)
                   ? send_remote(vp, dst, tag, buf, n_bytes)
                   : send_slow(vp, &m->procs[dst], dst, tag, buf, n_bytes);
    p->emulating = false;
    count(p, 0);
    return let_others_run(p);
}

/* The same where extras are on, and does not wait for its receiver.
 * @return 1: it would have to; nothing has been done */
static int send_aside(const struct logp_vp *vp, int dst, int tag, const void *buf, size_t n_bytes)
{
    struct lpi_proc *p = vp->proc;
    struct lpi_envelope e = envelope(vp, dst, tag, buf, n_bytes);
    const int rc = check_send(vp, dst, tag, buf, n_bytes);

    if (rc != 0)
        return rc;
    if (lpi_is_rendezvous(p, n_bytes))
        return 1;
    e.dst = to_global(vp, dst);
    enter(p);
    return leave(p, lpi_send_when_space(p, &p->core->machine->procs[e.dst], &e));
}

int logp_send(struct logp_vp *vp, int dst, int tag, const void *buf, size_t n_bytes)
{
    return lpi_send(vp, dst, tag, buf, n_bytes);
}

/* Does it wait for its receiver's process? */
static bool waits_for_process(const struct logp_vp *vp, int dst, int tag, const void *buf,
                              size_t n_bytes)
{
    const struct logp_machine *m = vp->proc->core->machine;

    return n_bytes >= SLOW_FROM && m->remote != NULL && lpi_has_fast_path(m) &&
           check_send(vp, dst, tag, buf, n_bytes) == 0 && !lpi_is_local(m, to_global(vp, dst));
}

int logp_try_send(struct logp_vp *vp, int dst, int tag, const void *buf, size_t n_bytes)
{
    if (waits_for_process(vp, dst, tag, buf, n_bytes))
        return 1;
    return lpi_is_instrumented(vp->proc->core->machine) ? send_aside(vp, dst, tag, buf, n_bytes)
                                                        : lpi_send(vp, dst, tag, buf, n_bytes);
}

/* r is that of an isend. */
static __attribute__((noinline)) int isend_aside(const struct logp_vp *vp, int dst, int tag,
                                                 const void *buf, size_t n_bytes,
                                                 struct logp_request *r)
{
    int rc = check_send(vp, dst, tag, buf, n_bytes);

    if (rc != 0)
        return rc;
    r->context = vp->context;
    r->src = to_global(vp, dst);
    r->tag = tag;
    vp->proc->core->machine->answers->posts(vp->proc, r, false);
    rc = send_aside(vp, dst, tag, buf, n_bytes);
    return rc > 0 ? lpi_rts_send(vp, r->src, tag, buf, n_bytes, r) : rc;
}

int logp_isend(struct logp_vp *vp, int dst, int tag, const void *buf, size_t n_bytes,
               struct logp_request **request)
{
    struct lpi_core *c = vp->proc->core;
    struct logp_request *r;
    int rc;

    if (request == NULL)
        return -EINVAL;
    r = lpi_request_new(c);
    if (r == NULL)
        return -ENOMEM;
    r->state = LPI_REQ_SENT;
    rc = lpi_is_instrumented(c->machine) ? isend_aside(vp, dst, tag, buf, n_bytes, r)
                                         : lpi_send(vp, dst, tag, buf, n_bytes);
    if (rc != 0) {
        if (r->state != LPI_REQ_SYNC_SENT) /* or its message may still come back to it */
            lpi_request_free(c, r);
        return rc;
    }
    *request = r;
    return 0;
}
