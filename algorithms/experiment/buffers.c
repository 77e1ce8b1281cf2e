/* SPDX-License-Identifier: MIT */
/*
 * The operands and results of all ranks of an experiment in this process, in one piece of memory:
 * at equal distances where the collective gives their sizes, else one after the other. All of it is
 * written before the run, so a size that the host does not have is refused: the host might promise
 * the memory, and end the process when it is used.
 */
#include "experiment.h"
#include "choice/choice.h"
#include "operand/operand.h"
#include "schedule/schedule.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Lower *least to the limits of the cgroup that this process is in, and of all above it. */
static void limit_by_cgroup(unsigned long long *least)
{
    char line[512] = "", path[640];
    FILE *f = fopen("/proc/self/cgroup", "re");

    if (f == NULL)
        return;
    while (fgets(line, sizeof(line), f) != NULL && strncmp(line, "0::", 3) != 0)
        line[0] = '\0';
    fclose(f);
    line[strcspn(line, "\n")] = '\0';
    for (char *dir = line[0] != '\0' ? line + 3 : NULL; dir != NULL;) {
        unsigned long long limit;
        char *slash = strrchr(dir, '/');

        snprintf(path, sizeof(path), "/sys/fs/cgroup%s/memory.max", dir);
        f = fopen(path, "re");
        if (f != NULL && fscanf(f, "%llu", &limit) == 1 && limit < *least)
            *least = limit;
        if (f != NULL)
            fclose(f);
        dir = slash != NULL ? dir : NULL;
        if (slash != NULL)
            *slash = '\0';
    }
}

/* Whether this process can have n_bytes of memory. Small pieces are not worth a check. */
static bool can_have(size_t n_bytes)
{
    unsigned long long kib, least = SIZE_MAX;
    char line[128];
    FILE *f;

    if (n_bytes < (size_t)64 << 20)
        return true;
    f = fopen("/proc/meminfo", "re");
    while (f != NULL && fgets(line, sizeof(line), f) != NULL)
        if (sscanf(line, "MemAvailable: %llu kB", &kib) == 1)
            least = kib * 1024;
    if (f != NULL)
        fclose(f);
    limit_by_cgroup(&least);
    return n_bytes <= least;
}

static size_t aligned(size_t n_bytes)
{
    return (n_bytes + 15) / 16 * 16;
}

/* Allocate for each rank the most that any rank needs. */
static int measure(struct lpi_buffers *b, const struct logp_collective *collective,
                   const struct logp_invocation *c)
{
    size_t buf = 0, recv_buf = 0;

    for (int i = 0; i < b->P; i++) {
        size_t n, r;

        collective->sizes(b->P, i, c, &n, &r);
        buf = n > buf ? n : buf;
        recv_buf = r > recv_buf ? r : recv_buf;
    }
    if (buf > SIZE_MAX / 16 / (size_t)b->P || recv_buf > SIZE_MAX / 16 / (size_t)b->P)
        return -ENOMEM;
    /* a single word needs no more: with very many ranks it counts */
    b->buf_bytes = buf <= 8 && recv_buf == 0 ? 8 : aligned(buf);
    b->stride = b->buf_bytes + aligned(recv_buf);
    if (!can_have((size_t)b->n * b->stride))
        return -ENOMEM;
    b->memory = lpi_zeroed((size_t)b->n, b->stride);
    return b->memory != NULL ? 0 : -ENOMEM;
}

/* Allocate by the sizes in the plans of the ranks: one rank may have all. */
static int measure_planned(struct lpi_buffers *b, const struct logp_collective *collective,
                           const struct logp_algorithm *algorithm,
                           const struct logp_invocation *unplanned)
{
    size_t total = 0;

    if (!can_have(lpi_bytes((size_t)unplanned->args.count, unplanned->args.op->element_bytes)))
        return -ENOMEM;
    b->offsets = malloc((size_t)b->P * sizeof(*b->offsets));
    if (b->offsets == NULL)
        return -ENOMEM;
    for (int i = b->first; i < b->first + b->n; i++) {
        struct logp_invocation c = *unplanned;
        size_t buf, recv_buf;
        const int rc = lpi_plan(algorithm, b->P, i, &c);

        if (rc != 0)
            return rc;
        collective->sizes(b->P, i, &c, &buf, &recv_buf);
        lpi_free_plan(&c.plan);
        b->offsets[i] = total;
        if (buf > SIZE_MAX / 4 || recv_buf > SIZE_MAX / 4 ||
            __builtin_add_overflow(total, aligned(buf) + aligned(recv_buf), &total))
            return -ENOMEM;
    }
    if (!can_have(total))
        return -ENOMEM;
    b->memory = lpi_zeroed(1, total);
    return b->memory != NULL ? 0 : -ENOMEM;
}

int lpi_buffers_create(struct lpi_buffers *b, const struct logp_collective *collective,
                       const struct logp_algorithm *algorithm, const struct logp_invocation *c,
                       int P, int first, int n)
{
    *b = (struct lpi_buffers){.P = P, .first = first, .n = n};
    return collective->operands == LOGP_OPERANDS_TOTAL
               ? measure_planned(b, collective, algorithm, c)
               : measure(b, collective, c);
}

void lpi_buffers_of(const struct lpi_buffers *b, const struct logp_collective *collective, int rank,
                    const struct logp_invocation *c, void **buf, void **recv_buf)
{
    size_t at = (size_t)(rank - b->first) * b->stride, bytes = b->buf_bytes, result;

    if (b->offsets != NULL) {
        at = b->offsets[rank];
        collective->sizes(b->P, rank, c, &bytes, &result);
        bytes = aligned(bytes);
    }
    *buf = b->memory + at;
    *recv_buf = b->memory + at + bytes;
}

void lpi_buffers_destroy(struct lpi_buffers *b)
{
    free(b->memory);
    free(b->offsets);
}
