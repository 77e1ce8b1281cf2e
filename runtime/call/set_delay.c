/* SPDX-License-Identifier: MIT */
/* Replacing the delay model of a machine: see machine.h. */
#include "carrier/carrier.h"
#include "core/sched.h"
#include "delay/delay.h"
#include "host/host.h"
#include "state/stop.h"

#include <errno.h>
#include <stdlib.h>

/* Between the runs of a parallel machine. */
static int install_between_runs(struct logp_machine *m, struct lpi_delay *copy)
{
    int rc = -ENOTSUP;

    pthread_mutex_lock(&m->lock);
    if (m->running == 0) {
        lpi_delay_install(m, copy);
        rc = 0;
    }
    pthread_mutex_unlock(&m->lock);
    return rc;
}

/* 0: the machine has the copy. */
static int replace(struct logp_machine *m, struct lpi_delay *copy, int64_t at_ns)
{
    struct lpi_core *here = lpi_this_core;
    const bool inside = here != NULL && here->machine == m;

    if (lpi_is_parallel(m))
        return inside || at_ns > 0 ? -ENOTSUP : install_between_runs(m, copy);
    if (m->is_virtual && !inside && (at_ns > 0 || logp_machine_busy(m))) {
        lpi_delay_order(m, copy, at_ns > 0 ? at_ns : 0);
        return 0;
    }
    if (m->is_virtual && inside) {
        /* relaxed: it is the caller itself */
        const int rank = atomic_load_explicit(&here->holder, memory_order_relaxed);
        const int rc = lpi_reach(&m->procs[rank], m->procs[rank].emulated);

        if (rc != 0)
            return rc;
    } else if (inside && lpi_stopping(m)) { /* its run is over, and the next not its business */
        return -ECANCELED;
    }
    if (m->is_virtual && !inside)
        lpi_delay_drop_due(m);
    lpi_delay_install(m, copy);
    return 0;
}

int logp_machine_set_delay(struct logp_machine *m, struct logp_delay delay, int64_t at_ns)
{
    struct lpi_delay *copy;
    int rc = lpi_delay_copy(&delay, &copy);

    if (rc != 0)
        return rc;
    rc = lpi_process_is_orphan() ? -ENOTSUP : replace(m, copy, at_ns);
    if (rc != 0)
        free(copy);
    return rc;
}
