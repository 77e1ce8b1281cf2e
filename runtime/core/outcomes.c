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
           !lpi_may_miss(g->query) && !g->x->vps[g->p->rank].reorders;
}

/* Whether r could take a message whose sender waits for that. */
static bool is_awaited(const struct lpi_proc *p, const struct logp_request *r)
{
    const struct lpi_message *m = r->src == LOGP_ANY_SOURCE ? p->inbox.first : NULL;

    while (m != NULL && !(is_sync(m) && lpi_label_fits(&r->label, &m->label)))
        m = m->next;
    return m != NULL;
}

/* Only a receive from any source has a choice, unless messages may be overtaken. A message that no
 * receive can take may be found by a probe. */
bool lpi_takes_timed(void *gathering, const struct lpi_message *m, const struct logp_request *r)
{
    struct gathering *g = gathering;
    const bool has_choice =
        r != NULL && (r->src == LOGP_ANY_SOURCE || (g->x->vps[g->p->rank].reorders && !is_sync(m)));

    if (r == NULL)
        add_found(g, m);
    else if (has_choice)
        add_match(g, m, r, index_of(g->query, r), m->arrival);
    return r != NULL && !has_choice;
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

/* ---- messages that overtake others ---- */

/* The label with which the query, or r, takes m. NULL: it does not */
static const struct lpi_label *taking_label(const struct lpi_query *query,
                                            const struct logp_request *r,
                                            const struct lpi_message *m)
{
    if (r != NULL)
        return &r->label;
    return query->label != NULL && lpi_label_fits(query->label, &m->label) ? query->label : NULL;
}

/* The number of messages that m overtakes by being taken with this label, without those that others
 * have overtaken, or that are copies. @return -1: it overtakes none, or one that must not be */
static int n_overtaken(const struct lpi_explore *x, const struct lpi_message *m,
                       const struct lpi_label *label)
{
    int n = 0, passed = 0;

    for (const struct lpi_message *i = m->prev; i != NULL; i = i->prev) {
        if (i->src != m->src || !lpi_label_fits(label, &i->label))
            continue;
        if (!i->is_late && !lpi_may_strike(&x->by.fault_places, i->src, i->dst, i->tag))
            return -1;
        n += !i->is_late;
        passed++;
    }
    return passed > 0 ? n : -1;
}

/* Timed, a message may be overtaken when it could be taken, by one that is there, or that a wait for
 * one receive could await, if no message of another source is there. Requests of sends are not. */
static bool may_overtake(const struct gathering *g, const struct lpi_message *m,
                         const struct logp_request *r)
{
    const struct lpi_query *query = g->query;

    if (g->x->by.untimed)
        return true;
    if (is_sync(m) || g->n == g->from)
        return false;
    if (m->arrival <= g->until)
        return true;
    for (int i = g->from; i < g->n; i++)
        if (g->x->list[i].source != m->src)
            return false;
    return lpi_query_waits(query) && query->n == 1 && !query->any && query->requests[0] == r &&
           m->arrival <= query->until;
}

/* Add the alternative that m overtakes earlier messages, of which `passed` are pending. It comes
 * behind all others of the query, or, aside, before those that complete the query. */
static void add_overtaking(void *gathering, const struct lpi_message *m,
                           const struct logp_request *r, int passed)
{
    struct gathering *g = gathering;
    const struct lpi_label *label = taking_label(g->query, r, m);
    const int n = label != NULL ? n_overtaken(g->x, m, label) : -1;
    struct logp_alternative a;
    int index = -1;

    if (n < 0 || n > g->x->left_overtaken || (r != NULL && !r->matters) || m->src == m->dst ||
        m->context >= LPI_CONTEXT_COLLECTIVE || !may_overtake(g, m, r))
        return;
    if (r != NULL && !(g->query->n > 1 && (is_sync(m) || r->hinders)))
        index = index_of(g->query, r);
    a = take(&m->label, index, r != NULL ? r->id : 0,
             g->known | (label->src == LOGP_ANY_SOURCE ? LOGP_TAKE_FROM_ANY : 0) |
                 (label->tag == LOGP_ANY_TAG ? LOGP_TAKE_OF_ANY : 0));
    a.kind = LOGP_OVERTAKE;
    a.polls += passed * LOGP_TAKE_PASSED;
    add(g, a, r != NULL && index < 0 ? BEFORE_ALL + m->arrival : INT64_MAX);
}

/* m is taken: those that it overtakes are late. */
static void overtake(struct lpi_explore *x, struct lpi_message *m, const struct lpi_label *label)
{
    for (struct lpi_message *i = m->prev; i != NULL; i = i->prev)
        if (i->src == m->src && lpi_label_fits(label, &i->label)) {
            x->left_overtaken -= !i->is_late;
            i->is_late = true;
        }
}

/* Take the message of an alternative, which overtakes others. */
static struct lpi_message *take_overtaking(struct lpi_proc *p, const struct lpi_query *query,
                                           const struct logp_alternative *a)
{
    struct lpi_message *m = lpi_match_later_find(p, a->source, a->polls / LOGP_TAKE_PASSED);
    const struct logp_request *r = p->inbox.posted_first;

    while (a->request != 0 && r != NULL && r->id != a->request)
        r = r->next;
    overtake(p->core->machine->explore, m, a->request != 0 ? &r->label : query->label);
    if (a->request != 0)
        lpi_match_later_take(p, m);
    return m;
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
static void gather(struct gathering *g, bool reorders)
{
    const struct lpi_query *query = g->query;

    g->known =
        lpi_match_mark(g->p, query->label, query->requests, query->n) ? LOGP_TAKE_ANY_TAG : 0;
    g->known |= waits_for_send(query) ? 0 : LOGP_TAKE_NO_SEND;
    lpi_match_candidates(g->p, g->x->way->takes, g); /* also binds receives without a choice */
    for (int i = 0; i < query->n; i++)
        if (is_done(query->requests[i]))
            add_done(g, query->requests[i], i);
    if (reorders)
        lpi_match_later(g->p, add_overtaking, g);
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
    gather(&g, v->reorders);
    while (i < g.n && (x->list[i].kind != LOGP_TAKE || x->list[i].source != found))
        i++;
    if (i == g.n && found != LOGP_ANY_SOURCE) /* a receive of that source has taken it */
        v->found = LOGP_ANY_SOURCE;
    *forced = g.forced;
    return g.n;
}

struct logp_alternative lpi_outcomes_miss(const struct lpi_explore *x, int rank,
                                          const struct lpi_query *query)
{
    return (struct logp_alternative){.kind = LOGP_MISS,
                                     .rank = rank,
                                     .source = -1,
                                     .polls = x->vps[rank].misses + 1,
                                     .index = lpi_query_waits(query)};
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
        x->list[n++] = lpi_outcomes_miss(x, p->rank, query);
    return n;
}

void lpi_outcomes_take(struct lpi_proc *p, struct lpi_query *query,
                       const struct logp_alternative *a)
{
    struct lpi_explored_vp *v = &p->core->machine->explore->vps[p->rank];
    const struct lpi_label label = {a->context, a->source, a->tag};
    const bool overtakes = __builtin_expect(a->kind == LOGP_OVERTAKE, false),
               found = a->request == 0 && (a->kind == LOGP_TAKE || overtakes);
    struct lpi_message *later = NULL;

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
    if (overtakes)
        later = take_overtaking(p, query, a);
    if (found) {
        query->found = overtakes ? later : lpi_match_find(p, &label, INT64_MAX);
        v->probed = *query->label;
    } else if (a->kind == LOGP_TAKE && (a->index < 0 || !is_done(query->requests[a->index]))) {
        lpi_match_label(p, &label, horizon(p));
    }
}

bool lpi_outcomes_complete(const struct lpi_query *query)
{
    return query->n == 1 && !lpi_may_miss(query) && is_done(query->requests[0]);
}
