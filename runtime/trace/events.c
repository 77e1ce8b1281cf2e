/* SPDX-License-Identifier: MIT */
/* A trace, event by event: see trace.h. message_pairs.c pairs sends and receives. */
#include "trace/trace.h"

#include "host/host.h"

#include <logp/machine.h>

#include <errno.h>
#include <stdlib.h>

const char *logp_event_kind_name(enum logp_event_kind kind)
{
    static const char *const names[LOGP_EVENT_KINDS] = {
        [LOGP_EVENT_SEND] = "send", [LOGP_EVENT_RECEIVE] = "receive",
        [LOGP_EVENT_GAP] = "gap",   [LOGP_EVENT_COMPUTE] = "compute",
        [LOGP_EVENT_MARK] = "mark", [LOGP_EVENT_STALL] = "stall",
        [LOGP_EVENT_IDLE] = "idle", [LOGP_EVENT_HALTED] = "halted",
    };

    return (unsigned)kind < LOGP_EVENT_KINDS ? names[kind] : NULL;
}

int logp_trace_create(int64_t P, enum logp_trace_source source, struct logp_trace **out)
{
    struct logp_trace *t;

    if (P < 1 || P > LOGP_MAX_PROCESSORS)
        return -EINVAL;
    t = calloc(1, sizeof(*t));
    if (t == NULL)
        return -ENOMEM;
    t->info = (struct logp_trace_info){.size = sizeof(t->info), .P = P, .source = source};
    t->ranks = lpi_memory_zeroed((size_t)P, sizeof(*t->ranks));
    if (t->ranks == NULL) {
        free(t);
        return -ENOMEM;
    }
    *out = t;
    return 0;
}

void logp_trace_free(struct logp_trace *t)
{
    if (t == NULL)
        return;
    for (int64_t r = 0; r < t->info.P; r++)
        free(t->ranks[r].events);
    lpi_memory_free(t->ranks, (size_t)t->info.P, sizeof(*t->ranks));
    lpi_labels_free(&t->labels);
    free(t->messages);
    free(t);
}

uint32_t logp_trace_add_label(struct logp_trace *t, const char *text)
{
    const uint32_t label = *text != '\0' ? lpi_label_number(&t->labels, text, NULL) : 0;

    t->info.n_labels = t->labels.n;
    return label;
}

int lpi_trace_reserve(struct logp_trace *t, int64_t rank, size_t n)
{
    struct lpi_rank_events *r = &t->ranks[rank];
    struct logp_event *more =
        n <= SIZE_MAX / sizeof(*more) ? realloc(r->events, n * sizeof(*more)) : NULL;

    if (more == NULL)
        return -ENOMEM;
    r->events = more;
    r->capacity = n;
    return 0;
}

static bool fits(const struct logp_trace *t, const struct lpi_rank_events *r,
                 const struct logp_event *e)
{
    return e->kind < LOGP_EVENT_KINDS && e->fate < 2 * LOGP_FATE_ENDLESS &&
           e->end_ns >= e->start_ns && e->label <= t->labels.n &&
           (r->n == 0 || e->start_ns >= r->events[r->n - 1].end_ns) && e->peer < t->info.P &&
           e->peer >= (e->kind == LOGP_EVENT_SEND ? 0 : LOGP_OUTSIDE);
}

int logp_trace_add(struct logp_trace *t, int64_t rank, const struct logp_event *event)
{
    struct lpi_rank_events *r;

    if (t->is_matched)
        return -EBUSY;
    if (rank < 0 || rank >= t->info.P || !fits(t, &t->ranks[rank], event))
        return -EINVAL;
    r = &t->ranks[rank];
    if (r->n == r->capacity) {
        const int rc = lpi_trace_reserve(t, rank, r->capacity > 0 ? 2 * r->capacity : 8);

        if (rc != 0)
            return rc;
    }
    r->events[r->n] = *event;
    r->events[r->n++].message = 0;
    return 0;
}

const struct logp_trace_info *logp_trace_info(const struct logp_trace *t)
{
    return &t->info;
}

const struct logp_event *logp_trace_events(const struct logp_trace *t, int64_t rank, size_t *n)
{
    static const struct logp_event none;

    *n = 0;
    if (rank < 0 || rank >= t->info.P)
        return NULL;
    *n = t->ranks[rank].n;
    return *n > 0 ? t->ranks[rank].events : &none;
}

const char *logp_trace_label(const struct logp_trace *t, uint32_t label)
{
    return lpi_label_text(&t->labels, label);
}

const struct logp_trace_message *logp_trace_messages(const struct logp_trace *t, size_t *n)
{
    *n = (size_t)t->info.n_messages;
    return t->messages;
}
