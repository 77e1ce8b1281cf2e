/* SPDX-License-Identifier: MIT */
/* The settings drawn for each run of a search: the seed, late choices, sends that wait, and how it begins. */
#include "kit.h"

/* Three of four runs take messages as late as possible: each vp runs until it needs one. Such runs
 * have few choices, find more bugs of protocols, and become small. The others find bugs of memory
 * that vps share. */
static void draw_late(struct lpi_job *job)
{
    if (lpi_may_be_late(&job->check)) {
        job->plan.late = job->plan.run % LPI_LATE_OF != LPI_LATE_OF - 1;
        job->plan.order = !job->plan.late;
    }
}

/* The bytes from which on the sends of a run wait for their receivers; 0: none waits. */
static int64_t draw_sends(const struct logp_check *c, uint64_t *random)
{
    const int64_t limit = c->network != NULL ? c->network->rendezvous_from : 0;

    switch (c->sends) {
    case LOGP_SENDS_BUFFERED:
        return 0;
    case LOGP_SENDS_VARIED:
        if (lpi_kit_below(random, 3) == 0)
            return 0;
        return lpi_kit_below(random, 2) == 0 || limit == 0 ? 1 : limit;
    case LOGP_SENDS_LIMITED:
        return limit > 0 ? limit : 1;
    case LOGP_SENDS_SYNCHRONOUS:
        return 1;
    }
    return 0;
}

void lpi_job_draw(struct lpi_job *job)
{
    struct lpi_plan *plan = &job->plan;
    uint64_t random;

    draw_late(job);
    plan->seed = lpi_kit_mix(lpi_kit_mix(job->check.seed ^ (uint64_t)plan->P) + plan->run);
    random = ~plan->seed;
    plan->network.rendezvous_from = draw_sends(&job->check, &random);
    lpi_reached_lead(job);
}
