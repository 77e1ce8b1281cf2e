/* SPDX-License-Identifier: MIT */
/*
 * label.c: what a byte of a buffer stands for, where a schedule is checked without data: nothing,
 * a byte of a rank's operands, a byte that a rank has made, or one of a combination of elements.
 */
#ifndef LPI_SCHEDULE_LABEL_H
#define LPI_SCHEDULE_LABEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef uint64_t lpi_step_label; /* 0: nothing */

/* The elements that each combination is made of, in order. */
struct lpi_combinations {
    lpi_step_label *parts; /* of all, one after the other: first bytes of elements */
    size_t n_parts, capacity;
    size_t *begin; /* of each, and the end */
    size_t n, n_capacity;
};

/* Byte `offset` of a rank's operands, or of what it has made. */
lpi_step_label lpi_label_of(int64_t rank, size_t offset, bool made);
/* Are these bytes those of one element, in order? */
bool lpi_label_whole(const lpi_step_label *bytes, size_t element_bytes);
/* The elements left and then n others, `element_bytes` apart, become one, in bytes. 0; -ENOMEM */
int lpi_label_combine(struct lpi_combinations *all, const lpi_step_label *left,
                      const lpi_step_label *right, size_t n, size_t element_bytes,
                      lpi_step_label *bytes);
/* What an element is made of. @return how many parts */
size_t lpi_label_parts(const struct lpi_combinations *all, const lpi_step_label *element,
                       const lpi_step_label **parts);
void lpi_label_fini(struct lpi_combinations *all);

#endif
