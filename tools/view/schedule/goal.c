/* SPDX-License-Identifier: MIT */
/* A schedule in GOAL, the language of LogGOPSim. */
#include "view/schedule/forms.h"

#include <stdio.h>

static struct problem *goal_begin(struct schedule_writer *w)
{
    fprintf(w->f, "num_ranks %lld\n" GOAL_MARK "\n", (long long)w->shown->steps.P);
    return NULL;
}

static void goal_rank(struct schedule_writer *w, int64_t rank)
{
    fprintf(w->f, "\nrank %lld {\n", (long long)rank);
}

static void goal_step(struct schedule_writer *w, const struct logp_step *s, int64_t index)
{
    fprintf(w->f, "l%lld: ", (long long)index + 1);
    if (s->kind == LOGP_STEP_COMPUTE)
        fprintf(w->f, "calc %lld\n", (long long)s->ns);
    else
        fprintf(w->f, "%s %zub %s %lld tag %d\n", s->kind == LOGP_STEP_SEND ? "send" : "recv",
                s->n_bytes, s->kind == LOGP_STEP_SEND ? "to" : "from", (long long)s->peer, s->tag);
    if (index > 0)
        fprintf(w->f, "l%lld requires l%lld\n", (long long)index + 1, (long long)index);
}

static void goal_end_rank(struct schedule_writer *w, int64_t n)
{
    (void)n;
    fputs("}\n", w->f);
}

/* The edges of a rank are after all its operations: txt2bin must know a label before it is required. */
static void write_rank(FILE *f, const struct logp_graph *graph, int64_t rank)
{
    const int64_t n = logp_graph_count(graph, rank);
    struct logp_graph_op o;
    struct logp_edge e;

    fprintf(f, "\nrank %lld {\n", (long long)rank);
    for (int64_t i = 0; i < n; i++) {
        logp_graph_at(graph, rank, i, &o);
        fprintf(f, "l%lld: %s %lld", (long long)i + 1,
                o.kind == LOGP_STEP_SEND      ? "send"
                : o.kind == LOGP_STEP_RECEIVE ? "recv"
                                              : "calc",
                (long long)o.amount);
        if (o.kind != LOGP_STEP_COMPUTE)
            fprintf(f, "b %s %lld", o.kind == LOGP_STEP_SEND ? "to" : "from", (long long)o.peer);
        if (o.kind != LOGP_STEP_COMPUTE && o.tag == LOGP_GRAPH_ANY_TAG)
            fputs(" tag -1", f);
        else if (o.kind != LOGP_STEP_COMPUTE)
            fprintf(f, " tag %llu", (unsigned long long)o.tag);
        if (o.processor > 0)
            fprintf(f, " cpu %d", o.processor);
        if (o.interface > 0 && o.kind != LOGP_STEP_COMPUTE)
            fprintf(f, " nic %d", o.interface);
        fputc('\n', f);
    }
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < logp_graph_next(graph, rank, i, j, &e); j++)
            fprintf(f, "l%lld %s l%lld\n", (long long)e.after + 1,
                    e.started ? "irequires" : "requires", (long long)e.before + 1);
    fputs("}\n", f);
}

static struct problem *write_graph(FILE *f, const struct logp_graph *graph)
{
    const struct logp_graph_size size = logp_graph_size(graph);

    fprintf(f, "num_ranks %lld\n", (long long)size.P);
    for (int64_t rank = 0; rank < size.P; rank++)
        write_rank(f, graph, rank);
    return NULL;
}

const struct step_form steps_as_goal = {.begin = goal_begin,
                                        .begin_rank = goal_rank,
                                        .step = goal_step,
                                        .end_rank = goal_end_rank,
                                        .graph = write_graph};
