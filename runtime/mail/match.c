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
 * Most messages wanted are among the first that are pending, and most receives taken among the
 * first that are posted: the lists are searched first, and where that is not enough, their index.
 */
#include "mail/match.h"

#include "carrier/carrier.h"
#include "delay/in_force.h"
#include "mail/index.h"
#include "mail/direct.h"
#include "mail/pool.h"
#include "mail/backpressure.h"
#include "state/remote.h"
#include "state/message.h"
#include "state/stop.h"
#include "state/run_queue.h"

#include <errno.h>
#include <limits.h>
#include <string.h>

enum { FIRST_FEW = 4 };

static bool arrives_before(const struct lpi_message *a, const struct lpi_message *b)
{
    return a->arrival < b->arrival || (a->arrival == b->arrival && a->src < b->src);
}

static inline void pend(struct lpi_inbox *in, struct lpi_message *m)
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
    if (in->indexed)
        lpi_index_pend(in, m, false);
}

static inline __attribute__((always_inline)) void unpend(struct lpi_inbox *in,
                                                         struct lpi_message *m)
{
    if (m->prev != NULL)
        m->prev->next = m->next;
    else
        in->first = m->next;
    if (m->next != NULL)
        m->next->prev = m->prev;
    else
        in->last = m->prev;
    in->n_pending--;
    if (in->indexed)
        lpi_index_unpend(in, m);
}

static bool fits(const struct lpi_label *wanted, uint32_t context, int src, int tag)
{
    return (wanted->tag == tag || wanted->tag == LOGP_ANY_TAG) &&
           (wanted->src == src || wanted->src == LOGP_ANY_SOURCE) && wanted->context == context;
}

static bool is_for(const struct lpi_message *m, const struct lpi_label *l)
{
    return fits(l, m->context, m->src, m->tag);
}

static struct lpi_label label_of(const struct logp_request *r)
{
    return (struct lpi_label){r->context, r->src, r->tag};
}

/* Does one of the same source come before m in the list? */
static bool overtakes(const struct lpi_message *m, const struct lpi_label *l)
{
    for (const struct lpi_message *i = m->prev; i != NULL; i = i->prev)
        if (i->src == m->src && is_for(i, l))
            return true;
    return false;
}

/*
 * The message that such a receive takes, whenever it arrives: of a named source the first; of any,
 * the earliest arrival of those that overtake none of their own source.
 * @return  false: not found among so many, and there are more
 */
static bool search(const struct lpi_inbox *in, const struct lpi_label *l, int most,
                   struct lpi_message **best)
{
    struct lpi_message *m = in->first;

    *best = NULL;
    if (l->src != LOGP_ANY_SOURCE || !in->unsorted) {
        for (; m != NULL && most > 0; m = m->next, most--)
            if (is_for(m, l)) {
                *best = m;
                return true;
            }
        return m == NULL;
    }
    for (; m != NULL && most > 0; m = m->next, most--)
        if (is_for(m, l) && (*best == NULL || arrives_before(m, *best)) && !overtakes(m, l))
            *best = m;
    return m == NULL;
}

static struct lpi_message *find(struct lpi_inbox *in, const struct lpi_label *l)
{
    struct lpi_message *m;

    if (!in->indexed) {
        if (search(in, l, LPI_FEW, &m))
            return m;
        lpi_index_make(in);
    }
    if (in->indexed) {
        m = lpi_index_find(in, l);
        if (in->indexed)
            return m;
    }
    search(in, l, INT_MAX, &m); /* there is no memory for an index */
    return m;
}

/* The message that a receive with these arguments takes at time `until`; NULL: none has arrived. */
struct lpi_message *lpi_match_find(struct lpi_proc *p, uint32_t context, int src, int tag,
                                   int64_t until)
{
    struct lpi_message *m = find(&p->inbox, &(struct lpi_label){context, src, tag});

    return m != NULL && m->arrival <= until ? m : NULL;
}

/* The first posted receive that takes such a message at once, if it has so much room. */
static struct logp_request *taker(struct lpi_inbox *in, const struct lpi_label *l, size_t space)
{
    struct logp_request *r = in->posted_first;

    if (in->n_any > 0)
        return NULL;
    for (int n = 0; !in->indexed && r != NULL; r = r->next) {
        if ((r->tag == l->tag || r->tag == LOGP_ANY_TAG) && r->src == l->src &&
            r->context == l->context && r->capacity >= space)
            return r;
        if (++n == LPI_FEW)
            lpi_index_make(in);
    }
    return in->indexed ? lpi_index_taker(in, l, space) : NULL;
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
    if (in->indexed)
        lpi_index_unpost(in, r);
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
static inline __attribute__((always_inline)) void matched_now(struct lpi_proc *p,
                                                              struct logp_request *r)
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
    /* one that has stopped is to find that out */
    wake_at(p, r->done != LOGP_STOPPED ? r->done : lpi_later(p, r->arrival));
}

static inline __attribute__((always_inline)) void fill(struct lpi_proc *p, void *buf,
                                                       const struct lpi_envelope *e)
{
    void *to = lpi_resident(p, buf);

    if (to != NULL)
        memcpy(to, e->data, e->n_bytes);
    else
        lpi_stop(p->core->machine, -ENOMEM);
}

/* Explored: r takes a message whose sender is to be told. */
static void take_asking(struct lpi_proc *p, struct logp_request *r, const struct lpi_envelope *e)
{
    struct lpi_proc *from = &p->core->machine->procs[e->src];
    struct logp_request *s = e->request;
    const int64_t met = e->arrival > r->posted ? e->arrival : r->posted;

    r->state = LPI_REQ_BOUND;
    if (e->n_bytes > 0 && r->buf != NULL) /* or its program has ended */
        fill(p, r->buf, e);
    matched_now(p, r);
    s->answered = lpi_after(met, s->cts_ns);
    if (from->waits_for_any)
        wake_at(from, lpi_later(from, s->answered));
}

/* r has met a message that is more than its payload, or has that come later: from another process,
 * or of a send that waits for it; then the answer goes out. */
static __attribute__((noinline)) void send_cts(struct lpi_proc *p, struct logp_request *r,
                                               const struct lpi_envelope *e)
{
    const int64_t met = e->arrival > r->posted ? e->arrival : r->posted;
    struct lpi_envelope answer = {
        .context = e->context, .src = p->rank, .tag = e->tag, .request = r, .kind = LPI_CTS};
    int rc;

    if (e->kind == LPI_SYNC_SEND) {
        take_asking(p, r, e);
        return;
    }
    r->state = LPI_REQ_CTS_SENT;
    if (e->kind == LPI_ON_ITS_WAY) {
        e->cargo->request = r;
        return;
    }
    answer.dst = e->rendezvous->sender->rank;
    answer.rendezvous = e->rendezvous;
    answer.arrival = e->arrival < 0 ? LOGP_NEVER : lpi_after(met, e->rendezvous->latency);
    rc = p->core->machine->answer(p, e->rendezvous->sender, &answer);
    if (rc != 0)
        lpi_stop(p->core->machine, rc);
}

/* The answer to a send of p. */
static void take_cts(struct lpi_proc *p, const struct lpi_envelope *e)
{
    struct lpi_rendezvous *z = e->rendezvous;

    z->at = e->arrival;
    z->request = e->request;
    if (p->state == LPI_SENDING || p->state == LPI_POLLING || p->waits_for_any)
        wake_at(p, z->at < 0 ? z->at : lpi_later(p, z->at));
}

/* The payload of such a send comes to the receive that it has met, if that is still there. */
static void meet_postcondition(struct lpi_proc *p, const struct lpi_envelope *e)
{
    struct logp_request *r = e->request;

    if (p->state == LPI_ENDED || r->state != LPI_REQ_CTS_SENT)
        return;
    r->arrival = e->arrival;
    r->state = LPI_REQ_BOUND;
    if (e->n_bytes > 0 && r->buf != NULL) /* or its program has ended */
        fill(p, r->buf, e);
    matched_now(p, r);
}

/* An answer or a payload: it goes to whom it is for, and waits for nothing. */
static __attribute__((noinline)) void hand_over(struct lpi_proc *p, struct lpi_core *at,
                                                const struct lpi_envelope *e)
{
    if (e->kind == LPI_CTS)
        take_cts(p, e);
    else
        meet_postcondition(p, e);
    if (e->is_paid)
        lpi_credit_give(p, e->n_bytes);
    if (e->message != NULL) {
        e->message->kind = LPI_EAGER;
        lpi_message_free(at, e->message);
    }
}

/*
 * A posted receive takes a message, whose payload goes to the buffer here. Too small a buffer: the
 * receive fails, the message stays.
 * @return  true: taken
 */
static inline __attribute__((always_inline)) bool bind(struct lpi_proc *p, struct logp_request *r,
                                                       const struct lpi_envelope *e)
{
    const bool taken = e->n_bytes <= r->capacity;

    if (e->kind == LPI_IN_PLACE)
        lpi_direct_complete(p, r);
    else
        lpi_direct_withdraw(p, r);
    lpi_match_unpost(p, r);
    r->from = e->src;
    r->got_tag = e->tag;
    r->n_bytes = e->n_bytes;
    r->arrival = e->arrival;
    if (__builtin_expect(e->kind >= LPI_ON_ITS_WAY, false) && taken) {
        if (e->message != NULL && e->kind != LPI_ON_ITS_WAY)
            e->message->kind = LPI_EAGER; /* as it is in the pool */
        send_cts(p, r, e);
        return true;
    }
    r->state = taken ? LPI_REQ_BOUND : LPI_REQ_FAILED;
    if (taken && e->n_bytes > 0 && e->kind != LPI_IN_PLACE)
        fill(p, r->buf, e);
    matched_now(p, r);
    return taken;
}

/* r takes m, which is pending. */
static inline __attribute__((always_inline)) bool take(struct lpi_proc *p, struct logp_request *r,
                                                       struct lpi_message *m,
                                                       const struct lpi_envelope *e)
{
    if (!bind(p, r, e))
        return false;
    unpend(&p->inbox, m);
    lpi_credit_give(p, m->n_bytes);
    lpi_message_free(p->core, m);
    return true;
}

/* The same of one whose payload comes later. */
static __attribute__((noinline)) bool take_unpaid(struct lpi_proc *p, struct logp_request *r,
                                                  struct lpi_message *m)
{
    const struct lpi_envelope e = lpi_envelope_of_any(m, false);

    if (e.kind != LPI_ON_ITS_WAY)
        return take(p, r, m, &e);
    if (!bind(p, r, &e))
        return false;
    unpend(&p->inbox, m); /* it is needed until that has come */
    return true;
}

static bool bind_pending(struct lpi_proc *p, struct logp_request *r, struct lpi_message *m)
{
    const struct lpi_envelope e = lpi_envelope_of(m, false);

    if (__builtin_expect(m->kind != LPI_EAGER, false))
        return take_unpaid(p, r, m);
    return take(p, r, m, &e);
}

void lpi_match_come(struct lpi_cargo *l)
{
    struct lpi_message *m = l->message;
    struct logp_request *r = l->request;

    if (m != NULL)
        m->kind = LPI_EAGER;
    if (r == NULL && !l->is_dropped)
        return; /* it is pending */
    if (r != NULL && m != NULL)
        memcpy(r->buf, m->data, m->n_bytes);
    if (m != NULL) {
        lpi_credit_give(l->to, m->n_bytes);
        lpi_message_free(l->to->core, m);
    }
    if (r != NULL) {
        r->state = LPI_REQ_BOUND;
        matched_now(l->to, r);
    }
}

/* Would r, which is posted, take the next message with its label at once? */
bool lpi_match_is_first(struct lpi_proc *p, const struct logp_request *r)
{
    const struct lpi_label l = label_of(r);

    return taker(&p->inbox, &l, 0) == r;
}

/* The posted receive that would take this message at once; NULL: it would be pending. */
struct logp_request *lpi_match_wanted(struct lpi_proc *p, const struct lpi_envelope *e)
{
    return taker(&p->inbox, &(struct lpi_label){e->context, e->src, e->tag}, e->n_bytes);
}

/*
 * A message reaches its destination, whose core the caller holds.
 * @return  0; -ENOBUFS, -EMSGSIZE, -ENOMEM: it has not been delivered
 */
int lpi_deliver(struct lpi_proc *p, struct lpi_core *at, const struct lpi_envelope *e)
{
    struct lpi_inbox *in = &p->inbox;
    struct lpi_message *m = e->message;

    if (__builtin_expect(e->kind >= LPI_CTS, false)) {
        hand_over(p, at, e);
        return 0;
    }
    if (in->posted_first != NULL) {
        const struct lpi_label l = {e->context, e->src, e->tag};
        struct logp_request *r;

        while ((r = taker(in, &l, 0)) != NULL) {
            if (!bind(p, r, e))
                continue;
            if (e->is_paid)
                lpi_credit_give(p, e->n_bytes);
            if (m != NULL)
                lpi_message_free(at, m);
            return 0;
        }
    }
    if (!e->is_paid) {
        if (at->credit < lpi_message_cost(e->n_bytes)) {
            const int rc = lpi_credit_refill(at, lpi_message_cost(e->n_bytes));

            if (rc != 0)
                return rc;
        }
    }
    if (m == NULL) {
        m = lpi_message_new(at, lpi_held_bytes(e));
        if (m == NULL)
            return -ENOMEM;
        lpi_message_fill(m, e);
    }
    if (__builtin_expect(e->kind == LPI_ON_ITS_WAY, false))
        e->cargo->message = m;
    if (!e->is_paid)
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
    } else if (p->state == LPI_SYNC && e->kind == LPI_RTS) {
        lpi_match_rts(p);
    }
    return 0;
}

/*
 * The short way of a short message where nothing is emulated. As lpi_deliver() in the two common
 * cases: the receiver waits for just this message, or has posted nothing.
 * @return  false: neither; nothing has been done
 */
bool lpi_deliver_here(struct lpi_proc *to, struct lpi_core *c, const struct lpi_label *l,
                      const void *data, size_t n_bytes, bool is_paid)
{
    struct lpi_inbox *in = &to->inbox;
    struct logp_request *r = in->posted_first;
    struct lpi_message *m;

    if (r != NULL) {
        if (to->waits_for != r || r->next != NULL || in->indexed || r->exposed ||
            r->src != l->src || r->tag != l->tag || r->context != l->context ||
            r->capacity < n_bytes)
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
        if (is_paid)
            lpi_credit_give(to, n_bytes);
        lpi_make_ready(to);
        return true;
    }
    if (to->waits_for_any || n_bytes > LPI_INLINE ||
        (!is_paid && c->credit < lpi_message_cost(n_bytes)))
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
    if (!is_paid)
        c->credit -= lpi_message_cost(n_bytes);
    pend(in, m);
    return true;
}

/*
 * The short way of a receive where nothing is emulated: one of the first pending messages, if it is
 * the one wanted and fits. Whoever takes it copies and frees it.
 * @return  NULL: not so
 */
struct lpi_message *lpi_match_take_here(struct lpi_proc *p, uint32_t context, int src, int tag,
                                        size_t capacity)
{
    struct lpi_inbox *in = &p->inbox;
    struct lpi_message *m = in->first;

    for (int k = 1; m != NULL && (m->src != src || m->tag != tag || m->context != context); k++)
        m = k < FIRST_FEW ? m->next : NULL;
    if (m == NULL || m->n_bytes > capacity || in->n_any > 0 || m->kind != LPI_EAGER ||
        m->arrival >= 0) /* on its way, from before */
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
    if (in->indexed)
        lpi_index_pend(in, m, true);
    return 0;
}

/* The first to meet, by (arrival, source) and the order of posting; NULL: there is none. */
static struct logp_request *first_to_meet(struct lpi_inbox *in, struct lpi_message **first)
{
    struct logp_request *best = NULL;
    int n = 0;

    for (struct logp_request *r = in->posted_first; !in->indexed && r != NULL; r = r->next) {
        const struct lpi_label l = label_of(r);
        struct lpi_message *m = find(in, &l);

        if (m != NULL && (best == NULL || arrives_before(m, *first))) {
            best = r;
            *first = m;
        }
        if (++n == LPI_FEW)
            lpi_index_make(in);
    }
    return in->indexed ? lpi_index_ready(in, true, first) : best;
}

/* The first that something is pending for, whenever it arrives; NULL: there is none. */
static struct logp_request *first_served(struct lpi_inbox *in, struct lpi_message **m)
{
    int n = 0;

    for (struct logp_request *r = in->posted_first; !in->indexed && r != NULL; r = r->next) {
        const struct lpi_label l = label_of(r);

        *m = find(in, &l);
        if (*m != NULL)
            return r;
        if (++n == LPI_FEW)
            lpi_index_make(in);
    }
    return in->indexed ? lpi_index_ready(in, false, m) : NULL;
}

/* Match what has arrived by `until`, in the order of arrival. */
void lpi_match_arrived(struct lpi_proc *p, int64_t until)
{
    struct logp_request *r;
    struct lpi_message *m;

    if (until == LOGP_NEVER && p->inbox.n_any > 0) /* nothing has */
        return;
    while (p->inbox.n_any > 0) {
        r = first_to_meet(&p->inbox, &m);
        if (r == NULL || m->arrival > until)
            return;
        bind_pending(p, r, m);
    }
    /* without receives from any source, what is pending need not wait for its arrival */
    while ((r = first_served(&p->inbox, &m)) != NULL)
        bind_pending(p, r, m);
}

/* p waits for others, and not for messages: a sender that waits may be one of those. So what has
 * been sent is matched although it has not arrived, in the order of arrival, where one of them
 * asks. */
void lpi_match_rts(struct lpi_proc *p)
{
    const struct lpi_message *m = p->inbox.first;

    if (p->inbox.n_any == 0 || p->core->machine->explore != NULL)
        return;
    while (m != NULL && m->kind != LPI_RTS)
        m = m->next;
    if (m != NULL)
        lpi_match_arrived(p, INT64_MAX);
}

/* When the next match can take place, INT64_MAX: nothing that is pending is wanted. */
int64_t lpi_next_arrival(struct lpi_proc *p)
{
    struct lpi_message *m;

    /* without a receive from any source none that is pending is */
    return p->inbox.n_any > 0 && first_to_meet(&p->inbox, &m) != NULL ? m->arrival : INT64_MAX;
}

/* r has been posted, and there is more than other receives: apart from the common case. */
static __attribute__((noinline)) void serve(struct lpi_proc *p, struct logp_request *r,
                                            int64_t until)
{
    struct lpi_inbox *in = &p->inbox;
    struct lpi_message *m;

    if (in->indexed)
        lpi_index_post(in, r);
    if (in->n_pending == 0)
        return;
    m = lpi_match_find(p, r->context, r->src, r->tag, in->n_any > 0 ? until : INT64_MAX);
    if (m != NULL)
        bind_pending(p, r, m);
}

/*
 * Post a receive; it may be bound at once, from any source to what has arrived by `until`. The
 * caller has matched what arrived by then before.
 */
void lpi_match_post(struct lpi_proc *p, struct logp_request *r, int64_t until)
{
    struct lpi_inbox *in = &p->inbox;

    r->state = LPI_REQ_POSTED;
    r->exposed = false;
    r->prev = in->posted_last;
    r->next = NULL;
    if (in->posted_last != NULL)
        in->posted_last->next = r;
    else
        in->posted_first = r;
    in->posted_last = r;
    if (r->src == LOGP_ANY_SOURCE)
        in->n_any++;
    if (p->core->space.first != NULL) /* who waits to send just this needs no room any more */
        lpi_space_posted(p);
    if (in->indexed || in->n_pending > 0)
        serve(p, r, until);
}

/* ---- while choices are explored: core/explore.c ---- */

/* The first posted receive that m fits, and of its source nothing sent before it. */
static struct logp_request *first_fit(const struct lpi_inbox *in, const struct lpi_message *m)
{
    struct logp_request *r = in->posted_first;

    for (; r != NULL; r = r->next) {
        const struct lpi_label l = label_of(r);

        if (is_for(m, &l) && !overtakes(m, &l))
            break;
    }
    return r;
}

void lpi_match_candidates(struct lpi_proc *p,
                          bool (*takes)(void *arg, const struct lpi_message *m,
                                        const struct logp_request *r),
                          void *arg)
{
    struct lpi_message *m = p->inbox.first;

    while (m != NULL) {
        struct logp_request *r = first_fit(&p->inbox, m);
        struct lpi_message *next = m->next;

        if (takes(arg, m, r) && !bind_pending(p, r, m))
            continue; /* too small: m is for the next */
        m = next;
    }
}

static bool overlap(const struct lpi_label *a, const struct lpi_label *b)
{
    return a->context == b->context &&
           (a->src == b->src || a->src == LOGP_ANY_SOURCE || b->src == LOGP_ANY_SOURCE) &&
           (a->tag == b->tag || a->tag == LOGP_ANY_TAG || b->tag == LOGP_ANY_TAG);
}

bool lpi_match_mark(struct lpi_proc *p, const struct lpi_label *label,
                    struct logp_request *const *requests, int n)
{
    bool any_tag = false;

    for (struct logp_request *r = p->inbox.posted_last; r != NULL; r = r->prev) {
        const struct lpi_label l = label_of(r);

        any_tag = any_tag || r->tag == LOGP_ANY_TAG;
        r->hinders = label != NULL && overlap(&l, label);
        for (const struct logp_request *q = r->next; !r->hinders && q != NULL; q = q->next)
            r->hinders = q->matters && overlap(&l, &(struct lpi_label){q->context, q->src, q->tag});
        r->matters = r->hinders;
        for (int i = 0; !r->matters && i < n; i++)
            r->matters = requests[i] == r;
    }
    return any_tag;
}

void lpi_match_meet(struct lpi_proc *p, const struct lpi_label *label, int64_t until)
{
    for (struct lpi_message *m = p->inbox.first; m != NULL; m = m->next) {
        struct logp_request *r = is_for(m, label) ? first_fit(&p->inbox, m) : NULL;

        if (r == NULL || m->arrival > until)
            continue;
        bind_pending(p, r, m);
        lpi_match_arrived(p, LOGP_NEVER); /* it was the last from any source: named ones, now */
        return;
    }
}

/* The program has ended: nothing that it posted may be written to any more. */
void lpi_match_close(struct lpi_proc *p)
{
    struct lpi_inbox *in = &p->inbox;

    in->posted_first = in->posted_last = NULL;
    in->n_any = 0;
    lpi_index_free(in);
}

/* After a run: what nobody received goes back to its pool; `at` is any core of the machine. */
void lpi_match_discard(struct lpi_proc *p, struct lpi_core *at)
{
    struct lpi_inbox *in = &p->inbox;

    while (in->first != NULL) {
        struct lpi_message *m = in->first;

        unpend(in, m);
        m->kind = LPI_EAGER;
        at->credit += lpi_message_cost(m->n_bytes);
        lpi_message_free(at, m);
    }
    lpi_index_free(in);
    *in = (struct lpi_inbox){0};
}
