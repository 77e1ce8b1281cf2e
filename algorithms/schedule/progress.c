/* SPDX-License-Identifier: MIT */
/*
 * Started schedules: operations of a vp, which the runtime advances whenever the vp waits. Each
 * keeps its place in its steps, and has come to a receive, which is posted, or has ended.
 *
 * Their messages are kept apart by tags: those of the group's collective n are
 * n LOGP_PENDING_TAGS .. (n + 1) LOGP_PENDING_TAGS - 1, n modulo LOGP_MOST_PENDING. When n comes
 * round again, the last collective with these tags has ended here. The messages that others sent
 * for it came before, since messages of one tag arrive in the order sent.
 */

#include "reader.h"
#include "schedule/schedule.h"

#include <logp/trace.h>

#include <errno.h>
#include <stdlib.h>

struct started {
    struct logp_operation operation;
    struct lpi_call call;
    struct logp_invocation own; /* of a call, whose plan belongs to the operation */
    logp_steps steps;
    int64_t i;              /* the next step */
    struct lpi_ahead ahead; /* receives of further steps that are posted */
    struct logp_vp *group;
    uint32_t first_tag; /* of its tags, among the group's */
    uint32_t label;     /* of its events, in a trace */
};

/* ---- steps ---- */

/* Send; if the message waits for its receiver, *sending is its request. */
static int send(struct started *p, int tag, const struct logp_step *s,
                struct logp_request **sending)
{
    int rc = 1;

    if (p->ahead.n == 0)
        rc =
            logp_try_send(p->group, (int)s->peer, tag, lpi_buffer_ref(&p->call, s->at), s->n_bytes);
    if (rc <= 0)
        return rc;
    rc = p->ahead.n == 0
             ? lpi_post_ahead(p->group, p->steps, &p->call, p->i, p->first_tag, &p->ahead)
             : 0;
    if (rc == 0)
        rc = logp_isend(p->group, (int)s->peer, tag, lpi_buffer_ref(&p->call, s->at), s->n_bytes,
                        sending);
    return rc;
}

/* From its next step to its next receive, which is posted; or to its end, *receive stays NULL. */
static int advance(struct started *p, struct logp_request **receive)
{
    const int64_t P = logp_vp_size(p->group), rank = logp_vp_rank(p->group);
    struct logp_step s;
    int rc = 0;

    s.into_one = false; /* the compiler cannot see which fields are read */
    while (rc == 0 && *receive == NULL && p->steps(P, rank, p->call.c, p->i, &s)) {
        const bool is_message = s.kind == LOGP_STEP_SEND || s.kind == LOGP_STEP_RECEIVE;
        const int tag = is_message ? (int)(p->first_tag + (uint32_t)s.tag) : 0;

        if (is_message && (uint32_t)s.tag >= LOGP_PENDING_TAGS)
            rc = -EINVAL;
        else if (s.kind == LOGP_STEP_SEND)
            rc = send(p, tag, &s, receive);
        else if (s.kind == LOGP_STEP_RECEIVE && p->ahead.n > 0)
            *receive = lpi_next_ahead(&p->ahead);
        else if (s.kind == LOGP_STEP_RECEIVE)
            rc = logp_irecv(p->group, (int)s.peer, tag, lpi_buffer_ref(&p->call, s.at), s.n_bytes,
                            receive);
        else
            rc = lpi_do(p->group, p->steps, &p->call, P, rank, &p->i, &s);
        p->i++;
    }
    return rc;
}

static void free_plan(struct started *p)
{
    if (p->call.c == &p->own)
        lpi_free_plan(&p->own.plan);
}

static int go_on(struct logp_operation *operation, int rc)
{
    struct started *p = (struct started *)operation; /* its first member */
    const uint32_t outer = logp_label(p->group, p->label);

    if (rc == 0) {
        lpi_prescan(&p->ahead);
        rc = advance(p, &operation->awaits);
    }
    logp_label(p->group, outer);
    if (operation->awaits == NULL) {
        lpi_end_ahead(p->group, &p->ahead);
        free_plan(p);
    }
    return rc;
}

static void end(struct logp_operation *operation, bool ended)
{
    struct started *p = (struct started *)operation;

    if (operation->awaits != NULL) {
        if (ended) /* its receives have ended with the program */
            lpi_forget_ahead(&p->ahead);
        else
            lpi_end_ahead(p->group, &p->ahead);
        free_plan(p);
    }
    free(p);
}

/* ---- start ---- */

/* The next started schedule of vp after p. */
static struct started *next_of(const struct logp_vp *vp, const struct started *p)
{
    struct logp_operation *o = logp_operation_next(vp, p != NULL ? &p->operation : NULL);

    while (o != NULL && o->go_on != go_on)
        o = logp_operation_next(vp, o);
    return (struct started *)o;
}

bool lpi_is_started(const struct logp_vp *vp, const struct logp_invocation *c)
{
    for (const struct started *p = next_of(vp, NULL); p != NULL; p = next_of(vp, p))
        if (p->call.c == c)
            return true;
    return false;
}

/* Whether another started schedule has these tags. */
static bool is_taken(const struct logp_vp *group, uint32_t first_tag)
{
    for (const struct started *p = next_of(group, NULL); p != NULL; p = next_of(group, p))
        if (p->group == group && p->first_tag == first_tag)
            return true;
    return false;
}

/* One that can begin. */
static int make(struct logp_vp *vp, const struct logp_algorithm *algorithm,
                const struct lpi_call *call, bool owned, struct started **out)
{
    uint32_t *n_started, first_tag;
    struct logp_vp *group = logp_vp_started(vp, &n_started);
    struct started *p;

    if (group == NULL)
        return -ENOMEM;
    first_tag = *n_started % LOGP_MOST_PENDING * LOGP_PENDING_TAGS;
    if (lpi_is_started(vp, call->c))
        return -EBUSY;
    if (is_taken(group, first_tag))
        return -EAGAIN;
    p = malloc(sizeof(*p));
    if (p == NULL)
        return -ENOMEM;
    *p = (struct started){.operation = {.go_on = go_on, .end = end},
                          .call = *call,
                          .own = *call->c,
                          .steps = algorithm->steps,
                          .group = group,
                          .first_tag = first_tag,
                          .label = logp_label_of(vp, algorithm->collective, algorithm->name)};
    if (owned)
        p->call.c = &p->own;
    ++*n_started;
    *out = p;
    return 0;
}

int lpi_start(struct logp_vp *vp, const struct logp_algorithm *algorithm,
              const struct logp_invocation *c, bool owned, void *buf, void *recv_buf,
              struct logp_request **request)
{
    const struct lpi_call call = {c, buf, recv_buf};
    struct logp_rank_plan plan = c->plan;
    struct started *p;
    int rc = make(vp, algorithm, &call, owned, &p);

    if (rc != 0) {
        if (owned)
            lpi_free_plan(&plan);
        return rc;
    }
    rc = logp_operation_start(vp, &p->operation, request);
    if (rc != 0) {
        free_plan(p); /* go_on() has not, where there was no memory for the request */
        free(p);
    }
    return rc;
}
