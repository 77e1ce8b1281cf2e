/* SPDX-License-Identifier: MIT */
/* The machines of a job: one for each number of processors. */
#include "kit.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* If rc is -EINVAL, note what in the check is wrong. @return rc */
static int because(struct lpi_job *job, int rc, const char *why)
{
    if (rc == -EINVAL && *job->why == '\0')
        snprintf(job->why, sizeof(job->why), "%s", why);
    return rc;
}

static int create(struct lpi_job *job, struct lpi_machine *m)
{
    struct logp_config config = {.size = sizeof(config),
                                 .n_processors = job->plan.P,
                                 .clock = LOGP_CLOCK_VIRTUAL,
                                 .executor = job->check.executor,
                                 .stacks = LOGP_STACKS_OWN,
                                 .stack_bytes = job->check.stack_bytes};
    struct logp_network network = job->plan.network;
    int rc;

    if (config.executor == NULL)
        config.executor = "fiber";
    network.latency = &job->plan.latency;
    rc = logp_network_delay(&network, job->plan.P, NULL, &config.delay, job->why);
    if (rc != 0)
        return rc;
    rc = because(job, logp_machine_create(&config, &m->machine),
                 "stack_bytes: too small, or too many");
    if (rc == -ENOENT)
        snprintf(job->why, sizeof(job->why), "executor: thread or fiber, not %.64s",
                 config.executor);
    if (rc != 0)
        logp_delay_destroy(&config.delay);
    return rc;
}

int lpi_machine_explore(struct lpi_job *job)
{
    const struct lpi_plan *plan = &job->plan;
    const struct logp_explorer explorer = {
        .size = sizeof(explorer),
        .choose = lpi_observer_choose,
        .note = job->story != NULL || job->check.event != NULL ? lpi_observer_note
                : job->observer->ops != NULL                   ? lpi_observer_view
                                                               : NULL,
        .arg = job->observer,
        .order = plan->order,
        .messages = plan->messages,
        .untimed = plan->untimed,
        .late = plan->late,
        .misses = plan->misses,
        .most_steps = plan->most_steps,
        .most_faults = plan->most_faults,
        .fault_places = plan->fault_places,
        .most_overtaken = plan->most_overtaken,
        .keeps_order = plan->keeps_order,
        .checks_requests = true,
        .all_completed = !job->check.leaves_requests,
        .poison = job->check.poison,
        .payload = job->story != NULL && job->check.describe != NULL ? lpi_observer_payload : NULL,
        .leave = job->check.leaves_frames ? lpi_observer_leave_frames : NULL};

    return logp_machine_explore(job->now->machine, &explorer);
}

int lpi_machine_take(struct lpi_job *job)
{
    const struct lpi_plan *plan = &job->plan;
    int rc = 0;

    if (plan->P >= job->n_machines) {
        const int n = plan->P + 1;
        struct lpi_machine *machines = realloc(job->machines, (size_t)n * sizeof(*machines));

        if (machines == NULL)
            return -ENOMEM;
        memset(machines + job->n_machines, 0, (size_t)(n - job->n_machines) * sizeof(*machines));
        job->machines = machines;
        job->n_machines = n;
    }
    job->now = &job->machines[plan->P];
    if (job->now->machine == NULL)
        rc = create(job, job->now);
    if (rc == 0)
        rc = lpi_machine_explore(job);
    if (rc == 0 && logp_machine_faults(job->now->machine) != NULL)
        logp_fault_ask(logp_machine_faults(job->now->machine), lpi_observer_takes_place,
                       job->observer);
    if (rc == 0 && plan->latency.kind != LOGP_LATENCY_AS_IS) {
        job->observer->drawn = plan->drawn;
        logp_machine_ask_latencies(job->now->machine,
                                   plan->drawn != NULL || job->story != NULL ? lpi_observer_is_drawn
                                                                             : NULL,
                                   job->observer);
    }
    job->observer->machine = job->now->machine;
    return rc;
}

void lpi_job_forget(struct lpi_job *job)
{
    for (int i = 0; i < job->n_machines; i++)
        logp_machine_destroy(job->machines[i].machine); /* a busy machine is left behind */
    free(job->machines);
    job->machines = NULL;
    job->n_machines = 0;
}
