/* SPDX-License-Identifier: MIT */
/*
 * The delay model in force, and its replacement while the machine runs.
 *
 * The machine points to a heap copy of struct logp_delay, NULL for none. Readers (in_force.h) use
 * it inside RCU read-side sections; the writer swaps the pointer, waits for a grace period and
 * frees the old one. Under the virtual clock only one vp runs at a time, so a replacement ordered
 * for a virtual time is kept in a list, sorted by time, and made by the first vp whose send starts
 * then.
 */
#include "delay/in_force.h"

#include "host/annotate.h"
#include "state/stop.h"

#include <errno.h>
#include <stdlib.h>
#include <urcu/urcu-memb.h>

void logp_delay_destroy(struct logp_delay *delay)
{
    if (delay->ops != NULL && delay->ops->destroy != NULL)
        delay->ops->destroy(delay->model);
    *delay = (struct logp_delay){0};
}

/* Does it do all that it must? */
bool lpi_delay_complete(const struct logp_delay_ops *ops)
{
    return ops == NULL || (ops->start != NULL && ops->send != NULL && ops->recv != NULL);
}

static void free_copy(struct logp_delay *copy)
{
    if (copy == NULL)
        return;
    logp_delay_destroy(copy);
    free(copy);
}

/* Swap the model; the old one is returned, and may still have readers. */
static struct logp_delay *swap(struct logp_machine *m, struct logp_delay *copy)
{
    /* acq_rel: release pairs with the acquire in model_lock(); acquire because the old model is
     * about to be freed by us */
    return atomic_exchange_explicit(&m->delay, copy, memory_order_acq_rel);
}

static struct logp_delay *copy_of(struct logp_delay delay)
{
    struct logp_delay *copy = malloc(sizeof(*copy));

    if (copy != NULL)
        *copy = delay;
    return copy;
}

/*
 * Put a model in force at once.
 * @return  0; -EINVAL, -ENOMEM: the machine has not taken it
 */
int lpi_delay_install(struct logp_machine *m, struct logp_delay delay)
{
    struct logp_delay *copy = NULL, *old;

    if (!lpi_delay_complete(delay.ops))
        return -EINVAL;
    if (delay.ops != NULL) {
        copy = copy_of(delay);
        if (copy == NULL)
            return -ENOMEM;
    }
    old = swap(m, copy);
    if (old != NULL) {
        urcu_memb_synchronize_rcu();
        LPI_ACQUIRE(&m->delay); /* pairs with the release in model_unlock() */
        free_copy(old);
    }
    return 0;
}

/* Virtual clock: the model is to be replaced at a time to come. */
int lpi_delay_order(struct logp_machine *m, struct logp_delay delay, int64_t at)
{
    struct lpi_pending_delay *one = malloc(sizeof(*one)), **link;

    if (one == NULL)
        return -ENOMEM;
    *one = (struct lpi_pending_delay){.at = at, .delay = delay};
    pthread_mutex_lock(&m->lock);
    for (link = &m->pending; *link != NULL && (*link)->at <= at; link = &(*link)->next)
        ;
    one->next = *link;
    *link = one;
    /* relaxed: the list itself is under the lock */
    atomic_store_explicit(&m->pending_at, m->pending->at, memory_order_relaxed);
    pthread_mutex_unlock(&m->lock);
    return 0;
}

/* Virtual clock, by the one vp that runs: make the replacements that are due. */
void lpi_delay_apply_pending(struct logp_machine *m, int64_t now)
{
    pthread_mutex_lock(&m->lock);
    while (m->pending != NULL && m->pending->at <= now) {
        struct lpi_pending_delay *one = m->pending;
        struct logp_delay *copy = one->delay.ops != NULL ? copy_of(one->delay) : NULL;

        m->pending = one->next;
        if (copy == NULL && one->delay.ops != NULL) {
            logp_delay_destroy(&one->delay);
            lpi_stop(m, -ENOMEM);
        } else {
            free_copy(swap(m, copy));
        }
        free(one);
    }
    atomic_store_explicit(&m->pending_at, m->pending != NULL ? m->pending->at : INT64_MAX,
                          memory_order_relaxed);
    pthread_mutex_unlock(&m->lock);
}

/* o_recv and the gap, from when the message has arrived and the vp is free: sets r->done. */
void lpi_charge_recv(struct lpi_proc *p, struct logp_request *r)
{
    struct logp_machine *m = p->core->machine;
    const struct logp_delay *d = model_lock(m);
    struct logp_transfer t = {.src = r->from != LOGP_OUTSIDE ? r->from : p->rank,
                              .dst = p->rank,
                              .n_bytes = r->n_bytes,
                              .arrival = r->arrival};

    r->state = LPI_REQ_CHARGED;
    if (d == NULL) {
        /* none, but it may be on its way since there was a model */
        r->done = lpi_later(p, r->arrival); /* below 0: at once */
        return;
    }
    if (!lpi_has_clock(p)) {
        p->emulating = true;
        p->emulated = p->left = lpi_wall(m);
    }
    t.ready = lpi_later(p, r->arrival);
    d->ops->recv(d->model, &p->port, &t);
    model_unlock(m);
    r->done = t.done;
}

/* Time begins anew. Called by a vp while no other sends or receives. */
void lpi_delay_restart(struct logp_machine *m, bool new_run)
{
    const struct logp_delay *d = model_lock(m);

    if (d == NULL)
        return;
    if (d->ops->restart != NULL)
        d->ops->restart(d->model, new_run);
    model_unlock(m);
}

/*
 * A parallel run begins; the machine's lock is held, so the model cannot be replaced.
 * @return  how long a message takes at least; 0: nobody knows, or there is a capacity, which makes
 *          processors wait for each other in no time
 */
int64_t lpi_delay_begin(struct logp_machine *m)
{
    /* relaxed: it is replaced under the lock */
    const struct logp_delay *d = atomic_load_explicit(&m->delay, memory_order_relaxed);
    int64_t lookahead;

    if (d == NULL || d->ops->lookahead == NULL ||
        (d->ops->capacity != NULL && d->ops->capacity(d->model) > 0))
        return 0;
    if (d->ops->restart != NULL)
        d->ops->restart(d->model, true);
    lookahead = d->ops->lookahead(d->model);
    return lookahead < INT64_MAX / 4 ? lookahead : INT64_MAX / 4; /* it is added to times */
}

/* The machine ends: no reader is left. */
void lpi_delay_fini(struct logp_machine *m)
{
    while (m->pending != NULL) {
        struct lpi_pending_delay *one = m->pending;

        m->pending = one->next;
        logp_delay_destroy(&one->delay);
        free(one);
    }
    free_copy(swap(m, NULL));
}
