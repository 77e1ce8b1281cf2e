/* SPDX-License-Identifier: MIT */
/* A graph in the binary form of GOAL, as txt2bin writes it: question/schedule/goal_binary.c has its
 * layout. */
#include "text/text.h"
#include "view/schedule/forms.h"

#include <endian.h>
#include <stdlib.h>

enum { MAGIC = 4223, NODE = 39 };

static void put(FILE *f, uint64_t number, int n_bytes)
{
    unsigned char bytes[8];

    for (int i = 0; i < n_bytes; i++)
        bytes[i] = (unsigned char)(number >> (8 * i));
    fwrite(bytes, 1, (size_t)n_bytes, f);
}

/* The counts of a rank, and for each of its operations how many it waits for. */
struct part {
    uint32_t *waits; /* by operation: for how many */
    int64_t n, n_roots, n_edges;
};

static struct part part_of_rank(const struct logp_graph *graph, int64_t rank)
{
    struct part part = {.n = logp_graph_count(graph, rank)};
    struct logp_edge e;

    part.waits = need(calloc((size_t)part.n + 1, sizeof(*part.waits)));
    for (int64_t i = 0; i < part.n; i++)
        for (int64_t j = 0; j < logp_graph_next(graph, rank, i, j, &e); j++, part.n_edges++)
            part.waits[e.after]++;
    for (int64_t i = 0; i < part.n; i++)
        part.n_roots += part.waits[i] == 0;
    return part;
}

/* Write the followers of an operation that wait for its end, or for its start; f NULL: count them. */
static uint32_t put_followers(FILE *f, const struct logp_graph *graph, int64_t rank, int64_t i,
                              bool started)
{
    struct logp_edge e;
    uint32_t n = 0;

    for (int64_t j = 0; j < logp_graph_next(graph, rank, i, j, &e); j++)
        if (e.started == started) {
            if (f != NULL)
                put(f, (uint64_t)e.after, 4);
            n++;
        }
    return n;
}

static void put_operation(FILE *f, const struct logp_graph *graph, int64_t rank, int64_t i,
                          uint32_t waits, uint32_t *seen)
{
    struct logp_graph_op o;

    logp_graph_at(graph, rank, i, &o);
    put(f, waits, 4);
    put(f, o.kind == LOGP_STEP_SEND ? 1 : o.kind == LOGP_STEP_RECEIVE ? 2 : 3, 1);
    put(f, (uint64_t)o.peer, 4);
    put(f, (uint64_t)o.amount, 8);
    put(f, o.tag, 4);
    put(f, (uint64_t)o.processor, 1);
    put(f, (uint64_t)o.interface, 1);
    for (int started = 0; started < 2; started++) {
        const uint32_t n = put_followers(NULL, graph, rank, i, started == 1);

        put(f, n, 4);
        put(f, *seen, 4);
        *seen += n;
    }
}

static void put_rank(FILE *f, const struct logp_graph *graph, int64_t rank)
{
    struct part part = part_of_rank(graph, rank);
    uint32_t seen = 0;

    put(f, (uint64_t)part.n, 4);
    put(f, (uint64_t)part.n_roots, 4);
    for (int64_t i = 0; i < part.n; i++)
        if (part.waits[i] == 0)
            put(f, (uint64_t)i, 4);
    for (int64_t i = 0; i < part.n; i++)
        put_operation(f, graph, rank, i, part.waits[i], &seen);
    for (int64_t i = 0; i < part.n; i++)
        for (int started = 0; started < 2; started++)
            put_followers(f, graph, rank, i, started == 1);
    free(part.waits);
}

static void write_parts(FILE *f, const struct logp_graph *graph)
{
    const struct logp_graph_size size = logp_graph_size(graph);
    uint64_t at = 6 + 16 * (uint64_t)size.P;

    put(f, MAGIC, 8);
    put(f, (uint64_t)size.P, 4);
    put(f, (uint64_t)size.processors - 1, 1);
    put(f, (uint64_t)size.interfaces - 1, 1);
    for (int64_t rank = 0; rank < size.P; rank++) {
        struct part part = part_of_rank(graph, rank);

        put(f, at, 8);
        at += 8 + 4 * (uint64_t)part.n_roots + NODE * (uint64_t)part.n + 4 * (uint64_t)part.n_edges;
        put(f, at, 8);
        free(part.waits);
    }
    for (int64_t rank = 0; rank < size.P; rank++)
        put_rank(f, graph, rank);
}

static struct problem *write_binary(FILE *f, const struct logp_graph *graph)
{
    const uint64_t most = logp_graph_size(graph).most_tag;

    if (most >= UINT32_MAX)
        return usage_problem("--format goal-bin: a tag is 0 .. 4294967294 there, and this schedule "
                             "has tag %llu; type --format goal",
                             (unsigned long long)most);
    write_parts(f, graph);
    return NULL;
}

/* ---- steps in order ---- */

static void need_done(int rc)
{
    if (rc != 0)
        need(NULL);
}

static struct problem *begin(struct schedule_writer *w)
{
    need_done(logp_graph_create(w->shown->steps.P, &w->graph));
    return NULL;
}

static void begin_rank(struct schedule_writer *w, int64_t rank)
{
    need_done(logp_graph_begin_rank(w->graph, rank));
}

static void add_step(struct schedule_writer *w, const struct logp_step *s, int64_t index)
{
    const bool computes = s->kind == LOGP_STEP_COMPUTE;

    need_done(logp_graph_add(
        w->graph, &(struct logp_graph_op){.kind = s->kind,
                                          .peer = computes ? 0 : s->peer,
                                          .amount = computes ? s->ns : (int64_t)s->n_bytes,
                                          .tag = computes ? 0 : (uint64_t)s->tag}));
    if (index > 0)
        need_done(logp_graph_add_edge(w->graph, &(struct logp_edge){index - 1, index, false}));
}

static void end_rank(struct schedule_writer *w, int64_t n)
{
    (void)n;
    need_done(logp_graph_end_rank(w->graph, NULL));
}

static void end(struct schedule_writer *w)
{
    need_done(logp_graph_end(w->graph));
    write_parts(w->f, w->graph);
    fputs(GOAL_MARK "\n", w->f); /* behind all that LogGOPSim reads */
    logp_graph_destroy(w->graph);
}

const struct step_form steps_as_goal_binary = {.begin = begin,
                                               .begin_rank = begin_rank,
                                               .step = add_step,
                                               .end_rank = end_rank,
                                               .end = end,
                                               .whole = true,
                                               .graph = write_binary};
