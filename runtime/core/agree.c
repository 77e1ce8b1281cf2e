/* SPDX-License-Identifier: MIT */
/*
 * Check that all members of a group call the same collectives: in each call (compare.c), or, on the wall
 * clock by default, when the run is over. Each vp keeps the last of its calls that are of all vps, and a
 * hash of all of them, which are compared then.
 */
#include "core/core.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
__attribute__((noinline, cold)) int lpi_calls_differ(struct lpi_proc *p,
                                                     const struct logp_call *call, int rank,
                                                     const struct logp_call *first)
{
    char mine[128], other[128], both[sizeof(p->core->machine->detail)];

    describe(mine, sizeof(mine), call);
    describe(other, sizeof(other), first);
    snprintf(both, sizeof(both), "rank %d calls %s where rank %d calls %s%s", p->rank, mine, rank,
             other, strcmp(mine, other) == 0 ? " with another operation" : "");
    lpi_assert_fails(p, "", 0, "", both);
    return -EPROTO;
}

bool lpi_same_call(const struct logp_call *a, const struct logp_call *b)
{
    return a->root == b->root && a->sizes[0] == b->sizes[0] && a->sizes[1] == b->sizes[1] &&
           a->op == b->op && (a->name == b->name || strcmp(a->name, b->name) == 0);
}

/* ---- on the wall clock ---- */

enum { MOST_KEPT = 8, MANY_VPS = 1 << 14 /* of more, each keeps its last call alone */ };

struct kept_call {
    struct logp_call call;
    uint64_t before; /* the hash of all calls before it */
};

/* The calls of a vp, blocking or started. Only the vp uses it, and once all are done the comparison. */
struct lpi_own_calls {
    uint64_t hash; /* of all n */
    unsigned run;  /* of this run of the machine; else there are none yet */
    uint32_t n;
    struct kept_call kept[]; /* the last: call i at i modulo n_kept() */
};

static uint32_t n_kept(const struct logp_machine *m)
{
    return m->P > MANY_VPS ? 1 : MOST_KEPT;
}

/* The size of a vp's entry in whole cache lines: neighbours share one at most. */
static size_t own_bytes(const struct logp_machine *m)
{
    return (sizeof(struct lpi_own_calls) + n_kept(m) * sizeof(struct kept_call) + 63) / 64 * 64;
}

static struct lpi_own_calls *own_calls(const struct logp_machine *m, void *all, int rank,
                                       bool started)
{
    return (struct lpi_own_calls *)((char *)all + (2 * (size_t)rank + started) * own_bytes(m));
}

/* Not inlined: once in the life of a machine. NULL: there is no memory, and nothing is compared. */
static __attribute__((noinline, cold)) void *make_own_calls(struct logp_machine *m)
{
    void *all;

    pthread_mutex_lock(&m->lock);
    /* relaxed: the lock orders all vps that allocate it */
    all = atomic_load_explicit(&m->own_calls, memory_order_relaxed);
    if (all == NULL)
        all = calloc(2 * (size_t)m->P, own_bytes(m));
    m->lacks_own_calls = m->lacks_own_calls || all == NULL;
    /* release pairs with the acquire in note_own() */
    atomic_store_explicit(&m->own_calls, all, memory_order_release);
    pthread_mutex_unlock(&m->lock);
    return all;
}

static uint64_t mix(uint64_t hash, uint64_t x)
{
    return (hash ^ x) * UINT64_C(0x9e3779b97f4a7c15);
}

/* Of its first and last eight characters: names differ there, and are short. */
static uint64_t name_bits(const char *name)
{
    const size_t n = strlen(name);
    uint64_t first = 0, last = 0;

    memcpy(&first, name, n < sizeof(first) ? n : sizeof(first));
    if (n > sizeof(last))
        memcpy(&last, name + n - sizeof(last), sizeof(last));
    return first * 3 + (last << 1) + n;
}

static void note_own(const struct logp_vp *vp, bool started, const struct logp_call *call)
{
    struct logp_machine *m = vp->proc->core->machine;
    /* acquire pairs with the release in make_own_calls(): the zeroes are visible */
    void *all = atomic_load_explicit(&m->own_calls, memory_order_acquire);
    struct lpi_own_calls *own;
    struct kept_call *kept;
    uint64_t hash;

    if (__builtin_expect(all == NULL, false) && (all = make_own_calls(m)) == NULL)
        return;
    own = own_calls(m, all, vp->proc->rank, started);
    if (own->run != m->n_runs) {
        own->run = m->n_runs;
        own->n = 0;
        own->hash = 0;
    }
    kept = &own->kept[own->n++ & (n_kept(m) - 1)];
    kept->call = *call;
    kept->before = hash = own->hash;
    hash = mix(hash, name_bits(call->name) ^ (uint64_t)call->sizes[0] << 1);
    hash = mix(hash ^ hash >> 32, (uint64_t)call->sizes[1] ^ (uint64_t)(uint32_t)call->root << 32);
    own->hash = mix(hash ^ hash >> 32, (uintptr_t)call->op);
}

/* The hash of the first n calls. @return it is known */
static bool hash_after(const struct logp_machine *m, const struct lpi_own_calls *own, uint32_t n,
                       uint64_t *hash)
{
    if (own->n - n > n_kept(m))
        return false;
    *hash = own->n == n ? own->hash : own->kept[n & (n_kept(m) - 1)].before;
    return true;
}

/* Describe where the calls of two vps differ. a has not made more calls than b; if it has made
 * n_kept() fewer, none of its calls is kept for both, and only the hashes differ. */
static void describe_parting(struct logp_machine *m, int a, int b, bool started)
{
    void *all = atomic_load_explicit(&m->own_calls, memory_order_relaxed); /* all are done */
    const struct lpi_own_calls *x = own_calls(m, all, a, started),
                               *y = own_calls(m, all, b, started);
    const uint32_t mask = n_kept(m) - 1;
    uint32_t i = y->n > n_kept(m) ? y->n - n_kept(m) : 0;
    char mine[120], other[120];

    while (i + 1 < x->n && lpi_same_call(&x->kept[i & mask].call, &y->kept[i & mask].call))
        i++;
    describe(other, sizeof(other), &y->kept[i & mask].call);
    if (i < x->n)
        describe(mine, sizeof(mine), &x->kept[i & mask].call);
    if (i == x->n || x->kept[i & mask].before != y->kept[i & mask].before)
        snprintf(m->detail, sizeof(m->detail),
                 "rank %d and rank %d have called different collectives before %s, call %" PRIu32
                 " of rank %d; the virtual clock, or logp_config.compare_calls, names the first",
                 a, b, other, i + 1, b);
    else
        snprintf(m->detail, sizeof(m->detail), "rank %d calls %s where rank %d calls %s%s", a, mine,
                 b, other, strcmp(mine, other) == 0 ? " with another operation" : "");
    m->report.asserted = (struct logp_asserted){
        .file = "", .expression = "", .rank = a, .time_ns = m->report.time_ns, .detail = m->detail};
}

/* The vp with the most calls is compared with all others, as far as they have come. */
static bool part(struct logp_machine *m, void *all, bool started)
{
    int most = -1;

    for (int i = 0; i < m->P; i++) {
        const struct lpi_own_calls *own = own_calls(m, all, i, started);

        if (own->run == m->n_runs && (most < 0 || own->n > own_calls(m, all, most, started)->n))
            most = i;
    }
    for (int i = 0; most >= 0 && i < m->P; i++) {
        const struct lpi_own_calls *own = own_calls(m, all, i, started);
        uint64_t hash;

        if (own->run != m->n_runs ||
            !hash_after(m, own_calls(m, all, most, started), own->n, &hash) || hash == own->hash)
            continue;
        describe_parting(m, i, most, started);
        return true;
    }
    return false;
}

void lpi_calls_free(struct logp_machine *m)
{
    free(atomic_load_explicit(&m->own_calls, memory_order_relaxed)); /* all vps are done */
    lpi_compared_free(m);
}

bool lpi_calls_part(struct logp_machine *m)
{
    void *all = atomic_load_explicit(&m->own_calls, memory_order_relaxed); /* all are done */

    return all != NULL && !m->lacks_own_calls && m->report.asserted.file == NULL &&
           (part(m, all, false) || part(m, all, true));
}

/* ---- */

int logp_vp_note_call(struct logp_vp *vp, bool started, const struct logp_call *call)
{
    struct logp_machine *m = vp->proc->core->machine;

    if (vp->size == 1 || m->trusts_calls)
        return 0;
    if (!m->compares_calls) {
        if (vp->collective == vp->proc->vp->collective && m->remote == NULL)
            note_own(vp, started, call);
        return 0;
    }
    return lpi_compare_call(vp, started, call);
}
