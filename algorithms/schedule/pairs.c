/* SPDX-License-Identifier: MIT */
/*
 * Receives and messages that meet: see schedule.h. A receive is in the queue of its source and tag,
 * where either may be any; a message looks at the four queues that it fits, and takes the receive
 * that was posted first. A message is in all four queues, and stays in the others when a receive
 * has taken it from one.
 */
#include "schedule/schedule.h"

#include <errno.h>
#include <stdlib.h>

static uint64_t key_of(int32_t src, int32_t tag)
{
    return (uint64_t)(uint32_t)src << 32 | (uint32_t)tag;
}

/* The queue of a key, or a free place for it if the key is new. */
static struct lpi_fifo *find(const struct lpi_fifos *f, uint64_t key)
{
    uint64_t h = key * UINT64_C(0x9e3779b97f4a7c15);
    uint32_t i = (uint32_t)(h >> 32) & (f->queue_space - 1);

    while (f->queues[i].used && f->queues[i].key != key)
        i = (i + 1) & (f->queue_space - 1);
    return &f->queues[i];
}

static int grow_queues(struct lpi_fifos *f)
{
    struct lpi_fifos larger = *f;

    if (f->n_queues < f->queue_space / 2)
        return 0;
    larger.queue_space = f->queue_space > 0 ? 2 * f->queue_space : 8;
    larger.queues = calloc(larger.queue_space, sizeof(*larger.queues));
    if (larger.queues == NULL)
        return -ENOMEM;
    for (uint32_t i = 0; i < f->queue_space; i++)
        if (f->queues[i].used)
            *find(&larger, f->queues[i].key) = f->queues[i];
    free(f->queues);
    *f = larger;
    return 0;
}

/* An entry, from 1; 0: no memory. */
static uint32_t new_entry(struct lpi_fifos *f)
{
    uint32_t e = f->free;

    if (e != 0) {
        f->free = f->entries[e - 1].next;
        return e;
    }
    if (f->n == f->capacity) {
        const uint32_t capacity = f->capacity > 0 ? 2 * f->capacity : 8;
        void *more = realloc(f->entries, capacity * sizeof(*f->entries));

        if (more == NULL)
            return 0;
        f->entries = more;
        f->capacity = capacity;
    }
    return ++f->n;
}

static int put(struct lpi_fifos *f, uint64_t key, uint32_t item, uint32_t number)
{
    const uint32_t e = grow_queues(f) == 0 ? new_entry(f) : 0;
    struct lpi_fifo *q;

    if (e == 0)
        return -ENOMEM;
    f->entries[e - 1] = (struct lpi_fifo_entry){.item = item, .number = number};
    q = find(f, key);
    if (!q->used) {
        *q = (struct lpi_fifo){.key = key, .used = true};
        f->n_queues++;
    }
    if (q->first == 0)
        q->first = e;
    else
        f->entries[q->last - 1].next = e;
    q->last = e;
    return 0;
}

static struct lpi_fifo *queue_of(const struct lpi_fifos *f, uint64_t key)
{
    struct lpi_fifo *q = f->queue_space > 0 ? find(f, key) : NULL;

    return q != NULL && q->first != 0 ? q : NULL;
}

static struct lpi_fifo_entry pop(struct lpi_fifos *f, struct lpi_fifo *q)
{
    const uint32_t e = q->first;
    const struct lpi_fifo_entry first = f->entries[e - 1];

    q->first = first.next;
    f->entries[e - 1].next = f->free;
    f->free = e;
    return first;
}

void lpi_pairs_fini(struct lpi_pairs *p)
{
    free(p->posted.entries);
    free(p->posted.queues);
    free(p->come.entries);
    free(p->come.queues);
    free(p->met);
}

int lpi_pairs_post(struct lpi_pairs *p, int32_t src, int32_t tag, uint32_t receive,
                   int64_t *message)
{
    struct lpi_fifo *q;

    *message = LPI_NONE;
    while ((q = queue_of(&p->come, key_of(src, tag))) != NULL) {
        const uint32_t m = pop(&p->come, q).item;

        if (p->any && p->met[m])
            continue;
        if (p->any)
            p->met[m] = true;
        *message = m;
        return 0;
    }
    return put(&p->posted, key_of(src, tag), receive, p->n_posted++);
}

/* Make space for p->met[message]. */
static int note(struct lpi_pairs *p, uint32_t message)
{
    uint32_t capacity = p->met_capacity > 0 ? p->met_capacity : 8;
    bool *more;

    if (message < p->met_capacity)
        return 0;
    while (capacity <= message)
        capacity *= 2;
    more = realloc(p->met, capacity * sizeof(*more));
    if (more == NULL)
        return -ENOMEM;
    p->met = more;
    p->met_capacity = capacity;
    return 0;
}

int lpi_pairs_come(struct lpi_pairs *p, int32_t src, int32_t tag, uint32_t message,
                   int64_t *receive)
{
    const uint64_t keys[] = {key_of(src, tag), key_of(src, -1), key_of(-1, tag), key_of(-1, -1)};
    const int n = p->any ? 4 : 1;
    struct lpi_fifo *best = NULL;
    int rc = 0;

    *receive = LPI_NONE;
    for (int i = 0; i < n; i++) {
        struct lpi_fifo *q = queue_of(&p->posted, keys[i]);

        if (q != NULL && (best == NULL || p->posted.entries[q->first - 1].number <
                                              p->posted.entries[best->first - 1].number))
            best = q;
    }
    if (best != NULL) {
        *receive = pop(&p->posted, best).item;
        return 0;
    }
    if (p->any)
        rc = note(p, message);
    if (p->any && rc == 0)
        p->met[message] = false;
    for (int i = 0; rc == 0 && i < n; i++)
        rc = put(&p->come, keys[i], message, message);
    return rc;
}
