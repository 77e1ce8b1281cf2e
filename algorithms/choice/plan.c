/* SPDX-License-Identifier: MIT */
/* Plans: what a rank does, worked out once. */
#include "choice.h"
#include "schedule/schedule.h"

#include <logp/schedule.h>
#include <logp/vp.h>

#include <errno.h>
#include <stdlib.h>

struct logp_plan {
    const struct logp_algorithm *algorithm;
    int P, rank;
    struct logp_coll c;
};

int lpi_plan(const struct logp_algorithm *algorithm, int P, int rank, struct logp_coll *c)
{
    struct logp_part *part = &c->part;
    int rc;

    *part = (struct logp_part){.parent = -1};
    if (rank < 0 || rank >= P || c->args.root < 0 || c->args.root >= P)
        return -EINVAL;
    if (lpi_needs(algorithm, P, c) != NULL)
        return -ENOTSUP;
    rc = algorithm->plan != NULL ? algorithm->plan(P, rank, c) : 0;
    if (rc != 0 || part->scratch_bytes == 0)
        return rc;
    part->scratch = part->scratch_bytes < SIZE_MAX / 4
                        ? aligned_alloc(64, (part->scratch_bytes + 63) / 64 * 64)
                        : NULL;
    if (part->scratch != NULL)
        return 0;
    lpi_free_part(part);
    return -ENOMEM;
}

int lpi_run(struct logp_vp *vp, const struct logp_algorithm *algorithm, const struct logp_coll *c,
            void *buf, void *recv_buf)
{
    struct logp_vp *group = logp_vp_collective(vp);

    return algorithm->run != NULL ? algorithm->run(group, c, buf, recv_buf)
                                  : logp_schedule_run(group, algorithm->steps, c, buf, recv_buf);
}

int logp_plan_create(const struct logp_algorithm *algorithm, int P, int rank,
                     const struct logp_args *args, const struct logp_model *model,
                     struct logp_plan **out)
{
    struct logp_plan *plan;
    int rc;

    if (!lpi_is_row(algorithm) || logp_collective_find(algorithm->collective) == NULL)
        return -EINVAL;
    plan = malloc(sizeof(*plan));
    if (plan == NULL)
        return -ENOMEM;
    *plan = (struct logp_plan){algorithm, P, rank, lpi_coll(args, model)};
    rc = lpi_plan(algorithm, P, rank, &plan->c);
    if (rc != 0)
        free(plan);
    else
        *out = plan;
    return rc;
}

void logp_plan_destroy(struct logp_plan *plan)
{
    if (plan != NULL)
        lpi_free_part(&plan->c.part);
    free(plan);
}

int logp_plan_run(struct logp_vp *vp, const struct logp_plan *plan, void *buf, void *recv_buf)
{
    if (logp_vp_size(vp) != plan->P || logp_vp_rank(vp) != plan->rank)
        return -EINVAL;
    return lpi_run(vp, plan->algorithm, &plan->c, buf, recv_buf);
}

void logp_plan_sizes(const struct logp_plan *plan, size_t *buf, size_t *recv_buf)
{
    logp_collective_find(plan->algorithm->collective)
        ->sizes(plan->P, plan->rank, &plan->c, buf, recv_buf);
}

int64_t logp_plan_own(const struct logp_plan *plan)
{
    return plan->c.part.own;
}

const int *logp_plan_tree(const struct logp_plan *plan, int *parent, int *n)
{
    *parent = plan->c.part.parent;
    *n = plan->c.part.n_children;
    return plan->c.part.children;
}
