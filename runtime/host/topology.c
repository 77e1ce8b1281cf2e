/* SPDX-License-Identifier: MIT */
/*
 * What hwloc knows about the hardware threads of the host: their order, cores, caches, NUMA nodes,
 * packages and kinds.
 *
 * hwloc reads a hundred files, which takes a millisecond or more. So a process asks it once, for
 * all hardware threads of the host, and again only for a thread that it has not named, because it
 * came online later. The set of threads that this process may use is not cached: it may change.
 */
#include "host/cores.h"

#include <errno.h>
#include <hwloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of both below */
static struct lpi_cpu *known;
static int n_known;

/*
 * Load only cores and the levels that they share. hwloc's component "x86" is left out: it runs
 * cpuid on every core, and each cpuid is a trap on a virtual host.
 */
static int load(hwloc_topology_t *topology)
{
    static const hwloc_obj_type_t kept[] = {HWLOC_OBJ_PACKAGE, HWLOC_OBJ_L3CACHE, HWLOC_OBJ_CORE};
    static const hwloc_obj_type_t ordering[] = {HWLOC_OBJ_DIE, HWLOC_OBJ_GROUP, HWLOC_OBJ_L2CACHE};
    int rc;

    if (hwloc_topology_init(topology) != 0)
        return -ENOMEM;
    hwloc_topology_set_components(*topology, HWLOC_TOPOLOGY_COMPONENTS_FLAG_BLACKLIST, "x86");
    rc = hwloc_topology_set_flags(*topology, HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED) |
         hwloc_topology_set_all_types_filter(*topology, HWLOC_TYPE_FILTER_KEEP_NONE);
    for (size_t i = 0; i < sizeof(kept) / sizeof(kept[0]); i++)
        rc |= hwloc_topology_set_type_filter(*topology, kept[i], HWLOC_TYPE_FILTER_KEEP_ALL);
    for (size_t i = 0; i < sizeof(ordering) / sizeof(ordering[0]); i++)
        rc |= hwloc_topology_set_type_filter(*topology, ordering[i],
                                             HWLOC_TYPE_FILTER_KEEP_STRUCTURE);
    if (rc == 0 && hwloc_topology_load(*topology) == 0)
        return 0;
    hwloc_topology_destroy(*topology);
    return -ENOMEM;
}

/* Return the number of the object of this type that contains pu, or -1. */
static int above(hwloc_topology_t topology, hwloc_obj_t pu, hwloc_obj_type_t type)
{
    hwloc_obj_t o = hwloc_get_ancestor_obj_by_type(topology, type, pu);

    return o != NULL ? (int)o->logical_index : -1;
}

/* hwloc numbers the kinds from the slowest on, if it knows their order. */
static int kind_of(hwloc_topology_t topology, hwloc_obj_t pu)
{
    const int n = hwloc_cpukinds_get_nr(topology, 0);
    const int kind = hwloc_cpukinds_get_by_cpuset(topology, pu->cpuset, 0);
    int efficiency = -1;

    if (n > 1 && kind >= 0)
        hwloc_cpukinds_get_info(topology, (unsigned)kind, NULL, &efficiency, NULL, NULL, 0);
    return efficiency >= 0 ? n - 1 - efficiency : 0;
}

int lpi_topology_read(struct lpi_cpu **all, int *n)
{
    hwloc_topology_t topology;
    hwloc_obj_t pu = NULL;
    int rc = load(&topology), k = 0;

    if (rc != 0)
        return rc;
    *n = hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_PU);
    *all = malloc((size_t)(*n > 0 ? *n : 1) * sizeof(**all));
    while (*all != NULL && (pu = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_PU, pu)) != NULL) {
        hwloc_obj_t core = hwloc_get_ancestor_obj_by_type(topology, HWLOC_OBJ_CORE, pu);

        (*all)[k++] = (struct lpi_cpu){
            .number = (int)pu->os_index,
            .core = core != NULL ? (int)core->logical_index : (int)pu->logical_index,
            .group = {[LPI_CACHE] = above(topology, pu, HWLOC_OBJ_L3CACHE),
                      [LPI_NODE] = hwloc_bitmap_first(pu->nodeset),
                      [LPI_PACKAGE] = above(topology, pu, HWLOC_OBJ_PACKAGE)},
            .kind = kind_of(topology, pu)};
    }
    hwloc_topology_destroy(topology);
    return *all != NULL ? 0 : -ENOMEM;
}

int lpi_topology_pick(const struct lpi_cpu *all, int n_all, const int *allowed, int n,
                      struct lpi_cpu *out)
{
    bool *is_named = calloc((size_t)n, sizeof(*is_named));
    int k = 0, core = 0, kind = 0;

    if (is_named == NULL)
        return -ENOMEM;
    for (int i = 0; i < n_all; i++) {
        core = all[i].core >= core ? all[i].core + 1 : core;
        kind = all[i].kind > kind ? all[i].kind : kind;
        for (int j = 0; j < n; j++)
            if (allowed[j] == all[i].number && !is_named[j]) {
                out[k++] = all[i];
                is_named[j] = true;
            }
    }
    for (int j = 0; j < n; j++)
        if (!is_named[j])
            out[k++] = (struct lpi_cpu){
                .number = allowed[j], .core = core++, .group = {-1, -1, -1}, .kind = kind};
    free(is_named);
    return 0;
}

static bool knows(int number)
{
    int i = 0;

    while (i < n_known && known[i].number != number)
        i++;
    return i < n_known;
}

static bool knows_all(const int *numbers, int n)
{
    int i = 0;

    while (i < n && knows(numbers[i]))
        i++;
    return i == n;
}

static bool is_given(void)
{
    return getenv("HWLOC_SYNTHETIC") != NULL || getenv("HWLOC_XMLFILE") != NULL;
}

/* The first hardware thread of the same core, as the kernel names it; the thread itself if it does
 * not. */
static int first_sibling(int number)
{
    char path[80];
    FILE *f;
    int first;

    snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%d/topology/thread_siblings_list",
             number);
    f = fopen(path, "re");
    if (f == NULL)
        return number;
    if (fscanf(f, "%d", &first) != 1)
        first = number;
    fclose(f);
    return first;
}

/* Of two, only whether they are threads of one core matters: two files instead of hwloc's hundred. */
static int pick_two(const int *allowed, struct lpi_cpu *out)
{
    const int rc = lpi_topology_pick(NULL, 0, allowed, 2, out);

    if (rc == 0 && first_sibling(allowed[0]) == first_sibling(allowed[1]))
        out[1].core = out[0].core;
    return rc;
}

int lpi_topology_of(const int *allowed, int n, struct lpi_cpu *out)
{
    struct lpi_cpu *now;
    int n_now, rc = 0;

    if (n == 1 ||
        (lpi_feigned() != 0 && !is_given())) /* feigned cores have no topology of the host */
        return lpi_topology_pick(NULL, 0, allowed, n, out);
    if (n == 2 && !is_given())
        return pick_two(allowed, out);
    pthread_mutex_lock(&lock);
    if (!knows_all(allowed, n)) {
        rc = lpi_topology_read(&now, &n_now);
        if (rc == 0) {
            free(known);
            known = now;
            n_known = n_now;
        }
    }
    if (rc == 0)
        rc = lpi_topology_pick(known, n_known, allowed, n, out);
    pthread_mutex_unlock(&lock);
    return rc;
}
