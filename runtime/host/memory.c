/* SPDX-License-Identifier: MIT */
/* Zeroed memory: see host.h. */
#include "host/host.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* Mapped memory is zero already, and has page faults only where it is used. */
enum { LINE = 128, MAPPED = 64 << 10, HUGE = 1 << 20 };

_Static_assert((LINE & (LINE - 1)) == 0, "an alignment is a power of two");

void *lpi_memory_zeroed(size_t n, size_t size)
{
    const size_t bytes = (n * size + LINE - 1) / LINE * LINE;
    void *memory;

    if (size > 0 && n > SIZE_MAX / 2 / size)
        return NULL;
    if (bytes >= MAPPED) {
        memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (memory == MAP_FAILED)
            return NULL;
        if (bytes >= HUGE)
            madvise(memory, bytes, MADV_HUGEPAGE); /* only a hint, so errors are ignored */
        return memory;
    }
    memory = aligned_alloc(LINE, bytes > 0 ? bytes : LINE);
    if (memory != NULL)
        memset(memory, 0, bytes);
    return memory;
}

void lpi_memory_free(void *memory, size_t n, size_t size)
{
    const size_t bytes = (n * size + LINE - 1) / LINE * LINE;

    if (memory == NULL || bytes < MAPPED)
        free(memory);
    else
        munmap(memory, bytes);
}
