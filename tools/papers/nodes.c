/* SPDX-License-Identifier: MIT */
/* Processor by processor: its place in the tree of an algorithm, and when the virtual clock says
 * that it has what it waits for. */
#include "paper.h"

#include <stdlib.h>
#include <string.h>

void paper_places(const struct paper_case *x, struct paper_place *places)
{
    for (int rank = 0; rank < x->P; rank++) {
        struct paper_place *at = &places[rank];
        struct logp_coll c = x->c;

        if (logp_coll_plan(paper_algorithm(x), (int)x->P, rank, &c) != 0)
            bad_usage("no memory for the tree of %s", x->algorithm);
        *at = (struct paper_place){.parent = c.plan.parent, .n_children = c.plan.n_children};
        for (int k = 0; k < c.plan.n_children; k++)
            at->children[k] = c.plan.children[k];
        logp_coll_unplan(&c);
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
    struct logp_coll c = tour->x->c;
    int rc = logp_coll_plan(paper_algorithm(tour->x), logp_vp_size(vp), rank, &c);

    if (rc != 0)
        return rc;
    if (c.plan.parent >= 0)
        rc = logp_recv(vp, c.plan.parent, 0, NULL, 0, NULL);
    tour->when[rank] = logp_now(vp);
    for (int k = 0; rc == 0 && k < c.plan.n_children; k++)
        rc = logp_send(vp, c.plan.children[k], 0, NULL, 0);
    logp_coll_unplan(&c);
    return rc;
}

/* A reduction or summation: when is the sum of this processor and of all below it complete? */
static int sum_node(struct logp_vp *vp, void *arg)
{
    struct tour *tour = arg;
    const int rank = logp_vp_rank(vp);
    struct logp_coll c = tour->x->c;
    double *operands, *sum;
    int rc = logp_coll_plan(paper_algorithm(tour->x), logp_vp_size(vp), rank, &c);

    if (rc != 0)
        return rc;
    operands = calloc((size_t)(c.count + c.plan.own), sizeof(*operands));
    sum = calloc((size_t)c.count, sizeof(*sum));
    rc = operands != NULL && sum != NULL ? 0 : -1;
    c.buf = operands;
    c.recv_buf = sum;
    if (rc == 0)
        rc = logp_coll_run(vp, paper_algorithm(tour->x), &c);
    tour->when[rank] = logp_now(vp) - (c.plan.parent >= 0 ? c.params.o_send_ns : 0);
    free(operands);
    free(sum);
    logp_coll_unplan(&c);
    return rc;
}

void paper_tour(struct paper *p, const struct paper_case *x, double *when)
{
    struct logp_config config = {.n_processors = (int)x->P,
                                 .clock = LOGP_CLOCK_VIRTUAL,
                                 .executor = paper_options(p, x, LOGP_CLOCK_VIRTUAL).executor};
    const logp_program program = x->c.op != NULL ? sum_node : broadcast_node;
    struct tour tour = {.x = x};
    struct logp_machine *m = NULL;
    int rc = logp_delay_create("logp", &x->c.params, &config.delay);

    if (rc == 0)
        rc = logp_machine_create(&config, &m);
    if (rc == 0)
        rc = logp_machine_run(m, program, &tour, p->o->timeout_ns);
    if (rc != 0) {
        fprintf(stderr, "logp: paper %s, node by node: %s\n", p->name, strerror(-rc));
        p->stopped = p->wrong = true;
    }
    logp_machine_destroy(m);
    for (int rank = 0; rank < x->P; rank++)
        when[rank] = (double)tour.when[rank] / (double)x->unit_ns;
}
