/* SPDX-License-Identifier: MIT */
/* What could begin, and when: the delay model's answers, with a copy of the vp's port. And the
 * replacement of a machine's delay model: see machine.h. */
#include "carrier/carrier.h"
#include "core/sched.h"
#include "delay/delay.h"
#include "host/host.h"
#include "mail/mail.h"
#include "state/stop.h"
#include "call/call.h"

#include <errno.h>
#include <stdlib.h>

int logp_peek(struct logp_vp *vp, int src, int tag, bool *found, struct logp_status *status)
{
    struct lpi_proc *p = vp->proc;
    const struct lpi_label label = {vp->context, to_global(vp, src), tag};
    struct lpi_query q = {.label = &label, .until = INT64_MAX, .src = label.src, .tag = tag};
    int rc = lpi_stopped(p);

    if (bad_source(vp, src) || tag < LOGP_ANY_TAG || found == NULL)
        return -EINVAL;
    *found = false;
    if (rc != 0)
        return rc;
    enter(p);
    rc = lpi_query_resolve(p, &q);
    if (rc == 0 && q.found != NULL) {
        *found = true;
        lpi_fill_status(vp, status, q.found->src, q.found->tag, q.found->n_bytes, q.found->arrival);
    }
    return leave(p, rc);
}

/* The model in force for this vp's clock; NULL: none, and no section is open. */
static const struct lpi_delay *lock(struct lpi_proc *p)
{
    struct logp_machine *m = p->core->machine;

    enter(p);
    /* relaxed: only says that there may be one; the list is under its lock */
    if (lpi_emulates(m) &&
        atomic_load_explicit(&m->pending_at, memory_order_relaxed) <= p->emulated)
        lpi_delay_apply_pending(m, p->emulated);
    return model_lock(m);
}

int64_t logp_send_ready(struct logp_vp *vp, int dst, size_t n_bytes)
{
    struct lpi_proc *p = vp->proc;
    const struct lpi_delay *d = lock(p);
    struct logp_transfer t = {.src = p->rank,
                              .dst = to_global(vp, dst),
                              .n_bytes = n_bytes,
                              .number = p->sends,
                              .ready = p->emulated};

    if (d == NULL) {
        leave(p, 0);
        return LOGP_NEVER;
    }
    d->ops.start(d->model, &p->port, &t);
    model_unlock(p->core->machine);
    leave(p, 0);
    return t.start;
}

int64_t logp_recv_ready(struct logp_vp *vp, int src, size_t n_bytes, int64_t arrival_ns)
{
    struct lpi_proc *p = vp->proc;
    const struct lpi_delay *d = lock(p);
    struct logp_port port = p->port;
    struct logp_transfer t = {.src = to_global(vp, src),
                              .dst = p->rank,
                              .n_bytes = n_bytes,
                              .ready = p->emulated,
                              .arrival = arrival_ns};

    if (d == NULL) {
        leave(p, 0);
        return arrival_ns;
    }
    if (d->ops.stops == NULL)
        d->ops.recv(d->model, &port, &t);
    else /* such a model counts what a processor does */
        t.start = lpi_later(p, arrival_ns);
    model_unlock(p->core->machine);
    leave(p, 0);
    return t.start;
}

/* ---- replacement ---- */

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
    if (!inside)
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
