/* SPDX-License-Identifier: MIT */
/*
 * Zeroed memory, aligned to cache lines. Large pieces come straight from the kernel, in huge pages
 * if possible: with a million vps, page faults cost more than everything else.
 */
#ifndef LPI_MEMORY_H
#define LPI_MEMORY_H

#include <stddef.h>

/* NULL: no memory. Free with lpi_memory_free() and the same size. */
void *lpi_memory_zeroed(size_t n, size_t size);
void lpi_memory_free(void *memory, size_t n, size_t size);

#endif
