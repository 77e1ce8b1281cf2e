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

static size_t bytes_of(size_t n, size_t size)
{
    return (n * size + LINE - 1) / LINE * LINE;
}

/* The caller gives the same size to munmap(). */
static void *map(size_t bytes)
{
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    return memory != MAP_FAILED ? memory : NULL;
}

static bool is_too_much(size_t n, size_t size)
{
    return size > 0 && n > SIZE_MAX / 2 / size;
}

void *lpi_memory_zeroed(size_t n, size_t size)
{
    const size_t bytes = bytes_of(n, size);
    void *memory;

    if (is_too_much(n, size))
        return NULL;
    if (bytes >= MAPPED) {
        memory = map(bytes);
        if (memory != NULL && bytes >= HUGE)
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
    const size_t bytes = bytes_of(n, size);

    if (memory == NULL || bytes < MAPPED)
        free(memory);
    else
        munmap(memory, bytes);
}

void *lpi_memory_apart(size_t n, size_t size)
{
    void *memory = is_too_much(n, size) ? NULL : map(bytes_of(n, size));

    if (memory != NULL)
        madvise(memory, bytes_of(n, size), MADV_NOHUGEPAGE); /* a hint, too */
    return memory;
}

void lpi_memory_apart_free(void *memory, size_t n, size_t size)
{
    if (memory != NULL)
        munmap(memory, bytes_of(n, size));
}
