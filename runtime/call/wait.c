/* SPDX-License-Identifier: MIT */
/* Waiting, testing and probing: each call is a query (query.c). */
#include "call/call.h"
#include "core/sched.h"
#include "mail/mail.h"

#include <errno.h>

int logp_sleep_until(struct logp_vp *vp, int64_t t_ns)
{
    struct lpi_proc *p = vp->proc;
    const int rc = lpi_stopped(p);

    if (rc != 0)
        return rc;
    p->in_vain = 0;
    enter(p);
    return noted(vp, "logp_sleep_until",
                 leave(p, lpi_pass_until(p, lpi_until(t_ns), LOGP_NOTE_WAITED)));
}

/* ---- one request ---- */

static int finish(struct logp_vp *vp, struct logp_request *r, int64_t until,
                  struct logp_status *status)
{
    struct lpi_proc *p = vp->proc;
    int rc = lpi_stopped(p);

    if (r == NULL)
        return rc;
    if (rc == 0 && r->state == LPI_REQ_ENDED) {
        rc = r->operation->error;
    } else if (rc == 0 && r->state != LPI_REQ_SENT) {
        enter(p);
        rc = leave(p, lpi_query_request(vp, r, until, status));
    }
    if (rc != -ETIME)
        lpi_complete(p, r, rc);
    return rc;
}

int logp_wait(struct logp_vp *vp, struct logp_request *request, struct logp_status *status)
{
    return noted(vp, "logp_wait", finish(vp, request, INT64_MAX, status));
}

int logp_wait_until(struct logp_vp *vp, struct logp_request *request, int64_t until_ns,
                    struct logp_status *status)
{
    return noted(vp, "logp_wait_until", finish(vp, request, lpi_until(until_ns), status));
}

int logp_test(struct logp_vp *vp, struct logp_request *request, bool *done,
              struct logp_status *status)
{
    const int rc = finish(vp, request, LPI_AT_ONCE, status);

    *done = rc != -ETIME;
    return *done ? noted(vp, "logp_test", rc) : 0;
}

int logp_waitall(struct logp_vp *vp, struct logp_request **requests, int n,
                 struct logp_status *statuses)
{
    int first = 0;

    if (n < 0 || (requests == NULL && n > 0))
        return lpi_failed(vp, "logp_waitall", -EINVAL);
    for (int i = 0; i < n; i++) {
        const int rc = logp_wait(vp, requests[i], statuses != NULL ? &statuses[i] : NULL);

        requests[i] = NULL;
        if (first == 0)
            first = rc;
    }
    return noted(vp, "logp_waitall", first);
}

/* ---- the first of several ---- */

static int finish_any(struct logp_vp *vp, struct logp_request **requests, int n, int64_t until,
                      int *index, struct logp_status *status)
{
    struct lpi_query q = {.requests = requests, .n = n, .any = true, .until = until};
    struct lpi_proc *p = vp->proc;
    int rc = lpi_stopped(p);

    if (n < 0 || (requests == NULL && n > 0) || index == NULL)
        return -EINVAL;
    *index = -1;
    if (rc != 0)
        return rc;
    enter(p);
    rc = lpi_query_run(vp, &q, status);
    if (rc != -ETIME && q.index >= 0) {
        struct logp_request *r = requests[q.index];

        *index = q.index;
        requests[q.index] = NULL;
        lpi_complete(p, r, rc);
    }
    return leave(p, rc);
}

int logp_waitany_until(struct logp_vp *vp, struct logp_request **requests, int n, int64_t until_ns,
                       int *index, struct logp_status *status)
{
    return noted(vp, "logp_waitany_until",
                 finish_any(vp, requests, n, lpi_until(until_ns), index, status));
}

int logp_waitany(struct logp_vp *vp, struct logp_request **requests, int n, int *index,
                 struct logp_status *status)
{
    return noted(vp, "logp_waitany", finish_any(vp, requests, n, INT64_MAX, index, status));
}

int logp_testany(struct logp_vp *vp, struct logp_request **requests, int n, int *index, bool *done,
                 struct logp_status *status)
{
    int rc;

    if (done == NULL)
        return lpi_failed(vp, "logp_testany", -EINVAL);
    *done = false;
    rc = finish_any(vp, requests, n, LPI_AT_ONCE, index, status);
    if (rc == -ETIME)
        return 0;
    *done = rc == 0 || (rc != -EINVAL && *index >= 0);
    return noted(vp, "logp_testany", rc);
}

/* ---- probes ---- */

static int probe(struct logp_vp *vp, int src, int tag, int64_t until, struct logp_status *status)
{
    const int rc = lpi_stopped(vp->proc);

    if (rc != 0)
        return rc;
    enter(vp->proc);
    return leave(vp->proc, lpi_query_probe(vp, src, tag, until, status));
}

int logp_probe(struct logp_vp *vp, int src, int tag, bool *found, struct logp_status *status)
{
    int rc;

    if (bad_source(vp, src) || tag < LOGP_ANY_TAG || found == NULL)
        return lpi_failed(vp, "logp_probe", -EINVAL);
    rc = probe(vp, src, tag, LPI_AT_ONCE, status);
    *found = rc == 0;
    return rc == -ETIME ? 0 : noted(vp, "logp_probe", rc);
}

int logp_probe_until(struct logp_vp *vp, int src, int tag, int64_t until_ns,
                     struct logp_status *status)
{
    if (bad_source(vp, src) || tag < LOGP_ANY_TAG)
        return lpi_failed(vp, "logp_probe_until", -EINVAL);
    return noted(vp, "logp_probe_until", probe(vp, src, tag, lpi_until(until_ns), status));
}
