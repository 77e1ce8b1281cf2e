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

struct problem *begin_reading(struct reading *r, int64_t P)
{
    if (P < 1 || P > LOGP_MAX_PROCESSORS)
        return option_problem(r->option, r->file, "1 .. %d ranks", LOGP_MAX_PROCESSORS);
    r->steps = need(calloc((size_t)P, sizeof(*r->steps)));
    r->n = need(calloc((size_t)P, sizeof(*r->n)));
    r->capacity = need(calloc((size_t)P, sizeof(*r->capacity)));
    r->list = (struct logp_step_list){
        .P = P, .steps = (const struct logp_step *const *)r->steps, .n = r->n};
    return NULL;
}

static void drop_steps(const struct logp_step_list *list)
{
    for (int64_t rank = 0; rank < list->P; rank++)
        free((void *)(uintptr_t)list->steps[rank]);
    free((void *)(uintptr_t)list->steps);
    free((void *)(uintptr_t)list->n);
}

void drop_reading(void *reading)
{
    struct reading *r = reading;

    drop_steps(&r->list);
    drop_steps(&r->with_data);
    for (int64_t rank = 0; r->edges != NULL && rank < r->list.P; rank++)
        free(r->edges[rank]);
    free(r->edges);
    free(r->n_edges);
    free(r->edge_capacity);
    free(r->capacity);
    free(r);
}

static struct logp_step *one_more(struct reading *r, int64_t rank)
{
    if (r->n[rank] == r->capacity[rank]) {
        r->capacity[rank] = r->capacity[rank] > 0 ? 2 * r->capacity[rank] : 4;
        r->steps[rank] =
            need(realloc(r->steps[rank], (size_t)r->capacity[rank] * sizeof(struct logp_step)));
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

    r->edges = need(calloc(P, sizeof(*r->edges)));
    r->n_edges = need(calloc(P, sizeof(*r->n_edges)));
    r->edge_capacity = need(calloc(P, sizeof(*r->edge_capacity)));
    r->list.edges = (const struct logp_edge *const *)r->edges;
    r->list.n_edges = r->n_edges;
}

void read_edge(struct reading *r, int64_t rank, int64_t before, int64_t after, bool started)
{
    if (r->n_edges[rank] == r->edge_capacity[rank]) {
        r->edge_capacity[rank] = r->edge_capacity[rank] > 0 ? 2 * r->edge_capacity[rank] : 4;
        r->edges[rank] = need(
            realloc(r->edges[rank], (size_t)r->edge_capacity[rank] * sizeof(struct logp_edge)));
    }
    r->edges[rank][r->n_edges[rank]++] = (struct logp_edge){before, after, started};
}

struct problem *read_message(struct reading *r, int64_t rank, enum logp_step_kind kind,
                             int64_t peer, int64_t n_bytes, int64_t tag, const char *place)
{
    const bool may_be_any = r->edges != NULL && kind == LOGP_STEP_RECEIVE;
    struct logp_step *s;

    if (peer >= r->list.P || (peer < 0 && !may_be_any))
        return option_problem(r->option, r->file, "%s: rank %lld: a rank is 0 .. %lld", place,
                              (long long)peer, (long long)r->list.P - 1);
    if (n_bytes < 0 || n_bytes > most_bytes)
        return option_problem(r->option, r->file, "%s: %lld bytes: a message has 0 .. 2^30", place,
                              (long long)n_bytes);
    if (tag > INT_MAX || (tag < 0 && !may_be_any))
        return option_problem(r->option, r->file, "%s: tag %lld: a tag is 0 .. %d", place,
                              (long long)tag, INT_MAX);
    s = one_more(r, rank);
    logp_step_send(s, peer, (int)tag, LOGP_RECV_BUF, 0, (size_t)n_bytes);
    s->kind = kind;
    if ((size_t)n_bytes > r->list.most_bytes)
        r->list.most_bytes = (size_t)n_bytes;
    return NULL;
}

struct problem *read_compute(struct reading *r, int64_t rank, int64_t ns, const char *place)
{
    if (ns < 0 || ns > LOGP_PARAM_MAX_NS)
        return option_problem(r->option, r->file, "%s: %lld ns: a time is 0 .. 10^15", place,
                              (long long)ns);
    logp_step_compute(one_more(r, rank), ns, 0);
    return NULL;
}
