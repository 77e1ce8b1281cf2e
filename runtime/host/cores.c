/* SPDX-License-Identifier: MIT */
/* The cores for vps: those that the caller may run on, in the order of core_order.c. */
#define _GNU_SOURCE

#include "host/clock.h"
#include "host/host.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The hardware threads that the caller may run on now. The caller frees the set with CPU_FREE. */
static cpu_set_t *affinity(size_t *size)
{
    for (size_t n = CPU_SETSIZE; n <= 64 * (size_t)CPU_SETSIZE; n *= 2) {
        cpu_set_t *set = CPU_ALLOC(n);

        *size = CPU_ALLOC_SIZE(n);
        if (set == NULL || sched_getaffinity(0, *size, set) == 0)
            return set;
        CPU_FREE(set);
    }
    return NULL;
}

/* All allowed hardware threads. */
static int list_allowed(int **cores, int *n)
{
    size_t size;
    cpu_set_t *set = affinity(&size);
    int k = 0;

    if (set == NULL)
        return -ENOMEM;
    *n = CPU_COUNT_S(size, set);
    *cores = malloc((size_t)*n * sizeof(**cores));
    for (size_t cpu = 0; *cores != NULL && k < *n; cpu++)
        if (CPU_ISSET_S(cpu, size, set))
            (*cores)[k++] = (int)cpu;
    CPU_FREE(set);
    if (*cores == NULL)
        return -ENOMEM;
    /* the order of one or two does not matter */
    return *n > 2 ? lpi_core_order(*cores, *n) : 0;
}

static int copy_given(const struct logp_config *config, int **cores, int *n)
{
    size_t size;
    cpu_set_t *set = affinity(&size);
    int rc = 0;

    if (set == NULL)
        return -ENOMEM;
    if (config->n_cores < 1)
        rc = -EINVAL;
    for (int i = 0; rc == 0 && i < config->n_cores; i++) {
        if (config->cores[i] < 0 || !CPU_ISSET_S((size_t)config->cores[i], size, set))
            rc = -EINVAL;
        for (int j = 0; j < i; j++)
            if (config->cores[j] == config->cores[i])
                rc = -EINVAL;
    }
    CPU_FREE(set);
    if (rc != 0)
        return rc;
    *cores = malloc((size_t)config->n_cores * sizeof(**cores));
    if (*cores == NULL)
        return -ENOMEM;
    memcpy(*cores, config->cores, (size_t)config->n_cores * sizeof(**cores));
    *n = config->n_cores;
    return 0;
}

/*
 * Choose the cores for a machine, at most P. The virtual clock needs one core unless it is
 * parallel, as the wall clock is here: the core that the fewest machines have taken, without asking
 * hwloc. It is *taken then, to be given back (lpi_process_give_core()); else *taken is -1. The caller
 * frees *cores.
 */
int lpi_cores_choose(const struct logp_config *config, int **cores, int *n, int *taken)
{
    int rc;

    *taken = -1;
    if (config->cores != NULL) {
        rc = copy_given(config, cores, n);
    } else if (!config->parallel) {
        *cores = malloc(sizeof(**cores));
        rc = *cores == NULL ? -ENOMEM : 0;
        if (rc == 0)
            **cores = *taken = lpi_process_take_core();
        *n = 1;
    } else {
        rc = list_allowed(cores, n);
        if (rc == 0 && config->n_cores > 0 && *n > config->n_cores)
            *n = config->n_cores;
    }
    if (rc == 0 && *n > config->n_processors)
        *n = config->n_processors;
    if (rc == 0 && !config->parallel)
        *n = 1;
    return rc;
}

/* The least quota of this process's cgroups at any level, in processors; 0: no limit. */
static double cgroup_quota(void)
{
    char line[512] = "", path[640];
    double least = 0;
    FILE *f = fopen("/proc/self/cgroup", "re");

    if (f == NULL)
        return 0;
    while (fgets(line, sizeof(line), f) != NULL && strncmp(line, "0::", 3) != 0)
        line[0] = '\0';
    fclose(f);
    if (line[0] == '\0')
        return 0;
    line[strcspn(line, "\n")] = '\0';
    for (char *dir = line + 3;;) {
        double quota, period;
        char *slash;

        snprintf(path, sizeof(path), "/sys/fs/cgroup%s/cpu.max", dir);
        f = fopen(path, "re");
        if (f != NULL) {
            if (fscanf(f, "%lf %lf", &quota, &period) == 2 && period > 0 &&
                (least == 0 || quota / period < least))
                least = quota / period;
            fclose(f);
        }
        slash = strrchr(dir, '/');
        if (slash == NULL)
            return least;
        *slash = '\0';
    }
}

int logp_host_info(struct logp_host *out)
{
    struct lpi_clock clock;
    size_t size;
    cpu_set_t *set = affinity(&size);

    if (set == NULL)
        return -ENOMEM;
    lpi_clock_init(&clock, NULL, NULL);
    *out = (struct logp_host){.n_cores = CPU_COUNT_S(size, set),
                              .quota = cgroup_quota(),
                              .clock_read_ns = (double)lpi_clock_overhead(&clock)};
    CPU_FREE(set);
    return 0;
}
