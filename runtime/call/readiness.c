/* SPDX-License-Identifier: MIT */
/* The times at which calls could begin: the delay model's answers, with a copy of the vp's port.
 * And the replacement of a machine's delay model: see machine.h. */
#include "core/sched.h"
#include "delay/delay.h"
#include "host/host.h"
#include "mail/mail.h"
#include "call/call.h"

#include <errno.h>
#include <stdlib.h>

int logp_peek(struct logp_vp *vp, int src, int tag, bool *found, struct logp_status *status)
{
    struct lpi_proc *p = vp->proc;
    const struct lpi_label label = {vp->context, to_global(vp, src), tag};
    struct lpi_query q = {.label = &label, .until = LPI_AT_ONCE};
    int rc = lpi_stopped(p);

    if (bad_source(vp, src) || tag < LOGP_ANY_TAG || found == NULL)
        return -EINVAL;
    *found = false;
    if (rc != 0)
        return rc;
    enter(p);
    rc = lpi_query_resolve(p, &q);
    if (rc == -ETIME) { /* explored: a miss */
        lpi_note(p, LOGP_NOTE_MISSED, label.src, label.tag, 0);
        rc = 0;
    } else if (rc == 0 && q.found != NULL) {
        *found = true;
        lpi_note(p, LOGP_NOTE_FOUND, q.found->src, q.found->tag, (int64_t)q.found->n_bytes);
        lpi_status_of_message(vp, status, q.found);
    }
    return leave(p, rc);
}

/* The model in force for this vp's clock; NULL: none, and no section is open. */
static const struct lpi_delay *lock(struct lpi_proc *p)
{
    enter(p);
    lpi_delay_catch_up(p);
    return model_lock(p->core->machine);
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
                              .number = 1, /* it only asks */
                              .ready = p->emulated,
                              .arrival = arrival_ns < LPI_CLOCK_END ? arrival_ns : LPI_CLOCK_END};

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
    return t.start > arrival_ns ? t.start : arrival_ns;
}

/* ---- replacement ---- */

int logp_machine_set_delay(struct logp_machine *m, struct logp_delay delay, int64_t at_ns)
{
    struct lpi_delay *copy;
    int rc = lpi_delay_copy(&delay, &copy);

    if (rc != 0)
        return rc;
    rc = lpi_process_is_orphan() ? -ENOTSUP : m->time->replace(m, copy, at_ns);
    if (rc != 0)
        free(copy);
    return rc;
}
