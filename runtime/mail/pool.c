/* SPDX-License-Identifier: MIT */
/*
 * Memory of messages and requests (see message.h), and the queue limit.
 *
 * A queued message takes its cost from the credit of its sender's core, and gives it to the core
 * that consumes it. Cores exchange credit with the machine in batches. So the limit is never
 * exceeded, and a send is refused at most 1/16 of the limit early.
 */
#include "mail/mail.h"

#include "host/clock.h"
#include "host/host.h"
#include "state/message.h"
#include "state/run_queue.h"

#include <errno.h>
#include <stdlib.h>

enum {
    FIRST_CHUNK = 64,
    LAST_CHUNK = 262144,
    AT_ONCE = 64, /* items that are taken from a chunk at once */
    KEEP_BYTES = 64 << 20,
    KEEP_HUGE = 512 << 20
};

/* Items of one kind; each chunk is twice as long as the one before. */
struct lpi_chunk {
    struct lpi_chunk *next;
    size_t n, item_bytes;
    size_t used; /* items; the memory of the others has not been touched */
    _Alignas(16) char items[];
};

static struct lpi_chunk *new_chunk(struct lpi_chunk **list, size_t item_bytes)
{
    const size_t n = *list == NULL              ? FIRST_CHUNK
                     : (*list)->n >= LAST_CHUNK ? LAST_CHUNK
                                                : 2 * (*list)->n;
    struct lpi_chunk *chunk = lpi_memory_zeroed(1, sizeof(*chunk) + n * item_bytes);

    if (chunk == NULL)
        return NULL;
    chunk->next = *list;
    chunk->n = n;
    chunk->item_bytes = item_bytes;
    *list = chunk;
    return chunk;
}

static void *item(struct lpi_chunk *chunk, size_t i)
{
    return chunk->items + i * chunk->item_bytes;
}

/* Some items of the newest chunk that have not been used, or else of one more chunk.
 * @return how many, up to (*list)->used; 0: no memory */
static size_t more_items(struct lpi_chunk **list, size_t item_bytes)
{
    struct lpi_chunk *chunk = *list;
    size_t n;

    if (chunk == NULL || chunk->used == chunk->n)
        chunk = new_chunk(list, item_bytes);
    if (chunk == NULL)
        return 0;
    n = chunk->n - chunk->used < AT_ONCE ? chunk->n - chunk->used : AT_ONCE;
    chunk->used += n;
    return n;
}

static size_t class_bytes(unsigned size_class)
{
    return (size_t)128 << size_class;
}

static unsigned class_of(size_t n_bytes)
{
    unsigned c = 0;

    if (n_bytes <= LPI_INLINE)
        return 0;
    while (c < LPI_CLASSES && class_bytes(c) < n_bytes)
        c++;
    return c == 0 ? 1 : c < LPI_CLASSES ? c : LPI_CLASS_NONE;
}

/* Take *link out of the cached huge messages. */
static struct lpi_message *take_huge(struct lpi_pool *pool, struct lpi_message **link)
{
    struct lpi_message *m = *link;

    *link = m->link.free;
    pool->huge_bytes -= m->bytes;
    return m;
}

static void free_huge(struct lpi_pool *pool, struct lpi_message **link)
{
    struct lpi_message *m = take_huge(pool, link);

    lpi_memory_free(m, 1, m->bytes);
}

/* Cache a huge message, since new memory costs a page fault per page. The oldest are freed while
 * the cache exceeds its limit; the newest always stays. */
static void keep_huge(struct lpi_core *c, struct lpi_message *m)
{
    const size_t share = c->machine->queue_limit / 2 / (size_t)c->machine->n_cores;
    const size_t most = share < KEEP_HUGE ? share : KEEP_HUGE;

    m->link.free = c->pool.huge;
    c->pool.huge = m;
    c->pool.huge_bytes += m->bytes;
    while (c->pool.huge_bytes > most && m->link.free != NULL) {
        struct lpi_message **last = &m->link.free;

        while ((*last)->link.free != NULL)
            last = &(*last)->link.free;
        free_huge(&c->pool, last);
    }
}

/* Decide whether a message with more than inline data goes to its free list. @return false: it is
 * cached as a huge one, or freed */
static __attribute__((noinline)) bool is_for_its_class(struct lpi_core *c, struct lpi_message *m)
{
    if (m->size_class == LPI_CLASS_NONE) {
        keep_huge(c, m);
        return false;
    }
    if (c->pool.n_kept[m->size_class] * class_bytes(m->size_class) < KEEP_BYTES)
        return true;
    free(m);
    return false;
}

static void keep(struct lpi_core *core, struct lpi_message *m)
{
    struct lpi_pool *pool = &core->pool;
    const unsigned c = m->size_class;

    if (c != 0 && !is_for_its_class(core, m))
        return;
    m->link.free = pool->free[c];
    pool->free[c] = m;
    pool->n_kept[c]++;
}

static void reclaim(struct lpi_core *c)
{
    struct lpi_message *m;

    /* relaxed load first: the exchange would take the cache line from cores that push */
    if (atomic_load_explicit(&c->returned, memory_order_relaxed) == NULL)
        return;
    /* acquire pairs with the release in lpi_message_free(): its reader is done with m */
    m = atomic_exchange_explicit(&c->returned, NULL, memory_order_acquire);
    while (m != NULL) {
        struct lpi_message *next = m->link.free;

        keep(c, m);
        m = next;
    }
}

static void grow(struct lpi_core *c)
{
    size_t n = more_items(&c->pool.chunks, sizeof(struct lpi_message));

    for (size_t i = c->pool.chunks != NULL ? c->pool.chunks->used : 0; n-- > 0;) {
        struct lpi_message *m = item(c->pool.chunks, --i);

        m->owner = c;
        m->size_class = 0;
        keep(c, m);
    }
}

enum { HEADER = (sizeof(struct lpi_message) + 63) / 64 * 64 };

static struct lpi_message *new_large(struct lpi_core *c, unsigned size_class)
{
    struct lpi_message *m = aligned_alloc(64, HEADER + class_bytes(size_class));

    if (m == NULL)
        return NULL;
    m->owner = c;
    m->size_class = (unsigned char)size_class;
    m->data = (char *)m + HEADER;
    return m;
}

static struct lpi_message *new_huge(struct lpi_core *c, size_t n_bytes)
{
    struct lpi_message *m = n_bytes <= SIZE_MAX / 4 ? lpi_memory_zeroed(1, HEADER + n_bytes) : NULL;

    if (m == NULL)
        return NULL;
    m->owner = c;
    m->size_class = LPI_CLASS_NONE;
    m->bytes = HEADER + n_bytes;
    m->data = (char *)m + HEADER;
    return m;
}

/* A cached message, if it is long enough and at most about twice as long; else a new one. */
static struct lpi_message *reuse_huge(struct lpi_core *c, size_t n_bytes)
{
    struct lpi_message **link = &c->pool.huge;

    reclaim(c);
    while (*link != NULL && ((*link)->bytes - HEADER < n_bytes || (*link)->bytes / 2 > n_bytes))
        link = &(*link)->link.free;
    return *link != NULL ? take_huge(&c->pool, link) : new_huge(c, n_bytes);
}

struct lpi_message *lpi_message_new(struct lpi_core *c, size_t n_bytes)
{
    const unsigned size_class = class_of(n_bytes);
    struct lpi_pool *pool = &c->pool;
    struct lpi_message *m;

    if (size_class == LPI_CLASS_NONE)
        return reuse_huge(c, n_bytes);
    if (pool->free[size_class] == NULL)
        reclaim(c);
    if (pool->free[size_class] == NULL && size_class == 0)
        grow(c);
    m = pool->free[size_class];
    if (m == NULL)
        return size_class == 0 ? NULL : new_large(c, size_class);
    pool->free[size_class] = m->link.free;
    pool->n_kept[size_class]--;
    if (size_class == 0)
        m->data = m->inline_data;
    return m;
}

struct lpi_message *lpi_message_foreign(struct lpi_core *c, size_t n_bytes)
{
    const unsigned size_class = class_of(n_bytes);

    /* class 0 is made in chunks, which only the core may use */
    return size_class == LPI_CLASS_NONE ? new_huge(c, n_bytes)
                                        : new_large(c, size_class > 0 ? size_class : 1);
}

/* Fill the additional fields of a message that is neither eager nor in place. */
static __attribute__((noinline)) void fill_unusual(struct lpi_message *m,
                                                   const struct lpi_envelope *e)
{
    if (e->kind >= LPI_CTS)
        m->request = e->request;
    if (e->kind == LPI_ON_ITS_WAY)
        m->link.cargo = e->cargo;
    else if (!lpi_has_payload(e->kind))
        m->rendezvous = e->rendezvous;
    else if (e->n_bytes > 0)
        lpi_payload_copy(e, m->data, e->n_bytes);
    if (e->kind == LPI_SYNC_SEND)
        m->link.sync_send = e->request;
}

void lpi_message_fill(struct lpi_message *m, const struct lpi_envelope *e)
{
    m->label = e->label;
    m->dst = e->dst;
    m->n_bytes = e->n_bytes;
    m->arrival = e->arrival;
    m->bits = e->bits;
    m->kind = (unsigned char)e->kind;
    m->is_late = e->is_late;
    if (__builtin_expect(e->kind >= LPI_ON_ITS_WAY, false))
        fill_unusual(m, e);
    else if (e->n_bytes > 0)
        lpi_payload_copy(e, m->data, e->n_bytes);
}

void lpi_message_free(struct lpi_core *c, struct lpi_message *m)
{
    struct lpi_core *owner = m->owner;

    if (owner == c) {
        keep(c, m);
        return;
    }
    /* release pairs with the acquire in reclaim(). relaxed: the exchange checks it */
    m->link.free = atomic_load_explicit(&owner->returned, memory_order_relaxed);
    while (!atomic_compare_exchange_weak_explicit(&owner->returned, &m->link.free, m,
                                                  memory_order_release, memory_order_relaxed))
        ;
}

struct logp_request *lpi_request_new(struct lpi_core *c)
{
    struct lpi_pool *pool = &c->pool;
    struct logp_request *r = pool->free_requests;

    if (r == NULL) {
        size_t n = more_items(&pool->request_chunks, sizeof(*r));

        if (n == 0)
            return NULL;
        for (size_t i = pool->request_chunks->used; n-- > 0;)
            lpi_request_free(c, item(pool->request_chunks, --i));
        r = pool->free_requests;
    }
    pool->free_requests = r->next;
    return r;
}

void lpi_request_free(struct lpi_core *c, struct logp_request *r)
{
    r->next = c->pool.free_requests;
    c->pool.free_requests = r;
}

void lpi_pool_forget_requests(struct lpi_core *c)
{
    c->pool.free_requests = NULL;
    for (struct lpi_chunk *k = c->pool.request_chunks; k != NULL; k = k->next)
        for (size_t i = k->used; i-- > 0;)
            lpi_request_free(c, item(k, i));
}

static void free_chunks(struct lpi_chunk *k)
{
    while (k != NULL) {
        struct lpi_chunk *next = k->next;

        lpi_memory_free(k, 1, sizeof(*k) + k->n * k->item_bytes);
        k = next;
    }
}

void lpi_pool_fini(struct lpi_core *c)
{
    reclaim(c);
    for (unsigned i = 1; i < LPI_CLASSES; i++) {
        while (c->pool.free[i] != NULL) {
            struct lpi_message *m = c->pool.free[i];

            c->pool.free[i] = m->link.free;
            free(m);
        }
    }
    while (c->pool.huge != NULL)
        free_huge(&c->pool, &c->pool.huge);
    free_chunks(c->pool.chunks);
    free_chunks(c->pool.request_chunks);
    c->pool = (struct lpi_pool){0};
}

/*
 * Take at least `least` and at most `most` bytes of the machine's credit.
 * @return  how many; -ENOBUFS: fewer than `least` are free
 */
int64_t lpi_credit_take(struct logp_machine *m, int64_t least, int64_t most)
{
    /* relaxed throughout: the number publishes nothing */
    int64_t have = atomic_load_explicit(&m->credit, memory_order_relaxed), take;

    do {
        take = have < most ? have : most;
        if (take < least)
            return -ENOBUFS;
    } while (!atomic_compare_exchange_weak_explicit(&m->credit, &have, have - take,
                                                    memory_order_relaxed, memory_order_relaxed));
    return take;
}

/*
 * Raise the core's credit to at least `bytes`.
 * @return 0; -ENOBUFS: fewer are free; -EMSGSIZE: more than the queue limit
 */
int lpi_credit_refill(struct lpi_core *c, int64_t bytes)
{
    struct logp_machine *m = c->machine;
    const int64_t least = bytes - c->credit;
    int64_t taken;

    if ((size_t)bytes > m->queue_limit)
        return -EMSGSIZE;
    taken = lpi_credit_take(m, least, least > m->credit_batch ? least : m->credit_batch);
    if (taken < 0)
        return (int)taken;
    c->credit += taken;
    return 0;
}

void lpi_credit_give(struct lpi_proc *to, size_t n_bytes)
{
    struct lpi_core *c = to->core;
    int64_t surplus;

    c->credit += lpi_message_cost(n_bytes);
    surplus = c->credit - c->machine->credit_batch;
    if (surplus <= c->machine->credit_batch)
        return;
    /* relaxed: as in lpi_credit_take() */
    atomic_fetch_add_explicit(&c->machine->credit, surplus, memory_order_relaxed);
    c->credit -= surplus;
    lpi_space_given(c->machine);
    if (c->space.first != NULL) /* credit_batch is 0 then, so this is always reached */
        lpi_space_freed(c, lpi_clock(to));
}
