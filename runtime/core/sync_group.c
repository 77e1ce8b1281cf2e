/* SPDX-License-Identifier: MIT */
/*
 * The common start of the members of a group.
 *
 * Members meet at a group, which the first of them makes and the last takes away: so groups that
 * sync at the same time have nothing in common but the lock. A group is known by its context and
 * the first of its members. The last to arrive fixes the start, releases those of its own core, and
 * has the others called back on theirs.
 */
#include "core/sync_group.h"

#include "state/call.h"
#include "core/back.h"
#include "core/sched.h"
#include "core/start.h"

#include <errno.h>
#include <stdlib.h>

struct lpi_group {
    struct lpi_group *next;
    uint32_t context;
    int first, size;
    int n; /* have arrived */
    int64_t latest;
    int ranks[]; /* of those */
};

/* Where what the members of this group share is, or the end of the list. */
static struct lpi_group **link_of(struct logp_machine *m, const struct logp_vp *vp)
{
    struct lpi_group **link = &m->groups;

    while (*link != NULL && ((*link)->context != vp->context || (*link)->first != vp->to_global[0]))
        link = &(*link)->next;
    return link;
}

static struct lpi_group *new_group(const struct logp_vp *vp)
{
    struct lpi_group *g = malloc(sizeof(*g) + (size_t)vp->size * sizeof(g->ranks[0]));

    if (g != NULL)
        *g =
            (struct lpi_group){.context = vp->context, .first = vp->to_global[0], .size = vp->size};
    return g;
}

/* All members are there; the caller is one of core c. */
static void release(struct lpi_core *c, const struct lpi_group *g)
{
    struct logp_machine *m = c->machine;
    const int64_t start = m->is_virtual ? g->latest : lpi_soon(m);

    for (int i = 0; i < g->size; i++) {
        struct lpi_proc *p = &m->procs[g->ranks[i]];

        if (p->core != c)
            lpi_call_back(p, start);
        else if (p->state == LPI_SYNC) /* else the run has been stopped, and it went on */
            lpi_start_at(p, start);
    }
}

/* p is at the group's sync. Called with the machine's lock, which orders the members. */
static int arrive(struct lpi_proc *p, const struct logp_vp *vp)
{
    struct lpi_group **link = link_of(p->core->machine, vp), *g = *link;

    if (g == NULL)
        g = *link = new_group(vp);
    if (g == NULL)
        return -ENOMEM;
    if (g->size != vp->size)
        return -EINVAL;
    p->state = LPI_SYNC;
    if (p->emulated > g->latest)
        g->latest = p->emulated;
    g->ranks[g->n++] = p->rank;
    if (g->n < g->size)
        return 0;
    *link = g->next;
    release(p->core, g);
    free(g);
    return 0;
}

int lpi_sync_group(const struct logp_vp *vp, int64_t *start)
{
    struct lpi_proc *p = vp->proc;
    struct logp_machine *m = p->core->machine;
    int rc;

    p->polls = 0;
    pthread_mutex_lock(&m->lock);
    rc = arrive(p, vp);
    pthread_mutex_unlock(&m->lock);
    if (rc == 0)
        rc = lpi_hold(p);
    if (rc == 0 && start != NULL)
        *start = p->deadline;
    return rc;
}

/* After a run that was stopped while members waited. */
void lpi_groups_discard(struct logp_machine *m)
{
    while (m->groups != NULL) {
        struct lpi_group *g = m->groups;

        m->groups = g->next;
        free(g);
    }
}
