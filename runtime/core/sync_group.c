/* SPDX-License-Identifier: MIT */
/*
 * Waiting for a common start; the start of the members of a group, and the comparison of a word of
 * each.
 *
 * The first member to arrive takes an entry for the group, so groups that sync at the same time share
 * nothing but the lock. An entry is identified by the group's context and its first member. The last
 * to arrive fixes the start, lets other cores notice it, and releases the members on its own core.
 * Those cores do the same, along a tree (release.c). The entry is free again after the last of them.
 *
 * A comparison of words adds no time: each member continues at its own time, but not before the
 * latest member came, since that member may depend on their next calls.
 */

#include "core/sched.h"
#include "core/core.h"
#include "mail/mail.h"
#include "state/run_queue.h"

#include <errno.h>
#include <stdlib.h>

enum { COMPARES_NOTHING = -1 };

enum { NONE = -1 };

struct member {
    int rank, index; /* index: in the group; COMPARES_NOTHING: of a sync */
    uint64_t word;
    int next; /* the member of this core that arrived before; NONE */
};

/* The members of a core. */
struct part {
    int core; /* NONE: those of other processes */
    int n, last;
};

struct lpi_group {
    struct lpi_release release; /* first: its address is that of the group */
    struct lpi_group *next;
    uint32_t context;
    int first, size;
    int capacity; /* of members; it has a part for each, and two more */
    int n;        /* members that have arrived; all of them: it waits for no more */
    bool compares;
    int64_t latest, start;
    int result;
    atomic_int n_unreleased; /* parts whose cores have yet to notice the start */
    int n_parts;
    struct part *parts;      /* the first is that of the core that fixed the start */
    struct member members[]; /* in the order of arrival */
};

/* A vp that arrives at the sync of a group. */
struct arriving {
    uint32_t context;
    int first, size;
    struct member member;
    int64_t at;
};

static bool is_complete(const struct lpi_group *g)
{
    return g->n == g->size;
}

/* Return the entry of this group that still waits for members, or NULL. */
static struct lpi_group *find(const struct logp_machine *m, const struct arriving *x)
{
    struct lpi_group *g = m->groups;

    while (g != NULL && (is_complete(g) || g->context != x->context || g->first != x->first))
        g = g->next;
    return g;
}

/* Return an entry for `size` members that no core uses any more, or NULL. */
static struct lpi_group *find_free(const struct logp_machine *m, int size)
{
    struct lpi_group *g = m->groups;

    while (g != NULL && (!is_complete(g) || g->capacity < size ||
                         /* acquire pairs with the release in release_part() */
                         atomic_load_explicit(&g->n_unreleased, memory_order_acquire) > 0))
        g = g->next;
    return g;
}

static struct lpi_group *add(struct logp_machine *m, int capacity)
{
    struct lpi_group *g = malloc(sizeof(*g) + (size_t)capacity * sizeof(g->members[0]) +
                                 ((size_t)capacity + 2) * sizeof(g->parts[0]));

    if (g == NULL)
        return NULL;
    g->capacity = capacity;
    g->parts = (struct part *)(void *)&g->members[capacity];
    g->next = m->groups;
    return m->groups = g;
}

static struct lpi_group *begin(struct logp_machine *m, const struct arriving *x)
{
    struct lpi_group *g = find_free(m, x->size);

    if (g == NULL)
        g = add(m, x->size);
    if (g == NULL)
        return NULL;
    g->context = x->context;
    g->first = x->first;
    g->size = x->size;
    g->compares = x->member.index != COMPARES_NOTHING;
    g->latest = 0;
    g->n = g->n_parts = 0;
    return g;
}

/* The part of this core, which may be new and without members. */
static struct part *part_of(struct lpi_group *g, int core)
{
    int i = 0;

    while (i < g->n_parts && g->parts[i].core != core)
        i++;
    if (i == g->n_parts)
        g->parts[g->n_parts++] = (struct part){.core = core, .last = NONE};
    return &g->parts[i];
}

static void add_member(const struct logp_machine *m, struct lpi_group *g,
                       const struct member *member)
{
    const bool here = lpi_is_local(m, member->rank);
    struct part *part = part_of(g, here ? m->procs[member->rank].core_index : NONE);

    g->members[g->n] = *member;
    g->members[g->n].next = part->last;
    part->last = g->n++;
    part->n++;
}

/* Let a member start where it waits, with the result of the comparison, or return an error. By the
 * holder of core c. */
static void let_go(struct lpi_core *c, int rank, int64_t start, int result)
{
    struct logp_machine *m = c->machine;
    struct lpi_proc *p = &m->procs[rank];

    if (!lpi_is_local(m, rank)) {
        lpi_remote_tell(
            c, m->remote->process_of[rank],
            (struct lpi_wire){
                .kind = LPI_WIRE_GROUP_START, .dst = rank, .tag = result, .arrival = start},
            NULL, 0);
        return;
    }
    lpi_sync_note(p, start, result);
    if (p->core != c) {
        lpi_core_wake(p);
        lpi_window_reach(c, p->core, start);
    } else {
        lpi_sync_release(p);
    }
}

/* @return the first member whose word is not that of member 0; 0: they are the same */
static int first_other(const struct lpi_group *g)
{
    int i = 0, first = g->size;

    while (g->members[i].index != 0)
        i++;
    for (int k = 0; k < g->size; k++)
        if (g->members[k].word != g->members[i].word && g->members[k].index < first)
            first = g->members[k].index;
    return first < g->size ? first : 0;
}

/* All members have arrived: put the part of core c first. */
static void fix(struct lpi_core *c, struct lpi_group *g)
{
    const struct logp_machine *m = c->machine;
    struct part *own = part_of(g, c->index), other = g->parts[0];
    int most = 0;

    g->parts[0] = *own;
    *own = other;
    for (int i = 0; i < g->n_parts; i++)
        most = g->parts[i].n > most ? g->parts[i].n : most;
    g->start = g->compares ? g->latest
                           : m->time->group_start(m, g->latest,
                                                  lpi_release_ns(g->n_parts, most, m->line_ns));
    g->result = g->compares ? first_other(g) : 0;
    /* relaxed: the releases of lpi_core_wake() publish it */
    atomic_store_explicit(&g->n_unreleased, g->n_parts, memory_order_relaxed);
}

/* Release the members of a part, after the cores that this one lets notice the start. By the holder
 * of core c; for other processes it is the core that fixed the start. */
static void release_part(struct lpi_core *c, struct lpi_group *g, int at)
{
    struct logp_machine *m = c->machine;

    for (int i = 0, k; (k = m->time->release_child(g->n_parts, at, i)) >= 0; i++) {
        struct lpi_proc *p = &m->procs[g->members[g->parts[k].last].rank];

        if (g->parts[k].core == NONE) {
            release_part(c, g, k);
            continue;
        }
        lpi_mailbox_of(p)->release = &g->release;
        lpi_core_wake(p);
        lpi_window_reach(c, p->core, g->start);
    }
    for (int i = g->parts[at].last; i != NONE; i = g->members[i].next)
        let_go(c, g->members[i].rank, g->start, g->result);
    if (!g->compares)
        lpi_note_release(c, g->start);
    /* release pairs with the acquire in find_free() */
    atomic_fetch_sub_explicit(&g->n_unreleased, 1, memory_order_release);
}

/* A core notices the start. */
static void notice(struct lpi_core *c, struct lpi_release *r)
{
    struct lpi_group *g = (struct lpi_group *)r;
    int at = 0;

    while (g->parts[at].core != c->index)
        at++;
    release_part(c, g, at);
}

/* Called with the machine's lock, which orders the members. *all: the entry, if it is complete. */
static int come(struct logp_machine *m, const struct arriving *x, struct lpi_group **all)
{
    struct lpi_group *g = find(m, x);

    *all = NULL;
    if (g == NULL)
        g = begin(m, x);
    if (g == NULL)
        return -ENOMEM;
    if (g->size != x->size || g->compares != (x->member.index != COMPARES_NOTHING))
        return -EINVAL;
    if (x->at > g->latest)
        g->latest = x->at;
    add_member(m, g, &x->member);
    if (is_complete(g))
        *all = g;
    return 0;
}

/* By the holder of core c, for a vp of this process or another. */
static int arrive(struct lpi_core *c, const struct arriving *x)
{
    struct logp_machine *m = c->machine;
    struct lpi_group *all;
    int rc;

    pthread_mutex_lock(&m->lock);
    rc = come(m, x, &all);
    if (all != NULL) {
        all->release.notice = notice;
        fix(c, all);
    }
    pthread_mutex_unlock(&m->lock);
    if (all != NULL)
        release_part(c, all, 0);
    return rc;
}

void lpi_group_hear(struct lpi_core *c, const struct lpi_wire *w)
{
    const struct arriving x = {
        w->context, w->dst, (int)w->n_bytes, {w->src, w->tag, w->bits, NONE}, w->arrival};
    int rc;

    if (w->kind == LPI_WIRE_GROUP_START) {
        let_go(c, w->dst, w->arrival, w->tag);
        return;
    }
    rc = c->machine->remote->is_done ? -ECANCELED : arrive(c, &x);
    if (rc != 0)
        let_go(c, w->src, 0, rc);
}

int lpi_sync_group_arrive(const struct logp_vp *vp, const uint64_t *word)
{
    struct lpi_proc *p = vp->proc;
    struct lpi_core *c = p->core;
    const struct member me = {p->rank, word != NULL ? vp->rank : COMPARES_NOTHING,
                              word != NULL ? *word : 0, NONE};
    const struct arriving x = {vp->context, vp->to_global != NULL ? vp->to_global[0] : 0, vp->size,
                               me, lpi_later(p, 0)};

    p->in_vain = 0;
    if (lpi_is_local(c->machine, x.first))
        return arrive(c, &x);
    lpi_remote_tell(c, c->machine->remote->process_of[x.first],
                    (struct lpi_wire){.kind = LPI_WIRE_GROUP_ARRIVED,
                                      .context = x.context,
                                      .src = me.rank,
                                      .dst = x.first,
                                      .tag = me.index,
                                      .n_bytes = (uint64_t)x.size,
                                      .arrival = x.at,
                                      .bits = me.word},
                    NULL, 0);
    return 0;
}

int lpi_sync(const struct logp_vp *vp, int64_t *start)
{
    struct lpi_proc *p = vp->proc;
    int rc = 0;

    p->state = LPI_SYNC;
    p->sync_result = 0;
    if (vp->to_global != NULL)
        rc = lpi_sync_group_arrive(vp, NULL);
    else
        lpi_sync_arrive(p);
    if (rc != 0)
        p->state = LPI_RUNNING;
    else
        rc = lpi_hold(p);
    rc = rc != 0 ? rc : p->sync_result;
    if (rc == 0 && start != NULL)
        *start = p->deadline;
    return rc;
}

void lpi_groups_discard(struct logp_machine *m)
{
    while (m->groups != NULL) {
        struct lpi_group *g = m->groups;

        m->groups = g->next;
        for (int i = 0; i < g->n; i++)
            m->mails[g->members[i].rank].release = NULL; /* a stop came first */
        free(g);
    }
}
