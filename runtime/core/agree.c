/* SPDX-License-Identifier: MIT */
/*
 * Do all members of a group call the same collectives? The first that makes its n-th call leaves a
 * record of it, and the others compare theirs. The last one removes it. The machine's lock protects
 * the records.
 */
#include "core/core.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct record {
    /* Which call it is. Groups of one context have different first members. */
    uint32_t context, number;
    int first;
    bool started;

    struct logp_call call;
    int rank;     /* global, of the vp whose call this is */
    int n_called; /* members that have called; 0: this place of the table is free */
};

struct lpi_calls {
    uint32_t (*counts)[2]; /* of all vps as one group, by rank: blocking and started */
    struct record *table;  /* hashed */
    int n, capacity;
};

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
    const struct lpi_calls old = *c;

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

/* Free the place r: records behind it move up, so that each is found from its hash on. */
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

static struct lpi_calls *calls_of(struct logp_machine *m)
{
    struct lpi_calls *c = m->calls;

    if (c != NULL)
        return c;
    c = calloc(1, sizeof(*c));
    if (c == NULL)
        return NULL;
    c->counts = calloc((size_t)m->P, sizeof(*c->counts));
    if (c->counts == NULL) {
        free(c);
        return NULL;
    }
    return m->calls = c;
}

void lpi_calls_begin(struct logp_machine *m)
{
    struct lpi_calls *c = m->calls;

    if (c == NULL)
        return;
    memset(c->counts, 0, (size_t)m->P * sizeof(*c->counts));
    if (c->n > 0)
        memset(c->table, 0, (size_t)c->capacity * sizeof(*c->table));
    c->n = 0;
}

void lpi_calls_free(struct logp_machine *m)
{
    if (m->calls == NULL)
        return;
    free(m->calls->counts);
    free(m->calls->table);
    free(m->calls);
    m->calls = NULL;
}

/* "logp_reduce() of 8 and 16, root 2" */
static void describe(char *text, size_t n_bytes, const struct logp_call *call)
{
    int n = snprintf(text, n_bytes, "%s()", call->name);

    if (call->sizes[0] != 0 || call->sizes[1] != 0)
        n += snprintf(text + n, n_bytes - (size_t)n, " of %" PRId64, call->sizes[0]);
    if (call->sizes[1] != 0)
        n += snprintf(text + n, n_bytes - (size_t)n, " and %" PRId64, call->sizes[1]);
    if (call->root >= 0)
        snprintf(text + n, n_bytes - (size_t)n, ", root %d", call->root);
}

/* Not inlined: its texts would stay on the stack of each vp that waits in a collective. */
static __attribute__((noinline, cold)) int differ(struct lpi_proc *p, const struct record *r,
                                                  const struct logp_call *call)
{
    char mine[128], other[128], both[sizeof(p->core->machine->detail)];

    describe(mine, sizeof(mine), call);
    describe(other, sizeof(other), &r->call);
    snprintf(both, sizeof(both), "rank %d calls %s where rank %d calls %s%s", p->rank, mine,
             r->rank, other, strcmp(mine, other) == 0 ? " with another operation" : "");
    lpi_assert_fails(p, "", 0, "", both);
    return -EPROTO;
}

static int note_call(struct logp_vp *vp, bool started, const struct logp_call *call)
{
    struct lpi_proc *p = vp->proc;
    struct logp_machine *m = p->core->machine;
    const bool is_all = vp->collective == p->vp->collective;
    struct lpi_calls *c;
    struct record key, *r;

    c = calls_of(m);
    if (c == NULL || (2 * c->n >= c->capacity && !grow(c)))
        return -ENOMEM;
    key = (struct record){.context = vp->context,
                          .number = is_all    ? c->counts[p->rank][started]++
                                    : started ? vp[3].n_calls++
                                              : vp->n_calls++,
                          .first = vp->to_global != NULL ? vp->to_global[0] : 0,
                          .started = started,
                          .call = *call,
                          .rank = p->rank};
    r = find(c, &key);
    if (r->n_called == 0) {
        *r = key;
        c->n++;
    } else if (strcmp(r->call.name, call->name) != 0 || r->call.root != call->root ||
               r->call.sizes[0] != call->sizes[0] || r->call.sizes[1] != call->sizes[1] ||
               r->call.op != call->op) {
        return differ(p, r, call);
    }
    if (++r->n_called == vp->size)
        drop(c, r);
    return 0;
}

int logp_vp_note_call(struct logp_vp *vp, bool started, const struct logp_call *call)
{
    struct logp_machine *m = vp->proc->core->machine;
    int rc;

    if (!m->compares_calls || vp->size == 1)
        return 0;
    pthread_mutex_lock(&m->lock);
    rc = note_call(vp, started, call);
    pthread_mutex_unlock(&m->lock);
    return rc;
}
