/* SPDX-License-Identifier: MIT */
/* The steps that are read from a file: in any format, a step must be a possible one. */
#include "question/schedule/reading.h"
#include "question/schedule/schedule.h"
#include "text/text.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const int64_t most_bytes = INT64_C(1) << 30;

void begin_reading(struct reading *r, int64_t P)
{
    if (P < 1 || P > LOGP_MAX_PROCESSORS)
        bad_option(r->option, r->file, "1 .. %d ranks", LOGP_MAX_PROCESSORS);
    r->steps = or_end(calloc((size_t)P, sizeof(*r->steps)));
    r->n = or_end(calloc((size_t)P, sizeof(*r->n)));
    r->capacity = or_end(calloc((size_t)P, sizeof(*r->capacity)));
    r->list = (struct logp_step_list){
        .P = P, .steps = (const struct logp_step *const *)r->steps, .n = r->n};
}

static struct logp_step *one_more(struct reading *r, int64_t rank)
{
    if (r->n[rank] == r->capacity[rank]) {
        r->capacity[rank] = r->capacity[rank] > 0 ? 2 * r->capacity[rank] : 4;
        r->steps[rank] =
            or_end(realloc(r->steps[rank], (size_t)r->capacity[rank] * sizeof(struct logp_step)));
    }
    return memset(&r->steps[rank][r->n[rank]++], 0, sizeof(struct logp_step));
}

struct logp_step *last_step(const struct reading *r, int64_t rank)
{
    return &r->steps[rank][r->n[rank] - 1];
}

void note_without_data(struct reading *r, const char *place)
{
    if (*r->without_data == '\0')
        snprintf(r->without_data, sizeof(r->without_data), "%s", place);
}

void begin_edges(struct reading *r)
{
    const size_t P = (size_t)r->list.P;

    r->edges = or_end(calloc(P, sizeof(*r->edges)));
    r->n_edges = or_end(calloc(P, sizeof(*r->n_edges)));
    r->edge_capacity = or_end(calloc(P, sizeof(*r->edge_capacity)));
    r->list.edges = (const struct logp_edge *const *)r->edges;
    r->list.n_edges = r->n_edges;
}

void read_edge(struct reading *r, int64_t rank, int64_t before, int64_t after, bool started)
{
    if (r->n_edges[rank] == r->edge_capacity[rank]) {
        r->edge_capacity[rank] = r->edge_capacity[rank] > 0 ? 2 * r->edge_capacity[rank] : 4;
        r->edges[rank] = or_end(
            realloc(r->edges[rank], (size_t)r->edge_capacity[rank] * sizeof(struct logp_edge)));
    }
    r->edges[rank][r->n_edges[rank]++] = (struct logp_edge){before, after, started};
}

void read_message(struct reading *r, int64_t rank, enum logp_step_kind kind, int64_t peer,
                  int64_t n_bytes, int64_t tag, const char *place)
{
    const bool may_be_any = r->edges != NULL && kind == LOGP_STEP_RECEIVE;
    struct logp_step *s;

    if (peer >= r->list.P || (peer < 0 && !may_be_any))
        bad_option(r->option, r->file, "%s: rank %lld: a rank is 0 .. %lld", place, (long long)peer,
                   (long long)r->list.P - 1);
    if (n_bytes < 0 || n_bytes > most_bytes)
        bad_option(r->option, r->file, "%s: %lld bytes: a message has 0 .. 2^30", place,
                   (long long)n_bytes);
    if (tag > INT_MAX || (tag < 0 && !may_be_any))
        bad_option(r->option, r->file, "%s: tag %lld: a tag is 0 .. %d", place, (long long)tag,
                   INT_MAX);
    s = one_more(r, rank);
    logp_step_send(s, peer, (int)tag, LOGP_RECV_BUF, 0, (size_t)n_bytes);
    s->kind = kind;
    if ((size_t)n_bytes > r->list.most_bytes)
        r->list.most_bytes = (size_t)n_bytes;
}

void read_compute(struct reading *r, int64_t rank, int64_t ns, const char *place)
{
    if (ns < 0 || ns > LOGP_PARAM_MAX_NS)
        bad_option(r->option, r->file, "%s: %lld ns: a time is 0 .. 10^15", place, (long long)ns);
    logp_step_compute(one_more(r, rank), ns, 0);
}

/* ---- a schedule, in any form ---- */

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
