/* SPDX-License-Identifier: MIT */
/*
 * The table of collectives and algorithms. To add an algorithm: write its plan or run and its
 * prediction in its collective's file, and a row here; tests, bench, `logp list` and the README's
 * table of commands take it from this table.
 */
#include "broadcast.h"
#include "reduce.h"
#include "summation_internal.h"
#include "transpose.h"

static const char shou_chen[] = "Shou & Chen 1996";
static const char grama[] = "Grama et al., ch. 4.1";
static const char sun[] = "Sun, Zhang & Song 2002";
static const char liu[] = "Liu, Li & Cui 1996";

/* A broadcast along a tree: its plan and its prediction. */
#define BROADCAST(algorithm, planner, line, paper)                                                 \
    {                                                                                              \
        .collective = "broadcast", .name = #algorithm, .summary = line, .source = paper,           \
        .plan = planner, .run = lpi_broadcast_run, .predict = lpi_broadcast_##algorithm##_predict  \
    }

static const char kurnosov[] = "Kurnosov 2016";

/* A reduction along a tree: its name, what it needs (or NULL), and its k (or NULL). */
#define REDUCE(algorithm, title, needed, chains, line, paper)                                      \
    {                                                                                              \
        .collective = "reduce", .name = title, .summary = line, .source = paper, .needs = needed,  \
        .k = chains, .plan = lpi_reduce_##algorithm##_plan, .run = lpi_reduce_run,                 \
        .predict = lpi_reduce_##algorithm##_predict                                                \
    }

/* A summation along a tree. */
#define SUMMATION(algorithm, function, line, paper)                                                \
    {                                                                                              \
        .collective = "summation", .name = algorithm, .summary = line, .source = paper,            \
        .needs = lpi_summation_needs, .plan = lpi_summation_##function##_plan,                     \
        .run = lpi_summation_run, .predict = lpi_summation_##function##_predict                    \
    }

static const struct logp_algorithm algorithms[] = {
    BROADCAST(flat, lpi_plan_flat, "the root sends to everyone", shou_chen),
    BROADCAST(chain, lpi_plan_chain, "everyone passes the item to the next", shou_chen),
    BROADCAST(binary, lpi_plan_binary, "a binary tree in heap order", shou_chen),
    BROADCAST(binomial, lpi_plan_binomial, "recursive doubling, the farthest first", grama),
    BROADCAST(optimal, lpi_broadcast_optimal_plan, "the best tree for these L, o, g", shou_chen),
    {.collective = "broadcast",
     .name = "binomial-nearest",
     .summary = "recursive doubling, the nearest first",
     .source = grama,
     .plan = lpi_plan_nearest,
     .run = lpi_broadcast_run,
     .predict = lpi_broadcast_nearest_predict},
    {.collective = "broadcast",
     .name = "mesh",
     .summary = "binomial along the root's row, then columns",
     .source = grama,
     .needs = lpi_needs_square,
     .plan = lpi_plan_mesh,
     .run = lpi_broadcast_run,
     .predict = lpi_broadcast_mesh_predict},
    {.collective = "broadcast",
     .name = "torus",
     .summary = "both ways along the row, then the columns",
     .source = liu,
     .needs = lpi_torus_needs,
     .plan = lpi_plan_torus,
     .run = lpi_broadcast_run,
     .predict = lpi_broadcast_torus_predict},
    {.collective = "broadcast",
     .name = "torus-pipelined",
     .summary = "the same in blocks (--block)",
     .source = liu,
     .needs = lpi_torus_needs,
     .block = lpi_broadcast_torus_pipelined_block,
     .plan = lpi_broadcast_torus_pipelined_plan,
     .run = lpi_broadcast_torus_pipelined_run,
     .predict = lpi_broadcast_torus_pipelined_predict},
    {.collective = "barrier",
     .name = "dissemination",
     .summary = "in round d tell i + d, hear from i - d",
     .source = "Hensgen et al. 1988",
     .run = lpi_barrier_dissemination_run,
     .predict = lpi_barrier_dissemination_predict},
    {.collective = "alltoall",
     .name = "linear",
     .summary = "send to i + 1, i + 2, ..., then receive",
     .source = "Sun et al. 2002 (ring, eager)",
     .run = lpi_alltoall_linear_run,
     .predict = lpi_alltoall_linear_predict},
    {.collective = "transpose",
     .name = "ring",
     .summary = "in phase k send to i + k, receive from i - k",
     .source = sun,
     .needs = lpi_transpose_needs,
     .plan = lpi_transpose_ring_plan,
     .run = lpi_transpose_ring_run,
     .predict = lpi_transpose_ring_predict},
    {.collective = "transpose",
     .name = "ring-eager",
     .summary = "the ring, all sends first",
     .source = sun,
     .needs = lpi_transpose_needs,
     .plan = lpi_transpose_eager_plan,
     .run = lpi_transpose_ring_run,
     .predict = lpi_transpose_eager_predict},
    {.collective = "transpose",
     .name = "ring-window",
     .summary = "the ring, sends a window ahead of receives",
     .source = sun,
     .needs = lpi_transpose_needs,
     .window = lpi_transpose_window,
     .plan = lpi_transpose_window_plan,
     .run = lpi_transpose_ring_run,
     .predict = lpi_transpose_window_predict},
    {.collective = "transpose",
     .name = "butterfly",
     .summary = "in stage k swap half of all with i xor 2^k",
     .source = sun,
     .needs = lpi_transpose_butterfly_needs,
     .plan = lpi_transpose_butterfly_plan,
     .run = lpi_transpose_butterfly_run,
     .predict = lpi_transpose_butterfly_predict},
    REDUCE(flat, "flat", NULL, NULL, "everyone sends to the root", kurnosov),
    REDUCE(chain, "chain", lpi_reduce_needs_order, NULL,
           "everyone passes its result on to the next", kurnosov),
    REDUCE(binary, "binary", lpi_reduce_needs_commutative, NULL, "a binary tree in heap order",
           kurnosov),
    REDUCE(binomial, "binomial", lpi_reduce_needs_order, NULL,
           "recursive doubling backwards, the nearest first", kurnosov),
    REDUCE(optimal, "optimal", lpi_reduce_optimal_needs, NULL,
           "the best tree for these L, o, g and gamma", shou_chen),
    REDUCE(kchain, "kchain", lpi_reduce_kchain_needs, lpi_reduce_kchain_k,
           "k chains, the long ones first", kurnosov),
    REDUCE(kchain_opt, "kchain-opt", lpi_reduce_needs_order, lpi_reduce_kchain_opt_k,
           "the best number of chains, the long ones first", kurnosov),
    REDUCE(kchain_short_first, "kchain-short-first", lpi_reduce_kchain_needs, lpi_reduce_kchain_k,
           "k chains, the short ones first", kurnosov),
    REDUCE(kchain_adaptive, "kchain-adaptive", lpi_reduce_needs_order, lpi_reduce_kchain_adaptive_k,
           "chains of 1, 2, ..., k, the rest last", kurnosov),
    REDUCE(kchain_adaptive_sorted, "kchain-adaptive-sorted", lpi_reduce_needs_commutative,
           lpi_reduce_kchain_adaptive_k, "chains of 1, 2, ..., k and the rest, by length",
           kurnosov),
    SUMMATION("flat", flat, "everyone sends its sum to the root", shou_chen),
    SUMMATION("binomial", binomial, "recursive halving, the nearest first", grama),
    SUMMATION("optimal-paper", optimal_paper, "the broadcast tree in reverse, filled", shou_chen),
    SUMMATION("optimal", optimal, "the best tree, the best number of processors", shou_chen),
    REDUCE(nearest, "binomial-nearest", lpi_reduce_needs_commutative, NULL,
           "recursive doubling backwards, the farthest first", grama),
    REDUCE(mesh, "mesh", lpi_reduce_mesh_needs, NULL, "all columns, then the root's row", grama),
    {.collective = "matvec",
     .name = "doubling",
     .summary = "broadcast down columns, multiply, reduce rows",
     .source = grama,
     .needs = lpi_matvec_needs,
     .plan = lpi_matvec_plan,
     .run = lpi_matvec_run,
     .predict = lpi_matvec_predict},
};

static const struct logp_collective collectives[] = {
    {"broadcast", "one item from the root to all", true, LOGP_OPERANDS_BYTES, lpi_broadcast_sizes,
     lpi_broadcast_fill, lpi_broadcast_check},
    {"barrier", "nobody goes on before all have come", false, LOGP_OPERANDS_NONE, lpi_barrier_sizes,
     lpi_barrier_fill, lpi_barrier_check},
    {"alltoall", "a different item from each to each", false, LOGP_OPERANDS_BYTES,
     lpi_alltoall_sizes, lpi_alltoall_fill, lpi_alltoall_check},
    {"transpose", "a matrix, its columns over all, is transposed", false, LOGP_OPERANDS_MATRIX,
     lpi_transpose_sizes, lpi_transpose_fill, lpi_transpose_check},
    {"reduce", "a vector from each, combined on the root", true, LOGP_OPERANDS_VECTOR,
     lpi_reduce_sizes, lpi_reduce_fill, lpi_reduce_check},
    {"summation", "operands spread by the algorithm, combined on the root", true,
     LOGP_OPERANDS_TOTAL, lpi_summation_sizes, lpi_summation_fill, lpi_summation_check},
    {"matvec", "matrix times vector, in blocks on n x n", false, LOGP_OPERANDS_VECTOR,
     lpi_matvec_sizes, lpi_matvec_fill, lpi_matvec_check},
};

const struct logp_algorithm *logp_algorithms(size_t *n)
{
    *n = sizeof(algorithms) / sizeof(algorithms[0]);
    return algorithms;
}

const struct logp_collective *logp_collectives(size_t *n)
{
    *n = sizeof(collectives) / sizeof(collectives[0]);
    return collectives;
}
