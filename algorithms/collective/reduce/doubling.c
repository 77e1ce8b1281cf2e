/* SPDX-License-Identifier: MIT */
/* Reductions by recursive doubling that take partners in another order than the binomial tree: the
 * farthest first, and on a mesh. a and B: steps.c. */
#include "predict/predict.h"
#include "reduce.h"

/* ---- binomial-nearest: recursive doubling backwards, the farthest first ---- */

/* v receives from v + 2^j for all 2^j > v, the farthest first. */
static int plan_nearest(int P, int rank, struct logp_invocation *c)
{
    return lpi_reduce_backwards(lpi_plan_nearest(P, rank, c), rank, c);
}

/* The broadcast's time with a for D, B for E. */
static struct logp_prediction predict_nearest(int64_t P, const struct logp_invocation *c)
{
    const struct lpi_reduce_times t = lpi_reduce_times(c);

    return lpi_reduce_ends_at(P, lpi_nearest_time(P, t.a, t.B), c);
}

/* ---- mesh: all columns, then the root's row ---- */

static const char *needs_mesh(int64_t P, const struct logp_invocation *c)
{
    const char *needs = lpi_needs_grid(P, c);

    return needs != NULL ? needs : lpi_needs_commutative(P, c);
}

static int plan_mesh(int P, int rank, struct logp_invocation *c)
{
    return lpi_reduce_backwards(lpi_plan_mesh(P, rank, c), rank, c);
}

/* The broadcast's time with a for D, B for E. */
static struct logp_prediction predict_mesh(int64_t P, const struct logp_invocation *c)
{
    const struct lpi_reduce_times t = lpi_reduce_times(c);

    return lpi_reduce_ends_at(P, lpi_mesh_time(P, t.a, t.B), c);
}

static const char grama[] = "Grama et al., ch. 4.1";

static const struct logp_algorithm algorithms[] = {
    {LOGP_ALGORITHM("reduce", "binomial-nearest",
                    "recursive doubling backwards, the farthest first", grama),
     .needs = lpi_needs_commutative, .plan = plan_nearest, .predict = predict_nearest, LPI_REDUCE},
    {LOGP_ALGORITHM("reduce", "mesh", "binomial along all columns, then the root's row", grama),
     .needs = needs_mesh, .plan = plan_mesh, .predict = predict_mesh,
     .textbook = lpi_reduce_textbook, LPI_REDUCE},
};

const struct lpi_rows lpi_reduce_doublings = LPI_ROWS(algorithms);
