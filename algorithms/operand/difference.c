/* SPDX-License-Identifier: MIT */
/*
 * The first element in which a result differs from the expected one. A check of a collective only
 * returns whether they differ; the element is kept for the thread that compares, until the next one
 * differs. A vp keeps its core between a check and the look at its difference.
 */
#include "operand.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { SHOWN = 16 }; /* bytes of an element */

static _Thread_local struct {
    const char *at;
    size_t width;     /* of an element */
    const char *type; /* NULL: bytes */
    char expected[SHOWN], received[SHOWN];
} first;

bool lpi_same(const void *result, const void *expected, size_t n_bytes, const struct logp_op *op)
{
    const size_t width = op != NULL ? op->element_bytes : 1;
    const char *at = result, *is = expected, *end = at + n_bytes;

    if (n_bytes == 0 || memcmp(result, expected, n_bytes) == 0)
        return true;
    while (end - at > (ptrdiff_t)width && memcmp(at, is, width) == 0) {
        at += width;
        is += width;
    }
    first.at = at;
    first.width = width;
    first.type = op != NULL ? op->type : NULL;
    memcpy(first.expected, is, width < SHOWN ? width : SHOWN);
    memcpy(first.received, at, width < SHOWN ? width : SHOWN);
    return false;
}

/* The number that an element of a built-in type is; of others, their bytes. */
static void print(const char *element, char *out, size_t capacity)
{
    union {
        int32_t int32;
        int64_t int64;
        float single;
        double twice;
    } x;
    size_t n = 0;

    memcpy(&x, element, sizeof(x));
    if (first.type != NULL && strcmp(first.type, "int32") == 0 && first.width == 4)
        n = (size_t)snprintf(out, capacity, "%" PRId32, x.int32);
    else if (first.type != NULL && strcmp(first.type, "int64") == 0 && first.width == 8)
        n = (size_t)snprintf(out, capacity, "%" PRId64, x.int64);
    else if (first.type != NULL && strcmp(first.type, "float") == 0 && first.width == 4)
        n = (size_t)snprintf(out, capacity, "%.9g", (double)x.single);
    else if (first.type != NULL && strcmp(first.type, "double") == 0 && first.width == 8)
        n = (size_t)snprintf(out, capacity, "%.17g", x.twice);
    for (size_t i = 0; n == 0 && i < first.width && i < SHOWN; i++)
        snprintf(out + 2 * i, capacity - 2 * i, "%02x", (unsigned char)element[i]);
}

void lpi_say_difference(const void *buf, size_t n_bytes, const void *result, size_t result_bytes,
                        char *out, size_t capacity)
{
    const uintptr_t at = (uintptr_t)first.at;
    const bool in_result =
        at >= (uintptr_t)result && at < (uintptr_t)result + result_bytes && first.at != NULL;
    const uintptr_t base = (uintptr_t)(in_result ? result : buf);
    const size_t bytes = in_result ? result_bytes : n_bytes;
    char expected[2 * SHOWN + 1], received[2 * SHOWN + 1];

    out[0] = '\0';
    if (first.at == NULL || at < base || at >= base + bytes)
        return;
    print(first.expected, expected, sizeof(expected));
    print(first.received, received, sizeof(received));
    snprintf(out, capacity, "%s %zu of %zu (from 0) is %s%s, expected %s%s",
             first.type != NULL ? "element" : "byte", (at - base) / first.width,
             bytes / first.width, first.type == NULL ? "0x" : "", received,
             first.type == NULL ? "0x" : "", expected);
}
