/* SPDX-License-Identifier: MIT */
/* The parts of ranks, and memory of which all is used. */
#include "schedule/schedule.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

void lpi_free_plan(struct logp_rank_plan *plan)
{
    free(plan->children);
    free(plan->state);
    free(plan->scratch);
    *plan = (struct logp_rank_plan){.parent = -1};
}

int logp_schedule_begin(const struct logp_schedule *schedule, int rank, struct logp_invocation *c)
{
    *c = (struct logp_invocation){schedule->args, schedule->model, {.parent = -1}};
    return schedule->plan != NULL ? schedule->plan((int)schedule->P, rank, c) : 0;
}

void logp_schedule_end(struct logp_invocation *c)
{
    lpi_free_plan(&c->plan);
}

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
