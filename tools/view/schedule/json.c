/* SPDX-License-Identifier: MIT */
/* A schedule in JSON: see question/schedule/json.c. */
#include "view/schedule/forms.h"

#include <stdio.h>

static const struct schedule_shown *shown;
static size_t element; /* of its operation */

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

static void show_begin(const struct schedule_shown *s)
{
    shown = s;
    element = s->steps.args.op != NULL ? s->steps.args.op->element_bytes : 1;
    printf("{\"P\":%lld,%s\"ranks\":[", (long long)s->steps.P,
           is_early(&s->steps) ? "\"early\":true," : "");
}

static void show_rank(int64_t rank)
{
    printf("%s\n[", rank > 0 ? "," : "");
}

/* stride 0: there is only one piece. */
static void show_spot(const char *key, struct logp_buffer_ref at, size_t length, size_t stride)
{
    printf(",\"%s\":{\"buffer\":\"%s\",\"offset\":%zu,\"length\":%zu", key, buffer_names[at.buffer],
           at.offset, length);
    if (stride > 0)
        printf(",\"stride\":%zu", stride);
    putchar('}');
}

static void show_combine(const struct logp_step *s)
{
    const size_t all = (size_t)s->n * element;
    const bool into_one = s->into_one && s->n != 1;

    printf("combine\",\"ns\":%lld", (long long)s->ns);
    show_spot("at", s->at, into_one ? element : all, 0);
    if (!into_one)
        show_spot("left", s->into_one ? s->at : s->left, all, 0);
    else if (s->n >= 4 * LOGP_LANES)
        show_spot("left", s->left, LOGP_LANES * element, 0);
    show_spot("right", s->right, all, 0);
}

static void show_copy(const struct logp_step *s)
{
    printf("copy\"");
    if (s->n != 1)
        printf(",\"pieces\":%lld", (long long)s->n);
    show_spot("at", s->at, s->n_bytes, s->n != 1 ? s->at_stride : 0);
    show_spot("right", s->right, s->n_bytes, s->n != 1 ? s->right_stride : 0);
}

static void show_compute(const struct logp_step *s)
{
    printf("compute\",\"ns\":%lld", (long long)s->ns);
    if (shown->has_data && s->n_bytes > 0) {
        show_spot("at", s->at, s->n_bytes, 0);
        show_spot("right", s->right, s->n_bytes, 0);
    }
}

static void show_transfer(const struct logp_step *s)
{
    printf("%s\",\"peer\":%lld,\"bytes\":%zu,\"tag\":%d",
           s->kind == LOGP_STEP_SEND ? "send" : "recv", (long long)s->peer, s->n_bytes, s->tag);
    if (shown->has_data)
        show_spot("at", s->at, s->n_bytes, 0);
}

static void show_step(const struct logp_step *s, int64_t index)
{
    printf("%s{\"op\":\"", index > 0 ? "," : "");
    if (s->kind == LOGP_STEP_COMBINE)
        show_combine(s);
    else if (s->kind == LOGP_STEP_COPY)
        show_copy(s);
    else if (s->kind == LOGP_STEP_COMPUTE)
        show_compute(s);
    else
        show_transfer(s);
    putchar('}');
}

static void show_end_rank(int64_t n)
{
    (void)n;
    putchar(']');
}

static void show_end(const struct schedule_shown *s)
{
    (void)s;
    puts("]}");
}

const struct step_form steps_as_json = {.with_data = true,
                                        .begin = show_begin,
                                        .begin_rank = show_rank,
                                        .step = show_step,
                                        .end_rank = show_end_rank,
                                        .end = show_end};
