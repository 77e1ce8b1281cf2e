/* SPDX-License-Identifier: MIT */
/* The steps of a schedule, in any form; and in words, a line for each step. */
#include "text/text.h"
#include "view/schedule/forms.h"

#include <stdio.h>

struct logp_invocation begin_shown_rank(const struct schedule_shown *shown, int64_t rank)
{
    struct logp_invocation c;

    if (logp_schedule_begin(&shown->steps, (int)rank, &c) != 0)
        need(NULL);
    return c;
}

static void show_rank(struct schedule_writer *w, const struct step_form *form, int64_t rank)
{
    const struct schedule_shown *shown = w->shown;
    const bool all = form->with_data && shown->has_data;
    struct logp_invocation c = begin_shown_rank(shown, rank);
    struct logp_step s;
    int64_t n = 0, parts = 0;

    form->begin_rank(w, rank);
    for (int64_t i = 0; shown->algorithm->steps(shown->steps.P, rank, &c, i, &s); i++, parts--) {
        if (parts > 0)
            s.ns = 0;
        else if (s.kind == LOGP_STEP_COMPUTE)
            parts = s.parts + 1;
        if (s.kind == LOGP_STEP_COMBINE && !all)
            s.kind = LOGP_STEP_COMPUTE;
        if (all || (s.kind != LOGP_STEP_COPY && (s.kind != LOGP_STEP_COMPUTE || s.ns > 0)))
            form->step(w, &s, n++);
    }
    if (form->end_rank != NULL)
        form->end_rank(w, n);
    logp_schedule_end(&c);
}

struct problem *show_schedule(FILE *f, const struct step_form *form,
                              const struct schedule_shown *shown)
{
    struct schedule_writer w = {.f = f, .shown = shown};

    if (form->begin != NULL)
        TRY(form->begin(&w));
    for (int64_t rank = 0; rank < shown->steps.P; rank++)
        show_rank(&w, form, rank);
    if (form->end != NULL)
        form->end(&w);
    return NULL;
}

/* ---- a schedule in words, a line for each step ---- */

static void text_rank(struct schedule_writer *w, int64_t rank)
{
    fprintf(w->f, "rank %lld:\n", (long long)rank);
}

static void text_step(struct schedule_writer *w, const struct logp_step *s, int64_t index)
{
    char time[32];

    (void)index;
    if (s->kind == LOGP_STEP_COMPUTE)
        fprintf(w->f, "  compute %s\n", show_ns(s->ns, time, sizeof(time)));
    else
        fprintf(w->f, "  %s %lld, %zu byte%s\n",
                s->kind == LOGP_STEP_SEND ? "send to" : "receive from", (long long)s->peer,
                s->n_bytes, s->n_bytes == 1 ? "" : "s");
}

const struct step_form steps_as_text = {.begin_rank = text_rank, .step = text_step};
