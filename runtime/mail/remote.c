/* SPDX-License-Identifier: MIT */
/*
 * Messages between processes, over a transport (host/transport.h). lpi_post() is here too: a message
 * to a vp of the same core is delivered, which may send a CTS to another process.
 *
 * A short message travels with its header. The payload of a long message follows its header
 * separately, from the sender's buffer, and the sender waits in its scheduler until it may reuse
 * the buffer. The receiving process takes the payload as soon as it finds the header, even if no
 * receive is posted. So a sender waits only until the other process polls. The payload goes
 * straight into the buffer of a posted receive. Else it goes into a message, which is pending
 * meanwhile, so that no later message overtakes it.
 *
 * Only the first core polls. A long message to a vp of another core is passed on when it is
 * complete, and all later messages to other cores wait for it.
 */

#include "mail/mail.h"
#include "state/message.h"
#include "state/stop.h"

#include <errno.h>
#include <sched.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum {
    BURST = 64,
    YIELD_EVERY = 16, /* failed polls, if processes share cores */
    LOOKS = 32,       /* polls of a core that has nothing else to do */
    RUN_BITS = 0x7ff, /* of lpi_wire.run */
    BRIEF = 256,      /* bytes: up to here header and payload are copied into one buffer */
};

static const size_t undelayed_bytes = offsetof(struct lpi_wire, is_data); /* header, UNTIMED */

/* Several cores call the transport, one at a time. acquire pairs with the release in let() */
static inline void take(struct lpi_remote *f)
{
    while (f->is_shared && atomic_exchange_explicit(&f->busy, true, memory_order_acquire))
        if (f->is_crowded)
            sched_yield();
}

static inline void let(struct lpi_remote *f)
{
    /* release pairs with the acquire in take() */
    if (f->is_shared)
        atomic_store_explicit(&f->busy, false, memory_order_release);
}

/* A counted message has been sent. relaxed, all: the deadlock scan reads it while cores are idle */
static void count_sent(struct lpi_remote *f)
{
    if (f->is_shared)
        atomic_fetch_add_explicit(&f->sent, 1, memory_order_relaxed);
    else
        atomic_store_explicit(&f->sent, atomic_load_explicit(&f->sent, memory_order_relaxed) + 1,
                              memory_order_relaxed);
}

/* ---- sending ---- */

/*
 * Send, and poll for messages while the transport has no space. given: NULL, or the message is the
 * header alone, and `more` follows separately, in the same order. Called by the holder of c.
 */
static __attribute__((noinline)) int put(struct lpi_core *c, int process, const void *head,
                                         size_t n_head, const void *more, size_t n,
                                         struct lpi_transfer **given)
{
    struct lpi_remote *f = c->machine->remote;
    int rc;

    for (;;) {
        take(f);
        rc = f->ops->send(process, head, n_head, more, given == NULL ? n : 0);
        if (rc == 0 && given != NULL && (*given = f->ops->give(process, more, n)) == NULL) {
            lpi_remote_lose(f); /* the receiver waits for a payload that does not come */
            rc = -ENOMEM;
        }
        let(f);
        if (rc != -EAGAIN || lpi_remote_is_lost(f))
            return rc;
        if (c->index == 0 && !f->is_polling)
            lpi_remote_poll(c);
    }
}

/* Send a short message without an arrival time. Its header is written in the buffer that is sent,
 * because a copy right after the writes would wait for them. */
static inline int put_untimed(struct lpi_core *c, const struct lpi_envelope *e)
{
    struct lpi_remote *f = c->machine->remote;
    const int process = f->process_of[e->dst];
    const size_t n_bytes = e->n_bytes;
    const size_t n_more = undelayed_bytes + n_bytes <= BRIEF ? 0 : n_bytes,
                 n_first = n_more > 0 ? undelayed_bytes : undelayed_bytes + n_bytes;
    union {
        struct lpi_wire w;
        char bytes[BRIEF];
    } first;
    int rc;

    first.w.kind = LPI_WIRE_UNTIMED;
    first.w.run = f->run & RUN_BITS;
    first.w.untimed_bytes = (uint16_t)n_bytes;
    first.w.context = e->context;
    first.w.src = e->src;
    first.w.dst = e->dst;
    first.w.tag = e->tag;
    if (n_first > undelayed_bytes)
        memcpy(first.bytes + undelayed_bytes, e->data, n_bytes);
    take(f);
    rc = f->ops->send(process, &first, n_first, e->data, n_more);
    let(f);
    return rc != -EAGAIN ? rc : put(c, process, &first, n_first, e->data, n_more, NULL);
}

static struct lpi_wire header(const struct lpi_remote *f, enum lpi_wire_kind kind,
                              const struct lpi_envelope *e)
{
    return (struct lpi_wire){.kind = kind,
                             .run = f->run & RUN_BITS,
                             .context = e->context,
                             .src = e->src,
                             .dst = e->dst,
                             .tag = e->tag,
                             .n_bytes = e->n_bytes,
                             .arrival = e->arrival,
                             .bits = e->bits};
}

static enum lpi_wire_kind wire_kind(enum lpi_message_kind kind)
{
    return kind == LPI_RTS ? LPI_WIRE_RTS : kind == LPI_CTS ? LPI_WIRE_CTS : LPI_WIRE_CANCEL;
}

/* Send an RTS, a CTS or a CANCEL. Each process uses its own address of the two alone. */
static __attribute__((noinline)) int put_rendezvous(struct lpi_core *c,
                                                    const struct lpi_envelope *e)
{
    struct lpi_remote *f = c->machine->remote;
    const struct lpi_wire w = header(f, wire_kind(e->kind), e);
    const struct lpi_wire_rendezvous z = {(uintptr_t)e->rendezvous, (uintptr_t)e->request};

    return put(c, f->process_of[e->dst], &w, sizeof(w), &z, sizeof(z), NULL);
}

int lpi_remote_send(struct lpi_proc *from, const struct lpi_envelope *e)
{
    struct lpi_core *c = from->core;
    struct lpi_remote *f = c->machine->remote;
    const bool is_long = sizeof(struct lpi_wire) + e->n_bytes > f->ops->message_bytes;
    struct lpi_wire w;

    if ((size_t)lpi_queue_cost(e) > c->machine->queue_limit)
        return -EMSGSIZE;
    count_sent(f);
    if (e->kind >= LPI_RTS && e->kind != LPI_DATA)
        return put_rendezvous(c, e);
    if (e->arrival == LOGP_NEVER && !is_long && e->bits == 0 && e->kind != LPI_DATA)
        return put_untimed(c, e);
    w = header(f, is_long ? LPI_WIRE_LONG : LPI_WIRE_DATA, e);
    if (e->kind == LPI_DATA) {
        w.is_data = 1;
        w.bits = (uintptr_t)e->request;
    }
    return put(c, f->process_of[e->dst], &w, sizeof(w), e->data, e->n_bytes,
               is_long ? &f->sending[from->rank] : NULL);
}

/*
 * Hand a message to `to`. The payload has been copied when this returns, except that of a long
 * message to another process: it is read until lpi_remote_is_sent() returns true.
 * @return  0; -ENOBUFS: there is no space now; -EMSGSIZE: there never is; -ENOMEM
 */
int lpi_post(struct lpi_proc *from, struct lpi_proc *to, const struct lpi_envelope *e)
{
    struct lpi_core *c = from->core;

    if (lpi_is_here(c, e->dst))
        return lpi_deliver(to, c, e);
    if (!lpi_is_local(c->machine, e->dst))
        return lpi_remote_send(from, e);
    return lpi_post_to_core(c, to, e);
}

bool lpi_remote_is_sent(struct lpi_proc *p)
{
    struct lpi_remote *f = p->core->machine->remote;
    struct lpi_transfer **t = &f->sending[p->rank];

    if (*t == NULL || lpi_remote_is_lost(f))
        return true;
    take(f);
    if (f->ops->is_over(*t, false))
        *t = NULL;
    let(f);
    return *t == NULL;
}

void lpi_remote_tell(struct lpi_core *c, int process, struct lpi_wire w, const void *more, size_t n)
{
    struct lpi_remote *f = c->machine->remote;

    w.run = f->run & RUN_BITS;
    if (process == f->process) {
        f->control(c, process, &w, more);
        return;
    }
    if (w.kind <= LPI_WIRE_COUNTED)
        count_sent(f);
    put(c, process, &w, sizeof(w), more, n, NULL);
}

void lpi_remote_tell_all(struct lpi_core *c, struct lpi_wire w)
{
    for (int i = 0; i < c->machine->remote->n_processes; i++)
        if (i != c->machine->remote->process)
            lpi_remote_tell(c, i, w, NULL, 0);
}

/* ---- receiving ---- */

/* more: what follows the header; NULL: the payload comes later */
static struct lpi_envelope envelope_of(const struct lpi_wire *w, const char *more)
{
    struct lpi_envelope e = {.context = w->context,
                             .src = w->src,
                             .dst = w->dst,
                             .tag = w->tag,
                             .n_bytes = w->n_bytes,
                             .arrival = w->arrival,
                             .bits = w->bits,
                             .data = more};
    struct lpi_wire_rendezvous z;

    if (w->is_data) {
        e.kind = LPI_DATA;
        e.request = (struct logp_request *)(uintptr_t)w->bits;
    } else if (w->kind >= LPI_WIRE_RTS && w->kind <= LPI_WIRE_CANCEL) {
        memcpy(&z, more, sizeof(z));
        e.kind = w->kind == LPI_WIRE_RTS ? LPI_RTS : w->kind == LPI_WIRE_CTS ? LPI_CTS : LPI_CANCEL;
        e.rendezvous = (struct lpi_rendezvous *)(uintptr_t)z.rendezvous;
        e.request = (struct logp_request *)(uintptr_t)z.request;
    }
    return e;
}

/* Memory for the payload of a message whose receive cannot have it as it is. */
static bool make_stage(struct lpi_core *c, struct lpi_cargo *l, size_t n_bytes)
{
    l->message = lpi_message_new(c, n_bytes);
    if (l->message == NULL)
        return false;
    l->message->n_bytes = n_bytes;
    c->credit -= lpi_message_cost(n_bytes); /* given back in lpi_rendezvous_come() */
    return true;
}

/* Memory for a payload that no vp receives. */
static bool make_sink(struct lpi_core *c, struct lpi_cargo *l, const struct lpi_envelope *e)
{
    l->is_dropped = true;
    l->to = lpi_proc_at(c, 0); /* any vp of this core: lpi_credit_give() finds the core by it */
    c->machine->remote->dropped++;
    return make_stage(c, l, e->n_bytes);
}

/* Append l: lists are in the order of their headers. */
static void append(struct lpi_cargo **link, struct lpi_cargo *l)
{
    while (*link != NULL)
        link = &(*link)->next;
    *link = l;
}

/* Hold back a message to a vp of another core until its payload, or a message before it, is
 * complete. @return false: no memory */
static bool hold(struct lpi_core *c, struct lpi_cargo *l, struct lpi_envelope *e)
{
    l->message = lpi_message_new(c, lpi_held_bytes(e));
    if (l->message == NULL)
        return false;
    l->is_over = e->data != NULL;
    if (e->data == NULL) {
        e->kind = LPI_ON_ITS_WAY;
        e->cargo = l;
    }
    lpi_message_fill(l->message, e);
    append(&c->machine->remote->held, l);
    return true;
}

/* Pass on the complete messages at the head of the list. */
static void pass_held(struct lpi_core *c)
{
    struct lpi_remote *f = c->machine->remote;
    struct lpi_cargo *l;

    while ((l = f->held) != NULL && l->is_over) {
        struct lpi_envelope e;
        int rc;

        if (l->message->kind == LPI_ON_ITS_WAY)
            l->message->kind = LPI_EAGER;
        e = lpi_envelope_of_any(l->message, false);
        if (l->request != NULL) {
            e.kind = LPI_DATA;
            e.request = l->message->request = l->request;
            l->message->kind = LPI_DATA;
        }
        rc = lpi_stopping(c->machine) ? -ECANCELED : lpi_post_to_core(c, l->to, &e);
        if (rc != 0) {
            l->message->kind = LPI_EAGER; /* as all in the pool */
            lpi_message_free(c, l->message);
            f->dropped++;
            lpi_stop(c->machine, rc);
        }
        f->held = l->next;
        f->received++;
        free(l);
    }
}

/* Find the receive of a long message, or make it pending. The caller holds the core of l->to. */
static void find_receive(struct lpi_core *c, struct lpi_cargo *l, struct lpi_envelope *e)
{
    int rc;

    if (e->kind == LPI_DATA) {
        if (!lpi_rendezvous_awaits(l->to, e->request))
            return;
        l->request = e->request;
        l->request->arrival = e->arrival;
        return;
    }
    e->kind = LPI_ON_ITS_WAY;
    e->cargo = l;
    rc = lpi_deliver(l->to, c, e);
    if (rc != 0)
        lpi_stop(c->machine, rc);
}

/* Provide memory for the payload of l, unless the buffer of its receive is large enough.
 * @return false: no memory */
static bool provide_memory(struct lpi_core *c, struct lpi_cargo *l, struct lpi_envelope *e)
{
    const bool is_here = lpi_is_here(c, e->dst);

    if (l->request == NULL && l->message == NULL &&
        (lpi_stopping(c->machine) || (is_here && e->kind == LPI_DATA)))
        return make_sink(c, l, e);
    if (!is_here)
        return hold(c, l, e);
    return l->message != NULL || l->request->capacity >= e->n_bytes || make_stage(c, l, e->n_bytes);
}

/* Start to take the payload of a long message. @return false: no memory */
static bool take_long(struct lpi_core *c, int process, const struct lpi_wire *w)
{
    struct logp_machine *m = c->machine;
    struct lpi_envelope e = envelope_of(w, NULL);
    struct lpi_cargo *l = calloc(1, sizeof(*l));
    const bool is_here = lpi_is_here(c, w->dst);

    if (l == NULL)
        return false;
    l->to = &m->procs[w->dst];
    if (!lpi_stopping(m) && is_here)
        find_receive(c, l, &e);
    else if (!is_here)
        l->request = e.request;
    if (!provide_memory(c, l, &e)) {
        free(l);
        return false;
    }
    if (is_here || l->is_dropped)
        append(&m->remote->arriving, l);
    take(m->remote);
    l->transfer = m->remote->ops->take(
        process, l->message != NULL ? l->message->data : l->request->buf, w->n_bytes);
    let(m->remote);
    return l->transfer != NULL;
}

/* A short message of a vp has come, with its payload. @return false: no memory */
static bool take_short(struct lpi_core *c, const struct lpi_wire *w, const char *data)
{
    struct logp_machine *m = c->machine;
    struct lpi_remote *f = m->remote;
    struct lpi_proc *to = &m->procs[w->dst];
    const bool is_here = lpi_is_here(c, w->dst);
    struct lpi_envelope e;
    struct lpi_cargo *l;
    int rc = 0;

    if (lpi_stopping(m)) {
        f->dropped++;
        f->received++;
        return true;
    }
    e = envelope_of(w, data);
    if (is_here && e.kind == LPI_EAGER && w->arrival == LOGP_NEVER && lpi_has_fast_path(m) &&
        lpi_deliver_here(to, &(struct lpi_label){w->context, w->src, w->tag}, data, w->n_bytes,
                         w->bits, false)) {
        f->received++;
        return true;
    }
    if (is_here) {
        rc = lpi_deliver(to, c, &e);
    } else if (f->held == NULL) {
        rc = lpi_post_to_core(c, to, &e);
    } else {
        l = calloc(1, sizeof(*l));
        if (l == NULL)
            return false;
        l->to = to;
        return hold(c, l, &e);
    }
    f->received++;
    if (rc != 0)
        lpi_stop(m, rc);
    return true;
}

/* Finish the long messages whose payloads are complete. @return true: some are */
static bool take_what_came(struct lpi_core *c)
{
    struct lpi_remote *f = c->machine->remote;
    struct lpi_cargo **link = &f->arriving, *l;
    bool any = false;

    while ((l = *link) != NULL) {
        take(f);
        l->is_over = l->transfer != NULL && f->ops->is_over(l->transfer, false);
        let(f);
        if (l->is_over) {
            *link = l->next;
            lpi_busy(c);
            lpi_rendezvous_come(l);
            f->received++;
            free(l);
            any = true;
        } else {
            link = &l->next;
        }
    }
    for (l = f->held; l != NULL; l = l->next)
        if (!l->is_over) {
            take(f);
            l->is_over = l->transfer != NULL && f->ops->is_over(l->transfer, false);
            let(f);
        }
    if (f->held != NULL)
        pass_held(c);
    return any;
}

static void hear(struct lpi_core *c, const struct lpi_found *x)
{
    struct logp_machine *m = c->machine;
    struct lpi_remote *f = m->remote;
    const char *more = x->bytes + sizeof(struct lpi_wire);
    struct lpi_wire w;
    bool good = true;

    memcpy(&w, x->bytes, sizeof(w));
    if (w.run != (f->run & RUN_BITS))
        return; /* of an earlier run: no longer counted */
    if (w.kind == LPI_WIRE_UNTIMED) {
        more = x->bytes + undelayed_bytes;
        w.n_bytes = w.untimed_bytes;
        w.arrival = LOGP_NEVER;
        w.bits = 0;
        w.is_data = 0;
    }
    if (w.kind <= LPI_WIRE_COUNTED)
        lpi_busy(c); /* before it is counted as received: the deadlock scan must not miss it */
    if (w.kind < LPI_WIRE_LONG)
        good = take_short(c, &w, more);
    else if (w.kind == LPI_WIRE_LONG)
        good = take_long(c, x->process, &w);
    else
        f->received += w.kind <= LPI_WIRE_COUNTED;
    if (w.kind > LPI_WIRE_LONG)
        f->control(c, x->process, &w, more);
    if (!good) { /* the message is counted as sent, but is never received */
        lpi_remote_lose(f);
        lpi_stop(m, -ENOMEM);
    }
}

/* Send the replies of handlers. A message to a vp of this process is one that the process has sent
 * to itself. Sending may poll, and so handle other messages: their replies are sent by the same
 * loop. */
static void reply_all(struct lpi_core *c)
{
    struct lpi_remote *f = c->machine->remote;
    struct lpi_reply *r;

    if (f->replies_now)
        return;
    f->replies_now = true;
    while ((r = f->replies) != NULL) {
        f->replies = r->next;
        if (f->replies == NULL)
            f->last_reply = &f->replies;
        if (r->process != f->process) {
            lpi_remote_tell(c, r->process, r->w, r->bytes, r->w.n_bytes);
        } else {
            f->received--; /* it is not counted as sent */
            if (!take_short(c, &r->w, r->bytes))
                lpi_stop(c->machine, -ENOMEM);
        }
        free(r);
    }
    f->replies_now = false;
}

bool lpi_remote_poll(struct lpi_core *c)
{
    struct lpi_remote *f = c->machine->remote;
    struct lpi_found x;
    bool any = false;

    f->is_polling = true;
    for (int i = 0; i < BURST; i++) {
        bool found;

        if (f->arriving != NULL || f->held != NULL)
            any |= take_what_came(c);
        if (any && c->run_queue.ready_first != NULL) /* first run the vps that are ready now */
            break;
        take(f);
        found = f->ops->poll(&x);
        let(f);
        if (!found)
            break;
        hear(c, &x);
        any = true;
    }
    f->is_polling = false;
    if (f->replies != NULL)
        reply_all(c);
    if (!any && f->is_crowded && ++f->empty_polls % YIELD_EVERY == 0)
        sched_yield();
    if (!f->stop_told && lpi_stopping(c->machine))
        f->control(c, f->process, NULL, NULL);
    return any;
}

bool lpi_remote_await(struct lpi_core *c)
{
    for (int i = 0; i < LOOKS; i++)
        if (lpi_remote_poll(c))
            return true;
    return false;
}

void lpi_remote_drop_receives(struct lpi_proc *p)
{
    struct lpi_remote *f = p->core->machine->remote;
    struct lpi_cargo **link = &f->arriving, *l;
    const int64_t patience_ns = 2000000000;
    int64_t end = 0;

    if (p->core->index != 0) /* payloads to other cores go into messages: hold() */
        return;
    while ((l = *link) != NULL) {
        if (l->to != p || l->request == NULL) {
            link = &l->next;
            continue;
        }
        l->request->state = LPI_REQ_FAILED;
        if (l->message != NULL) {
            l->request = NULL;
            l->is_dropped = true;
            continue;
        }
        if (end == 0)
            end = lpi_monotonic_ns() + patience_ns;
        take(f);
        while (l->transfer != NULL && !f->ops->is_over(l->transfer, lpi_monotonic_ns() > end))
            ;
        let(f);
        *link = l->next;
        f->received++;
        free(l);
    }
}
