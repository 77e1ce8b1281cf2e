/* SPDX-License-Identifier: MIT */
/*
 * The table of collectives and algorithms. To add an algorithm: write its plan or run and its
 * prediction in its collective's file, and a row here; tests, bench, `logp list` and the README's
 * table of commands take it from this table.
 *
 * Algorithms stand in the order of their collectives. Of those with equal predictions the first is
 * taken.
 */
#include "broadcast.h"
#include "reduce.h"
#include "summation_internal.h"
#include "transpose.h"

static const char shou_chen[] = "Shou & Chen 1996";
static const char grama[] = "Grama et al., ch. 4.1";
static const char kurnosov[] = "Kurnosov 2016";
static const char sun[] = "Sun, Zhang & Song 2002";
static const char liu[] = "Liu, Li & Cui 1996";

/* Collective, name, summary, source; and the functions, see struct logp_algorithm. */
static const struct logp_algorithm algorithms[] = {
    {"broadcast", "flat", "the root sends to everyone", shou_chen, .plan = lpi_plan_flat,
     .steps = lpi_broadcast_steps, .run = lpi_broadcast_run, .predict = lpi_broadcast_flat_predict},
    {"broadcast", "chain", "everyone passes the item to the next", shou_chen,
     .plan = lpi_plan_chain, .steps = lpi_broadcast_steps, .run = lpi_broadcast_run,
     .predict = lpi_broadcast_chain_predict},
    {"broadcast", "binary", "a binary tree in heap order", shou_chen, .plan = lpi_plan_binary,
     .steps = lpi_broadcast_steps, .run = lpi_broadcast_run,
     .predict = lpi_broadcast_binary_predict},
    {"broadcast", "binomial", "recursive doubling, the farthest first", grama,
     .plan = lpi_plan_binomial, .steps = lpi_broadcast_steps, .run = lpi_broadcast_run,
     .predict = lpi_broadcast_binomial_predict},
    {"broadcast", "optimal", "the best tree for these L, o, g", shou_chen,
     .plan = lpi_broadcast_optimal_plan, .steps = lpi_broadcast_steps, .run = lpi_broadcast_run,
     .predict = lpi_broadcast_optimal_predict},
    {"broadcast", "binomial-nearest", "recursive doubling, the nearest first", grama,
     .plan = lpi_plan_nearest, .steps = lpi_broadcast_steps, .run = lpi_broadcast_run,
     .predict = lpi_broadcast_nearest_predict},
    {"broadcast", "mesh", "binomial along the root's row, then columns, ...", grama,
     .needs = lpi_needs_grid, .plan = lpi_plan_mesh, .steps = lpi_broadcast_steps,
     .run = lpi_broadcast_run, .predict = lpi_broadcast_mesh_predict},
    {"broadcast", "torus", "both ways along the row, then the columns", liu,
     .needs = lpi_torus_needs, .plan = lpi_plan_torus, .steps = lpi_broadcast_steps,
     .run = lpi_broadcast_run, .predict = lpi_broadcast_torus_predict},
    {"broadcast", "torus-pipelined", "the same in blocks (--block)", liu, .needs = lpi_torus_needs,
     .block = lpi_broadcast_torus_pipelined_block, .plan = lpi_broadcast_torus_pipelined_plan,
     .steps = lpi_broadcast_torus_pipelined_steps, .run = lpi_broadcast_torus_pipelined_run,
     .predict = lpi_broadcast_torus_pipelined_predict},

    {"reduce", "flat", "everyone sends to the root", kurnosov, .plan = lpi_reduce_flat_plan,
     .steps = lpi_reduce_steps, .run = lpi_reduce_run, .predict = lpi_reduce_flat_predict},
    {"reduce", "chain", "everyone passes its result on to the next", kurnosov,
     .needs = lpi_reduce_needs_order, .plan = lpi_reduce_chain_plan, .steps = lpi_reduce_steps,
     .run = lpi_reduce_run, .predict = lpi_reduce_chain_predict},
    {"reduce", "binary", "a binary tree in heap order", kurnosov,
     .needs = lpi_reduce_needs_commutative, .plan = lpi_reduce_binary_plan,
     .steps = lpi_reduce_steps, .run = lpi_reduce_run, .predict = lpi_reduce_binary_predict},
    {"reduce", "binomial", "recursive doubling backwards, the nearest first", kurnosov,
     .needs = lpi_reduce_needs_order, .plan = lpi_reduce_binomial_plan, .steps = lpi_reduce_steps,
     .run = lpi_reduce_run, .predict = lpi_reduce_binomial_predict},
    {"reduce", "optimal", "the best tree for these L, o, g and gamma", shou_chen,
     .needs = lpi_reduce_optimal_needs, .plan = lpi_reduce_optimal_plan, .steps = lpi_reduce_steps,
     .run = lpi_reduce_run, .predict = lpi_reduce_optimal_predict},
    {"reduce", "kchain", "k chains, the long ones first", kurnosov,
     .needs = lpi_reduce_kchain_needs, .k = lpi_reduce_kchain_k, .plan = lpi_reduce_kchain_plan,
     .steps = lpi_reduce_steps, .run = lpi_reduce_run, .predict = lpi_reduce_kchain_predict},
    {"reduce", "kchain-opt", "the best number of chains, the long ones first", kurnosov,
     .needs = lpi_reduce_needs_order, .k = lpi_reduce_kchain_opt_k,
     .plan = lpi_reduce_kchain_opt_plan, .steps = lpi_reduce_steps, .run = lpi_reduce_run,
     .predict = lpi_reduce_kchain_opt_predict},
    {"reduce", "kchain-short-first", "k chains, the short ones first", kurnosov,
     .needs = lpi_reduce_kchain_needs, .k = lpi_reduce_kchain_k,
     .plan = lpi_reduce_kchain_short_first_plan, .steps = lpi_reduce_steps, .run = lpi_reduce_run,
     .predict = lpi_reduce_kchain_short_first_predict},
    {"reduce", "kchain-adaptive", "chains of 1, 2, ..., k, the rest last", kurnosov,
     .needs = lpi_reduce_needs_order, .k = lpi_reduce_kchain_adaptive_k,
     .plan = lpi_reduce_kchain_adaptive_plan, .steps = lpi_reduce_steps, .run = lpi_reduce_run,
     .predict = lpi_reduce_kchain_adaptive_predict},
    {"reduce", "kchain-adaptive-sorted", "chains of 1, 2, ..., k and the rest, by length", kurnosov,
     .needs = lpi_reduce_needs_commutative, .k = lpi_reduce_kchain_adaptive_k,
     .plan = lpi_reduce_kchain_adaptive_sorted_plan, .steps = lpi_reduce_steps,
     .run = lpi_reduce_run, .predict = lpi_reduce_kchain_adaptive_sorted_predict},
    {"reduce", "binomial-nearest", "recursive doubling backwards, the farthest first", grama,
     .needs = lpi_reduce_needs_commutative, .plan = lpi_reduce_nearest_plan,
     .steps = lpi_reduce_steps, .run = lpi_reduce_run, .predict = lpi_reduce_nearest_predict},
    {"reduce", "mesh", "... all columns, then the root's row", grama,
     .needs = lpi_reduce_mesh_needs, .plan = lpi_reduce_mesh_plan, .steps = lpi_reduce_steps,
     .run = lpi_reduce_run, .predict = lpi_reduce_mesh_predict},

    {"summation", "flat", "everyone sends its sum to the root", shou_chen,
     .needs = lpi_summation_needs, .plan = lpi_summation_flat_plan, .steps = lpi_summation_steps,
     .run = lpi_summation_run, .predict = lpi_summation_flat_predict},
    {"summation", "binomial", "recursive halving, the nearest first", grama,
     .needs = lpi_summation_needs, .plan = lpi_summation_binomial_plan,
     .steps = lpi_summation_steps, .run = lpi_summation_run,
     .predict = lpi_summation_binomial_predict},
    {"summation", "optimal-paper", "the broadcast tree in reverse, filled", shou_chen,
     .needs = lpi_summation_needs, .plan = lpi_summation_optimal_paper_plan,
     .steps = lpi_summation_steps, .run = lpi_summation_run,
     .predict = lpi_summation_optimal_paper_predict},
    {"summation", "optimal", "the best tree, the best number of processors", shou_chen,
     .needs = lpi_summation_needs, .plan = lpi_summation_optimal_plan, .steps = lpi_summation_steps,
     .run = lpi_summation_run, .predict = lpi_summation_optimal_predict},

    {"alltoall", "linear", "send to i + 1, i + 2, ..., then receive",
     "Sun et al. 2002 (ring, eager)", .steps = lpi_alltoall_linear_steps,
     .run = lpi_alltoall_linear_run, .predict = lpi_alltoall_linear_predict},

    {"barrier", "dissemination", "in round d tell i + d, hear from i - d", "Hensgen et al. 1988",
     .steps = lpi_barrier_dissemination_steps, .run = lpi_barrier_dissemination_run,
     .predict = lpi_barrier_dissemination_predict},

    {"transpose", "ring", "in phase k send to i + k, receive from i - k", sun,
     .needs = lpi_transpose_needs, .plan = lpi_transpose_ring_plan,
     .steps = lpi_transpose_ring_steps, .run = lpi_transpose_ring_run,
     .predict = lpi_transpose_ring_predict},
    {"transpose", "ring-eager", "the ring, all sends first", sun, .needs = lpi_transpose_needs,
     .plan = lpi_transpose_eager_plan, .steps = lpi_transpose_ring_steps,
     .run = lpi_transpose_ring_run, .predict = lpi_transpose_eager_predict},
    {"transpose", "ring-window", "the ring, sends a window ahead of receives", sun,
     .needs = lpi_transpose_needs, .window = lpi_transpose_window,
     .plan = lpi_transpose_window_plan, .steps = lpi_transpose_ring_steps,
     .run = lpi_transpose_ring_run, .predict = lpi_transpose_window_predict},
    {"transpose", "butterfly", "in stage k swap half of all with i xor 2^k", sun,
     .needs = lpi_transpose_butterfly_needs, .plan = lpi_transpose_butterfly_plan,
     .run = lpi_transpose_butterfly_run, .predict = lpi_transpose_butterfly_predict},

    {"matvec", "doubling", "broadcast down columns, multiply, reduce rows", grama,
     .needs = lpi_matvec_needs, .plan = lpi_matvec_plan, .steps = lpi_matvec_steps,
     .run = lpi_matvec_run, .predict = lpi_matvec_predict},
};

static const struct logp_collective collectives[] = {
    {"broadcast", "one item from the root to all", true, LOGP_OPERANDS_BYTES, lpi_broadcast_sizes,
     lpi_broadcast_fill, .check = lpi_broadcast_check, .promise = lpi_broadcast_promise,
     .given = lpi_broadcast_given},
    {"reduce", "a vector from each, combined on the root", true, LOGP_OPERANDS_VECTOR,
     lpi_reduce_sizes, lpi_reduce_fill, .check = lpi_reduce_check, .promise = lpi_reduce_promise},
    {"summation", "operands spread by the algorithm, combined on the root", true,
     LOGP_OPERANDS_TOTAL, lpi_summation_sizes, lpi_summation_fill, .check = lpi_summation_check,
     .promise = lpi_summation_promise},
    {"alltoall", "a different item from each to each", false, LOGP_OPERANDS_BYTES,
     lpi_alltoall_sizes, lpi_alltoall_fill, .check = lpi_alltoall_check,
     .promise = lpi_alltoall_promise},
    {"barrier", "nobody goes on before all have come", false, LOGP_OPERANDS_NONE, lpi_barrier_sizes,
     lpi_barrier_fill, .check = lpi_barrier_check, .holds_back = true},
    {"transpose", "a matrix, its columns over all, is transposed", false, LOGP_OPERANDS_MATRIX,
     lpi_transpose_sizes, lpi_transpose_fill, .check = lpi_transpose_check,
     .promise = lpi_transpose_promise},
    {"matvec", "matrix times vector, in blocks on n x n", false, LOGP_OPERANDS_VECTOR,
     lpi_matvec_sizes, lpi_matvec_fill, .check = lpi_matvec_check, .promise = lpi_matvec_promise,
     .given = lpi_matvec_given},
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
