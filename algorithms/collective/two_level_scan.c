/* SPDX-License-Identifier: MIT */
/*
 * Scans on networks of nodes: the best word inside each node, then between the last ranks of the
 * nodes, each of which then sends its node the combination of all nodes before, along the optimal
 * tree. Both words are those of an exclusive scan: a message has the sender's own vector, too, and
 * is made when it is sent. See two_level.c. Time is folded.
 */
#include "collective/collective.h"

#include <logp/paper.h>

#include <stdlib.h>

static const char source[] = "Karp et al. 1993, on each level";

/* Vectors in scratch. */
enum { BELOW, WITH_OWN, BEFORE, BEFORE_TOO, WITH_NODE, VECTORS };

static struct logp_buffer_ref vector(const struct logp_invocation *c, int i)
{
    return (struct logp_buffer_ref){LOGP_SCRATCH, (size_t)i * lpi_vector_bytes(c)};
}

/* Ranks of a node: the last may have fewer. */
static int64_t node_size(int64_t P, int64_t rank, int64_t per_node)
{
    const int64_t rest = P - rank / per_node * per_node;

    return rest < per_node ? rest : per_node;
}

/* The tree of a node, in ranks from its last on backwards. 0; -ENOMEM */
static int plan_tree(int64_t P, int rank, struct logp_invocation *c)
{
    const int64_t per_node = lpi_nodes_size(P, c);
    const int m = (int)node_size(P, rank, per_node), local = rank % (int)per_node;
    const struct logp_params near = lpi_nodes_params(P, c, false);
    struct logp_invocation node = *c;
    struct logp_tree tree;
    int rc = logp_tree_broadcast(&tree, m, &near, lpi_vector_bytes(c));

    node.args.root = 0;
    if (rc == 0)
        rc = lpi_plan_optimal(&tree, m - 1 - local, &node);
    if (rc != 0)
        return rc;
    c->plan.parent = node.plan.parent;
    c->plan.n_children = node.plan.n_children;
    c->plan.children = node.plan.children;
    return 0;
}

static struct lpi_census_cost exscan_cost(const struct logp_invocation *c, int64_t each)
{
    (void)each;
    return lpi_census_cost_of("exscan", c);
}

static int plan(int P, int rank, struct logp_invocation *c)
{
    int rc = lpi_vector_plan(P, rank, c);

    c->plan.scratch_bytes = lpi_bytes(VECTORS, lpi_vector_bytes(c));
    if (rc == 0)
        rc = lpi_words_plan_whole(P, c, exscan_cost);
    if (rc != 0)
        return rc;
    rc = plan_tree(P, rank, c);
    if (rc != 0) {
        free(c->plan.state);
        c->plan.state = NULL;
    }
    return rc;
}

/* ---- an exclusive scan by a word ---- */

/* Over `size` ranks: place 0 is rank `first`, and the others follow `each` ranks apart, the last
 * perhaps less. The word may be one of a longer line. */
struct line {
    const struct lpi_word_op *ops;
    int n;
    int64_t place, size, first, each, last;
    struct logp_buffer_ref own, with_own, below, in; /* below, in: swapped at each receive */
    bool has, is_stale;                              /* below is there; with_own lacks some of it */
};

/* Find step *i of a line. @return false: the line has fewer steps; their number is subtracted from
 * *i, and l->below holds what the ranks below have */
static bool follow(struct line *l, const struct logp_invocation *c, int64_t *i,
                   struct logp_step *out)
{
    const size_t bytes = lpi_vector_bytes(c);

    for (int k = 0; k < l->n; k++) {
        const struct lpi_census_op *op = &l->ops[k].op;
        const int64_t place = op->sends ? l->place + op->reach : l->place - op->reach;
        const int64_t at = l->first + place * l->each, peer = at < l->last ? at : l->last;
        struct logp_buffer_ref come = l->in;

        if (place < 0 || place >= l->size)
            continue;
        if (op->sends) {
            const struct logp_buffer_ref from = l->has ? l->with_own : l->own;

            if (l->is_stale && (*i)-- == 0)
                return lpi_combine_at(out, c, l->with_own, l->below, l->own);
            l->is_stale = false;
            if ((*i)-- == 0)
                return logp_step_send(out, peer, c->args.tag, from.buffer, from.offset, bytes);
            continue;
        }
        if ((*i)-- == 0)
            return logp_step_receive(out, peer, c->args.tag, come.buffer, come.offset, bytes);
        if (l->has && (*i)-- == 0)
            return lpi_combine_at(out, c, come, come, l->below);
        l->in = l->below;
        l->below = come;
        l->has = l->is_stale = true;
    }
    return false;
}

/* Combine below with the own vector. @return as follow(); *at: where both are */
static bool complete(struct line *l, const struct logp_invocation *c, int64_t *i,
                     struct logp_step *out, struct logp_buffer_ref *at)
{
    *at = l->has ? l->with_own : l->own;
    if (l->is_stale && (*i)-- == 0)
        return lpi_combine_at(out, c, l->with_own, l->below, l->own);
    l->is_stale = false;
    return false;
}

/* ---- steps ---- */

/* Operations of the first level, which is inside nodes. */
static int ops_inside(const struct lpi_words *w)
{
    int n = 0;

    while (n < w->n && w->ops[n].level == 0)
        n++;
    return n;
}

static struct line inside_of(int64_t P, int64_t rank, const struct lpi_words *w,
                             const struct logp_invocation *c)
{
    const int64_t local = rank % w->per_node;

    return (struct line){.ops = w->ops,
                         .n = ops_inside(w),
                         .place = local,
                         .size = node_size(P, rank, w->per_node),
                         .first = rank - local,
                         .each = 1,
                         .last = P - 1,
                         .own = {LOGP_BUF, 0},
                         .with_own = vector(c, WITH_OWN),
                         .below = vector(c, BELOW),
                         .in = {LOGP_RECV_BUF, 0}};
}

static struct line between_of(int64_t P, int64_t rank, const struct lpi_words *w,
                              const struct logp_invocation *c, struct logp_buffer_ref own)
{
    return (struct line){.ops = &w->ops[ops_inside(w)],
                         .n = w->n - ops_inside(w),
                         .place = rank / w->per_node,
                         .size = lpi_ceil_div(P, w->per_node),
                         .first = w->per_node - 1,
                         .each = w->per_node,
                         .last = P - 1,
                         .own = own,
                         .with_own = vector(c, WITH_NODE),
                         .below = vector(c, BEFORE),
                         .in = vector(c, BEFORE_TOO)};
}

/* The rank receives the operands of all earlier nodes, combined, and sends them to its children in
 * the tree. */
static bool spread(int64_t P, int64_t rank, const struct lpi_words *w,
                   const struct logp_invocation *c, int64_t *i, struct logp_buffer_ref before,
                   struct logp_step *out)
{
    const int64_t last = rank - rank % w->per_node + node_size(P, rank, w->per_node) - 1;
    const size_t bytes = lpi_vector_bytes(c);

    if (rank != last && (*i)-- == 0)
        return logp_step_receive(out, last - c->plan.parent, c->args.tag, before.buffer,
                                 before.offset, bytes);
    if (*i < c->plan.n_children)
        return logp_step_send(out, last - c->plan.children[*i], c->args.tag, before.buffer,
                              before.offset, bytes);
    *i -= c->plan.n_children;
    return false;
}

static bool copy_result(const struct logp_invocation *c, struct logp_buffer_ref from, int64_t i,
                        struct logp_step *out)
{
    return i == 0 && from.buffer != LOGP_RECV_BUF &&
           logp_step_copy(out, (struct logp_buffer_ref){LOGP_RECV_BUF, 0}, from,
                          lpi_vector_bytes(c));
}

static bool steps(int64_t P, int64_t rank, const struct logp_invocation *c, int64_t i,
                  bool inclusive, struct logp_step *out)
{
    const struct lpi_words *w = c->plan.state;
    const bool is_last = rank % w->per_node == w->per_node - 1 || rank == P - 1,
               is_first = rank < w->per_node;
    struct logp_buffer_ref before = vector(c, BEFORE), own = {LOGP_BUF, 0};
    struct line inside = inside_of(P, rank, w, c), between;

    if (follow(&inside, c, &i, out))
        return true;
    if ((inclusive || is_last) && complete(&inside, c, &i, out, &own))
        return true;
    if (is_last) {
        between = between_of(P, rank, w, c, own);
        if (follow(&between, c, &i, out))
            return true;
        before = between.below;
    }
    if (!is_first && spread(P, rank, w, c, &i, before, out))
        return true;
    if (is_first)
        return (inclusive || inside.has) && copy_result(c, inclusive ? own : inside.below, i, out);
    /* not into the result at once, where the second of the two may be */
    if ((inclusive || inside.has) && i-- == 0)
        return lpi_combine_at(out, c, before, before, inclusive ? own : inside.below);
    return copy_result(c, before, i, out);
}

static bool scan_steps(int64_t P, int64_t rank, const struct logp_invocation *c, int64_t i,
                       struct logp_step *out)
{
    return steps(P, rank, c, i, true, out);
}

static bool exscan_steps(int64_t P, int64_t rank, const struct logp_invocation *c, int64_t i,
                         struct logp_step *out)
{
    return steps(P, rank, c, i, false, out);
}

static const struct logp_algorithm scans[] = {
    {LOGP_ALGORITHM("scan", "two-level", "inside nodes, between their last ranks, to the nodes",
                    source),
     .needs = lpi_any_nodes_needs, .plan = plan, .steps = scan_steps},
};

const struct lpi_rows lpi_two_level_scan = LPI_ROWS(scans);

static const struct logp_algorithm exscans[] = {
    {LOGP_ALGORITHM("exscan", "two-level", "as the scan, but for the own vector", source),
     .needs = lpi_any_nodes_needs, .plan = plan, .steps = exscan_steps},
};

const struct lpi_rows lpi_two_level_exscan = LPI_ROWS(exscans);
