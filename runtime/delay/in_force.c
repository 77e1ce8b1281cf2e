/* SPDX-License-Identifier: MIT */
/*
 * The delay model in force, and its replacement while the machine runs.
 *
 * The machine points to its own copy of the model and its functions; NULL: no delay. Readers
 * (delay.h) use the copy inside RCU read-side sections. The writer swaps the pointer, waits for
 * a grace period and frees the old copy, or keeps it for the machine's life if it has links or a
 * topology. Under the virtual clock only one vp runs at a time. So a
 * replacement for a virtual time waits in a list, sorted by time, and the first vp whose send
 * starts then or later makes it.
 */
#include "delay/delay.h"

#include "host/host.h"
#include "host/rcu.h"
#include "trace/recorder.h"

#include <errno.h>
#include <stdlib.h>

int logp_delay_functions(const struct logp_delay *delay, struct logp_delay_ops *ops)
{
    const int rc = logp_struct_take(ops, sizeof(*ops), LOGP_UP_TO(struct logp_delay_ops, lookahead),
                                    delay->ops);

    if (rc != 0)
        return rc;
    return ops->start != NULL && ops->send != NULL && ops->recv != NULL ? 0 : -EINVAL;
}

void logp_delay_destroy(struct logp_delay *delay)
{
    const struct logp_delay_ops *ops = delay->ops;

    if (ops != NULL && ops->size >= LOGP_UP_TO(struct logp_delay_ops, destroy) &&
        ops->destroy != NULL)
        ops->destroy(delay->model);
    *delay = (struct logp_delay){0};
}

void lpi_delay_fail(struct logp_delay *inner, struct logp_delay *out)
{
    if (out == inner)
        logp_delay_destroy(out);
    *out = (struct logp_delay){0};
}

/* Of the last model of this process. */
static _Atomic uint64_t models;

static void free_copy(struct lpi_delay *copy)
{
    if (copy != NULL && copy->ops.destroy != NULL)
        copy->ops.destroy(copy->model);
    free(copy);
}

/* Of a model that has been replaced: collectives under way may plan with its topology and its links. */
static void retire(struct logp_machine *m, struct lpi_delay *old)
{
    if (old == NULL || (old->network.topology == NULL && old->network.links == NULL)) {
        free_copy(old);
        return;
    }
    old->next = atomic_load_explicit(&m->retired, memory_order_relaxed);
    /* relaxed: they are read when the machine is destroyed, which comes after all replacements */
    while (!atomic_compare_exchange_weak_explicit(&m->retired, &old->next, old,
                                                  memory_order_relaxed, memory_order_relaxed))
        ;
}

/* Swap the model. @return the old one, which may still have readers */
static struct lpi_delay *swap(struct logp_machine *m, struct lpi_delay *copy)
{
    if (copy != NULL && copy->ops.start == NULL) {
        free(copy);
        copy = NULL;
    }
    /* relaxed: a vp that finds it set reads the model under RCU */
    atomic_store_explicit(&m->has_work, copy != NULL && copy->ops.work != NULL,
                          memory_order_relaxed);
    /* acq_rel: release pairs with the acquire in model_lock(); acquire pairs with the release of
     * the swap before, since the caller frees the old model */
    return atomic_exchange_explicit(&m->delay, copy, memory_order_acq_rel);
}

/* Set copy->network to the network that is modelled, and its capacity. */
static void describe(struct lpi_delay *copy)
{
    const struct logp_params *params =
        copy->ops.params != NULL ? copy->ops.params(copy->model) : NULL;

    if (copy->ops.capacity != NULL)
        copy->capacity = copy->ops.capacity(copy->model);
    if (params != NULL)
        copy->network.params = *params;
    if (copy->ops.network != NULL)
        copy->ops.network(copy->model, &copy->network);
}

/*
 * Make a copy that lpi_delay_install() or lpi_delay_order() hands over to the machine. Until then
 * the caller owns the model, and free() discards the copy.
 * @return  0; -ENOMEM, or as logp_delay_functions()
 */
int lpi_delay_copy(const struct logp_delay *delay, struct lpi_delay **out)
{
    struct lpi_delay *copy = calloc(1, sizeof(*copy));
    int rc = 0;

    if (copy == NULL)
        return -ENOMEM;
    copy->model = delay->model;
    copy->number = atomic_fetch_add_explicit(&models, 1, memory_order_relaxed) + 1; /* unique */
    if (!logp_delay_is_none(delay)) /* else start stays NULL: swap() */
        rc = logp_delay_functions(delay, &copy->ops);
    if (rc != 0) {
        free(copy);
        return rc;
    }
    describe(copy);
    *out = copy;
    return 0;
}

/* Put a model into force at once. */
void lpi_delay_install(struct logp_machine *m, struct lpi_delay *copy)
{
    struct lpi_delay *old = swap(m, copy);

    if (old == NULL)
        return;
    urcu_memb_synchronize_rcu();
    LPI_ACQUIRE(&m->delay); /* pairs with the release in model_unlock() */
    retire(m, old);
}

/* Called with the lock, which protects the list. So relaxed is enough. */
static void note_pending(struct logp_machine *m)
{
    atomic_store_explicit(&m->pending_at, m->pending != NULL ? m->pending->at : INT64_MAX,
                          memory_order_relaxed);
}

/* Virtual clock: replace the model at a later time. */
void lpi_delay_order(struct logp_machine *m, struct lpi_delay *copy, int64_t at)
{
    struct lpi_delay **link;

    copy->at = at;
    pthread_mutex_lock(&m->lock);
    for (link = &m->pending; *link != NULL && (*link)->at <= at; link = &(*link)->next)
        ;
    copy->next = *link;
    *link = copy;
    note_pending(m);
    pthread_mutex_unlock(&m->lock);
}

/* Remove the first pending model from the list. */
static struct lpi_delay *take_pending(struct logp_machine *m)
{
    struct lpi_delay *first = m->pending;

    m->pending = first->next;
    return first;
}

/* Drop the models that are due by time 0. They were ordered while the last run was not done, no
 * message was sent with them, and another one replaces them. */
void lpi_delay_drop_due(struct logp_machine *m)
{
    pthread_mutex_lock(&m->lock);
    while (m->pending != NULL && m->pending->at <= 0)
        free_copy(take_pending(m));
    note_pending(m);
    pthread_mutex_unlock(&m->lock);
}

/* Virtual clock: make the replacements that are due. Called by the one vp that runs. */
void lpi_delay_apply_pending(struct logp_machine *m, int64_t now)
{
    pthread_mutex_lock(&m->lock);
    while (m->pending != NULL && m->pending->at <= now)
        retire(m, swap(m, take_pending(m)));
    note_pending(m);
    pthread_mutex_unlock(&m->lock);
}

/* Charge o_recv and the gap: set t->start and t->done. */
static inline __attribute__((always_inline)) void charge(struct lpi_proc *p,
                                                         struct logp_transfer *t)
{
    struct logp_machine *m = p->core->machine;
    const struct lpi_delay *d = model_lock(m);

    t->dst = p->rank;
    if (t->src == LOGP_OUTSIDE)
        t->src = p->rank;
    if (d == NULL) {
        /* the message may have been sent while there was a model */
        t->start = t->done = lpi_later(p, t->arrival); /* below 0: at once */
        return;
    }
    if (!lpi_has_clock(p))
        p->emulated = p->left = lpi_wall(m);
    t->ready = lpi_later(p, t->arrival);
    d->ops.recv(d->model, &p->port, t);
    model_unlock(m);
    /* when p finds out does not depend on when it has matched the message */
    if (__builtin_expect(t->done == LOGP_STOPPED, false) && m->is_virtual)
        p->emulated = t->ready;
}

int64_t lpi_charge_delayed(struct lpi_proc *p, const struct lpi_message *m)
{
    struct logp_transfer t = {.src = m->src, .n_bytes = m->n_bytes, .arrival = m->arrival};

    charge(p, &t);
    return t.done;
}

void lpi_charge_recv(struct lpi_proc *p, struct logp_request *r)
{
    struct logp_transfer t = {.src = r->from, .n_bytes = r->n_bytes, .arrival = r->arrival};

    charge(p, &t);
    r->state = LPI_REQ_CHARGED;
    r->done = t.done;
    p->core->machine->record->receive(p, r, t.start);
}

int64_t lpi_delay_work(const struct lpi_proc *p, int64_t ns)
{
    struct logp_machine *m = p->core->machine;
    const struct lpi_delay *d = model_lock(m);
    int64_t end = lpi_after(p->emulated, ns);

    if (d == NULL)
        return end;
    if (d->ops.work != NULL && ns < LOGP_PARAM_MAX_NS)
        end = d->ops.work(d->model, p->rank, p->emulated, ns);
    model_unlock(m);
    return end;
}

int64_t lpi_delay_stops_at(const struct lpi_proc *p)
{
    struct logp_machine *m = p->core->machine;
    const struct lpi_delay *d = model_lock(m);
    int64_t t = INT64_MAX;

    if (d == NULL)
        return t;
    if (d->ops.stops != NULL)
        t = d->ops.stops(d->model, p->rank);
    model_unlock(m);
    return t;
}

int lpi_delay_halt(struct lpi_proc *p)
{
    const int64_t t = lpi_delay_stops_at(p);

    if (t != INT64_MAX && !p->halted)
        p->core->machine->record->halt(p, t);
    if (t != INT64_MAX && t > p->emulated)
        p->emulated = t;
    p->halted = true;
    return -EHOSTDOWN;
}

/* Restart the model's time at `start`. Called by a vp while no other sends or receives. */
void lpi_delay_restart(struct logp_machine *m, bool new_run, int64_t start)
{
    const struct lpi_delay *d = model_lock(m);

    if (d == NULL)
        return;
    if (d->ops.restart != NULL)
        d->ops.restart(d->model, new_run);
    if (d->ops.begin != NULL)
        d->ops.begin(d->model, start);
    model_unlock(m);
}

/*
 * A parallel run begins. Called with the machine's lock, so that the model is not replaced.
 * @return  the least time that a message takes; 0: it is unknown, or the model has a capacity: then
 *          a send may affect another sender at once
 */
int64_t lpi_delay_begin(struct logp_machine *m)
{
    /* relaxed: the lock orders it */
    const struct lpi_delay *d = atomic_load_explicit(&m->delay, memory_order_relaxed);
    int64_t lookahead;

    if (d == NULL || d->ops.lookahead == NULL || d->capacity > 0)
        return 0;
    if (d->ops.restart != NULL)
        d->ops.restart(d->model, true);
    if (d->ops.begin != NULL)
        d->ops.begin(d->model, 0);
    lookahead = d->ops.lookahead(d->model);
    return lookahead < INT64_MAX / 4 ? lookahead : INT64_MAX / 4; /* it is added to times */
}

/* The machine is destroyed: the model has no readers. */
void lpi_delay_fini(struct logp_machine *m)
{
    while (m->pending != NULL)
        free_copy(take_pending(m));
    /* relaxed: as in retire() */
    for (struct lpi_delay *old = atomic_load_explicit(&m->retired, memory_order_relaxed), *next;
         old != NULL; old = next) {
        next = old->next;
        free_copy(old);
    }
    free_copy(swap(m, NULL));
}
