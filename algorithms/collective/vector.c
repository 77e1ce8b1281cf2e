/* SPDX-License-Identifier: MIT */
/* Vectors that are combined: see vector.h. */
#include "vector.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

size_t lpi_vector_bytes(const struct logp_invocation *c)
{
    return c->args.count > 0 ? lpi_bytes((size_t)c->args.count, lpi_element_bytes(c)) : 0;
}

int64_t lpi_elements_asked(const struct logp_invocation *c)
{
    const int64_t n = c->args.block_bytes / (int64_t)lpi_element_bytes(c);

    return c->args.block_bytes > 0 && n == 0 ? 1 : n;
}

int64_t lpi_elements_bytes(const struct logp_invocation *c, int64_t elements)
{
    const size_t bytes = lpi_bytes((size_t)elements, lpi_element_bytes(c));

    return bytes < INT64_MAX ? (int64_t)bytes : INT64_MAX;
}

static uint64_t operand_seed(int P, int rank, uint64_t seed)
{
    return seed * (uint64_t)P + (uint64_t)rank;
}

void lpi_vector_fill(int P, int rank, uint64_t seed, const struct logp_invocation *c, void *buf)
{
    lpi_op_fill(c->args.op, buf, (size_t)c->args.count, operand_seed(P, rank, seed));
}

void lpi_vectors_sizes(int P, int rank, const struct logp_invocation *c, size_t *buf,
                       size_t *recv_buf)
{
    (void)P, (void)rank;
    *buf = *recv_buf = lpi_vector_bytes(c);
}

void lpi_vectors_fill(int P, int rank, uint64_t seed, const struct logp_invocation *c, void *buf,
                      void *recv_buf)
{
    lpi_vector_fill(P, rank, seed, c, buf);
    if (c->args.count > 0)
        memset(recv_buf, 0xa5, lpi_vector_bytes(c));
}

int lpi_vector_check(int P, int ranks, uint64_t seed, const struct logp_invocation *c,
                     int64_t first, int64_t n, const void *result)
{
    const size_t bytes = lpi_vector_bytes(c), all = (size_t)c->args.count;
    const size_t element = c->args.op->element_bytes;
    char *expected, *operand;
    int right = -ENOMEM;

    if (bytes == 0 || n == 0)
        return true;
    expected = malloc(bytes);
    operand = malloc(bytes);
    if (expected != NULL && operand != NULL) {
        lpi_op_fill(c->args.op, expected, all, operand_seed(P, 0, seed));
        for (int i = 1; i < ranks; i++) {
            lpi_op_fill(c->args.op, operand, all, operand_seed(P, i, seed));
            c->args.op->combine(expected, operand, all, c->args.op->arg);
        }
        right =
            lpi_same(result, expected + (size_t)first * element, (size_t)n * element, c->args.op);
    }
    free(expected);
    free(operand);
    return right;
}

const char *lpi_needs_commutative(int64_t P, const struct logp_invocation *c)
{
    (void)P;
    return c->args.op == NULL || c->args.op->commutative ? NULL : "a commutative operation";
}

int lpi_vector_valid(const struct logp_invocation *c)
{
    return c->args.op == NULL || c->args.count < 0 ? -EINVAL : 0;
}

bool lpi_vector_in_place(int64_t P, int64_t rank, const struct logp_invocation *c,
                         struct logp_buffer_ref *at)
{
    (void)P, (void)rank, (void)c;
    *at = (struct logp_buffer_ref){LOGP_RECV_BUF, 0};
    return true;
}

int lpi_vector_plan(int P, int rank, struct logp_invocation *c)
{
    (void)P, (void)rank;
    c->plan.scratch_bytes = lpi_vector_bytes(c);
    return lpi_vector_valid(c);
}

struct lpi_fold lpi_fold_of(int64_t P, int64_t rank)
{
    struct lpi_fold f = {.X = 1};

    while (f.X <= P / 2)
        f.X *= 2;
    f.pairs = P - f.X;
    f.j = rank >= 2 * f.pairs ? rank - f.pairs : rank % 2 == 1 ? rank / 2 : -1;
    return f;
}
