/* SPDX-License-Identifier: MIT */
/* Pending messages and posted receives by label: see mail.h. */

#include "host/host.h"
#include "mail/mail.h"
#include "state/message.h"

#include <logp/logp.h>

#include <stddef.h>
#include <stdlib.h>

enum { FIRST_CHUNK = 64, LAST_CHUNK = 8192, LEAST_TABLE = 128 };

struct bucket {
    _Alignas(64) struct bucket *next; /* in the table or in the free list */
    struct lpi_label label;
    unsigned head_stamp;              /* of its entry in its group's heap */
    struct lpi_message *first, *last; /* a stream */
    struct bucket *group;             /* has the heap with this stream; NULL: none */
    struct logp_request *posted_first;
    /* its entry in ready */
    const struct lpi_message *ready_message;
    unsigned ready_stamp;
    int n_streams; /* of a group */
    uint64_t ready_number;
    struct lpi_heap heads; /* first messages of its streams */
    struct logp_request *posted_last;
};

struct chunk {
    struct chunk *next;
    int n;
    struct bucket buckets[];
};

struct lpi_index {
    struct bucket **table;
    unsigned n_table, n_buckets; /* a power of two; in use */
    struct bucket *free;
    struct chunk *chunks;
    struct bucket *last; /* the one that was found last; NULL: none, or it may have been freed */
    struct lpi_heap ready;
    uint64_t next_number;
    int n_any_tag;    /* posted receives of a named source and any tag */
    bool keeps_ready; /* a query has needed `ready` since the index was empty */
    bool by_posting;  /* the keys of `ready` are only the order of posting */
    /* made since a query needed them: streams with any tag; groups, [1]: with any tag */
    bool of_source, any_source[2];
};

/* ---- buckets ---- */

static struct bucket **place_of(const struct lpi_index *x, const struct lpi_label *l)
{
    uint64_t h =
        ((uint64_t)l->context << 32) ^ ((uint64_t)(uint32_t)l->src << 20) ^ (uint32_t)l->tag;

    h *= UINT64_C(0x9e3779b97f4a7c15);
    return &x->table[(h >> 32) & (x->n_table - 1)];
}

static struct bucket *find_bucket(const struct lpi_index *x, const struct lpi_label *l)
{
    struct bucket *b = *place_of(x, l);

    while (b != NULL && !lpi_label_is(&b->label, l))
        b = b->next;
    return b;
}

/* The same source and any tag. */
static struct lpi_label of_any_tag(const struct lpi_label *l)
{
    return (struct lpi_label){l->context, l->src, LOGP_ANY_TAG};
}

static bool is_empty(const struct bucket *b)
{
    return b->first == NULL && b->n_streams == 0 && b->posted_first == NULL;
}

/* Free the buckets that are empty. Their stamps are kept: stale entries may still point to them. */
static void sweep(struct lpi_index *x)
{
    for (unsigned i = 0; i < x->n_table; i++) {
        struct bucket **link = &x->table[i];

        while (*link != NULL) {
            struct bucket *b = *link;

            if (!is_empty(b)) {
                link = &b->next;
                continue;
            }
            *link = b->next;
            b->heads.n = 0;
            b->next = x->free;
            x->free = b;
            x->n_buckets--;
        }
    }
}

/* Make space for another bucket: remove the empty ones first, if they are many. */
static bool grow_table(struct lpi_index *x)
{
    const unsigned n_old = x->n_table;
    struct bucket **old = x->table;

    sweep(x);
    x->last = NULL;
    if (x->n_buckets < n_old / 2)
        return true;
    x->table = calloc(n_old > 0 ? 2 * (size_t)n_old : LEAST_TABLE, sizeof(struct bucket *));
    if (x->table == NULL) {
        x->table = old;
        return false;
    }
    x->n_table = n_old > 0 ? 2 * n_old : LEAST_TABLE;
    for (unsigned i = 0; i < n_old; i++) {
        struct bucket *next;

        for (struct bucket *b = old[i]; b != NULL; b = next) {
            struct bucket **place = place_of(x, &b->label);

            next = b->next;
            b->next = *place;
            *place = b;
        }
    }
    free(old);
    return true;
}

static size_t chunk_bytes(int n)
{
    return sizeof(struct chunk) + (size_t)n * sizeof(struct bucket);
}

static bool grow_free(struct lpi_index *x)
{
    const int n = x->chunks == NULL            ? FIRST_CHUNK
                  : x->chunks->n >= LAST_CHUNK ? LAST_CHUNK
                                               : 2 * x->chunks->n;
    struct chunk *chunk = lpi_memory_zeroed(1, chunk_bytes(n));

    if (chunk == NULL)
        return false;
    chunk->next = x->chunks;
    chunk->n = n;
    x->chunks = chunk;
    for (int i = n; i-- > 0;) {
        chunk->buckets[i].next = x->free;
        x->free = &chunk->buckets[i];
    }
    return true;
}

/* NULL: no memory */
static struct bucket *bucket_of(struct lpi_index *x, const struct lpi_label *l)
{
    struct bucket *b = find_bucket(x, l), **place;

    if (b != NULL)
        return b;
    if ((x->n_buckets >= x->n_table && !grow_table(x)) || (x->free == NULL && !grow_free(x)))
        return NULL;
    b = x->free;
    x->free = b->next;
    b->label = *l;
    place = place_of(x, &b->label);
    b->next = *place;
    *place = b;
    x->n_buckets++;
    return b;
}

/* ---- first messages ---- */

static struct lpi_message *message_of(struct bucket *b)
{
    const struct lpi_entry *top;

    if (b->label.src != LOGP_ANY_SOURCE)
        return b->first;
    top = lpi_heap_top(&b->heads);
    return top == NULL ? NULL
                       : ((struct bucket *)(void *)((char *)top->owner -
                                                    offsetof(struct bucket, head_stamp)))
                             ->first;
}

/* b's first message or first receive may have changed: update its entry in `ready`.
 * @return false: no memory */
static bool refresh(struct lpi_index *x, struct bucket *b)
{
    const struct logp_request *r = b->posted_first;
    const struct lpi_message *m = r != NULL && x->keeps_ready ? message_of(b) : NULL;
    struct lpi_entry e;

    if (m == b->ready_message && (m == NULL || r->number == b->ready_number))
        return true;
    b->ready_stamp++;
    b->ready_message = m;
    if (m == NULL)
        return true;
    b->ready_number = r->number;
    e = (struct lpi_entry){.number = r->number, .stamp = b->ready_stamp, .owner = &b->ready_stamp};
    if (!x->by_posting) {
        e.arrival = m->arrival;
        e.src = m->src;
    }
    return lpi_heap_push(&x->ready, &e);
}

/* The first message of stream b has changed. @return false: no memory */
static bool head_changed(struct lpi_index *x, struct bucket *b)
{
    struct bucket *g = b->group;
    bool ok = true;

    if (g == NULL && !x->any_source[b->label.tag == LOGP_ANY_TAG] && b->posted_first == NULL &&
        b->ready_message == NULL)
        return true; /* no query asks for it: by far the most frequent case */
    b->head_stamp++;
    if (g == NULL && b->first != NULL && x->any_source[b->label.tag == LOGP_ANY_TAG]) {
        g = b->group =
            bucket_of(x, &(struct lpi_label){b->label.context, LOGP_ANY_SOURCE, b->label.tag});
        if (g == NULL)
            return false;
        g->n_streams++;
    }
    if (g != NULL && b->first != NULL) {
        ok = lpi_heap_push(&g->heads, &(struct lpi_entry){.arrival = b->first->arrival,
                                                          .src = b->label.src,
                                                          .stamp = b->head_stamp,
                                                          .owner = &b->head_stamp});
    } else if (g != NULL) {
        g->n_streams--;
        b->group = NULL;
    }
    if (g != NULL)
        ok = ok && refresh(x, g);
    return ok && refresh(x, b);
}

/* ---- messages ---- */

static bool add_to_stream(struct lpi_index *x, struct lpi_message *m, bool before_all)
{
    struct bucket *b = bucket_of(x, &m->label);

    if (b == NULL)
        return false;
    m->next_in_stream = before_all ? b->first : NULL;
    if (b->last != NULL && !before_all)
        b->last->next_in_stream = m;
    if (b->first == NULL || !before_all)
        b->last = m;
    if (b->first != NULL && !before_all)
        return true;
    b->first = m;
    return head_changed(x, b);
}

static bool add_to_source(struct lpi_index *x, struct lpi_message *m, struct lpi_message *before)
{
    const struct lpi_label l = of_any_tag(&m->label);
    struct bucket *b = bucket_of(x, &l);

    if (b == NULL)
        return false;
    m->prev_of_source = before != NULL ? before->prev_of_source : b->last;
    m->next_of_source = before;
    if (m->prev_of_source != NULL)
        m->prev_of_source->next_of_source = m;
    else
        b->first = m;
    if (m->next_of_source != NULL)
        m->next_of_source->prev_of_source = m;
    else
        b->last = m;
    return b->first != m || head_changed(x, b);
}

/* before: as lpi_index_pend() */
static bool add(struct lpi_index *x, struct lpi_message *m, struct lpi_message *before)
{
    return add_to_stream(x, m, before != NULL) && (!x->of_source || add_to_source(x, m, before));
}

static bool take_from_stream(struct lpi_index *x, const struct lpi_message *m)
{
    struct bucket *b = x->last != NULL && lpi_label_is(&x->last->label, &m->label)
                           ? x->last
                           : find_bucket(x, &m->label);
    struct lpi_message *before = b->first;

    if (b->first == m) {
        b->first = m->next_in_stream;
        if (b->first == NULL)
            b->last = NULL;
        return head_changed(x, b);
    }
    while (before->next_in_stream != m) /* its send has been cancelled: rare */
        before = before->next_in_stream;
    before->next_in_stream = m->next_in_stream;
    if (b->last == m)
        b->last = before;
    return true;
}

static bool take_from_source(struct lpi_index *x, const struct lpi_message *m)
{
    const struct lpi_label l = of_any_tag(&m->label);
    struct bucket *b = find_bucket(x, &l);
    const bool was_first = b->first == m;

    if (m->next_of_source != NULL)
        m->next_of_source->prev_of_source = m->prev_of_source;
    else
        b->last = m->prev_of_source;
    if (!was_first)
        m->prev_of_source->next_of_source = m->next_of_source;
    else
        b->first = m->next_of_source;
    return !was_first || head_changed(x, b);
}

/* Make the streams and groups that queries for such a label need. @return false: no memory */
static bool need(struct lpi_inbox *in, const struct lpi_label *l)
{
    struct lpi_index *x = in->index;
    const bool any_tag = l->tag == LOGP_ANY_TAG;

    if (any_tag && !x->of_source) {
        x->of_source = true;
        for (struct lpi_message *m = in->first; m != NULL; m = m->next)
            if (!add_to_source(x, m, NULL))
                return false;
    }
    if (l->src != LOGP_ANY_SOURCE || x->any_source[any_tag])
        return true;
    x->any_source[any_tag] = true;
    for (const struct lpi_message *m = in->first; m != NULL; m = m->next) {
        const struct lpi_label stream = any_tag ? of_any_tag(&m->label) : m->label;
        struct bucket *b = find_bucket(x, &stream);

        if (b->first == m && !head_changed(x, b))
            return false;
    }
    return true;
}

/* ---- receives ---- */

static bool add_receive(struct lpi_inbox *in, struct logp_request *r)
{
    struct lpi_index *x = in->index;
    struct bucket *b = need(in, &r->label) ? bucket_of(x, &r->label) : NULL;

    if (b == NULL)
        return false;
    r->number = x->next_number++;
    r->prev_alike = b->posted_last;
    r->next_alike = NULL;
    b->posted_last = r;
    x->n_any_tag += r->src != LOGP_ANY_SOURCE && r->tag == LOGP_ANY_TAG;
    if (r->prev_alike != NULL) {
        r->prev_alike->next_alike = r;
        return true;
    }
    b->posted_first = r;
    return refresh(x, b);
}

static bool take_receive(struct lpi_index *x, const struct logp_request *r)
{
    struct bucket *b = find_bucket(x, &r->label);
    bool ok = true;

    x->n_any_tag -= r->src != LOGP_ANY_SOURCE && r->tag == LOGP_ANY_TAG;
    if (r->next_alike != NULL)
        r->next_alike->prev_alike = r->prev_alike;
    else
        b->posted_last = r->prev_alike;
    if (r->prev_alike != NULL) {
        r->prev_alike->next_alike = r->next_alike;
    } else {
        b->posted_first = r->next_alike;
        ok = refresh(x, b);
    }
    return ok;
}

/* ---- the whole ---- */

void lpi_index_free(struct lpi_inbox *in)
{
    struct lpi_index *x = in->index;

    in->indexed = false;
    in->index = NULL;
    if (x == NULL)
        return;
    for (struct chunk *next, *k = x->chunks; k != NULL; k = next) {
        next = k->next;
        for (int i = 0; i < k->n; i++)
            free(k->buckets[i].heads.entries);
        lpi_memory_free(k, 1, chunk_bytes(k->n));
    }
    free(x->ready.entries);
    free(x->table);
    free(x);
}

/* After a change: drop the index if memory ran out, and stop maintaining it if it is empty. */
static void maintain(struct lpi_inbox *in, bool ok)
{
    struct lpi_index *x = in->index;

    if (!ok) {
        lpi_index_free(in);
    } else if (in->first == NULL && in->posted_first == NULL) {
        x->ready.n = 0;
        x->of_source = x->any_source[0] = x->any_source[1] = x->keeps_ready = false;
        in->indexed = false;
    }
}

void lpi_index_make(struct lpi_inbox *in)
{
    bool ok = true;

    if (in->index == NULL)
        in->index = calloc(1, sizeof(*in->index));
    if (in->index == NULL)
        return;
    ok = in->index->table != NULL || grow_table(in->index);
    in->indexed = true;
    for (struct lpi_message *m = in->first; ok && m != NULL; m = m->next)
        ok = add(in->index, m, NULL);
    for (struct logp_request *r = in->posted_first; ok && r != NULL; r = r->next)
        ok = add_receive(in, r);
    maintain(in, ok);
}

void lpi_index_pend(struct lpi_inbox *in, struct lpi_message *m, struct lpi_message *before)
{
    maintain(in, add(in->index, m, before));
}

void lpi_index_unpend(struct lpi_inbox *in, struct lpi_message *m)
{
    maintain(in, (!in->index->of_source || take_from_source(in->index, m)) &&
                     take_from_stream(in->index, m));
}

void lpi_index_post(struct lpi_inbox *in, struct logp_request *r)
{
    maintain(in, add_receive(in, r));
}

void lpi_index_unpost(struct lpi_inbox *in, struct logp_request *r)
{
    maintain(in, take_receive(in->index, r));
}

struct lpi_message *lpi_index_find(struct lpi_inbox *in, const struct lpi_label *l)
{
    struct bucket *b;

    if (!need(in, l)) {
        maintain(in, false);
        return NULL;
    }
    b = in->index->last = find_bucket(in->index, l);
    return b != NULL ? message_of(b) : NULL;
}

static struct logp_request *with_space(const struct bucket *b, size_t space)
{
    struct logp_request *r = b != NULL ? b->posted_first : NULL;

    while (r != NULL && r->capacity < space && !lpi_takes_specially(r, space))
        r = r->next_alike;
    return r;
}

struct logp_request *lpi_index_taker(struct lpi_inbox *in, const struct lpi_label *l, size_t space)
{
    const struct lpi_index *x = in->index;
    struct logp_request *r = with_space(find_bucket(x, l), space);
    const struct lpi_label any_tag = of_any_tag(l);
    struct logp_request *open = NULL;

    if (x->n_any_tag > 0)
        open = with_space(find_bucket(x, &any_tag), space);
    return r == NULL || (open != NULL && open->number < r->number) ? open : r;
}

/* Give the entries of `ready` their other keys. */
static void order_ready(struct lpi_index *x, bool by_posting)
{
    x->by_posting = by_posting;
    lpi_heap_sweep(&x->ready);
    for (int i = 0; i < x->ready.n; i++) {
        struct lpi_entry *e = &x->ready.entries[i];
        const struct lpi_message *m =
            ((struct bucket *)(void *)((char *)e->owner - offsetof(struct bucket, ready_stamp)))
                ->ready_message;

        e->arrival = by_posting ? 0 : m->arrival;
        e->src = by_posting ? 0 : m->src;
    }
    lpi_heap_sweep(&x->ready);
}

/* Most programs post no receive from any source: only then are the ready buckets asked for, and kept
 * from then on. @return false: no memory */
static bool keep_ready(struct lpi_inbox *in)
{
    struct lpi_index *x = in->index;
    bool ok = true;

    if (x->keeps_ready)
        return true;
    x->keeps_ready = true;
    for (const struct logp_request *r = in->posted_first; ok && r != NULL; r = r->next)
        ok = refresh(x, find_bucket(x, &r->label));
    return ok;
}

struct logp_request *lpi_index_ready(struct lpi_inbox *in, struct lpi_message **m)
{
    const bool by_posting = in->n_any == 0;
    struct lpi_index *x = in->index;
    const struct lpi_entry *top;
    struct bucket *b;

    if (!keep_ready(in)) {
        maintain(in, false);
        return NULL;
    }
    if (x->by_posting != by_posting)
        order_ready(x, by_posting);
    top = lpi_heap_top(&x->ready);
    if (top == NULL)
        return NULL;
    b = (struct bucket *)(void *)((char *)top->owner - offsetof(struct bucket, ready_stamp));
    *m = message_of(b);
    return b->posted_first;
}
