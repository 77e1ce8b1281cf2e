/* SPDX-License-Identifier: MIT */
/* A schedule that is a list, as a collective with one algorithm. It is not in the table, because it
 * has no arguments to choose from. */
#include "collective/collective.h"
#include "schedule/schedule.h"

#include <logp/algorithm.h>

static bool steps(int64_t P, int64_t rank, const struct logp_invocation *c, int64_t i,
                  struct logp_step *out)
{
    (void)P;
    if (i >= c->args.list->n[rank])
        return false;
    *out = c->args.list->steps[rank][i];
    return true;
}

int logp_step_list_plan(int P, int rank, struct logp_invocation *c)
{
    size_t most = 0;

    (void)P;
    for (int64_t i = 0; i < c->args.list->n[rank]; i++) {
        const struct logp_step *s = &c->args.list->steps[rank][i];
        const size_t pieces = s->kind == LOGP_STEP_COPY && s->n > 1 ? (size_t)s->n - 1 : 0;
        const bool combines = s->kind == LOGP_STEP_COMBINE;
        const struct {
            struct logp_buffer_ref at;
            size_t n;
        } spots[] = {{s->at, combines ? s->at_stride : s->n_bytes + pieces * s->at_stride},
                     {s->left, combines ? s->right_stride : 0},
                     {s->right, combines ? s->n_bytes : s->n_bytes + pieces * s->right_stride}};

        for (size_t j = 0; j < 3; j++)
            if (spots[j].at.buffer == LOGP_SCRATCH && spots[j].at.offset + spots[j].n > most)
                most = spots[j].at.offset + spots[j].n;
    }
    c->plan.scratch_bytes = most;
    c->plan.early = c->args.list->early;
    return 0;
}

static int run(struct logp_vp *vp, const struct logp_invocation *c, void *buf, void *recv_buf)
{
    if (logp_step_list_is_graph(c->args.list, &c->model.params))
        return lpi_graph_run(vp, c, recv_buf);
    return logp_schedule_run(vp, steps, c, buf, recv_buf);
}

static const char *needs(int64_t P, const struct logp_invocation *c)
{
    return c->args.list != NULL && c->args.list->P == P ? NULL : "a list of the steps of all ranks";
}

static void sizes(int P, int rank, const struct logp_invocation *c, size_t *buf, size_t *recv_buf)
{
    (void)P, (void)rank;
    *buf = 0;
    *recv_buf = c->args.list->most_bytes;
}

static const struct logp_algorithm algorithms[] = {
    {LOGP_ALGORITHM("schedule", "listed", "the steps of a list", ""), .needs = needs,
     .plan = logp_step_list_plan, .steps = steps, .run = run},
};

const struct logp_collective lpi_schedule = {
    .name = "schedule",
    .summary = "the steps of a list",
    .operands = LOGP_OPERANDS_NONE,
    .sizes = sizes,
    .rows = LPI_ONLY_ROWS(algorithms),
};
