/* SPDX-License-Identifier: MIT */
/* Helpers of all benchmarks. */
#ifndef LOGP_BENCH_H
#define LOGP_BENCH_H

#include "sample.h"

#include <logp/logp.h>
#include <logp/paper.h>

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static inline void bench_check(int rc, const char *what)
{
    if (rc == 0)
        return;
    fprintf(stderr, "%s: %s\n", what, strerror(-rc));
    exit(1);
}

/* Create a machine of this configuration, with the delays of a model with these parameters; model
 * NULL: nothing is emulated. */
static inline struct logp_machine *bench_machine(struct logp_config config, const char *model,
                                                 const struct logp_params *params)
{
    struct logp_machine *m;

    config.size = sizeof(config);
    config.delay = logp_delay_none();
    if (model != NULL)
        bench_check(logp_delay_create(model, params, &config.delay), "delay");
    bench_check(logp_machine_create(&config, &m), "create");
    return m;
}

/* Request other trees, nodes and counts, since the library caches the last ones. */
static inline void bench_forget_trees(void)
{
    struct logp_tree tree;

    for (int64_t n = 1000; n < 2000; n++)
        logp_tree_count(n, 97, 89);
    logp_tree_init(&tree, 3, 97, 89);
    logp_tree_find(&tree, 2);
}

#endif
