/* SPDX-License-Identifier: MIT */
/* The cores for vps: those that the caller may run on, in the order of core_order.c. */
#include "host/clock.h"
#include "host/host.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* All allowed hardware threads. The order of one or two does not matter. */
static int list_allowed(int **cores, int *n)
{
    const int rc = lpi_allowed(cores, n);

    return rc != 0 || *n <= 2 ? rc : lpi_core_order(*cores, *n);
}

static bool is_among(int cpu, const int *cpus, int n)
{
    int i = 0;

    while (i < n && cpus[i] != cpu)
        i++;
    return i < n;
}

static int copy_given(const struct logp_config *config, int **cores, int *n)
{
    int *allowed, n_allowed;
    int rc = lpi_allowed(&allowed, &n_allowed);

    if (rc != 0)
        return rc;
    rc = config->n_cores < 1 ? -EINVAL : 0;
    for (int i = 0; rc == 0 && i < config->n_cores; i++)
        if (!is_among(config->cores[i], allowed, n_allowed) ||
            is_among(config->cores[i], config->cores, i))
            rc = -EINVAL;
    free(allowed);
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
    int *allowed, n;
    const int rc = lpi_allowed(&allowed, &n);

    if (rc != 0)
        return rc;
    free(allowed);
    lpi_clock_init(&clock, NULL, NULL);
    *out = (struct logp_host){.n_cores = n,
                              .quota = lpi_feigned() > 0 ? 0 : cgroup_quota(),
                              .clock_read_ns = (double)lpi_clock_overhead(&clock)};
    return 0;
}
