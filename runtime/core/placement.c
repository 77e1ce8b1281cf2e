/* SPDX-License-Identifier: MIT */
/* The core of each rank: logp_config.placement and core_of. Blocks of consecutive ranks need no
 * memory; otherwise the machine has the core of each rank in core_of. */
#include "core/core.h"
#include "host/host.h"
#include "state/timers.h"

#include <errno.h>
#include <stdlib.h>

int lpi_placement_cores(const struct logp_config *config)
{
    int last = 0;

    if (config->core_of == NULL || !config->parallel)
        return config->n_processors;
    for (int rank = 0; rank < config->n_processors; rank++)
        last = config->core_of[rank] > last ? config->core_of[rank] : last;
    return last < config->n_processors ? last + 1 : config->n_processors;
}

/* Whether core_of names the cores 0 .. n - 1, each at least once. *n: out */
static int count_named(const int *core_of, int P, int *n)
{
    int *counts = calloc((size_t)P, sizeof(*counts));
    int rc = counts == NULL ? -ENOMEM : 0;

    *n = 0;
    for (int rank = 0; rc == 0 && rank < P; rank++) {
        rc = core_of[rank] < 0 || core_of[rank] >= P ? -EINVAL : 0;
        if (rc == 0 && counts[core_of[rank]]++ == 0)
            ++*n;
    }
    for (int i = 0; i < *n && rc == 0; i++)
        rc = counts[i] == 0 ? -EINVAL : 0;
    free(counts);
    return rc;
}

/* Take a placement that is given, for as many cores as it names. If the machine has taken fewer by
 * itself, neighbours among those that are named are one core of the machine. */
static int take(struct logp_machine *m, const struct logp_config *config)
{
    int n_named, rc = count_named(config->core_of, m->P, &n_named);

    if (rc == 0 && config->cores != NULL && n_named > m->n_cores)
        rc = -EINVAL;
    if (rc != 0)
        return rc;
    m->n_cores = n_named < m->n_cores ? n_named : m->n_cores;
    for (int rank = 0; rank < m->P; rank++)
        m->core_of[rank] = (int)((int64_t)config->core_of[rank] * m->n_cores / n_named);
    return 0;
}

int lpi_placement_create(struct logp_machine *m, const struct logp_config *config)
{
    if (!config->parallel || (config->core_of == NULL && config->placement == LOGP_PLACE_BLOCK))
        return 0;
    m->core_of = malloc((size_t)m->P * sizeof(*m->core_of));
    if (m->core_of == NULL)
        return -ENOMEM;
    if (config->core_of != NULL)
        return take(m, config);
    for (int rank = 0; rank < m->P; rank++)
        m->core_of[rank] = -1; /* in another process */
    for (int i = 0; i < m->n_local; i++)
        m->core_of[m->first_rank + i] = i % m->n_cores;
    return 0;
}

/* Set the ranks of the core and their number. */
static void place(struct lpi_core *c)
{
    const struct logp_machine *m = c->machine;
    const int each = m->n_local / m->n_used, more = m->n_local % m->n_used;

    c->core_of = m->core_of;
    c->n_procs = 0;
    c->first_rank = m->first_rank;
    if (c->index >= m->n_used)
        return;
    if (m->core_of == NULL) { /* the first cores have one vp more */
        c->n_procs = each + (c->index < more);
        c->first_rank += c->index * each + (c->index < more ? c->index : more);
        return;
    }
    for (int rank = m->first_rank; rank < m->first_rank + m->n_local; rank++)
        c->n_procs += m->core_of[rank] == c->index;
}

static void init_proc(struct logp_machine *m, int rank, struct lpi_core *core)
{
    struct lpi_proc *p = &m->procs[rank];

    p->rank = rank;
    p->core = core;
    p->core_index = core->index;
    p->state = LPI_ENDED;
}

int lpi_core_take_procs(struct lpi_core *c)
{
    struct logp_machine *m = c->machine;
    int rc;

    place(c);
    rc = lpi_timers_init(&c->run_queue.timers, c->n_procs);
    if (m->core_of != NULL)
        c->ranks = malloc((size_t)c->n_procs * sizeof(*c->ranks));
    if (rc != 0 || (m->core_of != NULL && c->ranks == NULL))
        return -ENOMEM;
    for (int i = 0, rank = c->first_rank; i < c->n_procs; rank++)
        if (lpi_is_here(c, rank)) {
            if (c->ranks != NULL)
                c->ranks[i] = rank;
            init_proc(m, rank, c);
            i++;
        }
    return 0;
}
