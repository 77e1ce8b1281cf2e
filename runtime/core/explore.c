/* SPDX-License-Identifier: MIT */
/*
 * Choice points of the virtual clock: see logp/check.h.
 *
 * Two things are asked: which proc goes next (lpi_explore_next(), for the scheduler), and which
 * message a look takes (lpi_answers_explored, for the queries). A look is whatever depends on what
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
#include "core/answers.h"
#include "core/poll_mail.h"
#include "core/outcomes.h"
#include "core/run.h"
#include "core/sched.h"
#include "mail/close.h"
#include "mail/match.h"
#include "state/stop.h"
#include "state/run_queue.h"

#include <errno.h>
#include <stdlib.h>

enum { MISSES = 3 };

int lpi_explore_ask(const struct lpi_explore *x, int n)
{
    const int i = x->by.choose(x->by.arg, x->list, n);

    return i >= 0 && i < n ? i : 0;
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

    if (!lpi_outcomes_reserve(c->machine, c->n_procs))
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

static struct lpi_proc *completed(struct lpi_proc *p, struct lpi_query *query)
{
    struct lpi_explored_vp *v = &p->core->machine->explore->vps[p->rank];

    query->chosen = query->index = 0;
    v->misses = 0;
    v->has_probed = false;
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
    struct lpi_query aside = {.sends = true};
    bool shared, forced = false;
    int n = 0, i;

    for (i = 0; i < c->n_procs; i++) {
        struct lpi_proc *p = c->procs[i];
        struct lpi_query *query = x->vps[p->rank].query;
        const int from = n;

        if (p->state != LPI_POLLING) {
            n = takes_aside(p) ? lpi_outcomes_gather(p, &aside, n, &forced) : n;
            continue;
        }
        n = lpi_outcomes_gather(p, query, n, &forced);
        if (lpi_outcomes_complete(query))
            return completed(p, query);
        if (forced) {
            x->list[0] = x->list[from];
            n = 1;
            break;
        }
        n = lpi_outcomes_add_miss(p, query, from, n);
        if (query->may_miss &&
            (patient == NULL || x->vps[p->rank].misses < x->vps[patient->rank].misses))
            patient = p;
    }
    if (first_of(c, &shared) != NULL ||
        c->run_queue.ready_first != NULL) /* a send has met its receiver */
        return lpi_explore_next(c);
    if (n == 0 && patient != NULL &&
        lpi_outcomes_reserve(c->machine, 0)) /* beyond the bound on misses */
        x->list[n++] = lpi_outcomes_miss(x, patient->rank);
    if (n == 0)
        return NULL;
    i = x->by.late || (n > 1 && x->by.messages) ? lpi_explore_ask(x, n) : 0;
    patient = &c->machine->procs[x->list[i].rank];
    if (patient->state != LPI_POLLING) {
        lpi_outcomes_take(patient, &aside, &x->list[i]);
        return lpi_explore_next(c);
    }
    lpi_outcomes_take(patient, x->vps[patient->rank].query, &x->list[i]);
    if (x->vps[patient->rank].query->index < 0) /* it looks on */
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
    if (atomic_load_explicit(&c->attention, memory_order_relaxed) != 0 || c->space.first != NULL)
        lpi_poll_mail(c);
    if (c->run_queue.ready_first != NULL) {
        first = c->run_queue.ready_first;
        c->run_queue.ready_first = first->next_ready;
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

/* Late: hand the core over until the query has been resolved. Else resolve it now. */
static int settle(struct lpi_proc *p, struct lpi_query *query)
{
    struct lpi_explore *x = p->core->machine->explore;
    bool forced;
    int rc, n;

    if (x->by.late) {
        x->vps[p->rank].query = query;
        query->chosen = LPI_NOTHING; /* as it stays where an answer comes */
        p->state = LPI_POLLING;
        return lpi_hold(p);
    }
    rc = lpi_reach(p, p->emulated);
    if (rc != 0)
        return rc;
    n = lpi_outcomes_gather(p, query, 0, &forced);
    query->chosen = LPI_NOTHING;
    if (n == 0)
        return lpi_stopped(p);
    n = lpi_outcomes_add_miss(p, query, 0, n);
    lpi_outcomes_take(p, query, &x->list[n > 1 && x->by.messages ? lpi_explore_ask(x, n) : 0]);
    return lpi_stopped(p);
}

static void take_note(struct lpi_proc *p, const struct logp_note *note)
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

/*
 * A receive that stays posted may be cancelled. From now on what p has posted is matched when p
 * looks, whatever the source, and no sooner than it must be: as while one from any source is
 * posted, of which the explorer's own stays until the end of the run.
 */
static void posts(struct lpi_proc *p, struct logp_request *r, bool stays)
{
    struct lpi_explore *x = p->core->machine->explore;

    r->id = ++x->vps[p->rank].requests;
    if (stays && x->by.untimed && !x->vps[p->rank].posts) {
        x->vps[p->rank].posts = true;
        p->inbox.n_any++;
    }
}

void lpi_explore_end(struct lpi_proc *p)
{
    struct lpi_query query = {.may_miss = true, .cancels = true};

    for (struct logp_request *r = p->inbox.posted_first; r != NULL; r = r->next)
        r->buf = NULL; /* it is not there any more */
    while (p->core->machine->explore->by.late && p->inbox.posted_first != NULL &&
           settle(p, &query) == 0 && query.chosen >= 0)
        ;
}

/* ---- queries ---- */

static int64_t nowhere(const struct lpi_proc *p)
{
    (void)p;
    return LOGP_NEVER; /* nothing is matched but what has been chosen */
}

static bool is_complete(const struct logp_request *r)
{
    return r->state != LPI_REQ_POSTED && r->state != LPI_REQ_CTS_SENT;
}

/* Does no choice decide whether q, a wait for one receive, is complete? */
static bool is_plain(const struct lpi_proc *p, const struct lpi_query *q)
{
    const bool may_end = q->until != INT64_MAX;

    if (!q->waits || q->any || q->n != 1 || q->requests[0]->state >= LPI_REQ_SENT ||
        q->chosen == LPI_NOTHING)
        return false;
    return q->chosen == LPI_SETTLED || (q->requests[0]->state != LPI_REQ_POSTED && !may_end) ||
           (p->inbox.n_any == 0 && !(may_end && p->core->machine->explore->by.untimed));
}

static bool depends(struct lpi_proc *p, const struct lpi_query *q)
{
    return is_plain(p, q) ? lpi_answers_usual.depends(p, q) : q->any;
}

static int64_t next(struct lpi_proc *p, const struct lpi_query *q)
{
    const bool comes = is_plain(p, q) && q->requests[0]->state == LPI_REQ_CTS_SENT;

    /* a message that was not taken may stay where it is */
    return comes || p->core->machine->explore->by.untimed ? INT64_MAX : lpi_next_arrival(p);
}

/* r was chosen to complete: the answer to a send, or, where clocks order nothing, the payload comes
 * first. */
static int await_chosen(struct lpi_proc *p, struct logp_request *r)
{
    int rc = 0;

    if (r->state == LPI_REQ_SYNC_SENT) {
        rc = r->answered > lpi_clock(p) ? lpi_wait_until(p, r->answered) : 0;
        r->state = LPI_REQ_SENT;
    }
    while (rc == 0 && r->state == LPI_REQ_CTS_SENT && p->core->machine->explore->by.untimed)
        rc = lpi_await_payload(p, r);
    return rc;
}

/* p's send waits for its receiver. Meanwhile what has come is matched with p's receives from any
 * source: that receiver may be waiting for such a match. */
static int meet(struct lpi_proc *p, struct lpi_query *q, const struct logp_request *r)
{
    struct lpi_query query = {.sends = true, .src = q->src, .tag = q->tag};
    int rc = 0;

    while (rc == 0 && p->inbox.n_any > 0 && r->state == LPI_REQ_RTS_SENT) {
        if (p->core->machine->explore->by.untimed && r->rts->request != NULL) {
            q->chosen = LPI_SETTLED; /* it is answered: p waits for nothing else */
            break;
        }
        rc = settle(p, &query);
        if (query.chosen < 0)
            break;
    }
    q->index = r->state == LPI_REQ_SENT ? 0 : LPI_NOT_YET;
    return rc;
}

/* Settle q until something has been chosen for it, or nothing is there. */
static int choose(struct lpi_proc *p, struct lpi_query *q)
{
    int rc;

    do {
        rc = settle(p, q);
        if (rc == 0 && q->chosen >= 0 && q->index >= 0 && q->n > 0)
            rc = await_chosen(p, q->requests[q->index]);
    } while (rc == 0 && q->chosen >= 0 &&
             (q->index < 0 || (q->any && !is_complete(q->requests[q->index]))));
    return rc;
}

static int resolve(struct lpi_proc *p, struct lpi_query *q)
{
    struct logp_request *r = q->n == 1 ? q->requests[0] : NULL;
    int rc = 0;

    if (is_plain(p, q)) {
        q->index = is_complete(r) && (!q->beside || r->arrival <= lpi_clock(p)) ? 0 : LPI_NOT_YET;
        return 0;
    }
    if (r != NULL && !q->any && r->state >= LPI_REQ_SENT)
        return meet(p, q, r);
    if (q->cancels) {
        while (rc == 0 && r->state == LPI_REQ_POSTED && (rc = settle(p, q)) == 0 && q->chosen >= 0)
            ;
        return rc;
    }
    rc = choose(p, q);
    q->index = q->chosen >= 0 ? q->index : LPI_NOT_YET;
    if (rc != 0 || q->chosen == LPI_MISSED)
        return rc != 0 ? rc : -ETIME;
    if (q->label != NULL && q->chosen >= 0)
        q->found = lpi_match_find(p, q->label->context, q->chosen, q->label->tag, INT64_MAX);
    if (r != NULL && !q->any && q->waits && r->state != LPI_REQ_POSTED) {
        q->chosen = LPI_SETTLED;
        q->index = is_complete(r) ? 0 : LPI_NOT_YET;
    } else if (r != NULL && !q->any && !is_complete(r)) {
        q->index = LPI_NOT_YET;
    }
    return 0;
}

static void received(struct lpi_proc *p, const struct lpi_query *q, const struct logp_request *r)
{
    (void)q;
    take_note(p, &(struct logp_note){LOGP_NOTE_RECEIVE, p->rank, r->from, r->got_tag,
                                     (int64_t)r->n_bytes, p->emulated});
}

const struct lpi_answers lpi_answers_explored = {
    .horizon = nowhere,
    .depends = depends,
    .resolve = resolve,
    .next = next,
    .posts = posts,
    .received = received,
    .note = take_note,
};

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
        rc = logp_struct_take(&by, sizeof(by), LOGP_UP_TO(struct logp_explorer, misses), given);
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
