/* SPDX-License-Identifier: MIT */
/*
 * The operands of a summation: how many each processor has, and whether the root has their sum. The
 * steps of a processor are in summation.c.
 */
#include "predict/predict.h"
#include "summation.h"

#include <logp/algorithm.h>
#include <logp/paper.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

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

/* Recreate all operands of all processors and combine them one after the other; the plan, not P,
 * has the number of operands of each. */
static int check(int P, int rank, uint64_t seed, const struct logp_invocation *c, const void *buf,
                 const void *recv_buf)
{
    const struct logp_op *op = c->args.op;
    const struct lpi_spread *spread = c->plan.state;
    const size_t size = op->element_bytes, most = lpi_operand_block(op);
    char *acc, *block;
    size_t seen = 0;
    int right = -ENOMEM;

    (void)buf;
    if (rank != c->args.root)
        return true;
    acc = malloc(size);
    block = malloc(most * size);
    if (acc != NULL && block != NULL) {
        for (int64_t id = 0; id < spread->processors; id++) {
            const size_t own = (size_t)lpi_operands_of(spread, id);
            const int from = lpi_rotate((int)id, c->args.root, P);

            for (size_t i = 0, n; i < own; i += n) {
                n = own - i < most ? own - i : most;
                lpi_operands(op, seed, from, own, i, n, block);
                for (size_t k = 0; k < n; k++, seen++)
                    if (seen == 0)
                        memcpy(acc, block, size);
                    else
                        op->combine(acc, block + k * size, 1, op->arg);
            }
        }
        right = seen == (size_t)c->args.count && lpi_same(recv_buf, acc, size, op);
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
    .check = check,
    .postcondition = postcondition,
    .bound = bound,
    .rows = (const struct lpi_rows *const[]){&lpi_summation_trees, NULL},
};
