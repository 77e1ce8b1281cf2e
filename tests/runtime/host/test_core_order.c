/* SPDX-License-Identifier: MIT */
/* The order of hardware threads, on hosts that hwloc makes up. Each test is a process of its own.
 */
#include "support.h"

#include "host/host.h"

static void expect(int *cpus, int n, const int *order)
{
    cr_assert_eq(lpi_core_order(cpus, n), 0);
    for (int i = 0; i < n; i++)
        cr_assert_eq(cpus[i], order[i], "place %d: %d, not %d", i, cpus[i], order[i]);
}

Test(core_order, one_of_each_core_first_and_neighbours_together)
{
    int all[] = {0, 1, 2, 3, 4, 5, 6, 7}, some[] = {7, 6, 1, 0};

    /* numbered as many hosts are: packages alternate, and all second threads come last */
    setenv("HWLOC_SYNTHETIC", "pack:2 core:2 pu:2(indexes=0,4,2,6,1,5,3,7)", 1);
    expect(all, 8, (int[]){0, 2, 1, 3, 4, 6, 5, 7});
    expect(some, 4, (int[]){0, 1, 6, 7});
}

Test(core_order, the_host_is_asked_again_only_for_what_it_has_not_named)
{
    int all[] = {0, 1, 2, 3}, more[] = {0, 1, 2, 3, 4, 5};

    setenv("HWLOC_SYNTHETIC", "core:2 pu:2", 1);
    expect(all, 4, (int[]){0, 2, 1, 3});
    setenv("HWLOC_SYNTHETIC", "core:6 pu:1", 1);
    expect(all, 4, (int[]){0, 2, 1, 3});
    expect(more, 6, (int[]){0, 1, 2, 3, 4, 5});
}

Test(core_order, cores_that_share_a_cache_are_neighbours)
{
    int all[] = {0, 1, 2, 3};

    setenv("HWLOC_SYNTHETIC", "l3:2 core:2 pu:1(indexes=0,2,1,3)", 1);
    expect(all, 4, (int[]){0, 2, 1, 3});
}

Test(core_order, what_the_host_does_not_name_comes_last)
{
    int cpus[] = {9, 5000, 4999, 1, 8, 0};

    setenv("HWLOC_SYNTHETIC", "core:2 pu:1", 1);
    expect(cpus, 6, (int[]){0, 1, 8, 9, 4999, 5000});
}
