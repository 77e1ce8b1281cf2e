/* SPDX-License-Identifier: MIT */
/* The steps of a schedule, in any form; and in words, a line for each step. */
#include "text/text.h"
#include "view/schedule/forms.h"

#include <stdio.h>

static void show_rank(const struct step_form *form, const struct schedule_shown *shown,
                      int64_t rank)
{
    const bool all = form->with_data && shown->has_data;
    struct logp_invocation c;
    struct logp_step s;
    int64_t n = 0, parts = 0;

    if (logp_schedule_begin(&shown->steps, (int)rank, &c) != 0)
        bad_usage("no memory for the schedule of %s", shown->algorithm->name);
    form->begin_rank(rank);
    for (int64_t i = 0; shown->algorithm->steps(shown->steps.P, rank, &c, i, &s); i++, parts--) {
        if (parts > 0)
            s.ns = 0;
        else if (s.kind == LOGP_STEP_COMPUTE)
            parts = s.parts + 1;
        if (s.kind == LOGP_STEP_COMBINE && !all)
            s.kind = LOGP_STEP_COMPUTE;
        if (all || (s.kind != LOGP_STEP_COPY && (s.kind != LOGP_STEP_COMPUTE || s.ns > 0)))
            form->step(&s, n++);
    }
    if (form->end_rank != NULL)
        form->end_rank(n);
    logp_schedule_end(&c);
}

void show_schedule(const struct step_form *form, const struct schedule_shown *shown)
{
    if (form->begin != NULL)
        form->begin(shown);
    for (int64_t rank = 0; rank < shown->steps.P; rank++)
        show_rank(form, shown, rank);
    if (form->end != NULL)
        form->end(shown);
}

/* ---- a schedule in words, a line for each step ---- */

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

const struct step_form steps_as_text = {.begin_rank = text_rank, .step = text_step};
