/* SPDX-License-Identifier: MIT */
/* Processor by processor: its place in the tree of an algorithm, and the time on the virtual clock
 * at which it has the item or the sum. */
#include "papers/paper.h"

#include "text/problem.h"

void paper_places(const struct paper_case *x, struct paper_place *places)
{
    for (int rank = 0; rank < x->P; rank++) {
        struct paper_place *at = &places[rank];
        struct logp_plan *plan = NULL;
        const int *children;

        if (logp_plan_create(x->own, (int)x->P, rank, &x->c.args, &x->c.model, &plan) != 0)
            need(NULL);
        children = logp_plan_tree(plan, &at->parent, &at->n_children);
        for (int k = 0; k < at->n_children; k++)
            at->children[k] = children[k];
        logp_plan_destroy(plan);
    }
}

const char *paper_children(const struct paper_place *place, char buf[64])
{
    snprintf(buf, 64, "-");
    for (int i = 0, n = 0; i < place->n_children && n < 60; i++)
        n += snprintf(buf + n, 64 - (size_t)n, "%s%d", i > 0 ? " " : "", place->children[i]);
    return buf;
}

/* One run on the virtual clock; NULL: it failed, and trace_run() has printed why. */
static struct logp_trace *trace_case(struct paper *p, const struct paper_case *x)
{
    const struct question q = paper_options(p, x, LOGP_CLOCK_VIRTUAL);
    struct row row = {.algorithm = x->own};
    struct logp_trace *run = NULL;
    struct logp_machine *m;

    if (p->stopped || !paper_goes_on(p, create_machine(&q, &m)))
        return NULL;
    paper_goes_on(p, trace_run(&q, m, &x->c, &row, 0, &run));
    end_machine(&q, m);
    return run;
}

/* The time of a processor's sum: when it sends it, or at the root the end of its last event; in a
 * broadcast the time at which it has received the item. */
static int64_t there_ns(const struct logp_event *events, size_t n, bool sums)
{
    int64_t ns = sums && n > 0 ? events[n - 1].end_ns : 0;

    for (size_t i = 0; i < n; i++)
        if (events[i].kind == (sums ? LOGP_EVENT_SEND : LOGP_EVENT_RECEIVE))
            ns = sums ? events[i].start_ns : events[i].end_ns;
    return ns;
}

void paper_tour(struct paper *p, const struct paper_case *x, double *when)
{
    struct logp_trace *run = trace_case(p, x);

    for (int rank = 0; rank < x->P; rank++) {
        size_t n = 0;
        const struct logp_event *events = run != NULL ? logp_trace_events(run, rank, &n) : NULL;

        when[rank] = paper_units(x, there_ns(events, n, x->c.args.op != NULL));
    }
    logp_trace_free(run);
}

/* The end of its last event, or the start of its first receive. */
static int64_t moment_ns(const struct logp_event *events, size_t n, enum paper_moment moment)
{
    size_t i = n - 1;

    if (moment == PAPER_END)
        return events[i].end_ns;
    for (i = 0; i + 1 < n && events[i].kind != LOGP_EVENT_RECEIVE; i++)
        ;
    return events[i].start_ns;
}

static void moments_of(struct paper *p, const struct paper_case *x, struct logp_trace *trace,
                       enum paper_moment moment, double *when)
{
    p->wrong |= trace == NULL;
    for (int rank = 0; rank < x->P; rank++) {
        size_t n = 0;
        const struct logp_event *events = trace != NULL ? logp_trace_events(trace, rank, &n) : NULL;

        when[rank] = n > 0 ? paper_units(x, moment_ns(events, n, moment)) : NAN;
    }
    logp_trace_free(trace);
}

void paper_moments(struct paper *p, const struct paper_case *x, enum paper_moment moment,
                   double *predicted, double *emulated)
{
    const struct question q = paper_options(p, x, LOGP_CLOCK_VIRTUAL);
    struct logp_trace *trace = NULL;

    paper_goes_on(p, trace_prediction(&q, &x->c, x->own, 0, &trace));
    moments_of(p, x, trace, moment, predicted);
    moments_of(p, x, trace_case(p, x), moment, emulated);
}
