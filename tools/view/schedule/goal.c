/* SPDX-License-Identifier: MIT */
/* A schedule in GOAL, the language of LogGOPSim. */
#include "view/schedule/forms.h"

#include <stdio.h>

static struct problem *goal_begin(struct schedule_writer *w)
{
    fprintf(w->f, "num_ranks %lld\n" GOAL_MARK "\n", (long long)w->shown->steps.P);
    return NULL;
}

static void goal_rank(struct schedule_writer *w, int64_t rank)
{
    fprintf(w->f, "\nrank %lld {\n", (long long)rank);
}

static void goal_step(struct schedule_writer *w, const struct logp_step *s, int64_t index)
{
    fprintf(w->f, "l%lld: ", (long long)index + 1);
    if (s->kind == LOGP_STEP_COMPUTE)
        fprintf(w->f, "calc %lld\n", (long long)s->ns);
    else
        fprintf(w->f, "%s %zub %s %lld tag %d\n", s->kind == LOGP_STEP_SEND ? "send" : "recv",
                s->n_bytes, s->kind == LOGP_STEP_SEND ? "to" : "from", (long long)s->peer, s->tag);
    if (index > 0)
        fprintf(w->f, "l%lld requires l%lld\n", (long long)index + 1, (long long)index);
}

static void goal_end_rank(struct schedule_writer *w, int64_t n)
{
    (void)n;
    fputs("}\n", w->f);
}

const struct step_form steps_as_goal = {
    .begin = goal_begin, .begin_rank = goal_rank, .step = goal_step, .end_rank = goal_end_rank};
