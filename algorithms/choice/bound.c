/* SPDX-License-Identifier: MIT */
/* What no algorithm can be faster than: see collective.h, predict/bound.h. */
#include "choice/choice.h"
#include "predict/predict.h"
#include <logp/paper.h>

int64_t logp_collective_lower_bound(const char *collective, int64_t P, const struct logp_args *args,
                                    const struct logp_network *model)
{
    const struct logp_collective *what = logp_collective_find(collective);
    struct logp_invocation c = lpi_invocation(args, model);
    struct lpi_ways ways;
    int64_t ns;

    if (what == NULL || what->bound == NULL || args->blocks != NULL || P < 1 || P > LOGP_TREE_MAX)
        return -1;
    if (lpi_ways_init(&ways, P, &c))
        c.plan.state = &ways;
    if (c.model.links != NULL)
        logp_links_least(c.model.links, &c.model.params, &c.model.params);
    if (lpi_varies(P, &c) || args->count < 0 || args->rows < 0 || args->cols < 0 ||
        lpi_times(&c.model.params, 1).D > 3 * LOGP_PARAM_MAX_NS)
        return -1;
    ns = what->bound(P, &c);
    return ns < INT64_MAX / 8 ? ns : -1;
}
