/* SPDX-License-Identifier: MIT */
/* Memory of which all is used. */
#include "schedule.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

void *lpi_alloc_pages(size_t n, size_t size)
{
    const size_t huge = (size_t)2 << 20, bytes = n * size;
    void *memory;

    if (size > 0 && n > SIZE_MAX / 2 / size)
        return NULL;
    memory = bytes >= huge ? aligned_alloc(huge, (bytes / huge + 1) * huge)
                           : aligned_alloc(64, (bytes / 64 + 1) * 64);
    if (memory != NULL && bytes >= huge)
        madvise(memory, bytes, MADV_HUGEPAGE);
    return memory;
}

void *lpi_zeroed(size_t n, size_t size)
{
    void *memory = lpi_alloc_pages(n, size);

    if (memory != NULL)
        memset(memory, 0, n * size);
    return memory;
}
