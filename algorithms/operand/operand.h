/* SPDX-License-Identifier: MIT */
/* The operands of experiments, and the host's clock. */
#ifndef LPI_OPERAND_H
#define LPI_OPERAND_H

#include <logp/collective.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* The host's clock, from any fixed time on. */
static inline int64_t lpi_host_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* For qsort() of int64_t. */
static inline int lpi_compare(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

    return (x > y) - (x < y);
}

/* n items of size bytes; more than can be addressed: SIZE_MAX. */
static inline size_t lpi_bytes(size_t n, size_t size)
{
    size_t bytes;

    return __builtin_mul_overflow(n, size, &bytes) ? SIZE_MAX : bytes;
}

/*
 * Make space for one more than n elements, of `size` bytes each: the capacity is doubled, from
 * `first` on.
 * @param array  the address of the pointer to the first element
 * @return false: there is no memory, and nothing has changed
 */
static inline bool lpi_grow(void *array, size_t n, size_t *capacity, size_t size, size_t first)
{
    const size_t more = *capacity > 0 ? 2 * *capacity : first;
    void *memory;

    if (n < *capacity)
        return true;
    memcpy(&memory, array, sizeof(memory));
    memory = realloc(memory, more * size);
    if (memory == NULL)
        return false;
    memcpy(array, &memory, sizeof(memory));
    *capacity = more;
    return true;
}

/* A binary heap of `type`, the first in the order of before(a, b) on top, as two functions:
 * NAME_push(heap, n, e) onto n elements, for which there is space, and NAME_pop(heap, n) of n. */
#define LPI_HEAP(name, type, before)                                                               \
    static inline void name##_push(type *heap, size_t n, type e)                                   \
    {                                                                                              \
        size_t i = n;                                                                              \
                                                                                                   \
        for (; i > 0 && before(&e, &heap[(i - 1) / 2]); i = (i - 1) / 2)                           \
            heap[i] = heap[(i - 1) / 2];                                                           \
        heap[i] = e;                                                                               \
    }                                                                                              \
    static inline type name##_pop(type *heap, size_t n)                                            \
    {                                                                                              \
        const type first = heap[0], last = heap[--n];                                              \
        size_t i = 0;                                                                              \
                                                                                                   \
        for (size_t child = 1; child < n; child = 2 * i + 1) {                                     \
            if (child + 1 < n && before(&heap[child + 1], &heap[child]))                           \
                child++;                                                                           \
            if (!before(&heap[child], &last))                                                      \
                break;                                                                             \
            heap[i] = heap[child];                                                                 \
            i = child;                                                                             \
        }                                                                                          \
        heap[i] = last;                                                                            \
        return first;                                                                              \
    }

/* Whether the order of combining decides the result, and all ranks must get the same. */
static inline bool lpi_must_be_same(const struct logp_args *a)
{
    return a->op != NULL && a->may_differ == 0 && !logp_op_is_exact(a->op);
}

/* The number of operands in a block, which is made with a seed of its own. */
size_t lpi_operand_block(const struct logp_op *op);
/* Operands [first, first + n) of the `total` ones of a rank in an experiment; op NULL: bytes. They
 * depend on nothing else. 0; -ENOMEM, only where the range begins or ends inside a block */
int lpi_operands(const struct logp_op *op, uint64_t seed, int64_t rank, size_t total, size_t first,
                 size_t n, void *out);

/* difference.c: whether n_bytes are the same. If not, the first element that differs is kept, for
 * this thread; op: of which type elements are; NULL: bytes. */
bool lpi_same(const void *result, const void *expected, size_t n_bytes, const struct logp_op *op);
/* Describe the first difference in a rank's result: the element, its value and the expected one;
 * "": none is known. */
void lpi_say_difference(const void *buf, size_t n_bytes, const void *result, size_t result_bytes,
                        char *out, size_t capacity);

#endif
