/* SPDX-License-Identifier: MIT */
/* The deadlines of a core: see timers.h. */
#include "state/timers.h"

#include "host/host.h"

#include <errno.h>

/* Numbers of parts: the runs come first, then the heap, then the start. While the top part is known,
 * a push and a pop leave it known if they can, so that few searches are needed. */
enum { HEAP = LPI_RUNS, START, NONE = -1, UNKNOWN = -2 };

enum { BLOCK = LPI_TIMER_BLOCK, FEW = 4096 /* deadlines */ };

/* After all deadlines. */
static const struct lpi_timer NEVER = {.key = INT64_MAX, .order = INT32_MAX};

static bool before(const struct lpi_timer *a, const struct lpi_timer *b)
{
    return a->key < b->key || (a->key == b->key && a->order < b->order);
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

/* ---- the runs ---- */

/* There always is a block: n_blocks suffices for the capacity and for two blocks of each run that are
 * not full. */
static struct lpi_timer_block *take_block(struct lpi_timers *t)
{
    struct lpi_timer_block *block = t->free;

    if (block == NULL)
        block = &t->blocks[t->n_used++];
    else
        t->free = block->next;
    block->next = NULL;
    return block;
}

static void free_block(struct lpi_timers *t, struct lpi_timer_block *block)
{
    block->next = t->free;
    t->free = block;
}

static void append(struct lpi_timers *t, struct lpi_run *r, struct lpi_timer s)
{
    if (r->last == NULL) {
        r->first = r->last = take_block(t);
    } else if (r->tail == BLOCK) {
        r->last->next = take_block(t);
        r->last = r->last->next;
        r->tail = 0;
    }
    r->last->slots[r->tail++] = s;
}

static void remove_first(struct lpi_timers *t, struct lpi_run *r)
{
    r->head++;
    if (r->first == r->last) {
        if (r->head == r->tail)
            r->head = r->tail = 0;
    } else if (r->head == BLOCK) {
        struct lpi_timer_block *next = r->first->next;

        free_block(t, r->first);
        r->first = next;
        r->head = 0;
    }
    while (t->n_runs > 0 && t->runs[t->n_runs - 1].tail == 0)
        t->n_runs--;
}

static void empty(struct lpi_timers *t, struct lpi_run *r)
{
    while (r->first != r->last) {
        struct lpi_timer_block *next = r->first->next;

        free_block(t, r->first);
        r->first = next;
    }
    r->head = r->tail = 0;
}

/* The end of the slots in a block of a run. */
static int end_of(const struct lpi_run *r, const struct lpi_timer_block *block)
{
    return block == r->last ? r->tail : BLOCK;
}

/* ---- all parts ---- */

int lpi_timers_init(struct lpi_timers *t, int most)
{
    const int capacity = 2 * most;

    *t = (struct lpi_timers){.capacity = capacity,
                             .top = UNKNOWN,
                             .least = INT64_MAX,
                             .n_blocks = capacity / BLOCK + 2 * LPI_RUNS + 1};
    t->heap = lpi_memory_zeroed((size_t)t->capacity, sizeof(*t->heap));
    t->blocks = lpi_memory_zeroed((size_t)t->n_blocks, sizeof(*t->blocks));
    return t->heap == NULL || t->blocks == NULL ? -ENOMEM : 0;
}

void lpi_timers_fini(struct lpi_timers *t)
{
    lpi_memory_free(t->heap, (size_t)t->capacity, sizeof(*t->heap));
    lpi_memory_free(t->blocks, (size_t)t->n_blocks, sizeof(*t->blocks));
    *t = (struct lpi_timers){0};
}

void lpi_timers_clear(struct lpi_timers *t)
{
    for (int i = 0; i < LPI_RUNS; i++)
        empty(t, &t->runs[i]);
    t->n_runs = t->n_heap = t->n = t->n_start = 0;
    t->top = UNKNOWN;
    t->least = INT64_MAX;
}

void lpi_timers_start(struct lpi_timers *t, const int *ranks, int first, int n)
{
    t->start = (struct lpi_timer){.order = ranks != NULL ? ranks[0] : first};
    t->ranks = ranks;
    t->n_start = t->n = n;
    t->top = START;
    t->other = NEVER;
    t->least = 0;
}

bool lpi_timers_full(const struct lpi_timers *t)
{
    return t->n - t->n_start >= t->capacity;
}

static const struct lpi_timer *first_of(const struct lpi_timers *t, int part)
{
    if (part == START)
        return &t->start;
    return part == HEAP ? &t->heap[0] : &t->runs[part].first->slots[t->runs[part].head];
}

/* Append s to a run. @return the run; HEAP: it fits none */
static int append_to_run(struct lpi_timers *t, const struct lpi_timer *s)
{
    const int n_runs = t->n < FEW ? LPI_FEW_RUNS : LPI_RUNS;

    for (int i = 0; i < n_runs; i++) {
        struct lpi_run *r = &t->runs[i];
        int64_t at = s->key;

        if (r->tail > 0 && before(s, &r->last->slots[r->tail - 1])) {
            at = r->last->slots[r->tail - 1].key;
            if (at - s->key >= (int64_t)t->n * t->loose_ns)
                continue;
        }
        append(t, r, (struct lpi_timer){at, s->order, s->stamp});
        if (i >= t->n_runs)
            t->n_runs = i + 1;
        return i;
    }
    return HEAP;
}

void lpi_timers_push(struct lpi_timers *t, int64_t key, int order, unsigned stamp)
{
    const struct lpi_timer s = {key, order, stamp};
    int part;

    if (t->top == NONE || (t->top != UNKNOWN && before(&s, first_of(t, t->top))))
        t->top = UNKNOWN;
    if (key < t->least)
        t->least = key;
    t->n++;
    part = append_to_run(t, &s);
    if (part == HEAP)
        sift_up(t, t->n_heap++, s);
    if (part != t->top && before(&s, &t->other))
        t->other = s;
}

/* The first deadline of this part is s. */
static inline void consider(struct lpi_timers *t, int part, const struct lpi_timer *s,
                            struct lpi_timer *best)
{
    if (before(s, best)) {
        t->other = *best;
        *best = *s;
        t->top = part;
    } else if (before(s, &t->other)) {
        t->other = *s;
    }
}

/* The part that holds the earliest deadline; NONE: there is none. */
static int earliest_part(struct lpi_timers *t)
{
    struct lpi_timer best = NEVER;

    if (t->top != UNKNOWN)
        return t->top;
    t->top = NONE;
    t->other = NEVER;
    if (t->n_start > 0)
        consider(t, START, &t->start, &best);
    if (t->n_heap > 0)
        consider(t, HEAP, &t->heap[0], &best);
    for (int i = 0; i < t->n_runs; i++)
        if (t->runs[i].tail > 0)
            consider(t, i, first_of(t, i), &best);
    return t->top;
}

const struct lpi_timer *lpi_timers_top(struct lpi_timers *t)
{
    const int part = earliest_part(t);
    const struct lpi_timer *first = part != NONE ? first_of(t, part) : NULL;

    t->least = first != NULL ? first->key : INT64_MAX;
    return first;
}

/* Whether this part has a deadline. */
static bool has_any(const struct lpi_timers *t, int part)
{
    if (part == START)
        return t->n_start > 0;
    return part == HEAP ? t->n_heap > 0 : t->runs[part].tail > 0;
}

void lpi_timers_pop(struct lpi_timers *t)
{
    const int part = earliest_part(t);

    t->n--;
    if (part == START) {
        t->start.order++;
        if (--t->n_start > 0 && t->ranks != NULL)
            t->start.order = *++t->ranks;
    } else if (part != HEAP) {
        remove_first(t, &t->runs[part]);
    } else if (--t->n_heap > 0) {
        sift_down(t, 0, t->heap[t->n_heap]);
    }
    if (!has_any(t, part) || before(&t->other, first_of(t, part)))
        t->top = UNKNOWN;
}

const struct lpi_timer *lpi_timers_ahead(struct lpi_timers *t, int k)
{
    const int part = earliest_part(t);
    const struct lpi_run *r = part >= 0 && part < LPI_RUNS ? &t->runs[part] : NULL;
    const struct lpi_timer_block *block;

    if (r == NULL)
        return NULL;
    k += r->head;
    for (block = r->first; block != r->last && k >= BLOCK; block = block->next)
        k -= BLOCK;
    return k < end_of(r, block) ? &block->slots[k] : NULL;
}

struct lpi_timer lpi_timers_second(struct lpi_timers *t)
{
    const int part = earliest_part(t);
    const struct lpi_timer *ahead = lpi_timers_ahead(t, 1);
    struct lpi_timer next = t->start;
    struct lpi_timer second = t->other;

    if (part == START && t->n_start > 1) {
        next.order = t->ranks != NULL ? t->ranks[1] : next.order + 1;
        if (before(&next, &second))
            second = next;
    }
    if (ahead != NULL && before(ahead, &second))
        return *ahead;
    for (int i = 1; part == HEAP && i < t->n_heap && i <= LPI_HEAP_ARITY; i++)
        if (before(&t->heap[i], &second))
            second = t->heap[i];
    return second;
}

/* Keep only the slots of r that hold. Its blocks come back as they are filled again. */
static void purge_run(struct lpi_timers *t, struct lpi_run *r,
                      bool (*holds)(void *arg, const struct lpi_timer *s), void *arg)
{
    const struct lpi_run old = *r;
    int head = old.head;

    if (old.tail == 0)
        return;
    *r = (struct lpi_run){0};
    for (struct lpi_timer_block *block = old.first, *next; block != NULL; block = next, head = 0) {
        struct lpi_timer slots[BLOCK];
        int n = 0;

        for (int k = head; k < end_of(&old, block); k++)
            if (holds(arg, &block->slots[k]))
                slots[n++] = block->slots[k];
        next = block->next;
        free_block(t, block);
        for (int k = 0; k < n; k++)
            append(t, r, slots[k]);
        t->n += n;
    }
}

void lpi_timers_purge(struct lpi_timers *t, bool (*holds)(void *arg, const struct lpi_timer *s),
                      void *arg)
{
    int kept = 0;

    t->top = UNKNOWN;
    t->n = t->n_start;
    for (int i = 0; i < LPI_RUNS; i++)
        purge_run(t, &t->runs[i], holds, arg);
    for (int i = 0; i < t->n_heap; i++)
        if (holds(arg, &t->heap[i]))
            t->heap[kept++] = t->heap[i];
    t->n_heap = kept;
    t->n += kept;
    for (int i = (kept - 2) / LPI_HEAP_ARITY; i >= 0 && kept > 1; i--)
        sift_down(t, i, t->heap[i]);
}
