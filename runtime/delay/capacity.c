/* SPDX-License-Identifier: MIT */
/*
 * Capacity: a limit on the messages on the wire, [start + o_send, arrival), from any one processor
 * and to any one processor.
 *
 * Each processor has two heaps of arrival times, of the messages that it has sent and of those that
 * were sent to it. If either is full when a message would enter the wire, its sender learns when
 * the first place is free, and tries again then. Under the virtual clock senders try in the order
 * of (time, rank), so a free place goes to the lowest waiting rank. On the wall clock it goes to
 * the first that claims it, under the receiver's lock.
 *
 * The arrival is known only when the send has been charged. So a place is taken in two steps, claim
 * and apply. Nothing can fail between them, so a charged send takes place.
 */
#include "delay/delay.h"

#include "host/host.h"

#include <errno.h>
#include <stdlib.h>

struct arrivals {
    int64_t *at; /* a binary heap, the earliest on top */
    size_t n, space;
};

struct lpi_onwire {
    pthread_spinlock_t lock; /* of `to`; `from` belongs to the sender */
    struct arrivals from, to;
};

static void drop_first(struct arrivals *a)
{
    const int64_t last = a->at[--a->n];
    size_t i = 0;

    for (size_t child = 1; child < a->n; child = 2 * i + 1) {
        if (child + 1 < a->n && a->at[child + 1] < a->at[child])
            child++;
        if (a->at[child] >= last)
            break;
        a->at[i] = a->at[child];
        i = child;
    }
    if (a->n > 0)
        a->at[i] = last;
}

/* Whether there is a place at time `enter`. If not, raise *free_at to the time when there is
 * one. */
static bool has_space(struct arrivals *a, int64_t capacity, int64_t enter, int64_t *free_at)
{
    while (a->n > 0 && a->at[0] <= enter)
        drop_first(a);
    if (a->n < (size_t)capacity)
        return true;
    /* n > capacity only after the capacity was lowered; then the sender retries at each arrival */
    if (a->at[0] > *free_at)
        *free_at = a->at[0];
    return false;
}

/* Make space for one more. @return 0; -ENOMEM */
static int grow(struct arrivals *a)
{
    const size_t space = a->space > 0 ? 2 * a->space : 8;
    int64_t *at;

    if (a->n < a->space)
        return 0;
    at = realloc(a->at, space * sizeof(*at));
    if (at == NULL)
        return -ENOMEM;
    a->at = at;
    a->space = space;
    return 0;
}

static void add(struct arrivals *a, int64_t arrival)
{
    size_t i = a->n++;

    for (; i > 0 && a->at[(i - 1) / 2] > arrival; i = (i - 1) / 2)
        a->at[i] = a->at[(i - 1) / 2];
    a->at[i] = arrival;
}

static void free_wires(struct lpi_onwire *w, int P)
{
    for (int i = 0; w != NULL && i < P; i++) {
        free(w[i].from.at);
        free(w[i].to.at);
        pthread_spin_destroy(&w[i].lock);
    }
    lpi_memory_free(w, (size_t)P, sizeof(*w));
}

/* The wires by rank, made when they are first needed. NULL: no memory */
static struct lpi_onwire *wires(struct logp_machine *m)
{
    /* acquire pairs with the release below: the locks are initialised */
    struct lpi_onwire *w = atomic_load_explicit(&m->onwire, memory_order_acquire);
    struct lpi_onwire *none = NULL;

    if (w != NULL)
        return w;
    w = lpi_memory_zeroed((size_t)m->P, sizeof(*w));
    for (int i = 0; w != NULL && i < m->P; i++)
        pthread_spin_init(&w[i].lock, PTHREAD_PROCESS_PRIVATE);
    if (w != NULL && atomic_compare_exchange_strong_explicit(
                         &m->onwire, &none, w, memory_order_acq_rel, memory_order_acquire))
        return w;
    free_wires(w, m->P); /* another core was first, or there is no memory */
    return none;
}

/*
 * Find a place on the wire for t, which enters it at t->done. If there is one, it is reserved until
 * lpi_capacity_apply(), which must follow at once.
 * @return  0; -EAGAIN: full, a send that starts at *retry_at may find a place; -ENOMEM
 */
int lpi_capacity_claim(struct lpi_proc *from, struct lpi_proc *to, int64_t capacity,
                       const struct logp_transfer *t, int64_t *retry_at)
{
    struct lpi_onwire *all = wires(from->core->machine), *mine, *theirs;
    const int64_t done = t->done > t->start ? t->done : t->start; /* if the model has not set it */
    int64_t free_at = LOGP_NEVER;
    bool space;
    int rc;

    if (all == NULL)
        return -ENOMEM;
    mine = &all[from->rank];
    theirs = &all[to->rank];
    pthread_spin_lock(&theirs->lock);
    space = has_space(&mine->from, capacity, done, &free_at);
    space = has_space(&theirs->to, capacity, done, &free_at) && space;
    rc = !space ? -EAGAIN : grow(&mine->from) != 0 || grow(&theirs->to) != 0 ? -ENOMEM : 0;
    if (rc == -EAGAIN)
        *retry_at = t->start + (free_at - done);
    if (rc != 0)
        pthread_spin_unlock(&theirs->lock);
    return rc;
}

/* The message with the reserved place is on the wire until `arrival`. */
void lpi_capacity_apply(struct lpi_proc *from, struct lpi_proc *to, int64_t arrival)
{
    struct lpi_onwire *all = wires(from->core->machine);

    add(&all[from->rank].from, arrival);
    add(&all[to->rank].to, arrival);
    pthread_spin_unlock(&all[to->rank].lock);
}

void lpi_capacity_destroy(struct logp_machine *m)
{
    free_wires(atomic_load_explicit(&m->onwire, memory_order_relaxed), m->P);
}

/* Called while no vp sends. */
void lpi_capacity_reset(struct logp_machine *m)
{
    /* acquire: as in wires() */
    struct lpi_onwire *w = atomic_load_explicit(&m->onwire, memory_order_acquire);

    for (int i = 0; w != NULL && i < m->P; i++)
        w[i].from.n = w[i].to.n = 0;
}
