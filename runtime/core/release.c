/* SPDX-License-Identifier: MIT */
/*
 * The release of a common start along a tree of cores.
 *
 * A core that lets another notice a start writes to a line of that core, which takes as long as the
 * line travels. One core that wrote to those of all others would take that time for each. So each
 * core that has noticed the start writes to a few: the tree is binomial, with the largest subtree
 * first, and the last of n cores has noticed it after log2(n) steps.
 */
#include "core/core.h"

enum {
    LEAST_NS = 10000, /* a few vps on few cores need no more */
    BACK_NS = 5000,   /* for the core that fixes the start to be back at its scheduler */
    NOTICE_NS = 500,  /* between two looks of a core that has nothing else to do */
    MEMBER_NS = 120,  /* to give a vp of the own core its deadline; its lines may be cold */
};

int lpi_release_child(int n, int core, int i)
{
    int step = 1;

    /* a core other than the root has the subtrees below its lowest bit */
    while (core == 0 ? step < n : (core & step) == 0)
        step *= 2;
    for (step /= 2; step > 0; step /= 2)
        if (core + step < n && i-- == 0)
            return core + step;
    return -1;
}

int64_t lpi_release_ns(int n_cores, int members, int64_t line_ns)
{
    int64_t ns = BACK_NS + (int64_t)members * MEMBER_NS;

    for (int n = 1; n < n_cores; n *= 2)
        ns += 2 * line_ns + NOTICE_NS;
    return ns > LEAST_NS ? ns : LEAST_NS;
}
