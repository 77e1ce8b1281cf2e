/* SPDX-License-Identifier: MIT */
/*
 * The arrays of a graph. Ranks go through their operations at places far apart, so that with pages
 * of 4 KiB most accesses would also read the page table: large arrays have pages of 2 MiB where the
 * kernel has them. An array grows by moving its pages, without a copy, to an address that keeps
 * them whole.
 */
#define _GNU_SOURCE /* mremap */
#include "graph/graph.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { PAGE = 1 << 21, LARGE = 2 * PAGE };

static size_t whole_pages(size_t bytes)
{
    return (bytes + PAGE - 1) / PAGE * PAGE;
}

/* Address space that begins at a large page, without memory. NULL: there is none */
static void *reserve(size_t bytes)
{
    char *all = mmap(NULL, bytes + PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    size_t before;

    if (all == MAP_FAILED)
        return NULL;
    before = (PAGE - (uintptr_t)all % PAGE) % PAGE;
    if (before > 0)
        munmap(all, before);
    munmap(all + before + bytes, PAGE - before);
    return all + before;
}

static void *new_pages(size_t bytes)
{
    void *pages = reserve(bytes);

    if (pages == NULL)
        return NULL;
    if (mprotect(pages, bytes, PROT_READ | PROT_WRITE) != 0) {
        munmap(pages, bytes);
        return NULL;
    }
    madvise(pages, bytes, MADV_HUGEPAGE); /* only a hint, so errors are ignored */
    return pages;
}

static void *move_pages(void *old, size_t had, size_t bytes)
{
    void *pages = reserve(bytes);

    if (pages == NULL)
        return NULL;
    if (mremap(old, had, bytes, MREMAP_MAYMOVE | MREMAP_FIXED, pages) == MAP_FAILED) {
        munmap(pages, bytes);
        return NULL;
    }
    return pages;
}

/* Memory for `bytes` in place of that for `had`, and the new part zero where it is large. NULL: none,
 * and the old one stays */
static void *resize(void *old, size_t had, size_t bytes)
{
    void *pages;

    if (bytes < LARGE)
        return realloc(old, bytes);
    if (had >= LARGE)
        return move_pages(old, whole_pages(had), whole_pages(bytes));
    pages = new_pages(whole_pages(bytes));
    if (pages != NULL && had > 0)
        memcpy(pages, old, had);
    if (pages != NULL)
        free(old);
    return pages;
}

bool lpi_pages_grow(void *array, size_t n, size_t *capacity, size_t size)
{
    const size_t more = *capacity > 0 ? 2 * *capacity : 64;
    void *memory;

    if (n < *capacity)
        return true;
    memcpy(&memory, array, sizeof(memory));
    memory = resize(memory, *capacity * size, more * size);
    if (memory == NULL)
        return false;
    memcpy(array, &memory, sizeof(memory));
    *capacity = more;
    return true;
}

void *lpi_pages_zeroed(size_t n, size_t size)
{
    return n * size < LARGE ? calloc(n, size) : new_pages(whole_pages(n * size));
}

void lpi_pages_free(void *array, size_t n, size_t size)
{
    if (n * size < LARGE)
        free(array);
    else if (array != NULL)
        munmap(array, whole_pages(n * size));
}
