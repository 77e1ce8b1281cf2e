/* SPDX-License-Identifier: MIT */
/*
 * The delay model in force, and its replacement while the machine runs.
 *
 * The machine points to a heap copy of struct logp_delay, NULL for none. Readers (call.h) use it
 * inside RCU read-side sections; the writer swaps the pointer, waits for a grace period and frees
 * the old one. Under the virtual clock only one vp runs at a time, so a replacement ordered for a
 * virtual time is kept in a list, sorted by time, and made by the first vp whose send starts then.
 */
#include "call/call.h"

#include "host/process.h"

#include <errno.h>
#include <stdlib.h>
#include <urcu/urcu-memb.h>

void logp_delay_destroy(struct logp_delay *delay)
{
    if (delay->ops != NULL && delay->ops->destroy != NULL)
        delay->ops->destroy(delay->model);
    *delay = (struct logp_delay){0};
}

static bool complete(const struct logp_delay_ops *ops)
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

    if (!complete(delay.ops))
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

static int order(struct logp_machine *m, struct logp_delay delay, int64_t at)
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

/* Between the runs of a parallel machine. */
static int install_between_runs(struct logp_machine *m, struct logp_delay delay)
{
    int rc = -ENOTSUP;

    pthread_mutex_lock(&m->lock);
    if (m->away == 0)
        rc = lpi_delay_install(m, delay);
    pthread_mutex_unlock(&m->lock);
    return rc;
}

int logp_machine_set_delay(struct logp_machine *m, struct logp_delay delay, int64_t at_ns)
{
    struct lpi_core *here = lpi_this_core;
    const bool inside = here != NULL && here->machine == m;

    if (!complete(delay.ops))
        return -EINVAL;
    if (lpi_process_is_orphan())
        return -ENOTSUP;
    if (lpi_is_parallel(m))
        return inside || at_ns > 0 ? -ENOTSUP : install_between_runs(m, delay);
    if (m->is_virtual && !inside && (at_ns > 0 || logp_machine_busy(m)))
        return order(m, delay, at_ns > 0 ? at_ns : 0);
    if (m->is_virtual && inside) {
        /* relaxed: it is the caller itself */
        const int rank = atomic_load_explicit(&here->holder, memory_order_relaxed);
        const int rc = lpi_reach(&m->procs[rank], m->procs[rank].emulated);

        if (rc != 0)
            return rc;
    }
    return lpi_delay_install(m, delay);
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
