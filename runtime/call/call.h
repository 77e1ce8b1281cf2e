/* SPDX-License-Identifier: MIT */
/*
 * The entry and exit of every call of vp.h: the model in force, the vp's clock, arguments.
 *
 * The clock of a vp (proc.emulated) advances by the times of the delay model and, on the wall
 * clock, by the time that the program spends between two calls: enter() adds it, and the time of
 * the runtime itself is left out by leaving proc.left at the last reading of the clock. A vp has no
 * clock of its own if the machine is on the wall clock and has no delays.
 */
#ifndef LPI_CALL_H
#define LPI_CALL_H

#include "core/sched.h"
#include "mail/mail.h"
#include "core/resolver.h"
#include "trace/recorder.h"

/* ---- clocks ---- */

void lpi_enter_counted(struct lpi_proc *p);
void lpi_leave_counted(struct lpi_proc *p);
/* Let others run, for poll_ns of p's clock if it has one. */
int lpi_rest(struct lpi_proc *p);
/* A test, a probe or a send came to nothing: charge a poll, so that a loop that retries lets others
 * run. @return error; or the error that stops the run */
int lpi_poll_in_vain(struct lpi_proc *p, int error);

/* The program's own computing since the last call counts. */
static inline void enter(struct lpi_proc *p)
{
    if (!p->counts)
        return;
    if (lpi_emulates(p->core->machine))
        lpi_enter_counted(p);
    else
        p->emulated = LOGP_NEVER;
}

/* The end of a call: what the runtime did meanwhile is not the program's computing. */
static inline int leave(struct lpi_proc *p, int rc)
{
    if (p->counts && lpi_has_clock(p))
        lpi_leave_counted(p);
    return rc;
}

/* Let time pass for p until t. Others may run first where an explorer asks. kind: the event to be
 * noted. @return as lpi_wait_until() */
int lpi_pass_until(struct lpi_proc *p, int64_t t, enum logp_note_kind kind);

/* p would wait: let the other threads that call for it do so, and let other vps run. @return 0: there are none, and p waits as
 * usual; 1: something may have changed; or the error that stops the run */
int lpi_pause_for_threads(struct lpi_proc *p);

/* ---- errors ---- */

/* Note for the report that this call of vp returns error. @return error */
int lpi_failed(const struct logp_vp *vp, const char *call, int error) __attribute__((cold));

static inline int noted(const struct logp_vp *vp, const char *call, int rc)
{
    return __builtin_expect(rc < 0, false) ? lpi_failed(vp, call, rc) : rc;
}

/* ---- arguments ---- */

/* The time that a program gives, to a wait or to compute for. None may be taken for LPI_AT_ONCE or
 * LOGP_STOPPED; what no clock reaches is LOGP_FOREVER. */
static inline int64_t lpi_until(int64_t until_ns)
{
    if (until_ns >= LPI_CLOCK_END)
        return LOGP_FOREVER;
    return until_ns > LOGP_NEVER ? until_ns : LOGP_NEVER;
}

static inline bool bad_buffer(const void *buf, size_t n)
{
    return buf == NULL && n > 0;
}

static inline bool bad_source(const struct logp_vp *vp, int src)
{
    return (unsigned)src >= (unsigned)vp->size && src != LOGP_ANY_SOURCE && src != LOGP_OUTSIDE;
}

static inline int to_global(const struct logp_vp *vp, int rank)
{
    return vp->to_global != NULL && rank >= 0 ? vp->to_global[rank] : rank;
}

/* ---- query.c ---- */

/* Take mail and match the messages that have arrived by now. Every call does so before it depends
 * on them. */
int lpi_catch_up(struct lpi_proc *p);
/* Answer q from the messages that are here now. @return 0; -ETIME: an explorer chose that q misses;
 * or the error that stops the run */
int lpi_query_resolve(struct lpi_proc *p, struct lpi_query *q);
/* Wait until q may be answered. @return 0; or the error that stops the run */
int lpi_query_wait(struct lpi_proc *p, struct lpi_query *q);
/* Resolve q, wait, and repeat until q->until, and complete the request or message found. Operations
 * proceed meanwhile. @return 0; -ETIME: it has missed; -EMSGSIZE; -ENOMEM; or the error that stops
 * the run. The requests are the caller's in any case */
int lpi_query_run(const struct logp_vp *vp, struct lpi_query *q, struct logp_status *status);
/* Advance operations and rendezvous sends as far as possible now. @return 0; -ENOMEM; or the error
 * that stops the run */
int lpi_progress(struct lpi_proc *p);
/* Wait for an event: lpi_event_new(). The vp's operations proceed meanwhile. */
int lpi_event_await(const struct logp_vp *vp, struct logp_request *event);
/* lpi_query_run() for one label. */
int lpi_query_probe(const struct logp_vp *vp, int src, int tag, int64_t until,
                    struct logp_status *status);
/* lpi_query_run() for r alone. */
int lpi_query_request(const struct logp_vp *vp, struct logp_request *r, int64_t until,
                      struct logp_status *status);
/* A long message may come straight into r's buffer, if r is the one that will take it. */
void lpi_expose_long(struct lpi_proc *p, struct logp_request *r);
static inline void lpi_expose(struct lpi_proc *p, struct logp_request *r)
{
    if (r->capacity >= LPI_DIRECT_FROM)
        lpi_expose_long(p, r);
}
/* status == NULL: not wanted. Inlined: most calls want none. */
static inline void lpi_fill_status(const struct logp_vp *vp, struct logp_status *status, int src,
                                   int tag, size_t n_bytes, int64_t arrival, uint64_t bits)
{
    if (status == NULL)
        return;
    status->source = vp->to_local != NULL ? vp->to_local[src] : src;
    status->tag = tag;
    status->n_bytes = n_bytes;
    status->arrival_ns = arrival < 0 ? 0 : arrival;
    status->bits = bits;
}

static inline void lpi_status_of_message(const struct logp_vp *vp, struct logp_status *status,
                                         const struct lpi_message *m)
{
    lpi_fill_status(vp, status, m->src, m->tag, m->n_bytes, m->arrival, m->bits);
}

static inline void lpi_status_of_request(const struct logp_vp *vp, struct logp_status *status,
                                         const struct logp_request *r)
{
    lpi_fill_status(vp, status, r->from, r->got_tag, r->n_bytes, r->arrival, r->bits);
}

/* ---- operation.c ---- */

/* Run the next steps of o: the request that it awaited is complete with rc, or o begins. The steps
 * serve no other operations, since their nesting could overflow the stack. */
void lpi_operation_go_on(struct lpi_proc *p, struct logp_operation *o, int rc);
/* The request of o is complete or given up: end o. */
void lpi_operation_release(struct lpi_proc *p, struct logp_operation *o);
/* A request that is complete when something other than a message sets `answered`. NULL: no memory */
struct logp_request *lpi_event_new(struct lpi_proc *p);

/* ---- request.c ---- */

/* Stop r, a receive. A message that is being copied into its buffer is completed first. */
void lpi_request_abandon(struct lpi_proc *p, struct logp_request *r);
/* A call has come to nothing. End r, the receive that it has posted: what r has taken is the next
 * message of its source again. @return 0; -ENOMEM */
int lpi_take_back(struct lpi_proc *p, struct logp_request *r);
/* No call uses r any more: free it, unless its answer may still come to it or the explorer watches
 * its use. */
void lpi_request_end(struct lpi_proc *p, struct logp_request *r);
/* lpi_complete() for all requests but complete receives and sends. */
void lpi_complete_other(struct lpi_proc *p, struct logp_request *r, int rc);

/* A call is done with r, or rc has ended the run: lpi_request_end(). */
static inline void lpi_complete(struct lpi_proc *p, struct logp_request *r, int rc)
{
    if (rc == 0 && r->state <= LPI_REQ_SENT && !p->needs_query)
        lpi_request_free(p->core, r);
    else
        lpi_complete_other(p, r, rc);
}

/* send.c: logp_send() through a group; rank, tag and buffer are checked. */
int lpi_send(const struct logp_vp *vp, int dst, int tag, const void *buf, size_t n_bytes);

/* ---- transmit.c ---- */

/* Send e, when there is space. */
int lpi_send_when_space(struct lpi_proc *p, struct lpi_proc *to, struct lpi_envelope *e);

/* Count a send, if it has taken place. */
static inline void lpi_count_send(struct lpi_proc *p, enum lpi_message_kind kind, int rc)
{
    if (rc != 0)
        return;
    p->core->messages += kind != LPI_RTS; /* an RTS is only a part of a message */
    p->sends++;
    p->in_vain = 0;
}

/* ---- rendezvous.c: sends that wait for their receivers ---- */

/* Whether a send of this mode and size waits for its receiver. */
static inline bool lpi_is_rendezvous(const struct lpi_proc *p, enum logp_send_mode mode,
                                     size_t n_bytes)
{
    const int64_t from = p->core->machine->rendezvous_from;

    return mode == LOGP_SEND_SYNCHRONOUS || (mode == LOGP_SEND_STANDARD && from > 0 &&
                                             (n_bytes > 0 ? n_bytes : 1) >= (uint64_t)from);
}

/* Send an RTS for e. The rendezvous belongs to r and is the last in p's list. */
int lpi_rts_ask(struct lpi_proc *p, struct lpi_proc *to, const struct lpi_envelope *e, bool copies,
                struct logp_request *r);
/* Begin a send that waits for its receiver, with a copy of the payload. r completes with it. In
 * explored runs the payload travels with the request, and r completes when the CTS arrives. */
int lpi_rts_send(struct lpi_proc *p, struct lpi_envelope *e, struct logp_request *r);
/* Send the data of each CTS that has arrived by now. @return 0: there was none; 1: data was sent,
 * and the vp's clock has gone on; or an error */
int lpi_data_send(struct lpi_proc *p);
/* When the next CTS arrives; INT64_MAX: none is known. */
int64_t lpi_next_cts(const struct lpi_proc *p);
/* Cancel r, in state RTS_SENT. @return 0: no receive matches it any more; -EINPROGRESS: one has; or
 * the error that stops the run */
int lpi_rts_cancel(struct lpi_proc *p, struct logp_request *r);

#endif
