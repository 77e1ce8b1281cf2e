/* SPDX-License-Identifier: MIT */
/* The data with which a signal handler writes a replay, made before the run: the replay's text, of
 * which it replaces the lines that differ from run to run, and the file's name. */
#include "kit.h"

/* Whether the prepared data is of another plan. */
static bool is_old(const struct lpi_ready *ready, const struct lpi_plan *p)
{
    return ready->replay == NULL || ready->most_steps != p->most_steps ||
           ready->faults != p->network.faults || ready->noise != p->network.noise;
}

void lpi_ready_make(struct lpi_job *job)
{
    const struct logp_replay *origin = job->origin;
    struct lpi_ready *ready = &job->ready;
    struct lpi_text t = {0};

    if (!is_old(ready, &job->plan))
        return;
    if (ready->origin == NULL && origin == NULL)
        ready->origin = lpi_origin();
    if (origin == NULL)
        job->origin = ready->origin;
    lpi_replay_write(&t, job);
    job->origin = origin;
    free(ready->replay);
    ready->replay = t.failed ? NULL : t.s;
    if (t.failed)
        free(t.s);
    ready->most_steps = job->plan.most_steps;
    ready->faults = job->plan.network.faults;
    ready->noise = job->plan.network.noise;
    if (*ready->path == '\0')
        ready->folder = lpi_replay_path(&job->check, ready->path, sizeof(ready->path));
}

void lpi_ready_free(struct lpi_job *job)
{
    free(job->ready.replay);
    logp_replay_free(job->ready.origin);
}
