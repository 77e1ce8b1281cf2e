/* SPDX-License-Identifier: MIT */
/*
 * The table of collectives and algorithms. To add an algorithm: write its plan or run and its
 * prediction in its collective's file, and a row here; tests, bench, `logp list` and the README's
 * table of commands take it from this table.
 */
#include "algorithms.h"

static const char shou_chen[] = "Shou & Chen 1996";
static const char grama[] = "Grama et al., ch. 4.1";

/* A broadcast along a tree: its plan and its prediction. */
#define BROADCAST(algorithm, line, paper)                                                          \
    {                                                                                              \
        .collective = "broadcast", .name = #algorithm, .summary = line, .source = paper,           \
        .plan = lpi_broadcast_##algorithm##_plan, .run = lpi_broadcast_run,                        \
        .predict = lpi_broadcast_##algorithm##_predict                                             \
    }

static const struct logp_algorithm algorithms[] = {
    BROADCAST(flat, "the root sends to everyone", shou_chen),
    BROADCAST(chain, "everyone passes the item to the next", shou_chen),
    BROADCAST(binary, "a binary tree in heap order", shou_chen),
    BROADCAST(binomial, "recursive doubling, the farthest first", grama),
    BROADCAST(optimal, "the best tree for these L, o, g", shou_chen),
};

static const struct logp_collective collectives[] = {
    {"broadcast", "one item from the root to all", lpi_broadcast_fill, lpi_broadcast_check},
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
