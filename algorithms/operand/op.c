/* SPDX-License-Identifier: MIT */
/* The built-in operations (logp/collective.h). Each is a loop that the compiler vectorises. */
#include "operand.h"

#include <logp/experiment.h>
#include <logp/collective.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- operands that differ with their seed: splitmix64 (Steele et al., OOPSLA 2014) ---- */

static uint64_t pattern_word(uint64_t seed, size_t i)
{
    uint64_t x = seed * UINT64_C(0x9e3779b97f4a7c15) + i + 1;

    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

static void fill_pattern(void *buf, size_t at, size_t n_bytes, uint64_t seed)
{
    size_t n;

    for (size_t i = 0; i < n_bytes; i += n) {
        const uint64_t x = pattern_word(seed, (at + i) / 8);
        const size_t skip = (at + i) % 8, left = n_bytes - i;

        n = left < 8 - skip ? left : 8 - skip;
        if (n == 8)
            memcpy((char *)buf + i, &x, 8);
        else
            memcpy((char *)buf + i, (const char *)&x + skip, n);
    }
}

#define COMBINE(op, type, wide, expression)                                                        \
    static void op##_##type(void *restrict acc, const void *restrict in, size_t n, void *arg)      \
    {                                                                                              \
        type *restrict x = acc;                                                                    \
        const type *restrict y = in;                                                               \
                                                                                                   \
        (void)arg;                                                                                 \
        for (size_t i = 0; i < n; i++) {                                                           \
            const wide a = (wide)x[i], b = (wide)y[i];                                             \
                                                                                                   \
            x[i] = (type)(expression);                                                             \
        }                                                                                          \
    }

/* wide: the type in which sums and products are formed; unsigned wraps around. */
#define OPERATIONS(type, wide)                                                                     \
    COMBINE(sum, type, wide, a + b)                                                                \
    COMBINE(prod, type, wide, a *b)                                                                \
    COMBINE(min, type, type, b < a ? b : a)                                                        \
    COMBINE(max, type, type, b > a ? b : a)                                                        \
    /* -8 .. 8 without 0: sums of 2^20 of them are exact also as float, and of far more in */      \
    /* practice, since they balance */                                                             \
    static void small_##type(void *buf, size_t n, uint64_t seed, void *arg)                        \
    {                                                                                              \
        type *x = buf;                                                                             \
                                                                                                   \
        (void)arg;                                                                                 \
        for (size_t i = 0; i < n; i++) {                                                           \
            const int s = (int)(pattern_word(seed, i) >> 60) - 8;                                  \
                                                                                                   \
            x[i] = (type)(s + (s >= 0));                                                           \
        }                                                                                          \
    }                                                                                              \
    /* 1 and -1: any product is exact */                                                           \
    static void sign_##type(void *buf, size_t n, uint64_t seed, void *arg)                         \
    {                                                                                              \
        type *x = buf;                                                                             \
                                                                                                   \
        (void)arg;                                                                                 \
        for (size_t i = 0; i < n; i++)                                                             \
            x[i] = (type)(pattern_word(seed, i) >> 63 ? -1 : 1);                                   \
    }                                                                                              \
    /* any number that the type holds exactly */                                                   \
    static void any_##type(void *buf, size_t n, uint64_t seed, void *arg)                          \
    {                                                                                              \
        type *x = buf;                                                                             \
                                                                                                   \
        (void)arg;                                                                                 \
        for (size_t i = 0; i < n; i++)                                                             \
            x[i] = (type)((int)(pattern_word(seed, i) >> 40) - (1 << 23));                         \
    }

typedef int32_t int32;
typedef int64_t int64;

OPERATIONS(int32, uint32_t)
OPERATIONS(int64, uint64_t)
OPERATIONS(float, float)
OPERATIONS(double, double)

#define ROWS(t)                                                                                    \
    {"sum", #t, sizeof(t), true, sum_##t, small_##t, NULL},                                        \
        {"prod", #t, sizeof(t), true, prod_##t, sign_##t, NULL},                                   \
        {"min", #t, sizeof(t), true, min_##t, any_##t, NULL},                                      \
    {                                                                                              \
        "max", #t, sizeof(t), true, max_##t, any_##t, NULL                                         \
    }

static const struct logp_op ops[] = {ROWS(int32), ROWS(int64), ROWS(float), ROWS(double)};

const struct logp_op *logp_op_at(size_t i)
{
    return i < sizeof(ops) / sizeof(ops[0]) ? &ops[i] : NULL;
}

const struct logp_op *logp_op_find(const char *name, const char *type)
{
    for (size_t i = 0; i < sizeof(ops) / sizeof(ops[0]); i++)
        if (strcmp(ops[i].name, name) == 0 && strcmp(ops[i].type, type) == 0)
            return &ops[i];
    return NULL;
}

/* ---- are they exact? ---- */

static struct {
    logp_exact_op *is_exact; /* NULL: none is */
    void *arg;
} decision;

void logp_decide_exact(logp_exact_op *is_exact, void *arg)
{
    decision.is_exact = is_exact;
    decision.arg = arg;
}

bool logp_op_is_exact(const struct logp_op *op)
{
    enum { INTEGERS = 2 * 4 }; /* rows of the table */
    const size_t n = sizeof(ops) / sizeof(ops[0]);

    if (op >= ops && op < ops + n)
        return op < ops + INTEGERS;
    return decision.is_exact != NULL && decision.is_exact(op, decision.arg);
}

static void fill(const struct logp_op *op, void *buf, size_t n, uint64_t seed)
{
    if (op->fill != NULL)
        op->fill(buf, n, seed, op->arg);
    else
        fill_pattern(buf, 0, n * op->element_bytes, seed);
}

size_t lpi_operand_block(const struct logp_op *op)
{
    enum { BLOCK_BYTES = 4096 };

    return BLOCK_BYTES / op->element_bytes + 1;
}

int lpi_operands(const struct logp_op *op, uint64_t seed, int64_t rank, size_t total, size_t first,
                 size_t n, void *out)
{
    const uint64_t own_seed = pattern_word(seed, (size_t)rank);
    size_t block, size;
    char *part = NULL, *to = out;

    if (op == NULL) {
        fill_pattern(out, first, n, own_seed);
        return 0;
    }
    block = lpi_operand_block(op);
    size = op->element_bytes;
    for (size_t i = first, next; i < first + n; to += (next - i) * size, i = next) {
        const size_t begin = i / block * block, left = total - begin;
        const size_t all = left < block ? left : block;
        const uint64_t block_seed = pattern_word(own_seed, begin / block);

        next = begin + all < first + n ? begin + all : first + n;
        if (next - i == all) {
            fill(op, to, all, block_seed);
            continue;
        }
        if (part == NULL)
            part = malloc(block * size);
        if (part == NULL)
            return -ENOMEM;
        fill(op, part, all, block_seed);
        memcpy(to, part + (i - begin) * size, (next - i) * size);
    }
    free(part);
    return 0;
}

int64_t logp_op_measure(const struct logp_op *op, size_t n)
{
    enum { SWEEPS = 9 };
    const int64_t long_enough_ns = 200000;
    const size_t bytes = lpi_bytes(n, op->element_bytes);
    char *acc = malloc(bytes), *in = malloc(bytes);
    int64_t ps[SWEEPS], median;
    size_t times = 1;

    if (acc == NULL || in == NULL) {
        free(acc);
        free(in);
        return -ENOMEM;
    }
    fill(op, acc, n, 1);
    fill(op, in, n, 2);
    for (int i = 0; i < SWEEPS; i++) {
        const int64_t start = lpi_host_ns();
        int64_t took;

        for (size_t k = 0; k < times; k++)
            op->combine(acc, in, n, op->arg);
        took = lpi_host_ns() - start;
        ps[i] = (int64_t)((double)took * 1000 / (double)times / (double)n);
        if (took < long_enough_ns && times < SIZE_MAX / 2) {
            times *= 2;
            i = -1; /* begin again with longer sweeps */
        }
    }
    free(acc);
    free(in);
    median = logp_summary_of(ps, SWEEPS).median_ns;
    return median > 0 ? median : 1;
}
