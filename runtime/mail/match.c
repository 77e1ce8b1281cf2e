/* SPDX-License-Identifier: MIT */
/*
 * Messages and receives meet: by (context, source, tag), in the order sent and in the order
 * posted.
 *
 * A vp has a list of pending messages in the order of delivery, which for each source is the order
 * of sending, and a list of posted receives in the order of posting. While no posted receive is
 * open to any source, a message is matched the moment it is delivered: which receive takes it does
 * not depend on its arrival time. A receive from any source takes the earliest arrival, so while
 * there is one, matching happens at arrivals, in the order of (arrival, source).
 *
 * Invariant between calls: without an any-source receive, no pending message matches a posted one.
 *
 * Most messages wanted are among the first that are pending. An index by hash of (context, source,
 * tag) is made for a vp when one is not found among the first INDEX_FROM.
 */
#include "mail/match.h"

#include "carrier/carrier.h"
#include "delay/in_force.h"
#include "mail/index.h"
#include "mail/offer.h"
#include "mail/pool.h"
#include "mail/room.h"
#include "state/message.h"
#include "state/stop.h"
#include "state/turns.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { INDEX_FROM = 24 };

static bool arrives_before(const struct lpi_message *a, const struct lpi_message *b)
{
    return a->arrival < b->arrival || (a->arrival == b->arrival && a->src < b->src);
}

static void pend(struct lpi_inbox *in, struct lpi_message *m)
{
    if (in->n_pending == 0)
        in->unsorted = false;
    else if (arrives_before(m, in->last))
        in->unsorted = true;
    m->prev = in->last;
    m->next = NULL;
    if (in->last != NULL)
        in->last->next = m;
    else
        in->first = m;
    in->last = m;
    in->n_pending++;
    if (in->index == NULL)
        return;
    if (lpi_index_has_room(in->index, in->n_pending))
        lpi_index_append(in->index, m);
    else
        lpi_index_rebuild(in);
}

static void unpend(struct lpi_inbox *in, struct lpi_message *m)
{
    if (in->index != NULL)
        lpi_index_remove(in->index, m);
    if (m->prev != NULL)
        m->prev->next = m->next;
    else
        in->first = m->next;
    if (m->next != NULL)
        m->next->prev = m->prev;
    else
        in->last = m->prev;
    in->n_pending--;
}

static bool fits(uint32_t c1, int src, int tag, uint32_t c2, int m_src, int m_tag)
{
    return c1 == c2 && (src == m_src || src == LOGP_ANY_SOURCE) &&
           (tag == m_tag || tag == LOGP_ANY_TAG);
}

/* The first pending message of one source, in the order sent. */
static struct lpi_message *find_from(struct lpi_inbox *in, uint32_t context, int src, int tag)
{
    struct lpi_message *m;
    int looked_at = 0;

    for (m = in->first; m != NULL; m = m->next) {
        if (fits(context, src, tag, m->context, m->src, m->tag))
            return m;
        if (++looked_at == INDEX_FROM && tag != LOGP_ANY_TAG)
            break;
    }
    if (m == NULL)
        return NULL;
    if (in->index == NULL)
        lpi_index_rebuild(in);
    if (in->index == NULL) { /* no memory for it */
        while (m != NULL && !fits(context, src, tag, m->context, m->src, m->tag))
            m = m->next;
        return m;
    }
    for (m = lpi_index_first(in->index, context, src, tag); m != NULL; m = m->next_in_chain)
        if (m->context == context && m->src == src && m->tag == tag)
            return m;
    return NULL;
}

static bool overtakes(const struct lpi_message *m, uint32_t context, int tag)
{
    for (const struct lpi_message *i = m->prev; i != NULL; i = i->prev)
        if (fits(context, m->src, tag, i->context, i->src, i->tag))
            return true;
    return false;
}

/*
 * The message that a receive with these arguments takes at time `until`; NULL: none has arrived.
 * From any source: the earliest arrival of those that overtake none of their own source.
 */
struct lpi_message *lpi_match_find(struct lpi_proc *p, uint32_t context, int src, int tag,
                                   int64_t until)
{
    struct lpi_inbox *in = &p->inbox;
    struct lpi_message *best = NULL;

    if (src != LOGP_ANY_SOURCE) {
        best = find_from(in, context, src, tag);
        return best != NULL && best->arrival <= until ? best : NULL;
    }
    for (struct lpi_message *m = in->first; m != NULL; m = m->next) {
        if (!in->unsorted && (best != NULL || m->arrival > until))
            break; /* the usual case: the first that fits */
        if (m->arrival <= until && fits(context, src, tag, m->context, m->src, m->tag) &&
            (best == NULL || arrives_before(m, best)) &&
            !(in->unsorted && overtakes(m, context, tag)))
            best = m;
    }
    return best;
}

void lpi_match_unpost(struct lpi_proc *p, struct logp_request *r)
{
    struct lpi_inbox *in = &p->inbox;

    if (r->prev != NULL)
        r->prev->next = r->next;
    else
        in->posted_first = r->next;
    if (r->next != NULL)
        r->next->prev = r->prev;
    else
        in->posted_last = r->prev;
    if (r->src == LOGP_ANY_SOURCE)
        in->n_any--;
}

/* A time below 0: at once. */
static void wake_at(struct lpi_proc *p, int64_t t)
{
    if (t < 0)
        lpi_make_ready(p);
    else
        lpi_wake(p, t);
}

/* The vp may be waiting for this very receive: give it its deadline. */
static void settled(struct lpi_proc *p, struct logp_request *r)
{
    if (p->waits_for_any) { /* it looks for itself */
        wake_at(p, r->arrival < 0 ? r->arrival : lpi_later(p, r->arrival));
        return;
    }
    if (p->waits_for != r || r->arrival > p->wait_until) /* too late: bound, and not waited for */
        return;
    p->waits_for = NULL;
    if (r->state == LPI_REQ_BOUND)
        lpi_charge_recv(p, r);
    else
        r->done = lpi_later(p, r->arrival);
    wake_at(p, r->done);
}

static void fill(struct lpi_proc *p, void *buf, const struct lpi_envelope *e)
{
    void *to = lpi_resident(p, buf);

    if (to != NULL)
        memcpy(to, e->data, e->n_bytes);
    else
        lpi_stop(p->core->machine, -ENOMEM);
}

/*
 * A posted receive takes a message, whose payload goes to the buffer here. Too small a buffer: the
 * receive fails, the message stays.
 * @return  true: taken
 */
static bool bind(struct lpi_proc *p, struct logp_request *r, const struct lpi_envelope *e)
{
    const bool taken = e->n_bytes <= r->capacity;

    if (e->direct)
        lpi_offer_complete(p, r);
    else
        lpi_offer_withdraw(p, r);
    lpi_match_unpost(p, r);
    r->from = e->src;
    r->got_tag = e->tag;
    r->n_bytes = e->n_bytes;
    r->arrival = e->arrival;
    r->state = taken ? LPI_REQ_BOUND : LPI_REQ_FAILED;
    if (taken && e->n_bytes > 0 && !e->direct)
        fill(p, r->buf, e);
    settled(p, r);
    return taken;
}

static bool bind_pending(struct lpi_proc *p, struct logp_request *r, struct lpi_message *m)
{
    const struct lpi_envelope e = {.context = m->context,
                                   .src = m->src,
                                   .dst = m->dst,
                                   .tag = m->tag,
                                   .n_bytes = m->n_bytes,
                                   .arrival = m->arrival,
                                   .data = m->data,
                                   .message = m};

    if (!bind(p, r, &e))
        return false;
    unpend(&p->inbox, m);
    lpi_credit_give(p, m->n_bytes);
    lpi_message_free(p->core, m);
    return true;
}

/* The posted receive that would take this message at once; NULL: it would be pending. */
struct logp_request *lpi_match_wanted(struct lpi_proc *p, const struct lpi_envelope *e)
{
    struct logp_request *r = p->inbox.n_any == 0 ? p->inbox.posted_first : NULL;

    while (r != NULL && (e->n_bytes > r->capacity ||
                         !fits(r->context, r->src, r->tag, e->context, e->src, e->tag)))
        r = r->next;
    return r;
}

/*
 * A message reaches its destination, whose core the caller holds.
 * @return  0; -ENOBUFS, -EMSGSIZE, -ENOMEM: it has not been delivered
 */
int lpi_deliver(struct lpi_proc *p, struct lpi_core *at, const struct lpi_envelope *e)
{
    struct lpi_inbox *in = &p->inbox;
    struct lpi_message *m = e->message;

    if (in->n_any == 0) {
        struct logp_request *next;

        for (struct logp_request *r = in->posted_first; r != NULL; r = next) {
            next = r->next;
            if (!fits(r->context, r->src, r->tag, e->context, e->src, e->tag) || !bind(p, r, e))
                continue;
            if (e->paid)
                lpi_credit_give(p, e->n_bytes);
            if (m != NULL)
                lpi_message_free(at, m);
            return 0;
        }
    }
    if (!e->paid) {
        if (at->credit < lpi_message_cost(e->n_bytes)) {
            const int rc = lpi_credit_refill(at, lpi_message_cost(e->n_bytes));

            if (rc != 0)
                return rc;
        }
    }
    if (m == NULL) {
        m = lpi_message_new(at, e->n_bytes);
        if (m == NULL)
            return -ENOMEM;
        lpi_message_fill(m, e);
    }
    if (!e->paid)
        at->credit -= lpi_message_cost(e->n_bytes);
    if (e->arrival == LOGP_NEVER) /* nothing is emulated: the order of delivery */
        m->arrival = LOGP_NEVER + at->deliveries++;
    pend(in, m);
    if (p->waits_for_any) {
        wake_at(p, m->arrival < 0 ? m->arrival : lpi_later(p, m->arrival));
    } else if (in->n_any > 0 && p->waits_for != NULL) {
        /* it looks again when the next message arrives */
        const int64_t at_ns = lpi_next_arrival(p);

        if (at_ns != INT64_MAX)
            wake_at(p, lpi_later(p, at_ns));
    }
    return 0;
}

/*
 * The short way of a short message where nothing is emulated. As lpi_deliver() in the two common
 * cases: the receiver waits for just this message, or has posted nothing.
 * @return  false: neither; nothing has been done
 */
bool lpi_deliver_here(struct lpi_proc *to, struct lpi_core *c, const struct lpi_label *l,
                      const void *data, size_t n_bytes, bool paid)
{
    struct lpi_inbox *in = &to->inbox;
    struct logp_request *r = in->posted_first;
    struct lpi_message *m;

    if (r != NULL) {
        if (to->waits_for != r || r->next != NULL || r->offered || r->src != l->src ||
            r->tag != l->tag || r->context != l->context || r->capacity < n_bytes)
            return false;
        if (n_bytes > 0) /* on the wall clock nobody shares a stack */
            memcpy(r->buf, data, n_bytes);
        in->posted_first = in->posted_last = NULL;
        r->from = l->src;
        r->got_tag = l->tag;
        r->n_bytes = n_bytes;
        r->arrival = r->done = LOGP_NEVER;
        r->state = LPI_REQ_CHARGED;
        to->waits_for = NULL;
        if (paid)
            lpi_credit_give(to, n_bytes);
        lpi_make_ready(to);
        return true;
    }
    if (to->waits_for_any || n_bytes > LPI_INLINE ||
        (!paid && c->credit < lpi_message_cost(n_bytes)))
        return false;
    m = lpi_message_new(c, n_bytes);
    if (m == NULL)
        return false;
    m->context = l->context;
    m->src = l->src;
    m->dst = to->rank;
    m->tag = l->tag;
    m->n_bytes = n_bytes;
    m->arrival = LOGP_NEVER + c->deliveries++;
    if (n_bytes > 0)
        memcpy(m->inline_data, data, n_bytes);
    if (!paid)
        c->credit -= lpi_message_cost(n_bytes);
    pend(in, m);
    return true;
}

/*
 * The short way of a receive where nothing is emulated: the first pending message, if it is the one
 * wanted and fits. Whoever takes it copies and frees it.
 * @return  NULL: not so
 */
struct lpi_message *lpi_match_take_here(struct lpi_proc *p, uint32_t context, int src, int tag,
                                        size_t capacity)
{
    struct lpi_inbox *in = &p->inbox;
    struct lpi_message *m = in->first;

    if (m == NULL || m->src != src || m->tag != tag || m->context != context ||
        m->n_bytes > capacity || in->n_any > 0 || m->arrival >= 0) /* on its way, from before */
        return NULL;
    unpend(in, m);
    lpi_credit_give(p, m->n_bytes);
    return m;
}

/* A message that had been bound to r is pending again, before all others of its source. */
int lpi_match_restore(struct lpi_proc *p, const struct logp_request *r)
{
    struct lpi_inbox *in = &p->inbox;
    const struct lpi_envelope e = {.context = r->context,
                                   .src = r->from,
                                   .dst = p->rank,
                                   .tag = r->got_tag,
                                   .n_bytes = r->n_bytes,
                                   .arrival = r->arrival,
                                   .data = r->buf};
    struct lpi_message *m = lpi_message_new(p->core, r->n_bytes);

    if (m == NULL)
        return -ENOMEM;
    lpi_message_fill(m, &e);
    p->core->credit -= lpi_message_cost(m->n_bytes); /* may go below 0: it was there before */
    m->prev = NULL;
    m->next = in->first;
    if (in->first != NULL)
        in->first->prev = m;
    else
        in->last = m;
    in->first = m;
    in->unsorted = true;
    in->n_pending++;
    if (in->index != NULL)
        lpi_index_rebuild(in);
    return 0;
}

/* Without receives from any source, what is pending need not wait for its arrival to match. */
static void match_named(struct lpi_proc *p)
{
    struct logp_request *next;

    for (struct logp_request *r = p->inbox.posted_first; r != NULL; r = next) {
        struct lpi_message *m = find_from(&p->inbox, r->context, r->src, r->tag);

        next = r->next;
        if (m != NULL)
            bind_pending(p, r, m);
    }
}

/* Match what has arrived by `until`, in the order of arrival. */
void lpi_match_arrived(struct lpi_proc *p, int64_t until)
{
    while (p->inbox.n_any > 0) {
        struct logp_request *taker = NULL;
        struct lpi_message *first = NULL;

        for (struct logp_request *r = p->inbox.posted_first; r != NULL; r = r->next) {
            struct lpi_message *m = lpi_match_find(p, r->context, r->src, r->tag, until);

            if (m != NULL && (first == NULL || arrives_before(m, first))) {
                first = m;
                taker = r;
            }
        }
        if (taker == NULL)
            return;
        bind_pending(p, taker, first);
    }
    match_named(p);
}

/* When the next match can take place, INT64_MAX: nothing that is pending is wanted. */
int64_t lpi_next_arrival(struct lpi_proc *p)
{
    int64_t next = INT64_MAX;

    for (const struct logp_request *r = p->inbox.posted_first; r != NULL; r = r->next) {
        const struct lpi_message *m = lpi_match_find(p, r->context, r->src, r->tag, INT64_MAX);

        if (m != NULL && m->arrival < next)
            next = m->arrival;
    }
    return next;
}

/*
 * Post a receive; it may be bound at once, from any source to what has arrived by `until`. The
 * caller has matched what arrived by then before.
 */
void lpi_match_post(struct lpi_proc *p, struct logp_request *r, int64_t until)
{
    struct lpi_inbox *in = &p->inbox;
    struct lpi_message *m;

    r->state = LPI_REQ_POSTED;
    r->offered = false;
    r->prev = in->posted_last;
    r->next = NULL;
    if (in->posted_last != NULL)
        in->posted_last->next = r;
    else
        in->posted_first = r;
    in->posted_last = r;
    if (r->src == LOGP_ANY_SOURCE)
        in->n_any++;
    if (p->core->room_first != NULL) /* who waits to send just this needs no room any more */
        lpi_room_posted(p);
    if (in->n_pending == 0)
        return;
    m = lpi_match_find(p, r->context, r->src, r->tag, in->n_any > 0 ? until : INT64_MAX);
    if (m != NULL)
        bind_pending(p, r, m);
}

/* After a run: what nobody received goes back to its pool; `at` is any core of the machine. */
void lpi_match_discard(struct lpi_proc *p, struct lpi_core *at)
{
    struct lpi_inbox *in = &p->inbox;

    while (in->first != NULL) {
        struct lpi_message *m = in->first;

        unpend(in, m);
        at->credit += lpi_message_cost(m->n_bytes);
        lpi_message_free(at, m);
    }
    free(in->index);
    *in = (struct lpi_inbox){0};
}
