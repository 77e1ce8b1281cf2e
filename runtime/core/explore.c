/* SPDX-License-Identifier: MIT */
/*
 * Choice points of the virtual clock: see logp/explore.h.
 *
 * Two things are asked: which proc goes next (lpi_explore_next(), for the scheduler), and which
 * message a look takes (lpi_explore_settle(), for the calls). A look is whatever depends on what
 * has come: a receive from any source, a probe, a test, a wait for the first of several or with an
 * end. While a machine is explored nothing else matches messages with receives from any source.
 *
 * Late, a vp that looks is put aside, LOOKING, until no other can go on. Then what all of them
 * could take is one list of alternatives. A later message does not change what a vp could take
 * before, and what one vp takes is never taken from another one: so choices of two vps commute,
 * which is what an exhaustive strategy builds upon.
 */
#include "core/explore.h"

#include "carrier/carrier.h"
#include "core/look_up.h"
#include "core/run.h"
#include "core/sched.h"
#include "mail/close.h"
#include "mail/match.h"
#include "state/stop.h"
#include "state/turns.h"

#include <errno.h>
#include <stdlib.h>

enum { MISSES = 3 };

int lpi_explore_ask(const struct lpi_explore *x, int n)
{
    const int i = x->by.choose(x->by.arg, x->list, n);

    return i >= 0 && i < n ? i : 0;
}

static __attribute__((noinline)) bool grow(struct logp_machine *m, int n)
{
    struct lpi_explore *x = m->explore;
    const int room = 2 * n + 16;
    struct logp_alternative *list;
    int64_t *arrivals;

    list = realloc(x->list, (size_t)room * sizeof(*list));
    if (list != NULL)
        x->list = list;
    arrivals = realloc(x->arrivals, (size_t)room * sizeof(*arrivals));
    if (arrivals != NULL)
        x->arrivals = arrivals;
    if (list == NULL || arrivals == NULL) {
        lpi_stop(m, -ENOMEM);
        return false;
    }
    x->room = room;
    return true;
}

/* Room for one more alternative than n. */
static inline bool make_room(struct logp_machine *m, int n)
{
    return n < m->explore->room || grow(m, n);
}

/* ---- who goes next ---- */

/* The usual one of those that have a deadline. shared: others may have the same one. */
static struct lpi_proc *first_of(const struct lpi_core *c, bool *shared)
{
    const struct logp_machine *m = c->machine;
    int64_t *due = m->explore->due;

    for (;;) {
        int64_t least = INT64_MAX;
        int first = -1;

        for (int i = 0; i < m->P; i++)
            if (due[i] < least) {
                least = due[i];
                first = i;
                *shared = false;
            } else if (due[i] == least) {
                *shared = true;
            }
        if (first < 0 || m->procs[first].state == LPI_TIMED)
            return first < 0 ? NULL : &m->procs[first];
        due[first] = INT64_MAX; /* it went on without being asked for */
    }
}

static struct logp_alternative go_on(const struct lpi_explore *x, int rank)
{
    return (struct logp_alternative){
        .kind = LOGP_GO_ON, .rank = rank, .source = -1, .polls = x->vps[rank].vain};
}

/* One of those with a deadline, the usual one first and the others by rank. */
static struct lpi_proc *ask_who(struct lpi_core *c, struct lpi_proc *first)
{
    struct lpi_explore *x = c->machine->explore;
    struct lpi_proc *procs = c->machine->procs;
    const int64_t latest = x->by.untimed ? INT64_MAX - 1 : first->deadline;
    int n = 0;

    if (!make_room(c->machine, c->n_procs))
        return first;
    x->list[n++] = go_on(x, first->rank);
    for (int i = 0; i < c->n_procs; i++)
        if (x->due[i] <= latest && i != first->rank && procs[i].state == LPI_TIMED)
            x->list[n++] = go_on(x, i);
    return n > 1 ? &procs[x->list[lpi_explore_ask(x, n)].rank] : first;
}

bool lpi_explore_others(struct lpi_proc *p, int64_t t)
{
    const struct lpi_explore *x = p->core->machine->explore;
    const struct lpi_proc *first;
    bool shared;

    if (x->by.untimed && !x->by.order)
        return false;
    first = first_of(p->core, &shared);
    return first != NULL &&
           ((x->by.order && (x->by.untimed || first->deadline <= t)) || first->deadline < t ||
            (first->deadline == t && first->rank < p->rank));
}

/* ---- which message ---- */

/* Put an alternative where it belongs in list[from .. n): by (arrival, source); sends as they come.
 */
static void insert(struct lpi_explore *x, int from, int n, struct logp_alternative a,
                   int64_t arrival)
{
    int i = n;

    for (; i > from &&
           (x->arrivals[i - 1] > arrival || (x->arrivals[i - 1] == arrival && a.kind == LOGP_TAKE &&
                                             x->list[i - 1].source > a.source));
         i--) {
        x->list[i] = x->list[i - 1];
        x->arrivals[i] = x->arrivals[i - 1];
    }
    x->list[i] = a;
    x->arrivals[i] = arrival;
}

struct gathering {
    struct lpi_proc *p;
    int from, n;   /* entries of the list: this look's are the last of them */
    int64_t until; /* what arrives later is not there yet */
    int only;      /* this source alone; LPI_NOTHING: all */
    const struct lpi_look *look;
    bool any_tag; /* a receive of any tag is posted */
    bool forced;  /* out: late: the first entry is all that can come of it */
};

/* What is matched behind the back of a look that goes on comes first: exhaustive.c relies on it. */
static const int64_t BEFORE_ALL = INT64_MIN / 2, FORCED = INT64_MIN;

/* Which of the requests of this look is r? -1: none */
static int index_of(const struct lpi_look *look, const struct logp_request *r)
{
    for (int i = 0; r != NULL && i < look->n; i++)
        if (look->requests[i] == r)
            return i;
    return -1;
}

static void add(struct gathering *g, struct logp_alternative a, int64_t arrival)
{
    if (!make_room(g->p->core->machine, g->n))
        return;
    a.rank = g->p->rank;
    insert(g->p->core->machine->explore, g->from, g->n++, a, arrival);
}

static bool asks(const struct lpi_message *m)
{
    return m->kind == LPI_ASKING || m->kind == LPI_REQUEST;
}

static bool fits(const struct lpi_label *l, const struct lpi_message *m)
{
    return (l->tag == m->tag || l->tag == LOGP_ANY_TAG) &&
           (l->src == m->src || l->src == LOGP_ANY_SOURCE) && l->context == m->context;
}

/* No receive can take m now: a probe could find it, if none that is posted will, and it is the
 * first of its source. */
static void add_found(struct gathering *g, const struct lpi_message *m)
{
    const struct lpi_explore *x = g->p->core->machine->explore;

    if (g->only != LPI_NOTHING && g->only != m->src)
        return;
    for (const struct logp_request *r = g->p->inbox.posted_first; r != NULL; r = r->next)
        if (fits(&(struct lpi_label){r->context, r->src, r->tag}, m))
            return;
    for (int i = g->from; i < g->n; i++)
        if (x->list[i].request == 0 && x->list[i].source == m->src)
            return;
    add(g,
        (struct logp_alternative){
            .kind = LOGP_TAKE, .source = m->src, .tag = m->tag, .index = -1, .context = m->context},
        m->arrival);
}

/*
 * m is pending, and r could take it. Whether a receive that this look is not about does so now, or
 * at any later look, is all the same, unless it stands in the way of one that it is about, or m's
 * sender waits for that. @return r takes it: there is nothing to choose
 */
static bool add_pending(void *arg, const struct lpi_message *m, const struct logp_request *r)
{
    struct gathering *g = arg;
    const struct lpi_look *look = g->look;
    const struct logp_explorer *by = &g->p->core->machine->explore->by;
    bool forced;
    int index;

    if (r == NULL) {
        if (look->label != NULL && fits(look->label, m) && m->arrival <= g->until)
            add_found(g, m);
        return false;
    }
    index = index_of(look, r);
    forced = r->src != LOGP_ANY_SOURCE && index >= 0 && look->n == 1 && !look->may_miss;
    if (r->src != LOGP_ANY_SOURCE && (!by->untimed || (forced && !by->late)))
        return true;
    g->forced = g->forced || forced;
    if (by->untimed && look->n > 1 && (asks(m) || r->hinders))
        index = -1; /* another one may still complete before it */
    if (m->arrival <= g->until && (r->matters || asks(m) || !by->untimed) &&
        (index < 0 || g->only == LPI_NOTHING || g->only == m->src))
        add(g,
            (struct logp_alternative){.kind = LOGP_TAKE,
                                      .source = m->src,
                                      .tag = m->tag,
                                      .index = index,
                                      .polls = g->any_tag,
                                      .context = m->context,
                                      .request = r->id},
            forced                     ? FORCED
            : index < 0 && by->untimed ? BEFORE_ALL + m->arrival
                                       : m->arrival);
    return false;
}

static bool is_bound(const struct logp_request *r)
{
    return r != NULL && (r->state == LPI_REQ_BOUND || r->state == LPI_REQ_FAILED);
}

/* A send that is done; one that waits for its receiver is, when that has been heard of. */
static bool is_done(const struct logp_request *r)
{
    return r != NULL &&
           (r->state == LPI_REQ_SENT || (r->state == LPI_REQ_ISSUED && r->arrival != INT64_MAX));
}

static bool same(const struct lpi_label *a, const struct lpi_label *b)
{
    return a->context == b->context && a->src == b->src && a->tag == b->tag;
}

/* The source of which this look takes the next message, since a probe has said so. */
static int promised(const struct lpi_explored_vp *v, const struct lpi_look *look)
{
    struct lpi_label label;

    if (!v->has_promise ||
        (look->label == NULL && (look->n != 1 || look->requests[0]->state != LPI_REQ_POSTED)))
        return LPI_NOTHING;
    label = look->label != NULL
                ? *look->label
                : (struct lpi_label){look->requests[0]->context, look->requests[0]->src,
                                     look->requests[0]->tag};
    return same(&label, &v->promise) ? v->promised : LPI_NOTHING;
}

/* What arrives later cannot be taken yet. */
static int64_t there_by(const struct lpi_proc *p)
{
    return p->core->machine->explore->by.untimed ? INT64_MAX : p->emulated;
}

/* What this look could come to, from entry g->from on. */
static void look_around(struct gathering *g)
{
    const struct lpi_explore *x = g->p->core->machine->explore;
    const struct lpi_look *look = g->look;

    g->any_tag = lpi_match_mark(g->p, look->label, look->requests, look->n);
    lpi_match_offers(g->p, add_pending, g); /* binds, too, what is not open to choice */
    for (int i = 0; i < look->n; i++) {
        const struct logp_request *r = look->requests[i];

        if (is_bound(r))
            add(g,
                (struct logp_alternative){.kind = LOGP_TAKE,
                                          .source = r->from,
                                          .tag = r->got_tag,
                                          .index = i,
                                          .context = r->context,
                                          .request = r->id},
                r->arrival);
        else if (is_done(r))
            add(g,
                (struct logp_alternative){.kind = LOGP_DONE,
                                          .source = r->src,
                                          .tag = r->tag,
                                          .index = i,
                                          .context = r->context,
                                          .request = r->id},
                r->state == LPI_REQ_SENT ? LOGP_NEVER : r->arrival);
    }
    while (g->n > g->from && x->arrivals[g->n - 1] > g->until) /* the first of its source is late */
        g->n--;
}

/* Append what p's look could come to, misses aside. forced: as in struct gathering. @return how
 * many entries there are now */
static int gather(struct lpi_proc *p, const struct lpi_look *look, int n, bool *forced)
{
    struct lpi_explored_vp *v = &p->core->machine->explore->vps[p->rank];
    struct gathering g = {
        .p = p, .from = n, .n = n, .until = there_by(p), .only = promised(v, look), .look = look};

    look_around(&g);
    if (g.n == n && g.only != LPI_NOTHING) { /* it has been taken by a receive of its source */
        v->has_promise = false;
        g.only = LPI_NOTHING;
        look_around(&g);
    }
    *forced = g.forced;
    return g.n;
}

static struct logp_alternative miss(const struct lpi_explore *x, int rank)
{
    return (struct logp_alternative){
        .kind = LOGP_MISS, .rank = rank, .source = -1, .polls = x->vps[rank].misses + 1};
}

/* Is one of the requests a send that never waited for anything? */
static bool is_sure(const struct lpi_look *look)
{
    for (int i = 0; i < look->n; i++)
        if (look->requests[i] != NULL && look->requests[i]->state == LPI_REQ_SENT)
            return true;
    return false;
}

/* May p's look, which could take the entries from `from` on, miss as well? */
static int add_miss(struct lpi_proc *p, const struct lpi_look *look, int from, int n)
{
    struct lpi_explore *x = p->core->machine->explore;
    const struct lpi_explored_vp *v = &x->vps[p->rank];

    if (!make_room(p->core->machine, n))
        return n;
    if (look->cancels && (look->n == 0 || look->requests[0]->state == LPI_REQ_POSTED))
        x->list[n++] =
            (struct logp_alternative){.kind = LOGP_CANCEL,
                                      .rank = p->rank,
                                      .source = -1,
                                      .request = look->n > 0 ? look->requests[0]->id : 0};
    else if (look->may_miss && x->by.untimed && v->misses < x->by.misses && !is_sure(look) &&
             (n == from || promised(v, look) == LPI_NOTHING))
        x->list[n++] = miss(x, p->rank);
    return n;
}

/* p's look comes to this. */
static void settle(struct lpi_proc *p, struct lpi_look *look, const struct logp_alternative *a)
{
    struct lpi_explored_vp *v = &p->core->machine->explore->vps[p->rank];

    const bool found = a->kind == LOGP_TAKE && a->request == 0;

    look->chosen = a->kind == LOGP_MISS || a->kind == LOGP_CANCEL ? LPI_MISSED : a->source;
    look->index = found ? 0 : a->index;
    if (a->kind == LOGP_MISS)
        v->misses++;
    if (look->chosen == LPI_MISSED)
        return;
    if (look->index >= 0) {
        v->misses = 0;
        v->has_promise = found;
    }
    if (found) {
        v->promise = *look->label;
        v->promised = a->source;
    } else if (a->kind == LOGP_TAKE && (a->index < 0 || !is_bound(look->requests[a->index]))) {
        lpi_match_meet(p, &(struct lpi_label){a->context, a->source, a->tag}, there_by(p));
    }
}

/* Is this a wait for one request, which is complete? */
static bool is_complete(const struct lpi_look *look)
{
    return look->n == 1 && !look->may_miss &&
           (is_bound(look->requests[0]) || is_done(look->requests[0]));
}

static struct lpi_proc *completed(struct lpi_proc *p, struct lpi_look *look)
{
    struct lpi_explored_vp *v = &p->core->machine->explore->vps[p->rank];

    look->chosen = look->index = 0;
    v->misses = 0;
    v->has_promise = false;
    p->state = LPI_RUNNING;
    return p;
}

/* p waits for something else than messages: may what it has posted take some all the same? */
static bool takes_aside(const struct lpi_proc *p)
{
    return p->inbox.n_any > 0 && p->core->machine->explore->by.untimed &&
           (p->state == LPI_SYNC || p->state == LPI_BLOCKED || p->state == LPI_SENDING);
}

/* Nobody can go on but those that are LOOKING: one of them does. Or one that waits for something
 * else takes a message whose sender waits for that. */
static struct lpi_proc *choose_late(struct lpi_core *c)
{
    struct lpi_explore *x = c->machine->explore;
    struct lpi_proc *patient = NULL;
    struct lpi_look aside = {.sends = true};
    bool shared, forced = false;
    int n = 0, i;

    for (i = 0; i < c->n_procs; i++) {
        struct lpi_proc *p = c->procs[i];
        struct lpi_look *look = x->vps[p->rank].look;
        const int from = n;

        if (p->state != LPI_LOOKING) {
            n = takes_aside(p) ? gather(p, &aside, n, &forced) : n;
            continue;
        }
        n = gather(p, look, n, &forced);
        if (is_complete(look))
            return completed(p, look);
        if (forced) {
            x->list[0] = x->list[from];
            n = 1;
            break;
        }
        n = add_miss(p, look, from, n);
        if (look->may_miss &&
            (patient == NULL || x->vps[p->rank].misses < x->vps[patient->rank].misses))
            patient = p;
    }
    if (first_of(c, &shared) != NULL ||
        c->turns.ready_first != NULL) /* a send has met its receiver */
        return lpi_explore_next(c);
    if (n == 0 && patient != NULL && make_room(c->machine, 0)) /* beyond the bound on misses */
        x->list[n++] = miss(x, patient->rank);
    if (n == 0)
        return NULL;
    i = x->by.late || (n > 1 && x->by.messages) ? lpi_explore_ask(x, n) : 0;
    patient = &c->machine->procs[x->list[i].rank];
    if (patient->state != LPI_LOOKING) {
        settle(patient, &aside, &x->list[i]);
        return lpi_explore_next(c);
    }
    settle(patient, x->vps[patient->rank].look, &x->list[i]);
    if (x->vps[patient->rank].look->index < 0) /* it looks on */
        return lpi_explore_next(c);
    patient->state = LPI_RUNNING;
    return patient;
}

struct lpi_proc *lpi_explore_next(struct lpi_core *c)
{
    struct lpi_explore *x = c->machine->explore;
    struct lpi_proc *first;
    bool shared;

    /* relaxed: set on this core; not now and then, as each run must be the same */
    if (atomic_load_explicit(&c->attention, memory_order_relaxed) != 0 || c->room.first != NULL)
        lpi_look_up(c);
    if (c->turns.ready_first != NULL) {
        first = c->turns.ready_first;
        c->turns.ready_first = first->next_ready;
        first->state = LPI_RUNNING;
        return first;
    }
    first = first_of(c, &shared);
    if (first == NULL)
        return choose_late(c);
    if (x->by.order && (x->by.untimed || shared))
        first = ask_who(c, first);
    x->due[first->rank] = INT64_MAX;
    first->emulated = first->deadline;
    first->state = LPI_RUNNING;
    return first;
}

int lpi_explore_settle(struct lpi_proc *p, struct lpi_look *look)
{
    struct lpi_explore *x = p->core->machine->explore;
    bool forced;
    int rc, n;

    if (x->by.late) {
        x->vps[p->rank].look = look;
        look->chosen = LPI_NOTHING; /* as it stays where an answer comes */
        p->state = LPI_LOOKING;
        return lpi_hold(p);
    }
    rc = lpi_reach(p, p->emulated);
    if (rc != 0)
        return rc;
    n = gather(p, look, 0, &forced);
    look->chosen = LPI_NOTHING;
    if (n == 0)
        return lpi_stopped(p);
    n = add_miss(p, look, 0, n);
    settle(p, look, &x->list[n > 1 && x->by.messages ? lpi_explore_ask(x, n) : 0]);
    return lpi_stopped(p);
}

void lpi_explore_note(const struct lpi_proc *p, const struct logp_note *note)
{
    struct lpi_explore *x = p->core->machine->explore;

    if (note->kind == LOGP_NOTE_MISSED)
        x->vps[p->rank].vain++;
    else if (note->kind != LOGP_NOTE_SEND)
        x->vps[p->rank].vain = 0;
    if (x->by.note != NULL)
        x->by.note(x->by.arg, note);
}

/* ---- requests ---- */

void lpi_explore_request(struct lpi_proc *p, struct logp_request *r)
{
    r->id = ++p->core->machine->explore->vps[p->rank].requests;
}

/*
 * A receive that stays posted may be cancelled. From now on what p has posted is matched when p
 * looks, whatever the source, and no sooner than it must be: as while one from any source is
 * posted, of which the explorer's own stays until the end of the run.
 */
void lpi_explore_posts(struct lpi_proc *p)
{
    struct lpi_explore *x = p->core->machine->explore;

    if (x->by.untimed && !x->vps[p->rank].posts) {
        x->vps[p->rank].posts = true;
        p->inbox.n_any++;
    }
}

void lpi_explore_end(struct lpi_proc *p)
{
    struct lpi_look look = {.may_miss = true, .cancels = true};

    for (struct logp_request *r = p->inbox.posted_first; r != NULL; r = r->next)
        r->buf = NULL; /* it is not there any more */
    while (p->core->machine->explore->by.late && p->inbox.posted_first != NULL &&
           lpi_explore_settle(p, &look) == 0 && look.chosen >= 0)
        ;
}

/* ---- begin and end ---- */

void lpi_explore_begin(struct logp_machine *m)
{
    for (int i = 0; m->explore != NULL && i < m->P; i++) {
        m->explore->vps[i] = (struct lpi_explored_vp){0};
        m->explore->due[i] = 0; /* all begin */
    }
}

void lpi_explore_free(struct logp_machine *m)
{
    if (m->explore == NULL)
        return;
    free(m->explore->vps);
    free(m->explore->due);
    free(m->explore->list);
    free(m->explore->arrivals);
    free(m->explore);
    m->explore = NULL;
}

/* Called with the lock. */
static int take_explorer(struct logp_machine *m, const struct logp_explorer *by)
{
    if (lpi_in_use(m))
        return -EBUSY;
    if (by == NULL) {
        lpi_explore_free(m);
        return 0;
    }
    if (m->explore == NULL) {
        struct lpi_explore *x = calloc(1, sizeof(*x));

        if (x == NULL)
            return -ENOMEM;
        m->explore = x;
        x->vps = calloc((size_t)m->P, sizeof(*x->vps));
        x->due = calloc((size_t)m->P, sizeof(*x->due));
        if (x->vps == NULL || x->due == NULL) {
            lpi_explore_free(m);
            return -ENOMEM;
        }
    }
    m->explore->by = *by;
    return 0;
}

int logp_machine_explore(struct logp_machine *m, const struct logp_explorer *given)
{
    struct logp_explorer by;
    int rc = 0;

    if (given != NULL)
        rc = logp_take_struct(&by, sizeof(by), LOGP_UP_TO(struct logp_explorer, misses), given);
    if (rc != 0)
        return rc;
    if (given != NULL && (by.choose == NULL || by.misses < 0 ||
                          (by.late && (!by.untimed || !by.messages || by.order))))
        return -EINVAL;
    if (given != NULL && (!m->is_virtual || m->n_cores > 1 || m->executor->resident != NULL))
        return -ENOTSUP;
    if (given != NULL && by.misses == 0)
        by.misses = MISSES;
    pthread_mutex_lock(&m->lock);
    rc = take_explorer(m, given != NULL ? &by : NULL);
    pthread_mutex_unlock(&m->lock);
    return rc;
}
