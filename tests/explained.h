/* SPDX-License-Identifier: MIT */
/* What the suites of explanations share. */
#ifndef LOGP_TESTS_EXPLAINED_H
#define LOGP_TESTS_EXPLAINED_H

#include "drawn_links.h"
#include "listed.h"

#include <stdio.h>

static inline int explain(const struct logp_algorithm *a, int P, const struct logp_invocation *c,
                          struct logp_explanation **e)
{
    return logp_explanation_of(a, P, &c->args, &c->model, e);
}

/* two-level needs nodes that are alike. */
static inline bool takes_any_links(const struct logp_algorithm *a)
{
    return a->steps != NULL && strcmp(a->name, "two-level") != 0;
}

/* A case of this row that can be explained, on links that differ or not. */
static inline struct drawn draw_for(size_t row, size_t n, uint64_t *seed, bool linked)
{
    const struct logp_algorithm *a = test_rows(&n)[row];

    for (;; *seed += n) {
        uint64_t random = *seed * UINT64_C(0xd1342543de82ef95) | 1;
        struct drawn d = draw(*seed + (n - *seed % n + row) % n);

        if (linked && d.topology == NULL) {
            d.call.model.links = draw_links(d.P, &random);
            d.call.model.params.capacity = 0;
        }
        if (d.topology == NULL && logp_params_capacity(&d.call.model.params) == 0 && d.P > 1 &&
            test_needs(a, d.P, &d.call) == NULL)
            return d;
        drawn_free(&d);
    }
}

/* Its model without chance: latencies are the longest. */
static inline struct logp_network longest(const struct drawn *d)
{
    struct logp_network model = d->call.model;

    model.params.latency_varies = false;
    return model;
}

#endif
