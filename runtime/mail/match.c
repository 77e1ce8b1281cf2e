/* SPDX-License-Identifier: MIT */
/*
 * Messages and receives are matched by (context, source, tag), in the order sent and in the order
 * posted.
 *
 * A vp has a list of pending messages in the order of delivery, which for each source is the order
 * of sending. It has a list of posted receives in the order of posting. While no any-source
 * receive is posted, a message is matched when it is delivered, since the match does not depend on
 * its arrival time. An any-source receive takes the earliest arrival. So while one is posted,
 * messages are matched when they arrive, in the order of (arrival, source). A message that arrives
 * before an earlier one of its source waits for it, if the first receive that it fits may still
 * take that one: see first_fit().
 *
 * Invariant between calls: without an any-source receive, no pending message matches a posted
 * receive.
 *
 * Most matches are found near the head of a list. So the lists are searched first, and their index
 * (index.c) only after LPI_FEW items.
 */

#include "carrier/carrier.h"
#include "delay/delay.h"
#include "mail/mail.h"
#include "state/message.h"
#include "state/stop.h"
#include "state/run_queue.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_FEW = 4, LEAST_PIECE = 16384, MOST_PIECES = 64 };

static bool arrives_before(const struct lpi_message *a, const struct lpi_message *b)
{
    return a->arrival < b->arrival || (a->arrival == b->arrival && a->src < b->src);
}

/* Add m to the pending list, before another message (NULL: behind all). */
static inline __attribute__((always_inline)) void add(struct lpi_inbox *in, struct lpi_message *m,
                                                      struct lpi_message *before)
{
    m->prev = before != NULL ? before->prev : in->last;
    m->next = before;
    if (m->prev != NULL)
        m->prev->next = m;
    else
        in->first = m;
    if (m->next != NULL)
        m->next->prev = m;
    else
        in->last = m;
    in->n_pending++;
    if (in->indexed)
        lpi_index_pend(in, m, before);
}

static inline void pend(struct lpi_inbox *in, struct lpi_message *m)
{
    if (in->n_pending == 0)
        in->unsorted = false;
    else if (arrives_before(m, in->last))
        in->unsorted = true;
    add(in, m, NULL);
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

/* Whether a message of m's source that l fits comes before m in the list. */
static bool overtakes(const struct lpi_message *m, const struct lpi_label *l)
{
    for (const struct lpi_message *i = m->prev; i != NULL; i = i->prev)
        if (i->src == m->src && lpi_label_fits(l, &i->label))
            return true;
    return false;
}

/* The first posted receive that m fits, of those posted before `end`. @return `end`: there is none */
static struct logp_request *first_before(const struct lpi_inbox *in, const struct lpi_message *m,
                                         struct logp_request *end)
{
    struct logp_request *r = in->posted_first;

    while (r != end && !lpi_label_fits(&r->label, &m->label))
        r = r->next;
    return r;
}

/*
 * Find the earliest arrival among the messages that l fits and that are the first such message of
 * their source. A message that fits a receive posted before `end` is left to that receive.
 * @return  false: there are more than `most` messages, so this may be wrong
 */
static bool search_earliest(const struct lpi_inbox *in, const struct lpi_label *l,
                            struct logp_request *end, int most, struct lpi_message **best)
{
    struct lpi_message *m = in->first;

    for (*best = NULL; m != NULL && most > 0; m = m->next, most--)
        if (lpi_label_fits(l, &m->label) && (*best == NULL || arrives_before(m, *best)) &&
            !overtakes(m, l) && first_before(in, m, end) == end)
            *best = m;
    return m == NULL;
}

/*
 * Find the message that a receive with label l takes, whenever it arrives. With a named source it
 * is the first that fits. With any source it is the earliest arrival among the firsts of each
 * source.
 * @return  false: the first `most` messages do not decide it, and there are more
 */
static bool search(const struct lpi_inbox *in, const struct lpi_label *l, int most,
                   struct lpi_message **best)
{
    struct lpi_message *m = in->first;

    if (l->src == LOGP_ANY_SOURCE && in->unsorted)
        return search_earliest(in, l, in->posted_first, most, best);
    while (m != NULL && most > 0 && !lpi_label_fits(l, &m->label)) {
        m = m->next;
        most--;
    }
    *best = most > 0 ? m : NULL;
    return *best != NULL || m == NULL;
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
    search(in, l, INT_MAX, &m); /* no memory for an index */
    return m;
}

/* The receive that m would take if it came now: the first posted one that it fits. NULL: there is
 * none, or m must wait, since an earlier message of its source fits that receive too. */
static struct logp_request *first_fit(const struct lpi_inbox *in, const struct lpi_message *m)
{
    struct logp_request *r = first_before(in, m, NULL);

    return r == NULL || overtakes(m, &r->label) ? NULL : r;
}

/* Whether a message of a source may have arrived before one that a posted receive takes first. */
static bool may_wait_for_another(const struct lpi_inbox *in)
{
    return in->unsorted && in->n_any > 0 && in->any_tag;
}

/* As find(), but a message that fits a receive posted before r (NULL: posted at all) is left to
 * it. */
static struct lpi_message *find_for(struct lpi_inbox *in, const struct lpi_label *l,
                                    struct logp_request *r)
{
    struct lpi_message *m;

    if (!may_wait_for_another(in))
        return find(in, l);
    search_earliest(in, l, r, INT_MAX, &m);
    return m;
}

/* The message that a receive with label l, posted now, takes at time `until`; NULL: none has
 * arrived. */
struct lpi_message *lpi_match_find(struct lpi_proc *p, const struct lpi_label *l, int64_t until)
{
    struct lpi_message *m = find_for(&p->inbox, l, NULL);

    return m != NULL && m->arrival <= until ? m : NULL;
}

/* The first posted receive that takes such a message at once and has this capacity; NULL: the
 * message would be pending. */
struct logp_request *lpi_match_taker(struct lpi_inbox *in, const struct lpi_label *l, size_t space)
{
    struct logp_request *r = in->posted_first;

    if (in->n_any > 0)
        return NULL;
    for (int n = 0; !in->indexed && r != NULL; r = r->next) {
        if ((r->tag == l->tag || r->tag == LOGP_ANY_TAG) && r->src == l->src &&
            r->context == l->context && (r->capacity >= space || lpi_takes_specially(r, space)))
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
    in->any_tag = in->any_tag && in->posted_first != NULL;
    if (in->indexed)
        lpi_index_unpost(in, r);
}

/* If the vp waits for r, give it its deadline. */
static inline __attribute__((always_inline)) void matched_now(struct lpi_proc *p,
                                                              struct logp_request *r)
{
    if (p->waits_for_any) { /* it polls when it is woken */
        lpi_wake_for(p, r->arrival);
        return;
    }
    if (p->waits_for != r || r->arrival > p->wait_until) /* the wait ends before the arrival */
        return;
    p->waits_for = NULL;
    if (r->state == LPI_REQ_BOUND)
        lpi_charge_recv(p, r);
    else
        r->done = lpi_later(p, r->arrival);
    /* a vp that the delay model has halted must run to find that out */
    lpi_wake_at(p, r->done != LOGP_STOPPED ? r->done : lpi_later(p, r->arrival));
}

/* The payload of e, which is made in pieces, goes through r's drain. */
static int pass_on(const struct logp_request *r, const struct lpi_envelope *e, size_t n)
{
    const size_t piece = n / MOST_PIECES > LEAST_PIECE ? n / MOST_PIECES : LEAST_PIECE;
    char *bytes = malloc(piece < n ? piece : n);

    if (bytes == NULL)
        return -ENOMEM;
    for (size_t at = 0; at < n; at += piece) {
        const size_t here = n - at < piece ? n - at : piece;

        e->made_by->fill(e->made_by->arg, at, bytes, here);
        r->drain(r->drain_arg, at, bytes, here);
    }
    free(bytes);
    return 0;
}

/* Not after the program of an explored run has ended. */
static bool has_place(const struct logp_request *r)
{
    return r->buf != NULL || (r->special && r->drain != NULL);
}

/* r is special, or the payload of e is made. */
static __attribute__((noinline)) void
fill_specially(struct lpi_proc *p, const struct logp_request *r, const struct lpi_envelope *e)
{
    const size_t n = r->special && r->space < e->n_bytes ? r->space : e->n_bytes;
    int rc = 0;

    if (n == 0 || !has_place(r))
        return;
    if (!r->special || r->drain == NULL) {
        void *to = lpi_resident(p, r->buf);

        if (to != NULL)
            lpi_payload_copy(e, to, n);
        else
            rc = -ENOMEM;
    } else if (e->made_by == NULL) {
        r->drain(r->drain_arg, 0, e->data, n);
    } else {
        rc = pass_on(r, e, n);
    }
    if (rc != 0)
        lpi_stop(p->core->machine, rc);
}

static inline __attribute__((always_inline)) void
fill_plainly(struct lpi_proc *p, struct logp_request *r, const struct lpi_envelope *e)
{
    void *to = lpi_resident(p, r->buf);

    if (to != NULL)
        memcpy(to, e->data, e->n_bytes);
    else
        lpi_stop(p->core->machine, -ENOMEM);
}

/* Copy the payload of e to where r wants it. */
static inline __attribute__((always_inline)) void fill(struct lpi_proc *p, struct logp_request *r,
                                                       const struct lpi_envelope *e)
{
    if (__builtin_expect(r->special || e->made_by != NULL, false))
        fill_specially(p, r, e);
    else
        fill_plainly(p, r, e);
}

void lpi_match_complete(struct lpi_proc *p, struct logp_request *r, const struct lpi_envelope *e)
{
    r->state = LPI_REQ_BOUND;
    if (e->n_bytes > 0 && has_place(r))
        fill(p, r, e);
    matched_now(p, r);
}

/*
 * Bind a receive, which is posted or about to be, to a message and copy the payload. If the buffer
 * is too small, the receive fails and the message stays.
 * @param delivery  the number of that of the message
 * @return  true: the message is taken
 */
static inline __attribute__((always_inline)) bool bind(struct lpi_proc *p, struct logp_request *r,
                                                       const struct lpi_envelope *e,
                                                       unsigned delivery, bool is_posted,
                                                       bool is_plain)
{
    const bool taken =
        e->n_bytes <= r->capacity || (!is_plain && lpi_takes_specially(r, e->n_bytes));

    if (e->kind == LPI_IN_PLACE)
        lpi_direct_complete(p, r);
    else
        lpi_direct_withdraw(p, r);
    if (is_posted)
        lpi_match_unpost(p, r);
    r->delivery = delivery;
    r->from = e->src;
    r->got_tag = e->tag;
    r->n_bytes = e->n_bytes;
    r->bits = e->bits;
    r->arrival = e->arrival;
    if (__builtin_expect(e->kind >= LPI_ON_ITS_WAY, false) && taken) {
        if (e->message != NULL && e->kind != LPI_ON_ITS_WAY)
            e->message->kind = LPI_EAGER; /* the pool's messages are eager */
        lpi_rendezvous_match(p, r, e);
        return true;
    }
    r->state = taken ? LPI_REQ_BOUND : LPI_REQ_FAILED;
    if (taken && e->n_bytes > 0 && e->kind != LPI_IN_PLACE) {
        if (is_plain)
            fill_plainly(p, r, e);
        else
            fill(p, r, e);
    }
    matched_now(p, r);
    return taken;
}

/* r takes m, a pending message. */
static inline __attribute__((always_inline)) bool take(struct lpi_proc *p, struct logp_request *r,
                                                       struct lpi_message *m,
                                                       const struct lpi_envelope *e, bool is_posted,
                                                       bool is_plain)
{
    if (!bind(p, r, e, m->delivery, is_posted, is_plain))
        return false;
    unpend(&p->inbox, m);
    if (!is_plain && e->kind == LPI_ON_ITS_WAY) /* its payload is still arriving */
        return true;
    lpi_credit_give(p, lpi_held_bytes(e));
    lpi_message_free(p->core, m);
    return true;
}

/* The same for a message that is not eager, or a special receive. */
static __attribute__((noinline)) bool take_unusual(struct lpi_proc *p, struct logp_request *r,
                                                   struct lpi_message *m, bool is_posted)
{
    const struct lpi_envelope e = lpi_envelope_of_any(m, false);

    return take(p, r, m, &e, is_posted, false);
}

/* r, which is posted or about to be, takes m, a pending message. @return false: m is too large */
static bool bind_pending(struct lpi_proc *p, struct logp_request *r, struct lpi_message *m,
                         bool is_posted)
{
    const struct lpi_envelope e = lpi_envelope_of(m, false);

    if (__builtin_expect(m->kind != LPI_EAGER || r->special, false))
        return take_unusual(p, r, m, is_posted);
    return take(p, r, m, &e, is_posted, true);
}

/*
 * Deliver a message to p, whose core the caller holds.
 * @return  0; -ENOBUFS, -EMSGSIZE, -ENOMEM: it has not been delivered
 */
int lpi_deliver(struct lpi_proc *p, struct lpi_core *at, const struct lpi_envelope *e)
{
    struct lpi_inbox *in = &p->inbox;
    struct lpi_message *m = e->message;

    if (__builtin_expect(e->kind >= LPI_CTS, false)) {
        lpi_rendezvous_deliver(p, e);
        return 0;
    }
    if (in->posted_first != NULL) {
        struct logp_request *r;

        while ((r = lpi_match_taker(in, &e->label, 0)) != NULL) {
            if (!bind(p, r, e, (unsigned)at->deliveries++, true, false))
                continue;
            if (e->is_paid)
                lpi_credit_give(p, lpi_held_bytes(e));
            if (m != NULL)
                lpi_message_free(at, m);
            return 0;
        }
    }
    if (!e->is_paid && at->credit < lpi_queue_cost(e)) {
        const int rc = lpi_credit_refill(at, lpi_queue_cost(e));

        if (rc != 0)
            return rc;
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
        at->credit -= lpi_queue_cost(e);
    m->delivery = (unsigned)at->deliveries++;
    if (e->arrival == LOGP_NEVER) /* no delay: arrivals follow the order of delivery */
        m->arrival = LOGP_NEVER + at->deliveries;
    pend(in, m);
    if (p->waits_for_any) {
        lpi_wake_for(p, m->arrival);
    } else if (in->n_any > 0 && p->waits_for != NULL) {
        /* it polls again when the next message arrives */
        const int64_t at_ns = lpi_next_arrival(p);

        if (at_ns != INT64_MAX)
            lpi_wake_at(p, lpi_later(p, at_ns));
    }
    return 0;
}

/*
 * The fast path of a short message: lpi_deliver() without a delay, in the common cases. The first
 * receive that is posted takes it, no receive is posted, or the receiver waits for another message
 * alone. All receives name their source and tag.
 * @return  false: none of these; nothing has been done
 */
bool lpi_deliver_here(struct lpi_proc *to, const struct lpi_label *l, const void *data,
                      size_t n_bytes, uint64_t bits, bool is_paid)
{
    struct lpi_core *c = to->core;
    struct lpi_inbox *in = &to->inbox;
    struct logp_request *r = in->posted_first;
    struct lpi_message *m;

    if (r != NULL && (in->n_any > 0 || in->any_tag))
        return false;
    if (r != NULL && lpi_label_is(&r->label, l)) {
        if (r->exposed || r->capacity < n_bytes)
            return false;
        if (n_bytes > 0) /* on the wall clock vps do not share stacks */
            memcpy(r->buf, data, n_bytes);
        in->posted_first = r->next;
        if (r->next != NULL)
            r->next->prev = NULL;
        else
            in->posted_last = NULL;
        if (in->indexed)
            lpi_index_unpost(in, r);
        r->delivery = (unsigned)c->deliveries++;
        r->from = l->src;
        r->got_tag = l->tag;
        r->n_bytes = n_bytes;
        r->bits = bits;
        r->arrival = LOGP_NEVER;
        r->state = LPI_REQ_BOUND;
        if (is_paid)
            lpi_credit_give(to, n_bytes);
        if (to->waits_for == r) {
            to->waits_for = NULL;
            r->state = LPI_REQ_CHARGED;
            r->done = LOGP_NEVER;
            lpi_make_ready(to);
        } else if (to->waits_for_any) {
            lpi_make_ready(to);
        }
        return true;
    }
    if (r != NULL && (to->waits_for != r || r->next != NULL))
        return false;
    if (to->waits_for_any || n_bytes > LPI_INLINE ||
        (!is_paid && c->credit < lpi_message_cost(n_bytes)))
        return false;
    m = lpi_message_new(c, n_bytes);
    if (m == NULL)
        return false;
    m->label = *l;
    m->dst = to->rank;
    m->n_bytes = n_bytes;
    m->bits = bits;
    m->delivery = (unsigned)c->deliveries++;
    m->arrival = LOGP_NEVER + c->deliveries;
    if (n_bytes > 0)
        memcpy(m->inline_data, data, n_bytes);
    if (!is_paid)
        c->credit -= lpi_message_cost(n_bytes);
    pend(in, m);
    return true;
}

/*
 * The fast path of a receive, while none from any source is posted: take the message if it is one of
 * the first that are pending, or one of many, and fits the buffer. The caller copies and frees it.
 * @return  NULL: take the slow path
 */
struct lpi_message *lpi_match_take_here(struct lpi_proc *p, const struct lpi_label *l,
                                        size_t capacity)
{
    struct lpi_inbox *in = &p->inbox;
    struct lpi_message *m = in->first;

    for (int k = 1; m != NULL && !lpi_label_is(&m->label, l); k++)
        m = k < FIRST_FEW ? m->next : NULL;
    if (m == NULL && in->n_pending > FIRST_FEW && l->tag != LOGP_ANY_TAG)
        m = find(in, l);
    if (m == NULL || m->n_bytes > capacity || m->kind != LPI_EAGER)
        return NULL;
    unpend(in, m);
    lpi_credit_give(p, m->n_bytes);
    return m;
}

/* r has taken a message. Find the first pending message that the same source sent after it. NULL: none
 * is pending */
static struct lpi_message *next_of_source(const struct lpi_inbox *in, const struct logp_request *r)
{
    struct lpi_message *m = in->first;

    while (m != NULL &&
           (m->src != r->from || m->context != r->context || (int)(m->delivery - r->delivery) < 0))
        m = m->next;
    return m;
}

/* The message that was bound to r is pending again, in its place among those of its source. The bytes
 * that r cut off, or that a drain took, are zeroes now. */
int lpi_match_restore(struct lpi_proc *p, const struct logp_request *r)
{
    struct lpi_inbox *in = &p->inbox;
    const size_t filled = !r->special ? r->n_bytes : r->drain == NULL ? r->space : 0;
    const struct lpi_envelope e = {.context = r->context,
                                   .src = r->from,
                                   .dst = p->rank,
                                   .tag = r->got_tag,
                                   .n_bytes = r->n_bytes < filled ? r->n_bytes : filled,
                                   .arrival = r->arrival,
                                   .bits = r->bits,
                                   .data = r->buf};
    struct lpi_message *m = lpi_message_new(p->core, r->n_bytes);

    if (m == NULL)
        return -ENOMEM;
    lpi_message_fill(m, &e);
    memset((char *)m->data + e.n_bytes, 0, r->n_bytes - e.n_bytes);
    m->n_bytes = r->n_bytes;
    m->delivery = r->delivery;
    p->core->credit -= lpi_message_cost(m->n_bytes); /* may be < 0: it was queued before */
    in->unsorted = true;
    add(in, m, next_of_source(in, r));
    return 0;
}

/* As next_match(), where a message may wait for another of its source. */
static struct logp_request *earliest_fit(const struct lpi_inbox *in, struct lpi_message **first)
{
    struct logp_request *best = NULL, *r;

    for (struct lpi_message *m = in->first; m != NULL; m = m->next)
        if ((best == NULL || arrives_before(m, *first)) && (r = first_fit(in, m)) != NULL) {
            best = r;
            *first = m;
        }
    return best;
}

/* The first receive to match, and its message. While a receive from any source is posted, that is
 * by (arrival, source) and the order of posting; else by the order of posting alone. NULL: none */
static struct logp_request *next_match(struct lpi_inbox *in, struct lpi_message **first)
{
    struct logp_request *best;

    if (in->first == NULL || in->posted_first == NULL)
        return NULL;
    if (may_wait_for_another(in))
        return earliest_fit(in, first);
    do {
        int n = 0;

        best = NULL;
        for (struct logp_request *r = in->posted_first; !in->indexed && r != NULL; r = r->next) {
            struct lpi_message *m = find(in, &r->label);

            if (m != NULL && (best == NULL || arrives_before(m, *first))) {
                best = r;
                *first = m;
            }
            if (best != NULL && in->n_any == 0)
                return best;
            if (++n == LPI_FEW)
                lpi_index_make(in);
        }
        if (!in->indexed)
            return best;
        best = lpi_index_ready(in, first);
    } while (!in->indexed); /* it found no memory: look at all */
    return best;
}

/* Match the messages that have arrived by `until`, in the order of arrival. Without an any-source
 * receive, a match need not wait for the arrival. */
void lpi_match_arrived(struct lpi_proc *p, int64_t until)
{
    struct lpi_inbox *in = &p->inbox;
    struct logp_request *r;
    struct lpi_message *m;

    if (until == LOGP_NEVER && in->n_any > 0) /* nothing has arrived by then */
        return;
    while ((r = next_match(in, &m)) != NULL && (in->n_any == 0 || m->arrival <= until))
        bind_pending(p, r, m, true);
}

/* When the next match can take place; INT64_MAX: no posted receive wants a pending message. */
int64_t lpi_next_arrival(struct lpi_proc *p)
{
    struct lpi_message *m;

    /* the file's invariant: without an any-source receive there is no such message */
    return p->inbox.n_any > 0 && next_match(&p->inbox, &m) != NULL ? m->arrival : INT64_MAX;
}

/* r has been posted while messages are pending or the index is in use. Out of line: rare. */
static __attribute__((noinline)) void serve(struct lpi_proc *p, struct logp_request *r,
                                            int64_t until)
{
    struct lpi_inbox *in = &p->inbox;
    struct lpi_message *m;

    if (in->indexed)
        lpi_index_post(in, r);
    if (in->n_pending == 0 || in->n_any == 0) /* else match_at_once() has looked */
        return;
    m = find_for(in, &r->label, r);
    if (m != NULL && m->arrival <= until)
        bind_pending(p, r, m, true);
}

/* No receive from any source is posted, and messages are pending: r takes one of them, if it can,
 * and is not posted. Out of line: rare. */
static __attribute__((noinline)) bool match_at_once(struct lpi_proc *p, struct logp_request *r)
{
    struct lpi_message *m = find(&p->inbox, &r->label);

    if (m != NULL)
        bind_pending(p, r, m, false);
    return m != NULL;
}

/*
 * Post a receive and match it if possible. While an any-source receive is posted, only messages
 * that have arrived by `until` count; the caller has called lpi_match_arrived() before.
 */
void lpi_match_post(struct lpi_proc *p, struct logp_request *r, int64_t until)
{
    struct lpi_inbox *in = &p->inbox;

    r->state = LPI_REQ_POSTED;
    r->exposed = false;
    if (in->n_pending > 0 && in->n_any == 0 && r->src != LOGP_ANY_SOURCE && match_at_once(p, r))
        return;
    r->prev = in->posted_last;
    r->next = NULL;
    if (in->posted_last != NULL)
        in->posted_last->next = r;
    else
        in->posted_first = r;
    in->posted_last = r;
    if (r->src == LOGP_ANY_SOURCE)
        in->n_any++;
    in->any_tag = in->any_tag || r->tag == LOGP_ANY_TAG;
    if (p->core->space.first != NULL) /* the sender of its message needs no space any more */
        lpi_space_posted(p);
    if (in->indexed || in->n_pending > 0)
        serve(p, r, until);
}

/* ---- explored runs: core/explore.c ---- */

void lpi_match_candidates(struct lpi_proc *p,
                          bool (*takes)(void *arg, const struct lpi_message *m,
                                        const struct logp_request *r),
                          void *arg)
{
    struct lpi_message *m = p->inbox.first;

    while (m != NULL) {
        struct logp_request *r = first_fit(&p->inbox, m);
        struct lpi_message *next = m->next;

        if (takes(arg, m, r) && !bind_pending(p, r, m, true))
            continue; /* r was too small: try m with the next receive */
        m = next;
    }
}

/* The number of messages of m's source that are pending and come before it. */
static int n_before(const struct lpi_message *m)
{
    int n = 0;

    for (const struct lpi_message *i = m->prev; i != NULL; i = i->prev)
        n += i->src == m->src;
    return n;
}

void lpi_match_later(struct lpi_proc *p,
                     void (*later)(void *arg, const struct lpi_message *m,
                                   const struct logp_request *r, int passed),
                     void *arg)
{
    for (const struct lpi_message *m = p->inbox.first; m != NULL; m = m->next) {
        const int n = n_before(m);

        if (n > 0)
            later(arg, m, first_before(&p->inbox, m, NULL), n);
    }
}

struct lpi_message *lpi_match_later_find(struct lpi_proc *p, int src, int passed)
{
    struct lpi_message *m = p->inbox.first;

    while (m != NULL && (m->src != src || passed-- > 0))
        m = m->next;
    return m;
}

void lpi_match_later_take(struct lpi_proc *p, struct lpi_message *m)
{
    struct logp_request *r = first_before(&p->inbox, m, NULL);

    if (r == NULL)
        return;
    bind_pending(p, r, m, true);
    lpi_match_arrived(p, LOGP_NEVER); /* as in lpi_match_label() */
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
        any_tag = any_tag || r->tag == LOGP_ANY_TAG;
        r->hinders = label != NULL && overlap(&r->label, label);
        for (const struct logp_request *q = r->next; !r->hinders && q != NULL; q = q->next)
            r->hinders = q->matters && overlap(&r->label, &q->label);
        r->matters = r->hinders;
        for (int i = 0; !r->matters && i < n; i++)
            r->matters = requests[i] == r;
    }
    return any_tag;
}

void lpi_match_label(struct lpi_proc *p, const struct lpi_label *label, int64_t until)
{
    struct lpi_message *m = find(&p->inbox, label);
    struct logp_request *r = m != NULL ? first_fit(&p->inbox, m) : NULL;

    if (r == NULL || m->arrival > until)
        return;
    bind_pending(p, r, m, true);
    lpi_match_arrived(p, LOGP_NEVER); /* r may have been the last any-source receive */
}

void lpi_match_forget_buffers(struct lpi_proc *p)
{
    for (struct logp_request *r = p->inbox.posted_first; r != NULL; r = r->next) {
        if (!r->special) {
            r->special = true;
            r->truncates = false;
            r->space = r->capacity;
        }
        r->drain = NULL;
        r->buf = NULL;
    }
}

/* The program has ended: drop its posted receives, since their buffers may be gone. */
void lpi_match_close(struct lpi_proc *p)
{
    struct lpi_inbox *in = &p->inbox;

    in->posted_first = in->posted_last = NULL;
    in->n_any = 0;
    lpi_index_free(in);
}

void lpi_match_withdraw(struct lpi_proc *p, const struct lpi_envelope *cancel)
{
    for (struct lpi_message *m = p->inbox.first; m != NULL; m = m->next) {
        if (m->kind != LPI_RTS || m->rendezvous != cancel->rendezvous || m->src != cancel->src)
            continue;
        unpend(&p->inbox, m);
        lpi_credit_give(p, 0);
        m->kind = LPI_EAGER;
        lpi_message_free(p->core, m);
        return;
    }
}

/* After a run: free the messages that were never received. */
void lpi_match_discard(struct lpi_proc *p)
{
    struct lpi_core *c = p->core;
    struct lpi_inbox *in = &p->inbox;

    while (in->first != NULL) {
        struct lpi_message *m = in->first;

        unpend(in, m);
        c->credit += lpi_message_cost(m->kind == LPI_RTS ? 0 : m->n_bytes);
        m->kind = LPI_EAGER;
        lpi_message_free(c, m);
    }
    lpi_index_free(in);
    *in = (struct lpi_inbox){0};
}
