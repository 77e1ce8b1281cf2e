/* SPDX-License-Identifier: MIT */
/*
 * Networks of nodes, for collectives after which all know of all: the best word (census.c) over the
 * ranks of a node, then the best one over the nodes. In the second all ranks take part, each with
 * those that have its place in other nodes, so that no data is sent within the node once more.
 *
 * Needs nodes of the same size whose ranks are all of one kind; a network without nodes is one.
 * Each word is found for the links that it uses; time is folded.
 */
#include "collective/collective.h"
#include "predict/predict.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const char source[] = "Karp et al. 1993, on each level";

struct both {
    struct lpi_census inside, between;
};

int64_t lpi_nodes_size(int64_t P, const struct logp_invocation *c)
{
    const int64_t n = c->model.links != NULL ? logp_links_per_node(c->model.links) : 0;

    return n > 0 && n < P ? n : P;
}

struct logp_params lpi_nodes_params(int64_t P, const struct logp_invocation *c, bool between)
{
    const int64_t per_node = lpi_nodes_size(P, c);
    struct logp_params params = c->model.params;

    if (c->model.links != NULL && (between ? P / per_node : per_node) > 1)
        logp_links_of(c->model.links, 0, between ? (int)per_node : 1, &params, &params);
    return params;
}

/* 0; -ENOMEM; -EINVAL: there is none */
static int find_both(struct both *w, int64_t P, const struct logp_invocation *c,
                     const struct lpi_census_cost *inside, const struct lpi_census_cost *between)
{
    const struct logp_params near = lpi_nodes_params(P, c, false);
    const struct logp_params far = lpi_nodes_params(P, c, true);
    const int64_t per_node = lpi_nodes_size(P, c);
    int rc = lpi_census_find(&w->inside, per_node, &near, inside);

    if (rc == 0)
        rc = lpi_census_find(&w->between, P / per_node, &far, between);
    return rc != 0 || (w->inside.found && w->between.found) ? rc : -EINVAL;
}

const char *lpi_nodes_needs(int64_t P, const struct logp_invocation *c)
{
    static const char needs[] = "nodes of the same size whose links are alike (--nodes)";
    const struct logp_links *links = c->model.links;

    if (links == NULL)
        return NULL;
    if (P % lpi_nodes_size(P, c) != 0 || logp_links_size(links) != P)
        return needs;
    for (int rank = 1; rank < P; rank++)
        if (logp_links_kind(links, rank) != logp_links_kind(links, 0))
            return needs;
    return NULL;
}

int lpi_words_plan(int64_t P, struct logp_invocation *c, const struct lpi_census_cost *inside,
                   const struct lpi_census_cost *between)
{
    struct lpi_words *w;
    struct both both;
    int rc = find_both(&both, P, c, inside, between);

    if (rc != 0)
        return rc;
    w = malloc(sizeof(*w) + (size_t)(both.inside.n + both.between.n) * sizeof(w->ops[0]));
    if (w == NULL)
        return -ENOMEM;
    w->per_node = lpi_nodes_size(P, c);
    w->n_inside = both.inside.n;
    w->n = both.inside.n + both.between.n;
    memcpy(w->ops, both.inside.ops, (size_t)both.inside.n * sizeof(w->ops[0]));
    memcpy(w->ops + w->n_inside, both.between.ops, (size_t)both.between.n * sizeof(w->ops[0]));
    c->plan.state = w;
    c->plan.early = true; /* as lpi_census_plan() */
    return 0;
}

const struct lpi_census_op *lpi_words_at(int64_t P, int64_t rank, const struct lpi_words *w,
                                         int64_t k, int64_t *peer)
{
    const int64_t local = rank % w->per_node;
    const struct lpi_census_op *op = &w->ops[k];
    int64_t way;

    if (k >= w->n)
        return NULL;
    way = op->sends ? op->reach : -op->reach;
    *peer = k < w->n_inside ? rank - local + lpi_mod(local + way, w->per_node)
                            : lpi_mod(rank + way * w->per_node, P);
    return op;
}

static struct lpi_census_cost vector_cost(const struct logp_invocation *c)
{
    return lpi_census_cost_of("allreduce", c);
}

/* ---- barrier ---- */

static int barrier_plan(int P, int rank, struct logp_invocation *c)
{
    const struct lpi_census_cost cost = lpi_census_cost_of("barrier", c);

    (void)rank;
    return lpi_words_plan(P, c, &cost, &cost);
}

static bool barrier_steps(int64_t P, int64_t rank, const struct logp_invocation *c, int64_t i,
                          struct logp_step *out)
{
    int64_t peer;
    const struct lpi_census_op *op = lpi_words_at(P, rank, c->plan.state, i, &peer);

    if (op == NULL)
        return false;
    return op->sends ? logp_step_send(out, peer, c->args.tag, LOGP_BUF, 0, 0)
                     : logp_step_receive(out, peer, c->args.tag, LOGP_BUF, 0, 0);
}

static const struct logp_algorithm barriers[] = {
    {LOGP_ALGORITHM("barrier", "two-level", "census inside nodes, then between them", source),
     .needs = lpi_nodes_needs, .plan = barrier_plan, .steps = barrier_steps},
};

const struct lpi_rows lpi_two_level_barrier = LPI_ROWS(barriers);

/* ---- allreduce ---- */

static const char *allreduce_needs(int64_t P, const struct logp_invocation *c)
{
    const struct lpi_census_cost cost = vector_cost(c);
    const char *needs = lpi_needs_commutative(P, c);
    struct both w;

    needs = needs != NULL ? needs : lpi_nodes_needs(P, c);
    if (needs != NULL || find_both(&w, P, c, &cost, &cost) != -EINVAL)
        return needs; /* out of memory: the plan returns the error */
    return "windows whose sizes make up the nodes, and a node";
}

static int allreduce_plan(int P, int rank, struct logp_invocation *c)
{
    const struct lpi_census_cost cost = vector_cost(c);
    const int rc = lpi_vector_plan(P, rank, c);

    return rc != 0 ? rc : lpi_words_plan(P, c, &cost, &cost);
}

static bool allreduce_steps(int64_t P, int64_t rank, const struct logp_invocation *c, int64_t i,
                            struct logp_step *out)
{
    enum logp_buffer have = LOGP_BUF, in = LOGP_RECV_BUF;
    const struct lpi_census_op *op;
    int64_t peer;

    for (int64_t k = 0; (op = lpi_words_at(P, rank, c->plan.state, k, &peer)) != NULL; k++) {
        if (op->sends) {
            if (i-- == 0)
                return lpi_send_vector(out, c, peer, have);
            continue;
        }
        if (i == 0)
            return lpi_receive_vector(out, c, peer, in);
        if (i == 1)
            return lpi_combine_vector(out, c, in, in, have);
        i -= 2;
        have = in;
        in = in == LOGP_RECV_BUF ? LOGP_SCRATCH : LOGP_RECV_BUF;
    }
    return i == 0 && have != LOGP_RECV_BUF &&
           logp_step_copy(out, (struct logp_buffer_ref){LOGP_RECV_BUF, 0},
                          (struct logp_buffer_ref){have, 0}, lpi_vector_bytes(c));
}

static const struct logp_algorithm allreduces[] = {
    {LOGP_ALGORITHM("allreduce", "two-level", "census inside nodes, then between them", source),
     .needs = allreduce_needs, .plan = allreduce_plan, .steps = allreduce_steps},
};

const struct lpi_rows lpi_two_level_allreduce = LPI_ROWS(allreduces);
