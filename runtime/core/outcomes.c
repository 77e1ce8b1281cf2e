/* SPDX-License-Identifier: MIT */
/* The alternatives of a query on an explored machine: see explore.c. */

#include "core/resolver.h"
#include "core/core.h"
#include "mail/mail.h"
#include "state/stop.h"

#include <errno.h>
#include <stdlib.h>

static __attribute__((noinline)) bool grow(struct logp_machine *m, int n)
{
    struct lpi_explore *x = m->explore;
    const int capacity = 2 * n + 16;
    struct logp_alternative *list = realloc(x->list, (size_t)capacity * sizeof(*list));
    int64_t *arrivals = realloc(x->arrivals, (size_t)capacity * sizeof(*arrivals));

    if (list != NULL)
        x->list = list;
    if (arrivals != NULL)
        x->arrivals = arrivals;
    if (list == NULL || arrivals == NULL) {
        lpi_stop(m, -ENOMEM);
        return false;
    }
    x->capacity = capacity;
    return true;
}

bool lpi_outcomes_reserve(struct logp_machine *m, int n)
{
    return n < m->explore->capacity || grow(m, n);
}

int lpi_outcomes_ask(const struct lpi_explore *x, int n)
{
    const int i = x->by.choose(x->by.arg, x->list, n);

    return i >= 0 && i < n ? i : 0;
}

struct gathering {
    struct lpi_proc *p;
    struct lpi_explore *x;
    const struct lpi_query *query;
    int from, n;   /* list[from .. n) are the alternatives of this query */
    int64_t until; /* messages that arrive later cannot be taken yet */
    int known;     /* bits of logp_take */
    bool forced;   /* out: late: the first entry is the only alternative */
};

/* Matches that do not complete the query come first: exhaustive.c relies on that. */
static const int64_t BEFORE_ALL = INT64_MIN / 2, FORCED = INT64_MIN;

/* p can take what arrives by then. */
static int64_t horizon(const struct lpi_proc *p)
{
    return lpi_later(p, p->core->machine->explore->way->horizon);
}

/* The index of r in the requests of query; -1: it is none of them */
static int index_of(const struct lpi_query *query, const struct logp_request *r)
{
    for (int i = 0; i < query->n; i++)
        if (query->requests[i] == r)
            return i;
    return -1;
}

/* Insert a into g's alternatives, which are sorted by (arrival, source). Sends keep their order. */
static void add(struct gathering *g, struct logp_alternative a, int64_t arrival)
{
    struct lpi_explore *x = g->x;
    int i = g->n;

    if (!lpi_outcomes_reserve(g->p->core->machine, g->n))
        return;
    for (; i > g->from &&
           (x->arrivals[i - 1] > arrival || (x->arrivals[i - 1] == arrival && a.kind == LOGP_TAKE &&
                                             x->list[i - 1].source > a.source));
         i--) {
        x->list[i] = x->list[i - 1];
        x->arrivals[i] = x->arrivals[i - 1];
    }
    a.rank = g->p->rank;
    x->list[i] = a;
    x->arrivals[i] = arrival;
    g->n++;
}

/* The request with this id, which is at this index of the query, takes the message with this label. */
static struct logp_alternative take(const struct lpi_label *l, int index, uint32_t id, int known)
{
    return (struct logp_alternative){.kind = LOGP_TAKE,
                                     .source = l->src,
                                     .polls = known,
                                     .tag = l->tag,
                                     .index = index,
                                     .context = l->context,
                                     .request = id};
}

static bool is_sync(const struct lpi_message *m)
{
    return m->kind == LPI_SYNC_SEND || m->kind == LPI_RTS;
}

/* No receive can take m now. A probe with its label can find it if no posted receive fits it, and if
 * it is the first of its source. */
static void add_found(struct gathering *g, const struct lpi_message *m)
{
    if (g->query->label == NULL || !lpi_label_fits(g->query->label, &m->label) ||
        m->arrival > g->until)
        return;
    for (const struct logp_request *r = g->p->inbox.posted_first; r != NULL; r = r->next)
        if (lpi_label_fits(&r->label, &m->label))
            return;
    for (int i = g->from; i < g->n; i++)
        if (g->x->list[i].request == 0 && g->x->list[i].source == m->src)
            return;
    add(g, take(&m->label, -1, 0, g->known), m->arrival);
}

/* Add the alternative that r takes m. index: of r in the query; -1: the query continues. at: its
 * place in the order */
static void add_match(struct gathering *g, const struct lpi_message *m,
                      const struct logp_request *r, int index, int64_t at)
{
    const struct lpi_query *query = g->query;
    const struct lpi_inbox *in = &g->p->inbox;
    const bool alone =
        query->n == 1 && query->requests[0] == r && in->posted_first == r && in->posted_last == r;
    const int of = (alone ? LOGP_TAKE_ALONE : 0) |
                   (r->src == LOGP_ANY_SOURCE ? LOGP_TAKE_FROM_ANY : 0) |
                   (r->tag == LOGP_ANY_TAG ? LOGP_TAKE_OF_ANY : 0);

    if (m->arrival <= g->until)
        add(g, take(&m->label, index, r->id, g->known | of), at);
}

/* Whether the query waits for r alone, a receive of a named source. */
static bool is_forced(const struct gathering *g, const struct logp_request *r)
{
    return r->src != LOGP_ANY_SOURCE && g->query->n == 1 && g->query->requests[0] == r &&
           !lpi_may_miss(g->query);
}

/* Whether r could take a message whose sender waits for that. */
static bool is_awaited(const struct lpi_proc *p, const struct logp_request *r)
{
    const struct lpi_message *m = r->src == LOGP_ANY_SOURCE ? p->inbox.first : NULL;

    while (m != NULL && !(is_sync(m) && lpi_label_fits(&r->label, &m->label)))
        m = m->next;
    return m != NULL;
}

/* Only a receive from any source has a choice. A message that no receive can take may be found by a
 * probe. */
bool lpi_takes_timed(void *gathering, const struct lpi_message *m, const struct logp_request *r)
{
    struct gathering *g = gathering;

    if (r == NULL)
        add_found(g, m);
    else if (r->src == LOGP_ANY_SOURCE)
        add_match(g, m, r, index_of(g->query, r), m->arrival);
    return r != NULL && r->src != LOGP_ANY_SOURCE;
}

/* A receive without a choice is an alternative for the scheduler. If r is not in the query, it makes
 * no difference whether r takes m now or later, unless r hinders a receive of the query, m's sender
 * waits for the match, or that of another message does. */
bool lpi_takes_late(void *gathering, const struct lpi_message *m, const struct logp_request *r)
{
    struct gathering *g = gathering;

    if (r == NULL) {
        add_found(g, m);
    } else if (is_forced(g, r)) {
        g->forced = true;
        add_match(g, m, r, 0, FORCED);
    } else if (r->matters || is_sync(m) || is_awaited(g->p, r)) {
        int index = index_of(g->query, r);

        if (g->query->n > 1 && (is_sync(m) || r->hinders))
            index = -1; /* another request may still complete before r */
        add_match(g, m, r, index, index < 0 ? BEFORE_ALL + m->arrival : m->arrival);
    }
    return false;
}

bool lpi_takes_untimed(void *gathering, const struct lpi_message *m, const struct logp_request *r)
{
    return (r != NULL && is_forced(gathering, r)) || lpi_takes_late(gathering, m, r);
}

/* Whether r is complete, as a receive, send or operation. A charged receive has been taken
 * already. */
static bool is_done(const struct logp_request *r)
{
    return r != NULL && r->state != LPI_REQ_CHARGED && lpi_request_is_done(r);
}

/* The source of the message that the last probe has found for this query; LOGP_ANY_SOURCE: there is none.
 * While it is there the query finds something, but perhaps a message of another source: time has
 * passed. */
static int found_before(const struct lpi_explored_vp *v, const struct lpi_query *query)
{
    const struct lpi_label *label = query->label;

    if (label == NULL && query->n == 1 && query->requests[0]->state == LPI_REQ_POSTED)
        label = &query->requests[0]->label;
    return label != NULL && lpi_label_is(label, &v->probed) ? v->found : LOGP_ANY_SOURCE;
}

static bool waits_for_send(const struct lpi_query *query)
{
    for (int i = 0; i < query->n; i++)
        if (query->requests[i] != NULL && query->requests[i]->state >= LPI_REQ_SENT)
            return true;
    return false;
}

/* r, the index-th request, is complete. */
static void add_done(struct gathering *g, const struct logp_request *r, int index)
{
    const bool receives = r->state < LPI_REQ_SENT;
    const struct lpi_label got = {r->context, r->from, r->got_tag};
    struct logp_alternative a =
        take(receives ? &got : &r->label, index, r->id, receives ? LOGP_TAKE_MATCHED : 0);

    a.kind = receives ? LOGP_TAKE : LOGP_DONE;
    if (lpi_request_arrival(r) <= g->until)
        add(g, a, lpi_request_arrival(r));
}

/* Gather the alternatives of g->query. */
static void gather(struct gathering *g)
{
    const struct lpi_query *query = g->query;

    g->known =
        lpi_match_mark(g->p, query->label, query->requests, query->n) ? LOGP_TAKE_ANY_TAG : 0;
    g->known |= waits_for_send(query) ? 0 : LOGP_TAKE_NO_SEND;
    lpi_match_candidates(g->p, g->x->way->takes, g); /* also binds receives without a choice */
    for (int i = 0; i < query->n; i++)
        if (is_done(query->requests[i]))
            add_done(g, query->requests[i], i);
}

int lpi_outcomes_gather(struct lpi_proc *p, const struct lpi_query *query, int n, bool *forced)
{
    struct lpi_explore *x = p->core->machine->explore;
    struct lpi_explored_vp *v = &x->vps[p->rank];
    struct gathering g = {.p = p, .x = x, .query = query, .from = n, .n = n, .until = horizon(p)};
    const int found = found_before(v, query);
    int i = n;

    if (query->kind == LPI_QUERY_TURN)
        add(&g, (struct logp_alternative){.kind = LOGP_TOUCH, .source = -1, .tag = query->key}, 0);
    gather(&g);
    while (i < g.n && (x->list[i].kind != LOGP_TAKE || x->list[i].source != found))
        i++;
    if (i == g.n && found != LOGP_ANY_SOURCE) /* a receive of that source has taken it */
        v->found = LOGP_ANY_SOURCE;
    *forced = g.forced;
    return g.n;
}

struct logp_alternative lpi_outcomes_miss(const struct lpi_explore *x, int rank)
{
    return (struct logp_alternative){
        .kind = LOGP_MISS, .rank = rank, .source = -1, .polls = x->vps[rank].misses + 1};
}

/* Whether one of the requests is a send that was complete at once. */
static bool is_sure(const struct lpi_query *query)
{
    for (int i = 0; i < query->n; i++)
        if (query->requests[i] != NULL && (query->requests[i]->state == LPI_REQ_SENT ||
                                           query->requests[i]->state == LPI_REQ_ENDED))
            return true;
    return false;
}

int lpi_outcomes_add_miss(struct lpi_proc *p, const struct lpi_query *query, int from, int n)
{
    struct lpi_explore *x = p->core->machine->explore;
    const struct lpi_explored_vp *v = &x->vps[p->rank];

    if (!lpi_outcomes_reserve(p->core->machine, n))
        return n;
    if (query->kind == LPI_QUERY_CANCEL &&
        (query->n == 0 || query->requests[0]->state == LPI_REQ_POSTED))
        x->list[n++] =
            (struct logp_alternative){.kind = LOGP_CANCEL,
                                      .rank = p->rank,
                                      .source = -1,
                                      .request = query->n > 0 ? query->requests[0]->id : 0};
    else if (lpi_may_miss(query) && v->misses < x->by.misses && !is_sure(query) &&
             (n == from || found_before(v, query) == LOGP_ANY_SOURCE))
        x->list[n++] = lpi_outcomes_miss(x, p->rank);
    return n;
}

void lpi_outcomes_take(struct lpi_proc *p, struct lpi_query *query,
                       const struct logp_alternative *a)
{
    struct lpi_explored_vp *v = &p->core->machine->explore->vps[p->rank];
    const struct lpi_label label = {a->context, a->source, a->tag};
    const bool found = a->kind == LOGP_TAKE && a->request == 0;

    query->choice = a->kind == LOGP_MISS || a->kind == LOGP_CANCEL ? LPI_MISSED : LPI_TAKEN;
    query->index = found ? query->n : a->index;
    if (a->kind == LOGP_TOUCH)
        return;
    if (a->kind == LOGP_MISS)
        v->misses++;
    if (query->choice == LPI_MISSED)
        return;
    if (query->index >= 0) {
        v->misses = 0;
        v->found = found ? a->source : LOGP_ANY_SOURCE;
    }
    if (found) {
        query->found = lpi_match_find(p, &label, INT64_MAX);
        v->probed = *query->label;
    } else if (a->kind == LOGP_TAKE && (a->index < 0 || !is_done(query->requests[a->index]))) {
        lpi_match_label(p, &label, horizon(p));
    }
}

bool lpi_outcomes_complete(const struct lpi_query *query)
{
    return query->n == 1 && !lpi_may_miss(query) && is_done(query->requests[0]);
}
