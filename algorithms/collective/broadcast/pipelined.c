/* SPDX-License-Identifier: MIT */
/*
 * Broadcasts in blocks (pipeline.c) along the trees in which the item also travels whole. Where all
 * blocks are of one size, the last reaches a processor (blocks - 1) periods after the first, of the
 * longest period on its path: the one of the root, or of the processor below it, since none further
 * down has more children.
 */
#include "broadcast.h"
#include "predict/predict.h"

static struct logp_prediction predict(int64_t P, const struct logp_invocation *c, int64_t block,
                                      lpi_pipeline_end *end, bool exact)
{
    const struct lpi_pipeline p = lpi_pipeline_of(P, c, block);
    const __int128 T = lpi_pipeline_time(&p, end);

    return exact || P == 1 ? lpi_exact(T) : lpi_bound(T);
}

/* rc: of making the tree */
static int plan(int rc, int64_t block, struct logp_invocation *c)
{
    c->plan.block = block;
    return rc;
}

/* ---- chain ---- */

/* Exact for all blocks. */
static __int128 chain_end(const struct lpi_pipeline *p)
{
    const struct lpi_path root = lpi_pipeline_root(p, 1);

    return lpi_pipeline_pass(p, lpi_pipeline_pass(p, root, 0, p->P - 2, 1), 0, 1, 0).end;
}

static int64_t chain_block(int64_t P, const struct logp_invocation *c)
{
    return lpi_pipeline_block(P, c, chain_end);
}

static int chain_plan(int P, int rank, struct logp_invocation *c)
{
    return plan(lpi_plan_chain(P, rank, c), chain_block(P, c), c);
}

static struct logp_prediction chain_predict(int64_t P, const struct logp_invocation *c)
{
    return predict(P, c, chain_block(P, c), chain_end, true);
}

/* ---- binary, binomial: exact for blocks of one size, a bound otherwise ---- */

/* A last block as large as the others, and as long to process. */
static __int128 as_if_even(const struct lpi_pipeline *p, __int128 last)
{
    return last + p->one.work - p->end.work;
}

/* Where a child of the root has less than two children, the longest period may be on another path
 * than the longest way. */
static bool binary_exact(const struct lpi_pipeline *p)
{
    return p->even && (p->blocks == 1 || p->P <= 3 || p->P >= 7);
}

/* The longest way: see broadcast.c. */
static __int128 binary_end(const struct lpi_pipeline *p)
{
    const int64_t P = p->P;
    const int depth = 63 - __builtin_clzll((uint64_t)P);
    const int below = P >= 5 ? 2 : P == 4; /* children of the root's first child */
    const __int128 D = p->one.t.D, E = p->one.t.E;
    const __int128 last = depth * D + (lpi_most_ones((uint64_t)P, depth) - 1) * E;
    const __int128 period = lpi_later(lpi_pipeline_root_period(p, P > 2 ? 2 : 1),
                                      lpi_pipeline_period(p, below, p->one.gap));

    return as_if_even(p, lpi_later(last, (depth - 1) * (D + E)) + (p->blocks - 1) * period);
}

static int64_t binary_block(int64_t P, const struct logp_invocation *c)
{
    return lpi_pipeline_block(P, c, binary_end);
}

static int binary_plan(int P, int rank, struct logp_invocation *c)
{
    return plan(lpi_plan_binary(P, rank, c), binary_block(P, c), c);
}

static struct logp_prediction binary_predict(int64_t P, const struct logp_invocation *c)
{
    const int64_t block = binary_block(P, c);
    const struct lpi_pipeline p = lpi_pipeline_of(P, c, block);

    return predict(P, c, block, binary_end, binary_exact(&p));
}

static __int128 period_of(int children, bool root, const void *arg)
{
    const struct lpi_pipeline *p = arg;

    return root ? lpi_pipeline_root_period(p, children)
                : lpi_pipeline_period(p, children, p->one.gap);
}

static __int128 binomial_end(const struct lpi_pipeline *p)
{
    return as_if_even(
        p, lpi_doubling_pipelined(p->P, p->one.t.D, p->one.t.E, p->blocks - 1, period_of, p));
}

static int64_t binomial_block(int64_t P, const struct logp_invocation *c)
{
    return lpi_pipeline_block(P, c, binomial_end);
}

static int binomial_plan(int P, int rank, struct logp_invocation *c)
{
    return plan(lpi_plan_binomial(P, rank, c), binomial_block(P, c), c);
}

static struct logp_prediction binomial_predict(int64_t P, const struct logp_invocation *c)
{
    const int64_t block = binomial_block(P, c);

    return predict(P, c, block, binomial_end, lpi_pipeline_of(P, c, block).even);
}

static const char mpi[] = "Open MPI, MPICH";

static const struct logp_algorithm algorithms[] = {
    {LOGP_ALGORITHM("broadcast", "chain-pipelined", "along the chain in blocks (--block)", mpi),
     .plan = chain_plan, .predict = chain_predict, LPI_PIPELINED(chain_block)},
    {LOGP_ALGORITHM("broadcast", "binary-pipelined", "a binary tree in blocks (--block)", mpi),
     .plan = binary_plan, .predict = binary_predict, .rough = true, LPI_PIPELINED(binary_block)},
    {LOGP_ALGORITHM("broadcast", "binomial-pipelined", "the binomial tree in blocks (--block)",
                    mpi),
     .plan = binomial_plan, .predict = binomial_predict, .rough = true,
     LPI_PIPELINED(binomial_block)},
};

const struct lpi_rows lpi_broadcast_pipelined = LPI_ROWS(algorithms);
