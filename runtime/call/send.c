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
    lpi_count_send(p, LPI_EAGER, rc);
    if (p->core->machine->remote->sending[p->rank] != NULL)
        await_own(p);
    return rc == 0 ? lpi_let_others_run(p) : rc;
}

/* Send a request, wait for the answer, send e. Not inlined: its request and its query would lie on
 * the stack of every other slow send. */
static __attribute__((noinline)) int
send_synchronously(const struct logp_vp *vp, struct lpi_proc *to, const struct lpi_envelope *e)
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
static __attribute__((noinline)) int send_slow(const struct logp_vp *vp, enum logp_send_mode mode,
                                               int dst, int tag, const void *buf, size_t n_bytes)
{
    struct lpi_proc *p = vp->proc;
    struct lpi_proc *to = &p->core->machine->procs[dst];
    struct lpi_envelope e = envelope(vp, dst, tag, buf, n_bytes);
    int rc;

    if (lpi_is_rendezvous(p, mode, n_bytes))
        return send_synchronously(vp, to, &e);
    enter(p);
    rc = lpi_send_when_space(p, to, &e);
    if (!lpi_is_local(p->core->machine, dst))
        await_own(p);
    return leave(p, rc);
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
    if (lpi_has_fast_path(m)) {
        if (lpi_is_here(c, dst) &&
            lpi_deliver_here(&m->procs[dst], c, &label, buf, n_bytes, false)) {
            p->emulating = false;
            lpi_count_send(p, LPI_EAGER, 0);
            return lpi_let_others_run(p);
        }
        if (!lpi_is_local(m, dst))
            return noted(vp, "logp_send", send_remote(vp, dst, tag, buf, n_bytes));
    }
    return noted(vp, "logp_send", send_slow(vp, LOGP_SEND_STANDARD, dst, tag, buf, n_bytes));
}

int logp_send(struct logp_vp *vp, int dst, int tag, const void *buf, size_t n_bytes)
{
    return lpi_send(vp, dst, tag, buf, n_bytes);
}

/* Does it wait for its receiver, or for its receiver's process? */
static bool waits(const struct logp_vp *vp, int dst, size_t n_bytes)
{
    return lpi_is_rendezvous(vp->proc, LOGP_SEND_STANDARD, n_bytes) ||
           (n_bytes >= SLOW_FROM && !lpi_is_local(vp->proc->core->machine, to_global(vp, dst)));
}

int logp_try_send(struct logp_vp *vp, int dst, int tag, const void *buf, size_t n_bytes)
{
    const int rc = check_send(vp, dst, tag, buf, n_bytes);

    if (rc != 0)
        return lpi_failed(vp, "logp_try_send", rc);
    if (waits(vp, dst, n_bytes))
        return 1;
    return noted(vp, "logp_try_send", lpi_send(vp, dst, tag, buf, n_bytes));
}

/* Is this a send that can take place? Synchronous ones have no place on some machines. */
static int check_mode(const struct logp_vp *vp, enum logp_send_mode mode)
{
    if ((unsigned)mode > LOGP_SEND_BUFFERED)
        return -EINVAL;
    return mode == LOGP_SEND_SYNCHRONOUS && !vp->proc->core->machine->sends_may_wait ? -ENOTSUP : 0;
}

/* A buffered send is a standard one, unless that would wait. */
static int send_as(const struct logp_vp *vp, enum logp_send_mode mode, int dst, int tag,
                   const void *buf, size_t n_bytes)
{
    if (mode != LOGP_SEND_SYNCHRONOUS && !lpi_is_rendezvous(vp->proc, LOGP_SEND_STANDARD, n_bytes))
        return lpi_send(vp, dst, tag, buf, n_bytes);
    return send_slow(vp, mode, to_global(vp, dst), tag, buf, n_bytes);
}

int logp_send_as(struct logp_vp *vp, enum logp_send_mode mode, int dst, int tag, const void *buf,
                 size_t n_bytes)
{
    int rc = check_mode(vp, mode);

    if (rc == 0)
        rc = check_send(vp, dst, tag, buf, n_bytes);
    if (rc == 0)
        rc = send_as(vp, mode, dst, tag, buf, n_bytes);
    return noted(vp, "logp_send_as", rc);
}

static int isend(struct logp_vp *vp, enum logp_send_mode mode, int dst, int tag, const void *buf,
                 size_t n_bytes, struct logp_request **request)
{
    struct lpi_proc *p = vp->proc;
    struct logp_request *r;
    int rc = check_mode(vp, mode);

    if (rc == 0)
        rc = request != NULL ? check_send(vp, dst, tag, buf, n_bytes) : -EINVAL;
    if (rc != 0) {
        if (request != NULL)
            *request = NULL;
        return rc;
    }
    r = lpi_request_new(p->core);
    if (r == NULL)
        return -ENOMEM;
    r->state = LPI_REQ_SENT;
    r->context = vp->context;
    r->src = to_global(vp, dst);
    r->tag = tag;
    if (lpi_is_instrumented(p->core->machine)) {
        r->buf = (void *)buf;
        r->capacity = n_bytes;
        p->core->machine->resolver.posts(p, r, LPI_POSTS_SEND);
    }
    if (lpi_is_rendezvous(p, mode, n_bytes))
        rc = lpi_rts_send(vp, r->src, tag, buf, n_bytes, r);
    else
        rc = mode == LOGP_SEND_STANDARD ? lpi_send(vp, dst, tag, buf, n_bytes)
                                        : send_as(vp, mode, dst, tag, buf, n_bytes);
    *request = rc == 0 ? r : NULL;
    if (rc != 0 && !p->core->machine->resolver.keeps(p, r) && r->state != LPI_REQ_SYNC_SENT)
        lpi_request_free(p->core, r); /* unless its message may still come back to it */
    return rc;
}

int logp_isend(struct logp_vp *vp, int dst, int tag, const void *buf, size_t n_bytes,
               struct logp_request **request)
{
    return noted(vp, "logp_isend", isend(vp, LOGP_SEND_STANDARD, dst, tag, buf, n_bytes, request));
}

int logp_isend_as(struct logp_vp *vp, enum logp_send_mode mode, int dst, int tag, const void *buf,
                  size_t n_bytes, struct logp_request **request)
{
    return noted(vp, "logp_isend_as", isend(vp, mode, dst, tag, buf, n_bytes, request));
}
