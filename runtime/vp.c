/* SPDX-License-Identifier: MIT */
/*
 * Sending, receiving, computing: the calls of vp.h, and what they cost.
 *
 * The clock of a vp (proc.emulated) advances by what the delay model says and, on the wall clock,
 * by the time that the program spends between two calls: enter() adds it, and whatever the runtime
 * itself takes is left out by leaving proc.left at the last reading of the clock.
 *
 * A message is handed over as soon as its start is known, with its arrival time, even if the start
 * is still ahead (the gap): the receiver's core learns its deadline as early as possible. Under the
 * virtual clock the start is reached first, so that sends take place in the order of (start, rank).
 */
#include "internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <urcu/urcu-memb.h>

#include "annotate.h"

enum { SENDS_IN_ROW = 64 };

/* ---- the model in force ---- */

static bool emulated_machine(const struct logp_machine *m)
{
    /* relaxed: NULL or not; whoever uses the model reads it again under RCU */
    return atomic_load_explicit(&m->delay, memory_order_relaxed) != NULL;
}

/* Enter an RCU section with the model in force. NULL: none, and no section is open. */
static const struct logp_delay *model_lock(struct logp_machine *m)
{
    const struct logp_delay *d;

    if (!emulated_machine(m))
        return NULL;
    urcu_memb_read_lock();
    /* acquire (RCU needs only consume) pairs with the release in lpi_delay_install() */
    d = atomic_load_explicit(&m->delay, memory_order_acquire);
    if (d == NULL)
        urcu_memb_read_unlock();
    return d;
}

static void model_unlock(struct logp_machine *m)
{
    LPI_RELEASE(&m->delay); /* pairs with the acquire after the grace period in delay.c */
    (void)m;
    urcu_memb_read_unlock();
}

/* ---- clocks ---- */

/* On the wall clock: the program's own computing since the last call counts. */
static void enter(struct lpi_proc *p)
{
    struct logp_machine *m = p->core->machine;
    int64_t now, spent;

    if (m->is_virtual)
        return;
    if (!emulated_machine(m)) {
        p->emulating = false;
        return;
    }
    now = lpi_wall(m);
    spent = now - p->left - m->clock_overhead;
    if (!p->emulating) { /* until now there was nothing to emulate */
        p->emulating = true;
        p->emulated = now;
    } else if (spent > 0) {
        p->emulated += spent;
    }
    p->left = p->core->clock_seen = now;
}

/* The end of a call: what the runtime did meanwhile is not the program's computing. */
static int leave(struct lpi_proc *p, int rc)
{
    if (p->emulating)
        p->left = p->core->clock_seen = lpi_wall(p->core->machine);
    return rc;
}

/* How far a receive from any source may look: on a machine without delays at everything. */
static int64_t horizon(const struct lpi_proc *p)
{
    return lpi_has_clock(p) ? p->emulated : INT64_MAX;
}

/* ---- arguments ---- */

static bool bad_buffer(const void *buf, size_t n)
{
    return buf == NULL && n > 0;
}

static bool bad_source(const struct logp_vp *vp, int src)
{
    return src != LOGP_ANY_SOURCE && (src < 0 || src >= vp->size);
}

static int to_global(const struct logp_vp *vp, int rank)
{
    return vp->to_global != NULL && rank >= 0 ? vp->to_global[rank] : rank;
}

static void fill_status(const struct logp_vp *vp, struct logp_status *status, int src, int tag,
                        size_t n_bytes, int64_t arrival)
{
    if (status == NULL)
        return;
    status->source = vp->to_local != NULL ? vp->to_local[src] : src;
    status->tag = tag;
    status->n_bytes = n_bytes;
    status->arrival_ns = arrival < 0 ? 0 : arrival;
}

/* ---- sending ---- */

static uint64_t next_random(uint64_t *state)
{
    /* xorshift64*: Vigna, ACM TOMS 42(4), 2016 */
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return *state * UINT64_C(0x2545f4914f6cdd1d);
}

/* Without delays nothing makes a sender wait: others still get the core now and then. */
static int let_others_run(struct lpi_proc *p)
{
    if (p->yield_state != 0 && (next_random(&p->yield_state) & 7) == 0)
        return lpi_yield(p);
    if (p->emulating || ++p->sends_in_row % SENDS_IN_ROW != 0)
        return lpi_stopped(p);
    return lpi_yield(p);
}

static int send_now(struct lpi_proc *p, struct lpi_proc *to, struct lpi_envelope *e)
{
    struct logp_machine *m = p->core->machine;
    int rc = 0;

    e->arrival = LOGP_NEVER;
    if (m->is_virtual) {
        rc = lpi_reach(p, p->emulated);
        e->arrival = p->emulated;
    }
    if (rc == 0)
        rc = lpi_post(p, to, e);
    if (rc == 0)
        p->core->messages++;
    return rc;
}

/*
 * Start the send under model d, in an RCU section.
 * @return 0: posted, t->done is set; -EAGAIN: not before t->ready, which has been moved; or an
 * error
 */
static int start_send(struct lpi_proc *p, struct lpi_proc *to, struct lpi_envelope *e,
                      const struct logp_delay *d, struct logp_transfer *t)
{
    const struct logp_port before = p->port;
    const int64_t capacity = d->ops->capacity != NULL ? d->ops->capacity(d->model) : 0;
    int rc;

    d->ops->start(d->model, &p->port, t);
    if (p->core->machine->is_virtual && t->start > p->emulated) {
        t->ready = t->start;
        return -EAGAIN;
    }
    d->ops->send(d->model, &p->port, t);
    if (capacity > 0) {
        rc = lpi_capacity_claim(p, to, capacity, t, &t->ready);
        if (rc != 0) {
            p->port = before;
            return rc;
        }
    }
    e->arrival = t->arrival;
    rc = lpi_post(p, to, e);
    if (rc != 0)
        p->port = before;
    else
        p->core->messages++;
    return rc;
}

static int send_timed(struct lpi_proc *p, struct lpi_proc *to, struct lpi_envelope *e)
{
    struct logp_machine *m = p->core->machine;
    struct logp_transfer t = {
        .src = e->src, .dst = e->dst, .n_bytes = e->n_bytes, .ready = p->emulated};
    int rc = lpi_reach(p, p->emulated);

    while (rc == 0) {
        const struct logp_delay *d;

        /* relaxed: set by a vp of this core, or before the run */
        if (atomic_load_explicit(&m->pending_at, memory_order_relaxed) <= p->emulated)
            lpi_delay_apply_pending(m, p->emulated);
        d = model_lock(m);
        if (d == NULL)
            return send_now(p, to, e);
        rc = start_send(p, to, e, d, &t);
        model_unlock(m);
        if (rc == 0)
            return lpi_wait_until(p, t.done);
        if (rc == -EAGAIN)
            rc = m->is_virtual ? lpi_reach(p, t.ready) : lpi_wait_until(p, t.ready);
    }
    return rc;
}

static int send_in(const struct logp_vp *vp, int dst, int tag, const void *buf, size_t n_bytes)
{
    struct lpi_proc *p = vp->proc;
    struct logp_machine *m = p->core->machine;
    struct lpi_envelope e = {
        .context = vp->context, .src = p->rank, .tag = tag, .n_bytes = n_bytes, .data = buf};
    int rc = lpi_stopped(p);

    if (dst < 0 || dst >= vp->size || tag < 0 || bad_buffer(buf, n_bytes))
        return -EINVAL;
    if (rc != 0)
        return rc;
    e.dst = to_global(vp, dst);
    p->polls = 0;
    enter(p);
    if (emulated_machine(m)) {
        rc = send_timed(p, &m->procs[e.dst], &e);
    } else {
        rc = send_now(p, &m->procs[e.dst], &e);
        if (rc == 0 && !m->is_virtual)
            rc = let_others_run(p);
    }
    return leave(p, rc);
}

int logp_send(struct logp_vp *vp, int dst, int tag, const void *buf, size_t n_bytes)
{
    return send_in(vp, dst, tag, buf, n_bytes);
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
    rc = send_in(vp, dst, tag, buf, n_bytes);
    if (rc != 0) {
        lpi_request_free(c, r);
        return rc;
    }
    r->state = LPI_REQ_SENT;
    *request = r;
    return 0;
}

/* ---- receiving ---- */

/* o_recv and the gap, from when the message has arrived and the vp is free: sets r->done. */
void lpi_charge_recv(struct lpi_proc *p, struct logp_request *r)
{
    struct logp_machine *m = p->core->machine;
    const struct logp_delay *d = model_lock(m);
    struct logp_transfer t = {
        .src = r->from, .dst = p->rank, .n_bytes = r->n_bytes, .arrival = r->arrival};

    r->state = LPI_REQ_CHARGED;
    if (d == NULL) {
        /* none, but it may be on its way since there was a model */
        r->done = lpi_later(p, r->arrival); /* below 0: at once */
        return;
    }
    if (!lpi_has_clock(p)) {
        p->emulating = true;
        p->emulated = p->left = lpi_wall(m);
    }
    t.ready = lpi_later(p, r->arrival);
    d->ops->recv(d->model, &p->port, &t);
    model_unlock(m);
    r->done = t.done;
}

/* Before anything that depends on what has arrived by now, from whatever source. */
static int catch_up(struct lpi_proc *p)
{
    const int rc = lpi_reach(p, p->emulated);

    if (rc != 0)
        return rc;
    lpi_poll(p->core);
    if (p->inbox.n_any > 0)
        lpi_match_arrived(p, horizon(p));
    return lpi_stopped(p);
}

/* The run is stopping: r must not be filled any more. */
static void abandon(struct lpi_proc *p, struct logp_request *r)
{
    while (r->state == LPI_REQ_POSTED && !lpi_offer_withdraw(p, r))
        lpi_poll(p->core); /* the payload is being copied into buf */
    if (r->state == LPI_REQ_POSTED)
        lpi_match_unpost(p, r);
}

static int post_recv(const struct logp_vp *vp, int src, int tag, void *buf, size_t capacity,
                     struct logp_request *r)
{
    struct lpi_proc *p = vp->proc;
    int rc = lpi_stopped(p);

    if (rc != 0)
        return rc;
    p->polls = 0;
    enter(p);
    r->context = vp->context;
    r->src = to_global(vp, src);
    r->tag = tag;
    r->buf = buf;
    r->capacity = capacity;
    if (src == LOGP_ANY_SOURCE || p->inbox.n_any > 0)
        rc = catch_up(p);
    if (rc == 0)
        lpi_match_post(p, r, horizon(p));
    return rc;
}

/* Wait until r has been matched. */
static int await_match(struct lpi_proc *p, struct logp_request *r)
{
    while (r->state == LPI_REQ_POSTED) {
        int64_t look_again = INT64_MAX;
        int rc = 0;

        if (p->inbox.n_any > 0) {
            rc = catch_up(p);
            if (r->state != LPI_REQ_POSTED)
                break;
            look_again = lpi_next_arrival(p);
            if (look_again != INT64_MAX)
                look_again = lpi_later(p, look_again);
        }
        if (rc == 0) {
            lpi_offer_open(p, r);
            p->waits_for = r;
            rc = lpi_wait_message(p, look_again);
            p->waits_for = NULL;
        }
        if (rc != 0) {
            abandon(p, r);
            return rc;
        }
    }
    return 0;
}

/* Wait for r and fill status. r stays the caller's. */
static int finish_recv(const struct logp_vp *vp, struct logp_request *r, struct logp_status *status)
{
    struct lpi_proc *p = vp->proc;
    int rc = await_match(p, r);

    p->polls = 0;
    if (rc == 0 && r->state == LPI_REQ_BOUND) {
        lpi_charge_recv(p, r);
        if (r->done >= 0)
            rc = lpi_wait_until(p, r->done);
    } else if (rc == 0 && r->state == LPI_REQ_FAILED && r->arrival >= 0) {
        rc = lpi_wait_until(p, lpi_later(p, r->arrival));
    }
    if (rc != 0)
        return rc;
    fill_status(vp, status, r->from, r->got_tag, r->n_bytes, r->arrival);
    return r->state == LPI_REQ_FAILED ? -EMSGSIZE : 0;
}

int logp_recv(struct logp_vp *vp, int src, int tag, void *buf, size_t capacity,
              struct logp_status *status)
{
    struct logp_request *r;
    int rc;

    if (bad_source(vp, src) || tag < LOGP_ANY_TAG || bad_buffer(buf, capacity))
        return -EINVAL;
    r = lpi_request_new(vp->proc->core);
    if (r == NULL)
        return -ENOMEM;
    rc = post_recv(vp, src, tag, buf, capacity, r);
    if (rc == 0)
        rc = finish_recv(vp, r, status);
    lpi_request_free(vp->proc->core, r);
    return leave(vp->proc, rc);
}

int logp_irecv(struct logp_vp *vp, int src, int tag, void *buf, size_t capacity,
               struct logp_request **request)
{
    struct logp_request *r;
    int rc;

    if (bad_source(vp, src) || tag < LOGP_ANY_TAG || bad_buffer(buf, capacity) || request == NULL)
        return -EINVAL;
    r = lpi_request_new(vp->proc->core);
    if (r == NULL)
        return -ENOMEM;
    rc = post_recv(vp, src, tag, buf, capacity, r);
    if (rc != 0) {
        lpi_request_free(vp->proc->core, r);
        return rc;
    }
    *request = r;
    return leave(vp->proc, 0);
}

int logp_wait(struct logp_vp *vp, struct logp_request *request, struct logp_status *status)
{
    int rc = lpi_stopped(vp->proc);

    if (request == NULL)
        return rc;
    if (request->state == LPI_REQ_SENT) {
        lpi_request_free(vp->proc->core, request);
        return rc;
    }
    if (rc == 0) {
        enter(vp->proc);
        rc = finish_recv(vp, request, status);
    } else {
        abandon(vp->proc, request);
    }
    lpi_request_free(vp->proc->core, request);
    return leave(vp->proc, rc);
}

/* A test or probe that found nothing. */
static int poll_cost(struct lpi_proc *p)
{
    if (++p->polls % LPI_POLLS_IN_VAIN == 0)
        lpi_check_pollers(p->core);
    if (!lpi_has_clock(p))
        return lpi_yield(p);
    return lpi_wait_until(p, p->emulated + p->core->machine->poll_ns);
}

int logp_test(struct logp_vp *vp, struct logp_request *request, bool *done,
              struct logp_status *status)
{
    struct lpi_proc *p = vp->proc;
    int rc = lpi_stopped(p);

    *done = true;
    if (rc != 0 || request == NULL || request->state == LPI_REQ_SENT)
        return logp_wait(vp, request, status);
    enter(p);
    rc = catch_up(p);
    if (rc == 0 && (request->state == LPI_REQ_POSTED || request->arrival > horizon(p))) {
        *done = false;
        return leave(p, poll_cost(p));
    }
    if (rc == 0)
        rc = finish_recv(vp, request, status);
    else
        abandon(p, request);
    lpi_request_free(p->core, request);
    return leave(p, rc);
}

int logp_cancel(struct logp_vp *vp, struct logp_request *request)
{
    struct lpi_proc *p = vp->proc;

    if (request == NULL || request->state == LPI_REQ_SENT)
        return -EINVAL;
    if (request->state != LPI_REQ_POSTED)
        return -EINPROGRESS;
    lpi_match_unpost(p, request);
    if (request->src == LOGP_ANY_SOURCE)
        lpi_match_arrived(p, horizon(p)); /* others may match before their arrival again */
    lpi_request_free(p->core, request);
    return 0;
}

int logp_probe(struct logp_vp *vp, int src, int tag, bool *found, struct logp_status *status)
{
    struct lpi_proc *p = vp->proc;
    const struct lpi_message *msg;
    int rc = lpi_stopped(p);

    if (bad_source(vp, src) || tag < LOGP_ANY_TAG || found == NULL)
        return -EINVAL;
    *found = false;
    if (rc != 0)
        return rc;
    enter(p);
    rc = catch_up(p);
    if (rc != 0)
        return rc;
    msg = lpi_match_find(p, vp->context, to_global(vp, src), tag, horizon(p));
    if (msg == NULL)
        return leave(p, poll_cost(p));
    p->polls = 0;
    *found = true;
    fill_status(vp, status, msg->src, msg->tag, msg->n_bytes, msg->arrival);
    return leave(p, 0);
}

/* Send, with r posted. If the send is refused, what r had taken already is given back. */
static int send_and_finish(struct logp_vp *vp, int dst, int tag, const void *buf, size_t n_bytes,
                           struct logp_request *r, struct logp_status *status)
{
    int rc;

    leave(vp->proc, 0);
    rc = send_in(vp, dst, tag, buf, n_bytes);
    if (rc == 0)
        return finish_recv(vp, r, status);
    if (r->state == LPI_REQ_BOUND && lpi_match_restore(vp->proc, r) != 0)
        rc = -ENOMEM;
    abandon(vp->proc, r);
    return rc;
}

int logp_sendrecv(struct logp_vp *vp, int dst, int send_tag, const void *send_buf,
                  size_t send_bytes, int src, int recv_tag, void *recv_buf, size_t capacity,
                  struct logp_status *status)
{
    struct logp_request *r;
    int rc;

    if (bad_source(vp, src) || recv_tag < LOGP_ANY_TAG || bad_buffer(recv_buf, capacity))
        return -EINVAL;
    r = lpi_request_new(vp->proc->core);
    if (r == NULL)
        return -ENOMEM;
    rc = post_recv(vp, src, recv_tag, recv_buf, capacity, r);
    if (rc == 0)
        rc = send_and_finish(vp, dst, send_tag, send_buf, send_bytes, r, status);
    lpi_request_free(vp->proc->core, r);
    return leave(vp->proc, rc);
}

/* ---- computing, clocks, the common start ---- */

int logp_compute(struct logp_vp *vp, int64_t t_ns, void (*fn)(void *), void *arg)
{
    struct lpi_proc *p = vp->proc;
    struct logp_machine *m = p->core->machine;
    int64_t took = 0;
    int rc = lpi_stopped(p);

    if (t_ns < 0)
        return -EINVAL;
    if (rc != 0)
        return rc;
    p->polls = 0;
    enter(p);
    if (fn != NULL) {
        const int64_t before = p->emulating ? lpi_wall(m) : 0;

        fn(arg);
        if (p->emulating)
            took = lpi_wall(m) - before;
    }
    if (!lpi_has_clock(p))
        return lpi_stopped(p);
    return leave(p, lpi_wait_until(p, p->emulated + (took > t_ns ? took : t_ns)));
}

int64_t logp_now(struct logp_vp *vp)
{
    int64_t wall;

    return logp_clocks(vp, &wall);
}

int64_t logp_wall_now(struct logp_vp *vp)
{
    int64_t wall;

    logp_clocks(vp, &wall);
    return wall;
}

int64_t logp_clocks(struct logp_vp *vp, int64_t *wall_ns)
{
    struct lpi_proc *p = vp->proc;

    enter(p); /* reads the wall clock where there is something to emulate */
    *wall_ns = p->core->machine->is_virtual ? p->emulated
               : p->emulating               ? p->left
                                            : lpi_wall(p->core->machine);
    return lpi_has_clock(p) ? p->emulated : *wall_ns;
}

int logp_sync(struct logp_vp *vp, int64_t *start_ns)
{
    const int rc = lpi_stopped(vp->proc);

    return rc != 0 ? rc : leave(vp->proc, lpi_sync(vp->proc, start_ns));
}

int64_t logp_start_late(const struct logp_vp *vp)
{
    const struct logp_machine *m = vp->proc->core->machine;
    /* relaxed: the syncs since then have ordered it */
    const unsigned generation = atomic_load_explicit(&m->sync_generation, memory_order_relaxed);
    int64_t late = 0;

    for (int i = 0; i < m->n_cores; i++) {
        const int64_t l = atomic_load_explicit(&m->cores[i].start_late[(generation + 1) & 1],
                                               memory_order_relaxed);

        if (l > late)
            late = l;
    }
    return late;
}
