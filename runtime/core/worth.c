/* SPDX-License-Identifier: MIT */
/*
 * How many cores of a parallel machine the next run uses.
 *
 * A window costs a meeting of its cores, and an event may cost its core more than it would on one
 * core. So each core needs events in each window, or the run takes longer than on one core. Their
 * number depends on the program and the model, not on the host or the cores: one core counts windows
 * as well. A run uses the cores that the last one was worth, or those that the numbers of
 * logp_machine_plan_cores() are worth. During a run the cores stay, since a compiler may keep addresses of a thread's
 * variables over calls, so a vp that has begun cannot change its thread.
 */
#include "core/core.h"
#include "delay/delay.h"
#include "state/run_queue.h"
#include "state/timers.h"

#include <errno.h>
#include <stdlib.h>

void lpi_worth_count(struct lpi_core *c, int64_t t)
{
    c->machine->windows++;
    c->window.counted_to = lpi_after(t, c->machine->lookahead);
}

void lpi_worth_note(struct logp_machine *m)
{
    m->load = (struct lpi_load){
        .events = 2 * m->report.messages, .windows = m->windows, .is_known = m->report.error == 0};
}

int lpi_worth_use(struct logp_machine *m)
{
    const struct lpi_load load = m->load;
    const uint64_t most_windows = (uint64_t)(load.time_ns / m->lookahead);
    int rc = 0, n;

    /* the memory of a run that was abandoned belongs to its cores */
    if (!m->has_choice || !load.is_known || m->report.error == -ETIMEDOUT)
        return 0;
    n = lpi_cores_worth(load.events, load.windows + most_windows, m->n_cores);
    if (n == m->n_used)
        return 0;
    m->n_used = n;
    for (int i = 0; rc == 0 && i < m->n_cores; i++) {
        lpi_timers_fini(&m->cores[i].run_queue.timers);
        rc = lpi_core_take_procs(&m->cores[i]);
    }
    if (rc != 0)
        m->n_used = 0; /* at the next run they are placed again */
    return rc;
}

int logp_machine_plan_cores(struct logp_machine *m, uint64_t messages, int64_t time_ns)
{
    int rc = 0;

    if (time_ns < 0)
        return -EINVAL;
    pthread_mutex_lock(&m->lock);
    if (lpi_in_use(m))
        rc = -EBUSY;
    else
        m->load = (struct lpi_load){.events = 2 * messages, .time_ns = time_ns, .is_known = true};
    pthread_mutex_unlock(&m->lock);
    return rc;
}
