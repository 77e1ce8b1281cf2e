/* SPDX-License-Identifier: MIT */
/* Sending: the fast path, to another process, and what transmit.c hands over. */
#include "call/call.h"
#include "core/sched.h"
#include "mail/mail.h"
#include "state/remote.h"

#include <errno.h>

enum {
    /* bytes: with so much for another process, what comes meanwhile is better received where it
     * belongs than copied there */
    SLOW_FROM = 32768,
};

static struct lpi_envelope envelope(const struct logp_vp *vp, int dst, int tag, const void *buf,
                                    size_t n_bytes)
{
    return (struct lpi_envelope){.context = vp->context,
                                 .src = vp->proc->rank,
                                 .dst = dst,
                                 .tag = tag,
                                 .n_bytes = n_bytes,
                                 .data = buf};
}

/* To another process: others of the core go on until what p has sent is its own again. */
static void await_own(struct lpi_proc *p)
{
    while (!lpi_remote_is_sent(p)) {
        lpi_poll(p->core);
        if (p->core->run_queue.ready_first != NULL || p->core->run_queue.timers.n > 0)
            lpi_yield(p);
    }
}

/* The fast path to another process. */
static __attribute__((noinline)) int send_remote(const struct logp_vp *vp, int dst, int tag,
                                                 const void *buf, size_t n_bytes)
{
    struct lpi_proc *p = vp->proc;
    const struct lpi_label label = {vp->context, p->rank, tag};
    const int rc = lpi_remote_send(p, &label, dst, buf, n_bytes, LOGP_NEVER);

    p->emulating = false;
    lpi_count_send(p, rc);
    if (p->core->machine->remote->sending[p->rank] != NULL)
        await_own(p);
    return rc == 0 ? lpi_let_others_run(p) : lpi_failed(vp, "logp_send", rc);
}

/* Send a request, wait for the answer, send e. */
static int send_synchronously(const struct logp_vp *vp, struct lpi_proc *to,
                              const struct lpi_envelope *e)
{
    struct lpi_proc *p = vp->proc;
    struct logp_request r = {.src = to->rank, .tag = e->tag}, *request = &r;
    struct lpi_query q = {.requests = &request, .n = 1, .waits = true, .until = INT64_MAX};
    int rc;

    enter(p);
    rc = lpi_rts_ask(p, to, e, false, &r);
    if (rc == 0)
        rc = lpi_query_run(vp, &q, NULL);
    return leave(p, rc);
}

/* Not inlined: its envelope would lie on the stack of the fast path too. */
static __attribute__((noinline)) int send_slow(const struct logp_vp *vp, struct lpi_proc *to,
                                               int dst, int tag, const void *buf, size_t n_bytes)
{
    struct lpi_proc *p = vp->proc;
    struct lpi_envelope e = envelope(vp, dst, tag, buf, n_bytes);
    int rc;

    if (lpi_is_rendezvous(p, n_bytes))
        return noted(vp, "logp_send", send_synchronously(vp, to, &e));
    enter(p);
    rc = lpi_send_when_space(p, to, &e);
    if (p->core->machine->remote != NULL)
        await_own(p);
    return noted(vp, "logp_send", leave(p, rc));
}

/* Can it be sent? 0; -EINVAL, or what the run was stopped with */
static inline __attribute__((always_inline)) int
check_send(const struct logp_vp *vp, int dst, int tag, const void *buf, size_t n_bytes)
{
    const int rc = lpi_stopped(vp->proc);

    return dst < 0 || dst >= vp->size || tag < 0 || bad_buffer(buf, n_bytes) ? -EINVAL : rc;
}

int lpi_send(const struct logp_vp *vp, int dst, int tag, const void *buf, size_t n_bytes)
{
    struct lpi_proc *p = vp->proc;
    struct lpi_core *c = p->core;
    struct logp_machine *m = c->machine;
    const struct lpi_label label = {vp->context, p->rank, tag};
    const int rc = check_send(vp, dst, tag, buf, n_bytes);

    if (rc != 0)
        return lpi_failed(vp, "logp_send", rc);
    dst = to_global(vp, dst);
    if (!lpi_has_fast_path(m) || !lpi_is_here(c, dst) ||
        !lpi_deliver_here(&m->procs[dst], c, &label, buf, n_bytes, false))
        return m->remote != NULL && lpi_has_fast_path(m) && !lpi_is_local(m, dst)
                   ? send_remote(vp, dst, tag, buf, n_bytes)
                   : send_slow(vp, &m->procs[dst], dst, tag, buf, n_bytes);
    p->emulating = false;
    lpi_count_send(p, 0);
    return lpi_let_others_run(p);
}

/* The same on an instrumented machine, where the send does not wait for its receiver.
 * @return 1: it would have to; nothing has been done */
static int send_instrumented(const struct logp_vp *vp, int dst, int tag, const void *buf,
                             size_t n_bytes)
{
    struct lpi_proc *p = vp->proc;
    struct lpi_envelope e = envelope(vp, dst, tag, buf, n_bytes);
    const int rc = check_send(vp, dst, tag, buf, n_bytes);

    if (rc != 0)
        return rc;
    if (lpi_is_rendezvous(p, n_bytes))
        return 1;
    e.dst = to_global(vp, dst);
    enter(p);
    return leave(p, lpi_send_when_space(p, &p->core->machine->procs[e.dst], &e));
}

int logp_send(struct logp_vp *vp, int dst, int tag, const void *buf, size_t n_bytes)
{
    return lpi_send(vp, dst, tag, buf, n_bytes);
}

/* Does it wait for its receiver's process? */
static bool waits_for_process(const struct logp_vp *vp, int dst, int tag, const void *buf,
                              size_t n_bytes)
{
    const struct logp_machine *m = vp->proc->core->machine;

    return n_bytes >= SLOW_FROM && m->remote != NULL && lpi_has_fast_path(m) &&
           check_send(vp, dst, tag, buf, n_bytes) == 0 && !lpi_is_local(m, to_global(vp, dst));
}

int logp_try_send(struct logp_vp *vp, int dst, int tag, const void *buf, size_t n_bytes)
{
    if (waits_for_process(vp, dst, tag, buf, n_bytes))
        return 1;
    return noted(vp, "logp_try_send",
                 lpi_is_instrumented(vp->proc->core->machine)
                     ? send_instrumented(vp, dst, tag, buf, n_bytes)
                     : lpi_send(vp, dst, tag, buf, n_bytes));
}

/* r is that of an isend. */
static __attribute__((noinline)) int isend_instrumented(const struct logp_vp *vp, int dst, int tag,
                                                        const void *buf, size_t n_bytes,
                                                        struct logp_request *r)
{
    int rc = check_send(vp, dst, tag, buf, n_bytes);

    if (rc != 0)
        return rc;
    r->context = vp->context;
    r->src = to_global(vp, dst);
    r->tag = tag;
    vp->proc->core->machine->resolver.posts(vp->proc, r, false);
    rc = send_instrumented(vp, dst, tag, buf, n_bytes);
    return rc > 0 ? lpi_rts_send(vp, r->src, tag, buf, n_bytes, r) : rc;
}

int logp_isend(struct logp_vp *vp, int dst, int tag, const void *buf, size_t n_bytes,
               struct logp_request **request)
{
    struct lpi_core *c = vp->proc->core;
    struct logp_request *r;
    int rc;

    if (request == NULL)
        return lpi_failed(vp, "logp_isend", -EINVAL);
    r = lpi_request_new(c);
    if (r == NULL)
        return lpi_failed(vp, "logp_isend", -ENOMEM);
    r->state = LPI_REQ_SENT;
    rc = lpi_is_instrumented(c->machine) ? isend_instrumented(vp, dst, tag, buf, n_bytes, r)
                                         : lpi_send(vp, dst, tag, buf, n_bytes);
    if (rc != 0) {
        if (r->state != LPI_REQ_SYNC_SENT) /* or its message may still come back to it */
            lpi_request_free(c, r);
        return lpi_failed(vp, "logp_isend", rc);
    }
    *request = r;
    return 0;
}
