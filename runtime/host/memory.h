/* SPDX-License-Identifier: MIT */
/*
 * Zeroed memory, line-aligned. Large pieces come straight from the kernel, in huge pages where it
 * has them: with a million vps, page faults cost more than everything else.
 */
#ifndef LPI_MEMORY_H
#define LPI_MEMORY_H

#include <stddef.h>

/* NULL: no memory. Free with lpi_memory_free() and the same size. */
void *lpi_memory_zeroed(size_t n, size_t size);
void lpi_memory_free(void *memory, size_t n, size_t size);

#endif
