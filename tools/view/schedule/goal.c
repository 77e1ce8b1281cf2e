/* SPDX-License-Identifier: MIT */
/* A schedule in GOAL, the language of LogGOPSim. */
#include "view/schedule/forms.h"

#include <stdio.h>

static void goal_begin(const struct schedule_shown *s)
{
    printf("num_ranks %lld\n" GOAL_MARK "\n", (long long)s->steps.P);
}

static void goal_rank(int64_t rank)
{
    printf("\nrank %lld {\n", (long long)rank);
}

static void goal_step(const struct logp_step *s, int64_t index)
{
    printf("l%lld: ", (long long)index + 1);
    if (s->kind == LOGP_STEP_COMPUTE)
        printf("calc %lld\n", (long long)s->ns);
    else
        printf("%s %zub %s %lld tag %d\n", s->kind == LOGP_STEP_SEND ? "send" : "recv", s->n_bytes,
               s->kind == LOGP_STEP_SEND ? "to" : "from", (long long)s->peer, s->tag);
    if (index > 0)
        printf("l%lld requires l%lld\n", (long long)index + 1, (long long)index);
}

static void goal_end_rank(int64_t n)
{
    (void)n;
    puts("}");
}

const struct step_form steps_as_goal = {
    .begin = goal_begin, .begin_rank = goal_rank, .step = goal_step, .end_rank = goal_end_rank};
