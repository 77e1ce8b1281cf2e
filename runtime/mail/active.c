/* SPDX-License-Identifier: MIT */
/*
 * Active messages: their destination handles them while it polls (logp/transport.h).
 *
 * A handler runs within a poll, where a message that the transport has no space for could not wait
 * for others to be taken. So its replies are kept, in order, until the poll is over.
 */
#include "mail/mail.h"
#include "state/message.h"
#include "state/stop.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static bool is_other(const struct logp_machine *m, int process)
{
    return process != m->processes->own(m) && (unsigned)process < (unsigned)m->processes->count(m);
}

void logp_machine_handle(struct logp_machine *m, logp_active_handler *handler)
{
    m->handler = handler;
}

int logp_active_send(struct logp_vp *vp, int process, const void *bytes, size_t n_bytes)
{
    struct lpi_proc *p = vp->proc;
    const int rc = lpi_stopped(p);

    if (rc != 0)
        return rc;
    if (!is_other(p->core->machine, process) || n_bytes > LOGP_ACTIVE_BYTES)
        return -EINVAL;
    lpi_remote_tell(p->core, process,
                    (struct lpi_wire){.kind = LPI_WIRE_ACTIVE, .n_bytes = n_bytes}, bytes, n_bytes);
    return 0;
}

/* ---- of handlers ---- */

static int keep(struct logp_machine *m, int process, struct lpi_wire w, const void *bytes)
{
    struct lpi_remote *f = m->remote;
    struct lpi_reply *r = malloc(sizeof(*r) + w.n_bytes);

    if (r == NULL) {
        lpi_stop(m, -ENOMEM);
        return -ENOMEM;
    }
    r->next = NULL;
    r->process = process;
    r->w = w;
    if (bytes != NULL)
        memcpy(r->bytes, bytes, w.n_bytes);
    *f->last_reply = r;
    f->last_reply = &r->next;
    return 0;
}

int logp_active_reply(struct logp_machine *m, int process, const void *bytes, size_t n_bytes)
{
    if (!is_other(m, process) || n_bytes > LOGP_ACTIVE_BYTES)
        return -EINVAL;
    return keep(m, process, (struct lpi_wire){.kind = LPI_WIRE_ACTIVE, .n_bytes = n_bytes}, bytes);
}

int lpi_active_post(struct logp_machine *m, const struct lpi_wire *w)
{
    return keep(m, m->remote->process_of[w->dst], *w, NULL);
}

int logp_active_post(struct logp_vp *vp, int dst, int tag, int64_t arrival_ns)
{
    struct logp_machine *m = vp->proc->core->machine;
    struct lpi_wire w = {.kind = LPI_WIRE_DATA, .context = vp->context, .src = vp->proc->rank};

    if (dst < 0 || dst >= vp->size || arrival_ns >= LPI_CLOCK_END)
        return -EINVAL;
    w.dst = vp->to_global != NULL ? vp->to_global[dst] : dst;
    w.tag = tag;
    w.arrival = arrival_ns < 0 ? LOGP_NEVER : arrival_ns;
    return m->processes->post(m, &w);
}

void lpi_active_hear(struct lpi_core *c, int from, const struct lpi_wire *w, const void *bytes)
{
    struct logp_machine *m = c->machine;

    if (m->handler != NULL && !lpi_stopping(m))
        m->handler(m, from, bytes, w->n_bytes);
}
