/* SPDX-License-Identifier: MIT */
/*
 * Rows for networks of nodes that are made of other rows: some collectives inside each node, and some
 * along lanes. Lane j has one rank of each node, and each of k lanes has a k-th of the data. Of a
 * broadcast, the root scatters to the lanes of its node, each lane broadcasts its part, and each node
 * gathers all parts. With one lane its ranks act for their nodes. Source: Traeff, Hunold, Decomposing
 * MPI collectives for exploiting multi-lane communication, CLUSTER 2020.
 *
 * Nodes may differ in size. A node, and a lane, is a uniform network, for which a part takes the row
 * with the least prediction. All ranks find the same rows, because they ask the same questions. A plan
 * makes all steps of its rank (lanes_parts.c); time is folded.
 */
#include "choice/lanes.h"
#include "collective/collective.h"
#include "operand/operand.h"

#include <errno.h>
#include <stdlib.h>

static const char source[] = "Traeff & Hunold 2020";

/* ---- what the rows need ---- */

static int64_t per_node(const struct logp_invocation *c)
{
    return c->model.links != NULL ? logp_links_per_node(c->model.links) : 0;
}

/* Ranks of the smallest node, which is the last. */
static int64_t smallest(int64_t P, int64_t m)
{
    return P % m > 0 ? P % m : m;
}

/* The plans of all ranks have some steps for each rank of a node, and for each node. */
enum { MOST_STEPS = 1 << 18 };

static const char *needs(int64_t P, const struct logp_invocation *c)
{
    const int64_t m = per_node(c);

    if (m < 1 || m >= P || logp_links_size(c->model.links) != P)
        return "nodes (--nodes)";
    if (m + lpi_ceil_div(P, m) > MOST_STEPS / P)
        return "P x (ranks of a node + nodes) up to 2^18";
    if (c->model.rendezvous_from > 0)
        return "sends that do not wait for their receivers";
    if (c->args.k < 0 || c->args.k > smallest(P, m))
        return "a number of lanes (--k) up to the ranks of each node";
    return NULL;
}

/* Rows that have one lane, or a lane for each rank of a node. */
static const char *needs_all_lanes(int64_t P, const struct logp_invocation *c)
{
    const char *lacks = needs(P, c);
    const int64_t m = per_node(c);

    if (lacks != NULL || c->args.k <= 1 || (c->args.k == m && P % m == 0))
        return lacks;
    return "one lane, or nodes of one size and a lane for each rank of a node (--k)";
}

static const char *needs_one_lane(int64_t P, const struct logp_invocation *c)
{
    const char *lacks = needs(P, c);

    return lacks == NULL && c->args.k > 1 ? "one lane (--k 1)" : lacks;
}

static const char *broadcast_needs(int64_t P, const struct logp_invocation *c)
{
    return c->args.work_ns > 0 ? "no work on the item" : needs(P, c);
}

/* The lanes of the root's node begin with the root, so there ranks are not in order. */
static const char *reduce_needs(int64_t P, const struct logp_invocation *c)
{
    const char *lacks = needs(P, c);

    if (lacks == NULL && c->args.op != NULL && !c->args.op->commutative &&
        c->args.root % per_node(c) != 0)
        return "a commutative operation, or the first rank of a node as the root";
    return lacks;
}

/* ---- parts that the rows share ---- */

static struct logp_buffer_ref at(enum logp_buffer buffer)
{
    return (struct logp_buffer_ref){buffer, 0};
}

/* Vectors of all ranks of the node are combined: on each lane its part. */
static void combine_to_lanes(struct lpi_lanes *l, struct logp_buffer_ref to)
{
    if (l->k == 1)
        lpi_lanes_part(l, &lpi_reduce, LPI_INSIDE, lpi_lanes_vector(l, l->whole), at(LOGP_BUF), to);
    else
        lpi_lanes_part(l, &lpi_reduce_scatter, LPI_INSIDE, lpi_lanes_shares(l, false), at(LOGP_BUF),
                       to);
}

/* All ranks of the node get the parts of all lanes, which are in `from`, or with one lane in `to`. */
static void spread(struct lpi_lanes *l, struct logp_buffer_ref from, struct logp_buffer_ref to)
{
    if (l->k == 1)
        lpi_lanes_part(l, &lpi_broadcast, LPI_INSIDE, lpi_lanes_bytes(l, l->whole), to, to);
    else
        lpi_lanes_part(l, &lpi_allgather, LPI_INSIDE, lpi_lanes_shares(l, true), from, to);
}

/* ---- broadcast, reduce, allreduce, barrier ---- */

static void broadcast(struct lpi_lanes *l)
{
    struct logp_buffer_ref part = at(LOGP_BUF);
    struct logp_args lane;

    if (l->k > 1)
        part = lpi_lanes_scratch(l, l->share);
    if (l->k > 1 && l->node == l->root_node)
        lpi_lanes_part(l, &lpi_scatter, LPI_INSIDE, lpi_lanes_shares(l, true), at(LOGP_BUF), part);
    lane = lpi_lanes_bytes(l, l->share);
    lane.root = (int)l->root_node;
    lpi_lanes_part(l, &lpi_broadcast, LPI_LANE, lane, part, part);
    spread(l, part, at(LOGP_BUF));
}

static void reduce(struct lpi_lanes *l)
{
    const struct logp_buffer_ref own = lpi_lanes_scratch(l, l->share);
    const struct logp_buffer_ref result =
        l->k > 1 ? lpi_lanes_scratch(l, l->share) : at(LOGP_RECV_BUF);
    struct logp_args lane = lpi_lanes_vector(l, l->share);

    combine_to_lanes(l, own);
    lane.root = (int)l->root_node;
    lpi_lanes_part(l, &lpi_reduce, LPI_LANE, lane, own, result);
    if (l->k > 1 && l->node == l->root_node)
        lpi_lanes_part(l, &lpi_gather, LPI_INSIDE, lpi_lanes_shares(l, true), result,
                       at(LOGP_RECV_BUF));
}

static void allreduce(struct lpi_lanes *l)
{
    const struct logp_buffer_ref own = lpi_lanes_scratch(l, l->share);
    const struct logp_buffer_ref result =
        l->k > 1 ? lpi_lanes_scratch(l, l->share) : at(LOGP_RECV_BUF);

    combine_to_lanes(l, own);
    lpi_lanes_part(l, &lpi_allreduce, LPI_LANE, lpi_lanes_vector(l, l->share), own, result);
    spread(l, result, at(LOGP_RECV_BUF));
}

static void barrier(struct lpi_lanes *l)
{
    const struct logp_args none = lpi_lanes_bytes(l, 0);

    lpi_lanes_part(l, &lpi_gather, LPI_INSIDE, none, at(LOGP_BUF), at(LOGP_RECV_BUF));
    lpi_lanes_part(l, &lpi_barrier, LPI_LANE, none, at(LOGP_BUF), at(LOGP_RECV_BUF));
    lpi_lanes_part(l, &lpi_broadcast, LPI_INSIDE, none, at(LOGP_BUF), at(LOGP_RECV_BUF));
}

/* ---- allgather, reduce-scatter ---- */

/* Between the order of ranks, in which each node has its ranks, and that in which each place in a
 * node has those of all nodes. */
static void reorder(struct lpi_lanes *l, struct logp_buffer_ref to, struct logp_buffer_ref from,
                    size_t n_bytes, bool to_ranks)
{
    for (int64_t place = 0; place < l->size; place++) {
        struct logp_step copy;
        const size_t near = (size_t)place * n_bytes, far = near * (size_t)l->N;
        struct logp_buffer_ref a = to, b = from;

        a.offset += to_ranks ? near : far;
        b.offset += to_ranks ? far : near;
        logp_step_copy(&copy, a, b, n_bytes);
        copy.n = l->N;
        *(to_ranks ? &copy.at_stride : &copy.right_stride) = n_bytes * (size_t)l->size;
        lpi_lanes_add(l, &copy);
    }
}

static void allgather(struct lpi_lanes *l)
{
    const size_t n = l->c->args.n_bytes;
    struct logp_buffer_ref a, b;

    if (l->k == 1) {
        a = lpi_lanes_scratch(l, l->size * (int64_t)n);
        lpi_lanes_part(l, &lpi_gather, LPI_INSIDE, lpi_lanes_bytes(l, (int64_t)n), at(LOGP_BUF), a);
        lpi_lanes_part(l, &lpi_allgather, LPI_LANE, lpi_lanes_nodes(l, (int64_t)n, true), a,
                       at(LOGP_RECV_BUF));
        lpi_lanes_part(l, &lpi_broadcast, LPI_INSIDE, lpi_lanes_bytes(l, l->P * (int64_t)n),
                       at(LOGP_RECV_BUF), at(LOGP_RECV_BUF));
        return;
    }
    a = lpi_lanes_scratch(l, l->N * (int64_t)n);
    b = lpi_lanes_scratch(l, l->P * (int64_t)n);
    lpi_lanes_part(l, &lpi_allgather, LPI_LANE, lpi_lanes_bytes(l, (int64_t)n), at(LOGP_BUF), a);
    lpi_lanes_part(l, &lpi_allgather, LPI_INSIDE, lpi_lanes_bytes(l, l->N * (int64_t)n), a, b);
    reorder(l, at(LOGP_RECV_BUF), b, n, true);
}

static void reduce_scatter(struct lpi_lanes *l)
{
    const int64_t count = l->c->args.count;
    struct logp_buffer_ref a, b;

    if (l->k == 1) {
        a = lpi_lanes_scratch(l, l->P * count);
        b = lpi_lanes_scratch(l, l->size * count);
        lpi_lanes_part(l, &lpi_reduce, LPI_INSIDE, lpi_lanes_vector(l, l->P * count), at(LOGP_BUF),
                       a);
        lpi_lanes_part(l, &lpi_reduce_scatter, LPI_LANE, lpi_lanes_nodes(l, count, false), a, b);
        lpi_lanes_part(l, &lpi_scatter, LPI_INSIDE, lpi_lanes_bytes(l, count), b,
                       at(LOGP_RECV_BUF));
        return;
    }
    a = lpi_lanes_scratch(l, l->P * count);
    b = lpi_lanes_scratch(l, l->N * count);
    reorder(l, a, at(LOGP_BUF), lpi_vector_bytes(l->c), false);
    lpi_lanes_part(l, &lpi_reduce_scatter, LPI_INSIDE, lpi_lanes_vector(l, l->N * count), a, b);
    lpi_lanes_part(l, &lpi_reduce_scatter, LPI_LANE, lpi_lanes_vector(l, count), b,
                   at(LOGP_RECV_BUF));
}

/* ---- scan, exscan ---- */

/* Combine what the nodes before have, which is in scratch, with what the ranks before in this one have. */
static void add_before(struct lpi_lanes *l, struct logp_buffer_ref before, bool inclusive)
{
    const struct logp_buffer_ref result = at(LOGP_RECV_BUF);
    struct logp_step step;

    if (inclusive || l->local > 0) {
        lpi_combine_at(&step, l->c, before, before, result);
        lpi_lanes_add(l, &step);
    }
    logp_step_copy(&step, result, before, lpi_vector_bytes(l->c));
    lpi_lanes_add(l, &step);
}

/* With one lane this is of the last ranks, whose scans have their nodes'. */
static void prefix(struct lpi_lanes *l, bool inclusive)
{
    const int64_t most =
        lpi_part_begin(l->whole, l->k, 1); /* the share of the last rank comes later */
    const struct logp_buffer_ref own = lpi_lanes_scratch(l, most);
    const struct logp_buffer_ref before = lpi_lanes_scratch(l, most);
    const struct logp_buffer_ref all = l->k > 1 ? lpi_lanes_scratch(l, l->whole) : before;
    struct logp_step step;

    lpi_lanes_part(l, inclusive ? &lpi_scan : &lpi_exscan, LPI_INSIDE,
                   lpi_lanes_vector(l, l->whole), at(LOGP_BUF), at(LOGP_RECV_BUF));
    if (l->k == 1)
        lpi_lanes_from_last(l);
    if (l->k > 1) {
        combine_to_lanes(l, own);
    } else if (l->v == 0) {
        if (inclusive || l->local == 0)
            logp_step_copy(&step, own, at(inclusive ? LOGP_RECV_BUF : LOGP_BUF),
                           lpi_vector_bytes(l->c));
        else
            lpi_combine_at(&step, l->c, own, at(LOGP_RECV_BUF), at(LOGP_BUF));
        lpi_lanes_add(l, &step);
    }
    lpi_lanes_part(l, &lpi_exscan, LPI_LANE, lpi_lanes_vector(l, l->share), own, before);
    if (l->node == 0)
        return;
    spread(l, before, all);
    add_before(l, all, inclusive);
}

static void scan(struct lpi_lanes *l)
{
    prefix(l, true);
}

static void exscan(struct lpi_lanes *l)
{
    prefix(l, false);
}

/* ---- the rows ---- */

/* The functions of a row do not get the row. */
#define LANES(name, is_vector, is_rooted)                                                          \
    static int name##_plan(int P, int rank, struct logp_invocation *c)                             \
    {                                                                                              \
        return lpi_lanes_plan(P, rank, c, name, is_vector, is_rooted);                             \
    }

LANES(broadcast, false, true)
LANES(reduce, true, true)
LANES(allreduce, true, false)
LANES(reduce_scatter, true, false)
LANES(scan, true, false)
LANES(exscan, true, false)
LANES(allgather, false, false)
LANES(barrier, false, false)

static int64_t lanes(int64_t P, const struct logp_invocation *c)
{
    (void)P;
    return c->args.k;
}

#define ROW(name_, collective_, needs_, summary_)                                                  \
    LOGP_ALGORITHM(collective_, "lanes", summary_, source),                                        \
        .needs = (needs_), .plan = name_##_plan, .steps = lpi_planned_steps,                       \
        .knobs = {LOGP_KNOB(k, lanes)}

static const struct logp_algorithm broadcasts[] = {
    {ROW(broadcast, "broadcast", broadcast_needs,
         "scatter to k ranks of the root's node, broadcasts between nodes, allgather inside")},
};

static const struct logp_algorithm reduces[] = {
    {ROW(reduce, "reduce", reduce_needs,
         "reduce-scatter to k ranks of a node, reduces between nodes, gather")},
};

static const struct logp_algorithm allreduces[] = {
    {ROW(allreduce, "allreduce", needs,
         "reduce-scatter to k ranks of a node, allreduces between nodes, allgather"),
     .same_results = true},
};

static const struct logp_algorithm reduce_scatters[] = {
    {ROW(reduce_scatter, "reduce-scatter", needs_all_lanes,
         "to k = 1 or all ranks of a node, between nodes, and from there")},
};

static const struct logp_algorithm scans[] = {
    {ROW(scan, "scan", needs, "inside nodes, exscans of k parts between nodes, allgather")},
};

static const struct logp_algorithm exscans[] = {
    {ROW(exscan, "exscan", needs, "as the scan, but for the own vector")},
};

static const struct logp_algorithm allgathers[] = {
    {ROW(allgather, "allgather", needs_all_lanes,
         "between nodes by k = 1 or all ranks of each, and inside nodes")},
};

static const struct logp_algorithm barriers[] = {
    {ROW(barrier, "barrier", needs_one_lane,
         "gather inside nodes, a barrier between them, release")},
};

const struct lpi_rows lpi_lanes_broadcast = LPI_ROWS(broadcasts),
                      lpi_lanes_reduce = LPI_ROWS(reduces),
                      lpi_lanes_allreduce = LPI_ROWS(allreduces),
                      lpi_lanes_reduce_scatter = LPI_ROWS(reduce_scatters),
                      lpi_lanes_scan = LPI_ROWS(scans), lpi_lanes_exscan = LPI_ROWS(exscans),
                      lpi_lanes_allgather = LPI_ROWS(allgathers),
                      lpi_lanes_barrier = LPI_ROWS(barriers);
