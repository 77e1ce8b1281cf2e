/* SPDX-License-Identifier: MIT */
/* A search: runs of one number of processors, by a strategy, in one process or in several. */
#include "kit.h"

#include <errno.h>

int lpi_search_with(struct lpi_job *job, int P, const struct lpi_strategy_ops *ops, void *strategy)
{
    int rc;

    if (strategy == NULL)
        return -ENOMEM;
    job->plan.P = P;
    job->plan.run = job->whole = 0;
    lpi_progress_begin_size(job);
    lpi_reached_begin_size(&job->labels);
    lpi_job_draw(job);
    rc = lpi_job_listen(job, ops, strategy, NULL, NULL);
    if (rc != 0) {
        ops->destroy(strategy);
        return rc;
    }
    if (job->check.cores <= 1 || ops == &lpi_strategy_delays) /* its runs follow from each other */
        rc = lpi_job_go(job);
    else if (ops == &lpi_strategy_exhaustive)
        rc = lpi_branches_go(job, job->check.cores, strategy);
    else
        rc = lpi_cores_go(job, job->check.cores);
    if (job->observer != NULL) /* else it is left behind, too */
        ops->destroy(strategy);
    return rc;
}

int lpi_search(struct lpi_job *job, int P)
{
    const struct lpi_strategy_ops *const all[] = {
        [LOGP_STRATEGY_RANDOM] = &lpi_strategy_random,
        [LOGP_STRATEGY_PCT] = &lpi_strategy_pct,
        [LOGP_STRATEGY_EXHAUSTIVE] = &lpi_strategy_exhaustive,
        [LOGP_STRATEGY_DELAYS] = &lpi_strategy_delays,
    };
    const struct lpi_strategy_ops *ops = all[job->check.strategy];

    return lpi_search_with(job, P, ops, ops->create(P, &job->check));
}
