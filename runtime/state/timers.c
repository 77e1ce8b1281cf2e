/* SPDX-License-Identifier: MIT */
/* The deadlines of a core: see timers.h. */
#include "state/timers.h"

#include "host/host.h"

#include <errno.h>
#include <string.h>

/* Numbers of parts: the runs come first, then the heap. */
enum { HEAP = LPI_RUNS, NONE = -1, UNKNOWN = -2 };

enum { FIRST_SLOTS = 256 }; /* of a run */

static bool before(const struct lpi_timer *a, const struct lpi_timer *b)
{
    return a->key < b->key || (a->key == b->key && a->rank < b->rank);
}

/* ---- the heap ---- */

static void sift_up(struct lpi_timers *t, int place, struct lpi_timer s)
{
    while (place > 0) {
        const int parent = (place - 1) / LPI_HEAP_ARITY;

        if (!before(&s, &t->heap[parent]))
            break;
        t->heap[place] = t->heap[parent];
        place = parent;
    }
    t->heap[place] = s;
}

static void sift_down(struct lpi_timers *t, int place, struct lpi_timer s)
{
    for (;;) {
        const int first = LPI_HEAP_ARITY * place + 1;
        const int end = first + LPI_HEAP_ARITY < t->n_heap ? first + LPI_HEAP_ARITY : t->n_heap;
        int least = first;

        if (first >= t->n_heap)
            break;
        for (int i = first + 1; i < end; i++)
            if (before(&t->heap[i], &t->heap[least]))
                least = i;
        if (!before(&t->heap[least], &s))
            break;
        t->heap[place] = t->heap[least];
        place = least;
    }
    t->heap[place] = s;
}

/* ---- all parts ---- */

int lpi_timers_init(struct lpi_timers *t, int most)
{
    *t = (struct lpi_timers){.capacity = 2 * most, .top = UNKNOWN};
    t->heap = lpi_memory_zeroed((size_t)t->capacity, sizeof(*t->heap));
    for (int i = 0; i < LPI_RUNS; i++) {
        t->runs[i].slots = lpi_memory_zeroed((size_t)t->capacity, sizeof(struct lpi_timer));
        if (t->runs[i].slots == NULL)
            return -ENOMEM;
        t->runs[i].end = t->capacity < FIRST_SLOTS ? t->capacity : FIRST_SLOTS;
    }
    return t->heap == NULL ? -ENOMEM : 0;
}

void lpi_timers_fini(struct lpi_timers *t)
{
    lpi_memory_free(t->heap, (size_t)t->capacity, sizeof(*t->heap));
    for (int i = 0; i < LPI_RUNS; i++)
        lpi_memory_free(t->runs[i].slots, (size_t)t->capacity, sizeof(struct lpi_timer));
    *t = (struct lpi_timers){0};
}

void lpi_timers_clear(struct lpi_timers *t)
{
    for (int i = 0; i < LPI_RUNS; i++)
        t->runs[i].head = t->runs[i].tail = 0;
    t->n_heap = t->n = 0;
    t->top = UNKNOWN;
}

/* At its end a run moves to the front, if that frees a quarter of it, or else it gets more slots. */
static __attribute__((noinline)) bool make_space(const struct lpi_timers *t, struct lpi_run *r)
{
    const int n = r->tail - r->head;

    if (n > r->end - r->end / 4) {
        const bool can_grow = r->end < t->capacity;

        r->end = r->end < t->capacity / 2 ? r->end + r->end / 2 : t->capacity;
        return can_grow;
    }
    memmove(r->slots, r->slots + r->head, (size_t)n * sizeof(*r->slots));
    r->head = 0;
    r->tail = n;
    return true;
}

static bool has_space(const struct lpi_timers *t, struct lpi_run *r)
{
    if (r->tail == r->head)
        r->head = r->tail = 0;
    return r->tail < r->end || make_space(t, r);
}

static const struct lpi_timer *first_of(const struct lpi_timers *t, int part)
{
    return part == HEAP ? &t->heap[0] : &t->runs[part].slots[t->runs[part].head];
}

void lpi_timers_push(struct lpi_timers *t, int64_t key, int rank, unsigned stamp)
{
    const struct lpi_timer s = {key, rank, stamp};

    if (t->top == NONE || (t->top != UNKNOWN && before(&s, first_of(t, t->top))))
        t->top = UNKNOWN;
    t->n++;
    for (int i = 0; i < LPI_RUNS; i++) {
        struct lpi_run *r = &t->runs[i];
        int64_t at = key;

        if (r->tail > r->head && before(&s, &r->slots[r->tail - 1])) {
            at = r->slots[r->tail - 1].key;
            if (!t->is_loose || at - key >= t->n)
                continue;
        }
        if (has_space(t, r)) {
            r->slots[r->tail++] = (struct lpi_timer){at, rank, stamp};
            return;
        }
    }
    sift_up(t, t->n_heap++, s);
}

/* The part that holds the earliest deadline; NONE: there is none. */
static int earliest_part(struct lpi_timers *t)
{
    const struct lpi_timer *best = NULL;

    if (t->top != UNKNOWN)
        return t->top;
    t->top = NONE;
    if (t->n_heap > 0) {
        best = &t->heap[0];
        t->top = HEAP;
    }
    for (int i = 0; i < LPI_RUNS; i++) {
        const struct lpi_run *r = &t->runs[i];

        if (r->tail > r->head && (best == NULL || before(&r->slots[r->head], best))) {
            best = &r->slots[r->head];
            t->top = i;
        }
    }
    return t->top;
}

const struct lpi_timer *lpi_timers_top(struct lpi_timers *t)
{
    const int part = earliest_part(t);

    return part != NONE ? first_of(t, part) : NULL;
}

void lpi_timers_pop(struct lpi_timers *t)
{
    const int part = earliest_part(t);

    t->top = UNKNOWN;
    t->n--;
    if (part != HEAP) {
        t->runs[part].head++;
    } else if (--t->n_heap > 0) {
        sift_down(t, 0, t->heap[t->n_heap]);
    }
}

const struct lpi_timer *lpi_timers_ahead(struct lpi_timers *t, int k)
{
    const int part = earliest_part(t);
    const struct lpi_run *r = part != NONE && part != HEAP ? &t->runs[part] : NULL;

    return r != NULL && r->head + k < r->tail ? &r->slots[r->head + k] : NULL;
}

int lpi_timers_soon(const struct lpi_timers *t, const struct lpi_timer **out, int most)
{
    int n = 0;

    for (int i = 0; i < LPI_RUNS; i++)
        for (int k = t->runs[i].head; k < t->runs[i].tail && k < t->runs[i].head + 4; k++)
            if (n < most)
                out[n++] = &t->runs[i].slots[k];
    for (int k = 0; k < t->n_heap && k <= LPI_HEAP_ARITY; k++)
        if (n < most)
            out[n++] = &t->heap[k];
    return n;
}

void lpi_timers_purge(struct lpi_timers *t, bool (*holds)(void *arg, const struct lpi_timer *s),
                      void *arg)
{
    int kept = 0;

    t->top = UNKNOWN;
    t->n = 0;
    for (int i = 0; i < LPI_RUNS; i++) {
        struct lpi_run *r = &t->runs[i];
        int n = 0;

        for (int k = r->head; k < r->tail; k++)
            if (holds(arg, &r->slots[k]))
                r->slots[n++] = r->slots[k];
        r->head = 0;
        r->tail = n;
        t->n += n;
    }
    for (int i = 0; i < t->n_heap; i++)
        if (holds(arg, &t->heap[i]))
            t->heap[kept++] = t->heap[i];
    t->n_heap = kept;
    t->n += kept;
    for (int i = (kept - 2) / LPI_HEAP_ARITY; i >= 0 && kept > 1; i--)
        sift_down(t, i, t->heap[i]);
}
