/* SPDX-License-Identifier: MIT */
/*
 * The table of collectives and algorithms. To add an algorithm: write its plan or run and its
 * prediction in its collective's file, and a row here; tests, bench, `logp list` and the README's
 * table of commands take it from this table.
 */
#include "algorithms.h"

static const char shou_chen[] = "Shou & Chen 1996";
static const char grama[] = "Grama et al., ch. 4.1";
static const char liu[] = "Liu, Li & Cui 1996";

/* A broadcast along a tree: its plan and its prediction. */
#define BROADCAST(algorithm, planner, line, paper)                                                 \
    {                                                                                              \
        .collective = "broadcast", .name = #algorithm, .summary = line, .source = paper,           \
        .plan = planner, .run = lpi_broadcast_run, .predict = lpi_broadcast_##algorithm##_predict  \
    }

static const struct logp_algorithm algorithms[] = {
    BROADCAST(flat, lpi_plan_flat, "the root sends to everyone", shou_chen),
    BROADCAST(chain, lpi_plan_chain, "everyone passes the item to the next", shou_chen),
    BROADCAST(binary, lpi_plan_binary, "a binary tree in heap order", shou_chen),
    BROADCAST(binomial, lpi_plan_binomial, "recursive doubling, the farthest first", grama),
    BROADCAST(optimal, lpi_broadcast_optimal_plan, "the best tree for these L, o, g", shou_chen),
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
};

static const struct logp_collective collectives[] = {
    {"broadcast", "one item from the root to all", true, LOGP_OPERANDS_BYTES, lpi_broadcast_sizes,
     lpi_broadcast_fill, lpi_broadcast_check},
    {"barrier", "nobody goes on before all have come", false, LOGP_OPERANDS_NONE, lpi_barrier_sizes,
     lpi_barrier_fill, lpi_barrier_check},
    {"alltoall", "a different item from each to each", false, LOGP_OPERANDS_BYTES,
     lpi_alltoall_sizes, lpi_alltoall_fill, lpi_alltoall_check},
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
