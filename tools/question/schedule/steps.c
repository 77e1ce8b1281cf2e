/* SPDX-License-Identifier: MIT */
/* The steps that are read from a file: a step must be a possible one. */
#include "question/schedule/reading.h"
#include "question/schedule/schedule.h"
#include "text/text.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const int64_t most_bytes = INT64_C(1) << 30;

struct problem *begin_reading(struct reading *r, int64_t P)
{
    if (P < 1 || P > LOGP_MAX_PROCESSORS)
        return must_be(r->option, r->file, "1 .. %d ranks", LOGP_MAX_PROCESSORS);
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
    logp_graph_destroy(r->graph);
    free(r->parts);
    free(r->host_of);
    logp_graph_list_destroy(r->with_edges);
    logp_graph_list_destroy(r->in_order);
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

struct problem *read_message(struct reading *r, int64_t rank, enum logp_step_kind kind,
                             int64_t peer, int64_t n_bytes, int64_t tag, const char *place)
{
    struct logp_step *s;

    if (peer >= r->list.P || peer < 0)
        return option_problem(r->option, r->file, "%s: rank %lld: a rank is 0 .. %lld", place,
                              (long long)peer, (long long)r->list.P - 1);
    if (n_bytes < 0 || n_bytes > most_bytes)
        return option_problem(r->option, r->file, "%s: %lld bytes: a message has 0 .. 2^30", place,
                              (long long)n_bytes);
    if (tag > INT_MAX || tag < 0)
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

void tell_read(const struct reading *r, uint64_t done, uint64_t all)
{
    if (r->watch != NULL && all > 0)
        r->watch(r->watch_arg, (double)done / (double)all);
}

struct problem *begin_graph(struct reading *r, int64_t P)
{
    TRY(begin_reading(r, P));
    if (logp_graph_create(P, &r->graph) != 0)
        need(NULL);
    return NULL;
}

struct problem *graph_problem(const struct reading *r, int rc, const char *place, int64_t rank,
                              int64_t wrong)
{
    if (rc == 0)
        return NULL;
    if (rc == -ELOOP)
        return option_problem(r->option, r->file,
                              "rank %lld: operation %lld requires itself through other operations; "
                              "remove one requires",
                              (long long)rank, (long long)wrong + 1);
    if (rc == -E2BIG)
        return option_problem(r->option, r->file,
                              "%s: at most 2^30 operations, 2^32 - 1 requires, and 65535 pairs of "
                              "cpu and nic",
                              place);
    if (rc == -ENOMEM)
        need(NULL);
    return option_problem(r->option, r->file, "%s: rank %lld: no such operation", place,
                          (long long)rank);
}
