/* SPDX-License-Identifier: MIT */
/*
 * The first reader of a schedule once more, with the place where it stands kept: so a schedule goes
 * on when there is mail for it, and many do at once.
 *
 * What is under way on a vp stands in one list, in the order of starting. Each has come to a
 * receive, which is posted, or is through and waits to be asked for. A wait for one takes
 * the first message for any of them: so the order in which others wait does not matter.
 *
 * Their messages are kept apart by tags: those of the group's collective n are
 * n LOGP_PENDING_TAGS .. (n + 1) LOGP_PENDING_TAGS - 1, n modulo LOGP_MOST_PENDING. Where n comes
 * round again the last of this tag is through, here; what others sent for it came before, since
 * messages of one tag arrive in the order sent.
 */

#include "reader.h"
#include "schedule/schedule.h"

#include <logp/trace.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct logp_pending {
    struct lpi_call call;
    struct logp_invocation own; /* call.c, where no caller has planned it */
    logp_steps steps;
    int64_t i;              /* the next step */
    struct lpi_ahead ahead; /* receives of further steps that are posted */
    struct logp_vp *group;
    uint32_t first_tag, n_tags; /* of the group's, those that are its own */
    uint32_t label;             /* of what it does, in a trace */
    int rc;                     /* it is through: what came of it */
};

/* What is under way on a vp. */
struct progress {
    struct logp_attached attached;
    int n, capacity;
    struct logp_pending **all;
    struct logp_request **receives; /* of each, that it has come to; NULL: it is through */
};

static const char key; /* its address */

static struct progress *progress_of(const struct logp_vp *vp)
{
    return (struct progress *)logp_vp_attached(vp, &key); /* its first member */
}

static void free_own(struct logp_pending *p)
{
    if (p->call.c == &p->own)
        lpi_free_plan(&p->own.plan);
}

/* The program has ended: nothing is received any more. */
static void end(struct logp_attached *attached)
{
    struct progress *g = (struct progress *)attached;

    for (int k = 0; k < g->n; k++) {
        if (g->receives[k] != NULL)
            free_own(g->all[k]);
        free(g->all[k]);
    }
    free(g->all);
    free(g->receives);
    free(g);
}

/* With room for one more; NULL: no memory. */
static struct progress *make_space(struct logp_vp *vp)
{
    struct progress *g = progress_of(vp);
    int capacity;
    void *all, *receives;

    if (g == NULL) {
        g = calloc(1, sizeof(*g));
        if (g == NULL)
            return NULL;
        g->attached = (struct logp_attached){.key = &key, .end = end};
        if (logp_vp_attach(vp, &g->attached) != 0) {
            free(g);
            return NULL;
        }
    }
    if (g->n < g->capacity)
        return g;
    capacity = g->capacity > 0 ? 2 * g->capacity : 4;
    all = realloc(g->all, (size_t)capacity * sizeof(struct logp_pending *));
    g->all = all != NULL ? all : g->all;
    receives = realloc(g->receives, (size_t)capacity * sizeof(struct logp_request *));
    g->receives = receives != NULL ? receives : g->receives;
    if (all == NULL || receives == NULL)
        return NULL;
    g->capacity = capacity;
    return g;
}

/* ---- steps ---- */

/* One that waits for its receiver goes on when that has come: *sending. */
static int send(struct logp_pending *p, int tag, const struct logp_step *s,
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
static int go_on(struct logp_pending *p, struct logp_request **receive)
{
    const int64_t P = logp_vp_size(p->group), rank = logp_vp_rank(p->group);
    struct logp_step s;
    int rc = 0;

    s.into_one = false; /* as far as the compiler can tell */
    while (rc == 0 && *receive == NULL && p->steps(P, rank, p->call.c, p->i, &s)) {
        const bool is_message = s.kind == LOGP_STEP_SEND || s.kind == LOGP_STEP_RECEIVE;
        const int tag = is_message ? (int)(p->first_tag + (uint32_t)s.tag) : 0;

        if (is_message && (uint32_t)s.tag >= p->n_tags)
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

/* The receive of number k has ended, with rc, or there was none: on to the next. */
static void carry_on(struct progress *g, int k, int rc)
{
    struct logp_pending *p = g->all[k];
    const uint32_t outer = logp_label(p->group, p->label);

    g->receives[k] = NULL;
    if (rc == 0)
        lpi_prescan(&p->ahead);
    p->rc = rc != 0 ? rc : go_on(p, &g->receives[k]);
    logp_label(p->group, outer);
    if (g->receives[k] == NULL) {
        lpi_end_ahead(p->group, &p->ahead);
        free_own(p);
    }
}

/* The run is over, and all that is under way with it. */
static void abandon(struct logp_vp *vp, struct progress *g, int rc)
{
    for (int k = 0; k < g->n; k++)
        if (g->receives[k] != NULL) {
            logp_wait(vp, g->receives[k], NULL);
            carry_on(g, k, rc);
        }
}

/* How many have not come to their end, and one of them. */
static int under_way(const struct progress *g, int *one)
{
    int n = 0;

    for (int k = 0; g != NULL && k < g->n; k++)
        if (g->receives[k] != NULL) {
            *one = k;
            n++;
        }
    return n;
}

/* Take the first message that comes for any of them, and let it go on. */
static void await(struct logp_vp *vp, struct progress *g)
{
    int k = -1, rc;

    if (under_way(g, &k) == 1)
        rc = logp_wait(vp, g->receives[k], NULL);
    else
        rc = logp_waitany(vp, g->receives, g->n, &k, NULL);
    if (k < 0)
        abandon(vp, g, rc);
    else
        carry_on(g, k, rc);
}

/* The same if there is one. @return there was, or the run is over */
static bool look(struct logp_vp *vp, struct progress *g)
{
    bool found;
    int k;
    const int rc = logp_testany(vp, g->receives, g->n, &k, &found, NULL);

    if (k >= 0)
        carry_on(g, k, rc);
    else if (rc != 0)
        abandon(vp, g, rc);
    return found || rc != 0;
}

/* ---- start ---- */

/* Into the list, and to its first receive. What is p's own is freed if it is through. */
static void begin(struct progress *g, struct logp_pending *p)
{
    g->all[g->n] = p;
    carry_on(g, g->n++, 0);
}

/* Number k, which is through, out of the list. @return what came of it */
static int take_out(struct progress *g, int k)
{
    const size_t after = (size_t)(--g->n - k);
    const int rc = g->all[k]->rc;

    memmove(&g->all[k], &g->all[k + 1], after * sizeof(struct logp_pending *));
    memmove(&g->receives[k], &g->receives[k + 1], after * sizeof(struct logp_request *));
    return rc;
}

bool lpi_is_started(const struct logp_vp *vp, const struct logp_invocation *c)
{
    const struct progress *g = progress_of(vp);

    for (int k = 0; g != NULL && k < g->n; k++)
        if (g->all[k]->call.c == c)
            return true;
    return false;
}

/* Have others these tags? */
static bool is_taken(const struct progress *g, const struct logp_vp *group, uint32_t first_tag)
{
    for (int k = 0; k < g->n; k++)
        if (g->all[k]->group == group && g->all[k]->first_tag == first_tag)
            return true;
    return false;
}

/* One that can begin. */
static int make(struct logp_vp *vp, const struct logp_algorithm *algorithm,
                const struct lpi_call *call, bool owned, struct logp_pending **out)
{
    const struct progress *g = make_space(vp);
    uint32_t *n_started, first_tag;
    struct logp_vp *group = logp_vp_started(vp, &n_started);
    struct logp_pending *p;

    if (g == NULL || group == NULL)
        return -ENOMEM;
    first_tag = *n_started % LOGP_MOST_PENDING * LOGP_PENDING_TAGS;
    if (lpi_is_started(vp, call->c))
        return -EBUSY;
    if (is_taken(g, group, first_tag))
        return -EAGAIN;
    p = malloc(sizeof(*p));
    if (p == NULL)
        return -ENOMEM;
    *p = (struct logp_pending){.call = *call,
                               .own = *call->c,
                               .steps = algorithm->steps,
                               .group = group,
                               .first_tag = first_tag,
                               .n_tags = LOGP_PENDING_TAGS,
                               .label = logp_label_of(vp, algorithm->collective, algorithm->name)};
    if (owned)
        p->call.c = &p->own;
    ++*n_started;
    *out = p;
    return 0;
}

int lpi_start(struct logp_vp *vp, const struct logp_algorithm *algorithm,
              const struct logp_invocation *c, bool owned, void *buf, void *recv_buf,
              struct logp_pending **out)
{
    const struct lpi_call call = {c, buf, recv_buf};
    struct logp_rank_plan plan = c->plan;
    struct progress *g;
    struct logp_pending *p;
    int rc = make(vp, algorithm, &call, owned, &p);

    if (rc != 0) {
        if (owned)
            lpi_free_plan(&plan);
        return rc;
    }
    g = progress_of(vp);
    begin(g, p);
    if (p->rc != 0) {
        rc = take_out(g, g->n - 1);
        free(p);
        return rc;
    }
    *out = p;
    return 0;
}

bool lpi_is_under_way(const struct logp_vp *vp)
{
    int one;

    return under_way(progress_of(vp), &one) > 0;
}

void lpi_query(struct logp_vp *vp)
{
    look(vp, progress_of(vp));
}

int lpi_run_beside(struct logp_vp *group, logp_steps steps, const struct logp_invocation *c,
                   void *buf, void *recv_buf)
{
    struct progress *g = make_space(group);
    struct logp_pending p = {
        .call = {c, buf, recv_buf}, .steps = steps, .group = group, .n_tags = UINT32_C(1) << 31};

    if (g == NULL)
        return -ENOMEM;
    p.label = logp_label(group, 0);
    logp_label(group, p.label);
    begin(g, &p);
    while (g->receives[g->n - 1] != NULL)
        await(group, g);
    return take_out(g, g->n - 1);
}

/* ---- test and wait ---- */

/* Where it stands; -1: it is none of this vp's. */
static int find(const struct progress *g, const struct logp_pending *pending)
{
    for (int k = 0; g != NULL && k < g->n; k++)
        if (g->all[k] == pending)
            return k;
    return -1;
}

int logp_pending_wait(struct logp_vp *vp, struct logp_pending *pending)
{
    struct progress *g = progress_of(vp);
    const int k = find(g, pending);
    int rc;

    if (k < 0)
        return pending == NULL ? 0 : logp_vp_note_error(vp, "logp_pending_wait", -EINVAL);
    while (g->receives[k] != NULL)
        await(vp, g);
    rc = take_out(g, k);
    free(pending);
    return logp_vp_note_error(vp, "logp_pending_wait", rc);
}

int logp_pending_test(struct logp_vp *vp, struct logp_pending *pending, bool *done)
{
    struct progress *g = progress_of(vp);
    const int k = find(g, pending);

    while (k >= 0 && g->receives[k] != NULL && look(vp, g))
        ;
    *done = k < 0 || g->receives[k] == NULL;
    return *done ? logp_pending_wait(vp, pending) : 0;
}

int logp_pending_waitall(struct logp_vp *vp, struct logp_pending **pendings, int n)
{
    int first = 0;

    if (n < 0 || (pendings == NULL && n > 0))
        return logp_vp_note_error(vp, "logp_pending_waitall", -EINVAL);
    for (int i = 0; i < n; i++) {
        const int rc = logp_pending_wait(vp, pendings[i]);

        pendings[i] = NULL;
        if (first == 0)
            first = rc;
    }
    return first;
}

/* The first that is through; n: none is; -1: there are none; -EINVAL: one is none of this vp's */
static int first_through(const struct progress *g, struct logp_pending *const *pendings, int n)
{
    int first = -1;

    for (int i = n; i-- > 0;) {
        const int k = find(g, pendings[i]);

        if (k < 0 && pendings[i] != NULL)
            return -EINVAL;
        if (k >= 0)
            first = g->receives[k] == NULL ? i : first < 0 ? n : first;
    }
    return first;
}

int logp_pending_waitany(struct logp_vp *vp, struct logp_pending **pendings, int n, int *index)
{
    struct progress *g = progress_of(vp);
    struct logp_pending *pending;
    int first;

    if (n < 0 || (pendings == NULL && n > 0) || index == NULL)
        return logp_vp_note_error(vp, "logp_pending_waitany", -EINVAL);
    *index = -1;
    while ((first = first_through(g, pendings, n)) == n)
        await(vp, g);
    if (first < 0)
        return first == -EINVAL ? logp_vp_note_error(vp, "logp_pending_waitany", -EINVAL) : 0;
    *index = first;
    pending = pendings[first];
    pendings[first] = NULL;
    return logp_pending_wait(vp, pending);
}

/* Wait for what comes first, of a vp's collectives or of these requests, in `all`, which has space
 * for both. Collectives go on. @return as logp_waitany() of the requests, *index -1: of none */
static int await_or(struct logp_vp *vp, struct progress *g, struct logp_request **requests, int n,
                    struct logp_request **all, int *index, struct logp_status *status)
{
    const int own = g != NULL ? g->n : 0;
    int k, rc;

    if (own > 0)
        memcpy(all, g->receives, (size_t)own * sizeof(struct logp_request *));
    memcpy(&all[own], requests, (size_t)n * sizeof(struct logp_request *));
    rc = logp_waitany(vp, all, own + n, &k, status);
    *index = k >= own ? k - own : -1;
    if (*index >= 0) {
        requests[*index] = NULL;
        return rc;
    }
    if (k >= 0)
        carry_on(g, k, rc);
    else if (g != NULL)
        abandon(vp, g, rc);
    return k >= 0 ? 0 : rc;
}

static bool is_empty(struct logp_request *const *requests, int n)
{
    for (int i = 0; i < n; i++)
        if (requests[i] != NULL)
            return false;
    return true;
}

int logp_pending_waitany_or(struct logp_vp *vp, struct logp_pending **pendings, int n,
                            struct logp_request **requests, int n_requests, int *index,
                            struct logp_status *status)
{
    struct progress *g = progress_of(vp);
    struct logp_request **all;
    int first, rc = 0;

    if (n_requests < 0 || (requests == NULL && n_requests > 0))
        return logp_vp_note_error(vp, "logp_pending_waitany_or", -EINVAL);
    if (is_empty(requests, n_requests))
        return logp_pending_waitany(vp, pendings, n, index);
    if (n < 0 || (pendings == NULL && n > 0) || index == NULL)
        return logp_vp_note_error(vp, "logp_pending_waitany_or", -EINVAL);
    *index = -1;
    all = malloc((size_t)(n_requests + (g != NULL ? g->n : 0)) * sizeof(struct logp_request *));
    if (all == NULL)
        return logp_vp_note_error(vp, "logp_pending_waitany_or", -ENOMEM);
    while (rc == 0 && *index < 0 && ((first = first_through(g, pendings, n)) == n || first == -1))
        rc = await_or(vp, g, requests, n_requests, all, index, status);
    free(all);
    if (*index >= 0)
        *index += n;
    else if (rc == 0)
        return logp_pending_waitany(vp, pendings, n, index);
    return logp_vp_note_error(vp, "logp_pending_waitany_or", rc);
}
