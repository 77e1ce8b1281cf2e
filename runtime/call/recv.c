/* SPDX-License-Identifier: MIT */
/* Receives: post, and calls that post and wait. query.c waits, request.c ends. */
#include "call/call.h"
#include "core/core.h"
#include "core/sched.h"
#include "delay/delay.h"
#include "mail/mail.h"

#include <errno.h>
#include <string.h>

/* Set the options in r. With a drain its capacity is 0, so that no message is copied before
 * `special` is tested. */
static void apply(struct logp_request *r, const struct logp_recv_options *o)
{
    r->special = true;
    r->truncates = o->truncates;
    r->space = o->capacity;
    r->drain = o->drain;
    if (o->drain != NULL) {
        r->drain_arg = o->arg;
        r->capacity = 0;
    }
}

/* A request for a plain receive that p is about to post; NULL: no memory */
static inline __attribute__((always_inline)) struct logp_request *
plain(const struct lpi_proc *p, const struct lpi_label *label, void *buf, size_t capacity)
{
    struct logp_request *r = lpi_request_new(p->core);

    if (r == NULL)
        return NULL;
    r->label = *label;
    r->buf = buf;
    r->capacity = capacity;
    r->posted = p->emulated;
    r->special = false;
    return r;
}

/* stays: *request outlives the call. o: NULL: a plain receive. @return 0, and the caller leaves; or an
 * error, and *request is NULL */
static inline __attribute__((always_inline)) int post(const struct logp_vp *vp, int src, int tag,
                                                      void *buf, size_t capacity,
                                                      const struct logp_recv_options *o,
                                                      struct logp_request **request, bool stays)
{
    struct lpi_proc *p = vp->proc;
    const struct lpi_label label = {vp->context, to_global(vp, src), tag};
    struct logp_request *r;
    int64_t horizon = INT64_MAX; /* without a receive from any source it does not matter */
    int rc = lpi_stopped(p);

    *request = NULL;
    if (rc != 0)
        return leave(p, rc);
    p->in_vain = 0;
    enter(p);
    r = plain(p, &label, buf, capacity);
    if (r == NULL)
        return leave(p, -ENOMEM);
    if (o != NULL)
        apply(r, o);
    p->core->machine->resolver.posts(p, r, stays ? LPI_POSTS_RECEIVE : LPI_POSTS_FOR_CALL);
    if (src == LOGP_ANY_SOURCE)
        lpi_direct_close(p);
    if (src == LOGP_ANY_SOURCE || p->inbox.n_any > 0) {
        rc = lpi_catch_up(p);
        if (rc == 0 && p->inbox.n_any == 0 && p->inbox.posted_first != NULL)
            rc = p->core->machine->time->settle(p);
        horizon = p->core->machine->resolver.horizon(p);
    }
    if (rc != 0) {
        lpi_request_free(p->core, r);
        return leave(p, rc);
    }
    lpi_match_post(p, r, horizon);
    *request = r;
    return 0;
}

/* Post and wait: no receive from any source is posted, and p needs no query. */
static int await_here(const struct logp_vp *vp, const struct lpi_label *label, void *buf,
                      size_t capacity, struct logp_status *status)
{
    struct lpi_proc *p = vp->proc;
    struct logp_request *r = plain(p, label, buf, capacity);
    int rc;

    if (r == NULL)
        return leave(p, -ENOMEM);
    lpi_match_post(p, r, INT64_MAX);
    rc = lpi_query_request(vp, r, INT64_MAX, status);
    if (rc != 0)
        lpi_request_abandon(p, r);
    lpi_request_free(p->core, r);
    return leave(p, rc);
}

/*
 * A message that has been sent already needs no request.
 * @return  as logp_recv(); 1: take the slow path
 */
static inline __attribute__((always_inline)) int recv_fast(const struct logp_vp *vp, int src,
                                                           int tag, void *buf, size_t capacity,
                                                           struct logp_status *status)
{
    const struct lpi_label label = {vp->context, to_global(vp, src), tag};
    struct lpi_proc *p = vp->proc;
    struct lpi_message *m;
    int64_t done;
    const int rc = lpi_stopped(p);

    if (rc != 0)
        return rc;
    if (src == LOGP_ANY_SOURCE || p->inbox.n_any > 0 || p->needs_query)
        return 1;
    p->in_vain = 0;
    enter(p);
    m = lpi_match_take_here(p, &label, capacity);
    if (m == NULL && lpi_poll_before_wait(p->core))
        m = lpi_match_take_here(p, &label, capacity);
    if (m == NULL)
        return await_here(vp, &label, buf, capacity, status);
    if (m->n_bytes > 0)
        memcpy(buf, m->data, m->n_bytes);
    lpi_status_of_message(vp, status, m);
    done = lpi_charge_message(p, m);
    lpi_message_free(p->core, m);
    if (done < 0) /* p has no clock */
        return 0;
    return leave(p, done > p->emulated ? lpi_wait_until(p, done) : 0);
}

/* The end of a call that has posted r. failed: it has come to nothing. @return rc; -ENOMEM */
static inline int finish(struct lpi_proc *p, struct logp_request *r, int rc, bool failed)
{
    if (!failed && !(rc == -EHOSTDOWN && p->core->machine->resolver.may_restart))
        lpi_complete(p, r, rc);
    else if (lpi_take_back(p, r) != 0)
        rc = -ENOMEM;
    return leave(p, rc);
}

/* Post and wait. Not inlined into the fast path of a plain receive. */
static __attribute__((noinline)) int receive(const struct logp_vp *vp, int src, int tag, void *buf,
                                             size_t capacity, const struct logp_recv_options *o,
                                             int64_t until, struct logp_status *status)
{
    struct logp_request *r;
    int rc = post(vp, src, tag, buf, capacity, o, &r, false);

    if (rc != 0)
        return rc;
    rc = lpi_query_request(vp, r, until, status);
    return finish(vp->proc, r, rc, rc == -ETIME);
}

int logp_recv(struct logp_vp *vp, int src, int tag, void *buf, size_t capacity,
              struct logp_status *status)
{
    int rc;

    if (bad_source(vp, src) || tag < LOGP_ANY_TAG || bad_buffer(buf, capacity))
        return lpi_failed(vp, "logp_recv", -EINVAL);
    rc = recv_fast(vp, src, tag, buf, capacity, status);
    if (rc > 0)
        rc = receive(vp, src, tag, buf, capacity, NULL, INT64_MAX, status);
    return noted(vp, "logp_recv", rc);
}

int logp_recv_until(struct logp_vp *vp, int src, int tag, void *buf, size_t capacity,
                    int64_t until_ns, struct logp_status *status)
{
    if (bad_source(vp, src) || tag < LOGP_ANY_TAG || bad_buffer(buf, capacity))
        return lpi_failed(vp, "logp_recv_until", -EINVAL);
    return noted(vp, "logp_recv_until",
                 receive(vp, src, tag, buf, capacity, NULL, lpi_until(until_ns), status));
}

/* Options of another version are copied. @return 0, and *o is what to use; -EINVAL, -E2BIG */
static int take_options(const struct logp_vp *vp, int src, int tag,
                        const struct logp_recv_options **o, struct logp_recv_options *copy)
{
    int rc = 0;

    if (*o == NULL || (*o)->size != sizeof(**o)) {
        rc = logp_struct_take(copy, sizeof(*copy), LOGP_UP_TO(struct logp_recv_options, truncates),
                              *o);
        *o = copy;
    }
    if (rc != 0)
        return rc;
    return bad_source(vp, src) || tag < LOGP_ANY_TAG ||
                   ((*o)->capacity > 0 && ((*o)->buf != NULL) == ((*o)->drain != NULL))
               ? -EINVAL
               : 0;
}

int logp_recv_with(struct logp_vp *vp, int src, int tag, const struct logp_recv_options *options,
                   struct logp_status *status)
{
    struct logp_recv_options copy;
    int rc = take_options(vp, src, tag, &options, &copy);

    if (rc == 0)
        rc = receive(vp, src, tag, options->buf, options->capacity, options, INT64_MAX, status);
    return noted(vp, "logp_recv_with", rc);
}

/* Whether buf is on the vp's stack. A message must not be written there after its function has
 * returned. */
static bool is_on_stack(const struct lpi_proc *p, const void *buf)
{
    return (uintptr_t)buf - (uintptr_t)__builtin_frame_address(0) < p->core->machine->stack_bytes;
}

static int irecv(const struct logp_vp *vp, int src, int tag, void *buf, size_t capacity,
                 const struct logp_recv_options *o, struct logp_request **request)
{
    int rc;

    if (vp->proc->core->machine->explore != NULL && !lpi_calls_itself(vp->proc)) {
        *request = NULL;
        return lpi_explored_end_for_other(vp->proc);
    }
    rc = post(vp, src, tag, buf, capacity, o, request, true);
    if (rc != 0)
        return rc;
    if (!is_on_stack(vp->proc, buf))
        lpi_expose(vp->proc, *request);
    return leave(vp->proc, 0);
}

int logp_irecv(struct logp_vp *vp, int src, int tag, void *buf, size_t capacity,
               struct logp_request **request)
{
    if (bad_source(vp, src) || tag < LOGP_ANY_TAG || bad_buffer(buf, capacity) || request == NULL)
        return lpi_failed(vp, "logp_irecv", -EINVAL);
    return noted(vp, "logp_irecv", irecv(vp, src, tag, buf, capacity, NULL, request));
}

int logp_irecv_with(struct logp_vp *vp, int src, int tag, const struct logp_recv_options *options,
                    struct logp_request **request)
{
    struct logp_recv_options copy;
    int rc = take_options(vp, src, tag, &options, &copy);

    if (rc == 0)
        rc = request != NULL
                 ? irecv(vp, src, tag, options->buf, options->capacity, options, request)
                 : -EINVAL;
    return noted(vp, "logp_irecv_with", rc);
}

int logp_sendrecv(struct logp_vp *vp, int dst, int send_tag, const void *send_buf,
                  size_t send_bytes, int src, int recv_tag, void *recv_buf, size_t capacity,
                  struct logp_status *status)
{
    struct logp_request *r;
    bool is_refused;
    int rc;

    if (bad_source(vp, src) || recv_tag < LOGP_ANY_TAG || bad_buffer(recv_buf, capacity))
        return lpi_failed(vp, "logp_sendrecv", -EINVAL);
    rc = post(vp, src, recv_tag, recv_buf, capacity, NULL, &r, false);
    if (rc != 0)
        return noted(vp, "logp_sendrecv", rc);
    lpi_expose(vp->proc, r);
    leave(vp->proc, 0);
    rc = lpi_send(vp, dst, send_tag, send_buf, send_bytes);
    is_refused = rc != 0;
    if (!is_refused)
        rc = lpi_query_request(vp, r, INT64_MAX, status);
    rc = finish(vp->proc, r, rc, is_refused);
    return noted(vp, "logp_sendrecv", rc);
}
