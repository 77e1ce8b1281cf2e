/* SPDX-License-Identifier: MIT */
/* Traces of a test's machine. */
#ifndef LOGP_TESTS_TRACES_H
#define LOGP_TESTS_TRACES_H

#include "support.h"

#include <stdio.h>

static void trace_on(struct logp_machine *m, int64_t most)
{
    const struct logp_trace_config c = {.size = sizeof(c), .events_most = most};

    cr_assert_eq(logp_machine_trace(m, &c), 0);
}

static struct logp_trace *taken(struct logp_machine *m)
{
    struct logp_trace *t;

    cr_assert_eq(logp_machine_take_trace(m, &t), 0);
    return t;
}

static void show(const char *what, int rank, size_t i, const struct logp_event *e)
{
    fprintf(stderr,
            "%s: rank %d event %zu: %s %ld..%ld peer %d tag %d bytes %ld arrival %ld message %ld\n",
            what, rank, i, logp_event_kind_name(e->kind), (long)e->start_ns, (long)e->end_ns,
            e->peer, e->tag, (long)e->bytes, (long)e->arrival_ns, (long)e->message);
}

/* All of a rank's time is accounted for, and each message has two ends that agree. */
static bool is_whole(const struct logp_trace *t)
{
    size_t n_messages, n;
    const struct logp_trace_message *m = logp_trace_messages(t, &n_messages);

    for (int r = 0; r < logp_trace_info(t)->P; r++) {
        const struct logp_event *e = logp_trace_events(t, r, &n);

        for (size_t i = 0; i < n; i++)
            if (e[i].start_ns != (i > 0 ? e[i - 1].end_ns : 0))
                return false;
    }
    for (size_t k = 0; k < n_messages; k++) {
        const struct logp_event *s = &logp_trace_events(t, m[k].from, &n)[m[k].send];
        const struct logp_event *r = &logp_trace_events(t, m[k].to, &n)[m[k].receive];

        if (m[k].receive < 0 || s->kind != LOGP_EVENT_SEND || r->kind != LOGP_EVENT_RECEIVE ||
            s->message != (int64_t)k || r->message != (int64_t)k || s->peer != m[k].to ||
            r->peer != m[k].from || s->tag != r->tag || s->bytes != r->bytes ||
            s->arrival_ns != r->arrival_ns || r->start_ns < r->arrival_ns)
            return false;
    }
    return true;
}

#endif
