/* SPDX-License-Identifier: MIT */
/* The steps of all ranks: what a search changes and compares. */
#include "operand/operand.h"
#include "search/search.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int lpi_draft_init(struct lpi_draft *d, int64_t P)
{
    *d = (struct lpi_draft){.P = P};
    d->steps = calloc((size_t)P, sizeof(*d->steps));
    d->n = calloc((size_t)P, sizeof(*d->n));
    d->capacity = calloc((size_t)P, sizeof(*d->capacity));
    return d->steps != NULL && d->n != NULL && d->capacity != NULL ? 0 : -ENOMEM;
}

void lpi_draft_fini(struct lpi_draft *d)
{
    for (int64_t rank = 0; d->steps != NULL && rank < d->P; rank++)
        free(d->steps[rank]);
    free(d->steps);
    free(d->n);
    free(d->capacity);
    *d = (struct lpi_draft){0};
}

void lpi_draft_clear(struct lpi_draft *d)
{
    memset(d->n, 0, (size_t)d->P * sizeof(*d->n));
    d->early = d->lacks_memory = false;
}

struct logp_step *lpi_draft_add(struct lpi_draft *d, int64_t rank)
{
    if (!lpi_grow(&d->steps[rank], (size_t)d->n[rank], &d->capacity[rank], sizeof(d->lost), 8)) {
        d->lacks_memory = true;
        return &d->lost;
    }
    return memset(&d->steps[rank][d->n[rank]++], 0, sizeof(d->lost));
}

int lpi_draft_copy(struct lpi_draft *d, const struct lpi_draft *from)
{
    for (int64_t rank = 0; rank < d->P; rank++) {
        d->n[rank] = 0;
        while (d->n[rank] < from->n[rank] && !d->lacks_memory)
            *lpi_draft_add(d, rank) = from->steps[rank][d->n[rank]];
    }
    d->early = from->early;
    return d->lacks_memory ? -ENOMEM : 0;
}

struct lpi_span lpi_span_at(const struct logp_step *s, size_t element_bytes)
{
    struct lpi_span span = {s->at, s->n_bytes};

    if (s->kind == LOGP_STEP_COMBINE)
        span.n = element_bytes * (size_t)(s->into_one ? 1 : s->n);
    else if (s->kind == LOGP_STEP_COPY)
        span.n = s->n > 0 ? s->n_bytes + (size_t)(s->n - 1) * s->at_stride : 0;
    return span;
}

struct lpi_span lpi_span_left(const struct logp_step *s, size_t element_bytes)
{
    struct lpi_span span = {s->left, 0};

    if (s->kind == LOGP_STEP_COMBINE && !s->into_one)
        span.n = element_bytes * (size_t)s->n;
    else if (s->kind == LOGP_STEP_COMBINE && s->n >= 4 * LOGP_LANES)
        span.n = element_bytes * LOGP_LANES;
    return span;
}

struct lpi_span lpi_span_right(const struct logp_step *s, size_t element_bytes)
{
    struct lpi_span span = {s->right, 0};

    if (s->kind == LOGP_STEP_COMBINE)
        span.n = element_bytes * (size_t)s->n;
    else if (s->kind == LOGP_STEP_COMPUTE)
        span.n = s->n_bytes;
    else if (s->kind == LOGP_STEP_COPY)
        span.n = s->n > 0 ? s->n_bytes + (size_t)(s->n - 1) * s->right_stride : 0;
    return span;
}

/* Store the extents of a combination in its step, as in a file, which has no operation. */
static void note_extents(struct logp_step *s, size_t element_bytes)
{
    if (s->kind != LOGP_STEP_COMBINE)
        return;
    s->into_one &= s->n != 1;
    s->n_bytes = lpi_span_right(s, element_bytes).n;
    s->at_stride = lpi_span_at(s, element_bytes).n;
    s->right_stride = lpi_span_left(s, element_bytes).n;
}

/* 0; -ENOMEM */
static int replace_state(struct logp_rank_plan *plan, const struct lpi_plan_state *state)
{
    void *copy;

    if (state == NULL)
        return 0;
    copy = malloc(state->n_bytes);
    if (copy == NULL)
        return -ENOMEM;
    memcpy(copy, state->data, state->n_bytes);
    free(plan->state);
    plan->state = copy;
    return 0;
}

int lpi_draft_read(struct lpi_draft *d, const struct logp_schedule *s)
{
    return lpi_draft_read_with(d, s, NULL);
}

int lpi_draft_read_with(struct lpi_draft *d, const struct logp_schedule *s,
                        const struct lpi_plan_state *state)
{
    const size_t element_bytes = s->args.op != NULL ? s->args.op->element_bytes : 1;
    int rc = 0;

    lpi_draft_clear(d);
    for (int64_t rank = 0; rc == 0 && rank < s->P; rank++) {
        struct logp_invocation c;
        struct logp_step step = {.n_bytes = 0};
        int64_t parts = 0; /* of a computation, which has their time */

        rc = logp_schedule_begin(s, (int)rank, &c);
        if (rc != 0)
            break;
        rc = replace_state(&c.plan, state);
        d->early |= c.plan.early;
        for (int64_t i = 0; rc == 0 && s->steps(s->P, rank, &c, i, &step); i++) {
            if (step.kind == LOGP_STEP_COMBINE && step.into_one && step.n == 1)
                step.left = step.at;
            if (parts-- > 0)
                step.ns = 0;
            else if (step.kind == LOGP_STEP_COMPUTE)
                parts = step.parts;
            step.parts = 0;
            note_extents(&step, element_bytes);
            *lpi_draft_add(d, rank) = step;
            step = (struct logp_step){.n_bytes = 0};
        }
        logp_schedule_end(&c);
    }
    return rc == 0 && d->lacks_memory ? -ENOMEM : rc;
}

struct logp_step_list lpi_draft_list(const struct lpi_draft *d)
{
    size_t most = 0;

    for (int64_t rank = 0; rank < d->P; rank++)
        for (int64_t i = 0; i < d->n[rank]; i++)
            if (d->steps[rank][i].kind == LOGP_STEP_SEND && d->steps[rank][i].n_bytes > most)
                most = d->steps[rank][i].n_bytes;
    return (struct logp_step_list){.P = d->P,
                                   .steps = (const struct logp_step *const *)d->steps,
                                   .n = d->n,
                                   .most_bytes = most,
                                   .early = d->early};
}
