/* SPDX-License-Identifier: MIT */
/* A schedule in JSON: see question/schedule/json.c. */
#include "view/schedule/forms.h"

#include <stdio.h>

/* Whether logp_rank_plan.early is set. Rows set it for all ranks. */
static bool is_early(const struct logp_schedule *s)
{
    struct logp_invocation c;
    bool early;

    if (logp_schedule_begin(s, 0, &c) != 0)
        return false;
    early = c.plan.early;
    logp_schedule_end(&c);
    return early;
}

static struct problem *show_begin(struct schedule_writer *w)
{
    const struct logp_schedule *s = &w->shown->steps;

    fprintf(w->f, "{\"P\":%lld,%s\"ranks\":[", (long long)s->P,
            is_early(s) ? "\"early\":true," : "");
    return NULL;
}

static void show_rank(struct schedule_writer *w, int64_t rank)
{
    fprintf(w->f, "%s\n[", rank > 0 ? "," : "");
}

/* stride 0: there is only one piece. */
static void show_spot(struct schedule_writer *w, const char *key, struct logp_buffer_ref at,
                      size_t length, size_t stride)
{
    fprintf(w->f, ",\"%s\":{\"buffer\":\"%s\",\"offset\":%zu,\"length\":%zu", key,
            buffer_names[at.buffer], at.offset, length);
    if (stride > 0)
        fprintf(w->f, ",\"stride\":%zu", stride);
    fputc('}', w->f);
}

static void show_combine(struct schedule_writer *w, const struct logp_step *s)
{
    const struct logp_op *op = w->shown->steps.args.op;
    const size_t element = op != NULL ? op->element_bytes : 1, all = (size_t)s->n * element;
    const bool into_one = s->into_one && s->n != 1;

    fprintf(w->f, "combine\",\"ns\":%lld", (long long)s->ns);
    show_spot(w, "at", s->at, into_one ? element : all, 0);
    if (!into_one)
        show_spot(w, "left", s->into_one ? s->at : s->left, all, 0);
    else if (s->n >= 4 * LOGP_LANES)
        show_spot(w, "left", s->left, LOGP_LANES * element, 0);
    show_spot(w, "right", s->right, all, 0);
}

static void show_copy(struct schedule_writer *w, const struct logp_step *s)
{
    fprintf(w->f, "copy\"");
    if (s->n != 1)
        fprintf(w->f, ",\"pieces\":%lld", (long long)s->n);
    show_spot(w, "at", s->at, s->n_bytes, s->n != 1 ? s->at_stride : 0);
    show_spot(w, "right", s->right, s->n_bytes, s->n != 1 ? s->right_stride : 0);
}

static void show_compute(struct schedule_writer *w, const struct logp_step *s)
{
    fprintf(w->f, "compute\",\"ns\":%lld", (long long)s->ns);
    if (w->shown->has_data && s->n_bytes > 0) {
        show_spot(w, "at", s->at, s->n_bytes, 0);
        show_spot(w, "right", s->right, s->n_bytes, 0);
    }
}

static void show_transfer(struct schedule_writer *w, const struct logp_step *s)
{
    fprintf(w->f, "%s\",\"peer\":%lld,\"bytes\":%zu,\"tag\":%d",
            s->kind == LOGP_STEP_SEND ? "send" : "recv", (long long)s->peer, s->n_bytes, s->tag);
    if (w->shown->has_data)
        show_spot(w, "at", s->at, s->n_bytes, 0);
}

static void show_step(struct schedule_writer *w, const struct logp_step *s, int64_t index)
{
    fprintf(w->f, "%s{\"op\":\"", index > 0 ? "," : "");
    if (s->kind == LOGP_STEP_COMBINE)
        show_combine(w, s);
    else if (s->kind == LOGP_STEP_COPY)
        show_copy(w, s);
    else if (s->kind == LOGP_STEP_COMPUTE)
        show_compute(w, s);
    else
        show_transfer(w, s);
    fputc('}', w->f);
}

static void show_end_rank(struct schedule_writer *w, int64_t n)
{
    (void)n;
    fputc(']', w->f);
}

static void show_end(struct schedule_writer *w)
{
    fputs("]}\n", w->f);
}

const struct step_form steps_as_json = {.with_data = true,
                                        .begin = show_begin,
                                        .begin_rank = show_rank,
                                        .step = show_step,
                                        .end_rank = show_end_rank,
                                        .end = show_end};
