/* SPDX-License-Identifier: MIT */
/*
 * Sending.
 *
 * A message is handed over as soon as its start is known, with its arrival time, even if the start
 * is still ahead (the gap): the receiver's core learns its deadline as early as possible. Under the
 * virtual clock the start is reached first, so that sends take place in the order of (start, rank).
 */
#include "state/call.h"
#include "core/explore.h"
#include "core/sched.h"
#include "delay/capacity.h"
#include "delay/in_force.h"
#include "mail/close.h"
#include "mail/mailbox.h"
#include "mail/match.h"
#include "mail/pool.h"
#include "mail/room.h"

#include <errno.h>

enum { SENDS_IN_ROW = 64 };

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
    if (rc == 0)
        p->sends++;
}

static int post(struct lpi_proc *p, struct lpi_proc *to, const struct lpi_envelope *e)
{
    if (__builtin_expect(e->payload != LPI_WAITED_FOR, true))
        return lpi_post(p, to, e);
    lpi_match_keep_promise(to, e);
    return 0;
}

/* A send has taken place where extras are on. @return it is recorded */
static __attribute__((noinline)) bool is_recorded(struct lpi_proc *p, const struct lpi_envelope *e)
{
    if (e->payload == LPI_TO_COME) { /* no message of its own, but it has its number */
        p->core->messages--;
        return false;
    }
    lpi_note(p, LOGP_NOTE_SEND, e->dst, e->tag, (int64_t)e->n_bytes);
    return p->core->machine->recorders != NULL;
}

static int send_now(struct lpi_proc *p, struct lpi_proc *to, struct lpi_envelope *e)
{
    struct logp_machine *m = p->core->machine;
    const int64_t begun = lpi_has_extras(m) ? lpi_clock(p) : 0;
    int rc = 0;

    e->arrival = LOGP_NEVER;
    if (m->is_virtual) {
        rc = lpi_reach(p, p->emulated);
        e->arrival = p->emulated;
    }
    if (rc == 0)
        rc = post(p, to, e);
    count(p, rc);
    if (lpi_has_extras(m) && rc == 0 && is_recorded(p, e))
        lpi_record_bare_send(p, e, begun);
    return rc;
}

/*
 * Start the send under model d, in an RCU section. All that can refuse it comes first, so nothing
 * that has been charged is taken back.
 * @return 0: posted, t->done is set; -EAGAIN: not before t->ready, which has been moved; or an
 * error
 */
static int start_send(struct lpi_proc *p, struct lpi_proc *to, struct lpi_envelope *e,
                      const struct lpi_delay *d, struct logp_transfer *t)
{
    const int64_t capacity = d->ops.capacity != NULL ? d->ops.capacity(d->model) : 0;
    int rc;

    t->done = LOGP_NEVER;
    d->ops.start(d->model, &p->port, t);
    if (p->core->machine->is_virtual && t->start > p->emulated) {
        t->ready = t->start;
        return -EAGAIN;
    }
    rc = lpi_find_room(p, to, e);
    if (rc == 0 && capacity > 0)
        rc = lpi_capacity_claim(p, to, capacity, t, &t->ready);
    if (rc != 0)
        return rc;
    d->ops.send(d->model, &p->port, t);
    if (capacity > 0)
        lpi_capacity_settle(p, to, t->arrival);
    e->arrival = t->arrival;
    rc = post(p, to, e);
    count(p, rc);
    return rc;
}

static inline __attribute__((always_inline)) int send_timed(struct lpi_proc *p, struct lpi_proc *to,
                                                            struct lpi_envelope *e)
{
    struct logp_machine *m = p->core->machine;
    struct logp_transfer t = {.src = e->src,
                              .dst = e->dst,
                              .n_bytes = e->payload != LPI_TO_COME ? e->n_bytes : 0,
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
        if (lpi_has_extras(m) && rc == 0 && is_recorded(p, e))
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
static int await_room(struct lpi_proc *p, const struct lpi_envelope *e)
{
    int rc;

    lpi_room_join(p, lpi_message_cost(e->n_bytes), e->dst, e->tag);
    rc = lpi_hold(p);
    lpi_room_leave(p);
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

/* Send e, when there is room. */
static inline __attribute__((always_inline)) int
send_when_room(struct lpi_proc *p, struct lpi_proc *to, struct lpi_envelope *e)
{
    int rc;

    do
        rc = try_to_send(p, to, e);
    while (rc == -ENOBUFS && p->core->machine->rooms != NULL && (rc = await_room(p, e)) == 0);
    return rc;
}

/* The same, where extras are on: out of the usual way, which has it inlined. */
static __attribute__((noinline)) int send_aside(struct lpi_proc *p, struct lpi_proc *to,
                                                struct lpi_envelope *e)
{
    return send_when_room(p, to, e);
}

/* How long an answer takes. */
static int64_t answer_ns(struct logp_machine *m, int from, int to)
{
    const struct lpi_delay *d = model_lock(m);
    int64_t L = 0;

    if (d == NULL)
        return 0;
    if (d->ops.link != NULL)
        L = d->ops.link(d->model, from, to)->L_ns;
    else if (d->ops.params != NULL)
        L = d->ops.params(d->model)->L_ns;
    model_unlock(m);
    return L;
}

/* Ask, wait for the answer, send: see logp_machine_set_rendezvous(). */
static __attribute__((noinline)) int send_synchronously(struct lpi_proc *p, struct lpi_proc *to,
                                                        struct lpi_envelope *e)
{
    struct lpi_rendezvous z = {.sender = p, .latency = answer_ns(p->core->machine, e->dst, e->src)};
    const void *data = e->data;
    int rc;

    e->payload = LPI_TO_COME;
    e->rendezvous = &z;
    rc = send_aside(p, to, e);
    if (rc == 0 && z.request == NULL) {
        p->any.src = e->dst;
        p->any.tag = e->tag;
        p->state = LPI_SENDING;
        rc = lpi_hold(p);
        p->wait_until = INT64_MAX;
    }
    if (rc == 0)
        rc = lpi_wait_until(p, z.at);
    e->payload = LPI_WAITED_FOR;
    e->data = data;
    e->meets = z.request;
    return rc == 0 ? send_aside(p, to, e) : rc;
}

/* Does a send of so much wait for its receiver? */
static bool waits(const struct logp_machine *m, size_t n_bytes)
{
    return lpi_has_extras(m) && m->rendezvous >= 0 &&
           (m->rendezvous == 0 || n_bytes > (size_t)m->rendezvous);
}

/* Not inlined: its envelope would lie on the stack of the short way too. */
static __attribute__((noinline)) int send_far(const struct logp_vp *vp, struct lpi_proc *to,
                                              int dst, int tag, const void *buf, size_t n_bytes)
{
    struct lpi_proc *p = vp->proc;
    struct lpi_envelope e = envelope(vp, dst, tag, buf, n_bytes);

    enter(p);
    if (waits(p->core->machine, n_bytes))
        return leave(p, send_synchronously(p, to, &e));
    return leave(p, send_when_room(p, to, &e));
}

/* The same, whatever sends wait for. */
static __attribute__((noinline)) int send_far_buffered(const struct logp_vp *vp,
                                                       struct lpi_proc *to, int dst, int tag,
                                                       const void *buf, size_t n_bytes)
{
    struct lpi_envelope e = envelope(vp, dst, tag, buf, n_bytes);

    enter(vp->proc);
    return leave(vp->proc, send_aside(vp->proc, to, &e));
}

/* Compiled twice: buffered is a constant. */
static inline __attribute__((always_inline)) int
send_to(const struct logp_vp *vp, int dst, int tag, const void *buf, size_t n_bytes, bool buffered)
{
    struct lpi_proc *p = vp->proc;
    struct lpi_core *c = p->core;
    struct logp_machine *m = c->machine;
    const struct lpi_label label = {vp->context, p->rank, tag};
    const int rc = lpi_stopped(p);

    if (dst < 0 || dst >= vp->size || tag < 0 || bad_buffer(buf, n_bytes))
        return -EINVAL;
    if (rc != 0)
        return rc;
    dst = to_global(vp, dst);
    p->polls = 0;
    if (buffered)
        return send_far_buffered(vp, &m->procs[dst], dst, tag, buf, n_bytes);
    if (!lpi_plain(m) || !lpi_is_here(c, dst) ||
        !lpi_deliver_here(&m->procs[dst], c, &label, buf, n_bytes, false))
        return send_far(vp, &m->procs[dst], dst, tag, buf, n_bytes);
    p->emulating = false;
    count(p, 0);
    return let_others_run(p);
}

int lpi_send(const struct logp_vp *vp, int dst, int tag, const void *buf, size_t n_bytes)
{
    return send_to(vp, dst, tag, buf, n_bytes, false);
}

int logp_send(struct logp_vp *vp, int dst, int tag, const void *buf, size_t n_bytes)
{
    return lpi_send(vp, dst, tag, buf, n_bytes);
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
    if (lpi_has_extras(c->machine)) /* it does not wait, whatever others do */
        rc = send_to(vp, dst, tag, buf, n_bytes, true);
    else
        rc = lpi_send(vp, dst, tag, buf, n_bytes);
    if (rc != 0) {
        lpi_request_free(c, r);
        return rc;
    }
    r->state = LPI_REQ_SENT;
    *request = r;
    return 0;
}
