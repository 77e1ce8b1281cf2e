/* SPDX-License-Identifier: MIT */
/*
 * The explorer of a machine: the effects of its flags, and the vp that runs next. explore.c has the
 * queries.
 *
 * All vps with a deadline are in an array by rank, instead of the timers. When none has one, a vp
 * that is POLLING continues with the outcome chosen for its query.
 */

#include "carrier/carrier.h"
#include "core/core.h"
#include "core/sched.h"
#include "mail/mail.h"
#include "state/explore.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { MISSES = 3 };

static int ask_of_several(const struct lpi_explore *x, int n)
{
    return n > 1 ? lpi_outcomes_ask(x, n) : 0;
}

static int take_first(const struct lpi_explore *x, int n)
{
    (void)x, (void)n;
    return 0;
}

/* ---- the vp that runs next ---- */

struct lpi_proc *lpi_explored_first(const struct lpi_core *c, bool *shared)
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
        due[first] = INT64_MAX; /* stale: it went on meanwhile */
    }
}

/* Without a clock, the vp that ran last usually runs again, unless it polls in vain. So few choices
 * of a run differ from the usual ones. */
static struct lpi_proc *usual_untimed(const struct lpi_explore *x, const struct logp_machine *m,
                                      struct lpi_proc *first)
{
    struct lpi_proc *last = &m->procs[x->last];

    return last->state == LPI_TIMED && x->vps[x->last].vain == 0 ? last : first;
}

static struct logp_alternative go_on(const struct lpi_explore *x, int rank)
{
    return (struct logp_alternative){
        .kind = LOGP_GO_ON, .rank = rank, .source = -1, .polls = x->vps[rank].vain};
}

/* Ask which of the vps with deadlines up to `latest` runs: `first` is the first alternative, the
 * others follow by rank. */
static struct lpi_proc *ask_proc(struct lpi_core *c, struct lpi_proc *first, int64_t latest)
{
    struct lpi_explore *x = c->machine->explore;
    struct lpi_proc *procs = c->machine->procs;
    int n = 0;

    if (!lpi_outcomes_reserve(c->machine, c->n_procs))
        return first;
    x->list[n++] = go_on(x, first->rank);
    for (int i = 0; i < c->n_procs; i++)
        if (x->due[i] <= latest && i != first->rank && procs[i].state == LPI_TIMED)
            x->list[n++] = go_on(x, i);
    return n > 1 ? &procs[x->list[lpi_outcomes_ask(x, n)].rank] : first;
}

static struct lpi_proc *order_none(struct lpi_core *c, struct lpi_proc *first, bool shared)
{
    (void)c, (void)shared;
    return first;
}

static struct lpi_proc *order_equal(struct lpi_core *c, struct lpi_proc *first, bool shared)
{
    return shared ? ask_proc(c, first, first->deadline) : first;
}

static struct lpi_proc *order_all(struct lpi_core *c, struct lpi_proc *first, bool shared)
{
    (void)shared;
    return ask_proc(c, usual_untimed(c->machine->explore, c->machine, first), INT64_MAX - 1);
}

/* Whether another vp runs before p reaches t, by deadline and rank. */
static bool earlier_first(struct lpi_proc *p, int64_t t)
{
    bool shared;
    const struct lpi_proc *first = lpi_explored_first(p->core, &shared);

    return first != NULL &&
           (first->deadline < t || (first->deadline == t && first->rank < p->rank));
}

static bool equal_first(struct lpi_proc *p, int64_t t)
{
    bool shared;
    const struct lpi_proc *first = lpi_explored_first(p->core, &shared);

    return first != NULL && first->deadline <= t;
}

static bool all_first(struct lpi_proc *p, int64_t t)
{
    (void)t;
    return equal_first(p, INT64_MAX);
}

bool lpi_explored_others_first(struct lpi_proc *p, int64_t t)
{
    return p->core->machine->explore->others_first(p, t);
}

/* ---- when no vp has a deadline ---- */

static struct lpi_proc *completed(struct lpi_proc *p, struct lpi_query *query)
{
    struct lpi_explored_vp *v = &p->core->machine->explore->vps[p->rank];

    query->choice = LPI_TAKEN;
    query->index = 0;
    v->misses = 0;
    v->found = LOGP_ANY_SOURCE;
    p->state = LPI_RUNNING;
    return p;
}

/* Whether a posted receive of p may take a message although p has no query. Untimed only. */
static bool takes_aside(const struct lpi_proc *p)
{
    return p->inbox.n_any > 0 &&
           (p->state == LPI_SYNC || p->state == LPI_BLOCKED || p->state == LPI_SENDING);
}

/* The alternatives of vps without a deadline: n entries of the explorer's list. */
struct outcomes {
    int n;
    bool forced, misses;                 /* the first entry is the only one; a vp can only miss */
    struct lpi_proc *complete, *patient; /* it continues without a choice; it has missed least */
};

/* Append what p could do. aside: of vps that wait for something else than a message. @return false:
 * nothing else counts */
static bool add_outcomes(struct lpi_proc *p, const struct lpi_query *aside, struct outcomes *o)
{
    struct lpi_explore *x = p->core->machine->explore;
    struct lpi_explored_vp *v = &x->vps[p->rank];
    const int from = o->n;

    v->only_misses = false;
    if (p->state != LPI_POLLING) {
        if (takes_aside(p))
            o->n = lpi_outcomes_gather(p, aside, o->n, &o->forced);
        return true;
    }
    o->n = lpi_outcomes_gather(p, v->query, o->n, &o->forced);
    if (lpi_outcomes_complete(v->query))
        o->complete = p;
    else if (o->forced)
        x->list[0] = x->list[from];
    if (o->complete != NULL || o->forced)
        return false;
    o->n = lpi_outcomes_add_miss(p, v->query, from, o->n);
    if (o->n == from + 1 && x->list[from].kind == LOGP_MISS) {
        v->only_misses = o->misses = true;
        o->n = from;
    }
    if (lpi_may_miss(v->query) &&
        (o->patient == NULL || v->misses < x->vps[o->patient->rank].misses))
        o->patient = p;
    return true;
}

/* Misses count where vps have nothing else, or, beyond the bound on misses, where no vp has. */
static void add_sole_misses(struct lpi_core *c, struct outcomes *o)
{
    struct lpi_explore *x = c->machine->explore;

    for (int i = 0; o->misses && i < c->n_procs && lpi_outcomes_reserve(c->machine, o->n); i++)
        if (x->vps[lpi_proc_at(c, i)->rank].only_misses)
            x->list[o->n++] = lpi_outcomes_miss(x, lpi_proc_at(c, i)->rank,
                                                x->vps[lpi_proc_at(c, i)->rank].query);
    if (o->n == 0 && o->patient != NULL && lpi_outcomes_reserve(c->machine, 0))
        x->list[o->n++] = lpi_outcomes_miss(x, o->patient->rank, x->vps[o->patient->rank].query);
}

/* Untimed: only POLLING vps can run. Ask which one does, and with which outcome. Alternatively, a
 * vp that waits for something else takes a message whose sender waits for that. As without `late`,
 * the vp that ran last usually runs again, unless it can only miss. */
static struct lpi_proc *next_polling(struct lpi_core *c)
{
    struct lpi_explore *x = c->machine->explore;
    struct lpi_query aside = {.until = INT64_MAX}, *query = &aside;
    struct outcomes o = {0};
    const struct logp_alternative *a;
    struct lpi_proc *p;
    bool shared;
    int i = 0;

    while (i < c->n_procs && add_outcomes(lpi_proc_at(c, (x->last + i) % c->n_procs), &aside, &o))
        i++;
    if (o.complete != NULL)
        return completed(o.complete, x->vps[o.complete->rank].query);
    if (lpi_explored_first(c, &shared) != NULL ||
        c->run_queue.ready_first != NULL) /* a send has been matched */
        return lpi_explored_next(c);
    if (o.forced)
        o.n = 1;
    else
        add_sole_misses(c, &o);
    if (o.n == 0)
        return NULL;
    a = &x->list[x->ask_outcome(x, o.n)];
    p = &c->machine->procs[a->rank];
    x->last = p->rank;
    if (p->state == LPI_POLLING)
        query = x->vps[p->rank].query;
    lpi_outcomes_take(p, query, a);
    if (query == &aside || query->index < 0) /* it waits on */
        return lpi_explored_next(c);
    p->state = LPI_RUNNING;
    return p;
}

struct lpi_proc *lpi_explored_next(struct lpi_core *c)
{
    struct lpi_explore *x = c->machine->explore;
    struct lpi_proc *first;
    bool shared;

    /* relaxed: set on this core. Mail is polled each time, so that all runs are the same. */
    if (atomic_load_explicit(&c->attention, memory_order_relaxed) != 0 || c->space.first != NULL)
        lpi_poll_mail(c);
    if (c->run_queue.ready_first != NULL) {
        first = c->run_queue.ready_first;
        c->run_queue.ready_first = first->next_ready;
        first->state = LPI_RUNNING;
        return first;
    }
    first = lpi_explored_first(c, &shared);
    if (first == NULL)
        return x->way->none_due(c);
    first = x->order(c, first, shared);
    x->last = first->rank;
    x->due[first->rank] = INT64_MAX;
    first->emulated = first->deadline;
    first->state = LPI_RUNNING;
    return first;
}

/* All wait for messages, and time brings none. */
static struct lpi_proc *no_proc(struct lpi_core *c)
{
    (void)c;
    return NULL;
}

static int64_t never(struct lpi_proc *p)
{
    (void)p;
    return INT64_MAX;
}

/* ---- what the explorer's flags choose ---- */

static const struct lpi_way timed = {.choose = lpi_choose_now,
                                     .turn = lpi_turn_now,
                                     .pass = lpi_pass_now,
                                     .takes = lpi_takes_timed,
                                     .none_due = no_proc,
                                     .next_arrival = lpi_next_arrival,
                                     .horizon = LOGP_NEVER};

static const struct lpi_way untimed = {.choose = lpi_choose_now,
                                       .turn = lpi_turn_now,
                                       .pass = lpi_pass_now,
                                       .takes = lpi_takes_untimed,
                                       .none_due = next_polling,
                                       .next_arrival = never,
                                       .horizon = INT64_MAX};

static const struct lpi_way late = {.choose = lpi_choose_late,
                                    .turn = lpi_choose_late,
                                    .pass = lpi_pass_late,
                                    .takes = lpi_takes_late,
                                    .none_due = next_polling,
                                    .next_arrival = never,
                                    .horizon = INT64_MAX,
                                    .serves_ended = true};

/* Untimed without order, others go first as usual, so that all vps begin. */
static const struct flags {
    const struct lpi_way *way; /* NULL: these flags exclude each other */
    bool (*others_first)(struct lpi_proc *p, int64_t t);
    struct lpi_proc *(*next)(struct lpi_core *c, struct lpi_proc *first, bool shared);
    int (*ask_outcome)(const struct lpi_explore *x, int n);
} all_flags[2][2][2][2] = {
    /* untimed, late, order, messages */
    [0][0][0][0] = {&timed, earlier_first, order_none, take_first},
    [0][0][0][1] = {&timed, earlier_first, order_none, ask_of_several},
    [0][0][1][0] = {&timed, equal_first, order_equal, take_first},
    [0][0][1][1] = {&timed, equal_first, order_equal, ask_of_several},
    [1][0][0][0] = {&untimed, lpi_usual_others_first, order_none, take_first},
    [1][0][0][1] = {&untimed, lpi_usual_others_first, order_none, ask_of_several},
    [1][0][1][0] = {&untimed, all_first, order_all, take_first},
    [1][0][1][1] = {&untimed, all_first, order_all, ask_of_several},
    [1][1][0][1] = {&late, lpi_usual_others_first, order_none, lpi_outcomes_ask},
};

static const struct flags *flags_of(const struct logp_explorer *by)
{
    return &all_flags[by->untimed][by->late][by->order][by->messages];
}

/* ---- begin and end ---- */

void lpi_explore_begin(struct logp_machine *m)
{
    struct lpi_explore *x = m->explore;

    for (int i = 0; i < m->P; i++) {
        lpi_durable_free(x->vps[i].durable);
        x->vps[i] = (struct lpi_explored_vp){.found = LOGP_ANY_SOURCE, .raised = !x->by.untimed};
        lpi_usage_forget(&m->procs[i]);
        m->procs[i].agreed = 0; /* groups have the same contexts in each run */
        x->due[i] = 0;          /* all begin */
        if (x->reorders)
            lpi_explored_raise(&m->procs[i]);
    }
    x->last = 0;
    x->steps = 0;
    x->left = x->by.most_faults;
    x->left_overtaken = x->by.most_overtaken;
    x->is_cut = x->has_cuts = false;
    x->meets_fault = x->has_faults;
}

static void destroy(struct lpi_explore *x, int P)
{
    if (x == NULL)
        return;
    for (int i = 0; x->vps != NULL && i < P; i++)
        lpi_durable_free(x->vps[i].durable);
    lpi_usage_free(x->usage, P);
    free(x->vps);
    free(x->due);
    free(x->list);
    free(x->arrivals);
    free(x);
}

void lpi_explore_free(struct logp_machine *m)
{
    destroy(m->explore, m->P);
    m->explore = NULL;
}

static struct lpi_explore *create(int P)
{
    struct lpi_explore *x = calloc(1, sizeof(*x));

    if (x == NULL)
        return NULL;
    x->vps = calloc((size_t)P, sizeof(*x->vps));
    x->due = calloc((size_t)P, sizeof(*x->due));
    if (x->vps != NULL && x->due != NULL)
        return x;
    destroy(x, P);
    return NULL;
}

/* Take what the flags choose. A change of them needs no memory. */
static void configure(struct lpi_explore *x, const struct logp_explorer *by)
{
    static const struct logp_fault_limits no_faults;
    const struct flags *flags = flags_of(by);

    x->by = *by;
    x->by.misses = !by->untimed ? 0 : by->misses > 0 ? by->misses : MISSES;
    x->way = flags->way;
    x->others_first = flags->others_first;
    x->order = flags->next;
    x->ask_outcome = flags->ask_outcome;
    x->has_faults = memcmp(&by->most_faults, &no_faults, sizeof(no_faults)) != 0;
    x->reorders = by->messages && by->most_overtaken > 0;
}

/* by: NULL: none. Called with the lock. */
static int take_explorer(struct logp_machine *m, const struct logp_explorer *by)
{
    struct lpi_explore *x = m->explore;

    if (lpi_in_use(m))
        return -EBUSY;
    if (by == NULL) {
        lpi_explore_free(m);
        return 0;
    }
    if (x == NULL)
        x = create(m->P);
    if (x == NULL)
        return -ENOMEM;
    m->explore = x;
    configure(x, by);
    if (!by->checks_requests) {
        lpi_usage_free(x->usage, m->P);
        x->usage = NULL;
        return 0;
    }
    if (x->usage == NULL)
        x->usage = lpi_usage_new(m->P);
    return x->usage != NULL ? 0 : -ENOMEM;
}

/* Only explorers that choose matches reorder messages. */
static bool is_wrong(const struct logp_explorer *by)
{
    return by->most_overtaken < 0 || (by->most_overtaken > 0 && (!by->messages || by->keeps_order));
}

int logp_machine_explore(struct logp_machine *m, const struct logp_explorer *given)
{
    struct logp_explorer by;
    int rc = 0;

    if (given != NULL)
        rc = logp_struct_take(&by, sizeof(by), LOGP_UP_TO(struct logp_explorer, misses), given);
    if (rc != 0)
        return rc;
    if (given != NULL &&
        (by.choose == NULL || by.misses < 0 || is_wrong(&by) || flags_of(&by)->way == NULL))
        return -EINVAL;
    rc = given != NULL ? m->exploring : 0;
    if (rc != 0)
        return rc;
    pthread_mutex_lock(&m->lock);
    rc = take_explorer(m, given != NULL ? &by : NULL);
    pthread_mutex_unlock(&m->lock);
    return rc;
}
