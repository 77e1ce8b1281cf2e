/* SPDX-License-Identifier: MIT */
/* What the suites of explanations share. */
#ifndef LOGP_TESTS_EXPLAINED_H
#define LOGP_TESTS_EXPLAINED_H

#include "drawn.h"
#include "listed.h"

#include <stdio.h>

static inline int explain(const struct logp_algorithm *a, int P, const struct logp_invocation *c,
                          struct logp_explanation **e)
{
    return logp_explanation_of(a, P, &c->args, &c->model, e);
}

/* A case of this row that can be explained. */
static inline struct drawn draw_for(size_t row, size_t n, uint64_t *seed)
{
    for (;; *seed += n) {
        struct drawn d = draw(*seed + (n - *seed % n + row) % n);
        const struct logp_algorithm *a = test_rows(&n)[row];

        if (d.topology == NULL && logp_params_capacity(&d.call.model.params) == 0 && d.P > 1 &&
            test_needs(a, d.P, &d.call) == NULL)
            return d;
        logp_topology_destroy(d.topology);
    }
}

#endif
