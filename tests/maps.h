/* SPDX-License-Identifier: MIT */
/* An operation that does not commute. */
#ifndef LOGP_TESTS_MAPS_H
#define LOGP_TESTS_MAPS_H

#include <logp/collective.h>

/* Maps x -> m x + t modulo 2^32, one after the other. */
struct map {
    uint32_t m, t;
};

static void follow(void *acc, const void *in, size_t n, void *arg)
{
    struct map *x = acc;
    const struct map *y = in;

    for (size_t i = 0; i < n; i++)
        x[i] = (struct map){y[i].m * x[i].m, y[i].m * x[i].t + y[i].t};
}

static const struct logp_op maps = {
    .name = "follow", .type = "map", .element_bytes = sizeof(struct map), .combine = follow};

#endif
