/* SPDX-License-Identifier: MIT */
/*
 * The built-in operations on operands worked by hand. An experiment checks a result with the same
 * operation that made it: that max is not min is for this suite to say.
 */
#include "support.h"

#include <time.h>

enum { CASES = 8, OPS = 4 };

static const char *const op_names[OPS] = {"sum", "prod", "min", "max"};

/* Operands and results, of one type each: a, b; sum, prod, min, max. Sums and products of integers
 * wrap around; 2^24 + 1 is no float, 2^53 + 1 no double. Of 7 and 7 all results differ but min and
 * max; 0 and 1 are where they leave the other operand as it is. */
static const int32_t int32_cases[CASES][2 + OPS] = {
    {3, 4, 7, 12, 3, 4},
    {-5, 2, -3, -10, -5, 2},
    {0, -9, -9, 0, -9, 0},
    {INT32_MAX, 1, INT32_MIN, INT32_MAX, 1, INT32_MAX},
    {INT32_MIN, -1, INT32_MAX, INT32_MIN, INT32_MIN, -1},
    {7, 7, 14, 49, 7, 7},
    {65536, 65537, 131073, 65536, 65536, 65537},
    {-1, -6, -7, 6, -6, -1},
};
static const int64_t int64_cases[CASES][2 + OPS] = {
    {3, 4, 7, 12, 3, 4},
    {-5, 2, -3, -10, -5, 2},
    {0, -9, -9, 0, -9, 0},
    {INT64_MAX, 1, INT64_MIN, INT64_MAX, 1, INT64_MAX},
    {INT64_MIN, -1, INT64_MAX, INT64_MIN, INT64_MIN, -1},
    {3000000000, -3, 2999999997, -9000000000, -3, 3000000000},
    {4294967296, 4294967297, 8589934593, 4294967296, 4294967296, 4294967297},
    {-4294967298, -4294967297, -8589934595, 12884901890, -4294967298, -4294967297},
};
static const float float_cases[CASES][2 + OPS] = {
    {1.5F, 2.25F, 3.75F, 3.375F, 1.5F, 2.25F},
    {-2.5F, 0.5F, -2, -1.25F, -2.5F, 0.5F},
    {0, -4, -4, 0, -4, 0},
    {16777216, 1, 16777216, 16777216, 1, 16777216},
    {-0.125F, -8, -8.125F, 1, -8, -0.125F},
    {1024, 0.5F, 1024.5F, 512, 0.5F, 1024},
    {-3, -3, -6, 9, -3, -3},
    {-0.5F, -0.25F, -0.75F, 0.125F, -0.5F, -0.25F},
};
static const double double_cases[CASES][2 + OPS] = {
    {1.5, 2.25, 3.75, 3.375, 1.5, 2.25},
    {-2.5, 0.5, -2, -1.25, -2.5, 0.5},
    {0, -4, -4, 0, -4, 0},
    {9007199254740992, 1, 9007199254740992, 9007199254740992, 1, 9007199254740992},
    {16777216, 1, 16777217, 16777216, 1, 16777216},
    {1024, 0.5, 1024.5, 512, 0.5, 1024},
    {-3, -3, -6, 9, -3, -3},
    {-0.5, -0.25, -0.75, 0.125, -0.5, -0.25},
};

static const struct {
    const char *name;
    size_t bytes;
    const void *cases;
} types[] = {
    {"int32", 4, int32_cases},
    {"int64", 8, int64_cases},
    {"float", 4, float_cases},
    {"double", 8, double_cases},
};
enum { TYPES = sizeof(types) / sizeof(types[0]), LONGEST = 1000 };

/* Operand or result `column` of case i. */
static const char *at(int type, size_t i, int column)
{
    return (const char *)types[type].cases +
           (i % CASES * (2 + OPS) + (size_t)column) * types[type].bytes;
}

/* -0 equals 0, and nothing is NaN. */
static bool same(int type, const char *x, const char *y)
{
    if (strcmp(types[type].name, "float") == 0)
        return *(const float *)(const void *)x == *(const float *)(const void *)y;
    if (strcmp(types[type].name, "double") == 0)
        return *(const double *)(const void *)x == *(const double *)(const void *)y;
    return memcmp(x, y, types[type].bytes) == 0;
}

/* n elements that begin `shift` elements behind a cache line; what is around them stays. */
static void combine(int type, int op, size_t n, size_t shift)
{
    static _Alignas(64) char acc[8 * (LONGEST + 16)], in[8 * (LONGEST + 16)];
    const struct logp_op *row = logp_op_find(op_names[op], types[type].name);
    const size_t size = types[type].bytes;
    char *x = acc + shift * size, *y = in + shift * size;

    memset(acc, 0x5a, sizeof(acc));
    memset(in, 0x5a, sizeof(in));
    for (size_t i = 0; i < n; i++) {
        memcpy(x + i * size, at(type, i, 0), size);
        memcpy(y + i * size, at(type, i, 1), size);
    }
    row->combine(x, y, n, row->arg);
    for (size_t i = 0; i < n; i++) {
        cr_assert(same(type, x + i * size, at(type, i, 2 + op)), "%s of %s, element %zu of %zu",
                  op_names[op], types[type].name, i, n);
        cr_assert(memcmp(y + i * size, at(type, i, 1), size) == 0);
    }
    for (char *c = acc; c < x; c++)
        cr_assert_eq(*c, 0x5a);
    for (char *c = x + n * size; c < acc + sizeof(acc); c++)
        cr_assert_eq(*c, 0x5a);
}

Test(op, results_are_those_worked_by_hand)
{
    for (int type = 0; type < TYPES; type++)
        for (int op = 0; op < OPS; op++)
            for (size_t shift = 0; shift < 4; shift++) {
                for (size_t n = 0; n <= 2 * CASES + 1; n++)
                    combine(type, op, n, shift);
                combine(type, op, 61, shift);
                combine(type, op, LONGEST - 1, shift);
                combine(type, op, LONGEST, shift);
            }
}

Test(op, the_table_has_each_operation_of_each_type_once)
{
    const struct logp_op *ops = logp_op_at(0);
    const size_t n = (size_t)TYPES * OPS;
    size_t found = 0;

    for (size_t i = 0; i <= n; i++)
        cr_assert(logp_op_at(i) == (i < n ? &ops[i] : NULL));
    for (int type = 0; type < TYPES; type++)
        for (int op = 0; op < OPS; op++) {
            const struct logp_op *row = logp_op_find(op_names[op], types[type].name);

            cr_assert(row >= ops && row < ops + n);
            cr_expect_str_eq(row->name, op_names[op]);
            cr_expect_str_eq(row->type, types[type].name);
            cr_expect_eq(row->element_bytes, types[type].bytes);
            cr_expect(row->commutative);
            found |= (size_t)1 << (row - ops);
        }
    cr_expect_eq(found, ((size_t)1 << n) - 1);
    cr_expect_null(logp_op_find("sum", "complex"));
    cr_expect_null(logp_op_find("xor", "double"));
    cr_expect_null(logp_op_find("double", "sum"));
}

/* ---- operands ---- */

static double number(int type, const char *x)
{
    switch (type) {
    case 0:
        return *(const int32_t *)(const void *)x;
    case 1:
        return (double)*(const int64_t *)(const void *)x;
    case 2:
        return *(const float *)(const void *)x;
    default:
        return *(const double *)(const void *)x;
    }
}

/* The operands of one operation: whole, within what keeps results exact, of both signs, and enough
 * of them different. */
static void look_at_operands(int type, int op, double most, size_t least_different)
{
    static _Alignas(64) char x[8 * LONGEST + 8], again[8 * LONGEST + 8], other[8 * LONGEST + 8];
    const struct logp_op *row = logp_op_find(op_names[op], types[type].name);
    const size_t size = types[type].bytes;
    size_t different = 0, negative = 0, changed = 0;

    memset(x, 0x5a, sizeof(x));
    row->fill(x, LONGEST, 1, row->arg);
    row->fill(again, LONGEST, 1, row->arg);
    row->fill(other, LONGEST, 2, row->arg);
    cr_expect(memcmp(x, again, LONGEST * size) == 0);
    for (size_t i = LONGEST * size; i < sizeof(x); i++)
        cr_assert_eq(x[i], 0x5a);
    for (size_t i = 0; i < LONGEST; i++) {
        const double v = number(type, x + i * size);
        bool fresh = true;

        cr_assert(v >= -most && v <= most && v == (double)(int64_t)v, "%s of %s: %g", op_names[op],
                  types[type].name, v);
        cr_assert(most > 8 || v != 0, "0 says nothing in a sum or product");
        for (size_t k = 0; k < i && fresh; k++)
            fresh = !same(type, x + k * size, x + i * size);
        different += fresh;
        negative += v < 0;
        changed += !same(type, x + i * size, other + i * size);
    }
    cr_expect_geq(different, least_different);
    cr_expect(negative > LONGEST / 4 && negative < LONGEST * 3 / 4);
    cr_expect_gt(changed, (size_t)LONGEST / 3);
}

Test(op, operands_keep_results_exact)
{
    for (int type = 0; type < TYPES; type++) {
        look_at_operands(type, 0, 8, 16);
        look_at_operands(type, 1, 1, 2);
        look_at_operands(type, 2, 1 << 23, LONGEST - 10);
        look_at_operands(type, 3, 1 << 23, LONGEST - 10);
    }
}

/* ---- what a combination takes ---- */

struct slow {
    size_t n, calls;
};

static void slowly(void *acc, const void *in, size_t n, void *arg)
{
    const int64_t least_ns = 300000;
    struct slow *s = arg;
    struct timespec start, now;

    cr_assert_eq(n, s->n);
    s->calls++;
    clock_gettime(CLOCK_MONOTONIC, &start);
    do
        clock_gettime(CLOCK_MONOTONIC, &now);
    while ((now.tv_sec - start.tv_sec) * 1000000000 + now.tv_nsec - start.tv_nsec < least_ns);
}

/* It waits at least so long: a busy host only makes it more. */
Test(op, what_a_combination_takes_is_for_each_element)
{
    struct slow s = {.n = 3};
    const struct logp_op op = {"slow", "byte", 1, true, slowly, NULL, &s};

    cr_expect_geq(logp_op_measure(&op, 3), 100000000);
    cr_expect_eq(s.calls, 9); /* each sweep was long enough at once */
    s.n = 30000; /* as many more share it, unless a call takes ten thousand times as long */
    cr_expect_leq(logp_op_measure(&op, s.n), 100000000);
}
