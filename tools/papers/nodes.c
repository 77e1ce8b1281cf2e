/* SPDX-License-Identifier: MIT */
/* Processor by processor: its place in the tree of an algorithm, and when the virtual clock says
 * that it has what it waits for. */
#include "paper.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void paper_places(const struct paper_case *x, struct paper_place *places)
{
    for (int rank = 0; rank < x->P; rank++) {
        struct paper_place *at = &places[rank];
        struct logp_plan *plan;
        const int *children;

        if (logp_plan_create(paper_algorithm(x), (int)x->P, rank, &x->c.args, &x->c.model, &plan))
            bad_usage("no memory for the tree of %s", x->algorithm);
        children = logp_plan_tree(plan, &at->parent, &at->n_children);
        for (int k = 0; k < at->n_children; k++)
            at->children[k] = children[k];
        logp_plan_destroy(plan);
    }
}

/* ---- when a processor gets there ---- */

struct tour {
    const struct paper_case *x;
    int64_t when[MOST_NODES];
};

/* A broadcast along the plan of an algorithm: when does this processor hold the item? */
static int broadcast_node(struct logp_vp *vp, void *arg)
{
    struct tour *tour = arg;
    const int rank = logp_vp_rank(vp);
    const struct logp_invocation *c = &tour->x->c;
    struct logp_plan *plan;
    const int *children;
    int parent, n;
    int rc = logp_plan_create(paper_algorithm(tour->x), logp_vp_size(vp), rank, &c->args, &c->model,
                              &plan);

    if (rc != 0)
        return rc;
    children = logp_plan_tree(plan, &parent, &n);
    if (parent >= 0)
        rc = logp_recv(vp, parent, 0, NULL, 0, NULL);
    tour->when[rank] = logp_now(vp);
    for (int k = 0; rc == 0 && k < n; k++)
        rc = logp_send(vp, children[k], 0, NULL, 0);
    logp_plan_destroy(plan);
    return rc;
}

/* A reduction or summation: when is the sum of this processor and of all below it complete? */
static int sum_node(struct logp_vp *vp, void *arg)
{
    struct tour *tour = arg;
    const int rank = logp_vp_rank(vp);
    const struct logp_invocation *c = &tour->x->c;
    struct logp_plan *plan;
    size_t size, recv_size;
    void *buf, *recv_buf;
    int parent, n;
    int rc = logp_plan_create(paper_algorithm(tour->x), logp_vp_size(vp), rank, &c->args, &c->model,
                              &plan);

    if (rc != 0)
        return rc;
    logp_plan_sizes(plan, &size, &recv_size);
    buf = calloc(1, size + 1);
    recv_buf = calloc(1, recv_size + 1);
    rc = buf != NULL && recv_buf != NULL ? logp_plan_run(vp, plan, buf, recv_buf) : -ENOMEM;
    logp_plan_tree(plan, &parent, &n);
    tour->when[rank] = logp_now(vp) - (parent >= 0 ? c->model.params.o_send_ns : 0);
    free(buf);
    free(recv_buf);
    logp_plan_destroy(plan);
    return rc;
}

void paper_tour(struct paper *p, const struct paper_case *x, double *when)
{
    struct logp_config config = {.size = sizeof(config),
                                 .n_processors = (int)x->P,
                                 .clock = LOGP_CLOCK_VIRTUAL,
                                 .executor = paper_options(p, x, LOGP_CLOCK_VIRTUAL).executor};
    const logp_program program = x->c.args.op != NULL ? sum_node : broadcast_node;
    static struct tour tour; /* a processor may come back late */
    struct logp_machine *m = NULL;
    int rc = logp_delay_create("logp", &x->c.model.params, &config.delay);

    tour.x = x;
    if (rc == 0)
        rc = logp_machine_create(&config, &m);
    if (rc == 0)
        rc = logp_machine_run(m, program, &tour, p->o->timeout_ns);
    if (rc != 0) {
        fprintf(stderr, "logp: paper %s, node by node: %s\n", p->name, strerror(-rc));
        p->stopped = p->wrong = true;
    }
    end_machine(m);
    for (int rank = 0; rank < x->P; rank++)
        when[rank] = (double)tour.when[rank] / (double)x->unit_ns;
}

/* ---- when a processor is done ---- */

static void ends_of(struct paper *p, const struct paper_case *x, struct logp_trace *trace,
                    double *ends)
{
    if (trace == NULL) {
        fprintf(stderr, "logp: paper %s, %s: nothing was recorded\n", p->name, x->algorithm);
        p->stopped = p->wrong = true;
    }
    for (int rank = 0; rank < x->P; rank++) {
        size_t n = 0;
        const struct logp_event *events = trace != NULL ? logp_trace_events(trace, rank, &n) : NULL;

        ends[rank] = n > 0 ? (double)events[n - 1].end_ns / (double)x->unit_ns : NAN;
    }
    logp_trace_free(trace);
}

void paper_ends(struct paper *p, const struct paper_case *x, double *predicted, double *emulated)
{
    const struct options o = paper_options(p, x, LOGP_CLOCK_VIRTUAL);
    struct row row = {.algorithm = paper_algorithm(x)};
    struct logp_trace *run = NULL;
    struct logp_machine *m = create_machine(&o);

    if (trace_run(&o, m, &x->c, &row, 0, &run) != EXIT_OK)
        p->stopped = p->wrong = true;
    end_machine(m);
    ends_of(p, x, trace_prediction(&o, &x->c, row.algorithm, 0), predicted);
    ends_of(p, x, run, emulated);
}
