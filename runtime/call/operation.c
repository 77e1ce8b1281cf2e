/* SPDX-License-Identifier: MIT */
/*
 * Operations that proceed in the background of the program: see struct logp_operation.
 *
 * A call that waits appends the requests that operations await to the ones of its query. Whatever
 * completes first is served, and the query begins again until its own part is complete. An event is
 * a request too, so that operations proceed while a vp waits for something else than a message.
 */
#include "call/call.h"
#include "core/core.h"

#include <errno.h>
#include <stdlib.h>

struct logp_operation *logp_operation_next(const struct logp_vp *vp,
                                           const struct logp_operation *operation)
{
    const struct lpi_attached *a = lpi_attached_of(vp->proc);

    return operation != NULL ? operation->next : a != NULL ? a->operations : NULL;
}

/* The first operation that a wait of p serves. */
static struct logp_operation *first_of(const struct lpi_proc *p)
{
    const struct lpi_attached *a = lpi_attached_of(p);

    return a != NULL && !a->goes_on ? a->operations : NULL;
}

/* Run the next steps of o: the request that it awaited is complete with rc, or o begins. The steps
 * serve no other operations, since their nesting could overflow the stack. */
static void go_on(struct lpi_proc *p, struct logp_operation *o, int rc)
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
    go_on(p, operation, 0);
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

/* The operation that awaits r. */
static struct logp_operation *awaiting(const struct lpi_proc *p, const struct logp_request *r)
{
    struct logp_operation *o = first_of(p);

    while (o->awaits != r)
        o = o->next;
    return o;
}

/* The requests of q and those that operations await, in `few` or, if they are more, in allocated
 * memory. */
static struct logp_request **gather(struct lpi_proc *p, const struct lpi_query *q,
                                    struct logp_request **few, int n_few, int *n)
{
    struct logp_request **all = few;

    *n = q->n;
    for (const struct logp_operation *o = first_of(p); o != NULL; o = o->next)
        *n += o->awaits != NULL;
    if (*n > n_few)
        all = malloc((size_t)*n * sizeof(struct logp_request *));
    if (all == NULL)
        return NULL;
    *n = 0;
    for (int i = 0; i < q->n; i++)
        all[(*n)++] = q->requests[i];
    for (const struct logp_operation *o = first_of(p); o != NULL; o = o->next)
        if (o->awaits != NULL)
            all[(*n)++] = o->awaits;
    return all;
}

/* Not inlined: its frame would stay on the stack of each vp that waits. */
__attribute__((noinline)) int lpi_query_beside(const struct logp_vp *vp, struct lpi_query *q,
                                               struct logp_status *status)
{
    struct lpi_proc *p = vp->proc;
    struct logp_request *few[8], **all;
    struct logp_status got;
    int rc;

    do {
        struct lpi_query whole = *q;

        all = gather(p, q, few, 8, &whole.n);
        if (all == NULL)
            return -ENOMEM;
        whole.requests = all;
        whole.any = whole.any || whole.n > q->n;
        if (status != NULL)
            got = *status; /* a send sets none */
        rc = lpi_query_once(vp, &whole, status != NULL ? &got : NULL);
        q->index = whole.index;
        if (q->index >= q->n && q->index < whole.n) { /* the leave and enter of a call */
            struct logp_request *r = all[q->index];
            struct logp_operation *o = awaiting(p, r);
            const bool counted = p->counts;

            lpi_complete(p, r, rc);
            logp_own_time(p->vp, true); /* what the operation does is its own */
            leave(p, 0);
            go_on(p, o, rc);
            enter(p);
            p->counts = counted;
            rc = lpi_stopped(p);
            q->index = LPI_SERVED;
        } else {
            q->index = q->index == whole.n ? q->n : q->index;
            if (status != NULL)
                *status = got;
        }
        if (all != few)
            free(all);
    } while (rc == 0 && q->index == LPI_SERVED);
    return rc;
}

int lpi_progress(struct lpi_proc *p)
{
    struct lpi_query q = {.begun_in_time = true, .until = LOGP_NEVER};
    const int rc = lpi_query_beside(p->vp, &q, NULL);

    return rc == -ETIME ? 0 : rc;
}

/* ---- events ---- */

struct logp_request *lpi_event_new(struct lpi_proc *p)
{
    struct logp_request *r = request_in(p, LPI_REQ_SYNC_SENT);

    if (r != NULL)
        r->answered = INT64_MAX;
    return r;
}

int lpi_event_await(const struct logp_vp *vp, struct logp_request *event)
{
    struct lpi_query q = {.requests = &event, .n = 1, .any = true, .until = INT64_MAX};

    return lpi_query_run(vp, &q, NULL);
}
