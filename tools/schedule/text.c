/* SPDX-License-Identifier: MIT */
/* A schedule in words, a line for each step. */
#include "schedule/schedule.h"
#include "text/text.h"

#include <stdio.h>

static void text_rank(int64_t rank)
{
    printf("rank %lld:\n", (long long)rank);
}

static void text_step(const struct logp_step *s, int64_t index)
{
    char time[32];

    (void)index;
    if (s->kind == LOGP_STEP_COMPUTE)
        printf("  compute %s\n", show_ns(s->ns, time, sizeof(time)));
    else
        printf("  %s %lld, %zu byte%s\n", s->kind == LOGP_STEP_SEND ? "send to" : "receive from",
               (long long)s->peer, s->n_bytes, s->n_bytes == 1 ? "" : "s");
}

const struct step_form steps_as_text = {NULL, text_rank, text_step, NULL, NULL};
