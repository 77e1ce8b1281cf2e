/* SPDX-License-Identifier: MIT */
/* The operands of experiments, and the host's clock. */
#ifndef LPI_OPERAND_H
#define LPI_OPERAND_H

#include <logp/collective.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

/* The host's clock, from any fixed time on. */
static inline int64_t lpi_host_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* n items of size bytes; more than can be addressed: SIZE_MAX. */
static inline size_t lpi_bytes(size_t n, size_t size)
{
    size_t bytes;

    return __builtin_mul_overflow(n, size, &bytes) ? SIZE_MAX : bytes;
}

/* op.c: words and bytes that differ with their seed; bytes [at, at + n_bytes) of them. */
uint64_t lpi_pattern_word(uint64_t seed, size_t i);
void lpi_pattern_fill(void *buf, size_t at, size_t n_bytes, uint64_t seed);

/* How many operands are made at a time: a block, with a seed of its own. */
size_t lpi_operand_block(const struct logp_op *op);
/* Operands [first, first + n) of the `total` ones of a rank in an experiment; op NULL: bytes. They
 * depend on nothing else. 0; -ENOMEM, only where the range begins or ends inside a block */
int lpi_operands(const struct logp_op *op, uint64_t seed, int64_t rank, size_t total, size_t first,
                 size_t n, void *out);

/* difference.c: are n_bytes the same? If not, the first element that differs is kept, for this
 * thread; op: of which type elements are; NULL: bytes. */
bool lpi_same(const void *result, const void *expected, size_t n_bytes, const struct logp_op *op);
/* Which element of a rank's result it was, what it is and what was expected; "": none is known. */
void lpi_say_difference(const void *buf, size_t n_bytes, const void *result, size_t result_bytes,
                        char *out, size_t capacity);

#endif
