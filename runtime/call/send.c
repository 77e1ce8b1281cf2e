/* SPDX-License-Identifier: MIT */
/* Sending: the fast path, to another process, and what transmit.c hands over. */
#include "call/call.h"
#include "core/sched.h"
#include "mail/mail.h"
#include "state/remote.h"

#include <errno.h>
#include <stdlib.h>

enum {
    /* bytes: from here on, a send to another process takes the slow path, so that messages that
     * arrive meanwhile go straight into their buffers */
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

/* The fast path to another process. */
static __attribute__((noinline)) int send_remote(const struct logp_vp *vp, int dst, int tag,
                                                 const void *buf, size_t n_bytes, uint64_t bits)
{
    struct lpi_proc *p = vp->proc;
    struct lpi_envelope e = envelope(vp, dst, tag, buf, n_bytes);
    int rc;

    e.arrival = LOGP_NEVER;
    e.bits = bits;
    rc = lpi_remote_send(p, &e);
    p->emulated = LOGP_NEVER;
    lpi_count_send(p, LPI_EAGER, rc);
    p->core->machine->processes->await_sent(p);
    return rc == 0 ? lpi_let_others_run(p) : rc;
}

/* Send a request, wait for the answer, send e. Not inlined: its request and its query would lie on
 * the stack of every other slow send. */
static __attribute__((noinline)) int
send_synchronously(const struct logp_vp *vp, struct lpi_proc *to, const struct lpi_envelope *e)
{
    struct lpi_proc *p = vp->proc;
    struct logp_request r = {.src = to->rank, .tag = e->tag}, *request = &r;
    struct lpi_query q = {.requests = &request, .n = 1, .until = INT64_MAX};
    int rc;

    enter(p);
    rc = lpi_rts_ask(p, to, e, false, &r);
    if (rc == 0)
        rc = lpi_query_run(vp, &q, NULL);
    return leave(p, rc);
}

/* r: NULL, or the request that is complete when e has been sent */
static inline __attribute__((always_inline)) int send_envelope(const struct logp_vp *vp,
                                                               enum logp_send_mode mode,
                                                               struct lpi_envelope *e,
                                                               struct logp_request *r)
{
    struct lpi_proc *p = vp->proc;
    struct lpi_proc *to = &p->core->machine->procs[e->dst];
    int rc;

    if (lpi_is_rendezvous(p, mode, e->n_bytes))
        return r != NULL ? lpi_rts_send(p, e, r) : send_synchronously(vp, to, e);
    enter(p);
    rc = lpi_send_when_space(p, to, e);
    return leave(p, rc);
}

/* Not inlined: its envelope would lie on the stack of the fast path too. */
static __attribute__((noinline)) int send_slow(const struct logp_vp *vp, int dst, int tag,
                                               const void *buf, size_t n_bytes)
{
    struct lpi_envelope e = envelope(vp, dst, tag, buf, n_bytes);

    return send_envelope(vp, LOGP_SEND_STANDARD, &e, NULL);
}

static __attribute__((noinline)) int send_slow_with(const struct logp_vp *vp, int dst, int tag,
                                                    const struct logp_send_options *o,
                                                    struct logp_request *r)
{
    struct lpi_envelope e = envelope(vp, dst, tag, o->buf, o->n_bytes);

    e.bits = o->bits;
    e.made_by = o->fill != NULL ? o : NULL;
    return send_envelope(vp, o->mode, &e, r);
}

/* Check the arguments of a send. @return 0; -EINVAL; or the error that stops the run */
static inline __attribute__((always_inline)) int
check_send(const struct logp_vp *vp, int dst, int tag, const void *buf, size_t n_bytes)
{
    const int rc = lpi_stopped(vp->proc);

    return dst < 0 || dst >= vp->size || tag < 0 || bad_buffer(buf, n_bytes) ? -EINVAL : rc;
}

enum handed { HANDED, HAND_SLOWLY, HAND_REMOTE };

/* Without a delay: hand over a message to a vp of this core, or a short one to another core of
 * this process. dst: a global rank. @return not HANDED: the message is of another kind, and nothing
 * has been done; HAND_REMOTE: it is to another process */
static inline __attribute__((always_inline)) enum handed hand_over(const struct logp_vp *vp,
                                                                   int dst, int tag,
                                                                   const void *buf, size_t n_bytes,
                                                                   uint64_t bits)
{
    struct lpi_proc *p = vp->proc;
    const struct logp_machine *m = p->core->machine;
    const struct lpi_label label = {vp->context, p->rank, tag};

    if (lpi_is_here(p->core, dst)) {
        if (!lpi_deliver_here(&m->procs[dst], &label, buf, n_bytes, bits, false))
            return HAND_SLOWLY;
    } else if (!lpi_is_local(m, dst)) {
        return HAND_REMOTE;
    } else if (bits != 0 || !lpi_post_inline(p->core, &m->procs[dst], &label, buf, n_bytes)) {
        return HAND_SLOWLY;
    }
    p->emulated = LOGP_NEVER;
    lpi_count_send(p, LPI_EAGER, 0);
    return HANDED;
}

/* dst: a global rank. o: the rest of its options; NULL: a standard send. r: as in send_envelope() */
static inline __attribute__((always_inline)) int
send_by(const struct logp_vp *vp, int dst, int tag, const void *buf, size_t n_bytes, uint64_t bits,
        const struct logp_send_options *o, struct logp_request *r)
{
    const struct logp_machine *m = vp->proc->core->machine;

    if (lpi_has_fast_path(m)) {
        const enum handed handed = hand_over(vp, dst, tag, buf, n_bytes, bits);

        if (handed == HANDED)
            return lpi_let_others_run(vp->proc);
        if (handed == HAND_REMOTE)
            return send_remote(vp, dst, tag, buf, n_bytes, bits);
    }
    return o != NULL ? send_slow_with(vp, dst, tag, o, r) : send_slow(vp, dst, tag, buf, n_bytes);
}

int lpi_send(const struct logp_vp *vp, int dst, int tag, const void *buf, size_t n_bytes)
{
    const int rc = check_send(vp, dst, tag, buf, n_bytes);

    if (rc != 0)
        return lpi_failed(vp, "logp_send", rc);
    return noted(vp, "logp_send",
                 send_by(vp, to_global(vp, dst), tag, buf, n_bytes, 0, NULL, NULL));
}

int logp_send(struct logp_vp *vp, int dst, int tag, const void *buf, size_t n_bytes)
{
    return lpi_send(vp, dst, tag, buf, n_bytes);
}

/* Whether a send waits for its receiver, or for its receiver's process. */
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
    return noted(vp, "logp_try_send",
                 send_by(vp, to_global(vp, dst), tag, buf, n_bytes, 0, NULL, NULL));
}

/* Check the mode. Some machines have no synchronous sends. */
static int check_mode(const struct logp_vp *vp, enum logp_send_mode mode)
{
    if ((unsigned)mode > LOGP_SEND_BUFFERED)
        return -EINVAL;
    return mode == LOGP_SEND_SYNCHRONOUS ? vp->proc->core->machine->time->waiting_sends : 0;
}

/* Whether the payload must be made before it is sent. A short message needs a copy anyway, and
 * another process needs one that lasts. */
static bool makes_at_once(const struct logp_vp *vp, int dst, const struct logp_send_options *o)
{
    return o->fill != NULL &&
           (o->n_bytes <= LPI_INLINE || !lpi_is_local(vp->proc->core->machine, dst));
}

/* Send with these options, which have been checked. dst: a global rank. r: as in send_envelope() */
static int send_checked(const struct logp_vp *vp, int dst, int tag,
                        const struct logp_send_options *o, struct logp_request *r)
{
    char few[LPI_INLINE];
    void *memory = NULL, *made = few;
    struct logp_send_options plain;
    int rc;

    if (makes_at_once(vp, dst, o)) {
        if (o->n_bytes > sizeof(few))
            made = memory = malloc(o->n_bytes);
        if (made == NULL)
            return -ENOMEM;
        if (o->n_bytes > 0)
            o->fill(o->arg, 0, made, o->n_bytes);
        plain = *o;
        plain.buf = made;
        plain.fill = NULL;
        o = &plain;
    }
    if (o->fill != NULL || o->mode == LOGP_SEND_SYNCHRONOUS)
        rc = send_slow_with(vp, dst, tag, o, r);
    else
        rc = send_by(vp, dst, tag, o->buf, o->n_bytes, o->bits, o, r);
    free(memory);
    return rc;
}

static int check_options(const struct logp_vp *vp, int dst, int tag,
                         const struct logp_send_options *o)
{
    const int rc = check_mode(vp, o->mode);

    if (o->n_bytes > 0 && (o->buf != NULL) == (o->fill != NULL))
        return -EINVAL;
    return rc != 0 ? rc : check_send(vp, dst, tag, "", o->n_bytes);
}

/* Options of another version are copied. @return 0, and *o is what to use; -EINVAL, -E2BIG */
static int take_options(const struct logp_send_options **o, struct logp_send_options *copy)
{
    int rc;

    if (*o != NULL && (*o)->size == sizeof(**o))
        return 0;
    rc = logp_struct_take(copy, sizeof(*copy), LOGP_UP_TO(struct logp_send_options, mode), *o);
    *o = copy;
    return rc;
}

int logp_send_with(struct logp_vp *vp, int dst, int tag, const struct logp_send_options *options)
{
    struct logp_send_options copy;
    int rc = take_options(&options, &copy);

    if (rc == 0)
        rc = check_options(vp, dst, tag, options);
    if (rc == 0)
        rc = send_checked(vp, to_global(vp, dst), tag, options, NULL);
    return noted(vp, "logp_send_with", rc);
}

int logp_send_as(struct logp_vp *vp, enum logp_send_mode mode, int dst, int tag, const void *buf,
                 size_t n_bytes)
{
    const struct logp_send_options o = {.buf = buf, .n_bytes = n_bytes, .mode = mode};
    int rc = check_options(vp, dst, tag, &o);

    if (rc == 0)
        rc = send_checked(vp, to_global(vp, dst), tag, &o, NULL);
    return noted(vp, "logp_send_as", rc);
}

static int isend(struct logp_vp *vp, int dst, int tag, const struct logp_send_options *o,
                 struct logp_request **request)
{
    struct lpi_proc *p = vp->proc;
    struct logp_request *r;
    int rc;

    if (request == NULL)
        return -EINVAL;
    *request = NULL;
    rc = check_options(vp, dst, tag, o);
    if (rc != 0)
        return rc;
    r = lpi_request_new(p->core);
    if (r == NULL)
        return -ENOMEM;
    r->state = LPI_REQ_SENT;
    r->label = (struct lpi_label){vp->context, to_global(vp, dst), tag};
    r->buf = (void *)o->buf;
    r->capacity = o->buf != NULL ? o->n_bytes : 0;
    p->core->machine->resolver.posts(p, r, LPI_POSTS_SEND);
    rc = send_checked(vp, r->src, tag, o, r);
    if (rc == 0)
        *request = r;
    else
        lpi_request_end(p, r);
    return rc;
}

int logp_isend(struct logp_vp *vp, int dst, int tag, const void *buf, size_t n_bytes,
               struct logp_request **request)
{
    const struct logp_send_options o = {.buf = buf, .n_bytes = n_bytes};

    return noted(vp, "logp_isend", isend(vp, dst, tag, &o, request));
}

int logp_isend_as(struct logp_vp *vp, enum logp_send_mode mode, int dst, int tag, const void *buf,
                  size_t n_bytes, struct logp_request **request)
{
    const struct logp_send_options o = {.buf = buf, .n_bytes = n_bytes, .mode = mode};

    return noted(vp, "logp_isend_as", isend(vp, dst, tag, &o, request));
}

int logp_isend_with(struct logp_vp *vp, int dst, int tag, const struct logp_send_options *options,
                    struct logp_request **request)
{
    struct logp_send_options copy;
    int rc = take_options(&options, &copy);

    if (rc == 0)
        rc = isend(vp, dst, tag, options, request);
    return noted(vp, "logp_isend_with", rc);
}
