/* SPDX-License-Identifier: MIT */
/* Views: a processor seen in a context of its own, perhaps as a member of a group. */
#include "core/core.h"
#include "delay/delay.h"
#include "call/call.h"

#include <logp/vp.h>

#include <errno.h>
#include <stdlib.h>

int logp_vp_rank(const struct logp_vp *vp)
{
    return vp->rank;
}

int logp_vp_size(const struct logp_vp *vp)
{
    return vp->size;
}

struct logp_vp *logp_vp_current(void)
{
    const struct lpi_core *c = lpi_this_core;
    /* relaxed: the store of the vp that handed the core over, which has ordered it */
    const int rank = c != NULL ? atomic_load_explicit(&c->holder, memory_order_relaxed) : -1;

    return rank >= 0 ? c->machine->procs[rank].vp : NULL;
}

struct logp_machine *logp_vp_machine(const struct logp_vp *vp)
{
    return vp->proc->core->machine;
}

struct logp_vp *logp_vp_collective(struct logp_vp *vp)
{
    return vp->collective;
}

int logp_vp_params(const struct logp_vp *vp, struct logp_params *out)
{
    struct logp_machine *m = vp->proc->core->machine;
    const struct lpi_delay *d = model_lock(m);
    const struct logp_params *params = NULL;

    if (d == NULL)
        return -ENOTSUP;
    if (d->ops.params != NULL)
        params = d->ops.params(d->model);
    if (params != NULL)
        *out = *params;
    model_unlock(m);
    return params != NULL ? 0 : -ENOTSUP;
}

int logp_vp_network(const struct logp_vp *vp, struct logp_network *out)
{
    struct logp_machine *m = vp->proc->core->machine;
    const struct lpi_delay *d = model_lock(m);
    const struct logp_network *network;
    const struct logp_params *params = NULL;

    if (d == NULL)
        return -ENOTSUP;
    network = &d->network;
    if (d->ops.params != NULL)
        params = d->ops.params(d->model);
    if (params != NULL)
        *out = (struct logp_network){.params = *params};
    if (params != NULL && vp->to_global == NULL &&
        (network->topology != NULL || network->links != NULL || network->ports > 1)) {
        out->topology = network->topology;
        out->links = network->links;
        out->ports = network->ports;
        out->number = d->number;
    }
    model_unlock(m);
    return params != NULL ? 0 : -ENOTSUP;
}

/* Fill the two maps of a group. @return false: a rank is out of range or given twice */
static bool fill_maps(struct logp_vp *v, int P, const int *members)
{
    for (int i = 0; i < P; i++)
        v->to_local[i] = -1;
    for (int i = 0; i < v->size; i++) {
        if (members[i] < 0 || members[i] >= P || v->to_local[members[i]] >= 0)
            return false;
        v->to_global[i] = members[i];
        v->to_local[members[i]] = i;
    }
    v->rank = v->to_local[v->proc->rank];
    return v->rank >= 0;
}

enum { NAMED = 1 << 30 }; /* the largest context that programs name */

uint32_t logp_group_context(const struct logp_vp *vp)
{
    struct logp_machine *m = vp->proc->core->machine;
    const uint32_t agreed = vp->proc->agreed;

    /* relaxed: only the number counts; a sync comes after the first store */
    if (atomic_load_explicit(&m->shared_contexts, memory_order_relaxed) != 0)
        return atomic_fetch_add_explicit(&m->shared_contexts, 1, memory_order_relaxed);
    return (agreed > NAMED ? agreed : NAMED) + 1;
}

uint32_t logp_vp_context(const struct logp_vp *vp)
{
    return vp->context;
}

int logp_vp_share(struct logp_vp *vp, logp_pause *pause, void *arg)
{
    struct lpi_proc *p = vp->proc;
    struct logp_machine *m = p->core->machine;
    struct lpi_attached *a;
    uint32_t next = logp_group_context(vp), none = 0;

    if (!m->executor->has_threads || m->is_virtual || m->remote != NULL)
        return lpi_failed(vp, "logp_vp_share", -ENOTSUP);
    a = lpi_attached_to(p);
    if (a == NULL)
        return lpi_failed(vp, "logp_vp_share", -ENOMEM);
    a->pause = pause;
    a->pause_arg = arg;
    lpi_background_changed(p);
    /* relaxed: as in logp_group_context() */
    atomic_compare_exchange_strong_explicit(&m->shared_contexts, &none, next, memory_order_relaxed,
                                            memory_order_relaxed);
    return 0;
}

int logp_group_translate(const struct logp_vp *from, int n, const int *ranks,
                         const struct logp_vp *to, int *out)
{
    if (n < 0)
        return -EINVAL;
    for (int i = 0; i < n; i++)
        if (ranks[i] < 0 || ranks[i] >= from->size)
            return -EINVAL;
    for (int i = 0; i < n; i++) {
        const int global = to_global(from, ranks[i]);

        out[i] = to != NULL && to->to_local != NULL ? to->to_local[global] : global;
    }
    return 0;
}

/* Whether the group is all processors in their order, which needs no maps. */
static bool is_whole(const int *members, int n_members, int P)
{
    int i = 0;

    while (members != NULL && n_members == P && i < P && members[i] == i)
        i++;
    return i == P;
}

int logp_group_create(struct logp_vp *vp, uint32_t context, const int *members, int n_members,
                      struct logp_vp **out)
{
    struct lpi_proc *p = vp->proc;
    const int P = p->core->machine->P;
    struct logp_vp *both;

    if (context < 1 || context >= LPI_CONTEXT_COLLECTIVE ||
        (members != NULL && (n_members < 1 || n_members > P)))
        return lpi_failed(vp, "logp_group_create", -EINVAL);
    both = calloc(4, sizeof(*both)); /* the group, its group for collectives, that for those which
                                        are started, and a count of these */
    if (both == NULL)
        return lpi_failed(vp, "logp_group_create", -ENOMEM);
    *both = (struct logp_vp){.proc = p, .context = context, .rank = p->rank, .size = P};
    if (members != NULL && !is_whole(members, n_members, P)) {
        both->size = n_members;
        both->to_global = malloc((size_t)n_members * sizeof(int));
        both->to_local = malloc((size_t)P * sizeof(int));
        if (both->to_global == NULL || both->to_local == NULL || !fill_maps(both, P, members)) {
            const int rc = both->to_global == NULL || both->to_local == NULL ? -ENOMEM : -EINVAL;

            logp_group_destroy(both);
            return lpi_failed(vp, "logp_group_create", rc);
        }
    }
    both[0].collective = &both[1];
    both[1] = both[2] = both[0];
    both[1].context += LPI_CONTEXT_COLLECTIVE;
    both[2].context += LPI_CONTEXT_STARTED;
    if (context > NAMED && context > p->agreed)
        p->agreed = context;
    *out = both;
    return 0;
}

void logp_group_destroy(struct logp_vp *group)
{
    if (group == NULL)
        return;
    if (group[1].n_areas > 0)
        lpi_area_leave(&group[1]);
    free(group->to_global);
    free(group->to_local);
    free(group);
}
