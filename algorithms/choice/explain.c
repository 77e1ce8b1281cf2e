/* SPDX-License-Identifier: MIT */
/* The schedule of an algorithm, with the knobs that it chooses, explained. */
#include "choice/choice.h"

#include <logp/explain.h>
#include <logp/machine.h>

#include <errno.h>

int logp_explanation_of(const struct logp_algorithm *algorithm, int64_t P,
                        const struct logp_args *args, const struct logp_network *model,
                        struct logp_explanation **out)
{
    struct logp_invocation c = lpi_invocation(args, model);
    struct logp_schedule schedule;

    if (P < 1 || P > LOGP_MAX_PROCESSORS || args->root < 0 || args->root >= P)
        return -EINVAL;
    if (algorithm->steps == NULL || lpi_needs(algorithm, P, &c) != NULL)
        return -ENOTSUP;
    if (lpi_resolve_k(algorithm, P, &c) != 0)
        return -ENOMEM;
    schedule = lpi_schedule_of(algorithm, P, &c);
    return logp_explanation_create(&schedule, out);
}
