/* SPDX-License-Identifier: MIT */
/*
 * Waiting for a common start; the start of the members of a group, and the comparison of a word of
 * each.
 *
 * The first member to arrive creates the group's entry, and the last one removes it, so groups that
 * sync at the same time share nothing but the lock. An entry is identified by the group's context
 * and its first member. The last to arrive fixes the start, releases the members on its own core,
 * and wakes the others on theirs.
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

struct member {
    int rank, index; /* index: in the group; COMPARES_NOTHING: of a sync */
    uint64_t word;
};

struct lpi_group {
    struct lpi_group *next;
    uint32_t context;
    int first, size;
    int n; /* members that have arrived */
    bool compares;
    int64_t latest;
    struct member members[]; /* in the order of arrival */
};

/* A vp that arrives at the sync of a group. */
struct arriving {
    uint32_t context;
    int first, size;
    struct member member;
    int64_t at;
};

/* The link to the entry of this group, or the end of the list. */
static struct lpi_group **link_of(struct logp_machine *m, const struct arriving *x)
{
    struct lpi_group **link = &m->groups;

    while (*link != NULL && ((*link)->context != x->context || (*link)->first != x->first))
        link = &(*link)->next;
    return link;
}

static struct lpi_group *new_group(const struct arriving *x)
{
    struct lpi_group *g = malloc(sizeof(*g) + (size_t)x->size * sizeof(g->members[0]));

    if (g != NULL)
        *g = (struct lpi_group){.context = x->context,
                                .first = x->first,
                                .size = x->size,
                                .compares = x->member.index != COMPARES_NOTHING};
    return g;
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
    if (p->core != c)
        lpi_core_wake(p);
    else
        lpi_sync_release(p);
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

/* All members have arrived. By the holder of core c. */
static void release(struct lpi_core *c, const struct lpi_group *g)
{
    const int64_t start =
        g->compares ? g->latest : c->machine->time->group_start(c->machine, g->latest);
    const int result = g->compares ? first_other(g) : 0;

    lpi_window_shorten(c, start);
    for (int i = 0; i < g->size; i++)
        let_go(c, g->members[i].rank, start, result);
}

/* Called with the machine's lock, which orders the members. *all: the entry, if it is complete. */
static int come(struct logp_machine *m, const struct arriving *x, struct lpi_group **all)
{
    struct lpi_group **link = link_of(m, x), *g = *link;

    *all = NULL;
    if (g == NULL)
        g = *link = new_group(x);
    if (g == NULL)
        return -ENOMEM;
    if (g->size != x->size || g->compares != (x->member.index != COMPARES_NOTHING))
        return -EINVAL;
    if (x->at > g->latest)
        g->latest = x->at;
    g->members[g->n++] = x->member;
    if (g->n < g->size)
        return 0;
    *link = g->next;
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
    pthread_mutex_unlock(&m->lock);
    if (all != NULL)
        release(c, all);
    free(all);
    return rc;
}

void lpi_group_hear(struct lpi_core *c, const struct lpi_wire *w)
{
    const struct arriving x = {
        w->context, w->dst, (int)w->n_bytes, {w->src, w->tag, w->bits}, w->arrival};
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
                              word != NULL ? *word : 0};
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
        free(g);
    }
}
