/* SPDX-License-Identifier: MIT */
/*
 * Networks of nodes, for collectives after which all know of all: the best word (census.c) over the
 * ranks of a node, then the best one over the nodes. In the second all ranks take part, each with
 * those that have its place in other nodes, so that nothing is told to the node once more.
 *
 * Needs nodes of the same size whose ranks are all of one kind; a network without nodes is one. Each word is found for the links
 * that it uses; time is folded.
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

/* One word behind the other; each rank has one, and most words are short. */
struct words {
    int64_t per_node;
    int n_inside, n;
    struct lpi_census_op ops[];
};

static struct lpi_census_cost cost_of(const struct logp_invocation *c, bool of_vectors)
{
    return (struct lpi_census_cost){
        .fixed_bytes = of_vectors ? lpi_vector_bytes(c) : 0,
        .combine_ns = of_vectors ? lpi_combine_ns(&c->model.params, c->args.count) : 0,
        .exact = of_vectors};
}

static int64_t per_node_of(int64_t P, const struct logp_invocation *c)
{
    const int64_t n = c->model.links != NULL ? logp_links_per_node(c->model.links) : 0;

    return n > 0 && n < P ? n : P;
}

/* For the link between two ranks. 0; -ENOMEM */
static int find(struct lpi_census *out, int64_t n, const struct logp_invocation *c, int src,
                int dst, bool of_vectors)
{
    const struct lpi_census_cost cost = cost_of(c, of_vectors);
    struct logp_params params = c->model.params;

    if (c->model.links != NULL && n > 1)
        logp_links_of(c->model.links, src, dst, &params, &params);
    return lpi_census_find(out, n, &params, &cost);
}

/* 0; -ENOMEM; -EINVAL: there is none */
static int find_both(struct both *w, int64_t P, const struct logp_invocation *c, bool of_vectors)
{
    const int64_t per_node = per_node_of(P, c);
    int rc = find(&w->inside, per_node, c, 0, 1, of_vectors);

    if (rc == 0)
        rc = find(&w->between, P / per_node, c, 0, (int)per_node, of_vectors);
    return rc != 0 || (w->inside.found && w->between.found) ? rc : -EINVAL;
}

static const char *nodes_needs(int64_t P, const struct logp_invocation *c)
{
    static const char needs[] = "nodes of the same size whose links are alike (--nodes)";
    const struct logp_links *links = c->model.links;

    if (links == NULL)
        return NULL;
    if (P % per_node_of(P, c) != 0 || logp_links_size(links) != P)
        return needs;
    for (int rank = 1; rank < P; rank++)
        if (logp_links_kind(links, rank) != logp_links_kind(links, 0))
            return needs;
    return NULL;
}

static int words_plan(int64_t P, struct logp_invocation *c, bool of_vectors)
{
    struct words *w;
    struct both both;
    int rc = find_both(&both, P, c, of_vectors);

    if (rc != 0)
        return rc;
    w = malloc(sizeof(*w) + (size_t)(both.inside.n + both.between.n) * sizeof(w->ops[0]));
    if (w == NULL)
        return -ENOMEM;
    w->per_node = per_node_of(P, c);
    w->n_inside = both.inside.n;
    w->n = both.inside.n + both.between.n;
    memcpy(w->ops, both.inside.ops, (size_t)both.inside.n * sizeof(w->ops[0]));
    memcpy(w->ops + w->n_inside, both.between.ops, (size_t)both.between.n * sizeof(w->ops[0]));
    c->plan.state = w;
    c->plan.early = true; /* as lpi_census_plan() */
    return 0;
}

/* Operation k of the words of a rank, and its peer; NULL: they have fewer. */
static const struct lpi_census_op *op_at(int64_t P, int64_t rank, const struct words *w, int64_t k,
                                         int64_t *peer)
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

/* ---- barrier ---- */

static int barrier_plan(int P, int rank, struct logp_invocation *c)
{
    (void)rank;
    return words_plan(P, c, false);
}

static bool barrier_steps(int64_t P, int64_t rank, const struct logp_invocation *c, int64_t i,
                          struct logp_step *out)
{
    int64_t peer;
    const struct lpi_census_op *op = op_at(P, rank, c->plan.state, i, &peer);

    if (op == NULL)
        return false;
    return op->sends ? logp_step_send(out, peer, c->args.tag, LOGP_BUF, 0, 0)
                     : logp_step_receive(out, peer, c->args.tag, LOGP_BUF, 0, 0);
}

static const struct logp_algorithm barriers[] = {
    {LOGP_ALGORITHM("barrier", "two-level", "census inside nodes, then between them", source),
     .needs = nodes_needs, .plan = barrier_plan, .steps = barrier_steps},
};

const struct lpi_rows lpi_two_level_barrier = LPI_ROWS(barriers);

/* ---- allreduce ---- */

static const char *allreduce_needs(int64_t P, const struct logp_invocation *c)
{
    const char *needs = lpi_needs_commutative(P, c);
    struct both w;

    needs = needs != NULL ? needs : nodes_needs(P, c);
    if (needs != NULL || find_both(&w, P, c, true) != -EINVAL)
        return needs; /* without memory the plan says so */
    return "windows whose sizes make up the nodes, and a node";
}

static int allreduce_plan(int P, int rank, struct logp_invocation *c)
{
    const int rc = lpi_vector_plan(P, rank, c);

    return rc != 0 ? rc : words_plan(P, c, true);
}

static bool allreduce_steps(int64_t P, int64_t rank, const struct logp_invocation *c, int64_t i,
                            struct logp_step *out)
{
    enum logp_buffer have = LOGP_BUF, in = LOGP_RECV_BUF;
    const struct lpi_census_op *op;
    int64_t peer;

    for (int64_t k = 0; (op = op_at(P, rank, c->plan.state, k, &peer)) != NULL; k++) {
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
