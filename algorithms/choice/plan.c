/* SPDX-License-Identifier: MIT */
/* Plans: the part of a rank, computed once. */
#include "choice/choice.h"
#include "schedule/schedule.h"

#include <logp/algorithm.h>
#include <logp/trace.h>
#include <logp/vp.h>
#include <logp/explain.h>
#include <logp/machine.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- parameters ---- */

int lpi_resolve(const struct logp_algorithm *algorithm, int64_t P, struct logp_invocation *c)
{
    const int rc = lpi_resolve_free(algorithm, P, c);

    if (rc == 0)
        lpi_resolve_others(algorithm, P, c);
    return rc;
}

static int plan_without_memory(int P, int rank, struct logp_invocation *c)
{
    (void)P, (void)rank, (void)c;
    return -ENOMEM;
}

struct logp_schedule logp_schedule_of(const struct logp_algorithm *algorithm, int64_t P,
                                      const struct logp_args *args,
                                      const struct logp_network *model)
{
    struct logp_invocation c = lpi_invocation(args, model);
    const int rc = lpi_resolve_free(algorithm, P, &c);
    struct logp_schedule s = lpi_schedule_of(algorithm, P, &c);

    if (rc != 0)
        s.plan = plan_without_memory;
    return s;
}

/* ---- plans ---- */

struct logp_plan {
    const struct logp_algorithm *algorithm;
    int P, rank;
    struct logp_invocation c;
    struct lpi_cached_choice kept;
};

/* In place: which buffer this rank has, and where the other is in it. */
static bool overlap(const struct logp_algorithm *algorithm, int P, int rank,
                    const struct logp_invocation *c, struct logp_buffer_ref *at)
{
    const struct logp_collective *collective;

    *at = (struct logp_buffer_ref){LOGP_RECV_BUF, 0};
    if (!c->args.in_place)
        return false;
    collective = logp_collective_find(algorithm->collective);
    return collective->in_place(P, rank, c, at);
}

bool lpi_one_buffer(const struct logp_algorithm *algorithm, int P, int rank,
                    const struct logp_invocation *c, void **buf, void **recv_buf)
{
    struct logp_buffer_ref at;
    const bool overlaps = overlap(algorithm, P, rank, c, &at);

    if (overlaps && at.buffer == LOGP_RECV_BUF)
        *buf = *recv_buf != NULL ? (char *)*recv_buf + at.offset : NULL;
    else if (overlaps)
        *recv_buf = *buf != NULL ? (char *)*buf + at.offset : NULL;
    return overlaps;
}

static size_t operand_bytes(const struct logp_algorithm *algorithm, int P, int rank,
                            const struct logp_invocation *c)
{
    size_t buf, recv_buf;

    logp_collective_find(algorithm->collective)->sizes(P, rank, c, &buf, &recv_buf);
    return buf;
}

static size_t aligned(size_t n_bytes)
{
    return (n_bytes + 63) / 64 * 64;
}

/* Allocate the algorithm's scratch, followed by a copy of the operands if it needs one. */
static int make_scratch(const struct logp_algorithm *algorithm, int P, int rank,
                        struct logp_invocation *c)
{
    struct logp_rank_plan *plan = &c->plan;
    struct logp_buffer_ref at;
    const bool copies = !algorithm->in_place && overlap(algorithm, P, rank, c, &at);
    const size_t copy = copies ? operand_bytes(algorithm, P, rank, c) : 0;

    if (plan->scratch_bytes == 0 && copy == 0)
        return 0;
    if (plan->scratch_bytes < SIZE_MAX / 4 && copy < SIZE_MAX / 4)
        plan->scratch = aligned_alloc(64, aligned(plan->scratch_bytes) + aligned(copy));
    return plan->scratch != NULL ? 0 : -ENOMEM;
}

int lpi_plan(const struct logp_algorithm *algorithm, int P, int rank, struct logp_invocation *c)
{
    struct logp_rank_plan *plan = &c->plan;
    int rc;

    *plan = (struct logp_rank_plan){.parent = -1};
    if (rank < 0 || rank >= P || c->args.root < 0 || c->args.root >= P)
        return -EINVAL;
    if (lpi_needs(algorithm, P, c) != NULL)
        return -ENOTSUP;
    if (!lpi_is_addressable(algorithm, P, c))
        return -EINVAL;
    if (c->args.in_place && logp_collective_find(algorithm->collective)->in_place == NULL)
        return -EINVAL;
    rc = lpi_resolve_free(algorithm, P, c);
    if (rc == 0 && algorithm->plan != NULL)
        rc = algorithm->plan(P, rank, c);
    if (rc == 0) {
        rc = make_scratch(algorithm, P, rank, c);
        if (rc != 0)
            lpi_free_plan(plan);
    }
    return rc;
}

void lpi_buffers(const struct logp_algorithm *algorithm, int P, int rank,
                 const struct logp_invocation *c, void **buf, void **recv_buf)
{
    size_t n_bytes;

    if (!c->args.in_place || !lpi_one_buffer(algorithm, P, rank, c, buf, recv_buf) ||
        algorithm->in_place)
        return;
    n_bytes = operand_bytes(algorithm, P, rank, c);
    if (n_bytes > 0)
        *buf = memcpy((char *)c->plan.scratch + aligned(c->plan.scratch_bytes), *buf, n_bytes);
    else
        *buf = NULL;
}

/* kept: what there is of its steps */
static int run(struct logp_vp *vp, const struct logp_algorithm *algorithm,
               const struct lpi_cached_choice *kept, const struct logp_invocation *c, void *buf,
               void *recv_buf)
{
    struct logp_vp *group = logp_vp_collective(vp);
    const uint32_t outer =
        logp_label(vp, logp_label_of(vp, algorithm->collective, algorithm->name));
    int rc;

    lpi_buffers(algorithm, logp_vp_size(vp), logp_vp_rank(vp), c, &buf, &recv_buf);
    if (kept->steps != NULL && !logp_step_list_is_graph(c->args.list, &c->model.params))
        rc = lpi_run_planned(group, kept, algorithm->steps, c, buf, recv_buf);
    else if (algorithm->run != NULL)
        rc = algorithm->run(group, c, buf, recv_buf);
    else
        rc = logp_schedule_run(group, algorithm->steps, c, buf, recv_buf);
    logp_label(vp, outer);
    return rc;
}

int lpi_run(struct logp_vp *vp, const struct logp_algorithm *algorithm,
            const struct logp_invocation *c, void *buf, void *recv_buf)
{
    return run(vp, algorithm, &(struct lpi_cached_choice){.n = 0}, c, buf, recv_buf);
}

int logp_plan_create(const struct logp_algorithm *algorithm, int P, int rank,
                     const struct logp_args *args, const struct logp_network *model,
                     struct logp_plan **out)
{
    struct logp_plan *plan;
    int rc;

    if (!lpi_is_row(algorithm) || logp_collective_find(algorithm->collective) == NULL)
        return -EINVAL;
    plan = malloc(sizeof(*plan));
    if (plan == NULL)
        return -ENOMEM;
    *plan = (struct logp_plan){algorithm, P, rank, lpi_invocation(args, model), {NULL, 0}};
    rc = lpi_plan(algorithm, P, rank, &plan->c);
    if (rc != 0) {
        free(plan);
        return rc;
    }
    lpi_keep(&plan->kept, algorithm->steps, P, rank, &plan->c);
    *out = plan;
    return 0;
}

void logp_plan_destroy(struct logp_plan *plan)
{
    if (plan == NULL)
        return;
    lpi_free_plan(&plan->c.plan);
    free(plan->kept.steps);
    free(plan);
}

int logp_plan_run(struct logp_vp *vp, const struct logp_plan *plan, void *buf, void *recv_buf)
{
    if (logp_vp_size(vp) != plan->P || logp_vp_rank(vp) != plan->rank ||
        (!plan->c.args.in_place && (buf == LOGP_IN_PLACE || recv_buf == LOGP_IN_PLACE)))
        return logp_vp_note_error(vp, "logp_plan_run", -EINVAL);
    if (lpi_is_started(vp, &plan->c))
        return logp_vp_note_error(vp, "logp_plan_run", -EBUSY);
    return run(vp, plan->algorithm, &plan->kept, &plan->c, buf, recv_buf);
}

int logp_plan_start(struct logp_vp *vp, const struct logp_plan *plan, void *buf, void *recv_buf,
                    struct logp_request **request)
{
    const struct logp_algorithm *a = plan->algorithm;

    if (logp_vp_size(vp) != plan->P || logp_vp_rank(vp) != plan->rank || request == NULL ||
        plan->c.args.tag < 0 || plan->c.args.tag >= LOGP_PENDING_TAGS ||
        (!plan->c.args.in_place && (buf == LOGP_IN_PLACE || recv_buf == LOGP_IN_PLACE)))
        return logp_vp_note_error(vp, "logp_plan_start", -EINVAL);
    if (a->steps == NULL || logp_step_list_is_graph(plan->c.args.list, &plan->c.model.params))
        return logp_vp_note_error(vp, "logp_plan_start", -ENOTSUP);
    if (lpi_is_started(vp, &plan->c)) /* before its scratch is written to */
        return logp_vp_note_error(vp, "logp_plan_start", -EBUSY);
    lpi_buffers(a, plan->P, plan->rank, &plan->c, &buf, &recv_buf);
    return logp_vp_note_error(vp, "logp_plan_start",
                              lpi_start(vp, a, &plan->c, false, buf, recv_buf, request));
}

void logp_plan_sizes(const struct logp_plan *plan, size_t *buf, size_t *recv_buf)
{
    logp_collective_find(plan->algorithm->collective)
        ->sizes(plan->P, plan->rank, &plan->c, buf, recv_buf);
}

int64_t logp_plan_own(const struct logp_plan *plan)
{
    return plan->c.plan.own;
}

const int *logp_plan_tree(const struct logp_plan *plan, int *parent, int *n)
{
    *parent = plan->c.plan.parent;
    *n = plan->c.plan.n_children;
    return plan->c.plan.children;
}

/* ---- the schedule of an algorithm with the parameters that it chooses, explained ---- */

int logp_explanation_of(const struct logp_algorithm *algorithm, int64_t P,
                        const struct logp_args *args, const struct logp_network *model,
                        struct logp_explanation **out)
{
    struct logp_invocation c = lpi_invocation(args, model);
    struct logp_schedule schedule;

    if (P < 1 || P > LOGP_MAX_PROCESSORS || args->root < 0 || args->root >= P)
        return -EINVAL;
    if (algorithm->steps == NULL || lpi_needs(algorithm, P, &c) != NULL)
        return -ENOTSUP;
    if (lpi_resolve_free(algorithm, P, &c) != 0)
        return -ENOMEM;
    schedule = lpi_schedule_of(algorithm, P, &c);
    return logp_explanation_create(&schedule, out);
}
