/* SPDX-License-Identifier: MIT */
/* A label is a kind, 2 bits, and of operands the rank, 24 bits, and the offset, 38; of combinations
 * their number and the byte of the element, 16 bits. So the bytes of an element count upwards. */
#include "schedule/schedule.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const lpi_step_label combined = UINT64_C(3) << 62;

lpi_step_label lpi_label_of(int64_t rank, size_t offset, bool made)
{
    return UINT64_C(1) << (made ? 63 : 62) | (uint64_t)rank << 38 | offset;
}

int64_t lpi_label_rank(lpi_step_label operand)
{
    return (int64_t)(operand >> 38 & ((1 << 24) - 1));
}

bool lpi_label_whole(const lpi_step_label *bytes, size_t element_bytes)
{
    for (size_t i = 0; i < element_bytes; i++)
        if (bytes[0] == 0 || bytes[i] != bytes[0] + i)
            return false;
    return true;
}

/* Make space for one more combination of n parts. 0; -ENOMEM */
static int grow(struct lpi_combinations *all, size_t n)
{
    if (all->n_parts + n > all->capacity) {
        const size_t capacity = 2 * (all->n_parts + n);
        lpi_step_label *parts = realloc(all->parts, capacity * sizeof(*parts));

        if (parts == NULL)
            return -ENOMEM;
        all->parts = parts;
        all->capacity = capacity;
    }
    if (all->n + 2 > all->n_capacity) {
        const size_t capacity = 2 * (all->n + 2);
        size_t *begin = realloc(all->begin, capacity * sizeof(*begin));

        if (begin == NULL)
            return -ENOMEM;
        all->begin = begin;
        all->n_capacity = capacity;
        begin[all->n] = all->n_parts;
    }
    return 0;
}

size_t lpi_label_parts(const struct lpi_combinations *all, const lpi_step_label *element,
                       const lpi_step_label **parts)
{
    const size_t index = (size_t)((*element & ~combined) >> 16);

    if ((*element & combined) != combined) {
        *parts = element;
        return 1;
    }
    *parts = all->parts + all->begin[index];
    return all->begin[index + 1] - all->begin[index];
}

int lpi_label_combine(struct lpi_combinations *all, const lpi_step_label *left,
                      const lpi_step_label *right, size_t n, size_t element_bytes,
                      lpi_step_label *bytes)
{
    const lpi_step_label *parts, *element = left;
    size_t total = lpi_label_parts(all, left, &parts), k;
    lpi_step_label first;

    for (size_t i = 0; i < n; i++)
        total += lpi_label_parts(all, right + i * element_bytes, &parts);
    if (grow(all, total) != 0)
        return -ENOMEM;
    for (size_t i = 0; i <= n; i++, element = right + (i - 1) * element_bytes) {
        k = lpi_label_parts(all, element, &parts);
        memcpy(all->parts + all->n_parts, parts, k * sizeof(*parts));
        all->n_parts += k;
    }
    first = combined | (lpi_step_label)all->n << 16;
    all->begin[++all->n] = all->n_parts;
    for (size_t i = 0; i < element_bytes; i++)
        bytes[i] = first + i;
    return 0;
}

void lpi_label_fini(struct lpi_combinations *all)
{
    free(all->parts);
    free(all->begin);
}
