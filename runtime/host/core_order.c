/* SPDX-License-Identifier: MIT */
/*
 * The order in which a host's hardware threads are taken: one of each core first, then the second
 * of each, and so on. Each round follows hwloc's logical order, so that neighbours share caches.
 *
 * hwloc reads a hundred files, which takes a millisecond or more. So a process asks it once, for
 * all hardware threads of the host, and again only for a thread that it has not named, because it
 * came online later. The set of threads that this process may use is not cached: it may change.
 */
#include "host/host.h"

#include <errno.h>
#include <hwloc.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

enum { MOST = LPI_MOST_CPUS };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of places */
static uint16_t places[MOST]; /* by hardware thread: 1, 2, ...; 0: hwloc has not named it */

/*
 * Load only cores and the levels that they share, which make them neighbours. hwloc's component
 * "x86" is left out: it runs cpuid on every core, and each cpuid is a trap on a virtual host.
 */
static int load(hwloc_topology_t *topology)
{
    static const hwloc_obj_type_t shared[] = {HWLOC_OBJ_PACKAGE, HWLOC_OBJ_DIE, HWLOC_OBJ_GROUP,
                                              HWLOC_OBJ_L3CACHE, HWLOC_OBJ_L2CACHE};
    int rc;

    if (hwloc_topology_init(topology) != 0)
        return -ENOMEM;
    hwloc_topology_set_components(*topology, HWLOC_TOPOLOGY_COMPONENTS_FLAG_BLACKLIST, "x86");
    rc = hwloc_topology_set_flags(*topology, HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED) |
         hwloc_topology_set_all_types_filter(*topology, HWLOC_TYPE_FILTER_KEEP_NONE) |
         hwloc_topology_set_type_filter(*topology, HWLOC_OBJ_CORE, HWLOC_TYPE_FILTER_KEEP_ALL);
    for (size_t i = 0; i < sizeof(shared) / sizeof(shared[0]); i++)
        rc |=
            hwloc_topology_set_type_filter(*topology, shared[i], HWLOC_TYPE_FILTER_KEEP_STRUCTURE);
    if (rc == 0 && hwloc_topology_load(*topology) == 0)
        return 0;
    hwloc_topology_destroy(*topology);
    return -ENOMEM;
}

/* Hardware thread n of a core, from 0; -1: there is none. */
static int thread_of(hwloc_obj_t core, int n)
{
    int cpu = -1;

    do
        cpu = hwloc_bitmap_next(core->cpuset, cpu);
    while (cpu >= 0 && n-- > 0);
    return cpu;
}

static int discover(void)
{
    hwloc_topology_t topology;
    uint16_t place = 0;
    int rc = load(&topology);
    bool more = true;

    if (rc != 0)
        return rc;
    for (int n = 0; more; n++) {
        hwloc_obj_t core = NULL;

        more = false;
        while ((core = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_CORE, core)) != NULL) {
            const int cpu = thread_of(core, n);

            more = more || cpu >= 0;
            if (cpu >= 0 && cpu < MOST)
                places[cpu] = ++place;
        }
    }
    hwloc_topology_destroy(topology);
    return 0;
}

/* Hardware threads that hwloc does not name come last. */
static int place_of(int cpu)
{
    return cpu < MOST && places[cpu] > 0 ? places[cpu] : MOST + cpu;
}

static int compare(const void *a, const void *b)
{
    return place_of(*(const int *)a) - place_of(*(const int *)b);
}

int lpi_core_order(int *cpus, int n)
{
    bool known = true;
    int rc = 0;

    pthread_mutex_lock(&lock);
    for (int i = 0; known && i < n; i++)
        known = cpus[i] >= MOST || places[cpus[i]] > 0;
    if (!known)
        rc = discover();
    if (rc == 0)
        qsort(cpus, (size_t)n, sizeof(*cpus), compare);
    pthread_mutex_unlock(&lock);
    return rc;
}
