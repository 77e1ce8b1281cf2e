/* SPDX-License-Identifier: MIT */
/*
 * Memory for recorded events. Each core has a list of free chunks. Its vps take them one by one and
 * give them back when a run begins, so later runs need no new memory. A chunk is a page, or a part
 * of a page if there are very many vps.
 */
#include "trace/chunks.h"

#include "host/host.h"
#include "trace/recorder.h"
#include "trace/trace.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { LARGE = 63, SMALL = 7, MANY_VPS = 4096, LEAST_SLAB = 32, MOST_SLAB = 4096 /* chunks */ };

struct lpi_chunk_of_events {
    _Alignas(64) struct lpi_chunk_of_events *next;
    _Alignas(64) struct logp_event events[];
};

/* A piece of memory that is cut into chunks. The first chunk holds this struct. */
struct slab {
    struct slab *next;
    size_t n_chunks;
};

struct traced_core {
    _Alignas(LPI_LINE) struct lpi_chunk_of_events *free;
    struct slab *slabs;
    size_t n_chunks; /* in all slabs */
    struct lpi_labels labels;
};

struct lpi_tracing {
    bool is_taken;       /* the trace of the last run has been taken */
    int64_t events_most; /* of each vp */
    size_t chunk_events, chunk_bytes;
    struct traced_core cores[];
};

static struct traced_core *core_of(const struct lpi_core *c)
{
    return &c->machine->tracing->cores[c->index];
}

struct lpi_labels *lpi_labels_of(const struct lpi_core *c)
{
    return &core_of(c)->labels;
}

/* Add n chunks, and touch each, so that a run has no page faults. @return 0; -ENOMEM */
static int add_slab(const struct lpi_tracing *t, struct traced_core *c, size_t n)
{
    struct slab *slab = lpi_memory_zeroed(n + 1, t->chunk_bytes);

    if (slab == NULL)
        return -ENOMEM;
    *slab = (struct slab){c->slabs, n};
    c->slabs = slab;
    c->n_chunks += n;
    for (size_t i = n; i > 0; i--) {
        struct lpi_chunk_of_events *chunk = (void *)((char *)slab + i * t->chunk_bytes);

        chunk->next = c->free;
        c->free = chunk;
    }
    return 0;
}

/* Double the chunks, so that those of long runs lie in huge pages. */
static int add_chunks(const struct lpi_tracing *t, struct traced_core *c)
{
    const size_t n = c->n_chunks;

    return add_slab(t, c, n < LEAST_SLAB ? LEAST_SLAB : n < MOST_SLAB ? n : MOST_SLAB);
}

bool lpi_recorder_grow(struct lpi_core *core, struct lpi_recorder *r)
{
    const struct lpi_tracing *t = core->machine->tracing;
    struct traced_core *c = core_of(core);
    struct lpi_chunk_of_events *chunk;
    int64_t n = (int64_t)t->chunk_events;

    if (r->is_off)
        return false;
    if (r->is_full || r->left == 0 || (c->free == NULL && add_chunks(t, c) != 0)) {
        r->is_full = true;
        r->dropped++;
        return false;
    }
    chunk = c->free;
    c->free = chunk->next;
    chunk->next = NULL;
    if (r->last != NULL)
        r->last->next = chunk;
    else
        r->first = chunk;
    r->last = chunk;
    n = n < r->left ? n : r->left;
    r->left -= n;
    r->at = chunk->events;
    r->end = chunk->events + n;
    return true;
}

void lpi_recorder_forget(struct lpi_core *core, struct lpi_recorder *r)
{
    struct traced_core *c = core_of(core);

    if (r->last != NULL) {
        r->last->next = c->free;
        c->free = r->first;
    }
    r->first = r->last = NULL;
    r->at = r->end = r->last_event = NULL;
    r->left = core->machine->tracing->events_most;
    r->dropped = 0;
    r->is_full = false;
}

/* ---- the machine ---- */

void lpi_tracing_destroy(struct logp_machine *m)
{
    struct lpi_tracing *t = m->tracing;

    for (int i = 0; t != NULL && i < m->n_cores; i++) {
        while (t->cores[i].slabs != NULL) {
            struct slab *slab = t->cores[i].slabs;

            t->cores[i].slabs = slab->next;
            lpi_memory_free(slab, slab->n_chunks + 1, t->chunk_bytes);
        }
        lpi_labels_free(&t->cores[i].labels);
    }
    lpi_memory_free(t, 1, sizeof(*t) + (size_t)m->n_cores * sizeof(t->cores[0]));
    lpi_memory_free(m->recorders, (size_t)m->P, sizeof(*m->recorders));
    m->tracing = NULL;
    m->recorders = NULL;
    m->record = &lpi_record_none;
}

int lpi_tracing_create(struct logp_machine *m, const struct logp_trace_config *config)
{
    const int64_t share = (INT64_C(1) << 25) / m->P, few = (INT64_C(1) << 18) / m->P;
    const int64_t ahead = config->events_ahead > 0 ? config->events_ahead : few < 256 ? few : 256;
    struct lpi_tracing *t =
        lpi_memory_zeroed(1, sizeof(*t) + (size_t)m->n_cores * sizeof(t->cores[0]));
    struct lpi_recorder *recorders = lpi_memory_zeroed((size_t)m->P, sizeof(*recorders));
    int rc = 0;

    m->recorders = recorders;
    m->tracing = t;
    if (t == NULL || recorders == NULL)
        rc = -ENOMEM;
    if (rc == 0) {
        t->is_taken = true;
        t->events_most = config->events_most > 0 ? config->events_most
                         : share > 1024          ? share
                                                 : 1024;
        t->chunk_events = m->P <= MANY_VPS ? LARGE : SMALL;
        t->chunk_bytes = (1 + t->chunk_events) * sizeof(struct logp_event);
    }
    for (int i = 0; rc == 0 && i < m->n_cores; i++) {
        const size_t chunks = ((size_t)ahead + t->chunk_events - 1) / t->chunk_events;

        if (chunks < SIZE_MAX / t->chunk_bytes / (size_t)m->P)
            rc = add_slab(t, &t->cores[i], chunks * (size_t)m->cores[i].n_procs);
        else
            rc = -ENOMEM;
    }
    m->record = &lpi_record_events;
    if (rc != 0)
        lpi_tracing_destroy(m);
    return rc;
}

void lpi_tracing_prepare(struct logp_machine *m)
{
    m->tracing->is_taken = false;
    for (int i = 0; i < m->P; i++) {
        struct lpi_recorder *r = &m->recorders[i];

        lpi_recorder_forget(m->procs[i].core, r);
        r->since = r->origin = 0;
        r->label = 0;
        r->fate = 0;
        r->halted = LOGP_NEVER;
        r->is_off = false;
    }
}

/* ---- into a trace ---- */

static size_t count(const struct lpi_tracing *t, const struct lpi_recorder *r)
{
    size_t n = 0;

    for (const struct lpi_chunk_of_events *c = r->first; c != NULL; c = c->next)
        n += c->next != NULL ? t->chunk_events : (size_t)(r->at - c->events);
    return n;
}

/* labels[k]: the label in the trace that is label k of this core */
static int copy(const struct logp_machine *m, struct logp_trace *out, int rank,
                const uint32_t *labels)
{
    const struct lpi_recorder *r = &m->recorders[rank];
    struct lpi_rank_events *to = &out->ranks[rank];
    const size_t n = count(m->tracing, r);

    out->info.dropped += r->dropped;
    if (n == 0)
        return 0;
    if (lpi_trace_reserve(out, rank, n) != 0)
        return -ENOMEM;
    for (const struct lpi_chunk_of_events *c = r->first; c != NULL; c = c->next) {
        const size_t here =
            c->next != NULL ? m->tracing->chunk_events : (size_t)(r->at - c->events);

        memcpy(&to->events[to->n], c->events, here * sizeof(struct logp_event));
        to->n += here;
    }
    for (size_t i = 0; i < n; i++) {
        struct logp_event *e = &to->events[i];

        e->start_ns -= r->origin;
        e->end_ns -= r->origin;
        e->arrival_ns = e->arrival_ns >= 0 ? e->arrival_ns - r->origin : -1;
        e->label = labels[e->label];
    }
    return 0;
}

static int copy_core(const struct logp_machine *m, struct logp_trace *out, int index)
{
    const struct lpi_core *c = &m->cores[index];
    struct lpi_labels *own = &m->tracing->cores[index].labels;
    uint32_t *labels = calloc((size_t)own->n + 1, sizeof(*labels));
    int rc = labels != NULL && !own->lacks ? 0 : -ENOMEM;

    own->lacks = false;
    for (uint32_t k = 1; rc == 0 && k <= own->n; k++) {
        labels[k] = logp_trace_add_label(out, lpi_label_text(own, k));
        if (labels[k] == 0 && *lpi_label_text(own, k) != '\0')
            rc = -ENOMEM;
    }
    for (int i = 0; rc == 0 && i < c->n_procs; i++)
        rc = copy(m, out, lpi_proc_at(c, i)->rank, labels);
    free(labels);
    return rc;
}

/* The time of the last event or arrival. */
static int64_t end_of(const struct logp_trace *t)
{
    int64_t end = 0;

    for (int64_t r = 0; r < t->info.P; r++)
        for (size_t i = 0; i < t->ranks[r].n; i++) {
            const struct logp_event *e = &t->ranks[r].events[i];

            end = e->end_ns > end ? e->end_ns : end;
            end = e->arrival_ns > end ? e->arrival_ns : end;
        }
    return end;
}

/* The vp was halted at t: cut off the waits that are recorded after t. */
static void stop_waiting(struct lpi_rank_events *of, int64_t t)
{
    while (of->n > 0 && of->events[of->n - 1].start_ns >= t &&
           of->events[of->n - 1].kind == LOGP_EVENT_IDLE)
        of->n--;
    if (of->n > 0 && of->events[of->n - 1].kind == LOGP_EVENT_IDLE &&
        of->events[of->n - 1].end_ns > t)
        of->events[of->n - 1].end_ns = t;
}

/* Add the last wait of a vp, or its halt, from its last recorded event to `end`. */
static int add_wait(struct logp_machine *m, struct logp_trace *out, const struct logp_wait_info *w,
                    int64_t end)
{
    const struct lpi_recorder *r = &m->recorders[w->rank];
    struct lpi_rank_events *of = &out->ranks[w->rank];
    struct logp_event e = {.start_ns = r->since - r->origin,
                           .arrival_ns = -1,
                           .peer = w->source >= 0 ? w->source : -1,
                           .tag = w->tag >= 0 ? w->tag : -1,
                           .kind = LOGP_EVENT_IDLE,
                           .fate = LOGP_FATE_ENDLESS};

    if (w->kind == LOGP_WAIT_NONE || w->kind == LOGP_WAIT_RUNNING || r->is_off || r->is_full)
        return 0;
    if (w->kind == LOGP_WAIT_SPACE)
        e.kind = LOGP_EVENT_STALL;
    if (w->kind == LOGP_WAIT_HALTED) {
        e.kind = LOGP_EVENT_HALTED;
        e.fate = 0;
        if (r->halted >= 0)
            stop_waiting(of, e.start_ns = r->halted - r->origin);
    }
    if (of->n > 0 && of->events[of->n - 1].end_ns > e.start_ns)
        e.start_ns = of->events[of->n - 1].end_ns;
    e.end_ns = end > e.start_ns ? end : e.start_ns;
    return logp_trace_add(out, w->rank, &e);
}

int lpi_tracing_take(struct logp_machine *m, enum logp_trace_source source, struct logp_trace **out)
{
    struct logp_trace *t;
    int64_t end;
    int rc = logp_trace_create(m->P, source, &t);

    if (rc != 0)
        return rc;
    for (int i = 0; rc == 0 && i < m->n_cores; i++)
        rc = copy_core(m, t, i);
    end = end_of(t);
    for (int i = 0; rc == 0 && !m->tracing->is_taken && i < m->report.n_waits; i++)
        rc = add_wait(m, t, &m->report.waits[i], end);
    if (rc == 0)
        rc = logp_trace_match(t);
    if (rc == 0) {
        lpi_tracing_prepare(m);
        m->tracing->is_taken = true;
        *out = t;
    } else {
        logp_trace_free(t);
    }
    return rc;
}
