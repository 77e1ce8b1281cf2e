/* SPDX-License-Identifier: MIT */
/* The parts of ranks. */
#include "schedule.h"

#include <stdlib.h>

void lpi_free_plan(struct logp_rank_plan *plan)
{
    free(plan->children);
    free(plan->state);
    free(plan->scratch);
    *plan = (struct logp_rank_plan){.parent = -1};
}

int logp_schedule_begin(const struct logp_schedule *schedule, int rank, struct logp_invocation *c)
{
    *c = (struct logp_invocation){schedule->args, schedule->model, {.parent = -1}};
    return schedule->plan != NULL ? schedule->plan((int)schedule->P, rank, c) : 0;
}

void logp_schedule_end(struct logp_invocation *c)
{
    lpi_free_plan(&c->plan);
}
