/* SPDX-License-Identifier: MIT */
/* The schedules of the table, and the parts of ranks. */
#include "schedule.h"

#include <stdlib.h>

struct logp_schedule logp_schedule_of(const struct logp_algorithm *algorithm, int64_t P,
                                      const struct logp_args *args, const struct logp_model *model)
{
    struct logp_schedule s = {.P = P,
                              .steps = algorithm->steps,
                              .plan = algorithm->plan,
                              .args = *args,
                              .model =
                                  model != NULL ? *model : (struct logp_model){.topology = NULL}};

    s.args.in_place &= algorithm->in_place;
    return s;
}

void lpi_free_part(struct logp_part *part)
{
    free(part->children);
    free(part->state);
    free(part->scratch);
    *part = (struct logp_part){.parent = -1};
}

int logp_schedule_begin(const struct logp_schedule *schedule, int rank, struct logp_coll *c)
{
    *c = (struct logp_coll){schedule->args, schedule->model, {.parent = -1}};
    return schedule->plan != NULL ? schedule->plan((int)schedule->P, rank, c) : 0;
}

void logp_schedule_end(struct logp_coll *c)
{
    lpi_free_part(&c->part);
}
