/* SPDX-License-Identifier: MIT */
/*
 * What every call of vp.h does on its way in and out: the model in force, the vp's clock,
 * arguments.
 *
 * The clock of a vp (proc.emulated) advances by what the delay model says and, on the wall clock,
 * by the time that the program spends between two calls: enter() adds it, and whatever the runtime
 * itself takes is left out by leaving proc.left at the last reading of the clock.
 */
#ifndef LPI_CALL_H
#define LPI_CALL_H

#include "state/record.h"
#include "state/state.h"

/* ---- clocks ---- */

/* What the vp's clock says when the program has computed until `now`: all of that counts. */
int64_t lpi_with_program(const struct lpi_proc *p, int64_t now);
void lpi_enter_emulated(struct lpi_proc *p);
void lpi_leave_emulated(struct lpi_proc *p);

/* On the wall clock: the program's own computing since the last call counts. */
static inline void enter(struct lpi_proc *p)
{
    const struct logp_machine *m = p->core->machine;

    if (m->is_virtual)
        return;
    if (lpi_emulates(m))
        lpi_enter_emulated(p);
    else
        p->emulating = false;
}

/* The end of a call: what the runtime did meanwhile is not the program's computing. */
static inline int leave(struct lpi_proc *p, int rc)
{
    if (p->emulating)
        lpi_leave_emulated(p);
    return rc;
}

static inline bool is_explored(const struct lpi_proc *p)
{
    return lpi_is_instrumented(p->core->machine) && p->core->machine->explore != NULL;
}

/* How far a receive from any source may look: on a machine without delays at everything. Where
 * choices are explored nowhere: core/explore.c does. */
static inline int64_t horizon(const struct lpi_proc *p)
{
    if (!lpi_has_clock(p))
        return INT64_MAX;
    return is_explored(p) ? LOGP_NEVER : p->emulated;
}

/* ---- arguments ---- */

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

/* ---- recv.c ---- */

/* Before anything that depends on what has arrived by now, from whatever source. */
int lpi_catch_up(struct lpi_proc *p);
/* The message that has arrived and that such a receive would take; NULL: none. @return 0; -ETIME:
 * it was chosen, as may_miss allows, that it comes too late; the error that stops the run */
int lpi_find_here(struct lpi_proc *p, const struct lpi_label *label, bool may_miss,
                  struct lpi_message **msg);
/* r has met a send that waits for it: wait for what it sends. @return 0: look again */
int lpi_await_payload(struct lpi_proc *p, struct logp_request *r);
/* Explored: r was chosen to complete: where clocks order nothing its payload comes first. */
int lpi_await_chosen(struct lpi_proc *p, struct logp_request *r);
/* When p, which waits, is to look again, unless something comes before; INT64_MAX: not at all. */
int64_t lpi_next_poll(struct lpi_proc *p);
/* r is not to be filled any more; a message that is being copied into its buffer comes first. */
void lpi_abandon(struct lpi_proc *p, struct logp_request *r);
/* As if r had never been posted: a message that it has taken is the next of its source again. 0;
 * -ENOMEM */
int lpi_take_back_recv(struct lpi_proc *p, struct logp_request *r);
int lpi_post_recv(const struct logp_vp *vp, int src, int tag, void *buf, size_t capacity,
                  struct logp_request *r);
/* Wait for r and fill status. -ETIME: no message that arrives by `until`; r stays as it is. r is
 * the caller's in any case. */
int lpi_finish_recv(const struct logp_vp *vp, struct logp_request *r, int64_t until,
                    struct logp_status *status);

/* A test or probe that found nothing. */
int lpi_poll_cost(struct lpi_proc *p);
/* A wait that ends at `until`, now or later; or one that had no time: as a test. -ETIME; an error
 */
int lpi_time_over(struct lpi_proc *p, int64_t until);
int lpi_poll_missed(struct lpi_proc *p);
/* status == NULL: not wanted */
void lpi_fill_status(const struct logp_vp *vp, struct logp_status *status, int src, int tag,
                     size_t n_bytes, int64_t arrival);

/* send.c: logp_send() through a group; rank, tag and buffer are checked. */
int lpi_send(const struct logp_vp *vp, int dst, int tag, const void *buf, size_t n_bytes);
/* Send e, when there is room. */
int lpi_send_when_space(struct lpi_proc *p, struct lpi_proc *to, struct lpi_envelope *e);

/* ---- rendezvous.c: sends that wait for their receivers ---- */

static inline bool lpi_is_rendezvous(const struct lpi_proc *p, size_t n_bytes)
{
    const int64_t from = p->core->machine->rendezvous_from;

    return lpi_is_instrumented(p->core->machine) && from > 0 &&
           (n_bytes > 0 ? n_bytes : 1) >= (uint64_t)from;
}

/* Has it any that are under way? */
static inline bool lpi_has_rts(const struct lpi_proc *p)
{
    const struct logp_machine *m = p->core->machine;

    return lpi_is_instrumented(m) && m->rts != NULL && m->rts[p->rank] != NULL;
}

/* Ask, wait for the answer, send e. */
int lpi_send_synchronously(struct lpi_proc *p, struct lpi_proc *to, const struct lpi_envelope *e);
/* Ask; r, a send's, is to be waited for. buf is copied. dst: global rank. Where choices are
 * explored the payload goes along, and r is complete when the answer is there */
int lpi_rts_send(const struct logp_vp *vp, int dst, int tag, const void *buf, size_t n_bytes,
                 struct logp_request *r);
/* Send what is answered by now. @return 0; 1: and the vp's clock has gone on; or an error */
int lpi_data_send(struct lpi_proc *p);
/* When the next answer is there; INT64_MAX: none is known. */
int64_t lpi_next_cts(const struct lpi_proc *p);
/* Wait for a send of lpi_rts_send(). 0; -ETIME: not by `until` */
int lpi_await_data_sent(struct lpi_proc *p, struct logp_request *r, int64_t until);
/* If r is one and has been sent, it is LPI_REQ_SENT from now on. */
void lpi_check_data_sent(struct lpi_proc *p, struct logp_request *r);
/* Wait until the message of r has arrived, until `until` at the latest, and send what is answered
 * meanwhile. 0; or an error */
int lpi_await_beside(struct lpi_proc *p, struct logp_request *r, int64_t until);
/* until.c: wait for, or test, a send of lpi_rts_send() where choices are explored. As
 * logp_wait_until() and logp_test() */
int lpi_wait_sync_send(struct logp_vp *vp, struct logp_request *r, int64_t until);
int lpi_test_sync_send(struct logp_vp *vp, struct logp_request *r, bool *done);
/* until.c: wait until something comes, or until t; src and tag are for reports */
int lpi_wait_for_any(struct lpi_proc *p, int64_t t, int src, int tag);

#endif
