/* SPDX-License-Identifier: MIT */
/*
 * Names of shared objects. The key of a name is its hash, so that it is the same in every process
 * and order of touches. A table has the names that have been touched, for texts.
 */
#include "kit.h"

enum { N_NAMES = 1024 };

static const char *_Atomic names[N_NAMES];

/* Keys above 2^30: few programs use such keys themselves. */
static int key_of(const char *name)
{
    uint64_t hash = 0;

    for (const char *c = name; *c != '\0'; c++)
        hash = lpi_kit_mix(hash ^ (unsigned char)*c);
    return (int)(hash >> 34) | 1 << 30;
}

const char *lpi_touched_name(int key)
{
    /* relaxed: the name is a constant */
    const char *name = atomic_load_explicit(&names[(unsigned)key % N_NAMES], memory_order_relaxed);

    return name != NULL && key_of(name) == key ? name : NULL;
}

int logp_shared_touch_named(struct logp_vp *vp, const char *name)
{
    const int key = key_of(name);

    /* relaxed: as in lpi_touched_name() */
    atomic_store_explicit(&names[(unsigned)key % N_NAMES], name, memory_order_relaxed);
    return logp_shared_touch(vp, key);
}
