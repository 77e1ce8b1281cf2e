/* SPDX-License-Identifier: MIT */
/*
 * Compare collectives in each call: the n-th calls of all members of a group. The first member to come shows its
 * call, each other member compares its own with it, and the last one removes it.
 *
 * Calls are shown in lines, one of them to a cache line, without a lock. A collective has one line in which it may be
 * shown. If another collective is shown there, which not all members have called yet, it becomes a record in a table
 * instead, which the machine's lock protects. While a line has such records, no other collective is shown in it: so
 * all members find the call of the first one in the same place.
 */
#include "core/core.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

struct record {
    /* The identity of the call. Groups of one context have different first members. */
    uint32_t context, number;
    int first;
    bool started;

    struct logp_call call;
    int rank;     /* global, of the vp whose call this is */
    int n_called; /* members that have called; 0: this place of the table is free */
};

/*
 * The word of a line: two bits, how many members have called (0: nothing is shown), and in the upper half how often
 * the line was claimed: while that is the same, the call that is shown is the same.
 */
enum { IS_SHOWN = 1, HAS_RECORDS = 2, ONE_CALL = 4 };
#define ONE_CLAIM (UINT64_C(1) << 32)
#define STAYS ((~UINT64_C(0) << 32) | HAS_RECORDS) /* when the last member has called */

struct line {
    _Alignas(64) _Atomic uint64_t word;
    _Atomic uint64_t shown[7]; /* the record, but for n_called: claim() */
};

enum { N_LINES = 128 };

struct lpi_calls {
    struct line lines[N_LINES];
    /* with the machine's lock: */
    int n_records[N_LINES]; /* of each line */
    struct record *table;   /* hashed */
    int n, capacity;
    uint32_t n_started[]; /* by rank: calls of all vps as one group. Only the vp itself uses it */
};

/* ---- the table ---- */

static uint64_t hash(const struct record *r)
{
    uint64_t x = ((uint64_t)r->context << 32 | r->number) * UINT64_C(0x9e3779b97f4a7c15);

    x ^= ((uint64_t)(uint32_t)r->first << 1 | r->started) * UINT64_C(0xbf58476d1ce4e5b9);
    return x ^ x >> 29;
}

static bool same(const struct record *a, const struct record *b)
{
    return a->context == b->context && a->number == b->number && a->first == b->first &&
           a->started == b->started;
}

/* The place of key, or where it belongs. There is a free place. */
static struct record *find(const struct lpi_calls *c, const struct record *key)
{
    const uint64_t mask = (uint64_t)c->capacity - 1;
    uint64_t i = hash(key) & mask;

    while (c->table[i].n_called > 0 && !same(&c->table[i], key))
        i = (i + 1) & mask;
    return &c->table[i];
}

static bool grow(struct lpi_calls *c)
{
    const struct lpi_calls old = {.table = c->table, .capacity = c->capacity};

    c->capacity = old.capacity > 0 ? 2 * old.capacity : 16;
    c->table = calloc((size_t)c->capacity, sizeof(*c->table));
    if (c->table == NULL) {
        c->table = old.table;
        c->capacity = old.capacity;
        return false;
    }
    for (int i = 0; i < old.capacity; i++)
        if (old.table[i].n_called > 0)
            *find(c, &old.table[i]) = old.table[i];
    free(old.table);
    return true;
}

/* Free the place r. Later records move up, so that each is found from its hash on. */
static void drop(struct lpi_calls *c, struct record *r)
{
    const uint64_t mask = (uint64_t)c->capacity - 1;
    uint64_t hole = (uint64_t)(r - c->table), i = hole;

    c->n--;
    for (;;) {
        i = (i + 1) & mask;
        if (c->table[i].n_called == 0)
            break;
        if (((i - hash(&c->table[i])) & mask) >= ((i - hole) & mask)) {
            c->table[hole] = c->table[i];
            hole = i;
        }
    }
    c->table[hole].n_called = 0;
}

/* ---- the lines ---- */

/* Collectives of one group have lines that follow each other. */
static unsigned line_of(const struct record *key)
{
    const uint32_t group = (key->context * 2 + key->started) ^ (uint32_t)key->first << 1;

    return (key->number + (group * UINT32_C(0x9e3779b9) >> 16)) % N_LINES;
}

static unsigned n_called_in(uint64_t word)
{
    return (uint32_t)word / ONE_CALL;
}

static uint64_t identity(const struct record *r)
{
    return (uint64_t)r->context << 32 | r->number;
}

/* The rest of the identity, and the rank. */
static uint64_t origin(const struct record *r)
{
    return (uint64_t)(uint32_t)r->first << 32 | (uint64_t)r->started << 31 | (uint32_t)r->rank;
}

static void show(struct line *at, int i, uint64_t part)
{
    /* release pairs with the acquire in read_line(): a reader of any part finds the word changed */
    atomic_store_explicit(&at->shown[i], part, memory_order_release);
}

/* Claim the line at, whose word was *word: nothing is shown there, and it has no records. @return whether it
 * was; else *word is the new one */
static bool claim(struct line *at, uint64_t *word, const struct record *mine)
{
    const uint64_t claimed = *word + ONE_CLAIM + ONE_CALL;

    /* acquire, both: pairs with the release of the last member in count(), which has read the call */
    if (!atomic_compare_exchange_strong_explicit(&at->word, word, claimed, memory_order_acquire,
                                                 memory_order_acquire))
        return false;
    show(at, 0, identity(mine));
    show(at, 1, origin(mine));
    show(at, 2, (uintptr_t)mine->call.name);
    show(at, 3, (uint64_t)mine->call.sizes[0]);
    show(at, 4, (uint64_t)mine->call.sizes[1]);
    show(at, 5, (uintptr_t)mine->call.op);
    show(at, 6, (uint32_t)mine->call.root);
    /* release pairs with the acquire of the word, in lpi_compare_call() and take_record(): all is shown */
    atomic_store_explicit(&at->word, claimed | IS_SHOWN, memory_order_release);
    return true;
}

/* Whether the call of `mine` is shown in the line: its word is `word`. *first: the call that is shown. Both hold only
 * while the line is not claimed again. */
static bool read_line(struct line *at, const struct record *mine, struct record *first)
{
    uint64_t s[7];

    /* acquire: pairs with the release in claim() */
    for (int i = 0; i < 7; i++)
        s[i] = atomic_load_explicit(&at->shown[i], memory_order_acquire);
    first->call = (struct logp_call){.name = (const char *)(uintptr_t)s[2],
                                     .root = (int)(uint32_t)s[6],
                                     .sizes = {(int64_t)s[3], (int64_t)s[4]},
                                     .op = (const void *)(uintptr_t)s[5]};
    first->rank = (int)(s[1] & INT32_MAX);
    return s[0] == identity(mine) && ((s[1] ^ origin(mine)) & ~(uint64_t)INT32_MAX) == 0;
}

/* One more member has called the collective that is shown in the line. */
static void count(struct line *at, uint64_t word, int size)
{
    uint64_t then;

    do
        then = (int)n_called_in(word) + 1 == size ? word & STAYS : word + ONE_CALL;
    /* release pairs with the acquire in claim(): this member has read the call. relaxed: the same line */
    while (!atomic_compare_exchange_weak_explicit(&at->word, &word, then, memory_order_release,
                                                  memory_order_relaxed));
}

/* Whether the collective of `mine`, whose line is at, is to be a record; then the line has records. With the machine's
 * lock: with it alone lines begin to have records. */
static bool take_record(struct line *at, const struct record *mine)
{
    uint64_t word = atomic_load_explicit(&at->word, memory_order_acquire); /* as in claim() */
    struct record first;

    for (;;) {
        const bool is_busy = n_called_in(word) > 0;

        if (is_busy && ((word & IS_SHOWN) == 0 || read_line(at, mine, &first)))
            return false;
        if ((word & HAS_RECORDS) != 0)
            return true;
        if (!is_busy)
            return false;
        /* acquire: as above; the lock orders the records */
        if (atomic_compare_exchange_weak_explicit(&at->word, &word, word | HAS_RECORDS,
                                                  memory_order_acquire, memory_order_acquire))
            return true;
    }
}

/* ---- */

static struct lpi_calls *calls_of(struct logp_machine *m)
{
    /* acquire pairs with the release below: all is zero */
    struct lpi_calls *c = atomic_load_explicit(&m->calls, memory_order_acquire);
    size_t bytes = sizeof(*c) + (size_t)m->P * sizeof(c->n_started[0]);

    if (__builtin_expect(c != NULL, true))
        return c;
    pthread_mutex_lock(&m->lock);
    /* relaxed: the lock orders those that allocate it */
    c = atomic_load_explicit(&m->calls, memory_order_relaxed);
    if (c == NULL) {
        bytes = (bytes + 63) / 64 * 64;
        c = aligned_alloc(64, bytes);
        if (c != NULL)
            memset((void *)c, 0, bytes);
        /* release pairs with the acquire above */
        atomic_store_explicit(&m->calls, c, memory_order_release);
    }
    pthread_mutex_unlock(&m->lock);
    return c;
}

void lpi_compared_begin(struct logp_machine *m)
{
    /* relaxed, all: the start of the run orders them */
    struct lpi_calls *c = atomic_load_explicit(&m->calls, memory_order_relaxed);

    if (c == NULL)
        return;
    for (int i = 0; i < N_LINES; i++)
        atomic_store_explicit(&c->lines[i].word, 0, memory_order_relaxed);
    memset(c->n_records, 0, sizeof(c->n_records));
    memset(c->n_started, 0, (size_t)m->P * sizeof(c->n_started[0]));
    if (c->n > 0)
        memset(c->table, 0, (size_t)c->capacity * sizeof(*c->table));
    c->n = 0;
}

void lpi_compared_free(struct logp_machine *m)
{
    struct lpi_calls *c = atomic_load_explicit(&m->calls, memory_order_relaxed); /* all are done */

    if (c != NULL)
        free(c->table);
    free(c);
    atomic_store_explicit(&m->calls, NULL, memory_order_relaxed);
}

/* In the table. @return 0; 1: the collective is to be shown in its line; or an error */
static int compare_record(struct lpi_proc *p, struct lpi_calls *c, const struct record *mine,
                          int size)
{
    const unsigned line = line_of(mine);
    struct record *r;

    if (2 * c->n >= c->capacity && !grow(c))
        return -ENOMEM;
    if (!take_record(&c->lines[line], mine))
        return 1;
    r = find(c, mine);
    if (r->n_called == 0) {
        *r = *mine;
        c->n++;
        c->n_records[line]++;
    } else if (!lpi_same_call(&r->call, &mine->call)) {
        return lpi_calls_differ(p, &mine->call, r->rank, &r->call);
    }
    if (++r->n_called < size)
        return 0;
    drop(c, r);
    if (--c->n_records[line] == 0) /* relaxed: the lock orders the records */
        atomic_fetch_and_explicit(&c->lines[line].word, ~(uint64_t)HAS_RECORDS,
                                  memory_order_relaxed);
    return 0;
}

static int compare_locked(struct lpi_proc *p, struct lpi_calls *c, const struct record *mine,
                          int size)
{
    struct logp_machine *m = p->core->machine;
    int rc;

    pthread_mutex_lock(&m->lock);
    rc = compare_record(p, c, mine, size);
    pthread_mutex_unlock(&m->lock);
    return rc;
}

static int differs(struct lpi_proc *p, const struct record *mine, const struct record *first)
{
    struct logp_machine *m = p->core->machine;
    int rc;

    pthread_mutex_lock(&m->lock); /* of the report */
    rc = lpi_calls_differ(p, &mine->call, first->rank, &first->call);
    pthread_mutex_unlock(&m->lock);
    return rc;
}

/* Compare a call in its line. @return 0; -EPROTO; 1: another collective has the line */
static int compare_in_line(struct lpi_proc *p, struct line *at, const struct record *mine, int size)
{
    /* The line is mostly as in a run that has not used it, or another member has written it: then this fails, and
     * has fetched the line for the writes to come. */
    uint64_t word = 0;
    struct record first;

    while (n_called_in(word) == 0 || (word & IS_SHOWN) == 0) {
        if (n_called_in(word) == 0 && (word & HAS_RECORDS) != 0)
            return 1;
        if (n_called_in(word) > 0) {
            sched_yield(); /* to the member that has claimed it */
            /* acquire: pairs with the release in claim() */
            word = atomic_load_explicit(&at->word, memory_order_acquire);
        } else if (claim(at, &word, mine)) {
            return 0;
        }
    }
    if (!read_line(at, mine, &first))
        return 1;
    /* relaxed: after the acquire loads of read_line(): if the line was claimed again before them, this differs */
    if ((atomic_load_explicit(&at->word, memory_order_relaxed) ^ word) >= ONE_CLAIM)
        return 1;
    if (!lpi_same_call(&first.call, &mine->call))
        return differs(p, mine, &first);
    count(at, word, size);
    return 0;
}

int lpi_compare_call(struct logp_vp *vp, bool started, const struct logp_call *call)
{
    struct lpi_proc *p = vp->proc;
    struct lpi_calls *c = calls_of(p->core->machine);
    const bool is_all = vp->collective == p->vp->collective;
    struct record mine;
    struct line *at;
    int rc = 1;

    if (c == NULL)
        return -ENOMEM;
    mine = (struct record){.context = vp->context,
                           .number = !started ? (is_all ? p->vp : vp)->n_calls++
                                     : is_all ? c->n_started[p->rank]++
                                              : vp[3].n_calls++,
                           .first = vp->to_global != NULL ? vp->to_global[0] : 0,
                           .started = started,
                           .call = *call,
                           .rank = p->rank};
    at = &c->lines[line_of(&mine)];
    while (rc == 1) {
        rc = compare_in_line(p, at, &mine, vp->size);
        if (rc == 1)
            rc = compare_locked(p, c, &mine, vp->size);
    }
    return rc;
}
