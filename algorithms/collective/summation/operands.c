/* SPDX-License-Identifier: MIT */
/*
 * The operands of a summation: who has how many, how an experiment makes them, and whether the
 * root has their sum. What a processor does is in summation.c.
 */
#include "predict/bound.h"
#include "summation.h"

#include <logp/schedule.h>
#include <logp/summation.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK_BYTES = 4096 };

int64_t lpi_operands_of(const struct lpi_spread *s, int64_t id)
{
    struct logp_summation_node node;

    if (id >= s->processors)
        return 0;
    if (!s->along_tree)
        return s->N / s->processors + (id < s->N % s->processors);
    node = logp_summation_node(&s->tree, id);
    return node.own + node.shared;
}

static void sizes(int P, int rank, const struct logp_invocation *c, size_t *buf, size_t *recv_buf)
{
    (void)P;
    *buf = lpi_bytes((size_t)c->plan.own, c->args.op->element_bytes);
    *recv_buf = rank == c->args.root ? c->args.op->element_bytes : 0;
}

/* Operands come in blocks, each with a seed of its own: the root can make them again one by one. */
static int64_t block_of(const struct logp_invocation *c, int64_t left)
{
    const int64_t most = BLOCK_BYTES / (int64_t)c->args.op->element_bytes + 1;

    return left < most ? left : most;
}

static uint64_t block_seed(uint64_t seed, int64_t id, int64_t first)
{
    return lpi_pattern_word(lpi_pattern_word(seed, (size_t)id), (size_t)first);
}

static void fill(int P, int rank, uint64_t seed, const struct logp_invocation *c, void *buf,
                 void *recv_buf)
{
    const size_t size = c->args.op->element_bytes;
    const int64_t id = lpi_virtual_rank(rank, c->args.root, P), own = c->plan.own;

    for (int64_t i = 0, n; i < own; i += n) {
        n = block_of(c, own - i);
        lpi_op_fill(c->args.op, (char *)buf + (size_t)i * size, (size_t)n, block_seed(seed, id, i));
    }
    if (rank == c->args.root)
        memset(recv_buf, 0xa5, size);
}

/* All operands of all processors, made again and combined one after the other; P does not say who
 * has how many, the plan does. */
static int check(int P, int rank, uint64_t seed, const struct logp_invocation *c, const void *buf,
                 const void *recv_buf)
{
    const struct logp_op *op = c->args.op;
    const struct lpi_spread *spread = c->plan.state;
    const size_t size = op->element_bytes;
    char *acc, *block;
    int64_t seen = 0;
    int right = -ENOMEM;

    (void)P, (void)buf;
    if (rank != c->args.root)
        return true;
    acc = malloc(size);
    block = malloc((size_t)block_of(c, INT64_MAX) * size);
    if (acc != NULL && block != NULL) {
        for (int64_t id = 0; id < spread->processors; id++) {
            const int64_t own = lpi_operands_of(spread, id);

            for (int64_t i = 0, n; i < own; i += n) {
                n = block_of(c, own - i);
                lpi_op_fill(op, block, (size_t)n, block_seed(seed, id, i));
                for (int64_t k = 0; k < n; k++, seen++)
                    if (seen == 0)
                        memcpy(acc, block, size);
                    else
                        op->combine(acc, block + (size_t)k * size, 1, op->arg);
            }
        }
        right = seen == c->args.count && lpi_same(recv_buf, acc, size, op);
    }
    free(acc);
    free(block);
    return right;
}

static bool postcondition(int64_t P, int64_t rank, const struct logp_invocation *c, int64_t j,
                          struct logp_postcondition *out)
{
    out->at.buffer = LOGP_RECV_BUF;
    out->n_bytes = c->args.op->element_bytes;
    out->ranks = P;
    out->combined = out->whole = true;
    return rank == c->args.root && j == 0;
}

static int64_t bound(int64_t P, const struct logp_invocation *c)
{
    return lpi_bound_summation(&c->model.params, P, c->args.count);
}

const struct logp_collective lpi_summation = {
    .name = "summation",
    .summary = "operands spread by the algorithm, combined on the root",
    .rooted = true,
    .operands = LOGP_OPERANDS_TOTAL,
    .sizes = sizes,
    .fill = fill,
    .check = check,
    .postcondition = postcondition,
    .bound = bound,
    .rows = (const struct lpi_rows *const[]){&lpi_summation_trees, NULL},
};
