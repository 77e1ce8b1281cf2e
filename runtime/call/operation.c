/* SPDX-License-Identifier: MIT */
/*
 * Operations that proceed in the background of the program: see struct logp_operation. query.c has
 * the loop that serves them. An event is a request too, so that operations proceed while a vp waits
 * for something else than a message.
 */
#include "call/call.h"
#include "core/core.h"

#include <errno.h>

struct logp_operation *logp_operation_next(const struct logp_vp *vp,
                                           const struct logp_operation *operation)
{
    const struct lpi_attached *a = lpi_attached_of(vp->proc);

    return operation != NULL ? operation->next : a != NULL ? a->operations : NULL;
}

void lpi_operation_go_on(struct lpi_proc *p, struct logp_operation *o, int rc)
{
    struct lpi_attached *a = lpi_attached_of(p);

    o->awaits = NULL;
    a->goes_on = true;
    o->error = o->go_on(o, rc);
    a->goes_on = false;
    if (o->awaits == NULL) {
        o->request->state = LPI_REQ_ENDED;
    } else { /* for reports */
        o->request->src = o->awaits->src;
        o->request->tag = o->awaits->tag;
    }
    lpi_background_changed(p);
}

/* A request that no message completes. It has no number: it is not posted. NULL: no memory */
static struct logp_request *request_in(struct lpi_proc *p, enum lpi_request_state state)
{
    struct logp_request *r = lpi_request_new(p->core);

    if (r == NULL)
        return NULL;
    r->state = state;
    r->src = p->rank;
    r->tag = 0;
    r->id = 0;
    return r;
}

int logp_operation_start(struct logp_vp *vp, struct logp_operation *operation,
                         struct logp_request **request)
{
    struct lpi_proc *p = vp->proc;
    struct lpi_attached *a = lpi_attached_to(p);
    struct logp_request *r = a != NULL ? request_in(p, LPI_REQ_STARTED) : NULL;
    struct logp_operation **link;

    if (r == NULL)
        return -ENOMEM;
    r->operation = operation;
    operation->request = r;
    operation->next = NULL;
    lpi_operation_go_on(p, operation, 0);
    if (operation->awaits == NULL && operation->error != 0) {
        lpi_request_free(p->core, r);
        return operation->error;
    }
    for (link = &a->operations; *link != NULL; link = &(*link)->next)
        ;
    *link = operation;
    lpi_background_changed(p);
    *request = r;
    return 0;
}

void lpi_operation_release(struct lpi_proc *p, struct logp_operation *o)
{
    struct logp_operation **link = &lpi_attached_of(p)->operations;

    while (*link != o)
        link = &(*link)->next;
    *link = o->next;
    if (o->awaits != NULL)
        lpi_complete(p, o->awaits, -ECANCELED);
    o->end(o, false);
    lpi_background_changed(p);
}

/* ---- events ---- */

struct logp_request *lpi_event_new(struct lpi_proc *p)
{
    struct logp_request *r = request_in(p, LPI_REQ_SYNC_SENT);

    if (r != NULL)
        r->answered = INT64_MAX;
    return r;
}
