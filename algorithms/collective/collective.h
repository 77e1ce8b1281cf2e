/* SPDX-License-Identifier: MIT */
/* What all collectives share: how their algorithms are listed, and what they are made with. */
#ifndef LPI_COLLECTIVE_H
#define LPI_COLLECTIVE_H

#include "operand/operand.h"
#include "predict/predict.h"

#include <logp/algorithm.h>

/* The algorithms of one file. logp_collective.rows is a list of them, which ends with NULL; of
 * those with equal predictions the first is taken. */
struct lpi_rows {
    const struct logp_algorithm *row;
    size_t n;
};

#define LPI_ROWS(rows)                                                                             \
    {                                                                                              \
        rows, sizeof(rows) / sizeof((rows)[0])                                                     \
    }
/* Of a collective that is one file. */
#define LPI_ONLY_ROWS(rows)                                                                        \
    (const struct lpi_rows *const[])                                                               \
    {                                                                                              \
        &(const struct lpi_rows)LPI_ROWS(rows), NULL                                               \
    }

/* Of one file, and those of another. */
#define LPI_ROWS_AND(rows, others)                                                                 \
    (const struct lpi_rows *const[])                                                               \
    {                                                                                              \
        &(const struct lpi_rows)LPI_ROWS(rows), &(others), NULL                                    \
    }

/* collective/shared: the algorithm `shared` of each. */
extern const struct lpi_rows lpi_shared_broadcast, lpi_shared_reduce, lpi_shared_allreduce,
    lpi_shared_reduce_scatter, lpi_shared_scan, lpi_shared_exscan, lpi_shared_scatter,
    lpi_shared_gather, lpi_shared_allgather, lpi_shared_alltoall, lpi_shared_barrier;

/* collective/alltoall/window.c */
extern const struct lpi_rows lpi_alltoall_windows;

/* The table: in the order in which they are listed. */
#define LPI_COLLECTIVES(X)                                                                         \
    X(broadcast)                                                                                   \
    X(reduce)                                                                                      \
    X(summation)                                                                                   \
    X(allreduce)                                                                                   \
    X(reduce_scatter)                                                                              \
    X(scan)                                                                                        \
    X(exscan)                                                                                      \
    X(scatter)                                                                                     \
    X(gather)                                                                                      \
    X(allgather)                                                                                   \
    X(alltoall)                                                                                    \
    X(barrier)                                                                                     \
    X(transpose)                                                                                   \
    X(matvec)

#define LPI_DECLARE(name) extern const struct logp_collective lpi_##name;

LPI_COLLECTIVES(LPI_DECLARE)
LPI_DECLARE(schedule) /* is found by name alone */

#endif
