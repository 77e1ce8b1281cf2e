/* SPDX-License-Identifier: MIT */
/*
 * Which cores carry vps, and in which order: those that this process may run on, one hardware
 * thread of each core first, in hwloc's logical order, so that neighbours share caches.
 */
#define _GNU_SOURCE
#include "host/cores.h"

#include "host/process.h"
#include "state/state.h"

#include <errno.h>
#include <hwloc.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Only cores and hardware threads: what else hwloc can find costs milliseconds. */
static int load(hwloc_topology_t *topology)
{
    if (hwloc_topology_init(topology) != 0)
        return -ENOMEM;
    if (hwloc_topology_set_all_types_filter(*topology, HWLOC_TYPE_FILTER_KEEP_NONE) == 0 &&
        hwloc_topology_set_type_filter(*topology, HWLOC_OBJ_CORE, HWLOC_TYPE_FILTER_KEEP_ALL) ==
            0 &&
        hwloc_topology_load(*topology) == 0)
        return 0;
    hwloc_topology_destroy(*topology);
    return -ENOMEM;
}

/* All allowed hardware threads: the first of each core, then the second, ... */
static int list_allowed(int **cores, int *n)
{
    hwloc_topology_t topology;
    hwloc_bitmap_t mine;
    int most = 0, rc = load(&topology);
    bool more = true;

    if (rc != 0)
        return rc;
    mine = hwloc_bitmap_dup(hwloc_topology_get_allowed_cpuset(topology));
    if (mine != NULL) {
        hwloc_bitmap_t bound = hwloc_bitmap_alloc();

        if (bound != NULL && hwloc_get_cpubind(topology, bound, HWLOC_CPUBIND_THREAD) == 0)
            hwloc_bitmap_and(mine, mine, bound);
        hwloc_bitmap_free(bound);
        most = hwloc_bitmap_weight(mine);
    }
    *n = 0;
    *cores = most > 0 ? malloc((size_t)most * sizeof(**cores)) : NULL;
    for (int turn = 0; *cores != NULL && more; turn++) {
        hwloc_obj_t core = NULL;

        more = false;
        while ((core = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_CORE, core)) != NULL) {
            int cpu = -1;

            for (int i = 0; i <= turn; i++) {
                cpu = hwloc_bitmap_next(core->cpuset, cpu);
                if (cpu < 0)
                    break;
            }
            if (cpu < 0)
                continue;
            more = true;
            if (hwloc_bitmap_isset(mine, (unsigned)cpu) && *n < most)
                (*cores)[(*n)++] = cpu;
        }
    }
    hwloc_bitmap_free(mine);
    hwloc_topology_destroy(topology);
    return *cores == NULL || *n == 0 ? -ENOMEM : 0;
}

static int copy_given(const struct logp_config *config, int **cores, int *n)
{
    cpu_set_t *set = CPU_ALLOC(CPU_SETSIZE);
    const size_t size = CPU_ALLOC_SIZE(CPU_SETSIZE);
    int rc = 0;

    if (set == NULL)
        return -ENOMEM;
    if (config->n_cores < 1 || sched_getaffinity(0, size, set) != 0)
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
 * The cores for a machine, at most P, and one under the virtual clock unless it is to be parallel
 * (there hwloc is not asked: one that other machines have not taken, *taken, to be given back;
 * -1: none). The caller frees *cores.
 */
int lpi_cores_choose(const struct logp_config *config, int **cores, int *n, int *taken)
{
    const bool one = config->clock == LOGP_CLOCK_VIRTUAL && !config->parallel;
    int rc;

    *taken = -1;

    if (config->cores != NULL) {
        rc = copy_given(config, cores, n);
    } else if (one) {
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
    if (rc == 0 && one)
        *n = 1;
    return rc;
}

/* Processors' worth of time that a cgroup allows, at any level above this process; 0: no limit. */
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
    cpu_set_t *set = CPU_ALLOC(CPU_SETSIZE);
    const size_t size = CPU_ALLOC_SIZE(CPU_SETSIZE);
    struct lpi_clock clock;

    if (set == NULL)
        return -ENOMEM;
    lpi_clock_init(&clock, NULL, NULL);
    *out = (struct logp_host){
        .n_cores = 1, .quota = cgroup_quota(), .clock_read_ns = (double)lpi_clock_overhead(&clock)};
    if (sched_getaffinity(0, size, set) == 0)
        out->n_cores = CPU_COUNT_S(size, set);
    CPU_FREE(set);
    return 0;
}
