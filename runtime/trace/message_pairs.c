/* SPDX-License-Identifier: MIT */
/*
 * Pairs each receive of a trace with its send. Both ends of a message have the same source,
 * destination, context, tag and arrival. Among messages with all of these equal, the first sent is
 * the first received. A lost message has no receive, a duplicated one has two. For each
 * destination the sends and the receives are sorted by these keys and merged.
 */
#include "trace/trace.h"

#include <errno.h>
#include <stdlib.h>

/* One end of a message: the keys, which its other end must have too. */
struct end {
    int src, tag;
    int64_t context, arrival;
    int64_t index; /* receive: of its event; send: the message's number. The last sort key */
};

struct ends {
    struct end *all;
    size_t n;
};

static int64_t side(const struct end *a, const struct end *b)
{
    return a->src != b->src           ? a->src - b->src
           : a->context != b->context ? a->context - b->context
           : a->tag != b->tag         ? a->tag - b->tag
           : a->arrival < b->arrival  ? -1
                                      : a->arrival > b->arrival;
}

static int in_order(const void *a, const void *b)
{
    const struct end *x = a, *y = b;
    const int64_t by = side(x, y);

    return by != 0 ? by < 0 ? -1 : 1 : x->index < y->index ? -1 : x->index > y->index;
}

static void sort(struct ends *e)
{
    for (size_t i = 1; i < e->n; i++)
        if (in_order(&e->all[i - 1], &e->all[i]) > 0) {
            qsort(e->all, e->n, sizeof(*e->all), in_order);
            return;
        }
}

static struct end end_of(const struct logp_event *e, int src, int64_t index)
{
    return (struct end){src, e->tag, e->message, e->arrival_ns, index};
}

/* The sends of all ranks, by destination d in the order of (source, index): sends[first[d]] to
 * sends[first[d + 1] - 1] */
static void sort_sends(struct logp_trace *t, size_t *first, struct end *sends)
{
    size_t number = 0;

    for (int64_t r = 0; r < t->info.P; r++)
        for (size_t i = 0; i < t->ranks[r].n; i++) {
            const struct logp_event *e = &t->ranks[r].events[i];

            if (e->kind != LOGP_EVENT_SEND)
                continue;
            t->messages[number] = (struct logp_trace_message){(int)r, e->peer, (int64_t)i, -1, -1};
            sends[first[e->peer]++] = end_of(e, (int)r, (int64_t)number++);
        }
    for (int64_t d = t->info.P; d > 0; d--)
        first[d] = first[d - 1];
    first[0] = 0;
}

/* The receives of a rank, written to memory, which has space for all of its events. */
static struct ends receives_of(const struct lpi_rank_events *r, struct end *memory)
{
    struct ends out = {memory, 0};

    for (size_t i = 0; i < r->n; i++)
        if (r->events[i].kind == LOGP_EVENT_RECEIVE)
            out.all[out.n++] = end_of(&r->events[i], r->events[i].peer, (int64_t)i);
    return out;
}

static void pair(struct logp_trace *t, const struct ends *sends, const struct ends *receives)
{
    for (size_t i = 0, k = 0; i < sends->n && k < receives->n;) {
        struct logp_trace_message *m = &t->messages[sends->all[i].index];
        const uint16_t fate = t->ranks[m->from].events[m->send].fate;
        const bool is_lost = (fate & LOGP_FATE_DROPPED) != 0, is_second = m->receive >= 0;
        const int64_t by = is_lost ? -1 : side(&sends->all[i], &receives->all[k]);

        if (by == 0)
            *(is_second ? &m->again : &m->receive) = receives->all[k].index;
        i += by < 0 || (by == 0 && (is_second || (fate & LOGP_FATE_DUPLICATED) == 0));
        k += by >= 0;
    }
}

/* Replace the contexts in the events by the numbers of their messages. */
static void number(struct logp_trace *t)
{
    for (int64_t r = 0; r < t->info.P; r++)
        for (size_t i = 0; i < t->ranks[r].n; i++)
            t->ranks[r].events[i].message = -1;
    for (size_t m = 0; m < t->info.n_messages; m++) {
        const struct logp_trace_message *x = &t->messages[m];

        t->ranks[x->from].events[x->send].message = (int64_t)m;
        if (x->receive >= 0)
            t->ranks[x->to].events[x->receive].message = (int64_t)m;
        if (x->again >= 0)
            t->ranks[x->to].events[x->again].message = (int64_t)m;
    }
}

/* Fill t->info. Set first[d + 1] to the number of sends to the ranks up to d. @return the most
 * events of a rank */
static size_t count(struct logp_trace *t, size_t *first)
{
    struct logp_trace_info *info = &t->info;
    size_t most = 0;

    for (int64_t r = 0; r < info->P; r++) {
        const struct lpi_rank_events *x = &t->ranks[r];

        most = x->n > most ? x->n : most;
        info->n_events += x->n;
        for (size_t i = 0; i < x->n; i++) {
            struct logp_event *e = &x->events[i];
            const int64_t wall = e->end_ns + e->late_ns;

            if (e->arrival_ns < 0)
                e->arrival_ns = -1;
            info->end_ns = e->end_ns > info->end_ns ? e->end_ns : info->end_ns;
            info->wall_ns = wall > info->wall_ns ? wall : info->wall_ns;
            if (e->kind == LOGP_EVENT_SEND) {
                first[e->peer + 1]++;
                info->n_messages++;
            }
        }
    }
    for (int64_t d = 0; d < info->P; d++)
        first[d + 1] += first[d];
    return most;
}

static int pair_all(struct logp_trace *t, size_t *first, size_t most)
{
    struct end *sends = malloc((t->info.n_messages + 1) * sizeof(*sends));
    struct end *memory = malloc((most + 1) * sizeof(*memory));
    const bool enough = sends != NULL && memory != NULL;

    if (enough)
        sort_sends(t, first, sends);
    for (int64_t d = 0; enough && d < t->info.P; d++) {
        struct ends to = {&sends[first[d]], first[d + 1] - first[d]};
        struct ends by = receives_of(&t->ranks[d], memory);

        sort(&to);
        sort(&by);
        pair(t, &to, &by);
    }
    free(sends);
    free(memory);
    return enough ? 0 : -ENOMEM;
}

int logp_trace_match(struct logp_trace *t)
{
    size_t *first;
    size_t most;
    int rc = -ENOMEM;

    if (t->is_matched)
        return 0;
    first = calloc((size_t)t->info.P + 1, sizeof(*first));
    if (first == NULL)
        return rc;
    t->info.n_events = t->info.n_messages = 0;
    most = count(t, first);
    free(t->messages);
    t->messages = malloc((t->info.n_messages + 1) * sizeof(*t->messages));
    if (t->messages != NULL)
        rc = pair_all(t, first, most);
    free(first);
    if (rc == 0)
        number(t);
    t->is_matched = rc == 0;
    return rc;
}
